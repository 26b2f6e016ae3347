"""What the page shows of a part of a table, as values that JSON takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.decomposition import PCA, TruncatedSVD

from bandsvm._checks.parameters import band_parameters
from bandsvm._decisions.position import POSITIONS
from bandsvm._system.text import short_text
from bandsvm._tables.labels import class_places
from bandsvm._workflow.description import certificate_values
from bandsvm._workflow.evaluation import SEED_OF_POINTS, drawn_samples, histogram_edges
from bandsvm._workflow.holdout import MAX_CLASSES, PLACE_WORDS, TablePart
from bandsvm._workflow.naming import page_name
from bandsvm.metrics import risk_coverage_curve

MIN_BINS, MAX_BINS = 10, 40
# Stops of the slider of abstention.
STOPS = 101
# Features that axes offer.
MAX_AXES = 200
COMPONENTS = ("first principal component", "second principal component")
VALUE, VALUE_OF_SEVERAL = "decision value g(x)", "decision value of the predicted class"


def overview(part: TablePart) -> dict[str, Any]:
    """Return the figures of a model and how samples lie against its band."""
    classifier, predictions, result = part.classifier, part.predictions, part.predictions.quality
    band = band_parameters(classifier, classifier.classes_)
    about: dict[str, Any] = {
        "role": part.role,
        "data": part.table.describe(page_name),
        "classes": part.classes[:MAX_CLASSES],
        "n_classes": len(part.classes),
        "n_samples": len(part.places),
        "accuracy": None if result is None else result.accuracy,
        "n_wrong": None if result is None else result.n_samples - result.n_right,
        "positions": {
            word: int(np.sum(predictions.position == place)) for place, word in PLACE_WORDS.items()
        },
        "rho1": band.rho1[:MAX_CLASSES].tolist(),
        "rho2": band.rho2[:MAX_CLASSES].tolist(),
        "parameters": classifier.get_params(),
        "certificate": None,
    }
    certificate = getattr(classifier, "certificate_", None)
    if certificate is not None:
        about["certificate"] = certificate_values(certificate) | {"text": repr(certificate)}
    if hasattr(classifier, "dual_coef_"):
        about["gamma"] = classifier.gamma_
        about["n_support"] = classifier.dual_coef_.shape[1]
    return about


def class_scores(part: TablePart) -> dict[str, Any]:
    """Return accuracy, and precision, recall and f1 of each class, of samples with labels."""
    result = part.predictions.quality
    assert result is not None
    return {
        "role": part.role,
        "n_samples": result.n_samples,
        "n_wrong": result.n_samples - result.n_right,
        "accuracy": result.accuracy,
        "classes": result.values()["per_class"][:MAX_CLASSES],
        "n_classes": len(result.names),
    }


def distribution(part: TablePart, k: int = 0) -> dict[str, Any]:
    """Return histograms of decision values: of both classes, or of class ``k`` and the rest.

    Without labels, samples count to the class that is predicted.
    """
    predictions, names = part.predictions, part.classes
    codes = predictions.codes
    band = band_parameters(part.classifier, part.classifier.classes_)
    if len(names) == 2:
        values = predictions.values
        groups: Sequence[tuple[str, NDArray]] = [(names[0], codes == 0), (names[1], codes == 1)]
        bands = [(-band.rho2[0], -band.rho1[0]), (band.rho1[1], band.rho2[1])]
    else:
        if not 0 <= k < len(names):
            raise ValueError(f"class must be from 0 to {len(names) - 1}, got {k}.")
        values = predictions.of_class(k)
        groups = [("all other classes", codes != k), (names[k], codes == k)]
        bands = [(-band.rho2[k], -band.rho1[k]), (band.rho1[k], band.rho2[k])]
    n_bins = int(np.clip(2.0 * np.sqrt(len(values)), MIN_BINS, MAX_BINS))
    edges = histogram_edges(values, n_bins)
    return {
        "role": part.role,
        "edges": edges.tolist(),
        "groups": [
            {"name": name, "counts": np.histogram(values[chosen], edges)[0].tolist()}
            for name, chosen in groups
        ],
        "bands": [[float(low), float(high)] for low, high in bands],
        "class": k,
        "classes": names[:MAX_CLASSES],
        "is_by_label": predictions.true_codes is not None,
    }


def abstention(part: TablePart) -> dict[str, Any]:
    """Return, at every stop of a slider, the threshold, coverage, risk and confusion matrix.

    The score of a sample is how far its predicted class is ahead, as in `SelectiveClassifier`; the
    model abstains below the threshold. Stops go from no abstention to almost none kept.
    """
    predictions, result = part.predictions, part.predictions.quality
    if result is None:
        raise ValueError("The file has no labels, so nothing tells which predictions are right.")
    score, predicted = part.score, predictions.predicted
    assert predictions.y is not None
    true, given = class_places(predictions.y, np.array(result.names)), predictions.predicted_codes
    curve = risk_coverage_curve(true, given, score)
    coverage, risk, thresholds = (values[::-1] for values in curve)  # from all samples down
    edge = _lower_edge(part)
    # Stops are evenly spread thresholds, which rise, and the first in the band.
    places = [*np.linspace(0, len(thresholds) - 1, STOPS).round()]
    if edge is not None:
        places.append(min(np.searchsorted(thresholds, edge), len(thresholds) - 1))
    at = np.unique(np.array(places, np.intp))
    stops = thresholds[at]
    names = [short_text(name) for name in result.names]
    about: dict[str, Any] = {
        "role": part.role,
        "classes": names,
        "threshold": stops.tolist(),
        "coverage": coverage[at].tolist(),
        "risk": risk[at].tolist(),
        "n_samples": len(predicted),
        "band_stop": None,
        "confusion": None,
    }
    if edge is not None and stops[-1] >= edge:
        # All doubtful samples are left out here.
        about["band_stop"] = int(np.searchsorted(stops, edge))
    if len(names) <= MAX_CLASSES:
        about["confusion"] = _confusions(true, given, score, stops, len(names))
    return about


def _lower_edge(part: TablePart) -> float | None:
    """Return the lower edge of the band, if it is one number on the scale of the scores."""
    band = band_parameters(part.classifier, part.classifier.classes_)
    is_one = len(band.rho1) == 2 and band.rho1[0] == band.rho1[1]
    return float(band.rho1[0]) if is_one else None


def _confusions(
    true: NDArray, given: NDArray, score: NDArray, thresholds: NDArray, n_classes: int
) -> list[list[list[int]]]:
    """Return a confusion matrix of the samples kept at each threshold, rising."""
    cells = true * n_classes + given
    # A sample is kept up to the last threshold that its score reaches.
    last = np.searchsorted(thresholds, score, side="right") - 1
    counts = np.zeros((len(thresholds), n_classes**2), dtype=np.intp)
    np.add.at(counts, (last, cells), 1)
    kept = counts[::-1].cumsum(axis=0)[::-1]
    return kept.reshape(len(thresholds), n_classes, n_classes).tolist()


def axes(part: TablePart) -> list[str]:
    """Return what an axis may show: components, the decision value, features that are numbers."""
    n_components = min(len(COMPONENTS), part.predictions.X.shape[1])
    names = [short_text(name) for name in _numbers(part)[:MAX_AXES]]
    value = VALUE if len(part.classes) == 2 else VALUE_OF_SEVERAL
    return [*COMPONENTS[:n_components], value, *names]


def project(part: TablePart, x: int = 0, y: int = 1) -> dict[str, Any]:
    """Return points: their places along two of `axes`, positions, classes and row numbers."""
    names = axes(part)
    for name, axis in (("x", x), ("y", y)):
        if not 0 <= axis < len(names):
            raise ValueError(f"{name} must be an axis from 0 to {len(names) - 1}, got {axis}.")
    predictions = part.predictions
    chosen = drawn_samples(len(part.places))
    return {
        "role": part.role,
        "axes": names,
        "x": x,
        "y": y,
        "n_samples": len(part.places),
        "xs": _along(part, x)[chosen].astype(np.float64).tolist(),
        "ys": _along(part, y)[chosen].astype(np.float64).tolist(),
        "position": [
            POSITIONS.tolist().index(place) for place in predictions.position[chosen].tolist()
        ],
        "true": predictions.codes[chosen].tolist(),
        "given": predictions.predicted_codes[chosen].tolist(),
        "value": predictions.decision[chosen].astype(np.float64).tolist(),
        "row": (part.places[chosen] + 1).tolist(),
        "classes": part.classes,
        "explained": _components(part)[1],
        "has_labels": predictions.true_codes is not None,
    }


def _numbers(part: TablePart) -> list[str]:
    """Return the names of the features that are numbers."""
    return [name for name in part.feature_names if name not in set(part.table.texts)]


def _along(part: TablePart, axis: int) -> NDArray:
    """Return where samples lie along an axis."""
    n_components = min(len(COMPONENTS), part.predictions.X.shape[1])
    if axis < n_components:
        return _components(part)[0][:, axis]
    if axis == n_components:
        return part.predictions.decision
    return part.feature(part.feature_names.index(_numbers(part)[axis - n_components - 1]))


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
