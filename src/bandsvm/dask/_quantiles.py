"""Quantiles of numbers with weights that lie on workers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bandsvm._linear.chunk import Largest
from bandsvm.dask._narrowing import weighted_quantile
from bandsvm.dask._tasks import ChunkTasks, PerChunk


@dataclass(frozen=True)
class Ranked:
    """Numbers of a chunk in order, with the weight of those before each of them."""

    at: NDArray[np.float64]  # the different numbers, in order
    passed: NDArray[np.float64]  # the weight of all numbers before each of them, and of all

    def counts(self, points: NDArray) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return how many numbers lie below points, and how many not above them."""
        n_below, n_upto = (np.searchsorted(self.at, points, side=at) for at in ("left", "right"))
        return n_below, n_upto


def ranked_numbers(values: NDArray, weights: NDArray) -> Ranked:
    """Return numbers in order."""
    at, which = np.unique(values, return_inverse=True)
    return Ranked(at, np.append(0.0, np.cumsum(np.bincount(which, weights, len(at)))))


def extremes(tasks: ChunkTasks, ranked: PerChunk) -> tuple[float, float]:
    """Return the least and the largest number of all chunks."""
    minus_lowest, highest = tasks.total(extremes_of, ranked)
    return -float(minus_lowest), float(highest)


def quantile(
    tasks: ChunkTasks, ranked: PerChunk, extremes: tuple[float, float], level: float
) -> tuple[float, float]:
    """Return the first number at which the weight passed reaches a level, and that weight."""
    return weighted_quantile(
        partial(tasks.total, _passed, ranked),
        lambda above, upto: _merged(tasks.listed(_within, ranked, above, upto)),
        *extremes,
        level,
    )


def minus_next(ranked: Ranked, point: float) -> Largest:
    """Return the first number of a chunk above a point, negated."""
    k = int(np.searchsorted(ranked.at, point, side="right"))
    return Largest(-ranked.at[k] if k < len(ranked.at) else -np.inf)


def extremes_of(ranked: Ranked) -> tuple[Largest, Largest]:
    """Return the first number of a chunk, negated, and the last."""
    at = ranked.at
    minus_first, last = (-at[0], at[-1]) if len(at) else (-np.inf, -np.inf)
    return Largest(minus_first), Largest(last)


def _passed(ranked: Ranked, points: NDArray) -> tuple[NDArray, ...]:
    """Return the weight of numbers not above points, and how many lie below and not above them."""
    n_below, n_upto = ranked.counts(points)
    return ranked.passed[n_upto], n_below, n_upto


def _within(ranked: Ranked, above: float, upto: float) -> tuple[NDArray, NDArray]:
    """Return the numbers above one point and not above another, and the weight of each."""
    first, last = np.searchsorted(ranked.at, [above, upto], side="right")
    return ranked.at[first:last], np.diff(ranked.passed[first : last + 1])


def _merged(parts: list[tuple[NDArray, NDArray]]) -> tuple[NDArray, NDArray]:
    """Return the different numbers of all chunks in order, and the weight of each."""
    at, which = np.unique(np.concatenate([part[0] for part in parts]), return_inverse=True)
    return at, np.bincount(which, np.concatenate([part[1] for part in parts]), len(at))
