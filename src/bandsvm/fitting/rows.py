"""Kernel rows of the problems of a training set."""

from __future__ import annotations

import copy
from typing import Any

from numpy.typing import NDArray

from bandsvm.fitting.settings import FitSettings
from bandsvm.fitting.training import Training, some_samples
from bandsvm.kernels import KernelOperator
from bandsvm.system.stopping import Stop, stop_when


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

    @property
    def n_computed(self) -> int:
        """Number of rows computed so far."""
        return self._n_computed + (0 if self._store is None else self._store.n_computed)

    def of(self, index: int) -> KernelOperator:
        """Return the rows of a problem."""
        members = self._training.members[index]
        if self._store is None:
            self._store = self._made(members)
        elif self._members is not members:
            self._n_computed = self.n_computed
            self._store = None  # frees its memory before the next is made
            try:
                self._store = self._made(members)
            except Stop:
                # Without an outcome of every problem, those of earlier problems would be lost.
                with stop_when(None):
                    self._store = self._made(members)
        self._members = members
        return self._store

    def more_precise(self) -> bool:
        """Replace the rows of the last problem by more precise ones; return if there are any."""
        sharper = None if self._store is None else self._store.more_precise()
        if sharper is not None:
            self._n_computed, self._store = self.n_computed, sharper
        return sharper is not None

    def aside(self) -> ProblemRows:
        """Return the same, for other problems than the current one, which keeps its store."""
        return copy.copy(self)

    def _made(self, members: NDArray) -> KernelOperator:
        """Return a new store of rows of some samples."""
        settings = self._settings
        return settings.rows(
            some_samples(self._X, members, settings.kernel.is_precomputed),
            largest_cost=self._training.largest_cost(),
            **self._options,
        )
