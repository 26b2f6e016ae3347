"""Twenty programs as people write them with `sklearn.svm`; ``svm`` is that module, or ours.

Each returns what it prints at the end: labels, scores or numbers.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import sklearn
from numpy.typing import ArrayLike
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    train_test_split,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

PROGRAMS: dict[str, Callable[[ModuleType], ArrayLike]] = {}


def program(run: Callable[[ModuleType], ArrayLike]) -> Callable[[ModuleType], ArrayLike]:
    """Add a program to the list, by the first line of its docstring."""
    PROGRAMS[(run.__doc__ or "").rstrip(".")] = run
    return run


def halves(load: Any) -> Any:
    """Return training samples, test samples and their labels of a data set."""
    return train_test_split(*load(return_X_y=True), random_state=0)


@program
def _(svm: ModuleType) -> ArrayLike:
    """Fit and predict."""
    X, Z, y, _ = halves(load_iris)
    return svm.SVC().fit(X, y).predict(Z)


@program
def _(svm: ModuleType) -> ArrayLike:
    """Pipeline with scaling."""
    X, Z, y, _ = halves(load_breast_cancer)
    return make_pipeline(StandardScaler(), svm.SVC(C=10)).fit(X, y).predict(Z)


@program
def _(svm: ModuleType) -> ArrayLike:
    """Grid search over C and gamma."""
    X, Z, y, _ = halves(load_digits)
    grid = {"svc__C": [1, 10], "svc__gamma": ["scale", 1e-2]}
    search = GridSearchCV(make_pipeline(StandardScaler(), svm.SVC()), grid, cv=3)
    return search.fit(X[:600], y[:600]).predict(Z)


@program
def _(svm: ModuleType) -> ArrayLike:
    """Cross-validation of three kernels."""
    X, y = load_wine(return_X_y=True)
    models = (svm.SVC(kernel=kernel, gamma="auto") for kernel in ("linear", "rbf", "poly"))
    scores = [cross_val_score(make_pipeline(StandardScaler(), m), X, y) for m in models]
    return np.concatenate(scores)


@program
def _(svm: ModuleType) -> ArrayLike:
    """Stacking."""
    X, Z, y, _ = halves(load_wine)
    models = [("rbf", make_pipeline(StandardScaler(), svm.SVC())), ("lin", svm.LinearSVC(C=0.01))]
    return StackingClassifier(models, LogisticRegression()).fit(X / 100, y).predict(Z / 100)


@program
def _(svm: ModuleType) -> ArrayLike:
    """Voting."""
    X, Z, y, _ = halves(load_iris)
    models = [("a", svm.SVC()), ("b", svm.SVC(kernel="linear")), ("c", svm.SVC(kernel="poly"))]
    return VotingClassifier(models).fit(X, y).predict(Z)


@program
def _(svm: ModuleType) -> ArrayLike:
    """Bagging."""
    X, Z, y, _ = halves(load_wine)
    model = BaggingClassifier(svm.SVC(), n_estimators=10, random_state=0)
    return make_pipeline(StandardScaler(), model).fit(X, y).predict(Z)


@program
def _(svm: ModuleType) -> ArrayLike:
    """Calibrated probabilities."""
    X, Z, y, _ = halves(load_breast_cancer)
    model = CalibratedClassifierCV(svm.SVC(), ensemble=False)
    return make_pipeline(StandardScaler(), model).fit(X, y).predict_proba(Z)[:, 1]


@program
def _(svm: ModuleType) -> ArrayLike:
    """Permutation importance."""
    X, Z, y, t = halves(load_wine)
    model = make_pipeline(StandardScaler(), svm.SVC()).fit(X, y)
    return permutation_importance(model, Z, t, n_repeats=5, random_state=0).importances_mean


@program
def _(svm: ModuleType) -> ArrayLike:
    """Learning curve."""
    X, y = load_digits(return_X_y=True)
    _, _, scores = learning_curve(svm.SVC(gamma=1e-3), X[:700], y[:700], cv=3)
    return scores.ravel()


@program
def _(svm: ModuleType) -> ArrayLike:
    """Recursive feature elimination."""
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    return RFE(svm.SVC(kernel="linear"), n_features_to_select=5, step=5).fit(X, y).ranking_


@program
def _(svm: ModuleType) -> ArrayLike:
    """Feature selection by a linear model."""
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    return SelectFromModel(svm.LinearSVC(C=0.01)).fit(X, y).get_support()


@program
def _(svm: ModuleType) -> ArrayLike:
    """Text by TF-IDF and LinearSVC."""
    names = load_iris().target_names.tolist()
    texts = [f"{a} {b} {a}" for a in names for b in names] * 5
    labels = [text.split()[0] for text in texts]
    model = make_pipeline(TfidfVectorizer(), svm.LinearSVC()).fit(texts, labels)
    return model.predict(texts)


@program
def _(svm: ModuleType) -> ArrayLike:
    """Pickle and predict."""
    X, Z, y, _ = halves(load_digits)
    model = pickle.loads(pickle.dumps(svm.SVC(kernel="poly").fit(X[:500], y[:500])))
    return model.predict(Z)


@program
def _(svm: ModuleType) -> ArrayLike:
    """Data frame and set_output."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    columns = make_column_transformer((StandardScaler(), list(X.columns)))
    model = make_pipeline(columns, FunctionTransformer(), svm.SVC()).set_output(transform="pandas")
    return model.fit(X, y).predict(X)


@program
def _(svm: ModuleType) -> ArrayLike:
    """Polars data frame."""
    import polars as pl

    data = load_wine()
    X = pl.DataFrame(data.data, schema=data.feature_names)
    return make_pipeline(StandardScaler(), svm.SVC()).fit(X, data.target).predict(X)


@program
def _(svm: ModuleType) -> ArrayLike:
    """Metadata routing of weights."""
    X, y = load_iris(return_X_y=True)
    weights = np.where(y == 1, 3.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = svm.SVC().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        found = cross_validate(model, X, y, params={"sample_weight": weights})
    return found["test_score"]


@program
def _(svm: ModuleType) -> ArrayLike:
    """One-vs-rest with class weights and decision values."""
    X, y = load_iris(return_X_y=True)
    model = OneVsRestClassifier(svm.SVC(class_weight="balanced"))
    return cross_val_predict(model, X, y, method="decision_function").argmax(axis=1)


@program
def _(svm: ModuleType) -> ArrayLike:
    """Regression with scaled targets, and several targets."""
    X, Z, y, _ = halves(load_diabetes)
    one = TransformedTargetRegressor(svm.SVR(C=3), transformer=StandardScaler()).fit(X, y)
    many = MultiOutputRegressor(svm.LinearSVR(C=3)).fit(X, np.column_stack([y, -y]) / y.std())
    return np.concatenate([one.predict(Z) / y.std(), many.predict(Z).ravel()])


@program
def _(svm: ModuleType) -> ArrayLike:
    """Outliers."""
    X, Z, y, _ = halves(load_iris)
    return svm.OneClassSVM(nu=0.1).fit(X[y == 0]).predict(Z)
