"""``probability=True``: as in scikit-learn, by folds of its own."""

import warnings

import numpy as np
import pytest
import sklearn.svm
from scipy.optimize import minimize
from sklearn.datasets import load_iris

from bandsvm._compat import NO_PROBABILITY
from bandsvm.svm import SVC
from bandsvm.svm._probabilities import pair_probabilities

X, y = load_iris(return_X_y=True)
pytestmark = pytest.mark.filterwarnings("ignore:.*probability:FutureWarning")


@pytest.mark.parametrize("classes", [(0, 1, 2), (1, 2)])
@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_probabilities_are_near_those_of_sklearn(classes, kernel):
    """Both deal out samples to folds at random."""
    some = np.isin(y, classes)
    A = X[some] @ X[some].T if kernel == "precomputed" else X[some]
    settings = {"probability": True, "random_state": 0, "kernel": kernel}
    found = SVC(**settings).fit(A, y[some]).predict_proba(A)
    expected = sklearn.svm.SVC(**settings).fit(A, y[some]).predict_proba(A)
    assert found.shape == expected.shape
    assert np.abs(found - expected).mean() <= 0.01


def test_pairs_are_coupled_as_wu_lin_and_weng_say():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(5, 6))
    found = pair_probabilities(-np.ones(6), np.zeros(6), values, 4)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    i, j = np.triu_indices(4, k=1)
    for row, p in zip(1.0 / (1.0 + np.exp(-values)), found, strict=True):

        def loss(q, row=row):
            return (((1.0 - row) * q[i] - row * q[j]) ** 2).sum()

        total = {"type": "eq", "fun": lambda q: q.sum() - 1.0}
        best = minimize(loss, np.full(4, 0.25), constraints=total, tol=1e-12)
        np.testing.assert_allclose(p, best.x, atol=1e-5)


def test_same_seed_same_probabilities():
    models = [SVC(probability=True, random_state=3).fit(X, y) for _ in range(2)]
    np.testing.assert_array_equal(*(model.predict_proba(X) for model in models))


@pytest.mark.skipif(NO_PROBABILITY != "deprecated", reason="not deprecated in this version")
def test_deprecations():
    with pytest.warns(FutureWarning, match="probability"):
        model = SVC(probability=True).fit(X, y)
    with pytest.warns(FutureWarning, match="probA_"):
        assert model.probA_.shape == (3,)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SVC().fit(X, y)
