"""Largest values among sums: one pass over chunks returns both."""

from __future__ import annotations

import numpy as np


class Largest(float):
    """A number of which the largest, or NaN, is kept where others are added up."""

    __slots__ = ()

    def __add__(self, other: float) -> Largest:
        return Largest(np.maximum(self, other))
