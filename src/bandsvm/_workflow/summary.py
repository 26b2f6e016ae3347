"""What came of a training set: support vectors, accuracy, places against the band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm import BandedSVC, LinearBandedSVC
from bandsvm._certificate import Certificate
from bandsvm._checks.parameters import band_parameters
from bandsvm._decisions.multiclass import strategy_of
from bandsvm._decisions.values import verdict
from bandsvm._workflow.quality import names_are_known

# Decision values of linear models within this of an edge lie on it, as with BandedSVC's own tol.
ON_EDGE = 1e-3
# Interior points leave tiny multipliers everywhere; those below this share of the largest are none.
MIN_MULTIPLIER = 1e-5


@dataclass(frozen=True)
class Summary:
    """What came of a training set."""

    certificate: Certificate
    n_samples: int
    n_support: int
    n_lower: int
    n_upper: int
    accuracy: float | None
    below: float
    above: float

    def describe(self) -> str:
        """Return the figures as sentences."""
        inside = 1.0 - self.below - self.above
        accuracy = "" if self.accuracy is None else f"Training accuracy {self.accuracy:.4f}; "
        return (
            f"{accuracy}{self.n_support} of {self.n_samples} samples "
            f"are support vectors ({self.n_lower} at the lower, {self.n_upper} at the upper edge); "
            f"{self.below:.1%} lie below the band, {inside:.1%} inside, {self.above:.1%} above."
        )

    def values(self) -> dict[str, Any]:
        """Return the figures for machines."""
        return {
            **describe_certificate(self.certificate),
            "n_samples": self.n_samples,
            "n_support": self.n_support,
            "n_support_lower": self.n_lower,
            "n_support_upper": self.n_upper,
            "training_accuracy": self.accuracy,
            "below_band": self.below,
            "above_band": self.above,
        }


def summary(model: Any, X: Any, y: NDArray) -> Summary:
    """Return what came of a training set, each sample against the band of its own class."""
    if isinstance(model, LinearBandedSVC):
        return _of_linear_model(model, X, y)
    return _of_kernel_model(model, X, y)


def summary_without_predictions(model: Any, X: Any, y: NDArray) -> Summary:
    """Return the same but for the accuracy if that may take long: with kernels."""
    is_linear = isinstance(model, LinearBandedSVC)
    return summary(model, X, y) if is_linear else _of_kernel_model(model, None, y)


def _of_kernel_model(model: BandedSVC, X: Any, y: NDArray) -> Summary:
    """Return what slacks and multipliers tell; without X the accuracy stays unknown."""
    strategy, own = strategy_of(model), np.searchsorted(model.classes_, y)
    # Values of a class have signs, slacks have none.
    xi, eta = (
        np.abs(strategy.of_class(slacks.reshape(len(y), -1), own)).max(axis=1)
        for slacks in (model.xi_, model.eta_)
    )
    return Summary(
        certificate=model.certificate_,
        n_samples=len(y),
        n_support=len(model.support_),
        n_lower=len(model.alpha_support_),
        n_upper=len(model.theta_support_),
        accuracy=None if X is None else float(np.mean(model.predict(X) == y)),
        below=float(np.mean(xi > model.tol)),
        above=float(np.mean((eta > model.tol) & (xi <= model.tol))),
    )


def _of_linear_model(model: LinearBandedSVC, X: Any, y: NDArray) -> Summary:
    """Return what decision values and multipliers tell."""
    with names_are_known():
        values = model.decision_function(X)
    classes = np.searchsorted(model.classes_, y)
    if values.ndim == 1:
        own = np.where(classes == 1, values, -values)
    else:
        own = values[np.arange(len(y)), classes]
    band = band_parameters(model, model.classes_)
    is_below = own < band.rho1[classes] - ON_EDGE
    is_above = own > band.rho2[classes] + ON_EDGE
    at_lower, at_upper = (
        (multipliers > MIN_MULTIPLIER * multipliers.max()).reshape(len(y), -1).any(axis=1)
        for multipliers in (model.alpha_, model.theta_)
    )
    return Summary(
        certificate=model.certificate_,
        n_samples=len(y),
        n_support=int(np.sum(at_lower | at_upper)),
        n_lower=int(at_lower.sum()),
        n_upper=int(at_upper.sum()),
        accuracy=float(np.mean(verdict(values)[0] == classes)),
        below=float(np.mean(is_below)),
        above=float(np.mean(is_above)),
    )


def describe_certificate(certificate: Certificate) -> dict[str, Any]:
    """Return a certificate for machines."""
    names = ("primal", "dual", "gap", "relative_gap", "kkt_violation", "tol", "gap_tol", "n_iter")
    values = {name: getattr(certificate, name) for name in names}
    return {"status": certificate.status.value, "is_optimal": certificate.is_optimal, **values}
