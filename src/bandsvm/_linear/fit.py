"""A fit of a linear model from end to end: check, build problems, solve, certify, store."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bandsvm._certificate import Certificate, certify, combine
from bandsvm._checks import data
from bandsvm._checks.parameters import check_fit_parameters
from bandsvm._decisions.values import feature_weights
from bandsvm._fitting.limits import Limits
from bandsvm._fitting.model import fit_within_limits
from bandsvm._fitting.settings import BandSettings
from bandsvm._fitting.training import Labels, Training, band_problems, labels_of
from bandsvm._kernels import LinearOperator
from bandsvm._linear.choice import check_memory, choose_method
from bandsvm._linear.point import LocalJudge, Start
from bandsvm._linear.samples import LinearSamples
from bandsvm._linear.showing import LinearShower
from bandsvm._linear.solving import (
    LINEAR_METHODS,
    LinearSolution,
    LinearSolve,
    available_linear_solvers,
)
from bandsvm._linear.units import Units
from bandsvm._problem import Solution, Status
from bandsvm._problem.band_problem import BandProblem
from bandsvm._system.stopping import stop_when
from bandsvm._system.threads import in_threads, n_threads, single_threaded_blas


def fit_linear(model: Any, X: Any, y: Any, sample_weight: Any) -> bool:
    """Fit a LinearBandedSVC; return whether Ctrl-C was pressed meanwhile."""
    return fit_within_limits(model, partial(_fit, model, X, y, sample_weight))


def _fit(model: Any, X: Any, y: Any, sample_weight: Any, limits: Limits) -> None:
    check_linear_parameters(model)
    with limits:
        X, y = data.check_samples(model, X, y, reset=True)
        weights = data.check_weights(sample_weight, X.shape[0])
        training = _training(model, y, weights)
        units = Units.of(X, training.largest_cost)
        samples = LinearSamples(units.samples(X), n_threads(model.n_jobs))
        method = choose_method(samples) if model.solver == "auto" else model.solver
        check_memory(method, samples)
        starts = _starts(model, training, X.shape[1])
        # Overflows are detected later and raise an error with advice.
        with (
            single_threaded_blas(),
            np.errstate(over="ignore", invalid="ignore"),
            LinearShower(int(model.verbose), model.tol) as shower,
        ):
            jobs = [
                partial(_solved, model, problem, units, samples, method, start, shower, title)
                for problem, start, title in zip(
                    training.problems, starts, training.titles, strict=True
                )
            ]
            # Coordinate descent uses one thread; newton steps use all.
            solutions = in_threads(jobs, samples.n_threads if method == "cd" else 1)
            certificates = [
                _certificate(model, problem, X, solution)
                for problem, solution in zip(training.problems, solutions, strict=True)
            ]
    _store(model, training, method, solutions, certificates)


def check_linear_parameters(model: Any) -> None:
    """Check all parameters that do not depend on the classes."""
    check_fit_parameters(model, available_linear_solvers())
    if not isinstance(model.store_multipliers, (bool, np.bool_)):
        raise TypeError(f"store_multipliers must be a bool, got {model.store_multipliers!r}.")


def _training(model: Any, y: NDArray, weights: NDArray) -> Training:
    return training_of(model, labels_of(model.class_weight, y, weights))


def training_of(model: Any, labels: Labels) -> Training:
    """Return the band problems; samples without weight stay in them, so that X is not copied."""
    training = band_problems(BandSettings.of(model), labels, keep_all=True, allows_hard=True)
    if any(problem.has_hard_edges for problem in training.problems):
        raise ValueError(
            f"C1 must be finite, got {model.C1!r}; BandedSVC(kernel='linear') takes C1=inf."
        )
    return training


def _starts(model: Any, training: Training, n_features: int) -> list[Start | None]:
    """Return where each problem starts: at the last model if there is one of the same kind."""
    cold: list[Start | None] = [None] * len(training.problems)
    if not (model.warm_start and hasattr(model, "coef_") and hasattr(model, "certificate_")):
        return cold
    same_features = model.coef_.shape[1] == n_features
    if not (same_features and np.array_equal(model.classes_, training.classes)):
        return cold
    c: list[NDArray | None] = [None] * len(training.problems)
    if hasattr(model, "alpha_") and len(model.alpha_) == training.signs.shape[1]:
        c = list(_coefficients(model, training))
    parts = model.certificate_.parts or (model.certificate_,)
    return [
        Start(np.array(w), float(b), c_of, part.relative_gap)
        for w, b, c_of, part in zip(feature_weights(model), model.intercept_, c, parts, strict=True)
    ]


def _solved(
    model: Any,
    problem: BandProblem,
    units: Units,
    samples: LinearSamples,
    solver: str,
    start: Start | None,
    shower: LinearShower,
    title: str,
) -> LinearSolution:
    """Solve one problem."""
    problem = units.problem(problem)
    judge, shown = LocalJudge(problem, samples), shower.of_problem(title)
    solve = LinearSolve(judge, model.tol, model.max_iter, shown)
    method = partial(LINEAR_METHODS[solver], problem, samples)
    solution = solve.solution(method, units.start(start))
    check_finite(model, solution)
    return units.solution(solution)


def check_finite(model: Any, solution: LinearSolution) -> None:
    """Refuse a solution that is not finite."""
    if solution.status is Status.NOT_FINITE:
        raise ValueError(
            f"The decision values overflow with C1={model.C1!r} and C2={model.C2!r}; scale X or "
            "lower C1 and C2."
        )


def _certificate(model: Any, problem: BandProblem, X: Any, solution: LinearSolution) -> Certificate:
    """Certify a solution by all decision values, recomputed."""
    point = solution.point
    spent = solution.n_iter, 0, 0, solution.seconds
    dual = Solution(point.c, point.f, solution.status, *spent)
    with stop_when(None):
        return _certified(model, problem, X, dual, point.intercept)


def _certified(
    model: Any, problem: BandProblem, X: Any, dual: Solution, intercept: float
) -> Certificate:
    """Certify coefficients by all decision values, recomputed; the gap decides."""
    options: dict[str, Any] = {"tol": np.inf, "n_checks": None, "gap_tol": model.tol}
    return certify(problem, LinearOperator(X), dual, intercept, **options)


def certify_linear(model: Any, X: Any, y: Any, sample_weight: Any) -> Certificate:
    """Certify a fitted model whose multipliers are known; see `LinearBandedSVC.certify`."""
    check_is_fitted(model)
    if not hasattr(model, "alpha_"):
        raise ValueError(
            f"certify needs the multipliers of the training samples, which {type(model).__name__} "
            "has not kept; set store_multipliers=True and fit again."
        )
    X, y = data.check_samples(model, X, y, reset=False)
    training = _training(model, y, data.check_weights(sample_weight, X.shape[0]))
    classes, n_samples = training.classes, len(model.alpha_)
    if X.shape[0] != n_samples or not np.array_equal(classes, model.classes_):
        raise ValueError(
            f"certify needs the training set: {n_samples} samples and the classes "
            f"{model.classes_.tolist()}, got {X.shape[0]} samples and the classes "
            f"{classes.tolist()}."
        )
    parts = model.certificate_.parts or (model.certificate_,)
    found = zip(
        training.problems,
        _coefficients(model, training),
        feature_weights(model),
        model.intercept_,
        parts,
        strict=True,
    )
    samples, certificates = LinearSamples(X, n_threads(model.n_jobs)), []
    with single_threaded_blas():
        for problem, c, w, intercept, part in found:
            spent = part.n_iter, part.n_pair_steps, part.n_kernel_rows, part.seconds
            dual = Solution(c, samples.product(w), part.status, *spent)
            certificates.append(_certified(model, problem, X, dual, float(intercept)))
    return combine(certificates)


def _coefficients(model: Any, training: Training) -> NDArray[np.float64]:
    """Return the coefficients of the training samples, one row per problem."""
    difference = (model.alpha_ - model.theta_).reshape(training.signs.shape[1], -1).T
    return training.signs * difference


def _store(
    model: Any,
    training: Training,
    method: str,
    solutions: list[LinearSolution],
    certificates: list[Certificate],
) -> None:
    """Set the fitted attributes."""
    model.classes_ = training.classes
    # "newton" if any problem took it; "auto" begins with "cd"
    names = [solution.solver or {"trial": "cd"}.get(method, method) for solution in solutions]
    model.solver_ = max(names)
    model.coef_ = np.array([solution.point.w for solution in solutions])
    model.intercept_ = np.array([solution.point.intercept for solution in solutions])
    model.certificate_ = combine(certificates)
    model.n_iter_ = max(1, sum(solution.n_iter for solution in solutions))
    for name in ("alpha_", "theta_", "sigmoids_"):
        vars(model).pop(name, None)
    if model.store_multipliers or model.warm_start:
        coefficients = [solution.point.c for solution in solutions]
        model.alpha_, model.theta_ = training.multipliers(coefficients)
