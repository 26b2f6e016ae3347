"""Where decision values lie: below, inside or above the band of the predicted class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm.checks.parameters import band_parameters

POSITIONS = np.array(["below", "inside", "above"])
# Relative rounding error within which a sample counts as lying on an edge, by float type.
ROUNDING = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-5}


def verdict(values: NDArray) -> tuple[NDArray[np.intp], NDArray]:
    """Return the index of the predicted class, and its decision value (two classes: ``|g|``)."""
    if values.ndim == 1:
        return (values > 0.0).astype(np.intp), np.abs(values)
    return values.argmax(axis=1), values.max(axis=1)


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
        values = self.decision_function(X)
        predicted, own = verdict(values)
        band = band_parameters(self, self.classes_)
        rounding = ROUNDING[values.dtype]
        is_below = own < (1.0 - rounding) * band.rho1[predicted]
        is_above = own > (1.0 + rounding) * band.rho2[predicted]
        return POSITIONS[1 - is_below.astype(np.intp) + is_above]
