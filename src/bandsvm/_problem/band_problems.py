"""Several band problems over samples of one set, in arrays that hold one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import overload

import numpy as np
from numpy.typing import NDArray

from bandsvm._problem.band_problem import BandProblem, Sides
from bandsvm._system.cached import cached_property

# The arrays of a problem.
ARRAYS = ("lo", "hi", "below", "above")


@dataclass(frozen=True)
class BandProblems(Sequence[BandProblem]):
    """Band problems, each over its own samples; all have the same total.

    Array operations treat all problems at once; single ones are views.
    """

    # The values of problem k lie in ``starts[k]:starts[k + 1]`` of all arrays.
    values: BandProblem
    starts: NDArray[np.intp]
    # Which samples: of each problem, one after the other, or of all problems if they share them.
    of_samples: NDArray[np.intp]
    share_samples: bool

    def __len__(self) -> int:
        """Return the number of problems."""
        return len(self.starts) - 1

    @overload
    def __getitem__(self, k: int) -> BandProblem: ...

    @overload
    def __getitem__(self, k: slice) -> Sequence[BandProblem]: ...

    def __getitem__(self, k: int | slice) -> BandProblem | Sequence[BandProblem]:
        """Return a problem, or some."""
        return self._items[k]

    @cached_property
    def _items(self) -> list[BandProblem]:
        if len(self) == 1:
            return [self.values]
        return [_taken(self.values, own) for own in self.slices]

    @cached_property
    def slices(self) -> list[slice]:
        """Where the values of each problem lie."""
        return [slice(*ends) for ends in pairwise(self.starts.tolist())]

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        """The number of samples of each problem."""
        return self.starts[1:] - self.starts[:-1]

    @cached_property
    def members(self) -> list[NDArray[np.intp]]:
        """The samples of each problem: the same array for all if they share them."""
        if self.share_samples:
            return [self.of_samples] * len(self)
        return [self.of_samples[own] for own in self.slices]

    @cached_property
    def stacked_members(self) -> NDArray[np.intp]:
        """The samples of each problem, one problem after the other."""
        return repeated(self.of_samples, len(self)) if self.share_samples else self.of_samples

    @cached_property
    def problem_of(self) -> NDArray[np.intp]:
        """The number of the problem to which each value belongs."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @cached_property
    def bounds(self) -> Sides:
        """The bounds of all problems; see `BandProblem.bounds`."""
        values = self.values
        if len(self) == 1 or not values.is_squared:
            return values.bounds
        losses = np.add.reduceat(values.losses_at_zero(), self.starts[:-1])
        return values.box_for(losses[self.problem_of])

    @property
    def has_hard_edges(self) -> bool:
        """Whether a problem has them; see `BandProblem.has_hard_edges`."""
        return self.values.has_hard_edges

    @property
    def ridge(self) -> Sides:
        """The ridges of all problems; see `BandProblem.ridge`."""
        return self.values.ridge

    def some(self, chosen: NDArray[np.intp]) -> BandProblems:
        """Return some of the problems."""
        if len(chosen) == len(self):
            return self
        starts = np.concatenate([[0], np.cumsum(self.sizes[chosen])])
        places = self.places(chosen)
        members = self.of_samples if self.share_samples else self.of_samples[places]
        return BandProblems(_taken(self.values, places), starts, members, self.share_samples)

    def places(self, chosen: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return where the values of some problems lie."""
        return np.concatenate([np.arange(self.starts[k], self.starts[k + 1]) for k in chosen])


def stacked(values: Sequence[NDArray]) -> NDArray:
    """Return values of several problems in one array, without a copy if it is one problem."""
    return values[0] if len(values) == 1 else np.concatenate(values)


def repeated(values: NDArray, times: int) -> NDArray:
    """Return values one after the other so many times, without a copy if it is once."""
    return values if times == 1 else np.tile(values, times)


def joined(parts: Sequence[BandProblem]) -> BandProblem:
    """Return the values of parts of problems, one after the other."""
    if len(parts) == 1:
        return parts[0]
    return _with_arrays(
        parts[0], [np.concatenate([getattr(part, name) for part in parts]) for name in ARRAYS]
    )


def _taken(values: BandProblem, places: NDArray | slice) -> BandProblem:
    """Return some of the values; boxes are those of problems, not of parts."""
    return _with_arrays(values, [getattr(values, name)[places] for name in ARRAYS])


def _with_arrays(values: BandProblem, arrays: Sequence[NDArray]) -> BandProblem:
    """Return the same problem with other arrays."""
    lo, hi, below, above = arrays
    return replace(values, lo=lo, hi=hi, below=below, above=above, box=None)
