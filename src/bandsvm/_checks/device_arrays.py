"""Arrays on a CUDA device: where a fit runs, and answers of the kind that was asked with."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from importlib import import_module
from typing import Any, TypeVar

import numpy as np

from bandsvm._kernels import KERNELS_ON_DEVICES, cuda_device

# The device types of DLPack for memory of CUDA devices.
ON_CUDA = (2, 13)
# Types of arrays, and of what stands for none, that are in memory.
PLAIN = {np.ndarray, type(None), list}
Method = TypeVar("Method", bound=Callable[..., Any])
# Where the samples of a prediction are, while it is made.
_samples_on: ContextVar[str | None] = ContextVar("samples_on", default=None)


def is_on_cuda(X: Any) -> bool:
    """Return whether X is an array on a CUDA device."""
    if type(X) is np.ndarray or not hasattr(X, "__dlpack_device__"):
        return False
    return X.__dlpack_device__()[0] in ON_CUDA


def in_memory(X: Any) -> Any:
    """Return an array on a CUDA device as a NumPy array, and all else as it is."""
    return import_module("cupy").from_dlpack(X).get() if is_on_cuda(X) else X


def brought(estimator: Any, X: Any, y: Any = None, sample_weight: Any = None) -> tuple[Any, ...]:
    """Return where kernel values are computed, and X, y and weights as NumPy arrays.

    That is where the estimator says, or where X is if its kernel can be computed there.
    """
    device = estimator.device
    if device != "cuda" and {type(X), type(y), type(sample_weight)} <= PLAIN:
        return device, X, y, sample_weight
    if device is None and is_on_cuda(X) and is_computed_there(estimator.kernel):
        device = "cuda"
    if device == "cuda":
        cuda_device()  # raises if there is none
    return device, in_memory(X), in_memory(y), in_memory(sample_weight)


def is_computed_there(kernel: Any) -> bool:
    """Return whether CUDA devices compute a kernel, or one of those that a search tries."""
    kernels = [kernel] if isinstance(kernel, str) or callable(kernel) else kernel
    return any(isinstance(name, str) and name in KERNELS_ON_DEVICES for name in kernels)


def device_of_prediction(model: Any) -> str | None:
    """Return where kernel values are computed: where a model says, or where the samples are."""
    return model.device if model.device is not None else _samples_on.get()


def in_kind(method: Method) -> Method:
    """Let a method that takes samples answer with arrays on the device that the samples are on.

    Answers that no device holds, such as labels that are texts, stay NumPy arrays, and so do
    answers to arrays of other libraries than CuPy and PyTorch.
    """

    @wraps(method)
    def answer(self: Any, X: Any, *others: Any, **named: Any) -> Any:
        if type(X) is np.ndarray or not is_on_cuda(X):
            return method(self, X, *others, **named)
        token = _samples_on.set("cuda")
        try:
            found = method(self, in_memory(X), *others, **named)
        finally:
            _samples_on.reset(token)
        kind = import_module(type(X).__module__.partition(".")[0])
        if found.dtype.kind not in "biuf" or not hasattr(kind, "from_dlpack"):
            return found
        return kind.from_dlpack(import_module("cupy").asarray(found))

    return answer  # type: ignore[return-value]
