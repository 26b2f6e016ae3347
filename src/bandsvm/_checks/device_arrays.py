"""Arrays on a CUDA device: where a fit runs, and answers of the kind that was asked with."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any, TypeVar

import numpy as np

from bandsvm._kernels import cuda_device

# The device types of DLPack for memory of CUDA devices.
ON_CUDA = (2, 13)
Method = TypeVar("Method", bound=Callable[..., Any])


def is_on_cuda(X: Any) -> bool:
    """Return whether X is an array on a CUDA device."""
    if type(X) is np.ndarray or not hasattr(X, "__dlpack_device__"):
        return False
    return X.__dlpack_device__()[0] in ON_CUDA


def in_memory(X: Any) -> Any:
    """Return an array on a CUDA device as a NumPy array, and all else as it is."""
    return import_module("cupy").from_dlpack(X).get() if is_on_cuda(X) else X


def brought(device: str | None, X: Any, *others: Any) -> tuple[Any, ...]:
    """Return where kernel values are computed, and X and other arrays as NumPy arrays.

    That is where it was said, or where X is, and it is there.
    """
    if device != "cuda" and type(X) is np.ndarray:
        return device, X, *others
    if device is None and is_on_cuda(X):
        device = "cuda"
    if device == "cuda":
        cuda_device()  # raises if there is none
    return device, *map(in_memory, (X, *others))


def in_kind(method: Method) -> Method:
    """Let a method that takes samples answer with arrays on the device that the samples are on.

    Answers that no device holds, such as labels that are texts, stay NumPy arrays.
    """

    @wraps(method)
    def answer(self: Any, X: Any, *others: Any, **named: Any) -> Any:
        if type(X) is np.ndarray or not is_on_cuda(X):
            return method(self, X, *others, **named)
        found = method(self, in_memory(X), *others, **named)
        if found.dtype.kind not in "biuf":
            return found
        kind = import_module(type(X).__module__.partition(".")[0])
        return kind.from_dlpack(import_module("cupy").asarray(found))

    return answer  # type: ignore[return-value]
