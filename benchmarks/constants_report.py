"""The section of docs/development/measurements.md on what constants are worth."""

from __future__ import annotations

import numpy as np

from tables import table

COUNTS = {"rows": "rows", "pair_steps": "pair steps", "outer_steps": "outer steps"}


def constants_section(results: dict) -> str:
    """Return what constants are worth: what other values of them cost."""
    rows = []
    for constant in results["constants"]:
        name = f"`{constant['name']}` = {constant['present']:g}"
        for entry in constant["values"]:
            if entry["value"] == constant["present"]:
                continue
            numbers = [f"{entry[key]:.2f}" for key in ("seconds", "cpu_seconds", *COUNTS)]
            missed = entry["runs"] - entry["certified"]
            numbers += [f"**{missed} of {entry['runs']} not certified**" if missed else ""]
            rows.append([name, constant["work"] if name else "", f"{entry['value']:g}", *numbers])
            name = ""
    compiled = [[f"`{name}`", reason] for name, reason in results["compiled"].items()]
    where = results["circumstances"]
    fitted = next((c["data"] for c in results["constants"] if c["work"] == "fit"), [])
    return "\n\n".join(
        [
            "## What constants are worth",
            "What other values of the constants behind speed cost, in units of the present value: geometric means "
            "over fits to several data sets"
            f"{' (' + '; '.join(fitted) + ')' if fitted else ''}, or over another kind of work. *CPU*: seconds of all threads, which suffer "
            f"less from other programs. Values take turns; runs of each: {results['repeats']}, of which the median "
            "counts. Everything is certified at the same `tol`, except where noted. Counts repeat exactly; times do "
            "not: of the values that change no count, nine in ten differ from 1 by less than "
            f"{noise(results, 'seconds'):.2f} in seconds and {noise(results, 'cpu_seconds'):.2f} in CPU, so smaller "
            "differences say nothing. "
            "`python benchmarks/constants.py` measures them on another machine; with `--only NAME` for one alone. "
            f"Here: {where['processor']}, {where['cores']} cores, commit {where['commit']}, {where['date']}.",
            table(["constant", "work", "tried", "seconds", "CPU", *COUNTS.values(), ""], rows),
            "Compiled into the core and not swept:",
            table(["constant", "why"], compiled),
        ]
    )


def noise(results: dict, key: str) -> float:
    """Return by how much times differ, in nine of ten cases, where no counted work does."""
    differences = [
        abs(entry[key] - 1.0)
        for constant in results["constants"]
        for entry in constant["values"]
        if entry["value"] != constant["present"] and all(entry[count] == 1.0 for count in COUNTS)
    ]
    return float(np.quantile(differences, 0.9)) if differences else 0.0
