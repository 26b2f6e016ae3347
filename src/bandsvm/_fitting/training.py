"""A training set as band problems, whatever its targets are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from bandsvm._fitting.task import Targets
from bandsvm._problem.band_problem import slacks, split_coefficients
from bandsvm._problem.band_problems import BandProblems
from bandsvm._system.cached import cached_property

Writer = TypeVar("Writer", bound=Targets, covariant=True)


@dataclass(frozen=True)
class Training(Generic[Writer]):
    """The band problems of a training set, in the units in which solvers see them."""

    targets: Writer  # how targets become problems
    known: Any  # the targets, as `Targets.edges` takes them
    n_samples: int  # those of weight 0 included
    kept: NDArray[np.intp]  # indices of the samples of positive weight
    problems: BandProblems  # each over its own samples

    @cached_property
    def signs(self) -> NDArray:
        """The side of each sample (columns) in each problem (rows).

        +1, -1, or 0 if it takes no part. With many pairs of classes this is a large table.
        """
        return self.targets.all_signs(self.known, self.n_samples)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of problems and of samples."""
        return len(self.problems), self.n_samples

    @property
    def members(self) -> list[NDArray[np.intp]]:
        """Indices of each problem's samples; the same array for all if they share them."""
        return self.problems.members

    @property
    def classes(self) -> NDArray:
        """Labels of the classes that have samples of positive weight, if targets are classes."""
        return self.targets.classes

    @property
    def dropped(self) -> NDArray[np.intp]:
        """Indices of the samples of weight 0."""
        if len(self.kept) == self.n_samples:
            return np.empty(0, dtype=np.intp)
        return np.setdiff1d(np.arange(self.n_samples), self.kept)

    @cached_property
    def largest_cost(self) -> float:
        """An estimate of the largest absolute coefficient."""
        return self.problems.values.largest_coefficient()

    @cached_property
    def sides(self) -> NDArray:
        """The sides of each problem's samples, one problem after the other."""
        problems = self.problems
        if not problems.share_samples:
            return self.targets.own_signs(self.known, problems.problem_of, problems.of_samples)
        signs = self.signs
        return (signs if len(self.kept) == self.n_samples else signs[:, self.kept]).ravel()

    def support(self, coefficients: NDArray) -> NDArray[np.intp]:
        """Return the support vectors.

        ``coefficients`` are those of each problem's own samples, one problem after the other.
        """
        problems = self.problems
        if problems.share_samples:
            rows = coefficients.reshape(len(problems), -1)
            return self.kept[np.logical_or.reduce(rows, axis=0).nonzero()[0]]
        is_support = np.zeros(self.n_samples, dtype=bool)
        is_support[problems.of_samples[coefficients.nonzero()[0]]] = True
        return is_support.nonzero()[0]

    def of_support(self, coefficients: NDArray, support: NDArray) -> NDArray[np.float64]:
        """Return the coefficients of support vectors, one row per problem."""
        problems, place_of = self.problems, np.empty(self.n_samples, dtype=np.intp)
        if problems.share_samples:
            rows = coefficients.reshape(len(problems), -1)
            if len(self.kept) == self.n_samples:
                return rows[:, support]
            place_of[self.kept] = np.arange(len(self.kept))
            return rows[:, place_of[support]]
        place_of[support] = np.arange(len(support))
        (used,) = coefficients.nonzero()
        rows = np.zeros((len(problems), len(support)))
        places = place_of[problems.of_samples[used]]
        rows[problems.problem_of[used], places] = coefficients[used]
        return rows

    def edges(self, coefficients: NDArray) -> tuple[NDArray, NDArray]:
        """Return the samples at the lower edge, and at the upper edge, in any problem."""
        is_used = np.zeros((2, self.n_samples), dtype=bool)
        members, signed = self.problems.stacked_members, self.sides * coefficients
        is_used[0, members[signed > 0.0]] = True
        is_used[1, members[signed < 0.0]] = True
        return is_used[0].nonzero()[0], is_used[1].nonzero()[0]

    def multipliers(self, coefficients: NDArray) -> tuple[NDArray, NDArray]:
        """Return alpha and theta, shaped as attributes, from c of each problem's own samples."""
        alpha, theta = split_coefficients(self.sides, coefficients)
        return self.columns(self.spread(alpha, 0.0)), self.columns(self.spread(theta, 0.0))

    def slacks(self, decision: NDArray, of_dropped: NDArray) -> tuple[NDArray, NDArray]:
        """Return xi and eta, shaped as attributes, from g of each problem's own samples as seen.

        ``of_dropped`` are decision values of `dropped` samples, one row per problem. Slacks are NaN
        for samples that take no part in a problem.
        """
        targets, dropped = self.targets, self.dropped
        edges = targets.edges(self.known, self.problems.stacked_members)
        own = slacks(self.sides, decision, *edges)
        takes_part = self.sides != 0.0
        if not takes_part.all():
            own = np.where(takes_part, own[0], np.nan), np.where(takes_part, own[1], np.nan)
        xi, eta = (self.spread(values, np.nan) for values in own)
        if len(dropped):
            signs = self.signs[:, dropped]
            others = slacks(signs, of_dropped, *targets.edges(self.known, dropped))
            for rows, values in zip((xi, eta), others, strict=True):
                rows[:, dropped] = np.where(signs == 0.0, np.nan, values)
        if targets.units.size != 1.0:
            xi, eta = targets.units.size * xi, targets.units.size * eta
        return self.columns(xi), self.columns(eta)

    def columns(self, values: NDArray) -> NDArray:
        """Return one column per problem, or a vector if there is only one problem."""
        return values[0] if len(values) == 1 else values.T

    def spread(self, values: NDArray, fill: float) -> NDArray[np.float64]:
        """Return values of each problem's own samples as rows over all samples.

        ``values`` hold one problem after the other.
        """
        if self.problems.share_samples and len(self.kept) == self.n_samples:
            return values.reshape(self.shape)
        rows = np.full(self.shape, fill) if fill else np.zeros(self.shape)
        if self.problems.share_samples:
            rows[:, self.kept] = values.reshape(len(rows), -1)
        else:
            rows[self.problems.problem_of, self.problems.of_samples] = values
        return rows

    def gathered(self, rows: NDArray) -> list[NDArray]:
        """Return values of each problem's own samples, from rows over all samples."""
        return [row[members] for row, members in zip(rows, self.members, strict=True)]


def some_samples(X: Any, indices: NDArray, is_pairwise: bool) -> Any:
    """Return some rows (and, of a kernel matrix, columns) of X; X itself if these are all."""
    if len(indices) == X.shape[0]:
        return X
    return X[np.ix_(indices, indices)] if is_pairwise else X[indices]
