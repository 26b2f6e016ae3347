"""BandedSVCCV: the same scores as scikit-learn's search, found in less time."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    make_classification,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedSVC, BandedSVCCV
from bandsvm.model_selection import leave_one_out_bound
from bandsvm.model_selection._bands import BandCandidate
from bandsvm.model_selection._folds import is_hopeless
from bandsvm.model_selection._grid import around, best_of, snake
from bandsvm.model_selection._reporting import SearchObserver
from bandsvm.model_selection._score_pool import MAX_TOGETHER
from bandsvm.model_selection._searching import fit_search

X, Y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
pytestmark = pytest.mark.filterwarnings("ignore:BandedSVCCV found its best:UserWarning")
IRIS = load_iris(return_X_y=True)
SMALL = {"C1": [0.1, 1.0, 10.0], "gamma": [0.01, 0.03, 0.1], "refine": 0}


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("scoring", "class_weight", "loss"),
    [
        (None, None, "hinge"),
        ("roc_auc", None, "hinge"),
        ("f1", "balanced", "hinge"),
        (None, None, "squared_hinge"),
    ],
)
def test_same_scores_as_grid_search(scoring, class_weight, loss):
    search = BandedSVCCV(
        **SMALL, C2=[0.1, 1.0], rho2=[1.5], search="full", give_up=False, scoring=scoring,
        class_weight=class_weight, loss=loss,
    ).fit(X, Y)  # fmt: skip
    grid = {"C1": SMALL["C1"], "gamma": SMALL["gamma"], "C2": [0.0, 0.1, 1.0]}
    model = BandedSVC(rho2=1.5, class_weight=class_weight, loss=loss)
    other = GridSearchCV(model, grid, cv=5, scoring=scoring).fit(X, Y)
    assert len(search.cv_results_["params"]) == len(other.cv_results_["params"])
    expected = {
        tuple(params[name] for name in ("C1", "gamma", "C2")): score
        for params, score in zip(
            other.cv_results_["params"], other.cv_results_["mean_test_score"], strict=True
        )
    }
    scores = search.cv_results_["mean_test_score"]
    for params, score in zip(search.cv_results_["params"], scores, strict=True):
        key = tuple(params[name] for name in ("C1", "gamma", "C2"))
        # At tol=1e-3 a sample in 569 may change sides.
        assert score == pytest.approx(expected[key], abs=2.5e-3)
    assert search.best_score_ == scores.max()


def test_bands_of_the_default_grid():
    """A closed band is a candidate; C-SVMs have a band of some width, for band_position."""
    search = BandedSVCCV(C1=[1.0], gamma=[0.1], refine=0, rho1=2.0, refit=False).fit(*IRIS)
    tried = {(params["C2"], params["rho2"]) for params in search.cv_results_["params"]}
    bands = {(C2, rho2) for C2 in (0.03, 0.1, 0.3, 1.0) for rho2 in (2.0, 3.0, 4.0, 6.0)}
    assert tried == {(0.0, 6.0), *bands}


@pytest.mark.heavy
def test_a_closed_band_can_be_chosen():
    """Many classes: a closed band scores highest in the folds."""
    X, y = load_digits(return_X_y=True)
    samples = StandardScaler().fit_transform(X)[:300]
    search = BandedSVCCV(C1=[100.0], gamma="scale", refine=0, cv=3).fit(samples, y[:300])
    assert search.best_params_["rho2"] == 1.0
    assert search.best_params_["C2"] > 0.0
    assert search.certificate_.is_optimal


@pytest.mark.heavy
def test_three_classes_like_grid_search():
    search = BandedSVCCV(C1=[1.0, 10.0], gamma=[0.1, 1.0], give_up=False, refine=0).fit(*IRIS)
    grid = {"C1": [1.0, 10.0], "gamma": [0.1, 1.0]}
    other = GridSearchCV(BandedSVC(C2=0.0), grid, cv=5).fit(*IRIS)
    scores = {
        (p["C1"], p["gamma"]): s
        for p, s in zip(
            search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
        )
        if p["C2"] == 0.0
    }
    for p, s in zip(other.cv_results_["params"], other.cv_results_["mean_test_score"], strict=True):
        assert scores[p["C1"], p["gamma"]] == pytest.approx(s, abs=1e-9)


def test_defaults_just_work():
    search = BandedSVCCV().fit(X, Y)
    assert search.best_score_ > 0.97
    assert search.score(X, Y) > 0.97
    assert search.best_estimator_.certificate_.is_optimal
    results = search.cv_results_
    n = len(results["params"])
    assert all(len(column) == n for column in results.values())
    assert results["rank_test_score"][search.best_index_] == 1
    assert search.best_params_ == results["params"][search.best_index_]
    without_band = results["mean_test_score"][results["param_C2"] == 0.0]
    assert search.best_score_ >= np.nanmax(without_band)


@pytest.mark.parametrize("seed", range(3))
def test_a_band_is_chosen_only_where_it_scores_higher(seed):
    samples, labels = make_classification(150, flip_y=0.1, random_state=seed)
    search = BandedSVCCV(cv=3, refit=False).fit(samples, labels)
    best, results = search.best_params_, search.cv_results_
    twin = (results["param_C2"] == 0.0) & (results["param_C1"] == best["C1"])
    twin &= results["param_gamma"] == best["gamma"]
    assert twin.any()
    if best["C2"] > 0.0:
        assert search.best_score_ > results["mean_test_score"][twin].max()


@pytest.mark.heavy
def test_candidates_that_are_given_up_were_hopeless():
    quick = BandedSVCCV(gamma=[0.01, 0.1, 10.0], refine=0).fit(X, Y)
    patient = BandedSVCCV(gamma=[0.01, 0.1, 10.0], refine=0, give_up=False).fit(X, Y)
    given_up = np.isnan(quick.cv_results_["mean_test_score"])
    assert given_up.any()
    assert not np.isnan(patient.cv_results_["mean_test_score"]).any()
    assert quick.best_params_ == patient.best_params_
    # Two folds were tried before.
    assert not np.isnan(quick.cv_results_["split1_test_score"]).any()
    assert np.isnan(quick.cv_results_["split4_test_score"][given_up]).all()


def test_hopeless_means_behind_in_every_fold_by_far():
    reference = np.array([0.9, 0.92])
    scores = np.array([[0.5, 0.5], [0.95, 0.5], [0.89, 0.91]])
    assert is_hopeless(scores, reference).tolist() == [True, False, False]


@pytest.mark.heavy
def test_answers_do_not_depend_on_threads():
    one, two = (BandedSVCCV(**SMALL, n_jobs=n).fit(X, Y) for n in (1, 2))
    assert one.best_params_ == two.best_params_
    np.testing.assert_array_equal(
        one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"]
    )


@pytest.mark.heavy
def test_an_observer_sees_every_score_as_it_comes():
    class Observed(SearchObserver):
        def __init__(self):
            self.seen, self.lines = [], []

        def line(self, text):
            self.lines.append(text)

        def scored(self, candidates, scores):
            self.seen.append((len(candidates), scores.copy()))

    observer = Observed()
    search = fit_search(BandedSVCCV(**SMALL), X, Y, observer)
    numbers = [number for number, _ in observer.seen]
    assert numbers == sorted(set(numbers))
    assert len(numbers) > 2
    folds = [search.cv_results_[f"split{k}_test_score"] for k in range(5)]
    np.testing.assert_array_equal(observer.seen[-1][1], np.column_stack(folds))
    assert any("fold 5 of 5" in line for line in observer.lines)
    assert search.best_params_ == BandedSVCCV(**SMALL).fit(X, Y).best_params_


def test_best_at_the_edge_is_said():
    with pytest.warns(UserWarning, match=r"best C1=0.1 at the edge .* higher values"):
        BandedSVCCV(C1=[0.001, 0.01, 0.1], gamma=0.03, refine=0).fit(X, Y)


def test_edge_is_not_said_where_all_are_equally_good():
    separable = np.repeat([[-5.0], [5.0]], 20, axis=0) + np.linspace(0, 1, 40)[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        BandedSVCCV(gamma=0.1).fit(separable, np.repeat([0, 1], 20))


def test_refinement_looks_half_way():
    search = BandedSVCCV(C1=[1.0, 100.0], gamma=0.03, C2=0.0, refine=1).fit(X, Y)
    assert 10.0 in search.cv_results_["param_C1"]


@pytest.mark.parametrize("kernel", ["linear", "precomputed", ["linear", "rbf"], "laplacian"])
def test_kernels(kernel):
    samples = X @ X.T if kernel == "precomputed" else X
    search = BandedSVCCV(C1=[0.01, 0.1], C2=[0.01], rho2=[2.0], kernel=kernel, refine=0)
    search.fit(samples, Y)
    assert search.best_score_ > 0.94
    tried = set(search.cv_results_["param_kernel"])
    assert tried == set(kernel if isinstance(kernel, list) else [kernel])
    if kernel in ("linear", "precomputed"):
        assert "gamma" not in search.best_params_


def test_sparse_weights_and_splits():
    weights = np.random.default_rng(0).integers(0, 3, len(Y)).astype(float)
    splits = list(GroupKFold(3).split(X, Y, groups=np.arange(len(Y)) % 7))
    options = {**SMALL, "cv": splits, "give_up": False, "C2": 0.0}
    dense = BandedSVCCV(**options).fit(X, Y, weights)
    sparse = BandedSVCCV(**options).fit(sp.csr_array(X), Y, weights)
    np.testing.assert_allclose(
        dense.cv_results_["mean_test_score"], sparse.cv_results_["mean_test_score"], atol=5e-3
    )
    assert dense.n_splits_ == 3
    train, test = splits[0]
    single = BandedSVC(C1=0.1, C2=0.0, gamma=0.01).fit(X[train], Y[train], weights[train])
    expected = single.score(X[test], Y[test], weights[test])
    row = next(
        k for k, p in enumerate(dense.cv_results_["params"]) if (p["C1"], p["gamma"]) == (0.1, 0.01)
    )
    assert dense.cv_results_["split0_test_score"][row] == pytest.approx(expected, abs=5e-3)


def test_without_refit_nothing_is_predicted():
    search = BandedSVCCV(C1=1.0, gamma=0.03, refit=False).fit(X, Y)
    assert search.best_score_ > 0.9
    with pytest.raises(AttributeError, match="refit=True"):
        search.predict(X)


@pytest.mark.heavy
def test_nested_cross_validation_in_a_pipeline():
    model = make_pipeline(StandardScaler(), BandedSVCCV(C1=[1.0, 10.0], gamma=[0.1, 0.3]))
    assert cross_val_score(model, *IRIS, cv=3).mean() > 0.9


def test_leave_one_out_bound_as_criterion():
    options = {"C1": [0.03, 0.1, 0.3], "gamma": [0.01, 0.03], "C2": 0.0, "refine": 0}
    search = BandedSVCCV(**options, criterion="loo_bound", fit_intercept=False).fit(X, Y)
    bound = leave_one_out_bound(search.best_estimator_, X, Y)
    assert search.best_score_ == pytest.approx(1.0 - bound.error, abs=0.02)
    assert search.n_splits_ == 1
    with pytest.raises(ValueError, match="without intercept"):
        BandedSVCCV(criterion="loo_bound").fit(X, Y)


def test_leave_one_out_bound_of_three_classes():
    search = BandedSVCCV(
        C1=[0.1, 1.0], gamma=[0.1, 0.3], criterion="loo_bound", fit_intercept=False, refine=0
    ).fit(*IRIS)
    bound = leave_one_out_bound(search.best_estimator_, *IRIS)
    assert search.best_score_ == pytest.approx(1.0 - bound.error, abs=0.02)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"C1": []}, ValueError, "C1 must hold at least one"),
        ({"C1": "many"}, TypeError, "C1 must be a number"),
        ({"C1": [-1.0]}, ValueError, "C1 must be greater than 0"),
        ({"rho2": [0.5]}, ValueError, "rho2 must not be less"),
        ({"gamma": [-1.0]}, ValueError, "gamma must be at least 0"),
        ({"search": "random"}, ValueError, "search must be"),
        ({"criterion": "aic"}, ValueError, "criterion must be"),
        ({"refine": -1}, ValueError, "refine must be"),
        ({"kernel": []}, ValueError, "at least one kernel"),
        ({"kernel": "cosine"}, ValueError, "kernel must be one of"),
        ({"tol": 0.0}, ValueError, "tol must be"),
    ],
)
def test_wrong_use(options, error, words):
    with pytest.raises(error, match=words):
        BandedSVCCV(**options).fit(X, Y)


@pytest.mark.heavy
def test_scores_of_many_candidates_do_not_depend_on_threads():
    samples, labels = make_classification(1200, flip_y=0.1, random_state=0)
    grid = {
        "C1": 1.0,
        "gamma": 0.05,
        "C2": np.geomspace(0.01, 1.0, 6),
        "rho2": [1.1, 1.3, 1.5, 2, 3],
    }
    options = {"cv": 2, "scoring": "roc_auc", "give_up": False, "refine": 0, "refit": False}
    one, two = (
        BandedSVCCV(**grid, **options, n_jobs=n).fit(samples, labels).cv_results_ for n in (1, 2)
    )
    assert len(one["params"]) > MAX_TOGETHER
    np.testing.assert_array_equal(one["mean_test_score"], two["mean_test_score"])


def test_unconverged_fits_are_counted():
    samples, labels = make_classification(1200, flip_y=0.3, random_state=0)
    with pytest.warns(ConvergenceWarning, match="fits did not reach tol"):
        BandedSVCCV(C1=[100.0], gamma=[0.05], C2=0.0, max_iter=1, refine=0, refit=False).fit(
            samples, labels
        )


def test_snake_walks_from_neighbour_to_neighbour():
    assert snake([1, 2], [3, 4, 5]) == [(1, 3), (1, 4), (1, 5), (2, 5), (2, 4), (2, 3)]


def test_half_way_is_geometric():
    assert around(10.0, [1.0, 10.0, 100.0]) == pytest.approx([10**0.5, 10**1.5])
    assert around(1.0, [1.0]) == []


def test_of_equally_good_candidates_the_simplest_is_chosen():
    candidates = [
        BandCandidate("rbf", 1.0, 10.0, 1.0, 1.5),
        BandCandidate("rbf", 1.0, 10.0, 0.0, 1.5),
        BandCandidate("rbf", 1.0, 1.0, 0.0, 1.5),
    ]
    assert best_of(np.array([0.9, 0.9, 0.9 - 1e-12]), candidates) == 2
    assert best_of(np.array([0.95, 0.9, np.nan]), candidates) == 0


def test_same_folds_as_scikit_learn():
    folds = StratifiedKFold(4, shuffle=True, random_state=3)
    search = BandedSVCCV(C1=1.0, gamma=0.03, C2=0.0, cv=folds, refine=0).fit(X, Y)
    expected = cross_val_score(BandedSVC(C2=0.0, gamma=0.03), X, Y, cv=folds)
    got = [search.cv_results_[f"split{k}_test_score"][0] for k in range(4)]
    np.testing.assert_allclose(got, expected, atol=8e-3)
