"""What abstaining buys: the confusion matrix, risk and coverage at many thresholds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._checks.parameters import band_parameters
from bandsvm._system.text import shown
from bandsvm._tables.labels import class_places
from bandsvm._workflow.findings import MAX_CLASSES, Findings
from bandsvm.metrics import risk_coverage_curve

# Stops of the slider.
STOPS = 101


def abstention(findings: Findings) -> dict[str, Any]:
    """Return, at every stop of a slider, the threshold, coverage, risk and confusion matrix.

    The score of a sample is how far its predicted class is ahead, as in `SelectiveClassifier`; the
    model abstains below the threshold. Stops go from no abstention to almost none kept.
    """
    judged, result = findings.judged, findings.quality
    if result is None:
        raise ValueError("The file has no labels, so nothing tells which predictions are right.")
    score, predicted = findings.score, judged.predicted
    assert judged.y is not None
    true, given = class_places(judged.y, np.array(result.names)), judged.given
    curve = risk_coverage_curve(true, given, score)
    coverage, risk, thresholds = (part[::-1] for part in curve)  # from all samples down
    at = _stops(thresholds, _edge(findings))
    names = [shown(name) for name in result.names]
    about: dict[str, Any] = {
        "role": findings.role,
        "classes": names,
        "threshold": thresholds[at].tolist(),
        "coverage": coverage[at].tolist(),
        "risk": risk[at].tolist(),
        "n_samples": len(predicted),
        "band_stop": _stop_at_band(thresholds[at], _edge(findings)),
        "confusion": None,
    }
    if len(names) <= MAX_CLASSES:
        about["confusion"] = _confusions(true, given, score, thresholds[at], len(names))
    return about


def _edge(findings: Findings) -> float | None:
    """Return the lower edge of the band, if it is one number on the scale of the scores."""
    band = band_parameters(findings.classifier, findings.classifier.classes_)
    is_one = len(band.rho1) == 2 and band.rho1[0] == band.rho1[1]
    return float(band.rho1[0]) if is_one else None


def _stops(thresholds: NDArray, edge: float | None) -> NDArray[np.intp]:
    """Return which of rising thresholds are stops: evenly spread, and the first in the band."""
    spread = np.linspace(0, len(thresholds) - 1, STOPS).round()
    at_edge = [] if edge is None else [float(np.searchsorted(thresholds, edge))]
    at = np.concatenate([spread, at_edge]).astype(np.intp)
    return np.unique(np.minimum(at, len(thresholds) - 1))


def _stop_at_band(stops: NDArray, edge: float | None) -> int | None:
    """Return the stop at which all doubtful samples are left out, if there is one."""
    if edge is None or stops[-1] < edge:
        return None
    return int(np.searchsorted(stops, edge))


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
