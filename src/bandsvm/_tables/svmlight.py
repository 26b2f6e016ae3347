"""svmlight files, read by scikit-learn; what it cannot read is looked up line by line."""

from __future__ import annotations

import io
import re
from typing import Any

from numpy.typing import NDArray
from sklearn.datasets import load_svmlight_file

from bandsvm._system.files import MAX_FEATURES
from bandsvm._system.text import short_text
from bandsvm._tables.bytes import DataFile, DataFileError, reason

# A matrix with more entries than this share of its size takes less memory, and time, dense.
DENSE = 0.5
# A feature 0 after the label, or after the label and the query.
ZERO = re.compile(rb"^[ \t]*[^\s#:]+[ \t]+(?:qid:\S+[ \t]+)?0+:", re.MULTILINE)


def has_zero(content: bytes) -> bool:
    """Return whether a line in svmlight format has a feature 0."""
    return ZERO.search(content) is not None


def read(file: DataFile, n_features: int | None, zero_based: bool) -> tuple[Any, NDArray]:
    """Return the samples, in CSR where that is smaller, and the labels of an svmlight file."""
    X, y = parsed(file, zero_based)
    check_width(file, X.shape[1], n_features, zero_based)
    if n_features is not None:
        X.resize(X.shape[0], n_features)
    return X.toarray() if is_dense(X) else X, y


def parsed(file: DataFile, zero_based: bool, n_before: int = 0) -> tuple[Any, NDArray]:
    """Return samples, in CSR, and labels of a file or of a block, which lines come before."""
    try:
        return load_svmlight_file(io.BytesIO(file.content), zero_based=zero_based)
    except (ValueError, OverflowError, TypeError) as error:
        raise _first_bad_line(file, zero_based, error, n_before) from None


def check_width(file: DataFile, found: int, n_features: int | None, zero_based: bool) -> None:
    """Raise if a file has more features than can be, or than a model takes."""
    if found > MAX_FEATURES:
        raise DataFileError(
            f"{file.source} has a feature of number {found}; at most {MAX_FEATURES} can be used."
        )
    if n_features is not None and found > n_features:
        raise DataFileError(
            f"{file.source} has a feature of number {found - zero_based}, the model was trained on "
            f"{n_features} features."
        )


def is_dense(X: Any) -> bool:
    """Return whether a sparse matrix would better be dense."""
    return X.nnz > DENSE * X.shape[0] * X.shape[1]


def _first_bad_line(
    file: DataFile, zero_based: bool, error: Exception, n_before: int
) -> DataFileError:
    """Return the error of the first line that cannot be read."""
    for number, line in enumerate(io.BytesIO(file.content), start=n_before + 1):
        wrong = _complaint(line.split(b"#")[0].split(), zero_based)
        if wrong:
            return DataFileError(f"{file.source}, line {number}: {wrong}.")
    return DataFileError(f"{file.source} is not an svmlight file: {reason(error)}.")


def _complaint(words: list[bytes], zero_based: bool) -> str:
    """Return what is wrong with a line, or nothing."""
    if not words:
        return ""
    label, *pairs = (word.decode("utf-8", "backslashreplace") for word in words)
    if not _is(float, label):
        return f"{short_text(repr(label))} is not a label; svmlight files have numbers as labels"
    last = -1 if zero_based else 0
    for pair in pairs:
        index, colon, value = pair.partition(":")
        if index == "qid":
            continue
        if not (colon and _is(int, index) and _is(float, value)):
            return f"{short_text(repr(pair))} is not a feature and its value, such as 3:0.5"
        if int(index) == 0 and not zero_based:
            return "features count from 1, but this line has a feature 0"
        if int(index) <= last:
            return f"feature {index} comes after feature {last}; they must ascend"
        last = int(index)
    return ""


def _is(kind: type, text: str) -> bool:
    try:
        kind(text)
    except ValueError:
        return False
    return True
