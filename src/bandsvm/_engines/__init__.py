"""Engines: a point of a band problem's dual, and the arithmetic that moves it.

Solvers decide which step to take; an engine computes it, wherever its arrays are stored.

- `engine`: the interface of engines.
- `cpu`: NumPy arrays, moved by compiled functions.

`engine_for` chooses the engine by the type of the kernel matrix. Another engine is one class that
is registered for kernel matrices of its own::

    @engine_for.register
    def _(kernel: GpuRows, problem, c=None, f=None):
        return GpuEngine(problem, kernel, c, f)
"""

from __future__ import annotations

from functools import singledispatch

from numpy.typing import NDArray

from bandsvm._engines.cpu import CpuEngine
from bandsvm._engines.engine import BlockStep, Engine
from bandsvm._kernels import KernelOperator
from bandsvm._problem import BandProblem

__all__ = ["BlockStep", "Engine", "engine_for"]


@singledispatch
def engine_for(
    kernel: KernelOperator, problem: BandProblem, c: NDArray | None = None, f: NDArray | None = None
) -> Engine:
    """Return an engine at ``c`` with ``f = K c``, which it takes over; None is zero."""
    return CpuEngine(problem, kernel, c, f)
