"""``bandsvm predict``: labels or numbers, decision values and positions against the band."""

from __future__ import annotations

import argparse
import csv
import io
import sys
from typing import Any

from bandsvm._estimators.banded import as_banded
from bandsvm._estimators.linear import LinearBandedSVC
from bandsvm._estimators.quantiles import BandedQuantileSVR
from bandsvm._fitting.fitted import classes_of
from bandsvm._system.text import printable, short_list
from bandsvm._tables.reading import read_table
from bandsvm._tables.table import Notes
from bandsvm._workflow.class_report import reliability_parts
from bandsvm._workflow.evaluation import Predictions
from bandsvm._workflow.numbers import NumberPredictions
from bandsvm._workflow.pipeline import (
    Regressor,
    check_takes_tables,
    estimator_of,
    expected_table,
    transformed,
    unseen_categories,
)
from bandsvm._workflow.report import report_page
from bandsvm._workflow.samples import FORMULAS
from bandsvm._workflow.tasks import task_for
from bandsvm.cli._options import read_options
from bandsvm.cli._output import Output
from bandsvm.cli._preflight import check_outputs
from bandsvm.persistence.native import load_with_notes


def run(options: argparse.Namespace) -> int:
    """Predict and write."""
    reading = read_options(options)
    output = Output(options, results_on_stdout=options.output is None)
    check_outputs(options, "output", "report", read=[options.data, options.model])
    model, notes = load_with_notes(options.model.read_bytes(), str(options.model))
    model = as_banded(model)
    check_takes_tables(model)
    estimator = estimator_of(model)
    _check_columns(options, estimator)
    is_linear = isinstance(estimator, LinearBandedSVC)
    if reading.on_disk and not is_linear:
        raise ValueError(
            f"--on-disk is for linear models, and {options.model} has a kernel; leave it out."
        )
    expected = expected_table(model, Notes.from_json(notes))
    table = read_table(options.data, reading, expected, may_use_disk=is_linear)
    output.about_table(table)
    for warning in unseen_categories(model, table):
        output.warn(warning)
    X = transformed(model, table.X, table.is_on_disk)
    predictions = task_for(model).predictions(estimator, X, table.y)
    columns = {**table.ids, **_columns(options, predictions)}
    _warn_of_formulas(output, classes_of(estimator))
    result: dict[str, Any] = {"n_samples": X.shape[0], **table.skipped(reading)}
    if (scores := predictions.quality) is not None:
        result |= scores.values()
        output.report(scores.describe())
    result |= _write(options, output, columns)
    if options.report is not None:
        role = f"Predictions of the model {options.model}."
        parts = []
        if hasattr(estimator, "sigmoids_"):
            parts = reliability_parts(predictions.probabilities, predictions, role)
        page = report_page(model, table, predictions, role, parts)
        output.write(options.report, page, "report is")
    output.result(result)
    return 0


def _warn_of_formulas(output: Output, classes: Any) -> None:
    """Say so if a spreadsheet would compute a label; written labels are those of the model."""
    if classes.dtype.kind not in "UO":
        return
    formulas = [label for label in classes.tolist() if label.startswith(FORMULAS)]
    if formulas:
        output.warn(
            f"the labels {short_list(formulas)} look like formulas; import the predictions into a "
            "spreadsheet as text."
        )


def _check_columns(options: argparse.Namespace, estimator: Any) -> None:
    """Refuse columns that a model does not have."""
    if isinstance(estimator, Regressor):
        for name in ("values", "proba"):
            if getattr(options, name):
                raise ValueError(
                    f"--{name} is for classifiers, and {options.model} predicts numbers; leave it "
                    "out."
                )
        if options.band and isinstance(estimator, BandedQuantileSVR):
            raise ValueError(
                f"--band needs a tube, and {options.model} predicts quantiles; leave it out."
            )
    elif options.proba and not hasattr(estimator, "sigmoids_"):
        raise ValueError(
            f"--proba needs a model of fit or tune with --calibrate, which {options.model} is not; "
            "train it again with --calibrate, or use --values."
        )


def _columns(
    options: argparse.Namespace, predictions: Predictions | NumberPredictions
) -> dict[str, Any]:
    """Return what is asked for of each sample, by name of column."""
    if isinstance(predictions, NumberPredictions):
        return _columns_of_numbers(options, predictions)
    columns: dict[str, Any] = {"label": predictions.predicted}
    labels = predictions.classifier.classes_.tolist()
    if options.values and predictions.values.ndim == 1:
        columns["value"] = predictions.values
    elif options.values:
        columns |= {f"value {label}": predictions.values[:, k] for k, label in enumerate(labels)}
    if options.proba:
        of_classes = predictions.probabilities.T
        names = [f"probability of {label}" for label in labels]
        columns |= dict(zip(names, of_classes, strict=True))
    if options.band:
        columns["band"] = predictions.position
    return columns


def _columns_of_numbers(
    options: argparse.Namespace, predictions: NumberPredictions
) -> dict[str, Any]:
    """Return predictions, a column per quantile, and where they lie against the tube."""
    columns: dict[str, Any] = dict(zip(predictions.names, predictions.values.T, strict=True))
    if options.band:
        if predictions.position is None:
            raise ValueError(
                f"--band compares predictions with targets, which {options.data} does not have; "
                "name their column with --target, or leave it out."
            )
        columns["band"] = predictions.position
    return columns


def _write(options: argparse.Namespace, output: Output, columns: dict[str, Any]) -> dict[str, Any]:
    """Write or print predictions; return what the result for machines says of them."""
    if options.output is not None:
        output.write(options.output, _as_text(columns).encode(), "predictions are")
        return {"output": str(options.output)}
    if options.json:
        return columns
    text = _as_text(columns)
    # Files and pipes get labels as they are; a terminal would obey what they hold.
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    print(printable(text, kept="\n") if is_terminal else text, end="")
    return {}


def _as_text(columns: dict[str, Any]) -> str:
    """Return a prediction per line or, if there is more, CSV with a header."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if len(columns) > 1:
        writer.writerow(columns)
    writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
    return text.getvalue()
