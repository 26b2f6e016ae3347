"""OneClassSVM is that of scikit-learn, offsets aside where an interval of them is optimal."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.datasets import load_iris

from bandsvm import OneClassBandedSVM
from bandsvm.svm import OneClassSVM

X, _ = load_iris(return_X_y=True)


@pytest.mark.parametrize("nu", [0.123, 0.5])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_outliers_are_those_of_sklearn(nu, kernel, is_sparse):
    samples = sp.csr_array(X) if is_sparse else X
    ours = OneClassSVM(nu=nu, kernel=kernel).fit(samples)
    theirs = sklearn.svm.OneClassSVM(nu=nu, kernel=kernel, tol=1e-8).fit(samples)
    if nu == 0.5:  # an interval of offsets is optimal
        scores = theirs.score_samples(samples)
        scale = np.abs(scores).max()
        np.testing.assert_allclose(ours.score_samples(samples), scores, atol=1e-4 * scale)
        return
    values = theirs.decision_function(samples)
    scale = np.abs(values).max()
    np.testing.assert_allclose(ours.decision_function(samples), values, atol=1e-4 * scale)
    np.testing.assert_allclose(ours.offset_, theirs.offset_, atol=1e-4 * scale)
    for name in ("dual_coef_", "support_", "n_support_", "intercept_", "support_vectors_"):
        assert type(getattr(ours, name)) is type(getattr(theirs, name))
        assert getattr(ours, name).dtype == getattr(theirs, name).dtype
    assert ours.predict(samples).dtype == theirs.predict(samples).dtype
    assert ours.certificate_.is_optimal


def test_weights_up_to_zero_leave_samples_out():
    weights = np.random.default_rng(0).uniform(-1.0, 2.0, len(X))
    ours = OneClassSVM(nu=0.3, gamma=0.2).fit(X, sample_weight=weights)
    theirs = sklearn.svm.OneClassSVM(nu=0.3, gamma=0.2, tol=1e-8).fit(X, sample_weight=weights)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), atol=1e-3)


def test_banded_and_callable():
    model = OneClassSVM(nu=0.2, kernel="linear").fit(X)
    other = OneClassSVM(nu=0.2, kernel=lambda A, B: A @ B.T).fit(X)
    np.testing.assert_allclose(other.decision_function(X), model.decision_function(X), atol=1e-6)
    assert isinstance(model.to_banded(), OneClassBandedSVM)
    for one in (model, other):
        values = one.to_banded().decision_function(X)
        np.testing.assert_allclose(values, one.decision_function(X), atol=1e-6)
