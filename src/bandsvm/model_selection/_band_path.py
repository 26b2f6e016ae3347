"""The result of a path: solutions at its points, and their fitted models."""

from __future__ import annotations

import warnings
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from bandsvm._certificate import Certificate, combine
from bandsvm._certificate.not_optimal import why_not_optimal
from bandsvm._fitting.fitted import fitted_attributes, set_attributes
from bandsvm._fitting.outcomes import Outcome, Outcomes
from bandsvm._fitting.settings import FitSettings
from bandsvm._fitting.training import Training
from bandsvm._system.threads import single_threaded_blas


@dataclass(frozen=True)
class PathModels:
    """What is needed to build the fitted model of any point that was reached."""

    vary: str  # what changes along the path
    settings: FitSettings  # how, and with which kernel, all points were solved
    values: list[float]  # of the parameter, at all points
    models: list[Any]  # a model with the parameters of each point, without fitted attributes
    trainings: list[Training]  # the problems of every point
    outcomes: list[list[Outcome]]  # their outcomes, as far as they were solved
    X: Any  # X, y: the training set
    y: NDArray

    def fitted(self, k: int) -> Any:
        """Return the fitted model of point ``k``."""
        k = range(len(self.outcomes))[k]
        with single_threaded_blas():
            attributes = fitted_attributes(
                self.settings, self.X, self.y, self.trainings[k], Outcomes.of(self.outcomes[k])
            )
        return set_attributes(copy(self.models[k]), attributes)


@dataclass(frozen=True)
class BandPath:
    """Solutions of the Banded SVM along a path.

    Attributes
    ----------
    vary : str
        The parameter that varies.
    values : ndarray of shape (n_points,)
        Its values.
    certificates : tuple of Certificate
        The certificate of each point.
    coefficients : list of CSR matrices of shape (n_points, n_samples)
        Signed coefficients ``alpha - theta`` of the training samples, one matrix per problem; two
        classes make one problem, and so does a regression.
    intercepts : ndarray of shape (n_points, n_problems)
        Intercepts.
    n_alpha, n_theta : ndarray of shape (n_points,)
        Numbers of support vectors at the lower and at the upper edge.

    Examples
    --------
    >>> from bandsvm import BandedSVC
    >>> from bandsvm.datasets import make_paper_clusters
    >>> from bandsvm.model_selection import band_path
    >>> X, y = make_paper_clusters(20, random_state=0)
    >>> path = band_path(X, y, vary="C2", values=[0.0, 0.1, 1.0], model=BandedSVC(gamma=1.0))
    >>> path.values.tolist(), int(path.n_theta[0])
    ([0.0, 0.1, 1.0], 0)
    """

    vary: str
    values: NDArray[np.float64]
    certificates: tuple[Certificate, ...] = field(repr=False)
    coefficients: list[Any] = field(repr=False)
    intercepts: NDArray[np.float64] = field(repr=False)
    n_alpha: NDArray[np.intp] = field(repr=False)
    n_theta: NDArray[np.intp] = field(repr=False)
    _models: PathModels = field(repr=False)

    @classmethod
    def of(cls, models: PathModels) -> BandPath:
        """Return the path of the points reached; warn about points that are not optimal."""
        outcomes = [Outcomes.of(point) for point in models.outcomes]
        units = models.trainings[0].targets.units
        parts = [point.in_units(units) for point in outcomes]
        certificates = tuple(combine(found) for _, _, found in parts)
        short = [reason for reason in map(why_not_optimal, certificates) if reason is not None]
        if short:
            warnings.warn(
                f"band_path: {len(short)} of {len(certificates)} points are not optimal to tol; "
                f"the first of them {short[0].render()}",
                ConvergenceWarning,
                stacklevel=3,
            )
        signs, kept = models.trainings[0].signs, models.trainings[0].kept
        by_point = [c.reshape(len(signs), len(kept)) for c, _, _ in parts]
        coefficients = [
            _sparse_rows([sign[kept] * c[p] for c in by_point], kept, len(models.y))
            for p, sign in enumerate(signs)
        ]
        intercepts = [found for _, found, _ in parts]
        return cls(
            vary=models.vary,
            values=np.array(models.values[: len(outcomes)]),
            certificates=certificates,
            coefficients=coefficients,
            intercepts=np.array(intercepts, dtype=np.float64).reshape(len(outcomes), len(signs)),
            n_alpha=_n_samples(matrix > 0.0 for matrix in coefficients),
            n_theta=_n_samples(matrix < 0.0 for matrix in coefficients),
            _models=models,
        )

    def alpha_support(self, k: int) -> NDArray[np.intp]:
        """Return the samples at the lower edge at point ``k``, in any problem."""
        return _samples(matrix[[k]] > 0.0 for matrix in self.coefficients)

    def theta_support(self, k: int) -> NDArray[np.intp]:
        """Return the samples at the upper edge at point ``k``, in any problem."""
        return _samples(matrix[[k]] < 0.0 for matrix in self.coefficients)

    def model(self, k: int) -> Any:
        """Return the fitted model of point ``k``."""
        return self._models.fitted(k)


class PathInterrupted(KeyboardInterrupt):
    """Raised by `band_path` on Ctrl-C; holds the points that were reached.

    Parameters
    ----------
    path : BandPath
        The points that were reached.
    n_points : int
        Number of points of the whole path.

    Attributes
    ----------
    path : BandPath
        The points that were reached.

    Examples
    --------
    >>> from bandsvm import BandedSVC
    >>> from bandsvm.datasets import make_paper_clusters
    >>> from bandsvm.model_selection import PathInterrupted, band_path
    >>> X, y = make_paper_clusters(20, random_state=0)
    >>> try:  # Ctrl-C ends it early
    ...     path = band_path(X, y, vary="C2", values=[0.0, 0.1, 1.0], model=BandedSVC(gamma=1.0))
    ... except PathInterrupted as interrupted:
    ...     path = interrupted.path
    >>> len(path.values)
    3
    """

    def __init__(self, path: BandPath, n_points: int) -> None:
        super().__init__(
            f"band_path was interrupted after {len(path.values)} of {n_points} points; the "
            "attribute path of this exception holds them."
        )
        self.path, self._n_points = path, n_points

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how pickle recreates the exception."""
        return PathInterrupted, (self.path, self._n_points)


def _samples(masks: Any) -> NDArray[np.intp]:
    """Return the columns in which at least one of some one-row matrices has an entry."""
    return np.unique(np.concatenate([mask.nonzero()[1] for mask in masks])).astype(np.intp)


def _n_samples(masks: Any) -> NDArray[np.intp]:
    """Return, per row, in how many columns at least one of some matrices has an entry."""
    return np.diff(sum(masks).indptr).astype(np.intp)


def _sparse_rows(rows: list[NDArray], columns: NDArray, n_columns: int) -> Any:
    """Return vectors over some columns as rows of a CSR matrix."""
    places = [np.flatnonzero(row) for row in rows]
    values = [row[k] for row, k in zip(rows, places, strict=True)]
    none = np.empty(0, dtype=np.intp)
    at = columns[np.concatenate([none, *places])]
    ends = np.cumsum([0, *(len(k) for k in places)])
    return sp.csr_matrix((np.concatenate([none, *values]), at, ends), shape=(len(rows), n_columns))
