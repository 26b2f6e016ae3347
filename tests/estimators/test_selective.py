"""Abstaining: where samples lie in the band, and thresholds chosen on held-out folds."""

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from bandsvm import BandedSVC, SelectiveClassifier
from bandsvm._estimators.selective import prediction_score
from bandsvm._estimators.selective_scores import splits
from bandsvm.metrics import band_coverage

IRIS = load_iris(return_X_y=True)


@parametrize_with_checks(
    [
        SelectiveClassifier(coverage=0.8),
        SelectiveClassifier(LogisticRegression(), max_error=0.2, cv=3),
        SelectiveClassifier(GaussianNB(), coverage=1.0),
        SelectiveClassifier(BandedSVC(kernel="precomputed"), coverage=0.5),
    ]
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
# GaussianNB's own, where a class has no weight.
@pytest.mark.filterwarnings("ignore:divide by zero encountered in log:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:max_error=0.2 cannot be met:UserWarning")
@pytest.mark.filterwarnings("ignore:The least populated class:UserWarning")
def test_estimator_check(estimator, check):
    check(estimator)


def noisy(n_samples=400, seed=0, noise=0.6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, 2))
    return X, (X[:, 0] + noise * rng.normal(size=n_samples) > 0).astype(int)


def held_out(model, X, y, cv=5):
    """Return predictions and scores of held-out samples by a plain loop."""
    predictions, scores = y.copy(), np.empty(len(y))
    for train, test in StratifiedKFold(cv).split(X, y):
        model.fit(X[train], y[train])
        predictions[test] = model.predict(X[test])
        g = model.decision_function(X[test])
        if g.ndim == 1:
            scores[test] = np.abs(g)
        elif getattr(model, "multi_class", "ovr") == "ovr":
            ordered = np.sort(g, axis=1)
            scores[test] = ordered[:, -1] - ordered[:, -2]
        else:
            scores[test] = least_in_pairs(model, X[test])
    return predictions, scores


def least_in_pairs(model, X):
    """Return the least value of the predicted class in its pairs."""
    classes, predicted = model.classes_.tolist(), model.predict(X)
    shape = model.decision_function_shape
    pairs = model.set_params(decision_function_shape="ovo").decision_function(X)
    model.set_params(decision_function_shape=shape)
    least = np.full(len(X), np.inf)
    for k, (one, other) in enumerate(itertools.combinations(classes, 2)):
        for label, sign in ((one, 1.0), (other, -1.0)):
            own = predicted == label
            least[own] = np.minimum(least[own], sign * pairs[own, k])
    return least


def test_band_position_of_two_classes():
    X, y = noisy()
    model = BandedSVC(rho2={0: 1.2, 1: 3.0}).fit(X, y)
    positions, g = model.band_position(X), model.decision_function(X)
    for position, value in zip(positions, g, strict=True):
        upper = 3.0 if value > 0 else 1.2
        size = abs(value)
        assert position == (
            "below" if size < 1 - 1e-8 else "above" if size > upper + 1e-8 else "inside"
        )
    assert set(positions) == {"below", "inside", "above"}


def test_band_position_agrees_with_coverage():
    X, y = noisy(noise=0.0)
    for dtype in (np.float64, np.float32):
        samples = X.astype(dtype)
        model = BandedSVC(C1=100.0, C2=100.0, rho2=1.5, gamma=1.0).fit(samples, y)
        positions, g = model.band_position(samples), model.decision_function(samples)
        right = model.predict(samples) == y
        # Free support vectors lie on an edge up to rounding: they are inside in either type.
        on_edge = np.isclose(np.abs(g), 1.0, atol=1e-6) | np.isclose(np.abs(g), 1.5, atol=1e-6)
        assert on_edge.sum() > 5
        assert (positions[on_edge & right] == "inside").all()
        if dtype is np.float64:
            shares = band_coverage(y[right], g[right], rho2=1.5)
            for name in ("below", "inside", "above"):
                assert np.mean(positions[right] == name) == pytest.approx(getattr(shares, name))


def test_band_position_of_three_classes():
    X, y = IRIS
    rho1 = {0: 0.5, 1: 1.0, 2: 1.0}
    model = BandedSVC(rho1=rho1, rho2=1.5, fit_intercept=False, multi_class="ovr").fit(X, y)
    outlier = [[5.0, 5.3, 3.0, 3.2]]
    samples = np.vstack([X, outlier])
    positions, g = model.band_position(samples), model.decision_function(samples)
    best = g.argmax(axis=1)
    own = g[np.arange(len(g)), best]
    lower = np.array([0.5, 1.0, 1.0])[best]
    np.testing.assert_array_equal(positions == "below", own < lower * (1 - 1e-9))
    np.testing.assert_array_equal(positions == "above", own > 1.5 * (1 + 1e-9))
    assert own[-1] < 0
    assert positions[-1] == "below"


@pytest.mark.parametrize("coverage", [0.3, 0.75, 1.0])
@pytest.mark.parametrize("data", [noisy(), IRIS], ids=["two", "three"])
def test_coverage_is_kept_on_held_out_samples(coverage, data):
    X, y = data
    model = SelectiveClassifier(coverage=coverage, cv=StratifiedKFold(5)).fit(X, y)
    predictions, scores = held_out(BandedSVC(), X, y)
    accepted = scores >= model.threshold_
    assert accepted.mean() == pytest.approx(model.coverage_)
    assert model.coverage_ >= coverage
    # The next higher threshold would accept too few.
    assert np.mean(scores > model.threshold_) < coverage
    assert model.error_ == pytest.approx(np.mean(predictions[accepted] != y[accepted]))
    np.testing.assert_array_equal(
        model.accepts(X), prediction_score(model.estimator_, X) >= model.threshold_
    )


def test_error_is_met_with_one_more_counted():
    X, y = noisy()
    model = SelectiveClassifier(max_error=0.05, cv=StratifiedKFold(5)).fit(X, y)
    predictions, scores = held_out(BandedSVC(), X, y)

    def cautious(threshold):
        accepted = scores >= threshold
        errors = np.sum(predictions[accepted] != y[accepted])
        return (errors + 1) / (accepted.sum() + 1)

    assert cautious(model.threshold_) <= 0.05
    assert all(cautious(t) > 0.05 for t in scores[scores < model.threshold_])
    assert 0 < model.coverage_ < 1
    assert model.error_ <= 0.05 < np.mean(predictions != y)


def test_new_samples_behave_like_held_out_ones():
    X, y = noisy(1000)
    X_new, y_new = noisy(4000, seed=1)
    model = SelectiveClassifier(max_error=0.1).fit(X, y)
    accepted = model.accepts(X_new)
    error = np.mean(model.predict(X_new)[accepted] != y_new[accepted])
    assert error < 0.13 < np.mean(model.predict(X_new) != y_new)
    assert accepted.mean() == pytest.approx(model.coverage_, abs=0.1)


def test_error_that_cannot_be_met_is_said():
    X, y = noisy(60, noise=3.0)
    with pytest.warns(UserWarning, match=r"max_error=0.001 cannot be met on 60 held-out") as caught:
        model = SelectiveClassifier(max_error=0.001).fit(X, y)
    assert f"accepts {model.coverage_:.3f} of them with an error of {model.error_:.3f}" in str(
        caught[0].message
    )
    assert np.isfinite(model.threshold_)


@pytest.mark.parametrize(
    ("labels", "mark"),
    [
        (np.array([0, 1]), -1),
        (np.array([-1, 1]), 0),
        (np.array([-1, 0]), -2),
        (np.array([3, 250], dtype=np.uint8), -1),
        (np.array(["no", "certainly"]), "abstain"),
        (np.array(["no", "yes"], dtype=object), "abstain"),
        (np.array([False, True]), "abstain"),
    ],
)
def test_abstentions_are_marked(labels, mark):
    X, y = noisy()
    y = labels[y]
    model = SelectiveClassifier(coverage=0.5).fit(X, y)
    said, accepted = model.predict_or_abstain(X), model.accepts(X)
    assert 0 < accepted.sum() < len(y)
    assert all(label == mark for label in said[~accepted].tolist())
    assert said[accepted].tolist() == model.predict(X)[accepted].tolist()
    assert set(model.predict(X).tolist()) == set(labels.tolist())


def test_labels_that_are_other_numbers():
    X, y = noisy()
    model = SelectiveClassifier(coverage=0.5).fit(X, y.astype(float))
    np.testing.assert_array_equal(np.isnan(model.predict_or_abstain(X)), ~model.accepts(X))


def test_own_mark():
    X, y = noisy()
    model = SelectiveClassifier(coverage=0.5, abstain_label="ask a human").fit(X, y)
    assert set(model.predict_or_abstain(X).tolist()) == {0, 1, "ask a human"}
    for given in (0, np.int64(1)):
        with pytest.raises(ValueError, match=r"abstain_label must not be a class, but .* is one"):
            SelectiveClassifier(coverage=0.5, abstain_label=given).fit(X, y)


@pytest.mark.parametrize(
    "estimator",
    [
        LinearSVC(),
        RandomForestClassifier(10, random_state=0),
        KNeighborsClassifier(),
        make_pipeline(StandardScaler(), BandedSVC()),
        BandedSVC(class_weight={"setosa": 1.0, "versicolor": 2.0, "virginica": 1.0}),
        GridSearchCV(BandedSVC(), {"C1": [0.1, 1.0]}, cv=2),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_any_classifier_with_scores(estimator):
    X, y = IRIS
    names = load_iris().target_names[y]
    model = SelectiveClassifier(estimator, coverage=0.9).fit(X, names)
    assert model.coverage_ >= 0.9
    assert model.accepts(X).mean() > 0.7
    assert model.score(X, names) > 0.9
    assert hasattr(model, "decision_function") == hasattr(estimator, "decision_function")
    assert hasattr(model, "predict_proba") == hasattr(model.estimator_, "predict_proba")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, sp.csr_array, sp.coo_array, list])
def test_kinds_of_samples(make):
    X, y = noisy()
    if make in (pd.DataFrame, pl.DataFrame):
        X = X.astype(np.float64)
        samples = make({"first": X[:, 0], "second": X[:, 1]})
    else:
        samples = make(X.tolist()) if make is list else make(X)
    expected = SelectiveClassifier(coverage=0.6).fit(X, y)
    model = SelectiveClassifier(coverage=0.6).fit(samples, y)
    assert model.threshold_ == pytest.approx(expected.threshold_, rel=1e-5)
    assert hasattr(model, "feature_names_in_") == hasattr(samples, "columns")


def test_kernel_matrix():
    X, y = noisy(150)
    gamma = 0.7
    K = np.exp(-gamma * np.sum((X[:, None] - X[None]) ** 2, axis=2))
    given = SelectiveClassifier(BandedSVC(kernel="precomputed"), coverage=0.6).fit(K, y)
    computed = SelectiveClassifier(BandedSVC(gamma=gamma), coverage=0.6).fit(X, y)
    assert given.threshold_ == pytest.approx(computed.threshold_, rel=1e-6)


def test_weights_count_as_copies():
    X, y = noisy(120)
    weights = np.random.default_rng(0).integers(0, 3, size=len(y)).astype(float)
    folds = list(KFold(4).split(X))
    model = SelectiveClassifier(BandedSVC(gamma=1.0), coverage=0.7, cv=folds)
    model.fit(X, y, sample_weight=weights)
    copies = np.repeat(np.arange(len(y)), weights.astype(int))
    of_copies = [
        (np.flatnonzero(np.isin(copies, train)), np.flatnonzero(np.isin(copies, test)))
        for train, test in folds
    ]
    repeated = SelectiveClassifier(BandedSVC(gamma=1.0), coverage=0.7, cv=of_copies)
    repeated.fit(X[copies], y[copies])
    assert model.coverage_ == pytest.approx(repeated.coverage_)
    assert model.error_ == pytest.approx(repeated.error_)
    assert model.threshold_ == pytest.approx(repeated.threshold_, rel=1e-6)


@pytest.mark.filterwarnings("ignore:The least populated class:UserWarning")
def test_classes_are_dealt_out_over_folds():
    X, y = noisy(103)
    y[:4], y[4] = 2, 3
    seen = []
    for train, test in splits(5, y, np.ones(103, dtype=bool)):
        counts = np.bincount(y[test], minlength=4)
        assert (np.abs(counts - np.bincount(y, minlength=4) / 5) < 1).all()
        assert not np.intersect1d(train, test).size
        seen.extend(test)
    assert sorted(seen) == list(range(103))
    # A class of one sample cannot be known when it is held out: an error, not a failure.
    assert SelectiveClassifier(coverage=0.8).fit(X, y).error_ > 0


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({}, ValueError, "either coverage or max_error"),
        ({"coverage": 0.5, "max_error": 0.1}, ValueError, "either coverage or max_error"),
        ({"coverage": 0.0}, ValueError, "coverage must be greater than 0 and at most 1, got 0.0"),
        ({"coverage": 1.5}, ValueError, "at most 1"),
        ({"coverage": True}, TypeError, "real number"),
        ({"max_error": 1.0}, ValueError, "less than 1"),
        ({"max_error": "low"}, TypeError, "real number"),
        ({"coverage": 0.5, "cv": 1}, ValueError, "at least 2 folds"),
        ({"coverage": 0.5, "cv": ShuffleSplit(2)}, ValueError, "every sample exactly once"),
        ({"coverage": 0.5, "estimator": NearestCentroid()}, None, ""),
    ],
)
def test_bad_settings_are_named(settings, error, message):
    X, y = noisy(50)
    model = SelectiveClassifier(**settings)
    if error is None:
        assert model.fit(X, y).coverage_ >= 0.5
        return
    with pytest.raises(error, match=message):
        model.fit(X, y)


def test_estimators_without_scores_or_weights_are_named():
    X, y = noisy(50)

    class Silent(KNeighborsClassifier):
        predict_proba = property()

    with pytest.raises(TypeError, match="decision_function or predict_proba; Silent has"):
        SelectiveClassifier(Silent(), coverage=0.5).fit(X, y)
    with pytest.raises(TypeError, match="not supported by the fit of KNeighborsClassifier"):
        SelectiveClassifier(KNeighborsClassifier(), coverage=0.5).fit(X, y, np.ones(50))


def test_breast_cancer_abstains_on_errors():
    X, y = load_breast_cancer(return_X_y=True)
    model = SelectiveClassifier(make_pipeline(StandardScaler(), BandedSVC()), coverage=0.9)
    model.fit(X[::2], y[::2])
    wrong, accepted = model.predict(X[1::2]) != y[1::2], model.accepts(X[1::2])
    assert wrong[~accepted].mean() > 3 * wrong[accepted].mean()
