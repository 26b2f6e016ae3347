"""Measures of decision values: sensitivity, coverage of the band, balance, and risk."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import make_scorer
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import type_of_target

from bandsvm._decisions.position import BandCoverage, band_positions
from bandsvm._defaults import DEFAULT_RHO2

__all__ = [
    "BandCoverage",
    "ClusterBalance",
    "band_coverage",
    "cluster_balance",
    "risk_coverage_area",
    "risk_coverage_curve",
    "sensitivity_area",
    "sensitivity_area_scorer",
    "sensitivity_curve",
]


class ClusterBalance(NamedTuple):
    """Groups, the mean ``|g(x)|`` of each, and the smallest mean divided by the largest.

    Examples
    --------
    >>> from bandsvm.metrics import cluster_balance
    >>> balance = cluster_balance([1.0, -1.0, 4.0], ["a", "a", "b"])
    >>> balance.groups.tolist(), balance.means.tolist(), balance.ratio
    (['a', 'b'], [1.0, 4.0], 0.25)
    """

    groups: NDArray
    means: NDArray[np.float64]
    ratio: float


def sensitivity_curve(
    y_true: ArrayLike,
    decision: ArrayLike,
    *,
    n_thresholds: int = 50,
    largest: float | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the share of samples whose signed decision value reaches each threshold.

    The curve of the paper's figure 4: ``S(t) = mean(y g(x) >= t)`` at thresholds between 0 and the
    largest ``|g(x)|``. At 0 it is the accuracy; it falls slowly if samples get comparable
    scores.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; the greater one is the class of positive decision values.
    decision : array-like of shape (n_samples,)
        Decision values g(x).
    n_thresholds : int, default=50
        Number of equally spaced thresholds.
    largest : float, default=None
        The absolute decision value that counts as 100 per cent; None takes the largest one in
        `decision`. To compare test with training samples, pass that of the training samples.

    Returns
    -------
    percentages : ndarray of shape (n_thresholds,)
        Thresholds in per cent of the largest value.
    sensitivity : ndarray of shape (n_thresholds,)
        S(t), between 0 and 1.

    Examples
    --------
    >>> from bandsvm.metrics import sensitivity_curve
    >>> percentages, sensitivity = sensitivity_curve([0, 0, 1, 1], [-2, 1, 1, 4], n_thresholds=3)
    >>> percentages.tolist(), sensitivity.tolist()
    ([0.0, 50.0, 100.0], [0.75, 0.5, 0.25])
    """
    if n_thresholds < 2:
        raise ValueError(f"n_thresholds must be at least 2, got {n_thresholds!r}.")
    signed = _signed(y_true, decision)
    largest = _largest(signed, largest)
    shares = np.linspace(0.0, 1.0, n_thresholds)
    reached = np.sort(signed)
    n_below = np.searchsorted(reached, shares * largest, side="left")
    return 100.0 * shares, 1.0 - n_below / len(signed)


def sensitivity_area(
    y_true: ArrayLike, decision: ArrayLike, *, largest: float | None = None
) -> float:
    """Return the area under the sensitivity curve, between 0 and 1.

    It is the mean of ``y g(x)``, with negative values set to 0, divided by the largest ``|g(x)|``:
    1 if all samples are classified correctly with the same score.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; the greater one is the class of positive decision values.
    decision : array-like of shape (n_samples,)
        Decision values g(x).
    largest : float, default=None
        The absolute decision value that counts as 100 per cent; None takes the largest one in
        `decision`.

    Returns
    -------
    float
        The area; exact, not a sum over thresholds.

    Examples
    --------
    >>> from bandsvm.metrics import sensitivity_area
    >>> sensitivity_area([0, 0, 1, 1], [-2, 1, 1, 4])
    0.4375
    """
    signed = _signed(y_true, decision)
    return float(np.clip(signed / _largest(signed, largest), 0.0, 1.0).mean())


sensitivity_area_scorer = make_scorer(sensitivity_area, response_method="decision_function")


def band_coverage(
    y_true: ArrayLike, decision: ArrayLike, *, rho1: float = 1.0, rho2: float = DEFAULT_RHO2
) -> BandCoverage:
    """Return the shares of samples whose signed decision value lies below, inside and above a band.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; the greater one is the class of positive decision values.
    decision : array-like of shape (n_samples,)
        Decision values g(x).
    rho1, rho2 : float, default=1.0, 3.0
        Edges of the band; samples on an edge, up to rounding, are inside.

    Returns
    -------
    BandCoverage
        Shares of doubtful, typical and extreme samples.

    Examples
    --------
    >>> from bandsvm.metrics import band_coverage
    >>> band_coverage([0, 0, 1, 1], [-1.2, 0.3, 1.0, 4.0])
    BandCoverage(below=0.25, inside=0.5, above=0.25)
    """
    if not 0.0 < rho1 <= rho2:
        raise ValueError(f"rho1 and rho2 must satisfy 0 < rho1 <= rho2, got {rho1!r} and {rho2!r}.")
    return band_positions(_signed(y_true, decision), rho1, rho2).shares


def cluster_balance(decision: ArrayLike, groups: ArrayLike) -> ClusterBalance:
    """Return how comparable the scores of groups of samples are.

    Parameters
    ----------
    decision : array-like of shape (n_samples,)
        Decision values g(x).
    groups : array-like of shape (n_samples,)
        Group of each sample, for example its sub-cluster within a class.

    Returns
    -------
    ClusterBalance
        The groups, the mean ``|g(x)|`` of each, and the ratio of the smallest mean to the largest:
        1 if all groups get the same scores.

    Examples
    --------
    >>> from bandsvm.metrics import cluster_balance
    >>> cluster_balance([1.0, -1.0, 4.0], ["a", "a", "b"]).ratio
    0.25
    """
    sizes = np.abs(column_or_1d(decision).astype(np.float64))
    check_consistent_length(sizes, groups)
    found, group_of = np.unique(np.asarray(groups), return_inverse=True)
    means = np.bincount(group_of, weights=sizes) / np.bincount(group_of)
    largest = float(means.max())
    return ClusterBalance(found, means, float(means.min()) / largest if largest > 0.0 else 1.0)


def risk_coverage_curve(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the error among the samples of highest score, for every number of samples kept.

    A model that abstains below a threshold keeps the samples whose score reaches it. Its coverage
    is the share of samples kept; its risk is the share of errors among them.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    score : array-like of shape (n_samples,)
        Confidence of the model in each prediction, for example ``|g(x)|``.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples; None weights them equally.

    Returns
    -------
    coverage : ndarray of shape (n_thresholds,)
        Share of samples that are kept, rising to 1.
    risk : ndarray of shape (n_thresholds,)
        Share of errors among them.
    thresholds : ndarray of shape (n_thresholds,)
        Smallest score that is kept, falling. Samples of equal score share a point.

    Examples
    --------
    >>> from bandsvm.metrics import risk_coverage_curve
    >>> coverage, risk, _ = risk_coverage_curve([0, 1, 1, 1], [0, 1, 0, 1], [3, 2, 1, 2])
    >>> coverage.tolist(), risk.tolist()
    ([0.25, 0.75, 1.0], [0.0, 0.0, 0.25])
    """
    labels, predictions = column_or_1d(y_true), column_or_1d(y_pred)
    scores = column_or_1d(score).astype(np.float64)
    weights = np.ones(len(labels)) if sample_weight is None else column_or_1d(sample_weight)
    check_consistent_length(labels, predictions, scores, weights)
    if not np.isfinite(scores).all():
        raise ValueError("score must be finite, but it contains NaN or infinity.")
    if not (np.isfinite(weights).all() and (weights >= 0.0).all() and weights.any()):
        raise ValueError("sample_weight must hold finite numbers of at least 0, not all of them 0.")
    counted = weights > 0.0
    weights, wrong = weights[counted].astype(np.float64), (labels != predictions)[counted]
    thresholds, place = np.unique(-scores[counted], return_inverse=True)
    kept = np.cumsum(np.bincount(place, weights=weights))
    errors = np.cumsum(np.bincount(place, weights=weights * wrong))
    return kept / kept[-1], errors / kept, -thresholds


def risk_coverage_area(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the area under the risk-coverage curve: the mean risk over all coverages.

    It is small if errors are few and have low scores. An uninformative score gives about the error
    rate itself.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    score : array-like of shape (n_samples,)
        Confidence of the model in each prediction.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples; None weights them equally.

    Returns
    -------
    float
        The area under a step function: between two points of the curve, the risk is that of the
        larger coverage.

    Examples
    --------
    >>> from bandsvm.metrics import risk_coverage_area
    >>> risk_coverage_area([0, 1, 1, 1], [0, 1, 0, 1], [3, 2, 1, 2])
    0.0625
    """
    coverage, risk, _ = risk_coverage_curve(y_true, y_pred, score, sample_weight=sample_weight)
    return float(np.diff(coverage, prepend=0.0) @ risk)


def _signed(y_true: ArrayLike, decision: ArrayLike) -> NDArray[np.float64]:
    """Return ``y g(x)`` for labels of two classes."""
    labels, values = column_or_1d(y_true), column_or_1d(decision).astype(np.float64)
    check_consistent_length(labels, values)
    classes = np.unique(labels)
    if len(classes) > 2 or type_of_target(labels) not in ("binary", "multiclass"):
        raise ValueError(
            f"y_true must hold labels of two classes, got {len(classes)} different values; for "
            "more classes, compare one with the rest: y_true == label and its own column of "
            "decision values."
        )
    if len(classes) == 1:
        raise ValueError(f"y_true must hold both classes, got {classes[0]!r} only.")
    if not np.isfinite(values).all():
        raise ValueError("decision must be finite, but it contains NaN or infinity.")
    return np.where(labels == classes[1], values, -values)


def _largest(signed: NDArray, largest: float | None) -> float:
    """Return the absolute decision value that counts as 100 per cent."""
    if largest is None:
        # If all values are 0, no sample reaches a threshold above 0, whatever the unit.
        return float(np.abs(signed).max()) or 1.0
    if not (np.isfinite(largest) and largest > 0.0):
        raise ValueError(f"largest must be a finite number greater than 0, got {largest!r}.")
    return float(largest)
