"""Labels of formats that have whole numbers only, and the file that says what they stand for."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._system.files import atomic_write
from bandsvm.persistence._libsvm_text import MAX_WHOLE

HEAD = ("number", "label")


def label_numbers(classes: NDArray) -> list[int]:
    """Return the classes if they are whole numbers of 32 bits, else their positions."""
    if classes.dtype.kind in "biuf" and np.all(np.abs(classes.astype(float)) <= MAX_WHOLE):
        whole = classes.astype(np.int64)
        if np.array_equal(whole, classes):
            return whole.tolist()
    return list(range(len(classes)))


def renamed_labels(classes: NDArray, numbers: list[int]) -> dict[int, Any]:
    """Return the label that each number stands for; nothing if numbers are the labels."""
    if np.array_equal(numbers, classes):
        return {}
    return dict(zip(numbers, classes.tolist(), strict=True))


def label_file(model_file: Path) -> Path:
    """Return the file beside a model that says which number stands for which label."""
    return model_file.with_name(f"{model_file.name}.labels")


def write_label_file(model_file: Path, labels: dict[int, Any]) -> None:
    """Write which number stands for which label, as CSV; remove what an earlier model left there.

    It is a file of its own since readers of LIBSVM and LIBLINEAR refuse lines that they do not
    know.
    """
    path = label_file(model_file)
    if model_file.exists() and not model_file.is_file():
        return  # a pipe or a device has nothing beside it
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEAD)
    head = text.getvalue()
    if labels:
        writer.writerows(labels.items())
        atomic_write(path, text.getvalue().encode())
    elif path.is_file() and path.read_bytes().startswith(head.encode()):
        path.unlink()
