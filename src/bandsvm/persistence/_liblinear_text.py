"""The text of a LIBLINEAR model of a regression, read with distrust.

Nothing is allocated by what a file promises, only by what it holds.
"""

from __future__ import annotations

from array import array
from math import isfinite
from pathlib import Path
from typing import BinaryIO, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from bandsvm._system.files import MAX_FEATURES
from bandsvm.persistence._libsvm_text import quote

# LIBLINEAR's solvers of regressions -> our loss.
LOSSES = {
    "L2R_L2LOSS_SVR": "squared_epsilon_insensitive",
    "L2R_L2LOSS_SVR_DUAL": "squared_epsilon_insensitive",
    "L2R_L1LOSS_SVR_DUAL": "epsilon_insensitive",
}
# Bytes of a line, far more than a name and a number take: a file without line ends is not
# swallowed.
MAX_LINE_LENGTH = 1024
FIELDS = (b"solver_type", b"nr_class", b"nr_feature", b"bias")


class LiblinearRegression(NamedTuple):
    """A regression as LIBLINEAR has it: the contents of a file."""

    loss: str
    n_features: int
    bias: float  # the value of the feature whose weight is the last; negative if there is none
    weights: NDArray[np.float64]


class _Lines:
    """Lines of a file, counted, and complaints about them."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file, self._path, self._number = file, path, 0

    def words(self) -> list[bytes]:
        """Return the words of the next line; none at the end of the file."""
        self._number += 1
        line = self._file.readline(MAX_LINE_LENGTH)
        if line and not line.endswith(b"\n"):
            self.fail("the line has no end; the file was cut off or is not a LIBLINEAR model")
        return line.split()

    def fail(self, complaint: str) -> NoReturn:
        """Raise an error about the current line."""
        raise ValueError(f"{self._path}, line {self._number}: {complaint}.")

    def number(self, name: str, word: bytes) -> float:
        """Return a finite number."""
        try:
            number = float(word) if b"_" not in word else np.nan
        except ValueError:
            number = np.nan
        if not isfinite(number):
            self.fail(f"{name} must be a finite number, got {quote(word)}")
        return number

    def whole(self, name: str, word: bytes, lowest: int, highest: int) -> int:
        """Return a whole number."""
        number = int(word) if word.isdigit() and len(word) < 20 else -1
        if not lowest <= number <= highest:
            self.fail(
                f"{name} must be a whole number from {lowest} to {highest}, got {quote(word)}"
            )
        return number


def read_regression(path: Path) -> LiblinearRegression:
    """Return the contents of a model file; a ValueError names the line that is wrong."""
    with path.open("rb") as file:
        lines = _Lines(file, path)
        header = _read_header(lines)
        solver = header[b"solver_type"].decode("ascii", "backslashreplace")
        if solver not in LOSSES:
            lines.fail(
                f"solver_type must be one of {', '.join(LOSSES)}, got "
                f"{quote(header[b'solver_type'])}; models of classes cannot be read"
            )
        lines.whole("nr_class of a regression", header[b"nr_class"], 2, 2)
        n_features = lines.whole("nr_feature", header[b"nr_feature"], 1, MAX_FEATURES)
        bias = lines.number("bias", header[b"bias"])
        weights = _read_weights(lines, n_features + (bias >= 0.0))
    return LiblinearRegression(LOSSES[solver], n_features, bias, weights)


def _read_header(lines: _Lines) -> dict[bytes, bytes]:
    """Return the fields up to the line w."""
    header: dict[bytes, bytes] = {}
    while (words := lines.words()) != [b"w"]:
        if len(words) != 2 or words[0] not in FIELDS or words[0] in header:
            if words[:1] == [b"label"]:
                lines.fail("the model has labels, and models of classes cannot be read")
            names = ", ".join(name.decode() for name in FIELDS)
            lines.fail(
                f"the header must hold {names} and w, one in a line and none twice, got "
                f"{quote(b' '.join(words))}"
            )
        header[words[0]] = words[1]
    missing = [name.decode() for name in FIELDS if name not in header]
    if missing:
        lines.fail(f"the header ends here without {', '.join(missing)}")
    return header


def _read_weights(lines: _Lines, number: int) -> NDArray[np.float64]:
    """Return the weights, one in a line."""
    weights = array("d")
    while words := lines.words():
        if len(words) != 1 or len(weights) == number:
            lines.fail(f"{number} lines of one weight each must follow w, got more")
        weights.append(lines.number("a weight", words[0]))
    if len(weights) < number:
        lines.fail(f"the file ends after {len(weights)} of {number} weights; it was cut off")
    return np.array(weights)
