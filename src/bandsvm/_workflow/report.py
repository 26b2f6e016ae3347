"""A page about a model and samples: what was read, how well it does, which samples to look at."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._checks.parameters import band_parameters
from bandsvm._system.files import write_whole
from bandsvm._system.text import shown, signed
from bandsvm._tables.table import NUMBERED, Table
from bandsvm._workflow.naming import shell_name
from bandsvm._workflow.quality import Judged, histogram_edges, names_are_known, quality
from bandsvm._workflow.weights import is_linear, largest_weights, scale_of_weights
from bandsvm.plotting import DecisionMapDisplay, RiskCoverageDisplay
from bandsvm.plotting._canvas import BAND, NEGATIVE, POSITIVE, legend_outside, plain
from bandsvm.plotting._page import (
    heading,
    html_picture,
    html_table,
    page,
    paragraph,
    rendered,
    verbatim,
)

# Samples that a table of the page lists, and classes that one has.
MAX_SAMPLES, MAX_CLASSES = 20, 30
HISTOGRAM_BINS = 60
TRAINED = (
    "The model was trained on these samples: scores below are higher than those of new samples."
)


def write_report(
    path: Path,
    model: Any,
    table: Table,
    judged: Judged,
    role: str,
    reliability: Sequence[str] = (),
) -> None:
    """Write the page.

    Parameters
    ----------
    path : Path
        Where to.
    model : estimator
        The model, with all its steps.
    table : Table
        The samples.
    judged : Judged
        What the model says of them.
    role : str
        What the samples are to the model, in a sentence.
    reliability : sequence of str
        Parts about the model's probabilities.
    """
    parts = [
        *[heading("Data"), paragraph(table.describe(shell_name)), paragraph(role)],
        *[heading("Model"), *model_parts(model, judged.classifier, table.names)],
        *[heading("Predictions"), *prediction_parts(judged)],
        *reliability,
        *sample_parts(judged, table.sample_names()),
    ]
    write_page(path, table, parts)


def write_page(path: Path, table: Table, parts: list[str]) -> None:
    """Write a page of some parts under a title that names the table."""
    write_whole(path, page(f"Banded SVM: {shown(table.source)}", parts).encode())


def model_parts(model: Any, classifier: Any, names: list[str] | None) -> list[str]:
    """Return what the model is."""
    steps = [type(step).__name__ for step in getattr(model, "named_steps", {"": model}).values()]
    shown_ones = ("C1", "C2", "rho1", "rho2", "loss", "kernel", "gamma", "degree", "coef0", "tol")
    parameters = classifier.get_params()
    rows = [("steps", ", ".join(steps))]
    rows += [(name, parameters[name]) for name in shown_ones if name in parameters]
    rows.append(("classes", ", ".join(map(shown, classifier.classes_[:MAX_CLASSES].tolist()))))
    if hasattr(classifier, "dual_coef_"):
        rows.append(("gamma used", f"{classifier.gamma_:.6g}"))
        rows.append(("support vectors", classifier.dual_coef_.shape[1]))
    parts = [html_table(("setting", "value"), rows)]
    if is_linear(classifier):
        parts += _weight_parts(model, classifier, names)
    certificate = getattr(classifier, "certificate_", None)
    if certificate is not None:
        parts.append(verbatim(repr(certificate)))
    return parts


def _weight_parts(model: Any, classifier: Any, names: list[str] | None) -> list[str]:
    """Return the largest weights of a linear model."""
    rows = [
        (shown(of_class.label), shown(name), signed(weight))
        for of_class in largest_weights(model, classifier, names)
        for name, weight in (*of_class.positive, *of_class.negative)
    ]
    return [
        paragraph(
            f"Largest weights, {scale_of_weights(model)}; those above 0 speak for the class:"
        ),
        html_table(("class", "feature", "weight"), rows, numbers=(2,)),
    ]


def prediction_parts(judged: Judged, with_map: bool = True) -> list[str]:
    """Return how well the model does, in tables and pictures, a map of two features if wanted."""
    places = ("below", "inside", "above")
    below, inside, above = (int(np.sum(judged.position == place)) for place in places)
    parts = [
        paragraph(
            f"{below} samples lie below the band of their predicted class (doubtful), {inside} "
            f"inside (typical) and {above} above (extreme)."
        )
    ]
    if judged.y is not None:
        result = quality(judged.y, judged.predicted, judged.classifier.classes_)
        text = f"Accuracy {result.accuracy:.4f}: {result.n_right} of {result.n_samples} are right."
        head = ("class", "precision", "recall", "f1", "samples")
        parts += [
            paragraph(text),
            html_table(head, result.rows()[:MAX_CLASSES], numbers=(1, 2, 3, 4)),
        ]
        if len(result.names) <= MAX_CLASSES:
            names = [shown(name) for name in result.names]
            rows = [
                (name, *row) for name, row in zip(names, result.confusion.tolist(), strict=True)
            ]
            parts += [
                paragraph("Confusion matrix (rows: true class, columns: predicted class):"),
                html_table(("", *names), rows, numbers=range(1, len(names) + 1)),
            ]
    parts += [
        html_picture(rendered(figure, "png"), caption)
        for figure, caption in draw_pictures(judged, with_map)
    ]
    return parts


def sample_parts(judged: Judged, names: tuple[str, NDArray]) -> list[str]:
    """Return tables of the samples that deserve a look.

    Parameters
    ----------
    judged : Judged
        The samples.
    names : tuple
        What their names are, such as "sample", and the names.
    """
    own, decision, position = judged.own, judged.decision, judged.position
    title_of_names, name_of = names
    are_numbers = title_of_names == NUMBERED
    lists = {
        "Doubtful samples": (position == "below", own, "below the band, the least confident first"),
        "Extreme samples": (position == "above", -own, "above the band, the most extreme first"),
    }
    if judged.true is not None:
        wrong = judged.true != judged.given
        lists["Confident mistakes"] = (wrong, -own, "wrong, the most confident first")
    parts = [paragraph(_about_signs(judged.classifier))]
    for title, (chosen, order, words) in lists.items():
        where = np.flatnonzero(chosen)
        first = where[np.argsort(order[where], kind="stable")][:MAX_SAMPLES]
        parts.append(heading(title))
        numbered = "; the number counts from 1" if are_numbers else ""
        parts.append(paragraph(f"{len(where)} samples: {words}{numbered}."))
        head = [shown(title_of_names), "predicted", "decision value", "position"]
        rows = [
            [shown(name_of[k]), shown(judged.predicted[k]), signed(decision[k]), position[k]]
            for k in first.tolist()
        ]
        if judged.y is not None:
            head.insert(1, "true")
            for row, k in zip(rows, first.tolist(), strict=True):
                row.insert(1, shown(judged.y[k]))
        if rows:
            parts.append(
                html_table(head, rows, numbers=(*([0] if are_numbers else []), len(head) - 2))
            )
    return parts


def _about_signs(classifier: Any) -> str:
    """Return what decision values in tables mean."""
    classes = [shown(label) for label in classifier.classes_.tolist()]
    if len(classes) > 2:
        return "Decision values in the tables below are those of the predicted class."
    return (
        f"Decision values above 0 speak for class {classes[1]}, those below 0 for {classes[0]}. "
        "The farther from 0, the more confident the prediction."
    )


def draw_pictures(judged: Judged, with_map: bool) -> list[tuple[Any, str]]:
    """Return figures about predictions, and their captions."""
    pictures = [(_draw_values(judged), "Decision values; the band is shaded.")]
    if judged.true is not None:
        figure, ax = _new_figure()
        RiskCoverageDisplay.from_predictions(
            judged.true, judged.given, judged.own, name="model", ax=ax
        )
        pictures.append((figure, "Share of errors among the most confident predictions."))
    classes = judged.classifier.classes_
    if with_map and judged.true is not None and judged.X.shape[1] == 2 == len(classes):
        figure, ax = _new_figure()
        known = judged.true >= 0
        labels = classes[judged.true[known]]
        if (
            len(np.unique(labels)) == 2
            and getattr(judged.classifier, "kernel", "linear") != "precomputed"
        ):
            with names_are_known():
                DecisionMapDisplay.from_estimator(judged.classifier, judged.X[known], labels, ax=ax)
            pictures.append((figure, "The decision rule over both features, as scaled."))
    return pictures


def _draw_values(judged: Judged) -> Any:
    """Draw how decision values are distributed: by class or, of many classes, by what is right."""
    figure, ax = _new_figure()
    classes, values = judged.classifier.classes_, judged.values
    groups: dict[str, NDArray[np.bool_]]
    if len(classes) == 2:
        codes = judged.given if judged.true is None else judged.true
        groups = {f"class {shown(label)}": codes == k for k, label in enumerate(classes.tolist())}
        colours = (NEGATIVE, POSITIVE)
    else:
        values, colours = judged.own, (NEGATIVE, POSITIVE)
        right = judged.given >= 0 if judged.true is None else judged.given == judged.true
        groups = {"all" if judged.true is None else "right": right, "wrong": ~right}
    _shade_band(judged.classifier, ax)
    edges = histogram_edges(values, HISTOGRAM_BINS)
    for (label, chosen), colour in zip(groups.items(), colours, strict=True):
        if chosen.any():
            ax.hist(values[chosen], bins=edges, color=colour, alpha=0.6, label=plain(label))
    ax.set_xlabel("decision value" + ("" if len(classes) == 2 else " of the predicted class"))
    ax.set_ylabel("samples")
    legend_outside(ax, columns=3)
    return figure


def _shade_band(classifier: Any, ax: Any) -> None:
    """Shade the band of each class, if all classes of many have the same."""
    band = band_parameters(classifier, classifier.classes_)
    bands = list(zip(band.rho1.tolist(), band.rho2.tolist(), strict=True))
    if len(bands) == 2:
        (low, high), bands = bands[0], bands[1:]
        bands = [(-high, -low), *bands]
    elif len(set(bands)) > 1:
        return
    for k, (low, high) in enumerate(bands[:2] if len(bands) == 2 else bands[:1]):
        ax.axvspan(low, high, color=BAND, alpha=0.15, label=None if k else "band")


def _new_figure() -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 4.2), layout="constrained")
    return figure, figure.subplots()
