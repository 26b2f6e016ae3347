"""A page about a model and samples: what was read, how well it does, which samples to look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bandsvm._system.text import short_text, signed
from bandsvm._tables.table import Table
from bandsvm._workflow.description import ModelDescription
from bandsvm._workflow.naming import shell_name
from bandsvm._workflow.pipeline import Model
from bandsvm._workflow.tasks import task_for
from bandsvm._workflow.weights import feature_names, has_weights
from bandsvm.plotting._page import heading, html_table, page, paragraph, verbatim

TRAINED = (
    "The model was trained on these samples: scores below are higher than those of new samples."
)
HELD_OUT = (
    "Each sample was left out of the model that gave its decision value. The sigmoids that make "
    "probabilities of these values were fitted to all of them."
)


def report_page(
    model: Model,
    table: Table,
    predictions: Any,
    role: str,
    more: Sequence[str] = (),
    first: Sequence[str] = (),
) -> bytes:
    """Return a page about a model and samples.

    ``predictions`` are what the model says of these, as its task makes them. ``role`` is what the
    samples are to the model, in a sentence; ``more`` are parts to add, such as those about
    probabilities, and ``first`` those to begin with, such as samples that were held out.
    """
    task, names = task_for(model), feature_names(model, table.names)
    data, about = [heading("Data"), paragraph(table.describe(shell_name))], paragraph(role)
    parts = [
        *([*data, *first] if first else [*data, about]),
        *[heading("Model"), *model_parts(model, table.names)],
        *([heading("Training samples"), about] if first else [heading("Predictions")]),
        *task.prediction_parts(predictions, names),
        *more,
        *task.sample_parts(predictions, table.sample_names()),
    ]
    return page_about(table, parts)


def held_out_parts(predictions: Any, model: Model, table: Table) -> list[str]:
    """Return parts about predictions of all samples, each by a model that was not fitted to it.

    Or, if ``predictions`` are text, why there are none.
    """
    if isinstance(predictions, str):
        why = f"No sample was predicted by a model without it: {predictions}."
        return [heading("Held-out samples"), paragraph(why)]
    task = task_for(model)
    return [
        heading("Held-out samples"),
        paragraph(
            "Each sample was predicted by a model of the same parameters that was trained on the "
            "other folds: so well does the model predict new samples."
        ),
        *task.prediction_parts(predictions),
        *task.sample_parts(predictions, table.sample_names()),
    ]


def page_about(table: Table, parts: list[str]) -> bytes:
    """Return a page of some parts under a title that names a table."""
    return page(f"Banded SVM: {short_text(table.source)}", parts).encode()


def model_parts(model: Model, names: list[str] | None) -> list[str]:
    """Return what the model is; ``names`` are those of the features that it takes."""
    described = ModelDescription(model, names=names)
    parts = [html_table(("setting", "value"), described.settings())]
    if has_weights(described.estimator):
        rows = [
            (short_text(of_problem.label), short_text(name), signed(weight))
            for of_problem in described.weights
            for name, weight in (*of_problem.positive, *of_problem.negative)
        ]
        parts.append(paragraph(described.about_weights))
        head = (described.kind.problem_word, "feature", "weight")
        parts.append(html_table(head, rows, numbers=(2,)))
    if described.certificate is not None:
        parts.append(verbatim(repr(described.certificate)))
    return parts
