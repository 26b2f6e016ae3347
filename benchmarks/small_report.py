"""The section of docs/benchmarks.md on small fits, many classes and single predictions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from small import BAND, COSTS, MANY_COST, TWO_CLASSES, ratio
from tables import table

STRATEGIES = ("ovo, C-SVM", "ovo, band", "ovr, C-SVM", "ovr, band")


def small_section(results: dict[str, Any]) -> str:
    """Return the tables of benchmarks/small.py."""
    machine, many = results["circumstances"], results["many_classes"]
    costs = " and ".join(f"{C:g}" for C in COSTS)
    first = (
        f"Seconds of scikit-learn's `SVC` over those of `BandedSVC`, float64, the same `gamma` and `tol`, medians of turns; above 1, "
        f"`BandedSVC` is faster. The band has C2 = C1 and rho2 = {BAND:g}, which is a harder problem than `SVC`'s. Measured by "
        f"`python benchmarks/small.py` at commit {machine['commit']}, {machine['date']}, on {machine['cores']} cores. "
        f"{slower(results)}"
    )
    two = (
        f"Two classes, the first n samples of {len(TWO_CLASSES)} sets, C = {costs}: geometric means, and the worst case of each row in "
        "brackets. *First* is the first fit to the data, *later* the median of others."
    )
    more = f"More than two classes, C = {MANY_COST:g}; `SVC` is one-vs-one:"
    calls = results["calls"]
    counted = (
        f"A fit of 100 samples calls {calls['bandsvm']['fit']} functions of Python and C (`SVC`: {calls['SVC']['fit']}), a prediction of "
        f"one row {calls['bandsvm']['predict']} (`SVC`: {calls['SVC']['predict']})."
    )
    parts = [
        "## Small fits, many classes, single predictions",
        *(first, two, of_sizes(results["two_classes"]), more, of_classes(many)),
        *("One row predicted:", of_predictions(results["predictions"]), counted),
        *("What makes many small fits:", of_tools(results["tools"])),
    ]
    return "\n\n".join(parts)


def slower(results: dict[str, Any]) -> str:
    """Return where SVC is faster, in a sentence."""
    found = [
        (ratio(case, name), f"{case['data']}, n = {case['n_samples']}, C = {case['C']:g}, {name}")
        for part in ("two_classes", "many_classes")
        for case in results[part]
        for name in case["solvers"]
        if name != "SVC"
    ]
    slow = sorted(pair for pair in found if pair[0] < 1.0)
    worst = "; ".join(f"{what}: {value:.2f}" for value, what in slow[:8])
    return f"`SVC` is faster in {len(slow)} of {len(found)} cases, most of all here: {worst}."


def mean(values: Iterable[float]) -> float:
    """Return the geometric mean."""
    return float(np.exp(np.mean(np.log(list(values)))))


def of_sizes(cases: list[dict[str, Any]]) -> str:
    """Return the table of two classes."""
    sizes = sorted({case["n_samples"] for case in cases})
    rows = []
    for name in ("C-SVM", "band"):
        for key in ("median", "first"):
            cells = []
            for n in sizes:
                ratios = [
                    case["solvers"]["SVC"][key] / case["solvers"][name][key]
                    for case in cases
                    if case["n_samples"] == n
                ]
                cells.append(f"{mean(ratios):.2f} ({min(ratios):.2f})")
            rows.append([name, "later" if key == "median" else "first", *cells])
    return table(["model", "fit", *(f"n = {n}" for n in sizes)], rows)


def of_classes(cases: list[dict[str, Any]]) -> str:
    """Return the table of many classes."""
    rows = []
    for case in cases:
        cells = [
            f"{ratio(case, name):.2f}" if name in case["solvers"] else "" for name in STRATEGIES
        ]
        size = f"{case['n_samples']} x {case['n_features']}, {case['n_classes']} classes"
        milliseconds = f"{1e3 * case['solvers']['SVC']['median']:.3g}"
        rows.append([case["data"], size, milliseconds, *cells])
    means = [
        f"{mean(ratio(case, name) for case in cases if name in case['solvers']):.2f}"
        for name in STRATEGIES
    ]
    rows.append(["geometric mean", "", "", *means])
    return table(["data", "size", "`SVC`, ms", *STRATEGIES], rows)


def of_predictions(cases: list[dict[str, Any]]) -> str:
    """Return the table of single predictions."""
    rows = [
        [
            case["data"],
            str(case["n_support"]),
            f"{1e6 * case['solvers']['SVC']['median']:.0f}",
            f"{ratio(case, 'C-SVM'):.2f}",
        ]
        for case in cases
    ]
    return table(["data", "support vectors", "`SVC`, microseconds", "ratio"], rows)


def of_tools(cases: list[dict[str, Any]]) -> str:
    """Return the table of searches, paths and ensembles."""
    rows = [
        [
            f"{case['task']}, n = {case['n_samples']}",
            f"{1e3 * case['solvers']['SVC']['median']:.3g}",
            f"{ratio(case, 'bandsvm'):.2f}",
        ]
        for case in cases
    ]
    return table(["task", "with `SVC`, ms", "ratio"], rows)
