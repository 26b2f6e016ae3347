"""The linear kernel without kernel rows: the same problems, solutions and certificates."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_classification
from sklearn.svm import LinearSVC

from bandsvm._certificate import certify, choose_intercept
from bandsvm._defaults import LOSSES
from bandsvm._kernels import LinearOperator, PrecomputedRows
from bandsvm._problem import Solution, Status
from bandsvm._problem.band_problem import band_problem
from bandsvm._solvers import solve


@pytest.fixture(params=[np.asarray, sp.csr_array], ids=["dense", "csr"])
def samples(request):
    X, y = make_classification(1500, 12, flip_y=0.1, random_state=0)
    X[np.abs(X) < 0.5] = 0.0
    return request.param(X), X @ X.T, np.where(y > 0, 1.0, -1.0)


def test_products_are_those_of_the_matrix(samples, rng):
    X, K, _ = samples
    operator, some = LinearOperator(X), rng.permutation(1500)[:40]
    values = rng.normal(size=40)
    np.testing.assert_allclose(operator.product(some, values), K[:, some] @ values)
    np.testing.assert_allclose(operator.block(some), K[np.ix_(some, some)])
    np.testing.assert_allclose(operator.diagonal(), np.diag(K))
    few = np.arange(0, 1500, 100)
    expected = K[np.ix_(few, some)] @ values
    np.testing.assert_allclose(operator.exact_product(few, some, values), expected)
    np.testing.assert_allclose(operator.part(few).block(np.arange(15)), K[np.ix_(few, few)])


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("has_intercept", [True, False])
def test_solutions_are_those_of_kernel_rows(samples, loss, has_intercept):
    X, K, signs = samples
    problem = band_problem(signs, 1.0, 1.5, 0.1, 0.1, has_intercept=has_intercept, loss=loss)
    seen = []
    solution = solve(problem, LinearOperator(X), tol=1e-7, callback=seen.append)
    expected = solve(problem, PrecomputedRows(K), tol=1e-7)
    assert solution.status is Status.CONVERGED
    assert solution.n_kernel_rows == 0
    assert len(seen) == solution.n_iter + 1
    np.testing.assert_allclose(solution.f - solution.f[0], expected.f - expected.f[0], atol=1e-5)
    intercept = choose_intercept(problem, solution.c, solution.f)
    assert certify(problem, LinearOperator(X), solution, intercept, 1e-7).is_optimal


def test_a_model_that_was_solved_elsewhere_is_certified(samples):
    """LIBLINEAR returns weights; the dual coefficients follow from the margins of its samples."""
    X, _, signs = samples
    C = 0.01
    weights = LinearSVC(C=C, loss="squared_hinge", fit_intercept=False, tol=1e-8, max_iter=10**6)
    decision = weights.fit(X, signs).decision_function(X)
    problem = band_problem(signs, 1.0, 1e6, C, 0.0, has_intercept=False, loss="squared_hinge")
    c = signs * 2.0 * C * np.maximum(1.0 - signs * decision, 0.0)
    operator = LinearOperator(X)
    support = np.flatnonzero(c)
    f = operator.product(support, c[support])
    solution = Solution(c, f, Status.CONVERGED, 0, 0, 0, 0.0)
    assert certify(problem, operator, solution, 0.0, 1e-3, n_checks=None).is_optimal
    worse = Solution(1.01 * c, 1.01 * f, Status.CONVERGED, 0, 0, 0, 0.0)
    assert not certify(problem, operator, worse, 0.0, 1e-3, n_checks=None).is_optimal
