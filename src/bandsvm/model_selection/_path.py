"""Solutions along a path in one parameter, each started from the previous one."""

from __future__ import annotations

import warnings
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from bandsvm._checks import data
from bandsvm._checks.device_arrays import brought
from bandsvm._estimators.kernel import BandedSVC
from bandsvm._fitting.kernel_run import aim_at
from bandsvm._fitting.limits import Limits
from bandsvm._fitting.outcomes import Outcome, certified
from bandsvm._fitting.settings import FitSettings
from bandsvm._fitting.training import Training, some_samples
from bandsvm._kernels import KernelOperator, resolve_gamma, uses_gamma
from bandsvm._problem import Solution, Start, Status, after
from bandsvm._problem.band_problem import BandProblem
from bandsvm._solvers import solve
from bandsvm._system.stopping import Stop, check_stop
from bandsvm._system.threads import single_threaded_blas
from bandsvm.model_selection._band_path import BandPath, PathInterrupted, PathModels
from bandsvm.model_selection._following import PathFollower
from bandsvm.model_selection._varied import varied_of


def band_path(
    X: Any,
    y: Any,
    *,
    vary: str = "C2",
    values: ArrayLike | None = None,
    model: Any = None,
    sample_weight: ArrayLike | None = None,
) -> BandPath:
    """Solve the Banded SVM for many values of one parameter.

    Every point starts from the previous solution, and all share one store of kernel rows. Along C2
    from 0 the path leads from the C-SVM to the Banded SVM. Regressions have paths too: along the
    width of the tube, the costs, or the quantile.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Training samples, or their kernel matrix.
    y : array-like of shape (n_samples,) or (n_samples, 2)
        Class labels; for regressions, targets or intervals in which they lie.
    vary : str, default='C2'
        The parameter to vary: 'C1', 'C2', 'rho1', 'rho2' or 'cost' of a `BandedSVC`; 'C1', 'C2',
        'epsilon' or 'cost' of a `BandedSVR`; 'C' or 'quantile' of a `BandedQuantileSVR`. 'cost' is
        a common factor of C1 and C2.
    values : array-like of shape (n_points,), default=None
        Its values, in the order in which to solve for them. None: 50 values around the model's own;
        for C2, 0 and 49 values up to C1; for rho2, from three times rho1 down to rho1; for epsilon,
        from about the standard deviation of the targets down to 0; for quantile, from 0.01 to 0.99.
    model : BandedSVC, BandedSVR or BandedQuantileSVR, default=None
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
    When the model's `time_limit` is up, the points so far are returned, with a warning. Ctrl-C
    raises `PathInterrupted`, a KeyboardInterrupt whose attribute ``path`` holds these points.

    Examples
    --------
    >>> from bandsvm import BandedSVC
    >>> from bandsvm.datasets import make_paper_clusters
    >>> from bandsvm.model_selection import band_path
    >>> X, y = make_paper_clusters(20, random_state=0)
    >>> model = BandedSVC(C1=10, rho2=1.5, gamma=1.0)
    >>> path = band_path(X, y, vary="C2", values=[0.0, 0.1, 1.0], model=model)
    >>> int(path.n_theta[0]), bool(path.n_theta[2] > 0)
    (0, True)
    """
    template = BandedSVC() if model is None else clone(model)
    varied, task = varied_of(template), template._task
    if vary not in varied.names:
        raise ValueError(f"vary must be one of {', '.join(varied.names)}, got {vary!r}.")
    task.check_parameters(template)
    device, X, y, sample_weight = brought(template, X, y, sample_weight)
    X, y = task.check_samples(template, X, y, reset=True)
    weights = data.check_weights(sample_weight, X.shape[0])
    data.check_for_kernel(template.kernel, X)
    units = task.units(template, y, weights)
    points = varied.points(template, vary, values, units)
    models = [_changed(template, parameters) for _, parameters in points]
    known = task.known(template, y, weights, units)
    trainings = [task.problems(task.band(model), known) for model in models]
    needs_gamma = uses_gamma(template.kernel)
    gamma = resolve_gamma(template.gamma, X, weights) if needs_gamma else np.nan
    settings = FitSettings.of(template, gamma).on(device)
    with Limits(template.time_limit), single_threaded_blas():
        solver = PathSolver(settings, X, trainings)
        outcomes = solver.run()
    wanted = [value for value, _ in points]
    reached = PathModels(vary, settings, wanted, models, trainings, outcomes, X, y)
    if solver.ended_by is Status.INTERRUPTED:
        with warnings.catch_warnings():
            # A warning raised as an error must not replace PathInterrupted.
            warnings.simplefilter("ignore", ConvergenceWarning)
            path = BandPath.of(reached)
        raise PathInterrupted(path, len(points))
    if solver.ended_by is not None:
        warnings.warn(
            f"band_path ended early ({solver.ended_by.value}) after {len(outcomes)} of "
            f"{len(points)} points; raise time_limit.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return BandPath.of(reached)


def _changed(template: Any, parameters: dict[str, Any]) -> Any:
    """Return a copy of a model with other parameters, checked."""
    model = copy(template)
    model.__dict__.update(parameters)
    model._task.check_parameters(model)
    return model


class PathSolver:
    """Solves all points of a path; at each, every problem starts from its last solution."""

    def __init__(self, settings: FitSettings, X: Any, trainings: list[Training]) -> None:
        self._solving, self._trainings = settings.solving, trainings
        self.ended_by: Status | None = None
        rows = settings.rows(
            some_samples(X, trainings[0].kept, settings.kernel.is_precomputed),
            largest_cost=max(training.largest_cost for training in trainings),
        )
        self._follow(rows)

    def _follow(self, rows: KernelOperator) -> None:
        self._rows = rows
        self._followers = [PathFollower(rows) for _ in self._trainings[0].problems]

    def run(self) -> list[list[Outcome]]:
        """Return the outcomes of all points that were reached, one list of problems per point."""
        reached: list[list[Outcome]] = []
        try:
            for place in range(len(self._trainings)):
                check_stop()
                reached.append(self._point(place, reached[-1] if reached else None))
        except Stop as stop:
            self.ended_by = stop.reason
        return reached

    def _point(self, place: int, last: list[Outcome] | None) -> list[Outcome]:
        """Return the outcomes of the problems of a point."""
        outcomes = []
        for k, problem in enumerate(self._trainings[place].problems):
            start = None
            if last is not None:
                old = self._trainings[place - 1].problems[k]
                start = self._followers[k].start(old, problem, last[k], self._aim())
            outcome = self._step(problem, start)
            if outcome.solution.status in (Status.INTERRUPTED, Status.TIME_LIMIT):
                raise Stop(outcome.solution.status)
            outcomes.append(outcome)
        return outcomes

    def _aim(self) -> float:
        """Return the violation that solvers must reach."""
        return aim_at(self._solving.tol, self._rows)

    def _step(self, problem: BandProblem, earlier: Solution | None) -> Outcome:
        """Solve a problem, with increasing precision until it is certified."""
        start = None if earlier is None else Start.at(earlier)
        while True:
            outcome = self._solve(problem, start, earlier)
            earlier = outcome.solution
            if outcome.certificate.is_optimal or outcome.solution.status.is_limit:
                return outcome
            if start is not None and start.gradient is not None:
                # Rounding errors of many steps may have accumulated.
                start = Start(outcome.solution.c)
                continue
            more_precise = self._rows.more_precise()
            if more_precise is None:
                return outcome
            self._follow(more_precise)
            start = Start(outcome.solution.c)

    def _solve(
        self, problem: BandProblem, start: Start | None, earlier: Solution | None
    ) -> Outcome:
        solution = solve(
            problem,
            self._rows,
            solver=self._solving.solver,
            tol=self._aim(),
            max_iter=self._solving.max_iter,
            start=start,
            polished=True,
        )
        if solution.status is Status.NOT_FINITE:
            raise ValueError("The decision values overflow; scale X or lower C1 and C2.")
        if earlier is not None:
            solution = after(earlier, solution)
        return certified(problem, self._rows, solution, self._solving.tol)
