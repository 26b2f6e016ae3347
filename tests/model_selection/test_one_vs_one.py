"""Searches, paths and leave-one-out of one-vs-one models: against fits one by one."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_classification
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.preprocessing import scale
from sklearn.svm import SVC

from bandsvm import BandedSVC, BandedSVCCV, SelectiveClassifier
from bandsvm.model_selection import band_path, leave_one_out, leave_one_out_bound
from bandsvm.plotting import RiskCoverageDisplay

IRIS = scale(load_iris().data), load_iris().target
FOUR = make_classification(150, 8, n_informative=6, n_classes=4, flip_y=0.1, random_state=1)
pytestmark = pytest.mark.filterwarnings("ignore:BandedSVCCV found its best:UserWarning")


def largest_values(y, values):
    return float(np.abs(values).max(axis=1).sum())


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("options", "scoring"),
    [
        ({}, None),
        ({"break_ties": True}, None),
        ({"class_weight": "balanced", "loss": "squared_hinge"}, "balanced_accuracy"),
        (
            {},
            make_scorer(
                lambda y, v: float(v.max(axis=1).sum()), response_method="decision_function"
            ),
        ),
        (
            {"decision_function_shape": "ovo"},
            make_scorer(largest_values, response_method="decision_function"),
        ),
    ],
)
def test_same_scores_as_grid_search(options, scoring):
    X, y = FOUR
    options = {"multi_class": "ovo", **options}
    search = BandedSVCCV(
        C1=[0.3, 3.0], C2=[0.1, 1.0], rho2=[1.5], gamma=[0.03, 0.1], refine=0, search="full",
        give_up=False, cv=3, scoring=scoring, **options,
    ).fit(X, y)  # fmt: skip
    model = BandedSVC(**options)
    for parameters, score in zip(
        search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
    ):
        model.set_params(**parameters)
        expected = cross_val_score(model, X, y, cv=3, scoring=scoring).mean()
        assert score == pytest.approx(expected, rel=1e-4)
    best = search.best_estimator_
    assert best.multi_class == "ovo"
    n_columns = 6 if "decision_function_shape" in options else 4
    assert search.decision_function(X).shape == (len(y), n_columns)
    np.testing.assert_array_equal(search.predict(X), best.predict(X))
    np.testing.assert_array_equal(search.band_position(X), best.band_position(X))


def test_grid_search_can_choose_the_strategy():
    search = GridSearchCV(BandedSVC(), {"multi_class": ["ovr", "ovo"]}, cv=3).fit(*FOUR)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize(
    "parameters",
    [{"C1": 2.0}, {"C2": 0.0}, {"fit_intercept": False, "C2": 3.0}, {"C1": 0.01, "C2": 0.01}],
)
def test_leave_one_out_is_what_refits_give(parameters):
    chosen = np.random.default_rng(0).permutation(150)[:40]
    X, y = IRIS[0][chosen], IRIS[1][chosen]
    weights = np.ones(len(y))
    weights[:3] = 0.0
    options = {"multi_class": "ovo", "gamma": 0.3, "decision_function_shape": "ovo", **parameters}
    model = BandedSVC(**options).fit(X, y, sample_weight=weights)
    found = leave_one_out(model, X, y, sample_weight=weights)
    assert found.decision.shape == (len(y), 3)
    for i in range(len(y)):
        without = weights.copy()
        without[i] = 0.0
        refit = BandedSVC(**options).fit(X, y, sample_weight=without)
        np.testing.assert_allclose(found.decision[i], refit.decision_function(X[[i]])[0], atol=2e-3)
        assert found.predictions[i] == refit.predict(X[[i]])[0]
    assert found.error == np.mean(found.predictions[3:] != y[3:])


def test_leave_one_out_bound_holds():
    X, y = FOUR
    model = BandedSVC(multi_class="ovo", gamma=0.05, fit_intercept=False, C1=0.5).fit(X, y)
    bound, exact = leave_one_out_bound(model, X, y), leave_one_out(model, X, y)
    wrong = np.flatnonzero(exact.predictions != y)
    assert set(wrong) <= set(bound.at_risk)
    assert 0 < exact.error <= bound.error < 1
    search = BandedSVCCV(
        C1=[0.5], C2=[1.0], rho2=[1.5], gamma=[0.05], refine=0, fit_intercept=False,
        criterion="loo_bound", multi_class="ovo",
    ).fit(X, y)  # fmt: skip
    scores = dict(
        zip(
            [params["C2"] for params in search.cv_results_["params"]],
            search.cv_results_["mean_test_score"],
            strict=True,
        )
    )
    assert scores[1.0] == pytest.approx(1.0 - bound.error)


@pytest.mark.parametrize("vary", ["C2", "cost"])
def test_points_of_a_path_are_fits(vary):
    X, y = FOUR
    weights = np.ones(len(y))
    weights[:5] = 0.0
    template = BandedSVC(multi_class="ovo", gamma=0.1)
    values = [0.1, 0.5, 1.0]
    path = band_path(X, y, vary=vary, values=values, model=template, sample_weight=weights)
    assert len(path.coefficients) == 6
    for k, value in enumerate(values):
        changed = {"C2": value} if vary == "C2" else {"C1": value, "C2": value}
        alone = BandedSVC(multi_class="ovo", gamma=0.1, **changed).fit(X, y, weights)
        point = path.model(k)
        np.testing.assert_allclose(
            point.decision_function(X), alone.decision_function(X), atol=1e-5
        )
        np.testing.assert_allclose(point.xi_, alone.xi_, atol=1e-5)
        np.testing.assert_allclose(point.alpha_, alone.alpha_, atol=1e-5)
        assert path.certificates[k].primal == pytest.approx(alone.certificate_.primal, rel=1e-6)


def test_probabilities_and_abstention_take_votes():
    X, y = FOUR
    model = BandedSVC(multi_class="ovo")
    calibrated = CalibratedClassifierCV(model, ensemble=False, cv=3).fit(X, y)
    assert roc_auc_score(y, calibrated.predict_proba(X), multi_class="ovr") > 0.9
    selective = SelectiveClassifier(model, coverage=0.7, cv=3).fit(X, y)
    accepted = selective.accepts(X)
    assert 0.4 < accepted.mean() < 1.0
    right = selective.predict(X) == y
    assert right[accepted].mean() > right.mean()


@pytest.mark.parametrize("wrap", [lambda model: model, lambda model: GridSearchCV(model, {})])
def test_abstention_refuses_values_of_pairs(wrap):
    model = BandedSVC(multi_class="ovo", decision_function_shape="ovo")
    with pytest.raises(ValueError, match="decision_function_shape='ovr'"):
        SelectiveClassifier(wrap(model), coverage=0.5).fit(*FOUR)


def test_risk_of_values_of_pairs():
    """Those of ours tell which class is ahead; the largest of others tells nothing."""
    pytest.importorskip("matplotlib")
    ours = BandedSVC(decision_function_shape="ovo").fit(*FOUR)
    display = RiskCoverageDisplay.from_estimator(ours, *FOUR)
    votes = RiskCoverageDisplay.from_estimator(BandedSVC().fit(*FOUR), *FOUR)
    np.testing.assert_array_equal(display.risk, votes.risk)
    theirs = SVC(decision_function_shape="ovo").fit(*FOUR)
    with pytest.raises(ValueError, match="decision_function_shape='ovr'"):
        RiskCoverageDisplay.from_estimator(theirs, *FOUR)
