"""LinearBandedSVR: the model of BandedSVR with a linear kernel, by solvers without a kernel."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.svm import LinearSVR

from bandsvm import BandedSVR, LinearBandedSVR
from tests.helpers.problems import Case, primal_by_clarabel
from tests.helpers.regression import drawn, noisy_curve, written

LOSSES = ("epsilon_insensitive", "squared_epsilon_insensitive")


@pytest.fixture(params=LOSSES)
def loss(request):
    """Every loss of regression."""
    return request.param


def exact(**parameters):
    """Return an estimator that goes to the end, with costs at which descent gets there."""
    return LinearBandedSVR(**{"tol": 1e-9, "max_iter": 20_000, **parameters})


def intervals(y, rng):
    """Return intervals around targets, some of them open."""
    ends = np.column_stack([y - rng.exponential(size=len(y)), y + rng.exponential(size=len(y))])
    ends[::3, 0], ends[1::3, 1], ends[5] = -np.inf, np.inf, (-np.inf, np.inf)
    return ends


def objective(model, X, y, weights=None):
    """Return what the model minimises, from its attributes and the definition."""
    below, above = np.broadcast_to(model.epsilon, 2)
    lower, upper = (y, y) if y.ndim == 1 else y.T
    g = model.predict(X)
    power = 2 if model.loss.startswith("squared") else 1
    under, over = np.maximum(lower - below - g, 0.0), np.maximum(g - upper - above, 0.0)
    losses = model.C1 * under**power + model.C2 * over**power
    w = np.ravel(model.coef_)
    return 0.5 * w @ w + (losses.sum() if weights is None else weights @ losses)


@pytest.mark.parametrize("seed", range(40))
def test_random_problems_against_a_qp_solver(seed, solver):
    """Targets of any size, intervals, duplicates, weights, both losses, with and without bias."""
    rng, X, y, weights, _ = drawn(seed, kernels=("linear",), max_samples=60)
    scale = float(y.std()) or 1.0
    loss, epsilon = str(rng.choice(LOSSES)), rng.choice([0.0, 0.1, 1.0], size=2) * scale
    cost = scale if loss == LOSSES[0] else 1.0
    C1, C2 = cost * 10.0 ** rng.uniform(-3, 0 if solver == "cd" else 2, size=2)
    has_intercept = bool(rng.random() < 0.7)
    if rng.random() < 0.3 and len(y) > 5:
        y = intervals(y, rng)
    model = exact(
        C1=C1, C2=C2, epsilon=epsilon, loss=loss, fit_intercept=has_intercept, solver=solver
    ).fit(X, y, weights)
    assert model.certificate_.is_optimal
    assert objective(model, X, y, weights) == pytest.approx(
        model.certificate_.primal, rel=1e-8, abs=1e-12 * scale**2
    )
    lower, upper = (y, y) if y.ndim == 1 else y.T
    unit, shift = model.certificate_.scale, float(np.median(y[np.isfinite(y)])) * has_intercept
    lo, hi = (lower - epsilon[0] - shift) / unit, (upper + epsilon[1] - shift) / unit
    of_sample = np.ones(len(y)) if weights is None else weights
    known = np.isfinite(lo) | np.isfinite(hi)
    lo, hi, of_sample = lo[known], hi[known], of_sample[known]
    in_units = of_sample if loss == LOSSES[1] else of_sample / unit
    squared = "squared_hinge" if loss == LOSSES[1] else "hinge"
    problem = written(lo, hi, C1 * in_units, C2 * in_units, has_intercept, squared)
    dense = (X.toarray() if sp.issparse(X) else X)[known]
    expected = primal_by_clarabel(Case(problem, dense, dense @ dense.T, f"seed {seed}"))
    primal = model.certificate_.primal / unit / unit
    assert expected is None or primal == pytest.approx(expected, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, (0.0, 0.5)])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_the_model_is_that_of_the_linear_kernel(solver, loss, epsilon, fit_intercept, storage):
    X, y = noisy_curve(300, n_features=4)
    shared = {"C1": 0.7, "C2": 0.3, "epsilon": epsilon, "loss": loss}
    shared["fit_intercept"] = fit_intercept
    model = exact(solver=solver, store_multipliers=True, **shared).fit(storage(X), y)
    kernel = BandedSVR(kernel="linear", tol=1e-8, **shared).fit(X, y)
    np.testing.assert_allclose(model.predict(X), kernel.predict(X), atol=1e-6)
    np.testing.assert_allclose(model.coef_, kernel.coef_[0], atol=1e-6)
    assert model.certificate_.primal == pytest.approx(kernel.certificate_.primal, rel=1e-9)
    np.testing.assert_allclose((model.alpha_ - model.theta_) @ X, model.coef_, atol=1e-9)
    assert model.coef_.shape == (4,)
    assert model.intercept_.shape == (1,)
    assert not hasattr(model, "classes_")
    np.testing.assert_array_equal(model.band_position(X, y), kernel.band_position(X, y))


def test_without_an_intercept_the_model_is_that_of_liblinear(solver, loss):
    X, y = noisy_curve(400, n_features=4)
    ours = exact(C1=0.1, C2=0.1, epsilon=0.2, fit_intercept=False, solver=solver, loss=loss)
    theirs = LinearSVR(
        C=0.1, epsilon=0.2, loss=loss, fit_intercept=False, dual=True, tol=1e-9, max_iter=10**6
    ).fit(X, y)
    np.testing.assert_allclose(ours.fit(X, y).coef_, theirs.coef_, atol=1e-5)


def test_a_feature_of_ones_penalises_the_intercept_as_liblinear_does(loss):
    X, y = noisy_curve(400, n_features=3)
    wider = np.hstack([X, np.ones((400, 1))])
    ours = exact(fit_intercept=False, loss=loss).fit(wider, y)
    theirs = LinearSVR(C=1.0, epsilon=0.1, loss=loss, dual=True, tol=1e-9, max_iter=10**6)
    np.testing.assert_allclose(ours.predict(wider), theirs.fit(X, y).predict(X), atol=1e-5)


@pytest.mark.parametrize("n_samples", [200, 3000])
def test_squares_without_a_tube_are_ridge_regression(n_samples, rng):
    """The normal equations with an unpenalised intercept are solved directly."""
    X, y = noisy_curve(n_samples, n_features=5)
    weights = rng.uniform(0.1, 2.0, size=n_samples)
    model = exact(C1=2.0, C2=2.0, epsilon=0.0, loss=LOSSES[1], solver="newton", tol=1e-13)
    model.fit(X, y, weights)
    wider = np.hstack([X, np.ones((n_samples, 1))])
    penalty = np.diag([1.0] * 5 + [0.0])
    normal = wider.T @ (4.0 * weights[:, None] * wider) + penalty
    expected = np.linalg.solve(normal, wider.T @ (4.0 * weights * y))
    np.testing.assert_allclose([*model.coef_, *model.intercept_], expected, atol=1e-6)


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
def test_unequal_costs_without_a_tube_give_quantiles(q):
    X, y = noisy_curve(2000)
    model = LinearBandedSVR(100.0 * q, 100.0 * (1.0 - q), 0.0).fit(X, y)
    assert (y <= model.predict(X)).mean() == pytest.approx(q, abs=0.01)


def test_intervals(solver, loss, rng):
    X, y = noisy_curve(300)
    ends = intervals(y, rng)
    model = exact(solver=solver, loss=loss, store_multipliers=True).fit(X, ends)
    kernel = BandedSVR(kernel="linear", loss=loss, tol=1e-8).fit(X, ends)
    assert model.certificate_.primal == pytest.approx(kernel.certificate_.primal, rel=1e-9)
    is_open = np.isinf(ends)
    assert not model.alpha_[is_open[:, 0]].any()
    assert not model.theta_[is_open[:, 1]].any()
    assert model.certify(X, ends).is_optimal
    same = exact(solver=solver, loss=loss).fit(X, np.column_stack([y, y]))
    np.testing.assert_array_equal(
        same.predict(X), exact(solver=solver, loss=loss).fit(X, y).predict(X)
    )


def test_a_weight_is_a_number_of_copies(solver, loss, rng):
    X, y = noisy_curve(300)
    counts = rng.integers(0, 3, size=300)
    model = exact(solver=solver, loss=loss).fit(X, y, counts)
    same = exact(solver=solver, loss=loss).fit(np.repeat(X, counts, 0), np.repeat(y, counts))
    assert model.certificate_.scale == same.certificate_.scale
    np.testing.assert_allclose(model.predict(X), same.predict(X), atol=1e-6)


def test_samples_without_weight_may_hold_anything(solver):
    X, y = noisy_curve(300)
    far, targets, weights = X.copy(), y.copy(), np.ones(300)
    far[:40], targets[:40], weights[:40] = 1e100, 1e200, 0.0
    model = exact(solver=solver).fit(far, targets, weights)
    rest = exact(solver=solver).fit(X[40:], y[40:])
    np.testing.assert_allclose(model.coef_, rest.coef_, atol=1e-7)
    assert model.certificate_.scale == rest.certificate_.scale


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_predictions_keep_the_digits_of_targets(solver, dtype):
    X, y = noisy_curve(300)
    X = X.astype(np.float32)
    model = exact(solver=solver).fit(X.astype(dtype), y + 1e6)
    predicted = model.predict(sp.csr_array(X.astype(dtype)))
    assert predicted.dtype == np.float64
    plain = exact(solver=solver).fit(X.astype(np.float64), y)
    np.testing.assert_allclose(predicted - 1e6, plain.predict(X), atol=1e-6)


def test_the_number_of_threads_changes_no_bit(small_chunks, solver):
    X, y = noisy_curve(500, n_features=6)
    models = [exact(solver=solver, n_jobs=n).fit(X, y) for n in (1, 2, 3)]
    for model in models[1:]:
        np.testing.assert_array_equal(model.coef_, models[0].coef_)


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_certify_recomputes_the_certificate(storage, loss, rng):
    X, y = noisy_curve(300)
    X, y, weights = storage(X), 1e4 * y + 1e6, rng.integers(0, 3, size=300)
    cost = 1e4 if loss == LOSSES[0] else 1.0
    model = LinearBandedSVR(cost, cost, 1e3, loss=loss, store_multipliers=True).fit(X, y, weights)
    again = model.certify(X, y, weights)
    assert again.is_optimal
    assert again.n_checked == 300
    assert again.scale == model.certificate_.scale > 1000.0
    assert again.primal == pytest.approx(model.certificate_.primal, rel=1e-9)
    assert objective(model, X, y, weights) == pytest.approx(again.primal, rel=1e-9)
    assert not model.certify(X, y + 1e4, weights).is_optimal
    with pytest.raises(ValueError, match="needs the training set: 300 samples, got 200 samples"):
        model.certify(X[:200], y[:200])
    with pytest.raises(ValueError, match=r"needs the multipliers.*store_multipliers=True"):
        LinearBandedSVR().fit(X, y).certify(X, y)


def test_weights_can_be_stored_sparsely():
    X, y = noisy_curve(300, n_features=6)
    X[:, 2:] = 0.0
    model = LinearBandedSVR(warm_start=True).fit(X, y)
    values, weights = model.predict(X), model.coef_.copy()
    assert model.sparsify().coef_.nnz == 2
    np.testing.assert_array_equal(model.predict(X), values)
    assert model.fit(X, y).coef_.shape == (6,)  # a warm start, and an array again
    np.testing.assert_array_equal(model.sparsify().sparsify().densify().coef_, weights)


def test_copies_have_the_same_parameters():
    model = LinearBandedSVR(2.0, 0.5, (0.0, 0.1), loss=LOSSES[1], solver="cd", tol=1e-3)
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C1": -1.0}, "C1 must be at least 0"),
        ({"C1": 0.0, "C2": 0.0}, "C1 must be greater than 0 if C2 is 0"),
        ({"C1": np.inf}, "C1 must be finite"),
        ({"epsilon": -0.1}, "epsilon must be at least 0"),
        ({"loss": "hinge"}, "loss must be 'epsilon_insensitive' or 'squared_epsilon_insensitive'"),
        ({"solver": "smo"}, "solver must be one of 'auto', 'newton'"),
        ({"store_multipliers": 1}, "store_multipliers must be a bool"),
        ({"tol": 0.0}, "tol must be greater than 0"),
    ],
    ids=str,
)
def test_bad_parameters_are_refused(parameters, message):
    X, y = noisy_curve(20)
    with pytest.raises((ValueError, TypeError), match=message):
        LinearBandedSVR(**parameters).fit(X, y)


def test_bad_targets_are_refused():
    X, y = noisy_curve(20)
    with pytest.raises(TypeError, match="y must hold numbers, got 'a'"):
        LinearBandedSVR().fit(X, np.where(y > 0, "a", "b"))
    with pytest.raises(ValueError, match="y must hold at least one finite end"):
        LinearBandedSVR().fit(X, np.full((20, 2), [-np.inf, np.inf]))
    with pytest.raises(ValueError, match="y must hold numbers, not intervals"):
        LinearBandedSVR().fit(X, y).score(X, np.column_stack([y, y]))
    with pytest.raises(TypeError, match=r"LinearSVR\(C=c\) is LinearBandedSVR\(C1=c, C2=c\)"):
        LinearBandedSVR(C=1.0)
    with pytest.raises(ValueError, match="must be finite in units of the spread of y"):
        LinearBandedSVR(C1=1e300).fit(X, 1e-100 * y)
