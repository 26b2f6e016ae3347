"""docs/family.md is true: every line of its second table against a solver that knows no tubes."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.svm import SVR, LinearSVR

from bandsvm import BandedQuantileSVR, BandedSVR
from tests.helpers.family import by_qp, family_cases, family_table, features_of

PARAMETERS = ("loss", "C1", "C2", "epsilon", "fit_intercept")
N_SAMPLES = 60
# Values for the letters of the table.
LETTERS = {
    **{"C": 0.8, "tau": 0.4, "eps": 0.3, "gamma": 3.0, "alpha": 0.7, "q": 0.8, "p": 0.7},
    **{"C1": 0.9, "C2": 0.6},
}
MODELS = family_table("regression", PARAMETERS)
CASES = family_cases(MODELS)
# Reweighted least squares end when weights no longer change.
MAX_STEPS = 200


def by_slacks(K, y, has_intercept, below, above):
    """Minimise |w|^2 / 2 plus the costs of (cost, power, edge): too low, and too high."""
    ones = np.ones(len(y))
    (C1, power, lo), (C2, _, hi) = below, above
    return by_qp(
        K, ones, has_intercept, (C1, power, (0, 0), (-1, lo)), (C2, power, (0, 0), (1, -hi))
    )


def svr(K, y, has_intercept, *, C, eps, **_):
    if not has_intercept:
        return by_slacks(K, y, False, (C, 1, y - eps), (C, 1, y + eps))
    return SVR(C=C, epsilon=eps, kernel="precomputed", tol=1e-10).fit(K, y).predict(K)


def l2_svr(K, y, has_intercept, *, C, eps, **_):
    if has_intercept:  # LinearSVR shrinks its intercept
        return by_slacks(K, y, True, (C, 2, y - eps), (C, 2, y + eps))
    squared = {"loss": "squared_epsilon_insensitive", "dual": False, "fit_intercept": False}
    features = features_of(K)
    model = LinearSVR(C=C, epsilon=eps, tol=1e-12, max_iter=100_000, **squared)
    return model.fit(features, y).predict(features)


def least_absolute_deviations(K, y, has_intercept, *, C, **_):
    return by_slacks(K, y, has_intercept, (C, 1, y), (C, 1, y))


def weighted_ridge(K, y, has_intercept, weights):
    """Minimise |w|^2 / 2 + sum weights (y - g)^2 by its normal equations."""
    features = features_of(K)
    Z = np.column_stack([features, np.ones(len(y))]) if has_intercept else features
    penalty = np.ones(Z.shape[1])
    if has_intercept:
        penalty[-1] = 0.0
    return Z @ np.linalg.solve(
        2.0 * Z.T * weights @ Z + np.diag(penalty), 2.0 * Z.T @ (weights * y)
    )


def ls_svm(K, y, has_intercept, *, gamma, **_):
    """Solve (0, 1'; 1, K + I / gamma) (b; a) = (0; y)."""
    system = K + np.identity(len(y)) / gamma
    if not has_intercept:
        return K @ np.linalg.solve(system, y)
    ones = np.ones((len(y), 1))
    bordered = np.block([[np.zeros((1, 1)), ones.T], [ones, system]])
    b, *a = np.linalg.solve(bordered, np.concatenate([[0.0], y]))
    return K @ a + b


def ridge_with_intercept(K, y, has_intercept, *, alpha, **_):
    features = features_of(K)
    return Ridge(alpha=alpha).fit(features, y).predict(features)


def kernel_ridge(K, y, has_intercept, *, alpha, **_):
    return KernelRidge(alpha=alpha, kernel="precomputed").fit(K, y).predict(K)


def quantile(K, y, has_intercept, *, C, q, **_):
    return by_slacks(K, y, has_intercept, (q * C, 1, y), ((1 - q) * C, 1, y))


def expectile(K, y, has_intercept, *, C, p, **_):
    """Repeat least squares whose weights are those of the side on which the last ones missed."""
    weights = np.full(len(y), C)
    for _step in range(MAX_STEPS):
        found = weighted_ridge(K, y, has_intercept, weights)
        now = np.where(found < y, p * C, (1 - p) * C)
        if (now == weights).all():
            return found
        weights = now
    raise AssertionError("weights still change")


def asymmetric_tube(K, y, has_intercept, *, C1, C2, eps, tau, **_):
    return by_slacks(K, y, has_intercept, (C1, 1, y - eps), (C2, 1, y + tau))


def intervals(K, y, has_intercept, *, C, power=1, **_):
    """Distances from intervals; an open end costs nothing, whatever its place."""
    lower, upper = y.T
    has_lower, has_upper = np.isfinite(lower), np.isfinite(upper)
    below = C * has_lower, power, np.where(has_lower, lower, 0.0)
    above = C * has_upper, power, np.where(has_upper, upper, 0.0)
    return by_slacks(K, y, has_intercept, below, above)


def squared_intervals(K, y, has_intercept, **letters):
    return intervals(K, y, has_intercept, power=2, **letters)


ORACLES = {
    "epsilon-SVR": svr,
    "L2-SVR": l2_svr,
    "least absolute deviations": least_absolute_deviations,
    "LS-SVM regression": ls_svm,
    "kernel ridge regression with intercept": ridge_with_intercept,
    "kernel ridge regression": kernel_ridge,
    "quantile regression": quantile,
    "expectile regression": expectile,
    "asymmetric tube": asymmetric_tube,
    "interval-censored regression": intervals,
    "interval-censored least squares": squared_intervals,
}


def test_every_line_has_an_oracle():
    assert set(MODELS) == set(ORACLES)


def problem(rng, kernel, is_censored):
    """Return a kernel matrix and targets; or intervals, some of which have an open end."""
    X = np.round(8 * rng.normal(size=(N_SAMPLES, 3))) / 8  # exact in the float32 of LIBSVM's rows
    y = 3.0 * X[:, 0] + np.sin(X[:, 1]) + rng.normal(size=N_SAMPLES) + 5.0
    K = X @ X.T
    if kernel == "rbf":
        K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(-1)).astype(np.float32).astype(float)
    if not is_censored:
        return K, y
    ends = np.column_stack([y - rng.uniform(0.0, 1.0, N_SAMPLES), y])
    ends[::4, 0], ends[1::4, 1] = -np.inf, np.inf
    return K, ends


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize(
    ("model", "has_intercept"),
    CASES,
    ids=[f"{model}, {'with' if b else 'no'} intercept" for model, b in CASES],
)
def test_numbers_of_the_table_make_the_model(rng, model, has_intercept, kernel):
    K, y = problem(rng, kernel, "interval" in model)
    cells = MODELS[model]
    numbers = {name: eval(cells[name], {}, LETTERS) for name in ("C1", "C2", "epsilon")}
    settings = {"loss": cells["loss"], "fit_intercept": has_intercept, "tol": 1e-9}
    ours = BandedSVR(**numbers, **settings, kernel="precomputed").fit(K, y)
    theirs = ORACLES[model](K, y, has_intercept, **LETTERS)
    np.testing.assert_allclose(ours.predict(K), theirs, atol=1e-5)


@pytest.mark.parametrize("has_intercept", [True, False])
def test_quantile_regression_has_an_estimator_of_its_own(rng, has_intercept):
    K, y = problem(rng, "rbf", False)
    settings = {"kernel": "precomputed", "fit_intercept": has_intercept, "tol": 1e-9}
    C, q = LETTERS["C"], LETTERS["q"]
    model = BandedQuantileSVR(q, C=C, **settings).fit(K, y)
    expected = BandedSVR(q * C, (1 - q) * C, 0.0, **settings).fit(K, y).predict(K)
    np.testing.assert_allclose(model.predict(K), expected, atol=1e-9)
    if has_intercept:
        assert np.mean(y < model.predict(K) - 1e-6) <= q <= np.mean(y <= model.predict(K) + 1e-6)


def test_special_cases_that_the_page_names(rng):
    """Median regression at half the cost, expectiles in the middle, intervals of equal width."""
    K, y = problem(rng, "rbf", False)
    settings = {"kernel": "precomputed", "tol": 1e-9}
    squares = {"loss": "squared_epsilon_insensitive", **settings}
    median = BandedQuantileSVR(0.5, C=2.0, **settings).fit(K, y)
    absolute = BandedSVR(1.0, 1.0, 0.0, **settings).fit(K, y)
    np.testing.assert_allclose(median.predict(K), absolute.predict(K), atol=1e-6)
    ls = ls_svm(K, y, True, gamma=0.8)
    middle = BandedSVR(0.5 * 0.8, 0.5 * 0.8, 0.0, **squares).fit(K, y)
    np.testing.assert_allclose(middle.predict(K), ls, atol=1e-6)
    tube = BandedSVR(1.0, 1.0, 0.3, **settings).fit(K, y)
    ends = np.column_stack([y - 0.3, y + 0.3])
    as_intervals = BandedSVR(1.0, 1.0, 0.0, **settings).fit(K, ends)
    np.testing.assert_allclose(tube.predict(K), as_intervals.predict(K), atol=1e-6)
    shifted = BandedSVR(0.4, 0.4, 0.0, **squares).fit(K, y + 100.0)
    np.testing.assert_allclose(shifted.predict(K) - 100.0, middle.predict(K), atol=1e-6)
