"""Kernel rows of the problems of a training set, lent to each while it is solved."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from threading import Lock
from typing import Any

import numpy as np

from bandsvm._fitting.settings import FitSettings
from bandsvm._fitting.training import Training, some_samples
from bandsvm._kernels import KernelOperator
from bandsvm._kernels.packed import useful_bytes
from bandsvm._system.cached import cached_property
from bandsvm._system.memory import default_bytes, stores_at_once
from bandsvm._system.threads import n_threads

# Multiplications that a kernel value takes besides those of features, and how many of them in a
# problem are worth a thread: with fewer, problems wait for Python more than for compiled functions.
PER_KERNEL_VALUE, WORTH_THREADS = 50.0, 2e8


class SharedRows:
    """Rows of problems over the same samples: views of one store."""

    def __init__(self, settings: FitSettings, X: Any, training: Training) -> None:
        self._settings, self._X, self._training = settings, X, training
        self._views: list[Any] = []
        self._free: list[Any] = []
        self._n_left = 0
        self._changing = Lock()
        # A context for certificates: the memory of a store is for the products of one.
        self.certifying = Lock()

    @cached_property
    def _store(self) -> KernelOperator:
        settings, members = self._settings, self._training.kept
        samples = some_samples(self._X, members, settings.kernel.is_precomputed)
        return settings.rows(samples, largest_cost=self._training.largest_cost)

    def prepare(self, n_problems: int, max_at_once: int) -> int:
        """Prepare for some problems; return how many are solved at a time."""
        self._views = list(self._store.views(n_problems, max_at_once))
        self._free = self._views.copy()
        self._n_left = n_problems
        return len(self._views)

    @contextmanager
    def lend(self, index: int) -> Iterator[KernelOperator]:
        """Lend a view to a problem; the last problems get the threads of those that are done."""
        with self._changing:
            view = self._free.pop()
        view.begin_problem()
        try:
            yield view
        finally:
            with self._changing:
                self._free.append(view)
                self._n_left -= 1
                if 0 < self._n_left < len(self._views):
                    for other in self._views:
                        other.n_threads = max(1, self._store.n_threads // self._n_left)

    def of(self, index: int) -> KernelOperator:
        """Return rows of a problem that are not lent to it, for products."""
        return self._store

    def upgrade_precision(self, indices: list[int]) -> list[int]:
        """Replace the store by a more precise one; return no problem if there is none."""
        self._views, self._free = [], []
        more_precise = self._store.more_precise()
        if more_precise is None:
            return []
        self._store = more_precise
        return indices


class OwnRows:
    """Rows of problems with samples of their own: a store for each while it is solved.

    Problems that are solved at the same time share the memory and have one thread each. Their
    stores have at least as much memory as it takes for results that do not depend on their number.
    """

    def __init__(self, settings: FitSettings, X: Any, training: Training) -> None:
        self._settings, self._X, self._training = settings, X, training
        self._settings_of_store = settings
        self._coarse: set[int] = set()  # problems that were lent rows in single precision
        self._upgraded: set[int] = set()
        self.certifying = nullcontext()  # every store has memory for one

    def prepare(self, n_problems: int, max_at_once: int) -> int:
        """Prepare for some problems; return how many are solved at a time."""
        settings, solving = self._settings, self._settings.solving
        self._settings_of_store, number = settings, 1
        max_at_once = min(max_at_once, n_problems, n_threads(solving.n_jobs))
        # A user's kernel may not be thread-safe.
        if max_at_once > 1 and settings.kernel.is_packed:
            given = solving.cache_bytes
            longest = int(self._training.problems.sizes.max())
            if float(longest) ** 2 * (self._X.shape[1] + PER_KERNEL_VALUE) < WORTH_THREADS:
                self._settings_of_store = settings.sharing(1, given)
                return 1
            budget = default_bytes(np.inf) if given is None else given
            number = stores_at_once(budget, useful_bytes(self._X[:longest]), max_at_once)
        if number > 1:
            self._settings_of_store = settings.sharing(1, budget / number)
        return number

    @contextmanager
    def lend(self, index: int) -> Iterator[KernelOperator]:
        """Lend a store of its own to a problem."""
        rows = self.of(index)
        if rows.is_coarse:
            self._coarse.add(index)
        yield rows

    def of(self, index: int) -> KernelOperator:
        """Return rows of a problem that are not lent to it: a new store."""
        settings, members = self._settings_of_store, self._training.members[index]
        samples = some_samples(self._X, members, settings.kernel.is_precomputed)
        rows = settings.rows(samples, largest_cost=self._training.largest_cost)
        more_precise = rows.more_precise() if index in self._upgraded else None
        return rows if more_precise is None else more_precise

    def upgrade_precision(self, indices: list[int]) -> list[int]:
        """Make more precise stores for problems whose rows were in single precision."""
        found = [index for index in indices if index in self._coarse]
        self._upgraded.update(found)
        self._coarse.difference_update(found)
        return found


ProblemRows = SharedRows | OwnRows


def problem_rows(settings: FitSettings, X: Any, training: Training) -> ProblemRows:
    """Return the kernel rows of the problems of a training set."""
    rows = SharedRows if training.problems.share_samples else OwnRows
    return rows(settings, X, training)
