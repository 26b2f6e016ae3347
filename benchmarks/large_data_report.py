"""Write the measurements of benchmarks/cluster.py and benchmarks/landmarks.py into a page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measure import RESULTS
from tables import table

PAGE = Path(__file__).parents[1] / "docs" / "large_data.md"
END = "<!-- end -->"


def main(path: Path = PAGE, results: Path = RESULTS) -> None:
    """Replace what is between two comments of the page, for each section."""
    page = path.read_text()
    for name in SECTIONS:
        before, rest = page.split(begin(name))
        after = rest[rest.index(END) :]
        page = f"{before}{begin(name)}\n{section(name, results)}\n{after}"
    path.write_text(page)


def begin(name: str) -> str:
    """Return the comment that a section follows."""
    return f"<!-- {name}: benchmarks/large_data_report.py -->"


def section(name: str, results: Path = RESULTS) -> str:
    """Return the tables of a section, or how to get them."""
    script, write = SECTIONS[name]
    path = results / f"{script}.json"
    if not path.exists():
        measuring = "landmarks" if script == "many" else script
        return (
            f"`python benchmarks/{measuring}.py` measures, `python benchmarks/large_data_report.py` "
            "writes the tables here."
        )
    return write(json.loads(path.read_text()))


def on_machine(results: dict[str, Any]) -> str:
    """Return where results were measured."""
    machine = results["circumstances"]
    return f"{machine['processor']}, {machine['cores']} cores, commit {machine['commit']}, {machine['date']}"


def cluster(results: dict[str, Any]) -> str:
    """Return the tables of what fits and passes cost on a cluster."""
    return f"{whole_fits(results)}\n\n{measured(results)}\n\n{simulated(results)}"


def whole_fits(results: dict[str, Any]) -> str:
    """Return the table of whole fits, on a cluster and without."""
    rows = [
        [
            f"{fit['n_samples']:,} x {fit['n_features']}",
            str(fit["n_chunks"]),
            f"{fit['alone']:.2f}",
            f"{fit['cluster']:.2f}",
            f"{fit['cluster'] / fit['alone']:.1f}",
        ]
        for fit in results["whole"]
    ]
    head = ["samples x features", "chunks", "one process", "two workers", "ratio"]
    return (
        f'Seconds of whole fits (`solver="newton"`, tol 1e-6): `bandsvm.LinearBandedSVC` with two threads, and the cluster of two '
        f"workers on the same two cores ({on_machine(results)}). A cluster of several machines pays from where the ratio is well below "
        f"their number.\n\n{table(head, rows)}"
    )


def landmarks(results: dict[str, Any]) -> str:
    """Return the table of exact and approximate kernels."""
    rows = []
    for case in results["cases"]:
        is_limited = case["status"] != "converged"
        rows.append(
            [
                f"{case['data']}, {case['n_samples']:,}",
                case["kind"],
                "" if case["n_features"] is None else str(case["n_features"]),
                f"{case['accuracy']:.4f}",
                f"{case['seconds']:.1f}" + (" (limit)" if is_limited else ""),
                f"{case['relative_gap']:.0e}",
            ]
        )
    head = ["data, samples", "model", "features", "accuracy on test data", "seconds", "gap"]
    return (
        f"Exact `BandedSVC` (tol 1e-3), and `LinearBandedSVC` (tol 1e-3) behind features of an approximate rbf kernel; C1 = C2 = 10, "
        f"rho2 = 2, the same gamma, fits limited to two minutes ({on_machine(results)}).\n\n{table(head, rows)}"
    )


def many(results: dict[str, Any]) -> str:
    """Return what a fit of many samples took."""
    return (
        f"{results['n_samples']:,} generated samples of {results['n_features']} features in a file of {results['file_megabytes']:,.0f} MB of float32, "
        f"mapped into memory: {results['seconds']:.0f} s, {results['n_iter']} passes (`solver_` is '{results['solver']}'), relative gap "
        f"{results['relative_gap']:.1e}, {results['megabytes']:,.0f} MB of memory at most, the pages of the file that the system kept there "
        f"included ({on_machine(results)})."
    )


def measured(results: dict[str, Any]) -> str:
    """Return the table of what was measured."""
    cases = results["cases"]
    rows = [
        [
            str(case["n_workers"]),
            f"{case['rows']:,}",
            f"{1e3 * case['seconds']:.0f}",
            f"{case['bytes'] / 1e3:.0f}",
        ]
        for case in cases
    ]
    head = ["workers", "rows per worker", "milliseconds per pass", "kilobytes sent per pass"]
    return (
        f'Passes of `solver="newton"` with {cases[0]["n_features"]} features. Workers are processes of one thread on '
        f"one machine ({on_machine(results)}); "
        "where there are more workers than cores, they share them. With the fewest rows, nearly all of the time is that of tasks.\n\n"
        f"{table(head, rows)}"
    )


def simulated(results: dict[str, Any]) -> str:
    """Return the table of what is expected of larger clusters."""
    rows = [
        [
            str(case["n_workers"]),
            f"{1e3 * case['seconds']:.0f}",
            f"{100 * case['efficiency']:.0f} %",
        ]
        for case in results["simulated"]
    ]
    most = max(case["rows"] for case in results["cases"])
    return (
        f"Simulated, not measured: {most:,} rows for each worker on a network of 10 Gbit/s, from the measured time of one worker, the "
        "measured cost of tasks and its growth, and the size of the matrices.\n\n"
        f"{table(['workers', 'milliseconds per pass', 'efficiency'], rows)}"
    )


# name of a section -> the script that measures, and what writes the section
SECTIONS: dict[str, tuple[str, Callable[[dict[str, Any]], str]]] = {
    "cluster": ("cluster", cluster),
    "landmarks": ("landmarks", landmarks),
    "many": ("many", many),
}

if __name__ == "__main__":
    main()
