"""Rounding errors of single precision, in units of the decision value.

An rbf value is 2^(x'z - n(x) - n(z)), where n is half the squared length of a scaled sample. Far
from the origin the three terms are large and nearly cancel: the error of the exponent is a multiple
of n, whatever the value. Only samples of about the same n have kernel values that matter.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._kernels.exact import finite
from bandsvm._kernels.operator import OF_TERMS, UNIT_IN_DOUBLE, errors_of_sums
from bandsvm._kernels.packing import PackedKernel, looked_at
from bandsvm._kernels.samples import Samples, squared_norms

UNIT = float(np.finfo(np.float32).eps) / 2
# Like `OF_TERMS`, for each unit of n.
OF_EXPONENTS = 2.0
# A fit or a search begins in single precision if it seems to suffice for most samples; what was
# reached is checked, so this estimate leaves out what only some samples or sums meet.
OF_MOST_SUMS, OF_MOST_EXPONENTS, QUANTILE_OF_MOST = 1.0, 0.4, 0.75


def errors_of_updates(
    kernel: PackedKernel, packed: Any, sizes: NDArray, c: NDArray, moved: float
) -> NDArray[np.float64]:
    """Return estimates of the largest rounding errors of ``K c`` from rows of packed samples.

    ``sizes`` are bounds of kernel values; ``moved`` is that of a `Solution`.
    """
    norms = packed.norms
    unit = float(np.finfo(norms.dtype).eps) / 2
    with np.errstate(over="ignore", invalid="ignore"):
        errors = errors_of_sums(sizes, c, moved, unit)
        if kernel.name == "rbf":
            # Sizes are 1.
            errors *= 1.0 + (OF_EXPONENTS / OF_TERMS) * norms.astype(np.float64)
        elif kernel.name == "poly":
            errors *= max(1, kernel.degree)
    return errors


def errors_of_products(
    kernel: PackedKernel, norms: NDArray, largest_norm: float, coefficients: NDArray
) -> NDArray[np.float64]:
    """Return an estimate of the largest rounding error of sums of kernel values in float32.

    ``norms`` are half the squared lengths of the scaled samples for which sums are computed;
    ``largest_norm`` is the largest among the samples that are summed over. ``coefficients`` have
    the shape (n_terms, n_sums).
    """
    size = float(np.sqrt((coefficients**2).sum(axis=0).max(initial=0.0)))
    norms = norms.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        if kernel.name == "rbf":
            return UNIT * size * (OF_TERMS + OF_EXPONENTS * norms)
        return UNIT * size * OF_TERMS * _size_of_values(kernel, 2.0 * np.sqrt(norms * largest_norm))


def errors_of_distances(norms: NDArray, coefficients: NDArray) -> NDArray[np.float64]:
    """Return estimates of what errors of distances do to sums of rbf values in float64.

    See `errors_of_products`.
    """
    size = float(np.sqrt((coefficients**2).sum(axis=0).max(initial=0.0)))
    with np.errstate(over="ignore", invalid="ignore"):
        return UNIT_IN_DOUBLE * OF_EXPONENTS * size * norms


def error_of_rows(
    kernel: PackedKernel, X: Any, origin: NDArray | None, largest_coefficient: float
) -> float:
    """Return an estimate of the rounding error of most decision values of a float32 fit to X."""
    few = Samples(looked_at(X))
    with np.errstate(over="ignore", invalid="ignore"):
        if kernel.name == "rbf":
            lengths = squared_norms(few, origin)
            scale = kernel.scale()  # its square may overflow
            norms = 0.5 * scale * (scale * lengths)
            terms = OF_MOST_SUMS + OF_MOST_EXPONENTS * float(np.quantile(norms, QUANTILE_OF_MOST))
        else:
            longest = squared_norms(Samples(X)).max(initial=0.0, keepdims=True)
            terms = float(finite(_size_of_values(kernel, longest))[0])
        return UNIT * terms * largest_coefficient * X.shape[0] ** 0.5


def _size_of_values(kernel: PackedKernel, products: NDArray) -> NDArray:
    """Return the size of the intermediate values in kernel values, from inner products."""
    if kernel.name == "linear":
        return products
    inner = abs(kernel.gamma) * products + abs(kernel.coef0)
    return 1.0 + inner if kernel.name == "sigmoid" else max(1, kernel.degree) * inner**kernel.degree
