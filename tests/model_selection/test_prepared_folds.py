"""Searches whose samples are prepared fold by fold: the scores of scikit-learn's pipelines."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedSVC, BandedSVCCV
from bandsvm.model_selection._searching import fit_search

pytestmark = pytest.mark.filterwarnings("ignore:BandedSVCCV found its best:UserWarning")


def with_gaps(loader, rng):
    """Return samples with outliers, of which a tenth of the values is missing."""
    X, y = loader(return_X_y=True)
    X = X[:, :4].copy()
    X[rng.integers(len(y), size=8), rng.integers(4, size=8)] *= 100.0
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def prepared(steps, X, splits):
    return [clone(steps).fit(X[train]).transform(X) for train, _ in splits]


@pytest.mark.heavy
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("loader", [load_iris, load_breast_cancer])
def test_scores_are_those_of_a_pipeline_in_grid_search(loader, loss, rng):
    X, y = with_gaps(loader, rng)
    steps = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    splits = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, y))
    grid = {"C1": [0.1, 1.0, 10.0], "gamma": [0.03, 0.3], "C2": [0.0, 0.1, 1.0]}
    search = BandedSVCCV(
        grid["C1"], grid["C2"][1:], [1.5], gamma=grid["gamma"], cv=splits, search="full",
        give_up=False, refine=0, loss=loss,
    )  # fmt: skip
    everything = clone(steps).fit_transform(X)
    fit_search(search, everything, y, by_fold=prepared(steps, X, splits))
    pipeline = Pipeline([*steps.steps, ("svc", BandedSVC(rho2=1.5, loss=loss))])
    theirs = GridSearchCV(
        pipeline, {f"svc__{name}": values for name, values in grid.items()}, cv=splits
    ).fit(X, y)
    expected = {
        tuple(params[f"svc__{name}"] for name in grid): k
        for k, params in enumerate(theirs.cv_results_["params"])
    }
    results = search.cv_results_
    assert len(results["params"]) == len(expected)
    for fold in range(4):
        ours = results[f"split{fold}_test_score"]
        order = [expected[tuple(params[name] for name in grid)] for params in results["params"]]
        same = theirs.cv_results_[f"split{fold}_test_score"][order]
        np.testing.assert_allclose(ours, same, atol=1.01 / len(splits[fold][1]))
        assert np.mean(ours != same) <= 0.03  # samples on the boundary
    best = BandedSVC(**search.best_params_, loss=loss).fit(everything, y)
    assert search.best_estimator_.certificate_.primal == pytest.approx(best.certificate_.primal)


def test_folds_may_differ_in_their_features(rng):
    X, y = load_iris(return_X_y=True)
    splits = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    by_fold = [X[:, : 2 + fold] for fold in range(3)]
    search = BandedSVCCV(1.0, 0.0, 2.0, gamma=0.3, cv=splits, refine=0)
    fit_search(search, X, y, by_fold=by_fold)
    for fold, (train, rest) in enumerate(splits):
        own = BandedSVC(C1=1.0, C2=0.0, rho2=2.0, gamma=0.3)
        own.fit(by_fold[fold][train], y[train])
        score = own.score(by_fold[fold][rest], y[rest])
        assert search.cv_results_[f"split{fold}_test_score"][0] == score


def test_equal_folds_have_the_scores_of_shared_ones():
    X, y = load_iris(return_X_y=True)
    settings = {"C1": [1.0, 10.0], "gamma": [0.1, 0.3], "cv": 3}
    shared = BandedSVCCV(**settings).fit(X, y)
    apart = fit_search(BandedSVCCV(**settings), X, y, by_fold=[X] * 3)
    for fold in range(3):
        name = f"split{fold}_test_score"
        np.testing.assert_array_equal(shared.cv_results_[name], apart.cv_results_[name])
