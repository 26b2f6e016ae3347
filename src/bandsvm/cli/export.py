"""``bandsvm export``: a model file for other programs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from bandsvm._estimators.banded import as_banded
from bandsvm._fitting.fitted import classes_of
from bandsvm._system.files import atomic_write
from bandsvm._system.text import MAX_SHOWN, short_text
from bandsvm._workflow.pipeline import estimator_of, expected_table, with_estimator
from bandsvm.cli._output import Output
from bandsvm.cli._preflight import check_outputs
from bandsvm.persistence._text_formats import (
    label_file,
    label_numbers,
    range_file,
    renamed_labels,
    steps_of,
)
from bandsvm.persistence.liblinear import export_liblinear
from bandsvm.persistence.libsvm import class_numbers, export_libsvm, file_of_class, needs_svm_scale
from bandsvm.persistence.native import load
from bandsvm.persistence.onnx import to_onnx


def run(options: argparse.Namespace) -> int:
    """Load, convert, write."""
    output = Output(options)
    check_outputs(options, "output", read=[options.model])
    model = as_banded(load(options.model))
    # Of a search, the best model.
    best = estimator_of(model)
    classes = classes_of(best)
    model = with_estimator(model, best) if isinstance(model, Pipeline) else best
    if options.to != "onnx":
        _check_files_beside(options, len(classes))
    files = _write(model, options.to, options.output)
    for file in files:
        output.wrote(file)
        output.report(f"The model is in {file}.")
    result: dict[str, Any] = {"model": str(options.model), "files": [str(file) for file in files]}
    # Which number stands for which class; nothing if numbers are classes.
    numbers = {}
    if options.to == "libsvm":
        numbers = class_numbers(best)
    elif options.to == "liblinear":
        numbers = renamed_labels(classes, label_numbers(classes))
    if numbers:
        result["labels"] = {str(number): label for number, label in numbers.items()}
        output.report(_about_numbers(numbers, options.output, is_of_files=len(files) > 1))
    if options.to == "libsvm" and needs_svm_scale(model):
        ranges = range_file(options.output)
        result["range_file"] = str(ranges)
        output.report(
            "LIBSVM must scale samples for it, as the model did in training: "
            f"svm-scale -r {ranges} DATA > SCALED, then svm-predict SCALED {files[0]} PREDICTED."
        )
    output.result(result)
    return 0


def _check_files_beside(options: argparse.Namespace, n_classes: int) -> None:
    """Raise if a file that may come beside the output would replace the model."""
    path = options.output
    beside = [
        label_file(path),
        range_file(path),
        *(file_of_class(path, k) for k in range(n_classes)),
    ]
    if any(file.exists() and file.samefile(options.model) for file in beside):
        raise ValueError(
            f"--output {path} would replace {options.model}, which is read, by a file beside it; "
            "choose another name."
        )


def _about_numbers(numbers: dict[int, Any], path: Path, is_of_files: bool) -> str:
    """Return which number stands for which class, in a sentence."""
    parts = [f"{number} is {short_text(repr(label))}" for number, label in numbers.items()]
    if len(parts) > MAX_SHOWN:
        parts[MAX_SHOWN:] = ["..."]
    what = "Names of files have numbers for classes" if is_of_files else "Labels in it are numbers"
    beside = label_file(path)
    where = f"; {beside} lists them" if beside.is_file() else ""
    return f"{what}: {', '.join(parts)}{where}."


def _write(model: Any, form: str, path: Path) -> list[Path]:
    """Write a model in a format; return the files."""
    if form == "onnx":
        atomic_write(path, to_onnx(model, _sample(model)).SerializeToString())
        return [path]
    for step in steps_of(model)[:-1]:
        if not isinstance(step, (StandardScaler, MaxAbsScaler)):
            raise ValueError(
                f"files of {form.upper()} can hold scaling before the model, but not "
                f"{type(step).__name__}, which a table with text or missing numbers needs: export "
                "--to onnx, or train on numbers without gaps."
            )
    return [export_liblinear(model, path)] if form == "liblinear" else export_libsvm(model, path)


def _sample(model: Any) -> Any:
    """Return a row that tells the types of columns, for a model that chooses them by name."""
    expected = expected_table(model)
    if not expected.takes_frames:
        return None
    import pandas as pd

    return pd.DataFrame(
        {name: [""] if name in expected.texts else [0.0] for name in expected.names or []}
    )
