"""Kernels: one module per family, one line per kernel in the registry of `_settings`.

- `_settings`: a kernel as the user sets it, and the best way to compute with it; `_gamma`:
  ``gamma="scale"``.
- `_operator`: the interface of a kernel matrix for solvers, certificates and engines.
- `products`, `distances`, `precomputed`: the kernel functions; `linear`: the linear kernel without
  kernel rows.
- `_samples`: dense or CSR samples, which are never copied as a whole.
- `_exact`: sums of kernel values by their definitions, for certificates; `_values`: kernel values
  by NumPy.
- `_rows`: float64 rows, for small problems and all kernels.
- `packed`: rows computed by the compiled core, from samples that `_packing` arranges for it;
  `_slots`: where each row is stored; `_part`: the samples that are still in play.
- `_prediction`: products for predictions; `_precision`: rounding errors of float32.
"""

from bandsvm.kernels._gamma import resolve_gamma
from bandsvm.kernels._operator import Kernel, KernelOperator, Rows, errors_of_sums
from bandsvm.kernels._packing import PackedKernel
from bandsvm.kernels._rows import KernelRows
from bandsvm.kernels._samples import Samples
from bandsvm.kernels._settings import KernelSettings, available_kernels, make_kernel, uses_gamma
from bandsvm.kernels._values import kernel_product
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
    "errors_of_sums",
    "kernel_product",
    "make_kernel",
    "resolve_gamma",
    "uses_gamma",
]
