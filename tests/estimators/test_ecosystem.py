"""BandedSVC inside scikit-learn's tools and beside data frames, on real data."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import StackingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedSVC
from tests.helpers.scaled import standardised

SKLEARN = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame}


def scaled_model(**parameters):
    """Return a pipeline that scales."""
    return Pipeline([("scale", StandardScaler()), ("svm", BandedSVC(**parameters))])


def named_frame(library, X):
    """Return samples as a frame with names of columns."""
    names = [f"feature {k}" for k in range(X.shape[1])]
    return FRAMES[library](dict(zip(names, X.T, strict=True)))


def test_pipeline_is_its_steps():
    X, y = load_breast_cancer(return_X_y=True)
    pipeline = scaled_model().fit(X[::2], y[::2])
    scaler = StandardScaler().fit(X[::2])
    model = BandedSVC().fit(scaler.transform(X[::2]), y[::2])
    np.testing.assert_array_equal(
        pipeline.decision_function(X), model.decision_function(scaler.transform(X))
    )
    assert pipeline.score(X[1::2], y[1::2]) > 0.95
    # Without the scaler, the largest feature drowns the others.
    assert BandedSVC().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) < 0.95


def test_grid_search_in_two_processes():
    X, y = load_breast_cancer(return_X_y=True)
    grid = {"svm__C1": [1e-3, 1.0], "svm__C2": [0.0, 1.0], "svm__kernel": ["linear", "rbf"]}
    parallel = GridSearchCV(scaled_model(), grid, cv=3, n_jobs=2).fit(X, y)
    serial = GridSearchCV(scaled_model(), grid, cv=3).fit(X, y)
    np.testing.assert_array_equal(
        parallel.cv_results_["mean_test_score"], serial.cv_results_["mean_test_score"]
    )
    assert parallel.best_params_["svm__C1"] == 1.0
    assert parallel.best_score_ > 0.95
    assert len(set(parallel.cv_results_["mean_test_score"])) >= 3


def test_cross_validated_predictions_come_from_models_of_the_other_folds():
    X, y = standardised(load_wine)
    folds = StratifiedKFold(4)
    values = cross_val_predict(BandedSVC(), X, y, cv=folds, method="decision_function")
    assert values.shape == (len(y), 3)
    train, test = list(folds.split(X, y))[2]
    expected = BandedSVC().fit(X[train], y[train]).decision_function(X[test])
    np.testing.assert_array_equal(values[test], expected)
    assert np.mean(values.argmax(axis=1) == y) > 0.95


@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature"])
@pytest.mark.parametrize("loader", [load_breast_cancer, load_wine])
def test_calibrated_probabilities(loader, method):
    if method == "temperature" and SKLEARN < (1, 8):
        pytest.skip("temperature scaling came with scikit-learn 1.8")
    X, y = standardised(loader)
    train, test = slice(0, None, 2), slice(1, None, 2)
    model = CalibratedClassifierCV(BandedSVC(), method=method, ensemble=False, cv=4)
    probabilities = model.fit(X[train], y[train]).predict_proba(X[test])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    of_true_class = probabilities[np.arange(len(probabilities)), y[test]]
    assert np.mean((1.0 - of_true_class) ** 2) < 0.05
    assert model.score(X[test], y[test]) > 0.94


def test_one_vs_one_of_scikit_learn():
    X, y = standardised(load_iris)
    model = OneVsOneClassifier(BandedSVC()).fit(X, y)
    assert len(model.estimators_) == 3
    pair = np.isin(y, [0, 2])
    alone = BandedSVC().fit(X[pair], y[pair] == 2)
    np.testing.assert_array_equal(
        model.estimators_[1].decision_function(X), alone.decision_function(X)
    )
    assert model.score(X, y) > 0.95


def test_one_vs_rest_of_scikit_learn_is_ours():
    X, y = standardised(load_iris)
    model = OneVsRestClassifier(BandedSVC()).fit(X, y)
    ours = BandedSVC(multi_class="ovr").fit(X, y)
    np.testing.assert_allclose(
        model.decision_function(X), ours.decision_function(X), rtol=0, atol=1e-8
    )
    np.testing.assert_array_equal(model.predict(X), ours.predict(X))


def test_stacking_sees_decision_values():
    X, y = standardised(load_wine)
    model = StackingClassifier(
        [("band", BandedSVC()), ("margin", BandedSVC(kernel="linear", C2=0.0))],
        LogisticRegression(),
        cv=3,
    ).fit(X[::2], y[::2])
    assert model.stack_method_ == ["decision_function"] * 2
    band, margin = model.estimators_
    np.testing.assert_array_equal(
        model.transform(X), np.hstack([band.decision_function(X), margin.decision_function(X)])
    )
    assert model.score(X[1::2], y[1::2]) > 0.95


@pytest.fixture
def weighted():
    """Samples with weights that matter: of most of a class, and of the rest next to nothing."""
    X, y = load_breast_cancer(return_X_y=True)
    return X, y, np.where(y == 1, 0.01, 1.0) * np.random.default_rng(0).uniform(0.5, 2.0, len(y))


def test_weights_are_routed_through_a_pipeline(weighted):
    X, y, weight = weighted
    with sklearn.config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        svm = BandedSVC().set_fit_request(sample_weight=True)
        model = make_pipeline(scaler, svm).fit(X, y, sample_weight=weight)
    Z = StandardScaler().fit_transform(X)
    expected = BandedSVC().fit(Z, y, sample_weight=weight).decision_function(Z)
    np.testing.assert_array_equal(model.decision_function(X), expected)
    assert np.abs(expected - BandedSVC().fit(Z, y).decision_function(Z)).max() > 0.5


def test_weights_are_routed_through_a_grid_search(weighted):
    X, y, weight = weighted
    X = StandardScaler().fit_transform(X)
    folds = StratifiedKFold(3)
    with sklearn.config_context(enable_metadata_routing=True):
        svm = BandedSVC().set_fit_request(sample_weight=True)
        svm.set_score_request(sample_weight=True)
        search = GridSearchCV(svm, {"C1": [0.1, 1.0]}, cv=folds).fit(X, y, sample_weight=weight)
    scores = []
    for train, test in folds.split(X, y):
        model = BandedSVC(C1=0.1).fit(X[train], y[train], sample_weight=weight[train])
        scores.append(model.score(X[test], y[test], sample_weight=weight[test]))
    assert search.cv_results_["mean_test_score"][0] == pytest.approx(np.mean(scores), abs=1e-12)
    best = BandedSVC(**search.best_params_).fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(search.decision_function(X), best.decision_function(X))


def test_weights_that_nobody_asked_for_are_refused(weighted):
    X, y, weight = weighted
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(BandedSVC(), {"C1": [1.0]})
        with pytest.raises(ValueError, match=r"sample_weight.*not explicitly set as requested"):
            search.fit(X, y, sample_weight=weight)


@pytest.mark.parametrize("library", FRAMES)
def test_frames_bring_names_that_must_agree(library):
    X, y = standardised(load_iris)
    frame = named_frame(library, X)
    model = BandedSVC().fit(frame, y)
    np.testing.assert_array_equal(model.feature_names_in_, [f"feature {k}" for k in range(4)])
    expected = BandedSVC().fit(X, y).decision_function(X)
    np.testing.assert_array_equal(model.decision_function(frame), expected)
    reordered = frame[["feature 1", "feature 0", "feature 2", "feature 3"]]
    with pytest.raises(ValueError, match="in the same order"):
        model.decision_function(reordered)
    renamed = frame.rename(**{"columns" if library == "pandas" else "mapping": {"feature 1": "?"}})
    with pytest.raises(ValueError, match=r"unseen at fit time:\n- \?"):
        model.predict(renamed)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)


@pytest.mark.parametrize("library", FRAMES)
def test_labels_as_columns_of_frames(library):
    X, y = standardised(load_iris)
    series = {"pandas": pd.Series, "polars": pl.Series}[library]
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = BandedSVC().fit(named_frame(library, X), series(names.tolist()))
    np.testing.assert_array_equal(model.classes_, ["setosa", "versicolor", "virginica"])
    assert np.mean(model.predict(named_frame(library, X)) == names) > 0.95


@pytest.mark.parametrize("library", FRAMES)
def test_transformers_that_hand_over_frames(library):
    X, y = load_breast_cancer(return_X_y=True)
    frame = named_frame(library, X)
    expected = scaled_model().fit(X, y).decision_function(X)
    with sklearn.config_context(transform_output=library):
        model = scaled_model().fit(frame, y)
        np.testing.assert_array_equal(model["svm"].feature_names_in_, list(frame.columns))
        np.testing.assert_allclose(model.decision_function(frame), expected, rtol=0, atol=1e-10)
    assert roc_auc_score(y, expected) > 0.99


@pytest.mark.parametrize("library", FRAMES)
def test_set_output_of_a_pipeline(library):
    X, y = load_wine(return_X_y=True)
    frame = named_frame(library, X)
    model = scaled_model()
    model["scale"].set_output(transform=library)
    model.fit(frame, y)
    assert isinstance(model[:-1].transform(frame), FRAMES[library])
    np.testing.assert_array_equal(model["svm"].feature_names_in_, list(frame.columns))
    assert model.score(frame, y) > 0.95
