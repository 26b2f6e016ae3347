"""A fit of a linear model to samples in the memory of this process, from end to end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bandsvm._certificate import Certificate, certify, combine
from bandsvm._checks import data
from bandsvm._decisions.values import feature_weights
from bandsvm._fitting.fitted import check_same_set, fitted_solutions
from bandsvm._fitting.lifecycle import Observers, observed, run_fit
from bandsvm._fitting.run import Observer
from bandsvm._fitting.task import Targets
from bandsvm._fitting.training import Training
from bandsvm._kernels import LinearOperator
from bandsvm._linear.executor import LocalExecutor
from bandsvm._linear.point import Start
from bandsvm._linear.run import LinearOutcome, LinearRun, fit_to
from bandsvm._linear.samples import LinearSamples
from bandsvm._linear.solver_choice import choose_method
from bandsvm._linear.solving import LinearSolution
from bandsvm._linear.units import Units
from bandsvm._problem import Solution
from bandsvm._problem.band_problem import BandProblem
from bandsvm._problem.band_problems import stacked
from bandsvm._system.threads import n_threads, single_threaded_blas


def fit_linear(
    model: Any, X: Any, y: Any, sample_weight: Any, *watchers: Observer[LinearRun]
) -> bool:
    """Fit a linear model; return whether Ctrl-C was pressed meanwhile."""
    return run_fit(model, partial(_fit, model, X, y, sample_weight), watchers)


def fit_to_checked(model: Any, X: Any, y: Any, sample_weight: Any) -> bool:
    """Fit a linear model like `fit_linear`, to samples and targets that need no more checks."""
    fit = partial(_fit, model, X, y, sample_weight, is_checked=True)
    return run_fit(model, fit)


def _fit(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    observers: Observers,
    is_checked: bool = False,
) -> None:
    model._task.check_parameters(model)
    with observed(observers):
        if is_checked:
            model.n_features_in_ = X.shape[1]
        else:
            X, y = model._task.check_samples(model, X, y, reset=True)
        weights = data.check_weights(sample_weight, X.shape[0])
        training = model._task.training(model, y, weights)
        fit_to(model, LocalTraining.of(X, training, n_threads(model.n_jobs)), observers)


@dataclass(frozen=True)
class LocalTraining:
    """A training set in the memory of this process, as `bandsvm._linear.run` asks for it."""

    X: Any  # (n_samples, n_features): the samples as they were given
    training: Training  # their band problems
    units: Units  # what solvers measure samples in
    sizes: LinearSamples  # the samples in these units

    @classmethod
    def of(cls, X: Any, training: Training, number_of_threads: int) -> LocalTraining:
        """Return samples and problems in units that suit them."""
        units = Units.of(X, training.largest_cost)
        return cls(X, training, units, LinearSamples(units.samples(X), number_of_threads))

    @property
    def targets(self) -> Targets:
        """How targets become problems."""
        return self.training.targets

    def choose_method(self) -> str:
        """Return the method that should take the least work."""
        return choose_method(self.sizes, self.training.problems[0].is_squared)

    def n_at_once(self, method: str) -> int:
        """Return as many as threads for coordinate descent, which uses one; else 1."""
        return self.sizes.n_threads if method == "cd" else 1

    def executor(self, k: int) -> LocalExecutor:
        """Return what computes with the samples of the k-th problem, in their units."""
        return LocalExecutor(self.units.problem(self.training.problems[k]), self.sizes)

    def starts(self, starts: list[Start], model: Any) -> list[Start]:
        """Return starts in these units, with coefficients if the model has multipliers."""
        if hasattr(model, "alpha_") and len(model.alpha_) == self.training.n_samples:
            known = self.targets.units.seen_differences(_coefficients(model, self.training))
            starts = [replace(start, c=c) for start, c in zip(starts, known, strict=True)]
        return [self.units.start(start) for start in starts]

    def outcome(
        self, k: int, executor: LocalExecutor, solution: LinearSolution, tol: float
    ) -> LinearOutcome:
        solution = self.units.solution(solution)
        point, spent = solution.point, (solution.n_iter, 0, 0, solution.seconds)
        dual = Solution(point.c, point.f, solution.status, *spent)
        problem = self.training.problems[k]
        return LinearOutcome(solution, _certified(problem, self.X, dual, point.intercept, tol))

    def multipliers(self, coefficients: list[NDArray]) -> tuple[NDArray, NDArray]:
        return self.training.multipliers(self.targets.units.differences(stacked(coefficients)))


def _certified(
    problem: BandProblem, X: Any, dual: Solution, intercept: float, tol: float
) -> Certificate:
    """Certify coefficients by all decision values, recomputed; the gap decides."""
    options: dict[str, Any] = {"tol": np.inf, "n_checks": None, "gap_tol": tol}
    return certify(problem, LinearOperator(X), dual, intercept, **options)


def certify_linear(model: Any, X: Any, y: Any, sample_weight: Any) -> Certificate:
    """Certify a fitted model whose multipliers are known; see `LinearModelMixin.certify`."""
    check_is_fitted(model)
    if not hasattr(model, "alpha_"):
        raise ValueError(
            f"certify needs the multipliers of the training samples, which {type(model).__name__} "
            "has not kept; set store_multipliers=True and fit again."
        )
    X, y = model._task.check_samples(model, X, y, reset=False)
    weights = data.check_weights(sample_weight, X.shape[0])
    training = model._task.training(model, y, weights)
    units = training.targets.units
    check_same_set(model, training, "certify")
    samples = LinearSamples(X, n_threads(model.n_jobs))
    with single_threaded_blas():
        products = [samples.product(w) for w in units.seen_differences(feature_weights(model))]
        coefficients = units.seen_differences(_coefficients(model, training))
        duals = fitted_solutions(model, coefficients, products)
        intercepts = units.seen(model.intercept_).tolist()
        certificates = [
            _certified(problem, X, dual, b, model.tol)
            for problem, dual, b in zip(training.problems, duals, intercepts, strict=True)
        ]
        return combine([found.in_units(units) for found in certificates])


def _coefficients(model: Any, training: Training) -> NDArray[np.float64]:
    """Return the coefficients of the training samples, one row per problem."""
    difference = (model.alpha_ - model.theta_).reshape(training.n_samples, -1).T
    return training.signs * difference
