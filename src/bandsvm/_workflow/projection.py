"""Samples in the plane: along two features, or along principal components."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.decomposition import PCA, TruncatedSVD

from bandsvm._decisions.position import POSITIONS
from bandsvm._system.text import shown
from bandsvm._workflow.findings import Findings
from bandsvm._workflow.trial import rows_of

# Points that a picture shows, and features that its axes offer.
MAX_POINTS_DRAWN, MAX_AXES = 3000, 200
COMPONENTS = ("first principal component", "second principal component")
VALUE, VALUE_OF_SEVERAL = "decision value g(x)", "decision value of the predicted class"
SEED_OF_POINTS = 0


def axes(findings: Findings) -> list[str]:
    """Return what an axis may show: components, the decision value, features that are numbers."""
    n_components = min(len(COMPONENTS), findings.judged.X.shape[1])
    names = [shown(name) for name in _numbers(findings)[:MAX_AXES]]
    value = VALUE if len(findings.classes) == 2 else VALUE_OF_SEVERAL
    return [*COMPONENTS[:n_components], value, *names]


def project(findings: Findings, x: int = 0, y: int = 1) -> dict[str, Any]:
    """Return points: their places along two of `axes`, positions, classes and row numbers."""
    names = axes(findings)
    for name, axis in (("x", x), ("y", y)):
        if not 0 <= axis < len(names):
            raise ValueError(f"{name} must be an axis from 0 to {len(names) - 1}, got {axis}.")
    judged = findings.judged
    chosen = _some(len(findings.places))
    true = judged.given if judged.true is None else judged.true
    return {
        "role": findings.role,
        "axes": names,
        "x": x,
        "y": y,
        "n_samples": len(findings.places),
        "xs": _along(findings, x)[chosen].astype(np.float64).tolist(),
        "ys": _along(findings, y)[chosen].astype(np.float64).tolist(),
        "position": np.array(
            [POSITIONS.tolist().index(place) for place in judged.position[chosen].tolist()]
        ).tolist(),
        "true": true[chosen].tolist(),
        "given": judged.given[chosen].tolist(),
        "value": judged.decision[chosen].astype(np.float64).tolist(),
        "row": (findings.places[chosen] + 1).tolist(),
        "classes": findings.classes,
        "explained": _components(findings)[1],
        "has_labels": judged.true is not None,
    }


def _some(n_samples: int) -> NDArray[np.intp]:
    """Return which samples are drawn: all, or as many as a picture can show, at random."""
    if n_samples <= MAX_POINTS_DRAWN:
        return np.arange(n_samples)
    generator = np.random.default_rng(SEED_OF_POINTS)
    return np.sort(generator.choice(n_samples, MAX_POINTS_DRAWN, replace=False))


def _numbers(findings: Findings) -> list[str]:
    """Return the names of the features that are numbers."""
    table = findings.table
    if sp.issparse(table.X):
        return []
    names = table.names or [f"column {k + 1}" for k in range(table.X.shape[1])]
    return [name for name in names if name not in set(table.texts)]


def _along(findings: Findings, axis: int) -> NDArray:
    """Return where samples lie along an axis; a missing number is nan."""
    n_components = min(len(COMPONENTS), findings.judged.X.shape[1])
    if axis < n_components:
        return _components(findings)[0][:, axis]
    if axis == n_components:
        return findings.judged.decision
    name = _numbers(findings)[axis - n_components - 1]
    rows = rows_of(findings.table.X, findings.places)
    if hasattr(rows, "columns"):
        return rows[name].to_numpy(np.float64)
    table = findings.table
    return rows[:, axis - n_components - 1 if table.names is None else table.names.index(name)]


def _components(findings: Findings) -> tuple[NDArray, list[float]]:
    """Return principal components of the samples as the classifier takes them, computed once.

    Of sparse samples these are singular directions: centring would make them dense.
    """
    if "components" not in findings.kept:
        X = findings.judged.X
        n_components = min(len(COMPONENTS), *X.shape)
        if sp.issparse(X) and X.shape[1] > n_components:
            method: Any = TruncatedSVD(n_components, random_state=SEED_OF_POINTS)
        else:
            X = X.toarray() if sp.issparse(X) else X
            method = PCA(n_components, random_state=SEED_OF_POINTS)
        places = method.fit_transform(X)
        shares = method.explained_variance_ratio_.tolist()
        findings.kept["components"] = (places, shares)
    return findings.kept["components"]
