"""A training set as band problems: one for two classes, else one per class or per pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._checks.parameters import check_finite_costs
from bandsvm._decisions.multiclass import MultiClass, Strategy
from bandsvm._fitting.settings import BandSettings
from bandsvm._fitting.targets import Labels, Targets, labels_of
from bandsvm._problem.band_problem import BandProblem, slacks, split_coefficients
from bandsvm._system.cached import cached_property


@dataclass(frozen=True)
class Training:
    """Labels as signs, and the resulting band problems."""

    targets: Targets  # how labels become problems
    # (n_problems, n_samples): the side of each sample in each problem: +1, -1, or 0 if it takes no
    # part.
    signs: NDArray
    rho1: NDArray[np.float64]  # rho1, rho2 of shape (n_samples,): each sample's band
    rho2: NDArray[np.float64]
    kept: NDArray[np.intp]  # indices of the samples of positive weight
    # Indices of each problem's samples. If all problems have the same samples, it is the same array
    # for all.
    members: list[NDArray[np.intp]]
    problems: list[BandProblem]  # one per row of signs, over its own samples

    @property
    def classes(self) -> NDArray:
        """Labels of the classes that have samples of positive weight."""
        return self.targets.classes

    @property
    def strategy(self) -> Strategy:
        """How they make problems."""
        return self.targets.strategy

    @property
    def dropped(self) -> NDArray[np.intp]:
        """Indices of the samples of weight 0."""
        if len(self.kept) == self.signs.shape[1]:
            return np.empty(0, dtype=np.intp)
        return np.setdiff1d(np.arange(self.signs.shape[1]), self.kept)

    @cached_property
    def largest_cost(self) -> float:
        """An estimate of the largest absolute coefficient."""
        return max(problem.largest_coefficient() for problem in self.problems)

    def multipliers(self, coefficients: Sequence[NDArray]) -> tuple[NDArray, NDArray]:
        """Return alpha and theta, shaped as attributes, from c of each problem's own samples."""
        parts = zip(self.gathered(self.signs), coefficients, strict=True)
        split = [split_coefficients(signs, c) for signs, c in parts]
        alpha, theta = (self.spread(values, 0.0) for values in zip(*split, strict=True))
        return self.columns(alpha), self.columns(theta)

    def slacks(self, decision: NDArray) -> tuple[NDArray, NDArray]:
        """Return xi and eta, shaped as attributes, from one row of g per problem.

        They are NaN for samples that take no part in a problem.
        """
        xi, eta = np.full(decision.shape, np.nan), np.full(decision.shape, np.nan)
        for k, signs in enumerate(self.signs):
            own = slice(None) if signs.all() else np.flatnonzero(signs)
            xi[k, own], eta[k, own] = slacks(
                signs[own], decision[k, own], self.rho1[own], self.rho2[own]
            )
        return self.columns(xi), self.columns(eta)

    def columns(self, values: NDArray) -> NDArray:
        """Return one column per problem, or a vector if there is only one problem."""
        return values[0] if len(values) == 1 else values.T

    def spread(self, values: Sequence[NDArray], fill: float) -> NDArray[np.float64]:
        """Return values of each problem's own samples as rows over all samples."""
        rows = np.full(self.signs.shape, fill) if fill else np.zeros(self.signs.shape)
        for row, members, of_members in zip(rows, self.members, values, strict=True):
            row[members] = of_members
        return rows

    def gathered(self, rows: NDArray) -> list[NDArray]:
        """Return values of each problem's own samples, from rows over all samples."""
        return [row[members] for row, members in zip(rows, self.members, strict=True)]


def some_samples(X: Any, indices: NDArray, is_pairwise: bool) -> Any:
    """Return some rows (and, of a kernel matrix, columns) of X; X itself if these are all."""
    if len(indices) == X.shape[0]:
        return X
    return X[np.ix_(indices, indices)] if is_pairwise else X[indices]


def band_problems(
    band: BandSettings,
    labels: Labels,
    *,
    keep_all: bool = False,
    share_samples: bool = True,
    allows_hard: bool = False,
) -> Training:
    """Return the band problems of labels, for the costs and the band of ``band``.

    With ``keep_all``, samples of weight 0 stay in the problems with zero cost: they do not affect
    the solution, but get decision values. With ``share_samples`` so do samples that take no part in
    a problem, and all problems can share kernel rows. Infinite costs are refused unless
    ``allows_hard``.
    """
    if not allows_hard:
        check_finite_costs(band)
    targets = Targets.of(band, labels)
    rho1, rho2, C1, C2 = (values[labels.class_of] for values in targets.band)
    with np.errstate(over="ignore"):
        finite = np.maximum(np.where(np.isinf(C1), 0.0, C1), C2)
        largest = float((labels.factors * finite).max())
    if not np.isfinite(largest):
        raise ValueError(
            f"C1 and C2 times the weights of samples and classes must be finite, got C1="
            f"{band.C1!r}, C2={band.C2!r} and a largest weight of "
            f"{labels.weights.max()}; lower them."
        )
    everything = np.arange(len(labels.weights))
    kept = everything if keep_all else np.flatnonzero(labels.weights > 0.0)
    members, problems = [], []
    for k, row in enumerate(labels.signs):
        own = kept if share_samples or row.all() else kept[row[kept] != 0.0]
        some = slice(None) if len(own) == len(everything) else own
        members.append(own)
        problems.append(targets.problem_of_classes(labels.class_of[some], labels.weights[some], k))
    return Training(targets, labels.signs, rho1, rho2, kept, members, problems)


def training_problems(
    model: Any, y: NDArray, weights: NDArray, *, share_samples: bool = False
) -> Training:
    """Return the band problems that a BandedSVC makes of labels and weights."""
    labels = labels_of(model.class_weight, y, weights, MultiClass.of(model))
    band = BandSettings.of(model)
    return band_problems(band, labels, share_samples=share_samples, allows_hard=True)
