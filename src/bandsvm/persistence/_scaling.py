"""Scaling before a classifier as one affine map per feature, for formats without pipelines."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

# The scaled values of `offset` and of `offset + scale`.
LOWER, UPPER = 0, 1


class Scaling(NamedTuple):
    """The map from x to (x - offset) / scale, a number of each per feature."""

    offset: NDArray[np.float64]
    scale: NDArray[np.float64]


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
