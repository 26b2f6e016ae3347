"""Models that were stored, copied or cloned are the same models."""

import copy
import io
import pickle
from typing import NamedTuple

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
import skops.io
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedSVC

OUR_TYPES = {"bandsvm._estimators.kernel.BandedSVC", "bandsvm._certificate.certificate.Certificate"}
CSR = {"scipy.sparse._csr.csr_array"}


class Case(NamedTuple):
    """A model, its training set, and the types of others that its state holds."""

    model: BandedSVC
    X: object
    y: np.ndarray
    other_types: set


def make_case(name):
    """Return a fitted model by name."""
    X, y = load_iris(return_X_y=True)
    if name == "binary":
        X, y = load_breast_cancer(return_X_y=True)
        return Case(BandedSVC(C1={0: 1.0, 1: 2.0}).fit(X, y), X, y, set())
    if name == "multi-class":
        y = np.array(["a", "b", "c"])[y]
        return Case(BandedSVC(class_weight="balanced", warm_start=True).fit(X, y), X, y, set())
    if name == "sparse":
        X = sp.csr_array(X)
        return Case(BandedSVC(kernel="linear").fit(X, y), X, y, CSR)
    K = X @ X.T
    return Case(BandedSVC(kernel="precomputed").fit(K, y), K, y, set())


@pytest.fixture(params=["binary", "multi-class", "sparse", "precomputed"])
def case(request):
    """A fitted model."""
    return make_case(request.param)


def through_joblib(model):
    """Return a model that was written by joblib."""
    file = io.BytesIO()
    joblib.dump(model, file, compress=3)
    file.seek(0)
    return joblib.load(file)


def through_skops(model):
    """Return a model that was written by skops."""
    content = skops.io.dumps(model)
    return skops.io.loads(content, trusted=skops.io.get_untrusted_types(data=content))


WAYS = {
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "old pickle": lambda model: pickle.loads(pickle.dumps(model, protocol=2)),
    "joblib": through_joblib,
    "skops": through_skops,
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_everything_comes_back(case, way):
    again = way(case.model)
    assert again is not case.model
    assert again.get_params() == case.model.get_params()
    assert again.__dict__.keys() == case.model.__dict__.keys()
    for name, value in vars(case.model).items():
        other = getattr(again, name)
        assert type(other) is type(value), name
        if isinstance(value, np.ndarray):
            assert other.dtype == value.dtype
            np.testing.assert_array_equal(other, value)
    assert again.certificate_ == case.model.certificate_
    assert again.certificate_.status is case.model.certificate_.status
    assert repr(again.certificate_) == repr(case.model.certificate_)
    np.testing.assert_array_equal(
        again.decision_function(case.X), case.model.decision_function(case.X)
    )
    np.testing.assert_array_equal(again.predict(case.X), case.model.predict(case.X))
    assert again.certify(case.X, case.y).is_optimal


def test_skops_need_trust_our_own_types_only(case):
    content = skops.io.dumps(case.model)
    assert set(skops.io.get_untrusted_types(data=content)) == OUR_TYPES | case.other_types


def test_skops_of_a_pipeline():
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), BandedSVC()).fit(X, y)
    content = skops.io.dumps(model)
    assert set(skops.io.get_untrusted_types(data=content)) == OUR_TYPES
    again = skops.io.loads(content, trusted=sorted(OUR_TYPES))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


def test_clone_has_the_parameters_and_no_fit(case):
    again = clone(case.model)
    assert again.get_params() == case.model.get_params()
    assert not [name for name in vars(again) if name.endswith("_")]
    again.fit(case.X, case.y)
    np.testing.assert_array_equal(
        again.decision_function(case.X), case.model.decision_function(case.X)
    )


def test_stored_model_goes_on_from_where_it_was(case):
    again = pickle.loads(pickle.dumps(case.model)).set_params(warm_start=True)
    again.fit(case.X, case.y)
    assert again.n_iter_ <= len(case.model.intercept_)
    np.testing.assert_allclose(
        again.decision_function(case.X), case.model.decision_function(case.X), atol=1e-8
    )
