"""Values of a model as JSON and arrays, and back."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from bandsvm.certificate import Certificate
from bandsvm.persistence._container import ModelFileError
from bandsvm.solvers import Status
from bandsvm.system.text import is_text

# Types of numbers that parameters such as ``dtype`` may be.
_TYPES: dict[str, type] = {
    **{cls.__name__: cls for cls in (bool, int, float)},
    **{f"numpy.{name}": np.dtype(name).type for name in ("float32", "float64", "int32", "int64")},
    **{f"numpy.{name}": np.dtype(name).type for name in ("int8", "int16", "uint8", "bool")},
}
# What an array of data may have been of; `numpy.dtype` itself would take any text.
_DTYPES = {
    dtype.newbyteorder("<").str: dtype
    for kind, sizes in {"b": "1", "i": "1248", "u": "1248", "f": "48", "O": [""]}.items()
    for dtype in [np.dtype(kind + size) for size in sizes]
}
# Text of which few entries are long takes less room one after the other.
_LARGE_TEXT, _WIDE_TEXT = 2**16, 4
_NONE, _NAN = -1, -2


class Encoder:
    """Turns values into JSON; what is an array goes to `arrays` and leaves its name.

    Parameters
    ----------
    describe : callable
        Returns an estimator as a JSON object.
    """

    def __init__(self, describe: Callable[[Any, Encoder], dict[str, Any]]) -> None:
        self.arrays: dict[str, NDArray] = {}
        self._describe = describe

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
        if isinstance(value, (tuple, list)):
            kind = "tuple" if isinstance(value, tuple) else "list"
            return {kind: [self.encode(item, name) for item in value]}
        if isinstance(value, slice):
            ends = (value.start, value.stop, value.step)
            return {"slice": [self.encode(end, name) for end in ends]}
        if isinstance(value, np.dtype) and value in _DTYPES.values():
            return {"dtype": next(key for key, dtype in _DTYPES.items() if dtype == value)}
        if isinstance(value, type) and value in _TYPES.values():
            return {"type": next(key for key, cls in _TYPES.items() if cls is value)}
        if isinstance(value, BaseEstimator):
            return {"estimator": self._describe(value, self)}
        if isinstance(value, Certificate):
            items = {field.name: getattr(value, field.name) for field in fields(value)}
            items["status"] = value.status.name
            return {"certificate": self.encode_all(items)}
        raise TypeError(
            f"{name}={value!r} cannot be written to a model file, which holds numbers, text and "
            "arrays only; joblib takes models of any kind."
        )

    def _array(self, array: NDArray, name: str) -> dict[str, Any]:
        """Store an array under a name of its own; objects must be text, numbers or missing."""
        kind = "array"
        if array.dtype == object:
            if not all(isinstance(item, str) for item in array.flat):
                return self._objects(array, name)
            lengths = [len(item) for item in array.flat]
            fixed_width = 4 * len(lengths) * max(lengths, default=0)
            if fixed_width > _LARGE_TEXT + _WIDE_TEXT * 4 * sum(lengths):
                return self._texts(array, name)
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
        return {kind: self._store(array, name)}

    def _objects(self, array: NDArray, name: str) -> dict[str, Any]:
        """Store an array of text and missing values; or of a few numbers, in the header."""
        entries = [item.item() if isinstance(item, np.generic) else item for item in array.flat]
        if array.ndim == 1 and all(
            isinstance(item, str) or item is None or item != item for item in entries
        ):
            return self._texts(array, name)
        if array.ndim == 1 and all(
            item is None or isinstance(item, (bool, int, float, str)) for item in entries
        ):
            return {"objects": [self.encode(item, name) for item in entries]}
        raise TypeError(
            f"{name} cannot be written to a model file: its entries are neither numbers nor text."
        )

    def _texts(self, array: NDArray, name: str) -> dict[str, Any]:
        """Store text as UTF-8, one entry after the other, and the length of each."""
        entries = array.tolist()
        try:
            coded = [item.encode() if isinstance(item, str) else b"" for item in entries]
        except UnicodeEncodeError:
            raise TypeError(
                f"{name} cannot be written to a model file: it holds no valid Unicode."
            ) from None
        lengths = [
            len(code) if isinstance(item, str) else _NONE if item is None else _NAN
            for item, code in zip(entries, coded, strict=True)
        ]
        utf8 = self._store(np.frombuffer(b"".join(coded), dtype=np.uint8), name)
        return {"texts": utf8, "lengths": self._store(np.array(lengths, dtype=np.int32), name)}

    def _store(self, array: NDArray, name: str) -> str:
        key = f"{name}.{len(self.arrays)}"
        self.arrays[key] = array
        return key


class Decoder:
    """Turns JSON and arrays into values again, every array once.

    An array that was mentioned a thousand times would become a thousand arrays.

    Parameters
    ----------
    arrays : dict
        Arrays by their names.
    build : callable
        Returns the estimator that a JSON object describes.
    """

    def __init__(self, arrays: dict[str, NDArray], build: Callable[[Any, Decoder], Any]) -> None:
        self._arrays = arrays
        self._build = build
        self._kinds: dict[str, Callable[[Any, Any], Any]] = {
            "float": self._float,
            "array": self._array,
            "strings": self._strings,
            "csr": self._csr,
            "mapping": self._mapping,
            "texts": self._texts,
            "objects": self._objects,
            "tuple": self._tuple,
            "list": self._list,
            "slice": self._slice,
            "dtype": lambda code, _: _DTYPES[code],
            "type": lambda name, _: _TYPES[name],
            "estimator": lambda described, _: self._build(described, self),
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

    def _texts(self, key: Any, value: Any) -> NDArray:
        stored, lengths = self._arrays.pop(key), self._arrays.pop(value["lengths"])
        if stored.dtype != np.uint8 or lengths.dtype != np.int32 or lengths.ndim != 1:
            raise TypeError
        content, ends = stored.tobytes(), np.cumsum(np.maximum(lengths, 0), dtype=np.int64)
        if len(content) != (ends[-1] if len(ends) else 0) or (lengths < _NAN).any():
            raise ValueError
        array = np.empty(len(lengths), dtype=object)
        for k, (length, end) in enumerate(zip(lengths.tolist(), ends.tolist(), strict=True)):
            if length != _NONE:
                array[k] = np.nan if length == _NAN else content[end - length : end].decode()
        return array

    def _objects(self, items: Any, _: Any) -> NDArray:
        array = np.empty(len(items), dtype=object)
        for k, item in enumerate(items):
            entry = self.decode(item)
            if not (entry is None or isinstance(entry, (bool, int, float, str))):
                raise TypeError
            array[k] = entry
        return array

    def _csr(self, parts: Any, value: Any) -> Any:
        shape = tuple(value["shape"])
        arrays = [self.decode(parts[key]) for key in ("data", "indices", "indptr")]
        return checked_csr(sp.csr_array if value["is_array"] else sp.csr_matrix, arrays, shape)

    def _mapping(self, pairs: Any, _: Any) -> dict[Any, Any]:
        return {self.decode(key): self.decode(item) for key, item in pairs}

    def _tuple(self, items: Any, _: Any) -> tuple[Any, ...]:
        return tuple(self.decode(item) for item in items)

    def _list(self, items: Any, _: Any) -> list[Any]:
        return [self.decode(item) for item in items]

    def _slice(self, ends: Any, _: Any) -> slice:
        start, stop, step = ends
        if not all(end is None or type(end) in (int, str) for end in ends):
            raise TypeError
        return slice(start, stop, step)

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
