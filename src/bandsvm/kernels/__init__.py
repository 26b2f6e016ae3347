"""Kernels: one file per family, one line per kernel in the registry of `_settings`.

- `_settings`: a kernel as the user sets it, and the best way to compute with it; `_gamma`:
  ``gamma="scale"``.
- `_operator`: what solvers, certificates and engines ask of a kernel matrix.
- `products`, `distances`, `precomputed`: the kernel functions; `linear`: the linear kernel without
  kernel rows.
- `_samples`: dense or CSR samples, never copied whole.
- `_rows`: float64 rows by NumPy, for small problems and all kernels.
- `packed`: rows by the compiled core, over samples that `_packing` arranges for it; `_slots`: which
  row lies where.
- `_prediction`: products for predictions; `_precision`: rounding errors of float32.
"""

from bandsvm.kernels._gamma import resolve_gamma
from bandsvm.kernels._operator import Kernel, KernelOperator, Rows
from bandsvm.kernels._packing import PackedKernel
from bandsvm.kernels._rows import KernelRows, kernel_product
from bandsvm.kernels._samples import Samples
from bandsvm.kernels._settings import KernelSettings, available_kernels, make_kernel, uses_gamma
from bandsvm.kernels.linear import LinearOperator
from bandsvm.kernels.packed import PackedRows
from bandsvm.kernels.precomputed import FromFunction, PrecomputedRows

__all__ = [
    "FromFunction",
    "Kernel",
    "KernelOperator",
    "KernelRows",
    "KernelSettings",
    "LinearOperator",
    "PackedKernel",
    "PackedRows",
    "PrecomputedRows",
    "Rows",
    "Samples",
    "available_kernels",
    "kernel_product",
    "make_kernel",
    "resolve_gamma",
    "uses_gamma",
]
