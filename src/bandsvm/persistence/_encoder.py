"""Values of a model as JSON and arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from bandsvm._certificate import Certificate
from bandsvm._system.text import is_text
from bandsvm.persistence._decoder import DTYPES, FUNCTIONS, NAN, NONE, SPLITTERS, TYPES

# Text of which few entries are long takes less room one after the other.
LARGE_TEXT, WIDE_TEXT = 2**16, 4
# Entries of a dictionary that the header has room for.
LARGE_MAPPING = 1000
NO_UNICODE = "it holds no valid Unicode"


class Encoder:
    """Turns values into JSON; what is an array goes to `arrays` and leaves its name.

    ``describe`` returns an estimator as a JSON object.
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
        if isinstance(value, np.ma.MaskedArray):
            mask = self._array(np.ma.getmaskarray(value), name)
            return {"masked": self._array(value.data, name), "mask": mask}
        if isinstance(value, np.ndarray):
            return self._array(value, name)
        if sp.issparse(value) and value.format == "csr":
            parts = {k: self._array(getattr(value, k), k) for k in ("data", "indices", "indptr")}
            is_array = isinstance(value, sp.sparray)
            return {"csr": parts, "shape": list(value.shape), "is_array": is_array}
        if isinstance(value, Mapping):
            if len(value) > LARGE_MAPPING:
                return self._table(value, name)
            pairs = [[self.encode(k, name), self.encode(v, name)] for k, v in value.items()]
            return {"mapping": pairs}
        if isinstance(value, (tuple, list)):
            kind = "tuple" if isinstance(value, tuple) else "list"
            return {kind: [self.encode(item, name) for item in value]}
        if isinstance(value, slice):
            ends = (value.start, value.stop, value.step)
            return {"slice": [self.encode(end, name) for end in ends]}
        if isinstance(value, np.dtype) and value in DTYPES.values():
            return {"dtype": next(key for key, dtype in DTYPES.items() if dtype == value)}
        if isinstance(value, type) and value in TYPES.values():
            return {"type": next(key for key, cls in TYPES.items() if cls is value)}
        if any(value is function for function in FUNCTIONS.values()):
            return {"function": value.__name__}
        if SPLITTERS.get(type(value).__name__) is type(value):
            parameters = self.encode_all(vars(value))
            return {"splitter": type(value).__name__, "parameters": parameters}
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
            if fixed_width > LARGE_TEXT + WIDE_TEXT * 4 * sum(lengths):
                return self._texts(array, name)
            kind, array = "strings", array.astype(str)
        if array.dtype.kind == "U" and array.dtype.itemsize == 0:
            array = array.astype("U1")
        kinds = "biufU" if array.dtype.itemsize <= 8 else "U"
        if array.dtype.kind not in kinds:
            raise _refusal(name, f"it is of {array.dtype}")
        if array.dtype.kind == "U" and not is_text(array):
            raise _refusal(name, NO_UNICODE)
        if array.dtype == np.float16:
            array = array.astype(np.float32)
        if kind == "array" and array.ndim == 2 and abs(array.strides[0]) < abs(array.strides[1]):
            # Products round otherwise if rows and columns change places in memory.
            return {"columns": self._store(array.T, name)}
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
        raise _refusal(name, "its entries are neither numbers nor text")

    def _table(self, value: Mapping[Any, Any], name: str) -> dict[str, Any]:
        """Store a large dictionary from text to whole numbers, such as a vocabulary."""
        keys, numbers = np.array([*value], dtype=object), np.array([*value.values()])
        if not all(isinstance(key, str) for key in value) or numbers.dtype.kind != "i":
            raise _refusal(
                name,
                f"a mapping of more than {LARGE_MAPPING} entries must be from text to whole "
                "numbers; joblib takes models of any kind",
            )
        stored = self._store(numbers.astype(np.int64), name)
        return {"table": self._texts(keys, name), "numbers": stored}

    def _texts(self, array: NDArray, name: str) -> dict[str, Any]:
        """Store text as UTF-8, one entry after the other, and the length of each."""
        entries = array.tolist()
        try:
            coded = [item.encode() if isinstance(item, str) else b"" for item in entries]
        except UnicodeEncodeError:
            raise _refusal(name, NO_UNICODE) from None
        lengths = [
            len(code) if isinstance(item, str) else NONE if item is None else NAN
            for item, code in zip(entries, coded, strict=True)
        ]
        utf8 = self._store(np.frombuffer(b"".join(coded), dtype=np.uint8), name)
        return {"texts": utf8, "lengths": self._store(np.array(lengths, dtype=np.int32), name)}

    def _store(self, array: NDArray, name: str) -> str:
        key = f"{name}.{len(self.arrays)}"
        self.arrays[key] = array
        return key


def _refusal(name: str, reason: str) -> TypeError:
    return TypeError(f"{name} cannot be written to a model file: {reason}.")
