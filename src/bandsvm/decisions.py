"""Decision values: how they are computed, and what they mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm.checks.parameters import band_parameters
from bandsvm.kernels import KernelSettings

POSITIONS = np.array(["below", "inside", "above"])
# Relative rounding error within which a sample counts as lying on an edge, by float type.
ROUNDING = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-5}
# Largest rounding error of the decision values of float32 samples, unless ``tol`` is smaller.
LARGEST_ROUNDING = 1e-3


@dataclass(frozen=True)
class DecisionRule:
    """The decision rule of a fitted model: ``g(x) = sum_i dual_coef_i K(x_i, x) + intercept``.

    Parameters
    ----------
    kernel : KernelSettings
        The kernel.
    support_vectors : ndarray or CSR of shape (n_support, n_features)
        The support vectors; ignored if the kernel is precomputed.
    dual_coef : ndarray of shape (n_problems, n_support)
        Their coefficients.
    intercept : ndarray of shape (n_problems,)
        Intercepts.
    tol : float
        What decision values of float32 samples may be off by, if it is less than 1e-3.
    n_jobs : int or None
        Number of threads.
    """

    kernel: KernelSettings
    support_vectors: Any
    dual_coef: NDArray[np.float64]
    intercept: NDArray[np.float64]
    tol: float
    n_jobs: int | None

    def __call__(self, X: Any) -> NDArray[np.float64]:
        """Return decision values of samples, one column per problem.

        With a precomputed kernel, ``X`` holds their kernel values with the support vectors.
        """
        products = self.kernel.product(
            X,
            self.support_vectors,
            self.dual_coef.T,
            self.n_jobs,
            largest_rounding=min(self.tol, LARGEST_ROUNDING),
        )
        return products + self.intercept

    def of_training_samples(
        self, X: Any, samples: NDArray[np.intp], support: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Return decision values of some training samples; ``X`` holds all, or their kernel."""
        if self.kernel.is_precomputed:
            return self(X[np.ix_(samples, support)])
        return self(X if len(samples) == X.shape[0] else X[samples])


def verdict(values: NDArray) -> tuple[NDArray[np.intp], NDArray]:
    """Return the index of the predicted class, and its decision value (two classes: ``|g|``)."""
    if values.ndim == 1:
        return (values > 0.0).astype(np.intp), np.abs(values)
    return values.argmax(axis=1), values.max(axis=1)


def lead(values: NDArray) -> NDArray[np.float64]:
    """Return how far the predicted class of each sample is ahead of the next.

    With one column that is ``|g(x)|``, the distance from a change of sign.
    """
    if values.ndim == 1 or values.shape[1] == 1:
        return np.abs(values.ravel())
    second, first = np.partition(values, -2, axis=1)[:, -2:].T
    return first - second


def positions(model: Any, values: NDArray) -> NDArray[np.str_]:
    """Return where decision values of a model lie: below, inside or above the band."""
    predicted, own = verdict(values)
    band = band_parameters(model, model.classes_)
    rounding = ROUNDING[values.dtype]
    is_below = own < (1.0 - rounding) * band.rho1[predicted]
    is_above = own > (1.0 + rounding) * band.rho2[predicted]
    return POSITIONS[1 - is_below.astype(np.intp) + is_above]


class BandPositionMixin:
    """Adds `band_position` to a classifier that has a band."""

    def band_position(self: Any, X: Any) -> NDArray[np.str_]:
        """Return where samples lie relative to the band of their predicted class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples, as for `decision_function`.

        Returns
        -------
        ndarray of shape (n_samples,)
            'below' for a doubtful sample, 'inside' for a typical one and 'above' for an extreme
            one. The position is that of ``|g(x)|`` for two classes, else of the decision value of
            the predicted class. Samples on an edge, up to rounding, are inside.
        """
        return positions(self, self.decision_function(X))
