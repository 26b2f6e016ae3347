"""What the page shows of a part of a table, as values that JSON takes.

What depends on the kind of targets, the part's `PageTask` says.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.decomposition import PCA, TruncatedSVD

from bandsvm._system.text import short_text
from bandsvm._workflow.description import certificate_values
from bandsvm._workflow.evaluation import SEED_OF_POINTS, drawn_samples
from bandsvm._workflow.holdout import TablePart
from bandsvm._workflow.naming import page_name
from bandsvm._workflow.page_tasks import page_task
from bandsvm._workflow.pipeline import estimator_of

# Features that axes offer.
MAX_AXES = 200
COMPONENTS = ("first principal component", "second principal component")


def overview(part: TablePart) -> dict[str, Any]:
    """Return the figures of a model and of what it says of samples."""
    estimator = estimator_of(part.model)
    about: dict[str, Any] = {
        "task": part.table.task,
        "role": part.role,
        "data": part.table.describe(page_name),
        "n_samples": len(part.places),
        **page_task(part).figures(part),
        "parameters": estimator.get_params(),
        "certificate": None,
    }
    certificate = getattr(estimator, "certificate_", None)
    if certificate is not None:
        about["certificate"] = certificate_values(certificate) | {"text": repr(certificate)}
    if hasattr(estimator, "dual_coef_"):
        about["gamma"] = estimator.gamma_
        about["n_support"] = estimator.dual_coef_.shape[1]
    return about


def axes(part: TablePart) -> list[str]:
    """Return what an axis may show: components, predictions, features that are numbers."""
    n_components = min(len(COMPONENTS), part.predictions.X.shape[1])
    names = [short_text(name) for name in _numbers(part)[:MAX_AXES]]
    return [*COMPONENTS[:n_components], *page_task(part).axes(part), *names]


def project(part: TablePart, x: int = 0, y: int = 1) -> dict[str, Any]:
    """Return points: their places along two of `axes`, row numbers, what is said of them."""
    names = axes(part)
    for name, axis in (("x", x), ("y", y)):
        if not 0 <= axis < len(names):
            raise ValueError(f"{name} must be an axis from 0 to {len(names) - 1}, got {axis}.")
    chosen = drawn_samples(len(part.places))
    return {
        "role": part.role,
        "axes": names,
        "x": x,
        "y": y,
        "n_samples": len(part.places),
        "xs": _along(part, x)[chosen].astype(np.float64).tolist(),
        "ys": _along(part, y)[chosen].astype(np.float64).tolist(),
        "row": (part.places[chosen] + 1).tolist(),
        "explained": _components(part)[1],
        **page_task(part).points(part, chosen),
    }


def _numbers(part: TablePart) -> list[str]:
    """Return the names of the features that are numbers."""
    return [name for name in part.feature_names if name not in set(part.table.texts)]


def _along(part: TablePart, axis: int) -> NDArray:
    """Return where samples lie along an axis."""
    n_components = min(len(COMPONENTS), part.predictions.X.shape[1])
    if axis < n_components:
        return _components(part)[0][:, axis]
    of_predictions = list(page_task(part).axes(part).values())
    axis -= n_components
    if axis < len(of_predictions):
        return of_predictions[axis]
    return part.feature(part.feature_names.index(_numbers(part)[axis - len(of_predictions)]))


def _components(part: TablePart) -> tuple[NDArray, list[float]]:
    """Return principal components of the samples as the classifier takes them, computed once.

    Of sparse samples these are singular directions: centring would make them dense.
    """
    if "components" not in part.cache:
        X = part.predictions.X
        n_components = min(len(COMPONENTS), *X.shape)
        if sp.issparse(X) and X.shape[1] > n_components:
            method: Any = TruncatedSVD(n_components, random_state=SEED_OF_POINTS)
        else:
            X = X.toarray() if sp.issparse(X) else X
            method = PCA(n_components, random_state=SEED_OF_POINTS)
        places = method.fit_transform(X)
        shares = method.explained_variance_ratio_.tolist()
        part.cache["components"] = (places, shares)
    return part.cache["components"]
