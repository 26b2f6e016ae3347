"""The section of docs/benchmarks.md on linear models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from linear import EXCESSES, MAX_TIMES, TEXTS
from tables import table

GROUPS = (
    ("Tables", "C-SVM", lambda case: case["data"] not in TEXTS),
    ("Text", "C-SVM", lambda case: case["data"] in TEXTS),
    ("With intercept", "C-SVM, intercept", lambda case: True),
    ("With a band", "band", lambda case: True),
)


def linear_section(results: dict[str, Any]) -> str:
    """Return the tables of benchmarks/linear.py."""
    cases, machine = complete(results["cases"]), results["circumstances"]
    parts = [
        "## Linear models",
        "`LinearBandedSVC` against LIBLINEAR (scikit-learn's `LinearSVC`), and with a band against ReHLine: how many times our "
        "seconds the other takes to an objective that exceeds the optimum by a share of 1e-3 or 1e-6. Every solver gets the "
        "loosest setting that comes there. Our times include checks of the data and the certificate. `>` stands for a peer "
        f"that was not there after {MAX_TIMES:g} times our time or {seconds_allowed(cases)}. Less than 1 means that the other is faster. With an "
        "intercept, LIBLINEAR solves a problem of its own, in which the intercept is penalised. The floor is one product "
        "X'DX by BLAS or SciPy; a fit by Newton steps takes one of these in each step. "
        f"Measured at commit {machine['commit']}, {machine['date']}.",
    ]
    for title, kind, belongs in GROUPS:
        chosen = [case for case in cases if case["kind"] == kind and belongs(case)]
        if chosen:
            parts += [f"### {title}", summary(chosen), rows_of(chosen)]
    return "\n\n".join(parts)


def seconds_allowed(cases: list[dict[str, Any]]) -> str:
    """Return the longest runs that peers were allowed."""
    longest: dict[str, float] = {}
    for case in cases:
        longest[case["data"]] = max(longest.get(case["data"], 0.0), case["peer_limit"])
    usual = float(np.median([seconds for seconds in longest.values() if seconds >= 10.0] or [10.0]))
    more = [f"{data}: {s:.0f} s" for data, s in longest.items() if s > 1.5 * usual]
    return f"{usual:.0f} s" + (f" ({', '.join(more)})" if more else "")


def complete(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the cases of problems that were measured for every excess."""

    def problem(case: dict[str, Any]) -> tuple[Any, ...]:
        return case["data"], case["kind"], case["C"]

    counts = Counter(problem(case) for case in cases)
    return [case for case in cases if counts[problem(case)] == len(EXCESSES)]


def ratio(case: dict[str, Any]) -> tuple[float, bool]:
    """Return how many times our seconds the peer took, and whether it came there."""
    seconds = case["seconds"]
    if case["peer"] in seconds:
        return seconds[case["peer"]] / seconds["bandsvm"], True
    return case["peer_limit"] / seconds["bandsvm"], False


def summary(cases: Iterable[dict[str, Any]]) -> str:
    """Return the geometric means of the ratios, and the worst ones."""
    said = []
    for excess in EXCESSES:
        ratios = [ratio(case)[0] for case in cases if case["excess"] == excess]
        mean = float(np.exp(np.mean(np.log(ratios))))
        said.append(f"at {excess:.0e} {mean:.2g} in the geometric mean, {min(ratios):.2g} at least")
    return "Ratios: " + "; ".join(said) + "."


def rows_of(cases: list[dict[str, Any]]) -> str:
    """Return a table of cases, one row for each problem."""
    head = ["data", "n", "d", "C"]
    for excess in EXCESSES:
        head += [f"seconds, {excess:.0e}", "solver", "passes", "ratio"]
    head.append("floors, 1e-06")
    rows = []
    for loose in (case for case in cases if case["excess"] == EXCESSES[0]):
        key = [loose[name] for name in ("data", "n_samples", "n_features", "C")]
        row = [key[0], f"{key[1]:,}", f"{key[2]:,}", f"{key[3]:g}"]
        for excess in EXCESSES:
            case = next(
                case
                for case in cases
                if case["excess"] == excess and (case["data"], case["C"]) == (key[0], key[3])
            )
            times, is_there = ratio(case)
            seconds = f"{case['seconds']['bandsvm']:.3g}"
            sign = "" if is_there else "> "
            row += [seconds, case["solver"], str(case["n_iter"]), f"{sign}{times:.2g}"]
        floors = case["seconds"]["bandsvm"] / case["gram_seconds"]
        row.append(f"{floors:.0f}" if np.isfinite(floors) else "")
        rows.append(row)
    return table(head, rows)
