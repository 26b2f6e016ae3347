"""svmlight files, read by scikit-learn; what it cannot read is looked up line by line."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_svmlight_file

from bandsvm._system.files import MAX_FEATURES
from bandsvm._system.text import short_text
from bandsvm._tables.cells import converts
from bandsvm._tables.data_file import DataFile, reason
from bandsvm._tables.large import LargeFile
from bandsvm._tables.remarks import DataFileError
from bandsvm._tables.scratch import DiskMatrix, mapped_rows

# A matrix with more entries than this share of its size takes less memory, and time, dense.
MIN_DENSE_SHARE = 0.5
# A feature 0 after the label, or after the label and the query.
FEATURE_ZERO = re.compile(rb"^[ \t]*[^\s#:]+[ \t]+(?:qid:\S+[ \t]+)?0+:", re.MULTILINE)


def counts_from_zero(file: DataFile) -> bool:
    """Return whether a line of an svmlight file has a feature 0."""
    return any(FEATURE_ZERO.search(content) for content, _ in file.blocks())


def read(file: DataFile, n_features: int | None, zero_based: bool) -> tuple[Any, NDArray]:
    """Return the samples, in CSR where that is smaller, and the labels of an svmlight file.

    Those of a large file are on disk.
    """
    matrix, labels = DiskMatrix() if isinstance(file, LargeFile) else None, [np.empty(0)]
    X: Any = None
    for content, n_before in file.blocks():
        X, y = _parsed(file, content, n_before, zero_based)
        _check_width(file, X.shape[1], n_features, zero_based)
        labels.append(y)
        if matrix is not None:
            matrix.append(X)
    if matrix is not None:
        X = matrix.finished()
    if n_features is not None:
        X.resize(X.shape[0], n_features)
    if X.nnz > MIN_DENSE_SHARE * X.shape[0] * X.shape[1]:
        X = X.toarray() if matrix is None else mapped_rows(X, lambda rows: rows.toarray())
    return X, np.concatenate(labels)


def _parsed(file: DataFile, content: bytes, n_before: int, zero_based: bool) -> tuple[Any, NDArray]:
    """Return samples, in CSR, and labels of a block, which so many lines come before."""
    try:
        return load_svmlight_file(io.BytesIO(content), zero_based=zero_based)
    except (ValueError, OverflowError, TypeError) as error:
        for number, line in enumerate(io.BytesIO(content), start=n_before + 1):
            wrong = _complaint(line.split(b"#")[0].split(), zero_based)
            if wrong:
                raise DataFileError(f"{file.source}, line {number}: {wrong}.") from None
        raise DataFileError(f"{file.source} is not an svmlight file: {reason(error)}.") from None


def _check_width(file: DataFile, found: int, n_features: int | None, zero_based: bool) -> None:
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


def _complaint(words: list[bytes], zero_based: bool) -> str:
    """Return what is wrong with a line, or nothing."""
    if not words:
        return ""
    label, *pairs = (word.decode("utf-8", "backslashreplace") for word in words)
    if not converts(float, label):
        return f"{short_text(repr(label))} is not a label; svmlight files have numbers as labels"
    last = -1 if zero_based else 0
    for pair in pairs:
        index, colon, value = pair.partition(":")
        if index == "qid":
            continue
        if not (colon and converts(int, index) and converts(float, value)):
            return f"{short_text(repr(pair))} is not a feature and its value, such as 3:0.5"
        if int(index) == 0 and not zero_based:
            return "features count from 1, but this line has a feature 0"
        if int(index) <= last:
            return f"feature {index} comes after feature {last}; they must ascend"
        last = int(index)
    return ""
