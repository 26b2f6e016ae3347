"""`calibrate`: the probabilities of scikit-learn, without a second fit."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bandsvm
from bandsvm import BandedSVC, BandedSVCCV, LinearBandedSVC, calibrate

MODELS = {
    "kernel": BandedSVC(),
    "pairs of classes": BandedSVC(multi_class="ovo", decision_function_shape="ovo"),
    "one against the rest": BandedSVC(multi_class="ovr"),
    "linear": LinearBandedSVC(),
}


def halves(loader):
    X, y = loader(return_X_y=True)
    return X[::2], y[::2], X[1::2]


@pytest.mark.parametrize("loader", [load_breast_cancer, load_iris])
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_probabilities_are_those_of_scikit_learn(model, loader):
    X, y, new = halves(loader)
    fitted = make_pipeline(StandardScaler(), clone(model)).fit(X, y)
    ours = calibrate(fitted, X, y, cv=4).predict_proba(new)
    if isinstance(model, BandedSVC):
        model = BandedSVC(multi_class=model.multi_class)  # which has one value per class
    theirs = CalibratedClassifierCV(
        make_pipeline(StandardScaler(), model), ensemble=False, cv=StratifiedKFold(4)
    ).fit(X, y)
    np.testing.assert_allclose(ours, theirs.predict_proba(new), atol=1e-4)


@pytest.mark.parametrize("kind", [BandedSVC, LinearBandedSVC, BandedSVCCV])
def test_models_that_were_not_calibrated_say_what_to_do(kind):
    X, y = load_iris(return_X_y=True)
    search = {"C1": [1.0], "C2": [0.0], "gamma": [0.1]} if kind is BandedSVCCV else {}
    model = kind(**search)
    assert not hasattr(model, "predict_proba")
    model.fit(X, y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match=r"call bandsvm\.calibrate\(model, X, y\) after fit"):
        model.predict_proba(X)
    with pytest.raises(AttributeError) as caught:
        make_pipeline(StandardScaler(), kind(**search)).fit(X, y).predict_proba(X)
    assert "bandsvm.calibrate" in str(caught.value.__cause__ or caught.value)


@pytest.mark.parametrize("kind", [BandedSVC, LinearBandedSVC])
def test_another_fit_takes_probabilities_away(kind):
    X, y = load_iris(return_X_y=True)
    model = calibrate(kind().fit(X, y), X, y)
    assert model.predict_proba(X).shape == (150, 3)
    model.fit(X[:100], y[:100])
    assert not hasattr(model, "predict_proba")


def test_a_search_has_the_probabilities_of_its_best_model():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    search = BandedSVCCV(C1=[1.0], C2=[0.0], gamma=[0.01]).fit(X, y)
    calibrate(search, X, y)
    best = calibrate(BandedSVC(C2=0.0, **without(search.best_params_, "C2")).fit(X, y), X, y)
    np.testing.assert_allclose(search.predict_proba(X), best.predict_proba(X), atol=1e-6)


def without(parameters, *names):
    return {name: value for name, value in parameters.items() if name not in names}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_files_keep_them(model, tmp_path):
    X, y, new = halves(load_iris)
    fitted = calibrate(make_pipeline(StandardScaler(), clone(model)).fit(X, y), X, y)
    expected = fitted.predict_proba(new)
    bandsvm.save(fitted, tmp_path / "m.bsvm")
    np.testing.assert_array_equal(bandsvm.load(tmp_path / "m.bsvm").predict_proba(new), expected)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict_proba(new), expected)


@pytest.mark.parametrize(
    "wrong", [np.ones((2, 2)), np.ones(3), np.full((3, 2), np.nan), np.ones((3, 2), dtype=int)]
)
def test_files_hold_no_other_sigmoids(wrong, tmp_path):
    X, y = load_iris(return_X_y=True)
    model = calibrate(BandedSVC().fit(X, y), X, y)
    model.sigmoids_ = wrong
    with pytest.raises(ValueError, match="the parts of its BandedSVC do not fit together"):
        bandsvm.save(model, tmp_path / "m.bsvm")


def test_rare_classes_are_refused():
    X, y = load_iris(return_X_y=True)
    model = BandedSVC().fit(X[:103], y[:103])
    with pytest.raises(ValueError, match=r"at least 5 samples of every class, .* got 3 of class 2"):
        calibrate(model, X[:103], y[:103])
    assert calibrate(model, X[:103], y[:103], cv=3).predict_proba(X).shape == (150, 3)


def test_models_of_others_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"model must be a BandedSVC, .* got LogisticRegression"):
        calibrate(LogisticRegression(max_iter=1000).fit(X, y), X, y)
