"""A fit on a cluster from end to end: read, check, build problems, solve, certify, store."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from distributed import Client, get_client
from numpy.typing import NDArray

import dask
from bandsvm._fitting.lifecycle import Observers, observed, run_fit
from bandsvm._fitting.limits import interruptions_only
from bandsvm._fitting.run import Observer
from bandsvm._fitting.task import Targets
from bandsvm._linear.point import Start
from bandsvm._linear.run import LinearOutcome, LinearRun, fit_to
from bandsvm._linear.solver_choice import choose_solver
from bandsvm._linear.solving import LinearSolution
from bandsvm._problem.band_problem import split_coefficients
from bandsvm._system.stopping import stop_when
from bandsvm.dask._chunks import CheckedChunk, ChunkProblem, boxed, checked, chunk_problem, joined
from bandsvm.dask._collections import map_chunks
from bandsvm.dask._ctrl_c import workers_ignoring_ctrl_c
from bandsvm.dask._executor import ClusterExecutor
from bandsvm.dask._sources import ClusterSource
from bandsvm.dask._survey import Survey, stats_of
from bandsvm.dask._tasks import ChunkTasks, PerChunk


def client_of(model: Any) -> Client:
    """Return the client of a model: its own, or the current one."""
    client = model.client
    if client is None:
        try:
            client = get_client()
        except ValueError:
            raise ValueError(
                "client is None and there is no current client; make one first, for example with "
                "`from dask.distributed import Client; client = Client()`."
            ) from None
    elif not isinstance(client, Client):
        raise TypeError(
            f"client must be a distributed.Client or None, got {type(client).__name__}."
        )
    if getattr(client, "asynchronous", False):
        raise ValueError(
            "client must be synchronous, but this one is asynchronous; make it without "
            "asynchronous=True, or call fit in a thread."
        )
    return client


def fit_on_cluster(
    model: Any, X: Any, y: Any, sample_weight: Any, *watchers: Observer[LinearRun]
) -> bool:
    """Fit a model; return whether Ctrl-C was pressed meanwhile."""
    return run_fit(model, partial(_fit, model, X, y, sample_weight), watchers)


def _fit(model: Any, X: Any, y: Any, sample_weight: Any, observers: Observers) -> None:
    model._task.check_parameters(model)
    client = client_of(model)
    # The futures of a fit are released before the last message to the workers, not after it: what
    # is computed next may then use the same names of tasks.
    with workers_ignoring_ctrl_c(client), observed(observers):
        _fit_on(client, model, X, y, sample_weight, observers)


def _fit_on(
    client: Client, model: Any, X: Any, y: Any, sample_weight: Any, observers: Observers
) -> None:
    # Without the data there is no model to end with at a time limit.
    with interruptions_only():
        chunks, survey = read_chunks(client, model, X, y, sample_weight)
        tasks = ChunkTasks(client, chunks)
        targets = model._task.targets(model, ClusterSource(survey.targets, tasks, chunks))
    model.n_features_in_ = survey.n_features
    vars(model).pop("feature_names_in_", None)
    if survey.names is not None:
        model.feature_names_in_ = survey.names
    fit_to(model, ClusterTraining(chunks, tasks, survey, targets, model.n_jobs), observers)


def read_chunks(
    client: Client, model: Any, X: Any, y: Any, sample_weight: Any
) -> tuple[PerChunk, Survey]:
    """Bring chunks into the memory of workers and check them; small neighbours become one."""
    chunks = map_chunks(client, partial(checked, model.local_class()), X, y, sample_weight)
    tasks = ChunkTasks(client, chunks, is_there=False)
    survey = Survey(tasks.listed(stats_of, chunks, model._task))
    kept = [chunks.futures[k] for k in survey.kept]
    groups = [[kept[k] for k in group] for group in survey.groups()]
    chunks = PerChunk(
        [some[0] if len(some) == 1 else client.submit(joined, some, pure=False) for some in groups]
    )
    # Once they are there, it is known where.
    ChunkTasks(client, chunks, is_there=False).total(_n_samples, chunks)
    return chunks, survey


@dataclass(frozen=True)
class ClusterTraining:
    """A training set on the workers of a cluster, as `bandsvm._linear.run` asks for it."""

    chunks: PerChunk  # samples, targets and weights, checked; small neighbours are one chunk
    tasks: ChunkTasks  # the workers that hold these
    sizes: Survey  # what is known of the chunks as they were given
    targets: Targets  # how targets become band problems
    # Number of threads for a chunk; None is one, as workers run a chunk on each of their threads.
    n_jobs: int | None

    def choose_method(self) -> str:
        """Return the method that should take the least work."""
        return choose_solver(self.sizes)

    def n_at_once(self, method: str) -> int:
        """Return 1: all workers work on a problem."""
        return 1

    def executor(self, k: int) -> ClusterExecutor:
        targets, tasks, sizes = self.targets, self.tasks, self.sizes
        problems = tasks.each(chunk_problem, self.chunks, targets, k, self.n_jobs or 1)
        if is_squared := targets.loss == "squared_hinge":
            with stop_when(None):
                at_zero = tasks.total(_loss_at_zero, problems)
            problems = tasks.each(boxed, problems, at_zero)
        shape = sizes.n_samples, sizes.n_features
        return ClusterExecutor(tasks, problems, shape, targets.has_intercept, is_squared)

    def starts(self, starts: list[Start], model: Any) -> list[Start]:
        """Return starts as they are: coefficients of a model belong to other chunks."""
        return starts

    def outcome(
        self, k: int, executor: ClusterExecutor, solution: LinearSolution, tol: float
    ) -> LinearOutcome:
        return LinearOutcome(solution, executor.certificate(solution, tol))

    def multipliers(self, coefficients: list[PerChunk]) -> tuple[da.Array, da.Array]:
        """Return ``alpha`` and ``theta``, shaped as attributes, as arrays on the workers."""
        alpha, theta = (self._multipliers(coefficients, which) for which in (0, 1))
        return alpha, theta

    def _multipliers(self, coefficients: list[PerChunk], which: int) -> da.Array:
        arrays = self.tasks.each(
            _multipliers_of_chunk, self.chunks, self.targets, which, *coefficients
        )
        n_problems, rows = len(self.targets.titles), self.sizes.rows
        columns = () if n_problems == 1 else (n_problems,)
        of_groups = [
            da.from_delayed(
                dask.delayed(future), (sum(rows[k] for k in group), *columns), dtype=float
            )
            for future, group in zip(arrays.futures, self.sizes.groups(), strict=True)
        ]
        return da.concatenate(of_groups).rechunk({0: tuple(rows)})


def _n_samples(chunk: CheckedChunk) -> int:
    return chunk.samples.n_samples


def _loss_at_zero(chunk: ChunkProblem) -> float:
    return chunk.problem.loss_at_zero()


def _multipliers_of_chunk(
    chunk: CheckedChunk, targets: Targets, which: int, *coefficients: NDArray
) -> NDArray[np.float64]:
    signs = np.array([targets.signs(chunk.y, k) for k in range(len(coefficients))])
    c = targets.units.differences(np.array(coefficients))
    values = split_coefficients(signs, c)[which]
    return values[0] if len(values) == 1 else values.T
