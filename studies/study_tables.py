"""Tables of the study's page, in Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

import numpy as np

from study_comparison import (
    LEVEL,
    Results,
    Row,
    compare,
    mean_ranks,
    median_interval,
    p_text,
    rank_correlation,
)
from study_measures import MEASURES
from study_tasks import SCORINGS

# Comparisons of the page: first model, second model.
PAIRS = (
    ("band", "C-SVM"),
    ("band", "SVC"),
    ("band ovo", "SVC"),
    ("band ovo", "band"),
    ("band", "without band"),
    ("untuned band", "untuned C-SVM"),
    ("band", "logistic"),
    ("band", "boosting"),
)
RIVALS_IN_ORDER = ["SVC", "C-SVM", "band", "band ovo", "logistic", "boosting"]
SIGNS = {"better": "+", "worse": "-", "not significantly different": "="}


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown."""
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def as_csv(parts: list[tuple[str, str]]) -> str:
    """Return tables in Markdown as one in CSV; the first column says which part a row is of."""
    rows = []
    for name, markdown in parts:
        head, _, *lines = (
            [c.strip() for c in ln[2:-2].split(" | ")] for ln in markdown.split("\n")
        )
        rows += [{"group": name, **dict(zip(head, line, strict=True))} for line in lines]
    heads = {name: None for row in rows for name in row}
    file = io.StringIO()
    writer = csv.DictWriter(file, list(heads), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def incomplete(results: Results) -> list[str]:
    """Return a warning if tasks are missing."""
    n_tasks, n_planned = len(results.tasks), results.header["n_tasks"]
    if n_tasks == n_planned:
        return []
    return [f"**Incomplete: {n_tasks} of {n_planned} tasks have been run. Verdicts may change.**"]


def number(value: float) -> str:
    """Return a median gain."""
    return f"{value:+.4f}"


def overview(results: Results) -> str:
    """Return verdicts of all comparisons in one group, one line per measure."""
    found = {pair: {row.measure: row for row in compare(results, *pair)} for pair in PAIRS}
    found = {pair: rows for pair, rows in found.items() if rows}
    lines = []
    for measure in MEASURES:
        cells = [_cell(rows.get(measure)) for rows in found.values()]
        if any(cells):
            lines.append([measure, *cells])
    return table(["measure", *(f"{first} : {second}" for first, second in found)], lines)


def _cell(row: Row | None) -> str:
    """Return the sign of a verdict and the median gain."""
    return "" if row is None else f"{SIGNS[row.verdict]} {number(np.median(row.gains))}"


def comparison(rows: list[Row], first: str, second: str) -> str:
    """Return the table of a comparison of two models."""
    head = [
        *("measure", "better", second, first, "median gain", "its 95 % interval"),
        *("wins/ties/losses", "rank correlation", "p", "p, Holm", f"{first} is"),
    ]
    lines = []
    for row in rows:
        low, high = median_interval(row.gains)
        lines.append(
            [
                row.measure,
                "higher" if MEASURES[row.measure][0] else "lower",
                f"{row.means[1]:.4f}",
                f"{row.means[0]:.4f}",
                number(np.median(row.gains)),
                f"{low:+.4f} to {high:+.4f}",
                "/".join(map(str, row.counts)),
                f"{rank_correlation(row.gains):+.2f}",
                *(p_text(p).removeprefix("= ") for p in (row.p, row.corrected_p)),
                row.verdict,
            ]
        )
    return table(head, lines)


def ranks(results: Results, rivals: list[str]) -> str:
    """Return mean ranks of rivals in all measures that have them, Friedman's p included."""
    names = [name for name in rivals if results.means("accuracy", [name])]
    lines = []
    for measure in MEASURES:
        found = mean_ranks(results, measure, names)
        if found is None:
            continue
        cells = [f"{found.mean_ranks[n]:.2f}" if n in found.mean_ranks else "" for n in names]
        difference = f"{found.critical_difference:.2f}"
        p = p_text(found.p).removeprefix("= ")
        lines.append([measure, *cells, difference, str(found.n_sets), p])
    return table(["measure", *names, "critical difference", "data sets", "Friedman p"], lines)


def data_sets(results: Results) -> str:
    """Return the table of data sets, what was chosen on them, and the rivals' accuracies."""
    rivals = [name for name in RIVALS_IN_ORDER if results.means("accuracy", [name])]
    head = [
        *("data", "features are", "samples", "features", "classes", "train", "test", "splits"),
        *("with a band", *(f"{name}" for name in rivals)),
    ]
    lines = []
    for name in results.names:
        own = results.where(lambda task, name=name: task["name"] == name)
        one = own.tasks[0]
        left_out = one["n_classes_left_out"]
        lines.append(
            [
                name,
                one["kind"],
                str(one["n_samples"]),
                str(one["n_features"]),
                str(one["n_classes"]) + (f" ({left_out} left out)" if left_out else ""),
                str(one["n_train"]),
                str(one["n_test"]),
                str(len(own.tasks)),
                str(sum(task["chosen"]["band"]["C2"] > 0.0 for task in own.tasks)),
                *(_accuracy(own, rival) for rival in rivals),
            ]
        )
    return table(head, lines)


def _accuracy(own: Results, rival: str) -> str:
    """Return the mean accuracy of a rival on a data set."""
    return "".join(f"{values[0]:.4f}" for values in own.means("accuracy", [rival]).values())


def scoring(results: Results) -> str:
    """Return what searches for other measures find, on the data sets where they were run."""
    tasks = [task for task in results.tasks if task["scoring"]]
    if not tasks:
        return "No data set."
    measures = list(SCORINGS)
    lines = []
    for aim in measures:
        for model in ("C-SVM", "band"):
            found = [task["scoring"][aim][model] for task in tasks]
            share = np.mean([one["C2"] > 0.0 for one in found])
            means = [f"{np.mean([one[measure] for one in found]):.4f}" for measure in measures]
            lines.append([aim, model, *means, f"{share:.0%}" if model == "band" else ""])
    return table(["search for", "model", *measures, "splits with a band"], lines)


def measures() -> str:
    """Return the definitions of all measures."""
    return table(
        ["measure", "better", "definition, on test samples"],
        [[name, "higher" if up else "lower", what] for name, (up, what) in MEASURES.items()],
    )


LEGEND = (
    f"`first : second`, the median gain of the first model over the second: + better, - worse "
    f"(p < {LEVEL} by Wilcoxon's test, Holm's correction over the measures of a column), = not "
    "significantly different. Gains are positive where the first model is better, also where less is "
    "better."
)
