"""What the page shows of samples and the classes that a model gives them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._checks.parameters import band_parameters
from bandsvm._system.text import short_text
from bandsvm._tables.labels import class_places
from bandsvm._workflow.drawn import n_bins, position_codes
from bandsvm._workflow.evaluation import histogram_edges
from bandsvm._workflow.holdout import MAX_CLASSES, PLACE_WORDS, TablePart
from bandsvm.metrics import risk_coverage_curve

# Stops of the slider of abstention.
STOPS = 101
VALUE, VALUE_OF_SEVERAL = "decision value g(x)", "decision value of the predicted class"
DECISION_VALUE = "decision value"


def figures(part: TablePart) -> dict[str, Any]:
    """Return how well classes are predicted, and how samples lie against the band."""
    classifier, predictions, result = part.classifier, part.predictions, part.predictions.quality
    band = band_parameters(classifier, classifier.classes_)
    return {
        "classes": part.classes[:MAX_CLASSES],
        "n_classes": len(part.classes),
        "accuracy": None if result is None else result.accuracy,
        "n_wrong": None if result is None else result.n_samples - result.n_right,
        "positions": {
            word: int(np.sum(predictions.position == place)) for place, word in PLACE_WORDS.items()
        },
        "rho1": band.rho1[:MAX_CLASSES].tolist(),
        "rho2": band.rho2[:MAX_CLASSES].tolist(),
    }


def columns(part: TablePart) -> dict[str, NDArray]:
    """Return what the table of samples says of labels and predictions."""
    predictions = part.predictions
    parts: dict[str, NDArray] = {}
    if predictions.y is not None:
        y = predictions.y
        parts["label"] = y.astype(object) if y.dtype.kind == "U" else y
    parts["predicted"] = predictions.predicted
    if (wrong := is_wrong(part)) is not None:
        parts["is right"] = np.where(wrong, "no", "yes")
    parts["place"] = np.array([PLACE_WORDS[place] for place in predictions.position.tolist()])
    parts[DECISION_VALUE] = predictions.decision.astype(np.float64)
    if len(part.classes) > 2:
        parts["lead"] = part.score
    return parts


def is_wrong(part: TablePart) -> NDArray[np.bool_] | None:
    """Return which predictions are wrong, where there are labels."""
    true = part.predictions.true_codes
    return None if true is None else true != part.predictions.predicted_codes


def order(part: TablePart, place: str) -> NDArray[np.float64]:
    """Return keys that sort the most doubtful first, or of extreme samples the most extreme."""
    return -part.score if place == PLACE_WORDS["above"] else part.score


def about_samples(part: TablePart) -> dict[str, Any]:
    """Return what else the table of samples needs: the classes."""
    return {"classes": part.classes[:MAX_CLASSES]}


def axes(part: TablePart) -> dict[str, NDArray]:
    """Return what an axis may show of predictions."""
    value = VALUE if len(part.classes) == 2 else VALUE_OF_SEVERAL
    return {value: part.predictions.decision}


def points(part: TablePart, chosen: NDArray[np.intp]) -> dict[str, Any]:
    """Return positions, classes and decision values of some samples."""
    predictions = part.predictions
    return {
        "position": position_codes(predictions.position[chosen]),
        "true": predictions.codes[chosen].tolist(),
        "given": predictions.predicted_codes[chosen].tolist(),
        "value": predictions.decision[chosen].astype(np.float64).tolist(),
        "classes": part.classes,
        "has_labels": predictions.true_codes is not None,
    }


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
    edges = histogram_edges(values, n_bins(len(values)))
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
