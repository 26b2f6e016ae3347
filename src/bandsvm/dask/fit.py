"""A fit on a cluster from end to end: read, check, build problems, solve, certify, store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from distributed import Client, get_client
from numpy.typing import NDArray

import dask
from bandsvm._certificate import Certificate, combine
from bandsvm._decisions.values import feature_weights
from bandsvm._fitting.limits import Limits
from bandsvm._fitting.model import fit_within_limits
from bandsvm._linear.choice import check_memory, choose_solver
from bandsvm._linear.fit import check_finite, check_linear_parameters
from bandsvm._linear.interior_point import InteriorPoint
from bandsvm._linear.point import Start
from bandsvm._linear.showing import LinearShower
from bandsvm._linear.solving import LinearSolution, LinearSolve, Method
from bandsvm._problem import Status
from bandsvm._problem.band_problem import split_coefficients
from bandsvm._system.stopping import stop_when
from bandsvm._system.threads import single_threaded_blas
from bandsvm.dask.crew import Crew, PerChunk
from bandsvm.dask.descent import ClusterDescent
from bandsvm.dask.findings import Survey, found_in
from bandsvm.dask.ground import Ground, Labelled, Recipe, boxed, ground, joined, labelled
from bandsvm.dask.judging import ClusterJudge
from bandsvm.dask.reading import map_chunks
from bandsvm.dask.shield import shielded_from_ctrl_c
from bandsvm.dask.team import ClusterTeam


def client_of(model: Any) -> Client:
    """Return the client of a model: its own, or the current one."""
    if model.client is not None:
        if not isinstance(model.client, Client):
            raise TypeError(
                f"client must be a distributed.Client or None, got {type(model.client).__name__}."
            )
        return _synchronous(model.client)
    try:
        return _synchronous(get_client())
    except ValueError:
        raise ValueError(
            "client is None and there is no current client; make one first, for example with "
            "`from dask.distributed import Client; client = Client()`."
        ) from None


def _synchronous(client: Client) -> Client:
    if getattr(client, "asynchronous", False):
        raise ValueError(
            "client must be synchronous, but this one is asynchronous; make it without "
            "asynchronous=True, or call fit in a thread."
        )
    return client


def fit_on_cluster(model: Any, X: Any, y: Any, sample_weight: Any) -> bool:
    """Fit a model; return whether Ctrl-C was pressed meanwhile."""
    return fit_within_limits(model, partial(_fit, model, X, y, sample_weight))


def _fit(model: Any, X: Any, y: Any, sample_weight: Any, limits: Limits) -> None:
    check_linear_parameters(model)
    client = client_of(model)
    with shielded_from_ctrl_c(client), limits:
        # Without the data there is no model to end with at a time limit.
        with stop_when(lambda: Status.INTERRUPTED if limits.was_interrupted else None):
            chunks = Chunks.read(client, X, y, sample_weight)
        survey = chunks.survey
        training, recipe = survey.training(model)
        solver = choose_solver(survey) if model.solver == "auto" else model.solver
        check_memory(solver, survey)
        starts = _starts(model, chunks, recipe)
        # Overflows are detected later and raise an error with advice.
        with (
            single_threaded_blas(),
            np.errstate(over="ignore", invalid="ignore"),
            LinearShower(int(model.verbose), model.tol) as shower,
        ):
            ends = [
                _solved(model, chunks.judge(recipe, k, model.n_jobs), solver, start, shower, title)
                for k, (start, title) in enumerate(zip(starts, training.titles, strict=True))
            ]
    _store(model, chunks, recipe, solver, ends)


@dataclass(frozen=True)
class Chunks:
    """The chunks of a training set that are not empty, checked, on their workers.

    Attributes
    ----------
    client : distributed.Client
        The cluster.
    labelled : PerChunk
        Samples, labels and weights; small neighbours are one chunk.
    crew : Crew
        The workers that hold these.
    survey : Survey
        What is known of the chunks as they were given.
    """

    client: Client
    labelled: PerChunk
    crew: Crew
    survey: Survey

    @classmethod
    def read(cls, client: Client, X: Any, y: Any, sample_weight: Any) -> Chunks:
        """Bring chunks into the memory of workers and check them."""
        chunks = map_chunks(client, labelled, X, y, sample_weight)
        found = Crew(client, chunks, is_there=False).listed(found_in, chunks)
        survey = Survey(found)
        kept = [chunks.futures[k] for k in survey.kept]
        groups = [[kept[k] for k in group] for group in survey.groups()]
        chunks = PerChunk(
            [
                some[0] if len(some) == 1 else client.submit(joined, some, pure=False)
                for some in groups
            ]
        )
        # Once they are there, it is known where.
        Crew(client, chunks, is_there=False).total(_n_samples, chunks)
        return cls(client, chunks, Crew(client, chunks), survey)

    def judge(self, recipe: Recipe, k: int, n_jobs: int | None) -> ClusterJudge:
        """Return the judge of the k-th problem, with its chunks."""
        # Workers run a chunk on each of their threads.
        grounds = self.crew.each(ground, self.labelled, recipe, k, n_jobs or 1)
        if is_squared := recipe.loss == "squared_hinge":
            with stop_when(None):
                (at_zero,) = self.crew.total(_loss_at_zero, grounds)
            grounds = self.crew.each(boxed, grounds, at_zero)
        sizes = self.survey.n_samples, self.survey.n_features
        return ClusterJudge(self.crew, grounds, *sizes, recipe.has_intercept, is_squared)


@dataclass(frozen=True)
class End:
    """The end of one problem: its solution, and how far from optimal that is."""

    solution: LinearSolution
    certificate: Certificate


def _n_samples(chunk: Labelled) -> tuple[int]:
    return (chunk.samples.n_samples,)


def _loss_at_zero(ground: Ground) -> tuple[float]:
    return (ground.problem.loss_at_zero(),)


def _solved(
    model: Any,
    judge: ClusterJudge,
    solver: str,
    start: Start | None,
    shower: LinearShower,
    title: str,
) -> End:
    """Solve one problem and certify its solution."""
    with stop_when(None):
        solve = LinearSolve(judge, model.tol, model.max_iter, shower.of_problem(title))
    solution = solve.solution(partial(_METHODS[solver], judge), start)
    check_finite(model, solution)
    with stop_when(None):
        return End(solution, judge.certificate(solution, model.tol))


def _interior_point(judge: ClusterJudge, start: Start | None) -> InteriorPoint:
    team = ClusterTeam(judge.crew, judge.grounds)
    return InteriorPoint(team, judge.has_intercept, judge.n_features, start)


_METHODS: dict[str, Callable[[ClusterJudge, Start | None], Method]] = {
    "newton": _interior_point,
    "cd": ClusterDescent,
}


def _starts(model: Any, chunks: Chunks, recipe: Recipe) -> list[Start | None]:
    """Return where each problem starts: at the last model if there is one of the same kind."""
    n_problems = recipe.n_problems
    if not (model.warm_start and hasattr(model, "coef_") and hasattr(model, "certificate_")):
        return [None] * n_problems
    same_features = model.coef_.shape[1] == chunks.survey.n_features
    if not (same_features and np.array_equal(model.classes_, recipe.classes)):
        return [None] * n_problems
    parts = model.certificate_.parts or (model.certificate_,)
    return [
        Start(np.array(w), float(b), gap=part.relative_gap)
        for w, b, part in zip(feature_weights(model), model.intercept_, parts, strict=True)
    ]


def _store(model: Any, chunks: Chunks, recipe: Recipe, solver: str, ends: list[End]) -> None:
    """Set the fitted attributes."""
    survey = chunks.survey
    model.classes_, model.solver_ = recipe.classes, solver
    model.n_features_in_ = survey.n_features
    model.coef_ = np.array([end.solution.point.w for end in ends])
    model.intercept_ = np.array([end.solution.point.intercept for end in ends])
    model.certificate_ = combine([end.certificate for end in ends])
    model.n_iter_ = max(1, sum(end.solution.n_iter for end in ends))
    for name in ("alpha_", "theta_", "sigmoids_", "feature_names_in_"):
        vars(model).pop(name, None)
    if survey.names is not None:
        model.feature_names_in_ = survey.names
    if model.store_multipliers or model.warm_start:
        coefficients = [end.solution.point.c for end in ends]
        model.alpha_, model.theta_ = (
            _multipliers(chunks, recipe, coefficients, which) for which in (0, 1)
        )


def _multipliers(
    chunks: Chunks, recipe: Recipe, coefficients: list[PerChunk], which: int
) -> da.Array:
    """Return ``alpha`` or ``theta``, shaped as attributes, as an array on the workers."""
    arrays = chunks.crew.each(_multipliers_of_chunk, chunks.labelled, recipe, which, *coefficients)
    columns = () if recipe.n_problems == 1 else (recipe.n_problems,)
    rows = chunks.survey.rows
    of_groups = [
        da.from_delayed(dask.delayed(future), (sum(rows[k] for k in group), *columns), dtype=float)
        for future, group in zip(arrays.futures, chunks.survey.groups(), strict=True)
    ]
    return da.concatenate(of_groups).rechunk({0: tuple(rows)})


def _multipliers_of_chunk(
    chunk: Labelled, recipe: Recipe, which: int, *coefficients: NDArray
) -> NDArray[np.float64]:
    signs = np.array([recipe.signs(chunk.y, k) for k in range(recipe.n_problems)])
    values = split_coefficients(signs, np.array(coefficients))[which]
    return values[0] if len(values) == 1 else values.T
