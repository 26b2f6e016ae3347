"""Write the measurements of benchmarks/cluster.py into docs/large_data.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from measure import RESULTS
from tables import table

PAGE = Path(__file__).parents[1] / "docs" / "large_data.md"
BEGIN, END = "<!-- benchmarks/cluster_report.py -->", "<!-- end -->"


def main() -> None:
    """Replace what is between the two comments of the page."""
    before, rest = PAGE.read_text().split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(f"{before}{BEGIN}\n{section()}\n{END}{after}")


def section() -> str:
    """Return the tables, or how to get them."""
    path = RESULTS / "cluster.json"
    if not path.exists():
        return "`python benchmarks/cluster.py` measures, `python benchmarks/cluster_report.py` writes the tables here."
    results = json.loads(path.read_text())
    return f"{measured(results)}\n\n{simulated(results)}"


def measured(results: dict[str, Any]) -> str:
    """Return the table of what was measured."""
    cases, machine = results["cases"], results["circumstances"]
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
        f"one machine ({machine['processor']}, {machine['cores']} cores, commit {machine['commit']}, {machine['date']}); "
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


if __name__ == "__main__":
    main()
