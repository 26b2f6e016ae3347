"""BandedSVRCV: the same scores as scikit-learn's search, for targets of any size."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import make_scorer, mean_pinball_loss
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score

from bandsvm import BandedSVR, BandedSVRCV
from bandsvm._defaults import DEFAULT_C1, DEFAULT_EPSILONS
from bandsvm.model_selection._grid import best_of
from bandsvm.model_selection._tubes import TubeCandidate
from tests.helpers.regression import noisy_curve

X, Y = noisy_curve(200)
SQUARED = "squared_epsilon_insensitive"
pytestmark = pytest.mark.filterwarnings("ignore:BandedSVRCV found its best:UserWarning")
SMALL = {"C1": [0.3, 3.0], "gamma": [0.3, 1.0], "epsilon": [0.02, 0.2], "refine": 0}


@pytest.mark.parametrize("loss", ["epsilon_insensitive", SQUARED])
@pytest.mark.parametrize("scoring", [None, "neg_mean_absolute_error"])
def test_same_scores_as_grid_search(scoring, loss):
    search = BandedSVRCV(
        **SMALL, cost_ratio=[1.0, 2.0], search="full", give_up=False, scoring=scoring, loss=loss
    ).fit(X, Y)
    params = search.cv_results_["params"]
    grid = [{name: [value] for name, value in each.items()} for each in params]
    other = GridSearchCV(BandedSVR(loss=loss), grid, cv=5, scoring=scoring).fit(X, Y)
    assert len(params) == 16
    assert {each["C2"] / each["C1"] for each in params} == {1.0, 2.0}
    np.testing.assert_allclose(
        search.cv_results_["mean_test_score"], other.cv_results_["mean_test_score"], atol=1e-3
    )
    assert search.best_score_ == search.cv_results_["mean_test_score"].max()
    assert search.cv_results_["rank_test_score"][search.best_index_] == 1
    single = BandedSVR(loss=loss, **search.best_params_).fit(X, Y)
    np.testing.assert_allclose(search.predict(X), single.predict(X), atol=1e-6)
    assert search.certificate_.is_optimal
    assert search.score(X, Y) == single.score(X, Y)
    assert (search.band_position(X, Y) == single.band_position(X, Y)).all()


@pytest.mark.parametrize("loss", ["epsilon_insensitive", SQUARED])
def test_defaults_suit_targets_of_any_size(loss):
    """Targets times s, plus an offset: the same candidates in their units, the same scores."""
    own = BandedSVRCV(loss=loss).fit(X, Y)
    assert own.best_score_ > 0.8
    widths = np.unique(own.cv_results_["param_epsilon"].compressed())
    np.testing.assert_allclose(widths / widths[0], np.divide(DEFAULT_EPSILONS, 0.01))
    assert 0.5 < widths[-1] / (DEFAULT_EPSILONS[-1] * Y.std()) < 2.0
    for size, offset in ((1e-6, 3e-6), (1e6, -1e7)):
        scaled = BandedSVRCV(loss=loss).fit(X, size * Y + offset)
        cost = 1.0 if loss == SQUARED else size
        for name, unit in (("C1", cost), ("C2", cost), ("epsilon", size), ("gamma", 1.0)):
            np.testing.assert_allclose(
                scaled.cv_results_[f"param_{name}"] / unit, own.cv_results_[f"param_{name}"]
            )
        assert scaled.best_score_ == pytest.approx(own.best_score_, abs=1e-3)
        np.testing.assert_allclose((scaled.predict(X) - offset) / size, own.predict(X), atol=2e-3)


def test_small_scores_are_not_ties():
    """Negative losses of small targets differ by less than rounding errors of numbers near 1."""
    settings = {**SMALL, "C1": [3e-7, 3e-6], "epsilon": [2e-8, 1e-6]}
    search = BandedSVRCV(**settings, scoring="neg_mean_squared_error", search="full")
    search.fit(X, 1e-6 * Y)
    scores = search.cv_results_["mean_test_score"]
    assert search.best_index_ == np.nanargmax(scores)
    assert len(np.unique(search.cv_results_["rank_test_score"])) > 4


def test_stages():
    """One width first, then all at the best, then neighbours with costs in proportion."""
    search = BandedSVRCV(gamma=[0.3, 1.0], cost_ratio=[0.5, 1.0, 2.0], give_up=False).fit(X, Y)
    params = search.cv_results_["params"]
    first = params[: 2 * len(DEFAULT_C1)]
    assert len({each["epsilon"] for each in first}) == 1
    assert all(each["C1"] == each["C2"] for each in first)
    ratios = {round(each["C2"] / each["C1"], 6) for each in params}
    assert ratios == {0.5, 1.0, 2.0}
    best = search.best_params_
    if best["C1"] != best["C2"]:  # only if it scores higher than equal costs
        twin = [{**best, "C2": best["C1"]} == each for each in params]
        assert search.best_score_ > search.cv_results_["mean_test_score"][twin].max()


def test_unequal_costs_for_a_quantile():
    """Pinball loss at 0.8 asks for C1 = 4 C2; several kernels; sparse samples."""
    scoring = make_scorer(mean_pinball_loss, alpha=0.8, greater_is_better=False)
    settings = {"C1": [1.0, 10.0], "epsilon": 0.0, "gamma": 1.0, "refine": 0}
    search = BandedSVRCV(
        **settings, cost_ratio=[0.25, 1.0, 4.0], scoring=scoring, kernel=["rbf", "linear"]
    ).fit(sp.csr_array(X), Y)
    assert search.best_params_["C2"] == pytest.approx(0.25 * search.best_params_["C1"])
    assert search.best_params_["kernel"] == "rbf"
    assert search.cv_results_["param_gamma"].mask.any()
    assert 0.7 < np.mean(search.predict(sp.csr_array(X)) >= Y) < 0.9


def test_folds_weights_and_groups_as_scikit_learn_has_them():
    settings = {"C1": 1.0, "epsilon": 0.1, "gamma": 1.0, "refine": 0}
    for cv, groups in ((KFold(4, shuffle=True, random_state=0), None), (GroupKFold(3), X[:, 0])):
        groups = None if groups is None else np.round(4.0 * groups)
        search = BandedSVRCV(**settings, cv=cv).fit(X, Y, groups=groups)
        splits = cv.split(X, Y, groups)
        expected = cross_val_score(BandedSVR(gamma=1.0), X, Y, cv=splits)
        got = [search.cv_results_[f"split{k}_test_score"][0] for k in range(search.n_splits_)]
        np.testing.assert_allclose(got, expected, atol=1e-3)
    weights = np.random.default_rng(0).integers(0, 3, size=len(Y))
    weighted = BandedSVRCV(**settings).fit(X, Y, weights)
    for k, (train, held_out) in enumerate(KFold(5).split(X)):
        model = BandedSVR(gamma=1.0).fit(X[train], Y[train], weights[train])
        score = model.score(X[held_out], Y[held_out], weights[held_out])
        assert weighted.cv_results_[f"split{k}_test_score"][0] == pytest.approx(score, abs=1e-3)


def test_intervals_need_a_score_of_their_own():
    y = np.column_stack([Y - 0.1, np.where(X[:, 1] > 0.0, Y + 0.1, np.inf)])
    with pytest.raises(ValueError, match="scoring must be a callable"):
        BandedSVRCV(**SMALL).fit(X, y)

    def inside(model, samples, ends):
        found = model.predict(samples)
        return np.mean((ends[:, 0] <= found) & (found <= ends[:, 1]))

    search = BandedSVRCV(**SMALL, scoring=inside).fit(X, y)
    assert 0.3 < search.best_score_ <= 1.0


def test_number_of_threads_changes_nothing():
    results = [BandedSVRCV(n_jobs=n_jobs).fit(X, Y) for n_jobs in (1, 2)]
    first, second = (each.cv_results_["mean_test_score"] for each in results)
    np.testing.assert_array_equal(first, second)
    assert results[0].best_params_ == results[1].best_params_


@pytest.mark.parametrize("y", [np.full(30, 7.0), np.zeros(30)])
def test_constant_targets(y):
    search = BandedSVRCV(refine=0, cv=3).fit(X[:30], y)
    np.testing.assert_allclose(search.predict(X[:30]), y, atol=0.5 * max(1.0, y[0]))


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"C1": [0.0, 1.0]}, ValueError, "C1 must be greater than 0, got 0.0"),
        ({"cost_ratio": [0.0]}, ValueError, "cost_ratio must be greater than 0, got 0.0"),
        ({"cost_ratio": None, "C1": "x"}, TypeError, "C1 must be a number"),
        ({"epsilon": [-0.1]}, ValueError, "epsilon must be at least 0, got -0.1"),
        ({"epsilon": {"a": 1.0}}, TypeError, "epsilon must be a number.*got a mapping.$"),
        ({"scoring": "accuracy"}, ValueError, "continuous"),
        ({"scoring": "no score"}, ValueError, "scoring: 'no score'"),
        ({"loss": "hinge"}, ValueError, "loss must be 'epsilon_insensitive' or"),
        ({"search": "quick"}, ValueError, "search must be 'staged' or 'full'"),
        ({"cv": [([0, 1, 2], [3])]}, ValueError, "scoring gave no finite number"),
    ],
)
def test_bad_parameters_are_refused(parameters, error, message):
    with pytest.raises(error, match=message):
        BandedSVRCV(**parameters).fit(X[:40], Y[:40])


def test_parameters_of_other_estimators_are_explained():
    with pytest.raises(TypeError, match="pass the values of C as C1"):
        BandedSVRCV(C=[1.0])
    with pytest.raises(TypeError, match="values of C2 / C1 as cost_ratio"):
        BandedSVRCV(C2=1.0)


def test_limits_keep_the_best_so_far():
    with pytest.warns(UserWarning, match="BandedSVRCV (reached its time_limit|ended early)"):
        search = BandedSVRCV(time_limit=1e-9, refit=False).fit(X, Y)
    assert {"C1", "C2", "epsilon", "gamma"} <= search.best_params_.keys()
    with pytest.raises(AttributeError, match="BandedSVRCV can predict only if"):
        BandedSVRCV(**SMALL, refit=False).fit(X, Y).predict(X)


def test_of_equally_good_candidates_the_simplest_is_chosen():
    candidates = [
        TubeCandidate("rbf", 1.0, 10.0, 10.0, 0.3),
        TubeCandidate("rbf", 1.0, 1.0, 1.0, 0.1),
        TubeCandidate("rbf", 1.0, 1.0, 1.0, 0.3),
    ]
    assert best_of(np.array([0.9, 0.9, 0.9 - 1e-12]), candidates) == 2
    assert best_of(np.array([1.1e-12, 1e-12, np.nan]), candidates) == 0
