"""svmlight files, read by scikit-learn; what it cannot read is looked up line by line."""

from __future__ import annotations

import io
import re
from typing import Any

from numpy.typing import NDArray
from sklearn.datasets import load_svmlight_file

from bandsvm.cli._bytes import DataFile, DataFileError, reason
from bandsvm.system.files import MOST_FEATURES
from bandsvm.system.text import shown

# A matrix with more entries than this share of its size takes less memory, and time, dense.
DENSE = 0.5
# A feature 0 after the label, or after the label and the query.
ZERO = re.compile(rb"^[ \t]*[^\s#:]+[ \t]+(?:qid:\S+[ \t]+)?0+:", re.MULTILINE)


def counts_from_zero(file: DataFile) -> bool:
    """Return whether a line of an svmlight file has a feature 0."""
    return ZERO.search(file.content) is not None


def read(file: DataFile, n_features: int | None, zero_based: bool) -> tuple[Any, NDArray]:
    """Return the samples, in CSR where that is smaller, and the labels of an svmlight file."""
    try:
        X, y = load_svmlight_file(io.BytesIO(file.content), zero_based=zero_based)
    except (ValueError, OverflowError, TypeError) as error:
        raise _first_bad_line(file, zero_based, error) from None
    if X.shape[1] > MOST_FEATURES:
        raise DataFileError(
            f"{file.source} has a feature of number {X.shape[1]}; at most {MOST_FEATURES} can be "
            "used."
        )
    if n_features is not None:
        if X.shape[1] > n_features:
            raise DataFileError(
                f"{file.source} has a feature of number {X.shape[1] - zero_based}, the model was "
                f"trained on {n_features} features."
            )
        X.resize(X.shape[0], n_features)
    is_dense = X.nnz > DENSE * X.shape[0] * X.shape[1]
    return X.toarray() if is_dense else X, y


def _first_bad_line(file: DataFile, zero_based: bool, error: Exception) -> DataFileError:
    """Return the error of the first line that cannot be read."""
    for number, line in enumerate(io.BytesIO(file.content), start=1):
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
        return f"{shown(repr(label))} is not a label; svmlight files have numbers as labels"
    last = -1 if zero_based else 0
    for pair in pairs:
        index, colon, value = pair.partition(":")
        if index == "qid":
            continue
        if not (colon and _is(int, index) and _is(float, value)):
            return f"{shown(repr(pair))} is not a feature and its value, such as 3:0.5"
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
