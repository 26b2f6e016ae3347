"""bandsvm.dask.LinearBandedSVC: the numbers of bandsvm.LinearBandedSVC, from chunks."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

pytest.importorskip("distributed", reason="the extra dask is not installed")

import dask.array as da
import dask.dataframe as dd
import pandas as pd

import bandsvm
import dask
from bandsvm._linear.executor import LocalExecutor
from bandsvm._linear.samples import LinearSamples
from bandsvm.dask import LinearBandedSVC, transform
from bandsvm.dask._chunks import ChunkProblem
from bandsvm.dask._executor import ClusterExecutor
from bandsvm.dask._survey import ChunkStats, Survey
from bandsvm.dask._tasks import ChunkTasks, PerChunk
from tests.helpers.inline_client import InlineClient, InlineFuture, in_chunks
from tests.helpers.problems import make_case, rare_kind

SAME = {"rtol": 1e-9, "atol": 1e-9}
# Of up to 1000 samples, one machine finds the exact optimum, and Newton steps come close to it.
CLOSE = {"rtol": 1e-6, "atol": 1e-6}


@pytest.fixture(params=["apart", "joined"])
def inline(request):
    """A client whose small chunks stay apart, as large ones do, or are joined."""
    if request.param == "apart":
        request.getfixturevalue("small_chunks_stay_apart")
    return InlineClient()


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(1500, 6, n_informative=4, flip_y=0.1, random_state=0)
    return X, y, np.random.default_rng(0).uniform(0.0, 2.0, 1500)


def fitted_both(client, data, n_chunks, **parameters):
    """Return the model of the cluster and that of this machine, after the same Newton steps."""
    parameters = {"rho2": 1.5, "solver": "newton", "tol": 1e-8, **parameters}
    chunked = in_chunks(n_chunks, *data)
    return (
        LinearBandedSVC(client=client, **parameters).fit(*chunked),
        bandsvm.LinearBandedSVC(**parameters).fit(*data),
    )


def check_same(model, local, tolerance=SAME):
    np.testing.assert_allclose(model.coef_, local.coef_, **tolerance)
    np.testing.assert_allclose(model.intercept_, local.intercept_, **tolerance)
    assert model.certificate_.is_optimal
    assert model.certificate_.primal == pytest.approx(local.certificate_.primal, rel=1e-9)
    assert model.certificate_.n_checked == local.certificate_.n_checked


@pytest.mark.parametrize("n_chunks", [1, 2, 4])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"loss": "squared_hinge"},
        {"fit_intercept": False},
        {"C2": 0.0},
        {"class_weight": "balanced", "loss": "squared_hinge"},
        {"class_weight": {0: 0.5, 1: 2.0}, "C1": {0: 0.1, 1: 10.0}, "rho2": {0: 1.0, 1: 3.0}},
    ],
)
def test_same_model_as_on_one_machine(inline, data, n_chunks, parameters):
    check_same(*fitted_both(inline, data, n_chunks, **parameters))


def test_nearly_all_samples_on_an_edge(inline):
    """The weights of the iterate decide, also where its coefficients lie on workers."""
    X, y = rare_kind(3000)
    parameters = {"C1": 1e4, "C2": 1e4, "tol": 1e-9, "solver": "newton"}
    model = LinearBandedSVC(client=inline, **parameters).fit(*in_chunks(3, X, y))
    assert model.certificate_.is_optimal


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_descent_reaches_the_same_optimum(inline, loss, fit_intercept):
    """Coordinate descent by chunks takes other steps, to the same optimum."""
    X = sp.random(1200, 400, 0.02, format="csr", random_state=0)
    y = (X @ np.random.default_rng(0).standard_normal(400) > 0).astype(int)
    rows = [slice(0, 500), slice(500, 800), slice(800, 1200)]
    parameters = {"loss": loss, "fit_intercept": fit_intercept, "C1": 0.1, "C2": 0.1, "tol": 1e-5}
    parameters["rho2"] = 1.5
    model = LinearBandedSVC(client=inline, solver="cd", **parameters).fit(
        [dask.delayed(X[part]) for part in rows], [dask.delayed(y[part]) for part in rows]
    )
    local = bandsvm.LinearBandedSVC(solver="newton", **{**parameters, "tol": 1e-9}).fit(X, y)
    assert model.certificate_.relative_gap <= 1e-5
    assert model.certificate_.primal == pytest.approx(local.certificate_.primal, rel=1e-5)
    assert model.certificate_.dual <= local.certificate_.primal


def test_several_classes_and_their_multipliers(inline):
    X, y = load_iris(return_X_y=True)
    parameters = {"loss": "squared_hinge", "store_multipliers": True}
    model, local = fitted_both(inline, (X, y), 4, **parameters)
    check_same(model, local, CLOSE)
    assert len(model.certificate_.parts) == 3
    assert model.alpha_.chunks == ((38, 38, 38, 36), (3,))
    np.testing.assert_allclose(as_array(model.alpha_), local.alpha_, **CLOSE)
    np.testing.assert_allclose(as_array(model.theta_), local.theta_, **CLOSE)


def as_array(array):
    """Return what an array of an inline client holds: futures that a scheduler does not know."""
    parts = dask.compute(*np.ravel(array.to_delayed()))
    return np.concatenate([getattr(part, "value", part) for part in parts])


@pytest.mark.parametrize(
    ("sizes", "groups"),
    [
        ([100], [[0]]),
        ([3, 3, 3, 3], [[0, 1, 2, 3]]),
        ([6, 6, 6, 6], [[0, 1], [2, 3]]),
        ([3, 100, 3, 3, 100, 100], [[0], [1], [2, 3], [4], [5]]),
    ],
)
def test_small_neighbours_are_joined(sizes, groups, monkeypatch):
    monkeypatch.setattr("bandsvm.dask._survey.MIN_VALUES_OF_GROUP", 12)
    survey = Survey([ChunkStats(size, 1, size) for size in sizes])
    assert survey.groups() == groups


def test_weights_are_repeated_rows(inline):
    X, y = make_classification(200, 5, random_state=3)
    repeats = np.random.default_rng(0).integers(0, 4, 200)
    weighted = LinearBandedSVC(client=inline).fit(*in_chunks(3, X, y, repeats.astype(float)))
    rows = np.repeat(np.arange(200), repeats)
    repeated = LinearBandedSVC(client=inline).fit(*in_chunks(4, X[rows], y[rows]))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_points_are_evaluated_as_on_one_machine(inline, seed):
    """Feasible points, intercepts and gaps of random dual points, also of far infeasible ones."""
    rng = np.random.default_rng(seed)
    n_samples = int(rng.integers(5, 60))
    loss, free = ["hinge", "squared_hinge"][seed % 2], seed % 3 > 0
    case = make_case(seed, n_samples, "linear", loss=loss, has_intercept=free)
    samples = LinearSamples(np.ascontiguousarray(case.X))
    edges = np.sort(rng.integers(0, n_samples + 1, 3))
    chunks = [slice(a, b) for a, b in zip([0, *edges], [*edges, n_samples], strict=True) if a < b]
    problems = PerChunk(
        [InlineFuture(ChunkProblem(case.problem.part(rows), samples.part(rows))) for rows in chunks]
    )
    tasks, shape = ChunkTasks(inline, problems), (n_samples, samples.n_features)
    executor = ClusterExecutor(tasks, problems, shape, free, loss != "hinge")
    local = LocalExecutor(case.problem, samples)
    scale = 10.0 ** rng.uniform(-3, 1)
    for c in (np.zeros(n_samples), scale * rng.standard_normal(n_samples), rng.random(n_samples)):
        c = np.where(rng.random(n_samples) < 0.3, 0.0, c)
        found = executor.point(PerChunk([InlineFuture(c[rows]) for rows in chunks]))
        expected = local.point(c)
        of_chunks = np.concatenate([future.value for future in found.c.futures])
        np.testing.assert_allclose(of_chunks, expected.c, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(found.w, expected.w, rtol=1e-9, atol=1e-10)
        assert found.intercept == pytest.approx(expected.intercept, rel=1e-8, abs=1e-9)
        assert found.relative_gap == pytest.approx(expected.relative_gap, rel=1e-7, abs=1e-12)


def test_data_frames_and_names(inline):
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=list("abcd"))
    names = pd.Series(np.array(["setosa", "versicolor", "virginica"])[y])
    chunked = dd.from_pandas(frame, npartitions=3), dd.from_pandas(names, npartitions=3)
    model = LinearBandedSVC(loss="squared_hinge", client=inline).fit(*chunked)
    local = bandsvm.LinearBandedSVC(loss="squared_hinge").fit(frame, names)
    check_same(model, local, CLOSE)
    assert model.feature_names_in_.tolist() == list("abcd")
    with dask.config.set(scheduler="sync"):
        assert (model.predict(chunked[0]).compute() == local.predict(frame)).all()
        assert model.score(*chunked) == local.score(frame, names)


def test_csr_chunks_some_of_them_empty(inline):
    X = sp.random(300, 20, 0.2, format="csr", random_state=0, dtype=np.float32)
    y = (X.sum(axis=1).A1 > 2).astype(int)
    rows = [slice(0, 0), slice(0, 120), slice(120, 120), slice(120, 300)]
    model = LinearBandedSVC(loss="squared_hinge", client=inline).fit(
        [dask.delayed(X[part]) for part in rows], [dask.delayed(y[part]) for part in rows]
    )
    check_same(model, bandsvm.LinearBandedSVC(loss="squared_hinge").fit(X, y), CLOSE)


def test_unknown_chunk_sizes(inline, data):
    X, y = in_chunks(3, *data[:2])
    some = X[:, 0] > 0.0
    rows = data[0][:, 0] > 0.0
    model = LinearBandedSVC(loss="squared_hinge", client=inline).fit(X[some], y[some])
    local = bandsvm.LinearBandedSVC(loss="squared_hinge").fit(data[0][rows], data[1][rows])
    # So few samples end exactly on one machine, and with a gap of rounding errors on a cluster.
    assert local.certificate_.relative_gap <= model.certificate_.relative_gap <= 1e-12
    check_same(model, local, {"rtol": 1e-7, "atol": 1e-8})


def test_warm_start_takes_fewer_steps(inline, data):
    chunked = in_chunks(2, *data)
    model = LinearBandedSVC(client=inline, warm_start=True).fit(*chunked)
    cold = model.n_iter_
    model.set_params(C1=1.1).fit(*chunked)
    assert model.n_iter_ < cold


def test_methods_are_lazy_on_collections_and_local_on_arrays(inline, data):
    X, y, _ = data
    model, local = fitted_both(inline, (X, y), 3, loss="squared_hinge")
    lazy = in_chunks(4, X)[0]
    with dask.config.set(scheduler="sync"):
        for method in ("decision_function", "predict", "band_position"):
            expected = getattr(local, method)(X)
            result = getattr(model, method)(lazy)
            assert isinstance(result, da.Array)
            assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
            assert result.chunks[0] == lazy.chunks[0]
            for values in (result.compute(), getattr(model, method)(X)):
                if method == "decision_function":
                    np.testing.assert_allclose(values, expected, **SAME)
                else:
                    assert (values == expected).all()
        assert model.decision_function(lazy.astype(np.float32)).dtype == np.float32
        weights = data[2]
        score = model.score(lazy, da.from_array(y, chunks=400), da.from_array(weights, chunks=400))
        assert score == pytest.approx(local.score(X, y, weights))
        assert model.score(X, y) == local.score(X, y)


def test_to_local_saves_and_clones_keep_the_client(inline, data, tmp_path):
    model = LinearBandedSVC(loss="squared_hinge", C1=2.0, client=inline).fit(*in_chunks(2, *data))
    local = model.to_local()
    assert type(local) is bandsvm.LinearBandedSVC
    bandsvm.save(local, tmp_path / "model.bandsvm")
    loaded = bandsvm.load(tmp_path / "model.bandsvm")
    assert (loaded.decision_function(data[0]) == model.decision_function(data[0])).all()
    copy = clone(model)
    assert copy.client is inline
    assert copy.C1 == 2.0
    assert not hasattr(copy, "coef_")
    sent = pickle.loads(pickle.dumps(model))
    assert sent.client is None
    assert (sent.predict(data[0]) == model.predict(data[0])).all()


@pytest.mark.parametrize(
    "transformer",
    [
        StandardScaler(),
        RBFSampler(n_components=7, random_state=0),
        make_pipeline(StandardScaler(), Nystroem(n_components=9, random_state=0)),
    ],
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_transform_is_lazy_and_of_known_shape(data, transformer, dtype):
    X = data[0].astype(dtype)
    expected = transformer.fit(X[:200]).transform(X)
    with dask.config.set(scheduler="sync"):
        result = transform(transformer, in_chunks(4, X)[0])
        assert isinstance(result, da.Array)
        assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_allclose(result.compute(), expected, rtol=1e-6)


def test_transform_of_data_frames(data):
    frame = pd.DataFrame(data[0], columns=list("abcdef"))
    scaler = StandardScaler().fit(frame)
    with dask.config.set(scheduler="sync"):
        result = transform(scaler, dd.from_pandas(frame, npartitions=3)).compute()
    np.testing.assert_allclose(result, scaler.transform(frame))


def test_iteration_limit_warns_and_keeps_the_best_model(inline, data):
    with pytest.warns(ConvergenceWarning, match=r"max_iter=3.*gap"):
        model = LinearBandedSVC(max_iter=3, solver="newton", client=inline).fit(
            *in_chunks(2, *data)
        )
    with pytest.warns(ConvergenceWarning):
        local = bandsvm.LinearBandedSVC(max_iter=3, solver="newton").fit(*data)
    np.testing.assert_allclose(model.coef_, local.coef_, **SAME)


def test_a_time_limit_that_is_over_after_reading_gives_a_model(inline, data):
    with pytest.warns(ConvergenceWarning, match=r"time_limit"):
        model = LinearBandedSVC(time_limit=1e-6, client=inline).fit(*in_chunks(2, *data))
    assert model.certificate_.status.value == "time limit"
    assert np.isfinite(model.certificate_.gap)
    assert model.decision_function(data[0]).shape == (1500,)


def refuse(match, error=ValueError, X=None, y=None, weights=None, **parameters):
    """Check that a fit is refused before it begins."""
    good = make_classification(60, 4, random_state=0)
    default_X, default_y = in_chunks(2, *good)
    model = LinearBandedSVC(**{"client": InlineClient(), **parameters})
    with pytest.raises(error, match=match):
        model.fit(default_X if X is None else X, default_y if y is None else y, weights)
    assert not hasattr(model, "coef_")


def test_bad_input_is_refused():
    X, y = make_classification(60, 4, random_state=0)
    lazy, labels = in_chunks(2, X, y)
    holed = X.copy()
    holed[40, 2] = np.nan
    refuse("dask.array.from_array", TypeError, X=X)
    refuse(r"y must be a Dask", TypeError, y=y)
    refuse(r"rechunk\(\{1: -1\}\)", X=lazy.rechunk((30, 2)))
    refuse("two dimensions", X=lazy[:, 0])
    refuse(r"one entry for each of the 60 samples, got shape \(50,\)", y=labels[:50])
    refuse("Chunk 1 is refused.*NaN", X=da.from_array(holed, chunks=(30, 4)))
    refuse("Chunk 0 is refused.*continuous", y=in_chunks(2, X[:, 0])[0])
    refuse("two classes", y=da.zeros(60, chunks=30, dtype=int))
    refuse("negative", weights=-da.ones(60, chunks=30))
    refuse("all weights are zero", weights=da.zeros(60, chunks=30))
    refuse("at least one chunk", X=[], y=[])
    refuse("all of its chunks are empty", X=[dask.delayed(X[:0])], y=[dask.delayed(y[:0])])
    refuse("as many chunks as X", X=[dask.delayed(X)], y=[dask.delayed(y)] * 2)
    refuse("60 rows of X, 3 of y", X=[dask.delayed(X)], y=[dask.delayed(y[:3])])
    refuse(
        "chunk 1 has 3 and chunk 0 has 4",
        X=[dask.delayed(X), dask.delayed(X[:, :3])],
        y=[dask.delayed(y)] * 2,
    )
    frames = [pd.DataFrame(X, columns=list(names)) for names in ("abcd", "abdc")]
    refuse("same order", X=[dask.delayed(f) for f in frames], y=[dask.delayed(y)] * 2)


def test_bad_parameters_are_refused():
    refuse("C1 must be greater than 0", C1=-1.0)
    refuse("C1 must be finite", C1=np.inf)
    refuse("solver must be one of", solver="x")
    refuse("client must be a distributed.Client", TypeError, client=3)
    refuse("store_multipliers must be a bool", TypeError, store_multipliers=1)
    refuse("no current client; make one", client=None)
    refuse("rho1 as a mapping", rho1={0: 1.0, 2: 1.0})


def test_ties_between_classes_are_broken_as_on_one_machine(inline):
    X, y = load_iris(return_X_y=True)
    model = LinearBandedSVC(C1=1e-6, C2=1e-6, client=inline)
    with pytest.warns(UserWarning, match="labels are ties"):
        model.fit(*in_chunks(3, X, y))
    np.testing.assert_array_equal(model.predict(X), model.to_local().predict(X))


def test_a_current_client_that_is_asynchronous_is_refused_as_such(monkeypatch):
    current = type("Asynchronous", (), {"asynchronous": True})
    monkeypatch.setattr("bandsvm.dask._fit.get_client", current)
    refuse("client must be synchronous", client=None)


def test_bad_samples_for_predictions_are_refused(inline, data):
    lazy = in_chunks(2, data[0])[0]
    with pytest.raises(NotFittedError):
        LinearBandedSVC().predict(lazy)
    model = LinearBandedSVC(loss="squared_hinge", client=inline).fit(*in_chunks(2, *data))
    with pytest.raises(ValueError, match=r"has 5 features, but .* 6"):
        model.predict(lazy[:, :5])
    with pytest.raises(ValueError, match="rows alone"):
        model.predict(lazy.rechunk((750, 3)))
    with pytest.raises(TypeError, match="for data in memory"):
        transform(StandardScaler(), data[0])
    with pytest.raises(TypeError, match="method `transform`"):
        transform(model, lazy)


def test_the_message_without_dask_names_the_extra():
    code = (
        "import sys; sys.modules['distributed'] = None\n"
        "try: import bandsvm.dask\n"
        "except ImportError as error: print(error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "bandsvm[dask]" in run.stdout
