"""Values of a model, read from JSON and arrays with distrust."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_selection import (
    chi2,
    f_classif,
    f_regression,
    mutual_info_classif,
    mutual_info_regression,
)
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

from bandsvm._certificate import Certificate
from bandsvm._problem import Status
from bandsvm.persistence._container import ModelFileError

# Types of numbers that parameters such as ``dtype`` may be.
TYPES: dict[str, type] = {
    **{cls.__name__: cls for cls in (bool, int, float)},
    **{f"numpy.{name}": np.dtype(name).type for name in ("float32", "float64", "int32", "int64")},
    **{f"numpy.{name}": np.dtype(name).type for name in ("int8", "int16", "uint8", "bool")},
}
# What an array of data may have been of; `numpy.dtype` itself would take any text.
DTYPES = {
    dtype.newbyteorder("<").str: dtype
    for kind, sizes in {"b": "1", "i": "1248", "u": "1248", "f": "48", "O": [""]}.items()
    for dtype in [np.dtype(kind + size) for size in sizes]
}
# Scores by which features are chosen; a file names them, and nothing else can be called.
FUNCTIONS = {
    function.__name__: function
    for function in (chi2, f_classif, f_regression, mutual_info_classif, mutual_info_regression)
}
# Ways to split samples into folds, which are no estimators.
SPLITTERS: dict[str, Any] = {
    cls.__name__: cls for cls in (KFold, StratifiedKFold, GroupKFold, StratifiedGroupKFold)
}
# Lengths of entries that are no text.
NONE, NAN = -1, -2

# Steps within steps; what scikit-learn computes of pipelines can double with each level.
MAX_NESTING = 10


class Decoder:
    """Turns JSON and arrays into values again, every array once.

    An array that was mentioned a thousand times would become a thousand arrays. ``build`` returns
    the estimator that a JSON object describes.
    """

    def __init__(self, arrays: dict[str, NDArray], build: Callable[[Any, Decoder], Any]) -> None:
        self._arrays = arrays
        self._build = build
        self._nesting = 0
        self._kinds: dict[str, Callable[[Any, Any], Any]] = {
            "float": lambda text, _: float(text),
            "array": lambda key, _: self._arrays.pop(key),
            "columns": lambda key, _: self._arrays.pop(key).T,
            "strings": lambda key, _: self._arrays.pop(key).astype(str, copy=False).astype(object),
            "csr": self._csr,
            "mapping": lambda pairs, _: {self.decode(k): self.decode(v) for k, v in pairs},
            "texts": self._texts,
            "objects": self._objects,
            "tuple": lambda items, _: tuple(map(self.decode, items)),
            "list": lambda items, _: list(map(self.decode, items)),
            "slice": self._slice,
            "dtype": lambda code, _: DTYPES[code],
            "type": lambda name, _: TYPES[name],
            "masked": self._masked,
            "splitter": lambda name, value: SPLITTERS[name](**self.decode_all(value["parameters"])),
            "function": lambda name, _: FUNCTIONS[name],
            "table": self._table,
            "estimator": self._estimator,
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

    def _estimator(self, described: Any, _: Any) -> Any:
        if self._nesting == MAX_NESTING:
            raise ModelFileError(f"is damaged: it nests steps more than {MAX_NESTING} deep")
        self._nesting += 1
        try:
            return self._build(described, self)
        finally:
            self._nesting -= 1

    def _texts(self, key: Any, value: Any) -> NDArray:
        stored, lengths = self._arrays.pop(key), self._arrays.pop(value["lengths"])
        if stored.dtype != np.uint8 or lengths.dtype != np.int32 or lengths.ndim != 1:
            raise TypeError
        content, ends = stored.tobytes(), np.cumsum(np.maximum(lengths, 0), dtype=np.int64)
        if len(content) != (ends[-1] if len(ends) else 0) or (lengths < NAN).any():
            raise ValueError
        array = np.empty(len(lengths), dtype=object)
        for k, (length, end) in enumerate(zip(lengths.tolist(), ends.tolist(), strict=True)):
            if length != NONE:
                array[k] = np.nan if length == NAN else content[end - length : end].decode()
        return array

    def _masked(self, data: Any, value: Any) -> Any:
        data, mask = self.decode(data), self.decode(value["mask"])
        if mask.dtype != bool or mask.shape != data.shape:
            raise TypeError
        return np.ma.MaskedArray(data, mask)

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

    def _table(self, keys: Any, value: Any) -> dict[Any, int]:
        numbers = self._arrays.pop(value["numbers"])
        if numbers.dtype != np.int64:
            raise TypeError
        return dict(zip(self.decode(keys).tolist(), numbers.tolist(), strict=True))

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
        # Files of earlier versions know the drift alone; see `Certificate.__setstate__`.
        values.setdefault("uncertainty", 2.0 * values["gradient_drift"])
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
