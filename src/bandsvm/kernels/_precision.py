"""Rounding errors of single precision, in units of the decision value.

An rbf value is 2^(x'z - n(x) - n(z)), n being half the squared length of a scaled sample. Far from
the origin the three terms are large and nearly cancel: the error of the exponent is a multiple of
n, whatever the value. Only samples of about the same n have kernel values worth speaking of.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm.kernels._packing import PackedKernel
from bandsvm.kernels._rows import finite
from bandsvm.kernels._samples import Samples, squared_norms

UNIT = float(np.finfo(np.float32).eps) / 2
# What errors of sums of kernel values consist of, measured on real and generated data, in units of
# ``UNIT``: a share of the sum of all sizes, because errors of like values are alike; multiples of
# the root of the sum of squares, because others are not, and those of exponents grow with n; and
# the sum itself.
OF_SIZES, OF_TERMS, OF_EXPONENTS, OF_SUM = 0.65, 4.0, 6.0, 2.0
# A fit or a search begins in single precision if it seems to suffice for most samples; what was
# reached is checked, so this estimate leaves out what only some samples or sums meet.
OF_MOST_SUMS, OF_MOST_EXPONENTS, MOST = 1.0, 0.4, 0.75
# Samples that such an estimate looks at.
N_LOOKED_AT = 255


def errors_of_products(
    kernel: PackedKernel,
    norms: NDArray,
    largest_norm: float,
    coefficients: NDArray,
    sizes: NDArray,
    products: NDArray,
) -> NDArray[np.float64]:
    """Return about the largest rounding error of each of some sums of kernel values in float32.

    Parameters
    ----------
    kernel : PackedKernel
        The kernel.
    norms : ndarray of shape (n_samples,)
        Half the squared lengths of the scaled samples that the sums are for.
    largest_norm : float
        The largest such number among the samples that are summed over.
    coefficients : ndarray of shape (n_terms,)
        Largest sizes of what kernel values are multiplied with.
    sizes : ndarray of shape (n_samples,)
        The sums of kernel values times these.
    products : ndarray of shape (n_samples, n_sums)
        The sums.
    """
    norms = norms.astype(np.float64)
    largest = float(coefficients.max(initial=0.0))
    exponents = OF_EXPONENTS * norms
    with np.errstate(over="ignore", invalid="ignore"):
        if kernel.name != "rbf":
            # Values of both signs tell nothing of their sizes.
            values = _size_of_values(kernel, 2.0 * np.sqrt(norms * largest_norm))
            sizes, exponents = values * float(coefficients.sum()), np.zeros(len(norms))
        else:
            values = np.ones(len(norms))
        # The sum of squares of numbers is at most their sum times the largest of them.
        terms = (OF_TERMS + exponents) * np.sqrt(largest * values * np.maximum(sizes, 0.0))
        sums = OF_SUM * np.abs(products).max(axis=1, initial=0.0)
        return UNIT * (OF_SIZES * sizes + terms + sums)


def error_of_rows(
    kernel: PackedKernel, X: Any, origin: NDArray | None, largest_coefficient: float
) -> float:
    """Return about the rounding error of most decision values of a fit to X in float32."""
    few = Samples(X[:: max(1, -(-X.shape[0] // N_LOOKED_AT))])
    with np.errstate(over="ignore", invalid="ignore"):
        if kernel.name == "rbf":
            lengths = squared_norms(few, origin)
            norms = 0.5 * kernel.scale() ** 2 * lengths
            terms = OF_MOST_SUMS + OF_MOST_EXPONENTS * float(np.quantile(norms, MOST))
        else:
            longest = squared_norms(Samples(X)).max(initial=0.0, keepdims=True)
            terms = float(finite(_size_of_values(kernel, longest))[0])
        return UNIT * terms * largest_coefficient * X.shape[0] ** 0.5


def _size_of_values(kernel: PackedKernel, products: NDArray) -> NDArray:
    """Return the size of the numbers that kernel values of so large inner products come from."""
    if kernel.name == "linear":
        return products
    inner = abs(kernel.gamma) * products + abs(kernel.coef0)
    return 1.0 + inner if kernel.name == "sigmoid" else max(1, kernel.degree) * inner**kernel.degree
