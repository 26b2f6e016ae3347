"""Single precision is used only where its rounding errors are known to be small."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from bandsvm import BandedSVC
from bandsvm._certificate import certify
from bandsvm._fitting import kernel_run
from bandsvm._fitting.kernel_run import closer_aim
from bandsvm._kernels import prediction
from bandsvm._kernels.distances import Rbf
from bandsvm._kernels.packed import PackedRows
from bandsvm._kernels.precision import error_of_rows
from bandsvm._kernels.precomputed import PrecomputedRows
from bandsvm._kernels.prediction import PackedProduct
from bandsvm._problem import Solution, Status
from bandsvm._problem.band_problem import band_problem
from tests.helpers.problems import random_spread

# What `decision_function` promises at the default tol.
PROMISED = 1e-3
# A value in float32 is rounded once more.
ROUNDED = 1.001


def clusters(spread, n_samples=1500, n_features=5, seed=0):
    """Return samples around thirty centres, of which each has both classes."""
    rng = np.random.default_rng(seed)
    centres = rng.uniform(-spread, spread, size=(30, n_features))
    which = rng.integers(0, 30, size=n_samples)
    noise = rng.normal(size=(n_samples, n_features))
    flipped = rng.integers(0, 2, size=30)[which]
    y = (noise[:, 0] + 0.5 * rng.normal(size=n_samples) > 0).astype(int) ^ flipped
    return (centres[which] + noise).astype(np.float32), y


def disagreement(model, X):
    """Return the largest difference between decision values of X in float32 and in float64."""
    single, double = model.decision_function(X), model.decision_function(X.astype(np.float64))
    assert single.dtype == np.float32
    assert double.dtype == np.float64
    return float(np.max(np.abs(single - double) - 1e-7 * np.abs(double)))


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("spread", [30, 300, 3000])
def test_predictions_far_from_each_other_keep_their_digits(spread, storage):
    X, y = clusters(spread)
    X = storage(X)
    model = BandedSVC(gamma=0.25).fit(X, y)
    assert disagreement(model, X) <= ROUNDED * PROMISED


def check_random_problem(seed):
    X, y, model = random_spread(seed)
    model.fit(X, y)
    assert disagreement(model, X) <= ROUNDED * PROMISED


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("seed", range(3))
def test_predictions_of_random_problems_keep_their_digits(seed):
    check_random_problem(seed)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("seed", range(3, 520))
def test_predictions_of_many_random_problems_keep_their_digits(seed):
    check_random_problem(seed)


def test_sharper_models_predict_more_sharply(rng):
    X = rng.normal(size=(1200, 3)).astype(np.float32)
    y = (X[:, 0] > 0).astype(int)
    assert disagreement(BandedSVC(tol=1e-6).fit(X, y), X) <= ROUNDED * 1e-6


class NotedProduct(PackedProduct):
    """A product that notes how many samples it computes in double precision."""

    n_exact = ()

    def exact(self, A):
        self.n_exact = (*self.n_exact, len(A))
        return super().exact(A)


def test_only_samples_that_need_it_are_computed_in_double(rng):
    near, far = rng.normal(size=(500, 3)), 1e4 * rng.normal(size=(5, 3))
    A = np.concatenate([near, far]).astype(np.float32)
    # Far away there is something, too, or decision values there would be zero and exact.
    B = np.concatenate([rng.normal(size=(100, 3)), far + 0.1])
    product = NotedProduct(Rbf(0.3), B, rng.normal(size=(105, 1)), 1)
    expected = product.exact(A)
    np.testing.assert_allclose(product.within(A, 1e-4), expected, atol=1e-4)
    assert product.n_exact == (505, 5)


def test_a_product_that_is_off_makes_all_of_them_double(rng, monkeypatch):
    A, B = rng.normal(size=(300, 3)).astype(np.float32), rng.normal(size=(100, 3))
    product = PackedProduct(Rbf(0.3), B, rng.normal(size=(100, 1)), 1)
    expected, multiply = product.exact(A), product._multiply
    monkeypatch.setattr(prediction, "ROWS_PER_CHECK", 100)
    monkeypatch.setattr(
        product,
        "_multiply",
        lambda left, dtype: multiply(left, dtype) + 0.1 * (dtype is np.float32),
    )
    np.testing.assert_array_equal(product.within(A, 1e-4), expected)


def certified(uncertainty, violation=5e-4, status=Status.CONVERGED):
    """Return a certificate to tol 1e-3."""
    problem = band_problem(np.array([1.0, -1.0]), 1.0, 1.5, 1.0, 1.0)
    solution = Solution(np.zeros(2), np.zeros(2), status, 1, 1, 1, 0.0)
    exact = certify(problem, PrecomputedRows(np.eye(2)), solution, 0.0, 1e-3)
    return replace(exact, uncertainty=uncertainty, kkt_violation=violation)


def test_how_close_a_fit_must_come():
    aim = closer_aim(certified(6e-4))
    assert certified(6e-4, violation=aim).is_optimal
    assert not certified(6e-4, violation=1.2 * aim).is_optimal
    # Decision values were corrected, and now the violation shows.
    assert closer_aim(certified(0.0, violation=1.2e-3)) == pytest.approx(9e-4)
    # Rounding errors leave nothing, or too little.
    assert closer_aim(certified(1.2e-3)) is None
    assert closer_aim(certified(9.8e-4)) is None
    # The solver is there already.
    assert closer_aim(certified(1e-5)) is None
    # The solver did not even come as close as it was told.
    assert closer_aim(certified(6e-4, status=Status.NO_PROGRESS)) is None


@pytest.mark.heavy
def test_fits_come_closer_before_they_turn_to_double_precision(monkeypatch, rng):
    X = rng.normal(size=(1200, 4))
    y = X[:, 0] + rng.normal(size=1200) > 0
    sharpened = []
    sharper = PackedRows.more_precise
    monkeypatch.setattr(
        PackedRows, "more_precise", lambda rows: sharpened.append(rows) or sharper(rows)
    )

    def n_sharpened():
        sharpened.clear()
        for tol in np.geomspace(1e-4, 1e-3, 12):
            model = BandedSVC(C1=20.0, C2=20.0, rho2=1.5, gamma=0.3, tol=tol).fit(X, y)
            assert model.certificate_.is_optimal
            assert model.certify(X, y).is_optimal
        return len(sharpened)

    number = n_sharpened()
    monkeypatch.setattr(kernel_run, "MIN_AIM", np.inf)
    assert number < n_sharpened() <= 12


def test_errors_with_the_largest_gamma_are_estimated(rng):
    X = 1e-160 * rng.normal(size=(50, 4))
    X[0] *= 1e6
    kernel = Rbf(1.7e308)
    for origin in (None, np.zeros(4)):
        assert error_of_rows(kernel, X, origin, 1.0) >= 0.0
