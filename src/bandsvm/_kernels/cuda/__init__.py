"""Kernel values on a CUDA device.

- `device`: the device, samples in its memory, and sums and blocks of kernel values.
- `rows`: a kernel matrix whose values the device computes.
- `product`: sums of them, for predictions.
- `kernel_values.cu`: what runs on the device.
"""

from bandsvm._kernels.cuda.device import cuda_device, has_cuda
from bandsvm._kernels.cuda.product import CudaProduct
from bandsvm._kernels.cuda.rows import CudaRows

__all__ = ["CudaProduct", "CudaRows", "cuda_device", "has_cuda"]
