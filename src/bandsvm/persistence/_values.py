"""Values of a model as JSON and arrays, and back."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm.certificate import Certificate
from bandsvm.persistence._container import ModelFileError
from bandsvm.solvers import Status
from bandsvm.system.text import is_text


class Encoder:
    """Turns values into JSON; what is an array goes to `arrays` and leaves its name."""

    def __init__(self) -> None:
        self.arrays: dict[str, NDArray] = {}

    def encode_all(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of a dictionary as JSON."""
        return {name: self.encode(value, name) for name, value in values.items()}

    def encode(self, value: Any, name: str) -> Any:
        """Return a value as JSON."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"float": str(value)}
        if isinstance(value, np.ndarray):
            return self._array(value, name)
        if sp.issparse(value) and value.format == "csr":
            parts = {k: self._array(getattr(value, k), k) for k in ("data", "indices", "indptr")}
            is_array = isinstance(value, sp.sparray)
            return {"csr": parts, "shape": list(value.shape), "is_array": is_array}
        if isinstance(value, Mapping):
            pairs = [[self.encode(k, name), self.encode(v, name)] for k, v in value.items()]
            return {"mapping": pairs}
        if isinstance(value, tuple):
            return {"tuple": [self.encode(item, name) for item in value]}
        if isinstance(value, Certificate):
            items = {field.name: getattr(value, field.name) for field in fields(value)}
            items["status"] = value.status.name
            return {"certificate": self.encode_all(items)}
        raise TypeError(
            f"{name}={value!r} cannot be written to a model file, which holds numbers, text and "
            "arrays only; joblib takes models of any kind."
        )

    def _array(self, array: NDArray, name: str) -> dict[str, str]:
        """Store an array under a name of its own; labels that are objects must be text."""
        kind = "array"
        if array.dtype == object:
            if not all(isinstance(item, str) for item in array.flat):
                raise TypeError(
                    f"{name} cannot be written to a model file: its entries are neither numbers "
                    "nor text."
                )
            kind, array = "strings", array.astype(str)
        if array.dtype.kind == "U" and array.dtype.itemsize == 0:
            array = array.astype("U1")
        kinds = "biufU" if array.dtype.itemsize <= 8 else "U"
        if array.dtype.kind not in kinds:
            raise TypeError(f"{name} cannot be written to a model file: it is of {array.dtype}.")
        if array.dtype.kind == "U" and not is_text(array):
            raise TypeError(f"{name} cannot be written to a model file: it holds no valid Unicode.")
        if array.dtype == np.float16:
            array = array.astype(np.float32)
        key = f"{name}.{len(self.arrays)}"
        self.arrays[key] = array
        return {kind: key}


class Decoder:
    """Turns JSON and arrays into values again, every array once.

    An array that was mentioned a thousand times would become a thousand arrays.
    """

    def __init__(self, arrays: dict[str, NDArray]) -> None:
        self._arrays = arrays
        self._kinds: dict[str, Callable[[Any, Any], Any]] = {
            "float": self._float,
            "array": self._array,
            "strings": self._strings,
            "csr": self._csr,
            "mapping": self._mapping,
            "tuple": self._tuple,
            "certificate": self._certificate,
        }

    def decode_all(self, values: Any) -> dict[str, Any]:
        """Return the values of a JSON object."""
        if not isinstance(values, dict):
            raise ModelFileError("is damaged: it lacks parameters or attributes")
        return {name: self.decode(value) for name, value in values.items()}

    def decode(self, value: Any) -> Any:
        """Return the value that JSON stands for."""
        if not isinstance(value, (dict, list)):
            return value
        try:
            kind = next(iter(value))
            return self._kinds[kind](value[kind], value)
        except ModelFileError:
            raise
        except (LookupError, TypeError, ValueError, ArithmeticError, RecursionError, StopIteration):
            raise ModelFileError("is damaged: it holds a value of no known kind") from None

    def _float(self, text: Any, _: Any) -> float:
        return float(text)

    def _array(self, key: Any, _: Any) -> NDArray:
        return self._arrays.pop(key)

    def _strings(self, key: Any, _: Any) -> NDArray:
        return self._arrays.pop(key).astype(str, copy=False).astype(object)

    def _csr(self, parts: Any, value: Any) -> Any:
        shape = tuple(value["shape"])
        arrays = [self.decode(parts[key]) for key in ("data", "indices", "indptr")]
        return checked_csr(sp.csr_array if value["is_array"] else sp.csr_matrix, arrays, shape)

    def _mapping(self, pairs: Any, _: Any) -> dict[Any, Any]:
        return {self.decode(key): self.decode(item) for key, item in pairs}

    def _tuple(self, items: Any, _: Any) -> tuple[Any, ...]:
        return tuple(self.decode(item) for item in items)

    def _certificate(self, items: Any, _: Any) -> Certificate:
        values = self.decode_all(items)
        status, parts = Status[values.pop("status")], values.pop("parts", ())
        low, high = values.pop("intercept_interval")
        if not all(is_number(value) for value in (low, high, *values.values())):
            raise TypeError
        if not all(isinstance(part, Certificate) and not part.parts for part in parts):
            raise TypeError
        return Certificate(
            **values, status=status, intercept_interval=(low, high), parts=tuple(parts)
        )


def checked_csr(kind: Any, parts: Any, shape: tuple[int, ...]) -> Any:
    """Return a matrix of data, indices and indptr from a file; raise ValueError if it is none.

    Compiled code reads these without asking.
    """
    matrix = kind(tuple(parts), shape=shape)
    matrix.check_format(full_check=True)
    # SciPy looks no further where the last one is 0.
    if np.any(np.diff(matrix.indptr) < 0):
        raise ValueError("indptr must not fall")
    return matrix


def is_number(value: Any) -> bool:
    """Return whether a value is a plain number, no bool and no integer beyond 64 bits."""
    if isinstance(value, int):
        return not isinstance(value, bool) and -(2**63) <= value < 2**63
    return isinstance(value, float)
