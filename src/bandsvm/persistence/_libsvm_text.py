"""The text of a LIBSVM model: written, and read with distrust.

Nothing is allocated by what a file promises, only by what it holds, so that reading takes a small
multiple of the file's size at most.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm._system.files import MAX_FEATURES

# The parameters that LIBSVM writes for each kernel.
KERNEL_PARAMETERS: dict[str, tuple[str, ...]] = {
    "linear": (),
    "polynomial": ("degree", "gamma", "coef0"),
    "rbf": ("gamma",),
    "sigmoid": ("gamma", "coef0"),
    "precomputed": (),
}
# Types of models that are read; the first of each is written.
CLASSIFIERS, REGRESSORS = ("c_svc", "nu_svc"), ("epsilon_svr", "nu_svr")
ONE_CLASS = "one_class"
READABLE_TYPES = (*CLASSIFIERS, *REGRESSORS, ONE_CLASS)
# Fields that only classifiers have.
OF_CLASSES = ("label", "nr_sv")
# LIBSVM's own integers: labels, counts, indices of features.
MAX_WHOLE = 2**31 - 1
# Bytes of a header line, far more than two numbers take, and of each further number: a file without
# line ends is not swallowed.
MAX_HEADER_LENGTH, MAX_NUMBER_LENGTH = 1024, 40
# More classes than any known model has: the header has a number for each pair.
MAX_CLASSES = 1000
MAX_QUOTE_LENGTH = 30

_WHOLE = re.compile(rb"[+-]?[0-9]{1,10}")
_NUMBER = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


@dataclass(frozen=True)
class LibsvmModel:
    """A model as LIBSVM has it: the contents of a file.

    Pairs of classes are (0, 1), (0, 2), ..., (1, 2), ...; their values are positive for the first
    class. A regression has no classes and one decision rule, as a pair has; so does one class.
    """

    kernel: str  # LIBSVM's name of it
    parameters: dict[str, Any]  # the kernel's own: degree, gamma, coef0
    labels: Sequence[int]  # of the classes; others than classifiers have none
    n_support: Sequence[int]  # of the classes, whose support vectors come in this order
    rho: Sequence[float]  # minus the intercept of each pair
    coefficients: NDArray[np.float64]  # a row per support vector, a column per other class
    # Support vectors, CSR if they come from a file; with a precomputed kernel their numbers in the
    # training set, from 1.
    support: Any
    is_one_class: bool = False

    @property
    def has_classes(self) -> bool:
        """Whether the model is a classifier."""
        return bool(self.labels)

    @property
    def svm_type(self) -> str:
        """The type to write."""
        if self.is_one_class:
            return ONE_CLASS
        return (CLASSIFIERS if self.has_classes else REGRESSORS)[0]


class _Lines:
    """Lines of a file, counted, and complaints about them."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file = file
        self._path = path
        self._number = 0

    def header_line(self, max_numbers: int) -> list[bytes]:
        """Return the words of the next line."""
        self._number += 1
        line = self._file.readline(max(MAX_HEADER_LENGTH, MAX_NUMBER_LENGTH * max_numbers))
        if not line:
            self.fail("the file ends before its support vectors; it was cut off")
        if not line.endswith(b"\n"):
            self.fail("the line has no end; the file was cut off or is not a LIBSVM model")
        return line.split()

    def rest(self) -> Iterator[list[bytes]]:
        """Yield the words of the lines that are left."""
        for line in self._file:
            self._number += 1
            if not line.endswith(b"\n"):
                self.fail("the line has no end; the file was cut off")
            yield line.split()

    def fail(self, complaint: str) -> NoReturn:
        """Raise an error about the current line."""
        raise ValueError(f"{self._path}, line {self._number}: {complaint}.")

    def text(self, name: str, word: bytes) -> str:
        """Return a word as text, whatever it holds."""
        return word.decode("ascii", "backslashreplace")

    def whole(self, name: str, word: bytes, lowest: int = 0) -> int:
        """Return a whole number as LIBSVM can hold it."""
        number = int(word) if _WHOLE.fullmatch(word) else None
        if number is None or not lowest <= number <= MAX_WHOLE:
            self.fail(
                f"{name} must be a whole number from {lowest} to {MAX_WHOLE}, got {quote(word)}"
            )
        return number

    def number(self, name: str, word: bytes) -> float:
        """Return a finite number."""
        number = float(word) if _NUMBER.fullmatch(word) else None
        if number is None or not isfinite(number):
            self.fail(f"{name} must be a finite number, got {quote(word)}")
        return number


def quote(word: bytes) -> str:
    """Return a word of the file fit for a message."""
    text = word[:MAX_QUOTE_LENGTH].decode("ascii", "backslashreplace")
    return repr(text + ("..." if len(word) > MAX_QUOTE_LENGTH else ""))


def write_model(model: LibsvmModel) -> Iterator[str]:
    """Yield the text of a model; indices from 1, zeros left out."""
    yield f"svm_type {model.svm_type}\nkernel_type {model.kernel}\n"
    for name, value in model.parameters.items():
        yield f"{name} {value:.17g}\n"
    yield f"nr_class {len(model.labels) or 2}\ntotal_sv {len(model.coefficients)}\n"
    yield f"rho {' '.join(f'{rho:.17g}' for rho in model.rho)}\n"
    if model.has_classes:
        yield f"label {' '.join(map(str, model.labels))}\n"
        yield f"nr_sv {' '.join(map(str, model.n_support))}\n"
    yield "SV\n"
    for coefficients, support in zip(model.coefficients, _support_texts(model), strict=True):
        yield f"{' '.join(f'{value:.17g}' for value in coefficients)} {support}\n"


def _support_texts(model: LibsvmModel) -> Iterator[str]:
    """Yield every support vector as LIBSVM writes it."""
    if model.kernel == "precomputed":
        yield from (f"0:{number}" for number in model.support)
        return
    vectors = sp.csr_array(model.support)
    for begin, end in pairwise(vectors.indptr):
        columns, values = vectors.indices[begin:end] + 1, vectors.data[begin:end]
        pairs = zip(columns.tolist(), values.tolist(), strict=True)
        yield " ".join(f"{column}:{value:.17g}" for column, value in pairs)


def read_model(path: Path, max_features: int = MAX_FEATURES) -> LibsvmModel:
    """Return the contents of a model file; a ValueError names the line that is wrong."""
    with path.open("rb") as file:
        lines = _Lines(file, path)
        header = _read_header(lines)
        if header["kernel_type"] == "precomputed":
            coefficients, support = _read_serials(lines, header)
        else:
            coefficients, support = _read_vectors(lines, header, max_features)
    return LibsvmModel(
        header["kernel_type"],
        {name: header[name] for name in KERNEL_PARAMETERS[header["kernel_type"]]},
        header.get("label", ()),
        header.get("nr_sv", ()),
        header["rho"],
        coefficients,
        support,
        header["svm_type"] == ONE_CLASS,
    )


def _read_header(lines: _Lines) -> dict[str, Any]:
    """Return the fields up to the line SV, each checked on its own and all together."""
    header: dict[str, Any] = {}
    while (words := lines.header_line(_n_pairs(header.get("nr_class", 2)))) != [b"SV"]:
        if not words:
            lines.fail("the line is empty")
        name = words[0].decode("ascii", "backslashreplace")
        if name in header:
            lines.fail(f"{name} occurs twice")
        if name not in _FIELDS:
            lines.fail(f"{quote(words[0])} is not a field of a LIBSVM model")
        if name in _COUNTS and "nr_class" not in header:
            lines.fail(f"nr_class must come before {name}")
        n_values = _COUNTS[name](header["nr_class"]) if name in _COUNTS else 1
        if len(words) != 1 + n_values:
            lines.fail(f"{name} must have {n_values} value(s), got {len(words) - 1}")
        values = tuple(_value(lines, name, word) for word in words[1:])
        if name == "label" and len(set(values)) < len(values):
            twice = next(label for label in values if values.count(label) > 1)
            lines.fail(f"the labels must differ, got {twice} twice")
        header[name] = values if name in _COUNTS else values[0]
    has_classes = header.get("svm_type") not in (*REGRESSORS, ONE_CLASS)
    required = ["svm_type", "kernel_type", "nr_class", "total_sv", "rho"]
    required += OF_CLASSES if has_classes else ()
    required += KERNEL_PARAMETERS.get(header.get("kernel_type", ""), ())
    missing = [name for name in required if name not in header]
    if missing:
        lines.fail(f"the header ends here without {', '.join(missing)}")
    if not has_classes:
        _check_without_classes(lines, header)
    elif sum(header["nr_sv"]) != header["total_sv"]:
        lines.fail(
            f"nr_sv counts {sum(header['nr_sv'])} support vectors and total_sv "
            f"{header['total_sv']}; they must agree"
        )
    return header


def _check_without_classes(lines: _Lines, header: dict[str, Any]) -> None:
    """Refuse fields of classes in the header of a model that has none; it counts as a pair."""
    foreign = [name for name in (*OF_CLASSES, "probB") if name in header]
    if foreign:
        lines.fail(f"a model of type {header['svm_type']} has no {', '.join(foreign)}")
    if header["nr_class"] != 2:
        lines.fail(
            f"nr_class of a model of type {header['svm_type']} must be 2, got {header['nr_class']}"
        )


def _value(lines: _Lines, name: str, word: bytes) -> Any:
    """Return a value of a field, checked."""
    value = _FIELDS[name](lines, name, word)
    is_valid, complaint = _RULES.get(name, (lambda _: True, ""))
    if not is_valid(value):
        lines.fail(complaint.format(word=quote(word), value=value))
    return value


def _n_pairs(n_classes: int) -> int:
    return n_classes * (n_classes - 1) // 2


# name -> what reads a value; most fields have one
_FIELDS: dict[str, Callable[[_Lines, str, bytes], Any]] = {
    **dict.fromkeys(("svm_type", "kernel_type"), _Lines.text),
    **dict.fromkeys(("degree", "nr_class", "total_sv", "nr_sv"), _Lines.whole),
    "label": lambda lines, name, word: lines.whole(name, word, -MAX_WHOLE - 1),
    # probA and probB: probabilities, which BandedSVC leaves to scikit-learn's calibration; probA
    # of a regression is the spread of its errors.
    **dict.fromkeys(("gamma", "coef0", "rho", "probA", "probB"), _Lines.number),
}
# name -> whether a value is valid, and what to say if it is not
_RULES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "svm_type": (
        lambda value: value in READABLE_TYPES,
        f"svm_type must be one of {', '.join(READABLE_TYPES)}, got {{word}}",
    ),
    "kernel_type": (
        lambda value: value in KERNEL_PARAMETERS,
        f"kernel_type must be one of {', '.join(KERNEL_PARAMETERS)}, got {{word}}",
    ),
    "nr_class": (
        lambda value: 2 <= value <= MAX_CLASSES,
        f"nr_class must be from 2 to {MAX_CLASSES}, got {{value}}",
    ),
    "gamma": (lambda value: value >= 0.0, "gamma must be at least 0, got {word}"),
}
# name -> number of values for a number of classes
_COUNTS: dict[str, Callable[[int], int]] = {
    **dict.fromkeys(("rho", "probA", "probB"), _n_pairs),
    **dict.fromkeys(("label", "nr_sv"), int),
}


def _support_lines(
    lines: _Lines, header: dict[str, Any], coefficients: array
) -> Iterator[list[bytes]]:
    """Yield the features of every support vector, as many as promised; append coefficients."""
    count, total, n_coefficients = 0, header["total_sv"], header["nr_class"] - 1
    for words in lines.rest():
        if count == total:
            lines.fail(f"more support vectors than the {total} of total_sv")
        if not words:
            lines.fail("the line is empty; a support vector starts with its coefficient")
        if len(words) < n_coefficients:
            lines.fail(
                f"a support vector starts with {n_coefficients} coefficients, got {len(words)} "
                "word(s)"
            )
        for word in words[:n_coefficients]:
            coefficients.append(lines.number("the coefficient", word))
        yield words[n_coefficients:]
        count += 1
    if count < total:
        lines.fail(f"the file ends after {count} of {total} support vectors; it was cut off")


def _pair(lines: _Lines, word: bytes) -> tuple[int, bytes]:
    """Return index and value of a feature."""
    index, colon, value = word.partition(b":")
    if not colon:
        lines.fail(f"features are written index:value, got {quote(word)}")
    return lines.whole("the index of a feature", index), value


def _read_vectors(lines: _Lines, header: dict[str, Any], max_features: int) -> tuple[NDArray, Any]:
    """Return coefficients and support vectors."""
    coefficients, values = array("d"), array("d")
    columns, ends = array("i"), array("q", [0])
    n_features = 0
    for words in _support_lines(lines, header, coefficients):
        last = 0
        for word in words:
            index, value = _pair(lines, word)
            if index <= last:
                lines.fail(f"indices must increase from 1, got {index} after {last}")
            columns.append(index - 1)
            values.append(lines.number("the value of a feature", value))
            last = index
        if last > max_features:
            lines.fail(
                f"the index of a feature is {last}, more than {max_features}; give n_features if "
                "it is right"
            )
        n_features = max(n_features, last)
        ends.append(len(columns))
    vectors = sp.csr_array(
        (np.array(values), np.array(columns, dtype=np.int32), np.array(ends)),
        shape=(len(ends) - 1, n_features),
    )
    return _by_class(coefficients, header), vectors


def _read_serials(lines: _Lines, header: dict[str, Any]) -> tuple[NDArray, Any]:
    """Return coefficients and places in the training set, of a precomputed kernel."""
    coefficients, serials = array("d"), array("q")
    for words in _support_lines(lines, header, coefficients):
        if len(words) != 1:
            lines.fail(f"with a precomputed kernel a support vector is 0:number, got {len(words)}")
        index, value = _pair(lines, words[0])
        if index != 0:
            lines.fail(f"with a precomputed kernel the only index is 0, got {index}")
        serials.append(lines.whole("the number of a training sample", value, 1))
    return _by_class(coefficients, header), np.array(serials, dtype=np.int64)


def _by_class(coefficients: array, header: dict[str, Any]) -> NDArray[np.float64]:
    """Return coefficients with one row per support vector."""
    return np.array(coefficients).reshape(-1, header["nr_class"] - 1)
