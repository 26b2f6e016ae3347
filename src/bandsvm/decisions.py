"""Where decision values lie: below, inside or above the band of the predicted class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm.checks.parameters import band_parameters

POSITIONS = np.array(["below", "inside", "above"])
# Share of an edge by which rounding may put a sample that lies on it outside, by float type.
ROUNDING = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-5}


def verdict(values: NDArray) -> tuple[NDArray[np.intp], NDArray]:
    """Return the place of the class that decision values speak for, and how strongly they do."""
    if values.ndim == 1:
        return (values > 0.0).astype(np.intp), np.abs(values)
    return values.argmax(axis=1), values.max(axis=1)


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
        """Return where samples lie in the band of the class that is predicted for them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples, as for `decision_function`.

        Returns
        -------
        ndarray of shape (n_samples,)
            'below' for a doubtful sample, 'inside' for a typical one and 'above' for an extreme
            one. With two classes ``|g(x)|`` counts, with more of them the decision value of the
            predicted class. Samples on an edge, up to rounding, are inside.
        """
        return positions(self, self.decision_function(X))
