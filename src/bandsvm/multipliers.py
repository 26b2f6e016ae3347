"""The paper's multipliers of the slacks, which a fitted model does not store."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_is_fitted

from bandsvm._checks.data import check_weights

if TYPE_CHECKING:
    from bandsvm._estimators.kernel import BandedSVC

__all__ = ["SlackMultipliers", "slack_multipliers"]


class SlackMultipliers(NamedTuple):
    """The multipliers mu of ``xi >= 0`` and psi of ``eta >= 0``, shaped like `alpha_`.

    Examples
    --------
    >>> from bandsvm import BandedSVC
    >>> from bandsvm.datasets import make_paper_clusters
    >>> from bandsvm.multipliers import slack_multipliers
    >>> X, y = make_paper_clusters(20, random_state=0)
    >>> multipliers = slack_multipliers(BandedSVC(gamma=1.0).fit(X, y), y)
    >>> multipliers.mu.shape, multipliers.psi.shape
    ((180,), (180,))
    """

    mu: NDArray[np.float64]
    psi: NDArray[np.float64]


def slack_multipliers(
    model: BandedSVC, y: ArrayLike, sample_weight: ArrayLike | None = None
) -> SlackMultipliers:
    """Return the multipliers of the slacks: ``mu = C1 w - alpha`` and ``psi = C2 w - theta``.

    With `alpha_` and `theta_` they are the paper's four groups of multipliers. A sample with
    ``mu > 0`` does not lie below the band and one with ``psi > 0`` does not lie above it. Squared
    losses need no constraints on the signs of the slacks, so both are 0.

    Parameters
    ----------
    model : BandedSVC
        A fitted model.
    y : array-like of shape (n_samples,)
        The training labels.
    sample_weight : array-like of shape (n_samples,), default=None
        The training weights.

    Returns
    -------
    SlackMultipliers
        Arrays `mu` and `psi`, shaped like `alpha_`; infinite where the cost is infinite.

    Examples
    --------
    >>> from bandsvm import BandedSVC
    >>> from bandsvm.datasets import make_paper_clusters
    >>> from bandsvm.multipliers import slack_multipliers
    >>> X, y = make_paper_clusters(20, random_state=0)
    >>> model = BandedSVC(C1=10, C2=100, gamma=1.0).fit(X, y)
    >>> mu, psi = slack_multipliers(model, y)
    >>> bool((model.xi_[mu > 1e-6] < 1e-6).all()), bool((model.eta_[psi > 1e-6] < 1e-6).all())
    (True, True)
    """
    check_is_fitted(model, "alpha_")
    labels: NDArray = column_or_1d(y)
    if len(labels) != len(model.alpha_):
        raise ValueError(
            f"y must hold the training labels, one per sample of the {len(model.alpha_)} training "
            f"samples, got {len(labels)}."
        )
    weights = check_weights(sample_weight, len(labels))
    if model.loss == "squared_hinge":
        return SlackMultipliers(np.zeros_like(model.alpha_), np.zeros_like(model.theta_))
    training = model._task.training(model, labels, weights)
    if not np.array_equal(training.classes, model.classes_):
        raise ValueError(
            f"y must hold the training labels, of the classes {model.classes_.tolist()}, got "
            f"{training.classes.tolist()}."
        )
    is_positive, costs = training.sides > 0.0, training.problems.values
    of_edges = (
        np.where(is_positive, costs.below, costs.above),
        np.where(is_positive, costs.above, costs.below),
    )
    lower, upper = (training.spread(values, 0.0) for values in of_edges)
    mu = lower.T.reshape(model.alpha_.shape) - model.alpha_
    psi = upper.T.reshape(model.theta_.shape) - model.theta_
    return SlackMultipliers(mu, psi)
