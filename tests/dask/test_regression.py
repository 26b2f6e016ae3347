"""bandsvm.dask.LinearBandedSVR: the numbers of bandsvm.LinearBandedSVR, from any chunks."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

pytest.importorskip("distributed", reason="the extra dask is not installed")

import dask.array as da
import dask.dataframe as dd
import pandas as pd

import bandsvm
import dask
from bandsvm._fitting.sources import LocalSource, joint_summary, summary_of
from bandsvm._fitting.spread import units_of
from bandsvm.dask import LinearBandedSVR
from bandsvm.dask._chunks import CheckedChunk
from bandsvm.dask._sources import ClusterSource
from bandsvm.dask._tasks import ChunkTasks, PerChunk
from tests.helpers.inline_client import InlineClient, InlineFuture, in_chunks
from tests.helpers.regression import noisy_curve

LOSSES = ("epsilon_insensitive", "squared_epsilon_insensitive")
SAME = {"rtol": 1e-9, "atol": 1e-9}


@pytest.fixture(params=["apart", "joined"])
def inline(request):
    """A client whose small chunks stay apart, as large ones do, or are joined."""
    if request.param == "apart":
        request.getfixturevalue("small_chunks_stay_apart")
    return InlineClient()


def data(kind="numbers"):
    """Return samples, targets and weights."""
    rng = np.random.default_rng(0)
    X, y = noisy_curve(1500, n_features=4)
    weights = rng.uniform(0.0, 2.0, 1500) * (rng.random(1500) < 0.9)
    if kind == "intervals":
        y = np.column_stack([y - rng.exponential(size=1500), y + rng.exponential(size=1500)])
        y[::3, 0], y[1::3, 1], y[7] = -np.inf, np.inf, (-np.inf, np.inf)
    if kind == "huge":
        y = 1e9 * y + 1e12
    return X, y, weights


@pytest.mark.parametrize("n_chunks", [1, 3, 7])
@pytest.mark.parametrize("kind", ["numbers", "intervals", "huge"])
@pytest.mark.parametrize(
    "parameters",
    [{}, {"loss": LOSSES[1]}, {"fit_intercept": False}, {"C1": 0.1, "epsilon": (0, 1)}],
)
def test_same_model_as_on_one_machine(inline, n_chunks, kind, parameters):
    parameters = {"solver": "newton", "tol": 1e-8, "store_multipliers": True, **parameters}
    X, y, weights = data(kind)
    model = LinearBandedSVR(client=inline, **parameters).fit(*in_chunks(n_chunks, X, y, weights))
    local = bandsvm.LinearBandedSVR(**parameters).fit(X, y, weights)
    assert model.certificate_.is_optimal
    assert model.certificate_.scale == local.certificate_.scale
    assert model.n_iter_ == local.n_iter_
    assert model.coef_.shape == (4,)
    unit = local.certificate_.scale
    np.testing.assert_allclose(model.coef_ / unit, local.coef_ / unit, **SAME)
    np.testing.assert_allclose(model.intercept_ / unit, local.intercept_ / unit, **SAME)
    assert model.certificate_.primal == pytest.approx(local.certificate_.primal, rel=1e-9)
    np.testing.assert_allclose(as_array(model.alpha_) / unit, local.alpha_ / unit, atol=1e-5)
    np.testing.assert_allclose(as_array(model.theta_) / unit, local.theta_ / unit, atol=1e-5)


def as_array(array):
    """Return what an array of an inline client holds: futures that a scheduler does not know."""
    parts = dask.compute(*np.ravel(array.to_delayed()))
    return np.concatenate([getattr(part, "value", part) for part in parts])


def sources(client, y, weights, n_chunks):
    """Return targets here, and the same in chunks of a client."""
    rows = np.array_split(np.arange(len(y)), n_chunks)
    chunks = PerChunk([InlineFuture(CheckedChunk(None, y[k], weights[k])) for k in rows])
    parts = [summary_of(y[k], weights[k]) for k in rows if len(k)]
    return LocalSource(y, weights), ClusterSource(parts, ChunkTasks(client, chunks), chunks)


@pytest.mark.parametrize("seed", range(40))
def test_units_are_those_of_one_machine(seed):
    """Also where targets tie, weights differ by orders, and chunks are empty or know nothing."""
    rng = np.random.default_rng(seed)
    n_samples = int(rng.integers(1, 60))
    y = 10.0 ** rng.uniform(-200, 200) * rng.standard_t(2, size=n_samples)
    if rng.random() < 0.4:
        y = rng.integers(-2, 3, size=n_samples) * 1e3
    if rng.random() < 0.3:
        y = np.column_stack([y - rng.integers(0, 2, n_samples), y + rng.integers(0, 2, n_samples)])
        y[rng.random(n_samples) < 0.3, 0] = -np.inf
        y[rng.random(n_samples) < 0.3, 1] = np.inf
    weights = rng.choice([0.0, 0.1, 0.3, 1.0], size=n_samples)
    weights *= 10.0 ** (rng.uniform(-300, 300, n_samples) if seed % 3 == 0 else 0.0)
    here, there = sources(InlineClient(), y, weights, int(rng.integers(1, 8)))
    summary = joint_summary(there.summaries)
    assert summary == joint_summary(here.summaries)
    for has_intercept in (True, False):
        expected = units_of(here, summary, 0.5, has_intercept)
        assert units_of(there, summary, 0.5, has_intercept) == expected


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_descent_reaches_the_same_optimum(inline, loss, fit_intercept):
    X = sp.random(1200, 400, 0.02, format="csr", random_state=0)
    rng = np.random.default_rng(0)
    y = 100.0 * (X @ rng.normal(size=400) + 0.1 * rng.normal(size=1200)) + 50.0
    rows = [slice(0, 500), slice(500, 800), slice(800, 1200)]
    cost = 10.0 if loss == LOSSES[0] else 0.1
    parameters = {"C1": cost, "C2": cost, "epsilon": 5.0, "loss": loss, "tol": 1e-5}
    parameters["fit_intercept"] = fit_intercept
    model = LinearBandedSVR(client=inline, solver="cd", **parameters).fit(
        [dask.delayed(X[part]) for part in rows], [dask.delayed(y[part]) for part in rows]
    )
    local = bandsvm.LinearBandedSVR(solver="newton", **{**parameters, "tol": 1e-9}).fit(X, y)
    assert model.certificate_.relative_gap <= 1e-5
    assert model.certificate_.primal == pytest.approx(local.certificate_.primal, rel=1e-5)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_constant_in_all_tubes_is_the_middle(inline, loss):
    X, y = noisy_curve(60)[0], np.full(60, 7.0)
    model = LinearBandedSVR(epsilon=(0.1, 0.3), loss=loss, client=inline).fit(*in_chunks(3, X, y))
    assert model.intercept_[0] == pytest.approx(7.1, abs=1e-14)
    assert model.certificate_.primal == 0.0


def test_data_frames_of_intervals(inline):
    X, y, _ = data("intervals")
    frame, ends = pd.DataFrame(X, columns=list("abcd")), pd.DataFrame(y, columns=["low", "high"])
    chunked = dd.from_pandas(frame, npartitions=3), dd.from_pandas(ends, npartitions=3)
    model = LinearBandedSVR(loss=LOSSES[1], client=inline).fit(*chunked)
    local = bandsvm.LinearBandedSVR(loss=LOSSES[1]).fit(frame, ends)
    np.testing.assert_allclose(model.coef_, local.coef_, **SAME)
    assert model.feature_names_in_.tolist() == list("abcd")


def test_predictions_and_scores_are_lazy_or_not(inline):
    X, y, weights = data()
    model = LinearBandedSVR(loss=LOSSES[1], client=inline).fit(*in_chunks(3, X, y))
    local = model.to_local()
    lazy_X, lazy_y, lazy_weights = in_chunks(4, X, y + 1e6, weights)
    with dask.config.set(scheduler="sync"):
        predicted = model.predict(lazy_X)
        assert isinstance(predicted, da.Array)
        assert model.predict(lazy_X.astype(np.float32)).dtype == np.float64
        np.testing.assert_array_equal(predicted.compute(), local.predict(X))
        np.testing.assert_array_equal(model.predict(X), local.predict(X))
        score = model.score(lazy_X, lazy_y - 1e6, lazy_weights)
        assert score == pytest.approx(local.score(X, y, weights), rel=1e-9)
        assert model.score(lazy_X, lazy_y) == pytest.approx(local.score(X, y + 1e6), rel=1e-6)
        assert model.score(X, y) == local.score(X, y)
        with pytest.raises(ValueError, match="must hold numbers, not intervals"):
            model.score(lazy_X, da.stack([lazy_y, lazy_y], axis=1))


def test_to_local_saves_and_clones_keep_the_client(inline, tmp_path):
    X, y, weights = data()
    model = LinearBandedSVR(client=inline, store_multipliers=True, loss=LOSSES[1])
    model.fit(*in_chunks(2, X, y, weights))
    assert clone(model).client is inline
    sent = pickle.loads(pickle.dumps(clone(model)))
    assert sent.client is None
    del model.alpha_, model.theta_  # futures of an inline client cannot be computed by a scheduler
    local = model.to_local()
    assert type(local) is bandsvm.LinearBandedSVR
    bandsvm.save(local, tmp_path / "model.bsvm")
    loaded = bandsvm.load(tmp_path / "model.bsvm")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_warm_start_takes_fewer_steps(inline):
    X, y, _ = data()
    model = LinearBandedSVR(client=inline, warm_start=True).fit(*in_chunks(2, X, 1e3 * y))
    cold = model.n_iter_
    model.set_params(C1=1.1).fit(*in_chunks(2, X, 1e3 * y))
    assert model.n_iter_ < cold
    assert model.certificate_.is_optimal


def test_limits_give_a_model(inline):
    X, y, _ = data()
    with pytest.warns(ConvergenceWarning, match=r"LinearBandedSVR .*max_iter=3"):
        LinearBandedSVR(max_iter=3, solver="newton", client=inline).fit(*in_chunks(2, X, y))
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        model = LinearBandedSVR(time_limit=1e-6, client=inline).fit(*in_chunks(2, X, y))
    assert np.isfinite(model.predict(X)).all()


def refuse(match, error=ValueError, X=None, y=None, weights=None, **parameters):
    """Check that a fit is refused before it begins."""
    default_X, default_y = in_chunks(2, *noisy_curve(60))
    model = LinearBandedSVR(**{"client": InlineClient(), **parameters})
    with pytest.raises(error, match=match):
        model.fit(default_X if X is None else X, default_y if y is None else y, weights)
    assert not hasattr(model, "coef_")


def test_bad_input_is_refused():
    X, y = noisy_curve(60)
    refuse("epsilon must be at least 0", epsilon=-1.0)
    refuse("C1 must be greater than 0 if C2 is 0", C1=0.0, C2=0.0)
    refuse("Chunk 0 is refused: .*y must hold numbers", y=in_chunks(2, y.astype(str))[0])
    backwards = np.column_stack([y + 1.0, y])
    refuse("Chunk 0 is refused.*must not have a lower end above", y=in_chunks(2, backwards)[0])
    unknown = np.full((60, 2), [-np.inf, np.inf])
    refuse("y must hold at least one finite end", y=in_chunks(2, unknown)[0])
    refuse("one finite end.* weight greater than 0", weights=da.zeros(60, chunks=30))
    refuse("must be finite in units of the spread", C1=1e300, y=in_chunks(2, 1e-100 * y)[0])
    ends = np.column_stack([y, y])
    parts = [dask.delayed(X[:30]), dask.delayed(X[30:])]
    refuse(
        "All chunks of y must hold numbers, or all of them intervals, but chunk 1 and chunk 0",
        X=parts,
        y=[dask.delayed(y[:30]), dask.delayed(ends[30:])],
    )
    refuse("one dimension, got shape", y=da.zeros((60, 3), chunks=(30, 3)))
    with pytest.raises(TypeError, match="has no parameter C"):
        LinearBandedSVR(C=1.0)
