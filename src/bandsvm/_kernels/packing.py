"""Samples packed for the compiled engine, and the cost of computing with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm import _core
from bandsvm._kernels.operator import CoreKernel
from bandsvm._kernels.samples import as_contiguous

# Nanoseconds per kernel value, on two cores; only their ratios matter: they decide which rows are
# kept. If computing seems too expensive, memory fills with rows that are not used again; if it
# seems too cheap, the same rows are computed over and over.
COST_OF_EXP, COST_OF_PRODUCT = 0.2, 0.011
COST_OF_READING, COST_OF_FRESH_MEMORY = 0.33, 1.5
# What a value of a sparse sample costs one by one, in units of its cost in a dense tile: where
# samples cost less that way, dense ones are stored as their differences from the origin.
COST_OF_SPARSE = 3.0
# Nanoseconds, by the same measure, that one call of a compiled function may take: work can only be
# stopped between calls, and shorter ones lose time on starting threads.
MAX_CALL_COST = 5e7
# Whole groups of rows are summed up in the same order, however many are computed at once.
ROWS_OF_GROUP = _core.ROWS_OF_GROUP
# Samples that are looked at to choose the origin and the precision: more take longer before every
# fit, fewer miss values that are common.
N_LOOKED_AT = 255
# Beyond it, squares of scaled features overflow float32.
MAX_SINGLE = 1e15
# Beyond it, coefficients are so small that float32 would lose them.
MAX_VALUE = 1e25


class PackedKernel(CoreKernel):
    """A kernel whose rows compiled functions compute, from packed samples."""

    def scale(self) -> float:
        """Return the factor that makes rbf values of scaled samples ``2^(x'z - norms)``."""
        if self.name != "rbf":
            return 1.0
        # sqrt(2 gamma / log 2), written so that it does not overflow.
        return 2.0 * float(np.sqrt(0.5 * float(self.gamma) / np.log(2.0)))

    def fits_single(self, *matrices: Any) -> bool:
        """Return whether kernel values of samples can be computed in float32."""
        largest = max(_largest(X) for X in matrices)
        if self.scale() * largest > MAX_SINGLE:
            return False
        if self.name != "poly":
            return True
        with np.errstate(over="ignore"):
            product = np.float64(largest) ** 2 * matrices[0].shape[1]
            inner = abs(self.gamma) * product + abs(self.coef0)
            return bool(inner**self.degree <= MAX_VALUE)

    def origin(self, X: Any) -> NDArray[np.float64] | None:
        """Return the origin to which dense samples are shifted; only distances do not depend on it.

        Features that equal the origin's in most samples need no arithmetic. None is zero.
        """
        if self.name != "rbf" or sp.issparse(X):
            return None
        origin = np.empty(X.shape[1])
        _core.find_origin(as_contiguous(X), _step(X), origin)
        return origin


def looked_at(X: Any) -> Any:
    """Return some samples, evenly spaced, that stand for all."""
    return X[:: _step(X)]


def _step(X: Any) -> int:
    return max(1, -(-X.shape[0] // N_LOOKED_AT))


def _largest(X: Any) -> float:
    """Return the largest absolute entry."""
    values = X.data if sp.issparse(X) else X
    return max(float(np.max(values, initial=0.0)), -float(np.min(values, initial=0.0)))


def pack(kernel: PackedKernel, X: Any, origin: NDArray | None, dtype: type, n_threads: int) -> Any:
    """Return samples packed for the engine; dense ones are shifted to ``origin``."""
    single, scale = dtype is np.float32, kernel.scale()
    if sp.issparse(X):
        compress = _core.compress_32 if single else _core.compress_64
        starts, columns = (as_contiguous(part, np.int64) for part in (X.indptr, X.indices))
        return compress(starts, columns, as_contiguous(X.data), X.shape[1], scale, COST_OF_SPARSE)
    if origin is None:
        origin = np.zeros(X.shape[1])
    pack_dense = _core.pack_32 if single else _core.pack_64
    return pack_dense(as_contiguous(X), origin, scale, COST_OF_SPARSE, n_threads)


def cost_of_value(n_products: float) -> float:
    """Return an estimate of the time to compute a kernel value."""
    return COST_OF_EXP + COST_OF_PRODUCT * n_products


def rows_at_once(packed: Any) -> int:
    """Return how many rows of kernel values with packed samples one call computes."""
    return in_whole_groups(MAX_CALL_COST / (cost_of_value(packed.n_products) * packed.stride))


def quickly_solved(packed: Any) -> int:
    """Return the largest block whose kernel values one call computes."""
    return in_whole_groups((MAX_CALL_COST / cost_of_value(packed.n_products)) ** 0.5)


def in_whole_groups(number: float) -> int:
    """Round a number of rows to whole groups of the engine."""
    return max(1, int(number) // ROWS_OF_GROUP) * ROWS_OF_GROUP


def uses_worth_keeping(n_products: float) -> float:
    """Return after how many uses a row is worth storing.

    Fresh memory costs more than the values written into it: rows that take few multiplications
    are cheaper to compute again than to keep.
    """
    saved = cost_of_value(n_products) - COST_OF_READING
    return COST_OF_FRESH_MEMORY / max(saved, 0.01)
