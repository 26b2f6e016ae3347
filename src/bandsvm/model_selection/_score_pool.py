"""Groups of candidates, each of one kernel, scored on all threads within one budget of memory.

Within ``joblib.parallel_backend("dask")`` the workers of that cluster score them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib.parallel import BACKENDS, get_active_backend  # with scikit-learn
from numpy.typing import NDArray

from bandsvm._fitting.settings import FitSettings
from bandsvm._kernels import uses_gamma
from bandsvm._kernels.packed import useful_bytes
from bandsvm._system.cached import cached_property
from bandsvm._system.memory import stores_at_once
from bandsvm._system.stopping import stop_when
from bandsvm._system.threads import n_threads, result_of
from bandsvm.model_selection._folds import Folds, Group, Scores, cross_validate
from bandsvm.model_selection._grid import Candidate
from bandsvm.model_selection._reporting import Watch

# Most candidates that run in sequence over one store of rows: longer sequences would leave other
# threads idle. (It must not depend on the number of threads, or the scores would.)
MAX_TOGETHER = 25


@dataclass(frozen=True)
class ScorePool:
    """Threads and memory of a search."""

    # Returns a model, with all that is not searched, for a kernel.
    template: Callable[[Any], Any]
    folds: Folds  # what to train on and what to hold out
    watch: Watch  # reports progress, and knows when to stop
    n_jobs: int | None
    n_bytes: float  # memory for all kernel rows together

    def score(
        self, groups: list[list[Candidate]], reference: NDArray | None
    ) -> Iterator[tuple[list[Candidate], Scores]]:
        """Yield candidates and their scores, in the order of the groups.

        They share the memory: if it is too little for all at once, fewer run, on more threads each.
        """
        groups = [part for group in groups for part in _parts(group)]
        if not groups:
            return
        # The longest group, if started last, would run alone at the end.
        longest_first = sorted(range(len(groups)), key=lambda k: _effort(groups[k]), reverse=True)
        if self._cluster is not None:
            of_workers = [self._group(group) for group in groups]
            yield from self._cluster.score(of_workers, longest_first, reference)
            return
        threads = n_threads(self.n_jobs)
        at_once = min(threads, len(groups))
        if not self._group(groups[0]).settings.kernel.is_precomputed:  # else X itself is the store
            at_once = stores_at_once(self.n_bytes, useful_bytes(self.folds.X), at_once)
        jobs, n_bytes = threads // at_once, self.n_bytes / at_once
        with ThreadPoolExecutor(at_once) as pool:
            scores = {
                k: pool.submit(self._score, groups[k], reference, jobs, n_bytes)
                for k in longest_first
            }
            try:
                for k, group in enumerate(groups):
                    yield group, result_of(scores[k])
            except BaseException:
                self.watch.end()
                raise

    def _score(
        self, candidates: list[Candidate], reference: NDArray | None, n_jobs: int, n_bytes: float
    ) -> Scores:
        """Score candidates that share a kernel, with a share of the threads and of the memory."""
        group = self._group(candidates)
        group = replace(group, settings=group.settings.sharing(n_jobs, n_bytes))
        # Candidates that overflow have no score; `Verdict` reports it if all do.
        with np.errstate(over="ignore", invalid="ignore"), stop_when(self.watch.reason):
            try:
                return cross_validate(group, self.folds, reference, self.watch)
            except BaseException:
                self.watch.end()
                raise

    @cached_property
    def _cluster(self) -> Any:
        """The workers of joblib's backend "dask" if that is the active one, else None."""
        backend, _ = get_active_backend()
        of_dask = BACKENDS.get("dask")
        if of_dask is None or not isinstance(backend, of_dask):
            return None
        from bandsvm.model_selection._cluster_scores import ClusterScores

        return ClusterScores(backend.client, self.folds, self.watch)

    def _group(self, candidates: list[Candidate]) -> Group:
        """Return candidates that share a kernel, with its settings."""
        kernel, gamma = candidates[0].kernel, candidates[0].gamma
        model = self.template(kernel)
        settings = FitSettings.of(model, np.nan if gamma is None else gamma)
        return Group(model, settings, candidates)


def _parts(candidates: list[Candidate]) -> list[list[Candidate]]:
    """Return candidates in parts of about equal length, neighbours together."""
    n_parts = -(-len(candidates) // MAX_TOGETHER)
    size = -(-len(candidates) // n_parts)
    return [candidates[start : start + size] for start in range(0, len(candidates), size)]


def _effort(candidates: list[Candidate]) -> tuple[float, float]:
    """Return a sort key for the work of a group: narrow kernels first, then large costs."""
    narrowness = float(candidates[0].gamma) if uses_gamma(candidates[0].kernel) else 0.0
    return narrowness, sum(candidate.C1 + candidate.C2 for candidate in candidates)
