"""Kernels: one file per family, one line per kernel in the registry of `_settings.py`."""

from bandsvm.kernels._gamma import resolve_gamma
from bandsvm.kernels._operator import Kernel, KernelOperator, Rows
from bandsvm.kernels._packing import PackedKernel
from bandsvm.kernels._rows import KernelRows, kernel_product
from bandsvm.kernels._samples import Samples
from bandsvm.kernels._settings import KernelSettings, available_kernels, make_kernel, uses_gamma
from bandsvm.kernels.given import FromFunction, GivenRows
from bandsvm.kernels.linear import LinearOperator
from bandsvm.kernels.packed import PackedRows

__all__ = [
    "FromFunction",
    "GivenRows",
    "Kernel",
    "KernelOperator",
    "KernelRows",
    "KernelSettings",
    "LinearOperator",
    "PackedKernel",
    "PackedRows",
    "Rows",
    "Samples",
    "available_kernels",
    "kernel_product",
    "make_kernel",
    "resolve_gamma",
    "uses_gamma",
]
