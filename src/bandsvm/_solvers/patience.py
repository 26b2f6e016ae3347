"""Detects when a solver makes no more progress."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

# Outer steps in which the dual must rise by more than rounding ...
PATIENCE = 50
MIN_GAIN = 1e-14
# ... and more of them in which it must rise visibly, or the violation fall.
LONG_PATIENCE = 200
VISIBLE_GAIN = 1e-9
VISIBLE_FALL = 0.9
# A violation of the size of rounding errors must fall soon.
SHORT_PATIENCE = 10


class Patience:
    """The history of the dual and the violation."""

    def __init__(self) -> None:
        self._dual, self._dual_at = -np.inf, 0
        self._visible_dual, self._violation, self._visible_at = -np.inf, np.inf, 0
        self._fell_at = 0

    def is_lost(
        self, n_iter: int, dual: float, violation: float, is_noise: Callable[[], bool]
    ) -> bool:
        """Return whether the dual has not risen for too long.

        If the violation is no larger than rounding errors (``is_noise``, called only if needed),
        the dual is not informative, and the violation has to fall.
        """
        if violation < VISIBLE_FALL * self._violation:
            self._fell_at = n_iter
        if n_iter == 0 or dual > self._dual + MIN_GAIN * abs(self._dual):
            self._dual, self._dual_at = dual, n_iter
        rose = dual > self._visible_dual + VISIBLE_GAIN * abs(self._visible_dual)
        if n_iter == 0 or rose or violation < VISIBLE_FALL * self._violation:
            self._visible_dual, self._visible_at = dual, n_iter
            self._violation = min(violation, self._violation)
        return (
            n_iter - self._dual_at >= PATIENCE
            or n_iter - self._visible_at >= LONG_PATIENCE
            or (n_iter - self._fell_at >= SHORT_PATIENCE and is_noise())
        )
