"""BandedSVR against SVR, QP solvers and normal equations, on random problems of any size."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import SVR

from bandsvm import BandedSVR
from tests.helpers.regression import assert_solves, drawn, kernel_matrix, noisy_curve, written

TIGHT = 1e-9


@pytest.mark.parametrize("first", range(0, 200, 20))
def test_equal_costs_are_svr(first):
    """The same decision values as SVR for 200 random problems."""
    for seed in range(first, first + 20):
        rng, X, y, weights, kernel = drawn(seed)
        spread = float(y.std()) or 1.0
        C, epsilon = spread * 10.0 ** rng.uniform(-2, 1), spread * rng.choice([0.0, 0.1, 0.5])
        # SVR keeps kernel values in float32, and takes no weights of 0 with a kernel matrix.
        K = kernel_matrix(X, kernel).astype(np.float32).astype(np.float64)
        w = np.ones(len(y)) if weights is None else weights
        kept = np.flatnonzero(w)
        settings = {"epsilon": epsilon, "kernel": "precomputed"}
        ours = BandedSVR(C1=C, C2=C, tol=TIGHT, **settings).fit(K, y, weights)
        theirs = SVR(C=C, tol=TIGHT * spread, **settings)
        theirs.fit(K[np.ix_(kept, kept)], y[kept], w[kept])
        assert ours.certificate_.is_optimal, seed
        apart = ours.predict(K) - theirs.predict(K[:, kept])
        # Without a coefficient strictly inside its bounds the intercept is not unique.
        if np.ptp(ours.certificate_.intercept_interval) > 1e-6 * spread:
            apart -= apart.mean()
        assert np.abs(apart).max() <= 1e-5 * spread, seed


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid"])
@pytest.mark.parametrize("store", [np.asarray, sp.csr_array])
def test_kernels_gamma_and_weights_as_in_svr(kernel, store, rng):
    X, y = noisy_curve(150)
    weights = rng.uniform(0.0, 2.0, size=150)
    settings = {"kernel": kernel, "coef0": 0.5, "gamma": "scale" if kernel != "sigmoid" else 0.01}
    ours = BandedSVR(tol=1e-8, **settings).fit(store(X), y, weights)
    # SVR's "scale" does not know the weights.
    theirs = SVR(tol=1e-8, **(settings | {"gamma": ours.gamma_ if kernel != "linear" else 1.0}))
    theirs.fit(store(X), y, weights)
    np.testing.assert_allclose(ours.predict(store(X)), theirs.predict(store(X)), atol=3e-5)


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_unequal_costs_and_tubes_are_what_a_qp_solver_finds(first):
    for seed in range(first, first + 20):
        rng, X, y, weights, kernel = drawn(seed, max_samples=60)
        spread = float(y.std()) or 1.0
        C1, C2 = spread * 10.0 ** rng.uniform(-1, 1, size=2)
        epsilon = tuple(spread * rng.choice([0.0, 0.1, 0.4], size=2))
        w = np.ones(len(y)) if weights is None else weights
        is_free = bool(rng.random() < 0.7)
        model = BandedSVR(
            C1=C1, C2=C2, epsilon=epsilon, fit_intercept=is_free, tol=TIGHT, **kernel
        ).fit(X, y, weights)
        problem = written(y - epsilon[0], y + epsilon[1], C1 * w, C2 * w, is_free)
        assert_solves(model, X, y, weights, problem, kernel)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("first", range(0, 40, 20))
def test_intervals_are_what_a_qp_solver_finds(first, loss):
    for seed in range(first, first + 20):
        rng, X, y, weights, kernel = drawn(seed, max_samples=60)
        spread = float(y.std()) or 1.0
        widths = spread * rng.exponential(size=(2, len(y))) * (rng.random((2, len(y))) < 0.7)
        ends = np.column_stack([y - widths[0], y + widths[1]])
        kinds = rng.integers(0, 4, size=len(y))
        ends[kinds == 1, 0], ends[kinds == 2, 1] = -np.inf, np.inf
        w = np.ones(len(y)) if weights is None else weights
        is_squared = loss.startswith("squared")
        C1, C2 = (1.0 if is_squared else spread) * 10.0 ** rng.uniform(-1, 1, size=2)
        model = BandedSVR(C1=C1, C2=C2, epsilon=0.0, loss=loss, tol=TIGHT, **kernel)
        if not (np.isfinite(ends[w > 0]).any()):
            continue
        model.fit(X, ends, weights)
        assert model.certificate_.is_optimal, seed
        assert np.isfinite(model.predict(X)).all()
        name = "squared_hinge" if is_squared else "hinge"
        problem = written(*ends.T, C1 * w, C2 * w, loss=name)
        assert_solves(model, X, y, weights, problem, kernel)


@pytest.mark.parametrize("epsilon", [0.0, (0.1, 0.3)])
def test_squared_losses_are_what_a_qp_solver_finds(epsilon):
    kernel = {"kernel": "rbf", "gamma": 1.0, "coef0": 0.0, "degree": 3}
    X, y = noisy_curve(60)
    below, above = epsilon if isinstance(epsilon, tuple) else (epsilon, epsilon)
    model = BandedSVR(
        C1=3.0, C2=0.7, epsilon=epsilon, loss="squared_epsilon_insensitive", tol=TIGHT, **kernel
    ).fit(X, y)
    ones = np.ones(60)
    problem = written(y - below, y + above, 3.0 * ones, 0.7 * ones, loss="squared_hinge")
    assert_solves(model, X, y, None, problem, kernel)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_squares_of_all_distances_are_normal_equations(kernel, fit_intercept, rng):
    """LS-SVM: (K + W / 2C) c + b = y with sum c = 0, which is kernel ridge with an intercept."""
    X, y = noisy_curve(80)
    y, weights = 1e4 * y + 3e5, rng.uniform(0.5, 2.0, size=80)
    settings = {"kernel": kernel, "gamma": 2.0, "coef0": 0.0, "degree": 3}
    model = BandedSVR(
        C1=4.0,
        C2=4.0,
        epsilon=0.0,
        loss="squared_epsilon_insensitive",
        fit_intercept=fit_intercept,
        tol=1e-10,
        **settings,
    ).fit(X, y, weights)
    system = np.zeros((81, 81))
    system[:80, :80] = kernel_matrix(X, settings) + np.diag(0.5 / (4.0 * weights))
    system[:80, 80] = system[80, :80] = float(fit_intercept)
    system[80, 80] = not fit_intercept
    solution = np.linalg.solve(system, np.append(y, 0.0))
    expected = kernel_matrix(X, settings) @ solution[:80] + solution[80]
    np.testing.assert_allclose(model.predict(X), expected, atol=1e-7 * 1e4, rtol=1e-10)


def test_expectiles_balance_what_lies_above_and_below():
    """Where the intercept is optimal, C1 times the distances above equals C2 times those below."""
    X, y = noisy_curve(200)
    model = BandedSVR(
        C1=0.9, C2=0.1, epsilon=0.0, loss="squared_epsilon_insensitive", tol=1e-10
    ).fit(X, y)
    missed = y - model.predict(X)
    above, below = missed[missed > 0].sum(), -missed[missed < 0].sum()
    assert 0.9 * above == pytest.approx(0.1 * below, rel=1e-6)
