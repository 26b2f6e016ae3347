"""The run of a linear fit: problems over samples, wherever these are, are solved and certified."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from bandsvm._certificate import Certificate, combine
from bandsvm._decisions.values import feature_weights
from bandsvm._fitting.fitted import classes_of
from bandsvm._fitting.lifecycle import Observers
from bandsvm._fitting.run import FitRun
from bandsvm._fitting.task import Targets
from bandsvm._linear.executor import Executor
from bandsvm._linear.point import Start
from bandsvm._linear.solver_choice import FIRST, Sizes, check_memory
from bandsvm._linear.solving import LinearProgress, LinearSolution, LinearSolve
from bandsvm._problem import Status
from bandsvm._system.stopping import stop_when
from bandsvm._system.threads import in_threads, single_threaded_blas


class LinearOutcome(NamedTuple):
    """The solution of one problem, and how far from optimal it is."""

    solution: LinearSolution
    certificate: Certificate


class LinearTraining(Protocol):
    """A training set of a linear model, wherever its samples are."""

    @property
    def targets(self) -> Targets:
        """How targets become problems."""

    @property
    def sizes(self) -> Sizes:
        """How much there is of the samples."""

    def choose_method(self) -> str:
        """Return the method that ``solver='auto'`` stands for."""

    def n_at_once(self, method: str) -> int:
        """Return how many problems to solve at a time."""

    def executor(self, k: int) -> Executor:
        """Return what computes with the samples of the k-th problem."""

    def starts(self, starts: list[Start], model: Any) -> list[Start]:
        """Return starts of all problems, with what a model knows of the samples' coefficients."""

    def outcome(self, k: int, executor: Any, solution: LinearSolution, tol: float) -> LinearOutcome:
        """Certify the solution of the k-th problem by all decision values, recomputed."""

    def multipliers(self, coefficients: list[Any]) -> tuple[Any, Any]:
        """Return ``alpha`` and ``theta``, shaped as attributes, from ``c`` of all problems.

        Solvers see ``c`` in other units than users; see `Targets.units`.
        """


class LinearRun(FitRun):
    """Solves the problems of a training set."""

    shows_start = True
    progress: LinearProgress

    def __init__(self, model: Any, training: LinearTraining, observers: Observers) -> None:
        super().__init__(observers)
        self._model, self._training = model, training
        self.method = training.choose_method() if model.solver == "auto" else model.solver
        check_memory(self.method, training.sizes)
        self._starts = self._find_starts()

    @property
    def titles(self) -> list[str]:
        """A title for each problem."""
        return self._training.targets.titles

    @property
    def distance(self) -> float:
        """The relative duality gap."""
        return self.progress.relative_gap

    def describe(self) -> str:
        """Return a line on the current state."""
        progress = self.progress
        return (
            f"step {progress.n_iter}: relative gap {progress.relative_gap:.1e} "
            f"(tol {progress.tol:.0e}), {progress.seconds:.1f} s"
        )

    def figures(self) -> str:
        """Return the most important figures of that line, for a bar."""
        progress = self.progress
        return f"gap {progress.relative_gap:.1e}, tol {progress.tol:.0e}, step {progress.n_iter}"

    def run(self) -> list[LinearOutcome]:
        """Return the outcomes of all problems."""
        interleaved = all(observer.may_interleave for observer in self._observers)
        n_at_once = self._training.n_at_once(self.method) if interleaved else 1
        jobs = [partial(self._solve, k) for k in range(len(self.titles))]
        with single_threaded_blas():
            return in_threads(jobs, n_at_once)

    def _solve(self, k: int) -> LinearOutcome:
        """Solve one problem and certify its solution."""
        model, training = self._model, self._training
        with self._ending_others():
            self._begin(k)
            executor = training.executor(k)
            with stop_when(None):
                solve = LinearSolve(executor, model.tol, model.max_iter, partial(self._step, k))
            solution = solve.solution(self.method, self._starts[k])
            if solution.status is Status.NOT_FINITE:
                raise ValueError(
                    f"The decision values overflow with C1={model.C1!r} and C2={model.C2!r}; scale "
                    "X or lower C1 and C2."
                )
            with stop_when(None):
                return training.outcome(k, executor, solution, model.tol)

    def _find_starts(self) -> list[Start | None]:
        """Return where each problem starts: at the last model if there is one of the same kind."""
        model, training = self._model, self._training
        cold: list[Start | None] = [None] * len(self.titles)
        if not (model.warm_start and hasattr(model, "coef_") and hasattr(model, "certificate_")):
            return cold
        weights, targets = feature_weights(model), training.targets
        same_features = weights.shape[1] == training.sizes.n_features
        if not (same_features and np.array_equal(classes_of(model), targets.classes)):
            return cold
        parts = model.certificate_.parts or (model.certificate_,)
        weights = targets.units.seen_differences(weights)
        last = zip(weights, targets.units.seen(model.intercept_), parts, strict=True)
        starts = [Start(np.array(w), float(b), gap=part.relative_gap) for w, b, part in last]
        return list(training.starts(starts, model))


def fit_to(model: Any, training: LinearTraining, observers: Observers) -> None:
    """Fit a linear model to a training set, and set its attributes."""
    run = LinearRun(model, training, observers)
    outcomes = run.run()
    solutions, targets = [outcome.solution for outcome in outcomes], training.targets
    units = targets.units
    # "newton" if any problem took it
    usual = FIRST.get(run.method, run.method)
    if len(targets.classes):
        model.classes_ = targets.classes
    model.solver_ = max(solution.solver or usual for solution in solutions)
    weights = units.differences(np.array([solution.point.w for solution in solutions]))
    model.coef_ = model._task.coef(weights)
    model.intercept_ = units.values(np.array([solution.point.intercept for solution in solutions]))
    model.certificate_ = combine([outcome.certificate.in_units(units) for outcome in outcomes])
    model.n_iter_ = max(1, sum(solution.n_iter for solution in solutions))
    for name in ("alpha_", "theta_", "sigmoids_"):
        vars(model).pop(name, None)
    if model.store_multipliers or model.warm_start:
        coefficients = [solution.point.c for solution in solutions]
        model.alpha_, model.theta_ = training.multipliers(coefficients)
