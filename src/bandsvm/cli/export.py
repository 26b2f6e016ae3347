"""``bandsvm export``: a model file for other programs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bandsvm.cli._options import add_output_options
from bandsvm.cli._output import Output

FORMATS = ("liblinear", "libsvm", "onnx")


def add_parser(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "export",
        help="write a model for other programs",
        usage="bandsvm export FILE --to FORMAT --output FILE [options]",
        description="Write a model for other programs. liblinear: linear models, scaling included. "
        "libsvm: kernel models, with a file by which svm-scale scales samples; one-vs-rest models "
        "make a file per class. onnx: both, with all steps before the classifier; needs the extra "
        "bandsvm[onnx]. Labels that a format lacks are numbers, listed in a file beside the model.",
    )
    parser.add_argument("model", type=Path, metavar="FILE", help="a model file")
    parser.add_argument(
        "--to", choices=FORMATS, required=True, metavar="FORMAT", help=", ".join(FORMATS)
    )
    parser.add_argument("--output", type=Path, required=True, metavar="FILE", help="where to write")
    add_output_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Load, convert, write."""
    from bandsvm import load
    from bandsvm._workflow.pipeline import classifier_of
    from bandsvm.cli._preflight import check_outputs
    from bandsvm.persistence._text_formats import range_file
    from bandsvm.persistence.libsvm import needs_svm_scale

    output = Output(options)
    check_outputs(options, "output", read=[options.model])
    model = _without_search(load(options.model))
    if options.to != "onnx":
        _check_files_beside(options, len(classifier_of(model).classes_))
    files = _write(model, options.to, options.output)
    for file in files:
        output.wrote(file)
        output.report(f"The model is in {file}.")
    result: dict[str, Any] = {"model": str(options.model), "files": [str(file) for file in files]}
    if numbers := _class_numbers(model, options.to):
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
    from bandsvm.persistence._text_formats import label_file, range_file
    from bandsvm.persistence.libsvm import file_of_class

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


def _class_numbers(model: Any, form: str) -> dict[int, Any]:
    """Return which number stands for which class in a format; nothing if numbers are classes."""
    from bandsvm._workflow.pipeline import classifier_of
    from bandsvm.persistence._text_formats import label_numbers, renamed_labels
    from bandsvm.persistence.libsvm import class_numbers

    classifier = classifier_of(model)
    if form == "libsvm":
        return class_numbers(classifier)
    if form == "liblinear":
        return renamed_labels(classifier.classes_, label_numbers(classifier.classes_))
    return {}


def _about_numbers(numbers: dict[int, Any], path: Path, is_of_files: bool) -> str:
    """Return which number stands for which class, in a sentence."""
    from bandsvm._system.text import MAX_SHOWN, short_text
    from bandsvm.persistence._text_formats import label_file

    parts = [f"{number} is {short_text(repr(label))}" for number, label in numbers.items()]
    if len(parts) > MAX_SHOWN:
        parts[MAX_SHOWN:] = ["..."]
    what = "Names of files have numbers for classes" if is_of_files else "Labels in it are numbers"
    beside = label_file(path)
    where = f"; {beside} lists them" if beside.is_file() else ""
    return f"{what}: {', '.join(parts)}{where}."


def _without_search(model: Any) -> Any:
    """Return a model with the best of a search in its place."""
    from sklearn.pipeline import Pipeline

    from bandsvm._workflow.pipeline import classifier_of, with_classifier

    best = classifier_of(model)
    return with_classifier(model, best) if isinstance(model, Pipeline) else best


def _write(model: Any, form: str, path: Path) -> list[Path]:
    """Write a model in a format; return the files."""
    from bandsvm import export_liblinear, export_libsvm, to_onnx
    from bandsvm._system.files import atomic_write

    if form != "onnx":
        _check_steps(model, form)
    if form == "liblinear":
        return [export_liblinear(model, path)]
    if form == "libsvm":
        return export_libsvm(model, path)
    atomic_write(path, to_onnx(model, _sample(model)).SerializeToString())
    return [path]


def _check_steps(model: Any, form: str) -> None:
    """Raise if a model does more before it classifies than a format can say."""
    from sklearn.preprocessing import MaxAbsScaler, StandardScaler

    from bandsvm.persistence._text_formats import steps_of

    for step in steps_of(model)[:-1]:
        if not isinstance(step, (StandardScaler, MaxAbsScaler)):
            raise ValueError(
                f"files of {form.upper()} can hold scaling before the classifier, but not "
                f"{type(step).__name__}, which a table with text or missing numbers needs: export "
                "--to onnx, or train on numbers without gaps."
            )


def _sample(model: Any) -> Any:
    """Return a row that tells the types of columns, for a model that chooses them by name."""
    from bandsvm._workflow.pipeline import expected_table

    expected = expected_table(model)
    if not expected.takes_frames:
        return None
    import pandas as pd

    return pd.DataFrame(
        {name: [""] if name in expected.texts else [0.0] for name in expected.names or []}
    )
