"""The linear kernel without kernel rows: ``K v = X (X'v)``."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm._kernels.operator import KernelOperator
from bandsvm._kernels.samples import CHUNK_BYTES
from bandsvm._system.stopping import stoppable_slices


class LinearOperator(KernelOperator):
    """``K = X X'`` by products with X and its transpose; the cost is that of the values of X.

    No kernel row is ever computed; blocks are computed when a solver needs them. X, dense or CSR,
    is in double precision and not copied.
    """

    def __init__(self, X: Any) -> None:
        self._X = X
        values_per_sample = max(1, X.shape[1] if not sp.issparse(X) else X.nnz // X.shape[0])
        self._chunk = max(1, CHUNK_BYTES // (8 * values_per_sample))

    @property
    def n_samples(self) -> int:
        return self._X.shape[0]

    def part(self, indices: NDArray) -> LinearOperator:
        """Return the operator of some samples."""
        return LinearOperator(self._X[indices])

    def diagonal(self) -> NDArray[np.float64]:
        if sp.issparse(self._X):
            return np.asarray(self._X.multiply(self._X).sum(axis=1)).ravel()
        return np.einsum("ij,ij->i", self._X, self._X)

    def block(self, indices: NDArray) -> NDArray[np.float64]:
        some = self._X[indices]
        block = some @ some.T
        return block.toarray() if sp.issparse(block) else block

    def _rows(self, part: slice) -> Any:
        """Return some samples next to each other; a slice of CSR would be a copy."""
        return self._X if part.stop - part.start == self.n_samples else self._X[part]

    def weights(self, indices: NDArray, values: NDArray) -> NDArray[np.float64]:
        """Return ``X[indices]' values``: the weights of features in the decision rule."""
        weights = np.zeros(self._X.shape[1])
        if 2 * len(indices) < self.n_samples:  # to copy them costs less than to read all
            for part in stoppable_slices(len(indices), self._chunk):
                weights += self._X[indices[part]].T @ values[part]
            return weights
        of_all = np.zeros(self.n_samples)
        of_all[indices] = values
        for part in stoppable_slices(self.n_samples, self._chunk):
            weights += self._rows(part).T @ of_all[part]
        return weights

    def update(self, f: NDArray, indices: NDArray, values: NDArray) -> None:
        weights = self.weights(indices, values)
        for part in stoppable_slices(self.n_samples, self._chunk):
            f[part] += self._rows(part) @ weights

    def exact_product(self, targets: NDArray, indices: NDArray, values: NDArray) -> NDArray:
        weights, products = self.weights(indices, values), np.empty(len(targets))
        is_all = len(targets) == self.n_samples and bool((np.diff(targets) == 1).all())
        for part in stoppable_slices(len(targets), self._chunk):
            some = self._rows(part) if is_all else self._X[targets[part]]
            products[part] = some @ weights
        return products
