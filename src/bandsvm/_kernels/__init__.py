"""Kernels: one module per family, one line per kernel in the registry of `settings`.

- `settings`: a kernel as the user sets it, and the best way to compute with it; `gamma`:
  ``gamma="scale"``.
- `sizes`: sizes on which solvers, engines and stores of kernel rows must agree.
- `operator`: the interface of a kernel matrix for solvers, certificates and engines.
- `products`, `distances`, `precomputed`: the kernel functions; `linear`: the linear kernel without
  kernel rows.
- `samples`: dense or CSR samples, which are never copied as a whole.
- `exact`: sums of kernel values by their definitions, for certificates, and by NumPy.
- `small`: kernels of problems that compiled functions solve and certify as a whole.
- `rows`: float64 rows, for small problems and all kernels.
- `packed`: rows computed by the compiled core, from samples that `packing` arranges for it;
  `slots`: where each row is stored; `part`: the samples that are still in play.
- `cuda`: rows and products on a CUDA device.
- `prediction`: products for predictions; `precision`: rounding errors of float32.
"""

from bandsvm._kernels.cuda import cuda_device
from bandsvm._kernels.exact import kernel_product
from bandsvm._kernels.gamma import resolve_gamma
from bandsvm._kernels.linear import LinearOperator
from bandsvm._kernels.operator import Kernel, KernelOperator, errors_of_sums
from bandsvm._kernels.packed import PackedRows
from bandsvm._kernels.precomputed import FromFunction, PrecomputedRows
from bandsvm._kernels.rows import KernelRows
from bandsvm._kernels.samples import Samples
from bandsvm._kernels.settings import (
    KERNELS_ON_DEVICES,
    KernelSettings,
    available_kernels,
    uses_gamma,
)

__all__ = [
    "KERNELS_ON_DEVICES",
    "FromFunction",
    "Kernel",
    "KernelOperator",
    "KernelRows",
    "KernelSettings",
    "LinearOperator",
    "PackedRows",
    "PrecomputedRows",
    "Samples",
    "available_kernels",
    "cuda_device",
    "errors_of_sums",
    "kernel_product",
    "resolve_gamma",
    "uses_gamma",
]
