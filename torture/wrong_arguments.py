"""Arguments of compiled functions gone wrong: shapes, types, places in memory, values."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator

from bandsvm import _core

NAMES = ("linear", "rbf", "poly", "sigmoid", "laplacian", "", "RBF", "rbf\0", "x" * 1000)
NUMBERS = (0, 1, -1, 2, 7, 2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**64, -(2**63), 10**30)
FLOATS = (0.0, -0.0, np.nan, np.inf, -np.inf, -1.0, 1e308, 1e-320, 1e39, 2.0**53)
ANYTHING = (None, "text", b"bytes", [], [0], (1, 2), {}, 1j, True, object(), np.float64(2.0))


def disturb(rng: Generator, arguments: dict[str, Any], pool: list[Any]) -> list[str]:
    """Replace some arguments; return their names."""
    names = list(rng.choice(list(arguments), size=int(rng.integers(1, 3)), replace=False))
    for name in names:
        value = arguments[name]
        if rng.random() < 0.05:
            arguments[name] = ANYTHING[rng.integers(len(ANYTHING))]
        elif rng.random() < 0.05:
            arguments[name] = arguments[str(rng.choice(list(arguments)))]
        elif isinstance(value, np.ndarray):
            arguments[name] = other_array(rng, value)
        elif isinstance(value, str):
            arguments[name] = NAMES[rng.integers(len(NAMES))]
        elif isinstance(value, float):
            arguments[name] = FLOATS[rng.integers(len(FLOATS))]
        elif isinstance(value, (_core.Samples32, _core.Samples64)):
            arguments[name] = pool[rng.integers(len(pool))]
        elif isinstance(value, _core.Kernel):
            arguments[name] = _core.Kernel(str(rng.choice(NAMES[:5])), *other_parameters(rng))
        elif isinstance(value, _core.Band):
            arguments[name] = _core.Band(*rng.choice(FLOATS, size=6).tolist())
        elif isinstance(value, _core.Bands):
            arguments[name] = _core.Bands(*rng.normal(size=(6, int(rng.choice([0, 1, 300])))))
        elif isinstance(value, _core.PricedBands):
            priced = rng.normal(size=(6, int(rng.choice([0, 1, 300]))))
            arguments[name] = _core.PricedBands(*priced, bool(rng.integers(2)), float(rng.normal()))
        elif isinstance(value, _core.SelectionMemory):
            arguments[name] = None
        elif name == "max_steps":  # it is what bounds the work
            arguments[name] = int(rng.choice([-(2**63), -1, 0, 5]))
        else:
            arguments[name] = NUMBERS[rng.integers(len(NUMBERS))]
    return [str(name) for name in names]


def other_parameters(rng: Generator) -> tuple[float, float, int]:
    """Return gamma, coef0 and degree of a kernel: extreme ones, but finite."""
    gamma, coef0 = rng.choice([value for value in FLOATS if np.isfinite(value)], size=2)
    return float(gamma), float(coef0), int(rng.choice([0, 1, 7, 2**31 - 1]))


def other_array(rng: Generator, value: Any) -> Any:
    """Return an array of another shape, type, place in memory or with other values."""
    way = WAYS[rng.integers(len(WAYS))]
    return way(rng, value)


def misaligned(rng: Generator, value: Any) -> Any:
    """Return a copy at an odd address."""
    shift = int(rng.integers(1, 8))
    memory = np.zeros(value.nbytes + shift, dtype=np.uint8)
    copy = memory[shift:].view(value.dtype).reshape(value.shape)
    copy[...] = value
    return copy


def with_other_values(rng: Generator, value: Any) -> Any:
    """Return a copy in which some values are extreme."""
    copy = np.array(value)
    if copy.size:
        places = rng.integers(0, copy.size, size=int(rng.integers(1, 4)))
        extreme = (
            [k for k in NUMBERS if -(2**63) <= k < 2**63] if copy.dtype.kind == "i" else FLOATS
        )
        with np.errstate(all="ignore"):
            copy.flat[places] = rng.choice(np.array(extreme, dtype=copy.dtype), size=len(places))
    return copy


def of_other_type(rng: Generator, value: Any) -> Any:
    """Return the same values in another type."""
    names = ("f4", "f8", "f2", "g", ">f8", ">i8", "i4", "i8", "u8", "?", "S4", "O", "c16", "M8[s]")
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return value.astype(names[rng.integers(len(names))])


def of_other_length(rng: Generator, value: Any) -> Any:
    """Return an array with more or fewer rows or columns."""
    axis, change = int(rng.integers(value.ndim)), int(rng.choice([-1, 1, 100, -1000]))
    shape = list(value.shape)
    shape[axis] = max(0, shape[axis] + change)
    return np.resize(value, shape) if value.size else np.zeros(shape, dtype=value.dtype)


def huge(rng: Generator, value: Any) -> Any:
    """Return an array that has next to no memory for its shape.

    Copies of it take little memory or more than there is: what lies between would fill a machine.
    """
    shape = [int(rng.choice([2**20, 2**46, 2**60, 1])), *value.shape[1:]]
    try:
        return np.broadcast_to(value.dtype.type(0), shape)
    except ValueError:  # too large for NumPy
        return np.zeros((2**40, 0), dtype=value.dtype)


WAYS: tuple[Callable[[Generator, Any], Any], ...] = (
    misaligned,
    with_other_values,
    with_other_values,
    of_other_type,
    of_other_length,
    of_other_length,
    huge,
    lambda rng, value: value[::-1],
    lambda rng, value: np.repeat(value, 2, axis=-1)[..., ::2],
    lambda rng, value: np.asfortranarray(value),
    lambda rng, value: value.T,
    lambda rng, value: value[None],
    lambda rng, value: value.ravel(),
    lambda rng, value: value[:0],
    lambda rng, value: value.tolist(),
    lambda rng, value: np.zeros((2**40, 0), dtype=value.dtype),
    lambda rng, value: np.zeros((0, 2**40), dtype=value.dtype),
    lambda rng, value: _read_only(value),
)


def _read_only(value: Any) -> Any:
    copy = value.copy()
    copy.flags.writeable = False
    return copy
