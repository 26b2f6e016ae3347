"""A training set as band problems: one for two classes, else one per class over shared rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from bandsvm.checks.parameters import band_parameters, check_finite_costs
from bandsvm.fitting.settings import BandSettings
from bandsvm.problem import BandProblem, band_problem, slacks, split_coefficients


@dataclass(frozen=True)
class Training:
    """Classes, labels as signs, and the resulting band problems.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        Labels of the classes that have samples of positive weight.
    signs : ndarray of shape (n_problems, n_samples)
        +1 for the class that a problem separates from the rest, -1 for the rest.
    rho1, rho2 : ndarray of shape (n_samples,)
        Each sample's band.
    kept : ndarray
        Indices of the samples of positive weight.
    problems : list of BandProblem
        One per row of signs, over the samples of positive weight.
    """

    classes: NDArray
    signs: NDArray[np.float64]
    rho1: NDArray[np.float64]
    rho2: NDArray[np.float64]
    kept: NDArray[np.intp]
    problems: list[BandProblem]

    @property
    def dropped(self) -> NDArray[np.intp]:
        """Indices of the samples of weight 0."""
        if len(self.kept) == self.signs.shape[1]:
            return np.empty(0, dtype=np.intp)
        return np.setdiff1d(np.arange(self.signs.shape[1]), self.kept)

    def kept_samples(self, X: Any, is_pairwise: bool) -> Any:
        """Return the rows (and, of a kernel matrix, columns) of samples of positive weight."""
        if len(self.kept) == X.shape[0]:
            return X
        return X[np.ix_(self.kept, self.kept)] if is_pairwise else X[self.kept]

    def largest_cost(self) -> float:
        """Return an estimate of the largest absolute coefficient."""
        return max(problem.largest_coefficient() for problem in self.problems)

    def titles(self) -> list[str]:
        """Return a title for each problem, for progress and messages."""
        if len(self.problems) == 1:
            return [""]
        return [f"class {label!r} against the rest:" for label in self.classes.tolist()]

    def multipliers(self, coefficients: NDArray) -> tuple[NDArray, NDArray]:
        """Return alpha and theta, shaped as attributes, from one row of c per problem."""
        alpha, theta = split_coefficients(self.signs, coefficients)
        return self.columns(alpha), self.columns(theta)

    def slacks(self, decision: NDArray) -> tuple[NDArray, NDArray]:
        """Return xi and eta, shaped as attributes, from one row of g per problem."""
        xi, eta = slacks(self.signs, decision, self.rho1, self.rho2)
        return self.columns(xi), self.columns(eta)

    def columns(self, values: NDArray) -> NDArray:
        """Return one column per problem, or a vector if there is only one problem."""
        return values[0] if len(values) == 1 else values.T


@dataclass(frozen=True)
class Labels:
    """Labels and weights, independent of band and costs.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        Labels of the classes that have samples of positive weight.
    class_of : ndarray of shape (n_samples,)
        Index of each sample's class in ``classes``; arbitrary for samples of weight 0.
    signs : ndarray of shape (n_problems, n_samples)
        As in `Training`.
    weights, factors : ndarray of shape (n_samples,)
        Sample weights, and sample weights times class weights.
    """

    classes: NDArray
    class_of: NDArray[np.intp]
    signs: NDArray[np.float64]
    weights: NDArray[np.float64]
    factors: NDArray[np.float64]


def labels_of(class_weight: Any, y: NDArray, weights: NDArray) -> Labels:
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
    distinguished = [1] if len(classes) == 2 else range(len(classes))
    signs = np.array([np.where(class_of == k, 1.0, -1.0) for k in distinguished])
    with np.errstate(over="ignore"):
        factors = weights * class_weights[class_of]
    return Labels(classes, class_of, signs, weights, factors)


def band_problems(
    band: BandSettings, labels: Labels, *, keep_all: bool = False, allows_hard: bool = False
) -> Training:
    """Return the band problems of labels, for the costs and the band of ``band``.

    With ``keep_all``, samples of weight 0 stay in the problems with zero cost: they do not affect
    the solution, but get decision values. Infinite costs are refused unless ``allows_hard``.
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
    low, high, cost1, cost2, factors, signs = rho1, rho2, C1, C2, labels.factors, labels.signs
    if len(kept) < len(everything):
        low, high, cost1, cost2, factors = (v[kept] for v in (rho1, rho2, C1, C2, factors))
        signs = signs[:, kept]
    has_intercept = bool(band.fit_intercept)
    problems = [
        band_problem(row, low, high, cost1, cost2, factors, has_intercept, loss=band.loss)
        for row in signs
    ]
    return Training(labels.classes, labels.signs, rho1, rho2, kept, problems)


def training_problems(band: BandSettings, y: NDArray, weights: NDArray) -> Training:
    """Return the band problems of labels and sample weights."""
    return band_problems(band, labels_of(band.class_weight, y, weights), allows_hard=True)
