"""Kernel rows of the problems of a training set."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm.fitting.settings import FitSettings
from bandsvm.fitting.training import Training, some_samples
from bandsvm.kernels import KernelOperator
from bandsvm.kernels.packed import useful_bytes
from bandsvm.system.cached import cached_property
from bandsvm.system.memory import default_bytes, stores_at_once
from bandsvm.system.stopping import Stop, stop_when
from bandsvm.system.threads import n_threads


class ProblemRows:
    """Kernel rows of one problem after the other; problems over the same samples share a store.

    No more than one store is kept.

    Parameters
    ----------
    settings : FitSettings
        The kernel and its memory.
    X : ndarray or CSR of shape (n_samples, n_features)
        All training samples, or their kernel matrix.
    training : Training
        The problems.
    **options : dict
        Other options of `FitSettings.rows`.
    """

    def __init__(self, settings: FitSettings, X: Any, training: Training, **options: Any) -> None:
        self._settings, self._X, self._training = settings, X, training
        self._options = options
        self._members: NDArray | None = None
        self._store: KernelOperator | None = None
        self._n_computed = 0  # by earlier stores
        self._is_first = True

    @property
    def n_computed(self) -> int:
        """Number of rows computed so far."""
        return self._n_computed + (0 if self._store is None else self._store.n_computed)

    def of(self, index: int) -> KernelOperator:
        """Return the rows of a problem."""
        members = self._training.members[index]
        if self._store is None or self._members is not members:
            self._n_computed = self.n_computed
            self._store = None  # frees its memory before the next is made
            try:
                self._store = self._made(members)
            except Stop:
                if self._is_first:
                    raise
                # Without an outcome of every problem, those of the others would be lost.
                with stop_when(None):
                    self._store = self._made(members)
        self._members, self._is_first = members, False
        return self._store

    @cached_property
    def n_at_once(self) -> int:
        """How many problems can be solved at once, each in a thread with a store of its own.

        Problems that share a store are solved one after the other. Threads share the memory: each
        gets as much as it takes for results that do not depend on their number.
        """
        members, settings = self._training.members, self._settings
        is_shared = all(own is members[0] for own in members)
        if is_shared or settings.kernel.packed() is None:  # a user's kernel may not be thread-safe
            return 1
        needed = useful_bytes(self._X[: max(map(len, members))])
        most = min(n_threads(settings.solving.n_jobs), len(members))
        return stores_at_once(self._budget, needed, most) if most > 1 else 1

    @property
    def _budget(self) -> float:
        """Bytes for the rows of all threads together."""
        given = self._settings.solving.cache_bytes
        return default_bytes(np.inf) if given is None else given

    def for_threads(self) -> ProblemRows:
        """Return the same for any of `n_at_once` threads; each takes a copy, see `aside`."""
        solving = self._settings.solving
        shared = replace(solving, n_jobs=1, cache_bytes=self._budget / self.n_at_once)
        other = self.aside()
        other._settings, other._is_first = replace(self._settings, solving=shared), False
        return other

    def more_precise(self) -> bool:
        """Replace the rows of the last problem by more precise ones; return if there are any."""
        sharper = None if self._store is None else self._store.more_precise()
        if sharper is not None:
            self._n_computed, self._store = self.n_computed, sharper
        return sharper is not None

    def aside(self) -> ProblemRows:
        """Return a copy for other problems, while this one keeps its store."""
        return copy.copy(self)

    def _made(self, members: NDArray) -> KernelOperator:
        """Return a new store of rows of some samples."""
        settings = self._settings
        return settings.rows(
            some_samples(self._X, members, settings.kernel.is_precomputed),
            largest_cost=self._training.largest_cost,
            **self._options,
        )
