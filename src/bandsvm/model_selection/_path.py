"""Solutions along a path in one of the four numbers, each started from the one before."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from bandsvm import _validation
from bandsvm._course import COARSE_ROUNDING, Outcome, aim_at, judge
from bandsvm._fitted import set_fitted_attributes
from bandsvm._limits import Limits
from bandsvm._parameters import check_finite_costs, check_parameters
from bandsvm._training import Training, band_problems, labels_of
from bandsvm.certificate import Certificate, combine, shortfall
from bandsvm.classifier import BandedSVC
from bandsvm.kernels import Rows, resolve_gamma, uses_gamma
from bandsvm.model_selection._following import PathFollower
from bandsvm.model_selection._shared import Start, shared_rows, solve_from
from bandsvm.problem import BandProblem
from bandsvm.solvers import Progress, Solution, Status, after

VARIED = ("C1", "C2", "rho1", "rho2", "cost")
N_POINTS = 50


@dataclass(frozen=True)
class BandPath:
    """Solutions of the Banded SVM along a path.

    Attributes
    ----------
    vary : str
        What changes along the path.
    values : ndarray of shape (n_points,)
        Its values.
    certificates : tuple of Certificate
        The certificate of each point.
    coefficients : list of CSR matrices of shape (n_points, n_samples)
        Signed coefficients ``alpha - theta`` of the training samples, one matrix a problem; two
        classes make one problem.
    intercepts : ndarray of shape (n_points, n_problems)
        Intercepts.
    n_alpha, n_theta : ndarray of shape (n_points,)
        Numbers of support vectors at the lower and at the upper edge.
    """

    vary: str
    values: NDArray[np.float64]
    certificates: tuple[Certificate, ...] = field(repr=False)
    coefficients: list[Any] = field(repr=False)
    intercepts: NDArray[np.float64] = field(repr=False)
    n_alpha: NDArray[np.intp] = field(repr=False)
    n_theta: NDArray[np.intp] = field(repr=False)
    _fitted: Any = field(repr=False)

    def alpha_support(self, k: int) -> NDArray[np.intp]:
        """Return the samples at the lower edge at point ``k``, in any problem."""
        return _samples(matrix[[k]] > 0.0 for matrix in self.coefficients)

    def theta_support(self, k: int) -> NDArray[np.intp]:
        """Return the samples at the upper edge at point ``k``, in any problem."""
        return _samples(matrix[[k]] < 0.0 for matrix in self.coefficients)

    def model(self, k: int) -> BandedSVC:
        """Return the fitted model of point ``k``."""
        return self._fitted(k)


def _samples(masks: Any) -> NDArray[np.intp]:
    """Return the columns in which any of some one-row matrices has an entry."""
    return np.unique(np.concatenate([mask.nonzero()[1] for mask in masks])).astype(np.intp)


def _n_samples(masks: Any) -> NDArray[np.intp]:
    """Return in how many columns any of some matrices has an entry, row by row."""
    return np.diff(sum(masks).indptr).astype(np.intp)


def _sparse_rows(rows: list[NDArray], columns: NDArray, n_columns: int) -> Any:
    """Return vectors, which have values in some columns, as rows of a CSR matrix."""
    places = [np.flatnonzero(row) for row in rows]
    values = [row[k] for row, k in zip(rows, places, strict=True)]
    none = np.empty(0, dtype=np.intp)
    at = columns[np.concatenate([none, *places])]
    ends = np.cumsum([0, *(len(k) for k in places)])
    return sp.csr_matrix((np.concatenate([none, *values]), at, ends), shape=(len(rows), n_columns))


def band_path(
    X: Any,
    y: Any,
    *,
    vary: str = "C2",
    values: ArrayLike | None = None,
    model: BandedSVC | None = None,
    sample_weight: ArrayLike | None = None,
) -> BandPath:
    """Solve the Banded SVM along a path in one of its numbers.

    Every point starts from the solution before it, over one store of kernel rows. Along C2 from 0
    the path walks from the C-SVM to the Banded SVM.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Training samples, or their kernel matrix.
    y : array-like of shape (n_samples,)
        Class labels.
    vary : {'C1', 'C2', 'rho1', 'rho2', 'cost'}, default='C2'
        What changes; 'cost' is a common factor of C1 and C2.
    values : array-like of shape (n_points,), default=None
        Its values, in the order in which to walk. None: 50 of them around that of the model; for
        C2, 0 and 49 up to C1; for rho2, from three times rho1 down to it.
    model : BandedSVC, default=None
        All other parameters; None is ``BandedSVC()``. It is not changed.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.

    Returns
    -------
    BandPath
        Certificates, coefficients, support vectors and intercepts of all points.

    See Also
    --------
    bandsvm.plotting.BandPathDisplay : Draws a path.

    Notes
    -----
    Ctrl-C ends the path with the points so far, and so does the model's `time_limit`.

    Examples
    --------
    >>> from bandsvm.datasets import make_paper_clusters
    >>> from bandsvm.model_selection import band_path
    >>> X, y = make_paper_clusters(20, random_state=0)
    >>> path = band_path(X, y, vary="C2", values=[0.0, 0.1, 1.0])
    >>> int(path.n_theta[0]), bool(path.n_theta[2] > 0)
    (0, True)
    """
    template = BandedSVC() if model is None else clone(model)
    if vary not in VARIED:
        raise ValueError(f"vary must be one of {', '.join(VARIED)}, got {vary!r}.")
    check_parameters(template)
    check_finite_costs(template)
    X, y = _validation.check_samples(template, X, y, reset=True)
    weights = _validation.check_weights(sample_weight, X.shape[0])
    _validation.check_for_kernel(template.kernel, X)
    points = _points(template, vary, values)
    labels = labels_of(template, y, weights)
    trainings = [band_problems(point, labels) for _, point in points]
    needs_gamma = uses_gamma(template.kernel)
    template.classes_ = trainings[0].classes
    template.gamma_ = resolve_gamma(template.gamma, X, weights) if needs_gamma else np.nan
    with Limits(template.time_limit) as limits, template._threads():
        outcomes = Walk(template, X, trainings, limits).run()
    return _assembled(vary, points, trainings, outcomes, template, X, y)


def _points(template: BandedSVC, vary: str, values: Any) -> list[tuple[float, BandedSVC]]:
    """Return the values and the models of a path."""
    names = ("C1", "C2") if vary == "cost" else (vary,)
    base = {name: getattr(template, name) for name in names}
    if vary != "cost" and isinstance(base[vary], Mapping):
        raise TypeError(f"vary={vary!r} needs {vary} to be a number in the model, got a mapping.")
    given = _default_values(template, vary) if values is None else np.asarray(values, dtype=float)
    if given.ndim != 1 or len(given) == 0 or not np.isfinite(given).all():
        raise ValueError(f"values must be a vector of finite numbers, got {values!r}.")
    points = []
    for value in given.tolist():
        changed = {vary: value}
        if vary == "cost":
            changed = {name: _times(value, old) for name, old in base.items()}
        point = copy.copy(template)
        for name, number in changed.items():
            setattr(point, name, number)
        points.append((value, point))
    return points


def _times(factor: float, cost: Any) -> Any:
    if isinstance(cost, Mapping):
        return {label: factor * value for label, value in cost.items()}
    return factor * cost


def _default_values(template: BandedSVC, vary: str) -> NDArray[np.float64]:
    """Return fifty values around that of the model."""
    if vary == "cost":
        return np.geomspace(0.01, 100.0, N_POINTS)
    numbers = [template.C1, template.C2, template.rho1, template.rho2]
    if any(isinstance(number, Mapping) for number in numbers):
        raise ValueError("values must be given if the model has numbers that differ by class.")
    C1, _, rho1, rho2 = numbers
    if vary == "C2":
        return np.concatenate([[0.0], np.geomspace(1e-3 * C1, C1, N_POINTS - 1)])
    if vary == "C1":
        return np.geomspace(0.01 * C1, 100.0 * C1, N_POINTS)
    # From a wide band, next to a C-SVM, to a narrow one: narrow ones have the most support vectors.
    ends = (0.1 * rho2, rho2) if vary == "rho1" else (3.0 * rho1, rho1)
    return np.linspace(*ends, N_POINTS)


class Walk:
    """A walk along a path: at every point each problem starts from its last solution."""

    def __init__(self, model: BandedSVC, X: Any, trainings: list[Training], limits: Limits) -> None:
        self._model, self._trainings, self._limits = model, trainings, limits
        samples = trainings[0].kept_samples(X, is_pairwise=model.kernel == "precomputed")
        rows = shared_rows(
            model,
            model._kernel(),
            samples,
            largest_cost=max(training.largest_cost() for training in trainings),
            largest_rounding=COARSE_ROUNDING * model.tol,
        )
        self._follow(rows)

    def _follow(self, rows: Rows) -> None:
        self._rows = rows
        self._followers = [PathFollower(rows) for _ in self._trainings[0].problems]

    def run(self) -> list[list[Outcome]]:
        """Return the outcomes of all points that were reached, a list of problems each."""
        reached: list[list[Outcome]] = []
        for place, training in enumerate(self._trainings):
            outcomes = []
            for k, problem in enumerate(training.problems):
                start = None
                if reached:
                    old = self._trainings[place - 1].problems[k]
                    start = self._followers[k].start(old, problem, reached[-1][k], self._aim())
                outcomes.append(self._step(problem, start))
            reason = self._limits.reason()
            if reason is not None:
                warnings.warn(
                    f"band_path ended early ({reason.value}) after {len(reached)} of "
                    f"{len(self._trainings)} points.",
                    ConvergenceWarning,
                    stacklevel=4,
                )
                break
            reached.append(outcomes)
        return reached

    def _aim(self) -> float:
        """Return the violation that solvers are to reach."""
        return aim_at(self._model.tol, self._rows)

    def _step(self, problem: BandProblem, earlier: Solution | None) -> Outcome:
        """Solve a problem, ever more carefully until it is certified."""
        start = None if earlier is None else Start(earlier.c, earlier.f)
        while True:
            outcome = self._solve(problem, start, earlier)
            earlier = outcome.solution
            if outcome.certificate.is_optimal or outcome.solution.status.is_limit:
                return outcome
            if start is not None and start.gradient is not None:
                # Rounding errors of many steps may have piled up.
                start = Start(outcome.solution.c, None)
                continue
            sharper = self._rows.sharper()
            if sharper is None:
                return outcome
            self._follow(sharper)
            start = Start(outcome.solution.c, None)

    def _solve(
        self, problem: BandProblem, start: Start | None, earlier: Solution | None
    ) -> Outcome:
        solution = solve_from(
            start,
            problem,
            self._rows,
            self._model,
            tol=self._aim(),
            polished=True,
            callback=self._watch,
        )
        if solution.status is Status.NOT_FINITE:
            raise ValueError("The decision values overflow; scale X or lower C1 and C2.")
        if earlier is not None:
            solution = after(earlier, solution)
        return judge(problem, self._rows, solution, self._model.tol)

    def _watch(self, progress: Progress) -> Status | None:
        return self._limits.reason()


def _assembled(
    vary: str,
    points: list[tuple[float, BandedSVC]],
    trainings: list[Training],
    outcomes: list[list[Outcome]],
    template: BandedSVC,
    X: Any,
    y: NDArray,
) -> BandPath:
    """Return the path of what was reached."""
    certificates = tuple(combine([o.certificate for o in point]) for point in outcomes)
    short = [certificate for certificate in certificates if not certificate.is_optimal]
    if short:
        warnings.warn(
            f"band_path: {len(short)} of {len(certificates)} points are not optimal to tol; the "
            f"first of them {shortfall(short[0])}",
            ConvergenceWarning,
            stacklevel=3,
        )
    signs, kept = trainings[0].signs, trainings[0].kept
    coefficients = [
        _sparse_rows([sign[kept] * point[p].solution.c for point in outcomes], kept, len(y))
        for p, sign in enumerate(signs)
    ]

    def fitted(k: int) -> BandedSVC:
        model: Any = copy.copy(points[k][1])
        names = ("classes_", "gamma_", "n_features_in_", "feature_names_in_")
        vars(model).update({n: v for n, v in vars(template).items() if n in names})
        with model._threads():
            set_fitted_attributes(model, X, y, trainings[k], outcomes[k])
        return model

    return BandPath(
        vary=vary,
        values=np.array([value for value, _ in points[: len(outcomes)]]),
        certificates=certificates,
        coefficients=coefficients,
        intercepts=np.array([[o.intercept for o in point] for point in outcomes]),
        n_alpha=_n_samples(matrix > 0.0 for matrix in coefficients),
        n_theta=_n_samples(matrix < 0.0 for matrix in coefficients),
        _fitted=fitted,
    )
