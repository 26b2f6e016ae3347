"""Kernels: one file a family, one line a kernel in the registry below."""

from __future__ import annotations

from collections.abc import Callable

from bandsvm.kernels._gamma import resolve_gamma
from bandsvm.kernels._rows import Kernel, KernelRows, Rows, kernel_product
from bandsvm.kernels._samples import Samples
from bandsvm.kernels.distances import Chi2, Laplacian, Rbf
from bandsvm.kernels.given import FromFunction, GivenRows
from bandsvm.kernels.products import Linear, Poly, Sigmoid

__all__ = [
    "FromFunction",
    "GivenRows",
    "Kernel",
    "KernelRows",
    "Rows",
    "Samples",
    "available_kernels",
    "kernel_product",
    "make_kernel",
    "resolve_gamma",
    "uses_gamma",
]

_WITHOUT_GAMMA = ("linear", "precomputed")
# name -> kernel of (gamma, coef0, degree)
_KERNELS: dict[str, Callable[[float, float, float], Kernel]] = {
    "linear": lambda gamma, coef0, degree: Linear(),
    "rbf": lambda gamma, coef0, degree: Rbf(gamma),
    "poly": lambda gamma, coef0, degree: Poly(gamma, coef0, degree),
    "sigmoid": lambda gamma, coef0, degree: Sigmoid(gamma, coef0),
    "laplacian": lambda gamma, coef0, degree: Laplacian(gamma),
    "chi2": lambda gamma, coef0, degree: Chi2(gamma),
}


def available_kernels() -> tuple[str, ...]:
    """Return the names that ``kernel=`` accepts besides "precomputed"."""
    return tuple(_KERNELS)


def uses_gamma(kernel: str | Callable) -> bool:
    """Return whether a kernel has the coefficient gamma."""
    return not callable(kernel) and kernel not in _WITHOUT_GAMMA


def make_kernel(kernel: str | Callable, gamma: float, coef0: float, degree: float) -> Kernel:
    """Return the kernel function of a name, or a checked wrapper of a callable."""
    if callable(kernel):
        return FromFunction(kernel)
    return _KERNELS[kernel](gamma, coef0, degree)
