"""A training set as band problems: one for two classes, else one per class or per pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from bandsvm._checks.parameters import band_parameters, check_finite_costs
from bandsvm._decisions.multiclass import MultiClass, OneVsOne, Strategy
from bandsvm._fitting.settings import BandSettings
from bandsvm._problem.band_problem import BandProblem, band_problem, slacks, split_coefficients
from bandsvm._system.cached import cached_property
from bandsvm._system.memory import MEGABYTE, available_bytes

# Multipliers, slacks, coefficients and decision values: bytes per sample and pair of classes.
BYTES_PER_SAMPLE = 6 * 8
LITTLE_TABLES = 256 * MEGABYTE


@dataclass(frozen=True)
class Training:
    """Classes, labels as signs, and the resulting band problems.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        Labels of the classes that have samples of positive weight.
    strategy : Strategy
        How they make problems.
    signs : ndarray of shape (n_problems, n_samples)
        The side of each sample in each problem: +1, -1, or 0 if it takes no part.
    rho1, rho2 : ndarray of shape (n_samples,)
        Each sample's band.
    kept : ndarray
        Indices of the samples of positive weight.
    members : list of ndarray
        Indices of each problem's samples. If all problems have the same samples, it is the same
        array for all.
    problems : list of BandProblem
        One per row of signs, over its own samples.
    """

    classes: NDArray
    strategy: Strategy
    signs: NDArray
    rho1: NDArray[np.float64]
    rho2: NDArray[np.float64]
    kept: NDArray[np.intp]
    members: list[NDArray[np.intp]]
    problems: list[BandProblem]

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

    @cached_property
    def titles(self) -> list[str]:
        """A title for each problem, for progress and messages."""
        return self.strategy.titles(self.classes.tolist())

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


@dataclass(frozen=True)
class Labels:
    """Labels and weights, independent of band and costs.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        Labels of the classes that have samples of positive weight.
    class_of : ndarray of shape (n_samples,)
        Index of each sample's class in ``classes``; arbitrary for samples of weight 0.
    strategy : Strategy
        How classes make problems.
    signs : ndarray of shape (n_problems, n_samples)
        As in `Training`.
    weights, factors : ndarray of shape (n_samples,)
        Sample weights, and sample weights times class weights.
    """

    classes: NDArray
    class_of: NDArray[np.intp]
    strategy: Strategy
    signs: NDArray
    weights: NDArray[np.float64]
    factors: NDArray[np.float64]


def labels_of(
    class_weight: Any,
    y: NDArray,
    weights: NDArray,
    multi_class: MultiClass = MultiClass(),  # noqa: B008  (frozen)
) -> Labels:
    """Return the classes of a training set, with weights of samples and classes."""
    if y.dtype.kind not in "biuU":  # these types are always labels
        check_classification_targets(y)
    counted = weights > 0.0
    classes = np.unique(y[counted])
    if len(classes) < 2:
        raise ValueError(
            f"y must hold at least two classes of samples with a weight greater than 0, got one "
            f"class: {classes.tolist()}."
        )
    class_weights = np.ones(len(classes))
    if class_weight is not None:
        class_weights = compute_class_weight(
            class_weight, classes=classes, y=y[counted], sample_weight=weights[counted]
        )
    if not (np.isfinite(class_weights) & (class_weights > 0.0)).all():
        raise ValueError(
            f"class_weight must hold finite values greater than 0, got {class_weight}; to "
            "leave a class out, set its sample_weight to 0."
        )
    # Labels of samples of weight 0 need not be in classes; any class will do for them.
    class_of = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    strategy = multi_class.strategy(len(classes))
    if isinstance(strategy, OneVsOne):
        _check_tables_fit(strategy.n_problems, len(classes), len(y))
    with np.errstate(over="ignore"):
        factors = weights * class_weights[class_of]
    return Labels(classes, class_of, strategy, strategy.signs(class_of), weights, factors)


def _check_tables_fit(n_pairs: int, n_classes: int, n_samples: int) -> None:
    """Refuse so many pairs of classes that multipliers and slacks exceed the memory."""
    needed = BYTES_PER_SAMPLE * float(n_pairs) * n_samples
    if needed <= LITTLE_TABLES:
        return  # the system need not be asked
    available = available_bytes()
    if needed > available:
        raise ValueError(
            f"{n_classes} classes make {n_pairs} pairs; for {n_samples} samples their "
            f"multipliers and slacks take {needed / 2**30:.1f} GiB; {available / 2**30:.1f} GiB "
            "are free. Use multi_class='ovr', fewer classes or fewer samples."
        )


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
    by_class = band_parameters(band, labels.classes)
    rho1, rho2, C1, C2 = (values[labels.class_of] for values in by_class)
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
    has_intercept = bool(band.fit_intercept)
    members, problems = [], []
    for row in labels.signs:
        of_problem = kept if share_samples or row.all() else kept[row[kept] != 0.0]
        values: tuple[NDArray, ...] = (row, rho1, rho2, C1, C2, labels.factors)
        if len(of_problem) < len(everything):
            values = tuple(value[of_problem] for value in values)
        signs, low, high, cost1, cost2, factors = values
        weights = factors if signs.all() else np.where(signs == 0.0, 0.0, factors)
        problem = band_problem(
            signs, low, high, cost1, cost2, weights, has_intercept, loss=band.loss
        )
        members.append(of_problem)
        problems.append(problem)
    return Training(
        labels.classes, labels.strategy, labels.signs, rho1, rho2, kept, members, problems
    )


def training_problems(
    band: BandSettings,
    multi_class: MultiClass,
    y: NDArray,
    weights: NDArray,
    *,
    share_samples: bool = False,
) -> Training:
    """Return the band problems of labels and sample weights; see `band_problems`."""
    labels = labels_of(band.class_weight, y, weights, multi_class)
    return band_problems(band, labels, share_samples=share_samples, allows_hard=True)
