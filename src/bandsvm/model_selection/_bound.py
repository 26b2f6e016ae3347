"""A bound on the leave-one-out error from a single fit (docs/theory.md, section 8)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier

from bandsvm._certificate import duality_gap
from bandsvm._estimators.banded import as_banded
from bandsvm._fitting.fitted import TrainingSet, decision_rule, training_set
from bandsvm._fitting.training import Training
from bandsvm._kernels import Samples
from bandsvm._problem.band_problem import BandProblem
from bandsvm._problem.band_problems import stacked

# Bound on the relative rounding errors of the terms in a comparison.
ROUNDING = 1e-12


@dataclass(frozen=True)
class LeaveOneOutBound:
    """A bound on the leave-one-out error from a single fit.

    Attributes
    ----------
    error : float
        Upper bound on the leave-one-out error: the share of samples at risk among those of
        positive weight.
    at_risk : ndarray of shape (n_at_risk,)
        Indices of the samples that could be misclassified when left out; no other can.
    margin : ndarray of shape (n_samples,)
        Lower bound on the signed decision value ``y g(x)`` of each sample when it is left out; with
        more than two classes, on its own class's value minus the largest other one or, with
        ``multi_class='ovo'``, on the least value of its own class in a pair. NaN for samples of
        weight 0.

    Examples
    --------
    >>> from bandsvm import BandedSVC
    >>> from bandsvm.datasets import make_paper_clusters
    >>> from bandsvm.model_selection import leave_one_out_bound
    >>> X, y = make_paper_clusters(20, random_state=0)
    >>> model = BandedSVC(C1=0.5, gamma=1.0, fit_intercept=False).fit(X, y)
    >>> bound = leave_one_out_bound(model, X, y)
    >>> len(bound.at_risk) == round(bound.error * len(y))
    True
    """

    error: float
    at_risk: NDArray[np.intp] = field(repr=False)
    margin: NDArray[np.float64] = field(repr=False)


def leave_one_out_bound(
    model: Any, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
) -> LeaveOneOutBound:
    """Bound the leave-one-out error of a model without intercept, without any refit.

    Only a sample with ``alpha > 0`` and ``y g(x) <= alpha K(x, x)`` can be misclassified by the
    model that is fitted without it; the duality gap of the fit is counted against every
    sample. The cost is that of predicting the training set.

    Parameters
    ----------
    model : BandedSVC
        A fitted model with ``fit_intercept=False`` and a positive semidefinite kernel.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The training samples, or their kernel matrix.
    y : array-like of shape (n_samples,)
        The training labels.
    sample_weight : array-like of shape (n_samples,), default=None
        The training weights. Samples of weight 0 are ignored; every other sample counts once.

    Returns
    -------
    LeaveOneOutBound
        The bound, and the samples that it counts.

    See Also
    --------
    leave_one_out : The exact error by refits, with or without intercept.

    Notes
    -----
    With more than two classes, the bounds of all problems together decide for which samples the
    own class stays ahead. With ``multi_class='ovo'`` it must win all of its pairs.

    Gamma and class weights are those of the fit to all samples.

    Examples
    --------
    >>> from bandsvm import BandedSVC
    >>> from bandsvm.datasets import make_paper_clusters
    >>> from bandsvm.model_selection import leave_one_out_bound
    >>> X, y = make_paper_clusters(20, random_state=0)
    >>> model = BandedSVC(C1=0.5, gamma=1.0, fit_intercept=False).fit(X, y)
    >>> print(f"{leave_one_out_bound(model, X, y).error:.3f}")
    0.333
    """
    if not is_classifier(model):
        raise TypeError(
            "leave_one_out_bound bounds errors of classifiers, got "
            f"{type(model).__name__}; use leave_one_out, which is exact for regressions too."
        )
    checked = training_set(as_banded(model), X, y, sample_weight, "leave_one_out_bound")
    check_theorem_holds(model)
    training, kernel = checked.training, checked.settings.kernel
    diagonal = (
        np.diagonal(checked.X)
        if kernel.is_precomputed
        else kernel.function().diagonal(Samples(checked.X))
    )
    of_kept = lowest_margin(
        training, checked.coefficients, _decision_values(checked), np.asarray(diagonal)
    )
    margin = np.full(len(checked.y), np.nan)
    margin[training.kept] = of_kept
    at_risk = training.kept[of_kept <= 0.0]
    return LeaveOneOutBound(len(at_risk) / len(training.kept), at_risk, margin)


def lowest_margin(
    training: Training, coefficients: NDArray, f: NDArray, diagonal: NDArray
) -> NDArray[np.float64]:
    """Return the least margin of the own class when a sample is left out, for all that are kept.

    All arguments are about all samples; ``coefficients`` and ``f`` have one row per problem.
    """
    lowest = []
    for k, (problem, members) in enumerate(zip(training.problems, training.members, strict=True)):
        signs, c, own_f = (rows[k, members] for rows in (training.signs, coefficients, f))
        lowest.append(lowest_signed_value(problem, signs, c, own_f, diagonal[members]))
    kept = training.kept
    return training.targets.strategy.min_margin(
        training.spread(stacked(lowest), np.inf)[:, kept], training.signs[:, kept]
    )


def lowest_signed_value(
    problem: BandProblem, signs: NDArray, c: NDArray, f: NDArray, diagonal: NDArray
) -> NDArray[np.float64]:
    """Return the least ``y g(x)`` that each sample can have when it is left out, Eq. (71)."""
    gap = max(duality_gap(problem, c, f, 0.0), 0.0)
    size, diagonal = np.abs(c), np.maximum(diagonal, 0.0)
    alpha = np.maximum(signs * c, 0.0)
    # 2 gap / (|c| + sqrt(c^2 + 4 gap / K_ii)), without dividing by a K_ii of 0.
    root = np.sqrt(diagonal)
    slack = root * 2.0 * gap
    divisor = size * root + np.sqrt(size**2 * diagonal + 4.0 * gap)
    slack = np.divide(slack, divisor, out=np.zeros_like(slack), where=divisor > 0.0)
    rounding = ROUNDING * (1.0 + np.abs(f) + size * diagonal)
    return signs * f - alpha * diagonal - slack - rounding


def _decision_values(checked: TrainingSet) -> NDArray[np.float64]:
    """Return K c of all samples, one row per problem, in double precision."""
    rule = replace(decision_rule(checked.model), intercept=np.zeros(len(checked.coefficients)))
    everything, support = np.arange(len(checked.y)), np.asarray(checked.model.support_)
    X = checked.X.astype(np.float64) if checked.X.dtype == np.float32 else checked.X
    return rule.of_training_samples(X, everything, support).T


def check_theorem_holds(model: Any) -> None:
    """Check that the model meets the assumptions of the theorem."""
    if model.fit_intercept:
        raise ValueError(
            "leave_one_out_bound holds for models without intercept only: fit with "
            "fit_intercept=False, or use leave_one_out, which is exact with an intercept too."
        )
    if model.kernel == "sigmoid" or (model.kernel == "poly" and model.coef0 < 0.0):
        raise ValueError(
            f"leave_one_out_bound needs a positive semidefinite kernel, which kernel="
            f"{model.kernel!r} with coef0={model.coef0!r} is not; use leave_one_out."
        )
