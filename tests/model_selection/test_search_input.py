"""BandedSVCCV: what it takes, what it refuses before any work, and how it fits in elsewhere."""

import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import f1_score, get_scorer, make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, LeaveOneGroupOut, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedSVC, BandedSVCCV
from bandsvm.model_selection import _score_pool

X, Y = load_breast_cancer(return_X_y=True)
X, Y = StandardScaler().fit_transform(X)[:200], Y[:200]
TEXT = np.array(["malignant", "benign"])[Y]
GROUPS = np.arange(len(Y)) % 7
ONE = {"C1": 1.0, "gamma": 0.03, "C2": 0.0, "refine": 0, "cv": 3}


@pytest.fixture
def no_work(monkeypatch):
    """Let nothing be solved."""

    def work(*_):
        raise AssertionError("work began")

    monkeypatch.setattr(_score_pool, "cross_validate", work)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"C1": {0: 1.0, 1: 2.0}}, TypeError, "C1 must be .* got a mapping; .*class_weight"),
        ({"C2": {0: 1.0, 1: 2.0}}, TypeError, "C2 must be .* got a mapping"),
        ({"rho2": {0: 2.0, 1: 2.0}}, TypeError, "rho2 must be .* got a mapping; .*GridSearchCV"),
        ({"gamma": {0: 2.0}}, TypeError, "gamma must be .* got a mapping"),
        ({"C1": [1.0, np.nan]}, ValueError, "C1 must be finite, got nan"),
        ({"C1": np.inf}, ValueError, "C1 must be finite, got inf"),
        ({"C1": 10**400}, ValueError, "C1 must be finite"),
        ({"C1": [0.0, 1.0]}, ValueError, "C1 must be greater than 0, got 0.0"),
        ({"C1": ["1"]}, TypeError, "C1 must hold numbers to try, got '1'"),
        ({"C1": [[1.0, 2.0]]}, TypeError, "C1 must hold numbers to try"),
        ({"C1": True}, TypeError, "C1 must hold numbers to try, got True"),
        ({"C1": b"12"}, TypeError, "C1 must be a number"),
        ({"C2": [np.nan]}, ValueError, "C2 must be finite"),
        ({"C2": [-1.0, 1.0]}, ValueError, "C2 must be at least 0, got -1.0"),
        ({"rho2": np.nan}, ValueError, "rho2 must be finite"),
        ({"rho1": "x"}, TypeError, "rho1 must be a real number"),
        ({"rho1": {0: 1.0}}, ValueError, "rho1 as a mapping .* missing: \\[1\\]"),
        ({"gamma": "wide"}, TypeError, "gamma must hold numbers .*'scale' or 'auto'.* got 'wide'"),
        ({"gamma": np.nan}, ValueError, "gamma must be finite"),
        ({"gamma": object()}, TypeError, "gamma must be a number"),
        ({"kernel": ["precomputed", "rbf"]}, ValueError, "cannot be searched together"),
        ({"refine": True}, ValueError, "refine must be an integer"),
        ({"refine": 1.5}, ValueError, "refine must be an integer"),
        ({"refit": "f1"}, TypeError, "refit must be True or False"),
        ({"give_up": None}, TypeError, "give_up must be True or False"),
        ({"time_limit": 0}, ValueError, "time_limit must be greater than 0"),
        ({"time_limit": "1"}, TypeError, "time_limit must be a real number"),
        ({"verbose": "x"}, TypeError, "verbose must be"),
        ({"search": ["full"]}, ValueError, "search must be"),
        ({"cv": []}, ValueError, "cv must give at least one fold"),
        ({"cv": [np.arange(200)]}, ValueError, "cv must give pairs"),
        ({"cv": [(np.arange(9), [])]}, ValueError, "cv must give indices of at least one sample"),
        ({"cv": [(np.arange(9.0), [9])]}, ValueError, "cv must give indices .* got float64"),
        ({"cv": [(np.arange(99), [200])]}, ValueError, "indices of the 200 samples, got 200"),
        ({"cv": [(np.flatnonzero(Y), [0])]}, ValueError, r"fold 0 trains on \[1\] only"),
        ({"scoring": "fun"}, ValueError, "scoring: 'fun' is not a valid scoring"),
        ({"scoring": ["f1", "roc_auc"]}, TypeError, "scoring must be one name"),
        ({"scoring": "neg_log_loss"}, ValueError, "needs probabilities, which BandedSVC"),
        ({"scoring": lambda *_: "good"}, TypeError, "scoring must return a number, got str"),
        ({"scoring": lambda *_: np.ones(2)}, TypeError, "scoring must return a number"),
        ({"scoring": lambda e, X, y: e.predict(X[1:])}, ValueError, "of the 67 held-out samples"),
    ],
)
def test_refused_before_any_work(options, error, words, no_work):
    with pytest.raises(error, match=words):
        BandedSVCCV(**{**ONE, **options}).fit(X, Y)


def test_scores_of_one_class_need_its_label(no_work):
    with pytest.raises(ValueError, match=r"(?s)pos_label.*scoring='f1'.*make_scorer.*'malignant'"):
        BandedSVCCV(**ONE, scoring="f1").fit(X, TEXT)
    with pytest.raises(ValueError, match=r"(?s)scoring='f1' is for two classes.*f1_macro"):
        BandedSVCCV(**ONE, scoring="f1").fit(*load_iris(return_X_y=True))


def test_scores_of_one_class_with_its_label():
    scoring = make_scorer(f1_score, pos_label="malignant")
    search = BandedSVCCV(**ONE, scoring=scoring).fit(X, TEXT)
    other = BandedSVCCV(**ONE, scoring="f1").fit(X, 1 - Y)
    assert search.best_score_ == other.best_score_


def test_scorers_get_the_samples_that_are_held_out():
    seen = []

    def score(estimator, samples, labels):
        seen.append(samples)
        return float(np.mean(estimator.predict(samples) == labels))

    folds = StratifiedKFold(3)
    search = BandedSVCCV(**{**ONE, "cv": folds}, scoring=score).fit(X, Y, np.ones(len(Y)))
    held_out = [X[test] for _, test in folds.split(X, Y)]
    assert all(any(np.array_equal(s, part) for part in held_out) for s in seen)
    assert search.best_score_ == BandedSVCCV(**{**ONE, "cv": folds}).fit(X, Y).best_score_


def test_weights_reach_scorers_that_take_them():
    weights = np.random.default_rng(0).uniform(0.1, 2.0, len(Y))
    options = {**ONE, "refit": False}
    named = BandedSVCCV(**options, scoring="accuracy").fit(X, Y, weights)
    plain = BandedSVCCV(**options).fit(X, Y, weights)
    assert named.best_score_ == pytest.approx(plain.best_score_, abs=1e-12)
    scorer = make_scorer(lambda true, predicted: float(np.mean(true == predicted)))
    with pytest.raises(ValueError, match="takes no sample_weight"):
        BandedSVCCV(**options, scoring=scorer).fit(X, Y, weights)


def test_undefined_scores_are_said():
    def score(estimator, samples, labels):
        values = estimator.decision_function(samples)
        return np.nan if np.abs(values).max() > 1.5 else 0.5

    with pytest.warns(UserWarning, match="scoring gave no finite number for . fits"):
        search = BandedSVCCV(**{**ONE, "C1": [1e-3, 100.0], "give_up": False}, scoring=score).fit(
            X, Y
        )
    assert search.best_params_["C1"] == 1e-3
    with pytest.raises(ValueError, match=r"scoring .*finite"):
        BandedSVCCV(**ONE, scoring=lambda *_: np.inf).fit(X, Y)


@pytest.mark.parametrize("refine", [np.int64(1), np.int32(0)])
def test_numpy_numbers(refine):
    options = {**ONE, "C1": np.array(1.0), "gamma": np.float32(0.03), "cv": np.int64(3)}
    search = BandedSVCCV(**{**options, "refine": refine, "refit": np.True_}).fit(X, Y)
    assert search.best_params_["C1"] == 1.0


def test_gamma_by_name():
    search = BandedSVCCV(**{**ONE, "gamma": ["auto", "scale", 0.5]}, refit=False).fit(X, Y)
    tried = set(search.cv_results_["param_gamma"])
    assert tried == {1.0 / X.shape[1], 1.0 / (X.shape[1] * X.var()), 0.5}
    assert BandedSVCCV(**{**ONE, "gamma": "auto"}).fit(X, Y).best_params_["gamma"] == 1 / 30


def test_scale_is_not_needed_by_kernels_without_gamma():
    K = X @ X.T
    options = {**ONE, "kernel": "precomputed", "refit": False}
    plain = BandedSVCCV(**options).fit(K, Y)
    huge = BandedSVCCV(**{**options, "C1": 1e-160}).fit(1e160 * K, Y)  # its variance overflows
    assert huge.best_score_ == pytest.approx(plain.best_score_, abs=0.01)


@pytest.mark.parametrize("rho1", [2.0, {0: 1.0, 1: 2.0}])
def test_any_lower_edge(rho1):
    search = BandedSVCCV(C1=1.0, C2=0.1, gamma=0.03, rho1=rho1, refine=0, cv=3).fit(X, Y)
    assert set(search.cv_results_["param_rho2"]) == {2.0, 3.0, 4.0, 6.0}
    assert search.best_estimator_.rho1 == rho1
    with pytest.raises(ValueError, match="rho2 must not be less than rho1"):
        BandedSVCCV(rho1=rho1, rho2=1.5).fit(X, Y)


def test_parameters_are_masked_where_a_kernel_has_none():
    search = BandedSVCCV(**{**ONE, "C1": [0.1, 1.0]}, kernel=["linear", "rbf"]).fit(X, Y)
    gammas = search.cv_results_["param_gamma"]
    assert gammas.dtype == np.float64
    is_linear = search.cv_results_["param_kernel"] == "linear"
    np.testing.assert_array_equal(gammas.mask, is_linear)
    assert (gammas[~is_linear] == 0.03).all()
    for params, linear in zip(search.cv_results_["params"], is_linear, strict=True):
        assert ("gamma" in params) is not linear
        BandedSVC(**params)


def test_masks_and_negative_indices_are_folds():
    is_train = np.arange(len(Y)) % 3 > 0
    by_mask = BandedSVCCV(**{**ONE, "cv": [(is_train, ~is_train)]}).fit(X, Y)
    train, test = np.flatnonzero(is_train), np.flatnonzero(~is_train)
    by_index = BandedSVCCV(**{**ONE, "cv": [(train - len(Y), test)]}).fit(X, Y)
    expected = BandedSVC(C2=0.0, gamma=0.03).fit(X[train], Y[train]).score(X[test], Y[test])
    assert by_mask.best_score_ == by_index.best_score_ == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("cv", [GroupKFold(3), LeaveOneGroupOut()])
def test_groups_stay_together(cv):
    search = BandedSVCCV(**{**ONE, "cv": cv}).fit(X, Y, groups=GROUPS)
    splits = list(cv.split(X, Y, GROUPS))
    same = BandedSVCCV(**{**ONE, "cv": splits}).fit(X, Y)
    assert search.n_splits_ == len(splits)
    assert search.best_score_ == same.best_score_
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        BandedSVCCV(**{**ONE, "cv": cv}).fit(X, Y, groups=GROUPS[1:])


def test_band_and_certificate_of_the_best():
    search = BandedSVCCV(C1=1.0, C2=1.0, rho2=1.2, gamma=0.03, refine=0, cv=3).fit(X, Y)
    best = search.best_estimator_
    np.testing.assert_array_equal(search.band_position(X), best.band_position(X))
    assert search.certificate_ is best.certificate_
    assert search.certificate_.is_optimal


def test_an_earlier_fit_leaves_nothing_behind():
    search = BandedSVCCV(**ONE).fit(X, Y)
    search.set_params(refit=False).fit(X[:, :5], Y)
    assert not any(hasattr(search, n) for n in ("best_estimator_", "certificate_", "n_iter_"))


def test_a_fit_that_fails_leaves_an_earlier_one_as_it_was():
    search = BandedSVCCV(**ONE).fit(X, Y)
    expected = search.decision_function(X)
    with pytest.raises(ValueError, match="C1 must be greater"):
        search.set_params(C1=-1.0).fit(X[:, :5], Y)
    np.testing.assert_array_equal(search.decision_function(X), expected)
    fresh = BandedSVCCV(C1=-1.0)
    with pytest.raises(ValueError, match="C1 must be greater"):
        fresh.fit(X, Y)
    assert not hasattr(fresh, "n_features_in_")


def test_weights_and_groups_are_routed_through_a_pipeline():
    weights = np.random.default_rng(0).uniform(0.1, 2.0, len(Y))
    options = {**ONE, "cv": GroupKFold(3)}
    with sklearn.config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        search = BandedSVCCV(**options).set_fit_request(sample_weight=True, groups=True)
        model = make_pipeline(scaler, search).fit(X, Y, sample_weight=weights, groups=GROUPS)
    Z = StandardScaler().fit_transform(X)
    expected = BandedSVCCV(**options).fit(Z, Y, weights, GROUPS)
    np.testing.assert_array_equal(model.decision_function(X), expected.decision_function(Z))
    assert model[-1].best_score_ == expected.best_score_


def test_groups_are_routed_through_a_grid_search():
    with sklearn.config_context(enable_metadata_routing=True):
        inner = BandedSVCCV(**{**ONE, "cv": GroupKFold(2)})
        inner.set_fit_request(sample_weight=True, groups=True).set_score_request(sample_weight=True)
        outer = GridSearchCV(inner, {"rho1": [1.0, 2.0]}, cv=GroupKFold(3))
        outer.fit(X, Y, groups=GROUPS, sample_weight=np.ones(len(Y)))
    assert outer.best_score_ > 0.9


def test_scorer_objects_of_scikit_learn():
    named = BandedSVCCV(**ONE, scoring="roc_auc").fit(X, Y)
    same = BandedSVCCV(**ONE, scoring=get_scorer("roc_auc")).fit(X, Y)
    assert named.best_score_ == same.best_score_


def test_tags_of_a_search_over_nothing():
    assert BandedSVCCV(kernel=[]).__sklearn_tags__().estimator_type == "classifier"
