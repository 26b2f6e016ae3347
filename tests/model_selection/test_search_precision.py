"""Scores of searches do not suffer from kernel rows of single precision."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import make_scorer
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

from bandsvm import BandedSVC, BandedSVCCV
from bandsvm._certificate import checked_gradient
from bandsvm._fitting.classification import CLASSIFICATION
from bandsvm._kernels import KernelSettings
from bandsvm._kernels import settings as settings_module
from bandsvm._kernels.packed import PackedRows
from bandsvm._problem import Status
from bandsvm._solvers import solve
from bandsvm.model_selection._shared import CheckedRows, Start
from tests.helpers.problems import random_spread

pytestmark = pytest.mark.filterwarnings("ignore:BandedSVCCV found its best:UserWarning")
GAMMA = 0.25


def clusters_far_apart(spread, seed=0):
    """Clusters whose samples lose most of their digits when they are measured from one point."""
    rng = np.random.default_rng(seed)
    centres = rng.uniform(-spread, spread, (30, 5))
    which = rng.integers(30, size=1500)
    samples = centres[which] + rng.normal(size=(1500, 5))
    is_noisy = samples[:, 0] - np.round(samples[:, 0]) > 0.3
    return samples, (which % 2) ^ is_noisy


@pytest.mark.heavy
@pytest.mark.parametrize("spread", [300.0, 3000.0])
def test_scores_far_from_the_origin_equal_those_of_svc(spread):
    samples, labels = clusters_far_apart(spread)
    search = BandedSVCCV(
        C1=[1.0, 10.0], gamma=GAMMA, C2=0.0, refine=0, give_up=False, refit=False
    ).fit(samples, labels)
    results = search.cv_results_
    for C, score in zip(results["param_C1"], results["mean_test_score"], strict=True):
        expected = cross_val_score(SVC(C=C, gamma=GAMMA), samples, labels, cv=5).mean()
        assert score == pytest.approx(expected, abs=1e-3)


def only_problem(model, labels):
    """Return the problem of a model and labels of two classes."""
    return CLASSIFICATION.training(model, labels, np.ones(len(labels))).problems[0]


def drift(problem, rows, solution):
    """Return the largest error of a solution's gradient."""
    return checked_gradient(problem, rows, solution, 1e-3, n_checks=None).drift


@pytest.fixture
def coarse():
    """A problem whose float32 rows are too coarse, and these rows."""
    samples, labels = clusters_far_apart(3000.0)
    model = BandedSVC(C1=10.0, C2=0.0, gamma=GAMMA)
    problem = only_problem(model, labels)
    kernel = KernelSettings("rbf", GAMMA, 0.0, 3)
    rows = PackedRows(kernel.function(), samples, None, 1, np.float32)
    return model, problem, rows


def test_double_precision_takes_over_where_single_does_not_suffice(coarse):
    model, problem, rows = coarse
    rough = solve(problem, rows, tol=model.tol)
    assert rough.status is Status.CONVERGED
    assert drift(problem, rows, rough) > model.tol
    checked = CheckedRows(rows, model)
    solution = checked.solve(None, problem, polished=False)
    assert not checked.rows.is_coarse
    assert solution.status is Status.CONVERGED
    assert drift(problem, rows, solution) < 1e-6
    assert solution.n_iter > rough.n_iter
    sharp = checked.rows
    checked.solve(Start(solution.c, solution.f), problem, polished=False)
    assert checked.rows is sharp


def test_single_precision_stays_where_it_suffices():
    samples, labels = make_classification(1500, flip_y=0.1, random_state=0)
    model = BandedSVC()
    problem = only_problem(model, labels)
    kernel = KernelSettings("rbf", 0.05, 0.0, 3)
    rows = kernel.rows(samples, largest_rounding=model.tol)
    assert rows.is_coarse
    checked = CheckedRows(rows, model)
    solution = checked.solve(None, problem, polished=False)
    assert checked.rows is rows
    # A gradient that is off, and not by the rows' fault, is recomputed.
    again = checked.solve(Start(solution.c, solution.f + 0.01), problem, polished=False)
    assert checked.rows is rows
    assert drift(problem, rows, again) <= model.tol


def test_scores_that_cannot_be_trusted_are_counted(monkeypatch):
    samples, labels = make_classification(120, random_state=0)
    monkeypatch.setattr(CheckedRows, "_is_accurate", lambda *_: False)
    with pytest.warns(ConvergenceWarning, match="5 fits did not reach tol"):
        BandedSVCCV(C1=1.0, gamma=0.1, C2=0.0, refine=0, refit=False).fit(samples, labels)


@pytest.mark.slow
def test_candidates_whose_decision_values_overflow_have_no_score():
    samples, labels = make_classification(1100, 4, random_state=0)
    search = BandedSVCCV(
        C1=[1.0, 1e300], kernel="linear", C2=0.0, refine=0, refit=False, give_up=False, max_iter=50
    )
    with pytest.warns(ConvergenceWarning, match="fits did not reach tol"):
        search.fit(1e10 * samples, labels)
    assert search.best_params_["C1"] == 1.0
    assert np.isfinite(search.best_score_)


def variance_in_feature_space(X, kernel, gamma):
    """Return the mean squared distance of samples from their mean, as the kernel sees them."""
    X = X.toarray() if sp.issparse(X) else X
    few = X[:: len(X) // 200].astype(np.float64)
    if gamma == "scale":
        gamma = 1.0 / (X.shape[1] * (X.astype(np.float64).var() or 1.0))
    K = pairwise_kernels(few, metric=kernel, filter_params=True, gamma=gamma, coef0=0.0)
    return abs(np.diag(K).mean() - K.mean()) or 1.0


def mean_clipped_margin(y, decision):
    """Return a score that differs by as little as the decision values do, unlike accuracy."""
    return float(np.mean(np.where(y > 0, 1.0, -1.0) * np.clip(decision, -2.0, 2.0)))


def check_random_search(seed, monkeypatch):
    """Compare scores with those of a search that has all its kernel rows in double precision.

    With `tol` so small both have the same solutions: what differs is precision. No sigmoid, which
    has many solutions. The cost is one that can be solved for, whatever the scale of the samples.
    """
    X, y, model = random_spread(seed, kernels=("rbf", "rbf", "linear", "poly"))
    cost = model.C1 / variance_in_feature_space(X, model.kernel, model.gamma)
    search = BandedSVCCV(
        C1=[cost / 10.0, cost],
        C2=cost / 3.0,
        rho2=1.5,
        gamma=model.gamma,
        kernel=model.kernel,
        refine=0,
        cv=2,
        refit=False,
        give_up=False,
        tol=1e-5,
        scoring=make_scorer(mean_clipped_margin, response_method="decision_function"),
    )
    scores = search.fit(X, y).cv_results_["mean_test_score"]
    monkeypatch.setattr(settings_module, "error_of_rows", lambda *_: np.inf)
    in_double = search.fit(X, y).cv_results_["mean_test_score"]
    np.testing.assert_allclose(scores, in_double, rtol=0.0, atol=1e-4)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("seed", range(10))
def test_scores_of_random_searches_keep_their_digits(seed, monkeypatch):
    check_random_search(seed, monkeypatch)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("seed", range(10, 510))
def test_scores_of_many_random_searches_keep_their_digits(seed, monkeypatch):
    check_random_search(seed, monkeypatch)
