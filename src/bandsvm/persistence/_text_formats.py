"""What the text formats of LIBSVM and LIBLINEAR lack: labels that are no numbers, and pipelines.

Files beside the model say what its numbers stand for (``FILE.labels``) and how samples are scaled
(``FILE.range``): readers of both formats refuse lines that they do not know. Scaling is one affine
map per feature.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from bandsvm._system.files import atomic_write
from bandsvm.persistence._libsvm_text import MAX_WHOLE

LABELS_HEAD = "number,label\n"
# The scaled values of `offset` and of `offset + scale`.
LOWER, UPPER = 0, 1


class Scaling(NamedTuple):
    """The map from x to (x - offset) / scale, a number of each per feature."""

    offset: NDArray[np.float64]
    scale: NDArray[np.float64]

    def folded(self, weights: NDArray, intercepts: NDArray) -> tuple[NDArray, NDArray]:
        """Return weights and intercepts of a linear model that takes unscaled samples."""
        with np.errstate(over="ignore", invalid="ignore"):
            weights = weights / self.scale
            return weights, intercepts - weights @ self.offset


def steps_of(model: Any) -> list[Any]:
    """Return the steps of a pipeline that do something, the classifier last."""
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    return [step for step in steps[:-1] if step not in (None, "passthrough")] + steps[-1:]


def check_is_scaling(steps: list[Any], exporter: str, program: str) -> None:
    """Raise an error with a way out unless steps only scale; `exporter` writes for `program`."""
    for step in steps:
        if not isinstance(step, (StandardScaler, MaxAbsScaler)):
            raise TypeError(
                f"{exporter} can write the steps StandardScaler and MaxAbsScaler, but not "
                f"{type(step).__name__}. Export the last step, pipeline[-1], and give {program} "
                "the samples as pipeline[:-1].transform returns them."
            )
        if getattr(step, "clip", False):
            raise ValueError(
                f"{exporter} cannot write MaxAbsScaler(clip=True), which is not linear; fit the "
                "pipeline with clip=False."
            )


def scaling_of(steps: list[Any], n_features: int) -> Scaling:
    """Return what fitted scalers do, one after the other."""
    offset, scale = np.zeros(n_features), np.ones(n_features)
    with np.errstate(over="ignore", invalid="ignore"):
        for step in steps:
            if getattr(step, "mean_", None) is not None and step.with_mean:
                offset = offset + scale * step.mean_
            if getattr(step, "scale_", None) is not None:
                scale = scale * step.scale_
    return Scaling(offset, scale)


def range_file(model_file: Path) -> Path:
    """Return the file beside a model by which svm-scale -r scales samples for it."""
    return model_file.with_name(f"{model_file.name}.range")


def range_text(scaling: Scaling) -> str:
    """Return a map as svm-scale -s writes it: two values of each feature that become the bounds."""
    low, high = scaling.offset, scaling.offset + scaling.scale
    if not (np.isfinite(high).all() and (low < high).all()):
        raise ValueError(
            "svm-scale cannot scale features whose mean is some 1e16 times their deviation; "
            "subtract a constant from them and fit the model again."
        )
    rows = [
        f"{k} {a:.17g} {b:.17g}\n"
        for k, (a, b) in enumerate(zip(low.tolist(), high.tolist(), strict=True), start=1)
    ]
    return "".join(["x\n", f"{LOWER} {UPPER}\n", *rows])


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
    """Write which number stands for which label, as CSV; remove what an earlier model left."""
    path = label_file(model_file)
    if model_file.exists() and not model_file.is_file():
        return  # a pipe or a device has nothing beside it
    if labels:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(labels.items())
        atomic_write(path, (LABELS_HEAD + text.getvalue()).encode())
    elif path.is_file() and path.read_bytes().startswith(LABELS_HEAD.encode()):
        path.unlink()
