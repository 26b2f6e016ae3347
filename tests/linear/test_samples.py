"""Sums over samples of linear models: right, in any storage, and their cost."""

import pickle
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from bandsvm import LinearBandedSVC, _core
from bandsvm._linear.chunk import ChunkState
from bandsvm._linear.newton_sums import newton_chunks
from bandsvm._linear.samples import DENSE_CHUNK_BYTES, LinearSamples
from bandsvm._linear.solver_choice import (
    AT_ONCE,
    CD_THEN_NEWTON,
    choose_method,
    choose_solver,
)
from tests.helpers.problems import make_case


@pytest.fixture(params=["dense", "csr", "csr, long indices"])
def samples(request, rng, small_chunks):
    """Samples of many chunks, and the same as a plain matrix."""
    X = np.where(rng.random((500, 7)) < 0.4, rng.normal(size=(500, 7)), 0.0).astype(np.float32)
    if request.param == "dense":
        return LinearSamples(X, 3), X.astype(np.float64)
    csr = sp.csr_matrix(X)
    if request.param != "csr":
        csr.indices, csr.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    return LinearSamples(csr, 3), X.astype(np.float64)


def test_sums_are_those_of_the_matrix(samples, rng):
    ours, X = samples
    w, v, factors = rng.normal(size=7), rng.normal(size=500), rng.random(500)
    np.testing.assert_allclose(ours.product(w), X @ w, atol=1e-12)
    np.testing.assert_allclose(ours.weights(v), X.T @ v, atol=1e-12)
    np.testing.assert_allclose(ours.squared_norms(), (X**2).sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(ours.gram(factors), X.T @ (factors[:, None] * X), atol=1e-12)
    centre = factors @ X / factors.sum()
    centred = (X - centre).T @ (factors[:, None] * (X - centre))
    np.testing.assert_allclose(ours.gram(factors, centre), centred, atol=1e-11)


def test_sums_of_chunks_add_up(samples, rng):
    """What one machine computes of half of the samples can be added to the other half."""
    ours, _ = samples
    factors = rng.random(500)
    parts = [slice(0, 210), slice(210, 500)]
    halves = [LinearSamples(ours.X[part]).gram(factors[part]) for part in parts]
    np.testing.assert_allclose(sum(halves), ours.gram(factors), atol=1e-12)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_chunks_that_were_sent_may_lie_anywhere_in_memory(rng, loss):
    case = make_case(3, 30, "linear", loss=loss)
    samples = LinearSamples(np.ascontiguousarray(case.X))
    (chunk,) = newton_chunks(case.problem, samples)
    w, dw = rng.normal(size=(2, samples.n_features))
    state, _ = chunk.start(ChunkState(), w, 0.1, 1.0, True)
    state, _ = chunk.complete(state, dw, 0.1)
    buffers = []
    sent = pickle.dumps((chunk, state), protocol=5, buffer_callback=buffers.append)
    moved = [memoryview(bytearray(b" " + buffer.raw().tobytes()))[1:] for buffer in buffers]
    received, its_state = pickle.loads(sent, buffers=moved)
    assert buffers
    _, expected = chunk.correct(state, 0.5)
    _, found = received.correct(its_state, 0.5)
    np.testing.assert_array_equal(found[0], expected[0])
    assert found[1] == expected[1]


def test_norms_of_sparse_samples_do_not_depend_on_their_neighbours():
    X = sp.csr_matrix(np.array([[1e150, 0.0], [1.0, 2.0], [0.0, 0.0], [3.0, 0.0]]))
    np.testing.assert_allclose(LinearSamples(X).squared_norms(), [1e300, 5, 0, 9], rtol=1e-15)


def test_sparse_samples_without_weight_may_hold_anything(rng):
    X = rng.normal(size=(80, 4))
    y, weights = X[:, 0] > 0, np.ones(80)
    weights[:5], X[:5] = 0.0, 1e150
    model = LinearBandedSVC(C1=0.1, C2=0.1, solver="cd")
    coef = model.fit(sp.csr_matrix(X), y, sample_weight=weights).coef_
    np.testing.assert_allclose(coef, model.fit(sp.csr_matrix(X[5:]), y[5:]).coef_, atol=1e-6)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_matrix])
def test_what_overflows_in_a_thread_is_refused_without_warnings(rng, convert):
    X = 1e160 * rng.normal(size=(300, 4))
    with pytest.raises(ValueError, match=r"overflow.*scale X"):
        LinearBandedSVC(solver="newton", n_jobs=3).fit(convert(X), X[:, 0] > 0)


def rows(starts=(0, 1, 2), columns=(0, 1), n_features=2):
    return _core.SparseRows64(
        np.array(starts, dtype=np.int64),
        np.array(columns, dtype=np.int32),
        np.ones(2),
        n_features,
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"columns": (0, 2)}, "columns must be less than"),
        ({"columns": (0, -1)}, "columns must be less than"),
        ({"starts": (0, 2, 1)}, "starts must not fall"),
        ({"starts": (0, 1, 3)}, "starts must not fall"),
        ({"starts": (-1, 1, 2)}, "starts must not fall"),
    ],
)
def test_wrong_places_are_refused(arguments, message):
    wrong = rows(**arguments)
    with pytest.raises(ValueError, match=message):
        wrong.multiply(0, np.ones(2), np.empty(2), 1)
    with pytest.raises(ValueError, match=message):
        wrong.add_to(0, np.ones(2), np.zeros(2))
    with pytest.raises(ValueError, match=message):
        wrong.add_gram(0, np.ones(2), np.zeros((2, 2)), 2)


def test_wrong_shapes_are_refused():
    right = rows()
    with pytest.raises(ValueError, match="weights must have one value for each of the 2 features"):
        right.multiply(0, np.ones(3), np.empty(2), 1)
    with pytest.raises(ValueError, match="rows must be those of X"):
        right.multiply(1, np.ones(2), np.empty(2), 1)
    with pytest.raises(ValueError, match="rows must be those of X"):
        right.add_to(3, np.ones(1), np.zeros(2))
    with pytest.raises(ValueError, match="gram must have"):
        right.add_gram(0, np.ones(2), np.zeros((2, 3)), 1)
    with pytest.raises(ValueError, match="n_threads must be at least 1"):
        right.add_gram(0, np.ones(2), np.zeros((2, 2)), 0)
    with pytest.raises(ValueError, match="columns must have one value for each of the 2 values"):
        rows(columns=(0,))
    bands = _core.Bands(*(np.zeros(2),) * 6)
    for c, w, message in ((3, 2, "c must have"), (2, 3, "weights must have")):
        with pytest.raises(ValueError, match=message):
            _core.SparseDescent64(right, bands, np.zeros(c), np.zeros(w), 0.0, 0.0)
    three = _core.Bands(*(np.zeros(3),) * 6)
    with pytest.raises(ValueError, match="bands must have one value for each of the 2"):
        _core.SparseDescent64(right, three, np.zeros(2), np.zeros(2), 0.0, 0.0)


def test_descent_checks_every_place():
    """Other threads may change arrays after they were checked."""
    columns = np.array([0, 1], dtype=np.int32)
    starts = np.array([0, 1, 2], dtype=np.int64)
    right = _core.SparseRows64(starts, columns, np.ones(2), 2)
    ones, zeros = np.ones(2), np.zeros(2)
    bands = _core.Bands(ones, 2 * ones, ones, zeros, zeros, zeros)
    descent = _core.SparseDescent64(right, bands, zeros, zeros, 0.0, 0.0)
    columns[1] = 7
    with pytest.raises(ValueError, match="columns must be less than"):
        descent.run(0.0, 1.0)


def test_auto_counts_multiplications():
    rng = np.random.default_rng(0)
    narrow, wide = np.zeros((10_000, 50)), np.zeros((200, 5_000))
    text = sp.random_array((2_000, 20_000), density=1e-3, format="csr", rng=rng)
    few = sp.csr_array(rng.random((1001, 20)))
    for is_squared in (False, True):
        assert choose_method(LinearSamples(narrow), is_squared) == "newton"
        assert choose_method(LinearSamples(few), is_squared) == CD_THEN_NEWTON
        assert choose_method(LinearSamples(few[:1000]), is_squared) == AT_ONCE
        assert choose_method(LinearSamples(text), is_squared) == "cd"
    assert choose_solver(LinearSamples(wide)) == "cd"


def test_memory_beyond_the_samples_follows_their_number():
    X = np.random.default_rng(0).normal(size=(20_000, 100)).astype(np.float32)
    y = X[:, 0] > 0
    tracemalloc.start()
    LinearBandedSVC(C1=0.01, solver="newton", n_jobs=1).fit(X, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # Some dozens of arrays as long as the samples are many, and chunks; X in float64 is 16 MB.
    assert peak <= 50 * 8 * len(X) + 4 * DENSE_CHUNK_BYTES


@pytest.mark.parametrize(("C", "spread", "expected"), [(0.001, 0.0, "cd"), (10.0, 30.0, "newton")])
def test_descent_that_is_slow_gives_way_to_newton(rng, C, spread, expected):
    """Features that go together, and large costs, make coordinate descent slow."""
    X = rng.normal(size=(1500, 10)) + spread * rng.normal(size=(1500, 1))
    y = X[:, 0] - X[:, 1] + rng.normal(size=1500) > 0
    model = LinearBandedSVC(C1=C, C2=C).fit(sp.csr_array(X), y)
    assert model.solver_ == expected
    assert model.certificate_.relative_gap <= 1e-6
    other = LinearBandedSVC(C1=C, C2=C, solver="newton").fit(X, y)
    assert model.certificate_.primal == pytest.approx(other.certificate_.primal, rel=2e-6)


def test_classes_in_threads_are_the_same_to_the_bit(rng):
    X = sp.random_array((1200, 300), density=0.05, format="csr", rng=rng)
    y = np.asarray((X @ rng.normal(size=(300, 4))).argmax(axis=1))
    one, three = (LinearBandedSVC(solver="cd", n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 3))
    np.testing.assert_array_equal(one.coef_, three.coef_)
    assert one.certificate_.n_iter == three.certificate_.n_iter


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_newton_steps_in_chunks_are_those_of_all_samples(rng, request, convert, loss):
    X = rng.normal(size=(1300, 6))
    y = X[:, 0] + rng.normal(size=1300) > 0
    model = LinearBandedSVC(solver="newton", loss=loss)
    whole = model.fit(convert(X), y).coef_
    request.getfixturevalue("small_chunks")
    np.testing.assert_allclose(model.fit(convert(X), y).coef_, whole, atol=1e-9)
