"""Which solver suits a set of samples, by the work and the memory that each would take."""

from __future__ import annotations

import numpy as np

from bandsvm.linear.samples import LinearSamples
from bandsvm.system.memory import LITTLE_BYTES, available_bytes, process_share

# Steps of the interior point method, and passes over all samples of coordinate descent, that a
# problem of some difficulty takes.
PASSES_OF_NEWTON, DESCENT_PASSES = 25, 1000
# Products with X in a step of the interior point method, and in a pass of coordinate descent.
NEWTON_PRODUCTS, DESCENT_PRODUCTS = 8, 2
# Products of matrices do so many multiplications in the time of one in a product with a vector.
MATRIX_SPEED = 8.0
# Square matrices of the number of features that a Newton step holds. It may be some more with many
# threads, but the choice of a solver must not depend on their number.
MATRICES = 6
# Problems of so few samples end exactly, as far as rounding allows, so that results depend neither
# on ``tol`` nor on the order of samples. Newton steps get there.
SMALL = 1000


def choose_solver(samples: LinearSamples) -> str:
    """Return "cd", "newton", or "trial" of both.

    A Newton step multiplies every pair of values of a sample and factors a matrix. Coordinate
    descent multiplies every value twice, but may need many passes.
    """
    products = NEWTON_PRODUCTS * samples.n_values
    newton = PASSES_OF_NEWTON * (_newton_multiplications(samples) / MATRIX_SPEED + products)
    descent = DESCENT_PASSES * DESCENT_PRODUCTS * samples.n_values
    needed = newton_bytes(samples)
    fits = needed <= LITTLE_BYTES or needed <= _free_bytes()
    if newton > descent or not fits:
        return "cd"
    return "newton" if samples.n_samples <= SMALL else "trial"


def _newton_multiplications(samples: LinearSamples) -> float:
    """Return the multiplications for ``X'DX`` and for its Cholesky factor."""
    if samples.is_sparse:
        pairs = float((np.diff(samples.X.indptr).astype(np.float64) ** 2).sum()) * MATRIX_SPEED
    else:
        pairs = float(samples.n_samples) * samples.n_features**2
    return pairs / 2.0 + samples.n_features**3 / 6.0


def newton_bytes(samples: LinearSamples) -> float:
    """Return the memory that the matrices of a Newton step take."""
    return 8.0 * samples.n_features**2 * MATRICES


def check_memory(solver: str, samples: LinearSamples) -> None:
    """Refuse a Newton step whose matrices do not fit into memory."""
    needed = newton_bytes(samples)
    # To ask the system takes as long as a small fit.
    if solver != "cd" and needed > LITTLE_BYTES and needed > (free := _free_bytes()):
        raise ValueError(
            f"solver='newton' needs {needed / 1e9:.1f} GB for matrices of {samples.n_features} "
            f"features, more than the {free / 1e9:.1f} GB that are free; set solver='cd'."
        )


def _free_bytes() -> float:
    """Return the memory that this process may still use."""
    return process_share() * available_bytes()
