"""What leaving out each sample says of a model: errors of classes, or errors of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bandsvm._checks.numbers import ends_of
from bandsvm._checks.tube_parameters import costs_of, quantiles_of
from bandsvm._fitting.classification import CLASSIFICATION
from bandsvm._fitting.fitted import TrainingSet
from bandsvm._fitting.regression import QUANTILE_REGRESSION, REGRESSION

# A label counts as settled if its decision value leads by more than this many times ``tol``.
SETTLED = 10.0


@dataclass(frozen=True)
class Refits:
    """What refits have cost."""

    n_refits: int
    n_pair_steps: int
    n_kernel_rows: int


@dataclass(frozen=True)
class LeaveOneOutResult:
    """Predictions for each sample by the model fitted without it.

    Attributes
    ----------
    error : float
        Share of misclassified samples among those of positive weight.
    predictions : ndarray of shape (n_samples,)
        Class of each sample, predicted by the model fitted without it.
    decision : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Decision values of each sample by that model.
    n_refits : int
        Number of solved problems; samples that are not support vectors need none.
    n_pair_steps, n_kernel_rows : int
        Their cost.

    Examples
    --------
    >>> from bandsvm import BandedSVC
    >>> from bandsvm.datasets import make_paper_clusters
    >>> from bandsvm.model_selection import leave_one_out
    >>> X, y = make_paper_clusters(20, random_state=0)
    >>> result = leave_one_out(BandedSVC(gamma=1.0).fit(X, y), X, y)
    >>> bool((result.predictions != y).mean() == result.error)
    True
    """

    error: float
    predictions: NDArray = field(repr=False)
    decision: NDArray[np.float64] = field(repr=False)
    n_refits: int
    n_pair_steps: int
    n_kernel_rows: int


@dataclass(frozen=True)
class LeaveOneOutErrors:
    """Predicted numbers for each sample by the model fitted without it.

    Where the target is an interval, the error is the distance from it.

    Attributes
    ----------
    absolute_error : float or ndarray of shape (n_quantiles,)
        Mean absolute error over the samples of positive weight; one for each quantile.
    pinball_loss : float or ndarray of shape (n_quantiles,)
        Mean pinball loss at the quantile of the model, which for `BandedSVR` is C1 / (C1 + C2).
    predictions : ndarray of shape (n_samples,) or (n_samples, n_quantiles)
        Prediction for each sample by the model fitted without it.
    n_refits : int
        Number of solved problems; samples that are not support vectors need none.
    n_pair_steps, n_kernel_rows : int
        Their cost.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_diabetes
    >>> from bandsvm import BandedSVR
    >>> from bandsvm.model_selection import leave_one_out
    >>> X, y = load_diabetes(return_X_y=True)
    >>> X, y = X[:100], y[:100]
    >>> errors = leave_one_out(BandedSVR(C1=100.0, C2=100.0).fit(X, y), X, y)
    >>> bool(np.isclose(np.abs(errors.predictions - y).mean(), errors.absolute_error))
    True
    """

    absolute_error: Any
    pinball_loss: Any
    predictions: NDArray[np.float64] = field(repr=False)
    n_refits: int
    n_pair_steps: int
    n_kernel_rows: int


class LeftOutKind(Protocol):
    """What leave-one-out does for one kind of model unlike for others."""

    def unsettled(self, checked: TrainingSet, values: NDArray) -> NDArray[np.intp]:
        """Return the samples, by their place in ``kept``, whose prediction `tol` could change.

        ``values`` are decision values as solvers see them, one column per problem.
        """

    def result(self, checked: TrainingSet, values: NDArray, refits: Refits) -> Any:
        """Return the result for all samples, from decision values in the user's units."""


class LeftOutLabels:
    """Leave-one-out of classifiers."""

    def unsettled(self, checked: TrainingSet, values: NDArray) -> NDArray[np.intp]:
        """Return the samples whose decision value hardly leads."""
        ahead = checked.training.targets.strategy.margin(values)
        return np.flatnonzero(ahead <= SETTLED * checked.settings.solving.tol)

    def result(self, checked: TrainingSet, values: NDArray, refits: Refits) -> LeaveOneOutResult:
        """Return labels and the share of wrong ones."""
        strategy, kept = checked.training.targets.strategy, checked.training.kept
        predictions = checked.model.classes_[strategy.predicted(values)]
        wrong = predictions[kept] != checked.y[kept]
        decision = strategy.shaped(values)
        return LeaveOneOutResult(float(wrong.mean()), predictions, decision, **vars(refits))


class LeftOutNumbers:
    """Leave-one-out of regressions."""

    def unsettled(self, checked: TrainingSet, values: NDArray) -> NDArray[np.intp]:
        """Return none: numbers are as accurate as `tol` says."""
        return np.empty(0, dtype=np.intp)

    def result(self, checked: TrainingSet, values: NDArray, refits: Refits) -> LeaveOneOutErrors:
        """Return predictions and their errors."""
        model, kept = checked.model, checked.training.kept
        predictions = model._predicted(values)
        found = predictions[kept]
        lower, upper = (end[kept] for end in ends_of(checked.y))
        if found.ndim == 2:
            lower, upper = lower[:, None], upper[:, None]
        short, beyond = np.maximum(lower - found, 0.0), np.maximum(found - upper, 0.0)
        share = _quantiles(model) if found.ndim == 2 else _quantiles(model)[0]
        absolute = (short + beyond).mean(axis=0)
        pinball = (share * short + (1.0 - share) * beyond).mean(axis=0)
        if found.ndim == 1:
            absolute, pinball = float(absolute), float(pinball)
        return LeaveOneOutErrors(absolute, pinball, predictions, **vars(refits))


def _quantiles(model: Any) -> NDArray[np.float64]:
    """Return the quantiles that the costs of a regression aim at."""
    if hasattr(model, "quantile"):
        return np.array(quantiles_of(model))
    below, above = costs_of(model)
    return np.array([below / (below + above)])


def left_out_kind(model: Any) -> LeftOutKind:
    """Return what leave-one-out does for a model."""
    kind = KINDS.get(getattr(model, "_task", None))
    if kind is None:
        raise TypeError(
            "leave_one_out takes a BandedSVC, BandedSVR or BandedQuantileSVR, got "
            f"{type(model).__name__}."
        )
    return kind


_NUMBERS = LeftOutNumbers()
KINDS: Mapping[Any, LeftOutKind] = {
    CLASSIFICATION: LeftOutLabels(),
    REGRESSION: _NUMBERS,
    QUANTILE_REGRESSION: _NUMBERS,
}
