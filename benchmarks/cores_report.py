"""The section of docs/development/measurements.md on many cores, and its picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tables import table

# Speed-ups and ratios to oneDAL that are wanted on 16 cores.
SPEEDUP, MIN_SPEEDUP, RATIO = 7.0, 4.0, 8.0


def cores_section(results: dict[str, Any]) -> str:
    """Return the tables of benchmarks/cores.py."""
    runs, machine = results["runs"], results["circumstances"]
    most = runs[-1]["cores"]
    first = (
        f"Fits by processes that are bound to some of the cores of one machine ({machine['processor']}, {machine['cores']} "
        f"cores, {machine['instructions']}, shared with others; commit {machine['commit']}, {machine['date']}). C1 is 10 (a9a: 1), "
        f"C2 = C1 for the band from 1 to 1.5, `tol=1e-3`; best of some runs. *Speed-up*: seconds on one core over those on {most}."
    )
    return "\n\n".join(
        [
            "## Many cores",
            first,
            "![Speed-up over the number of cores](../cores.svg)",
            scaling_table(runs),
            summary(runs),
            stage_text(runs),
            stage_table(runs),
            small_table(runs),
        ]
    )


def cases_of(runs: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return the cases; of each, what was measured with every number of cores."""
    return [list(case) for case in zip(*(run["cases"] for run in runs), strict=True)]


def number_of_cores(run: dict[str, Any]) -> str:
    """Return the number of cores in words."""
    return "1 core" if run["cores"] == 1 else f"{run['cores']} cores"


def ours(case: dict[str, Any]) -> float:
    """Return our seconds."""
    return case["seconds"]["bandsvm"]


def speedup(case: list[dict[str, Any]]) -> float:
    """Return how many times as fast the most cores are as one."""
    return ours(case[0]) / ours(case[-1])


def ratio(case: list[dict[str, Any]]) -> float:
    """Return oneDAL's seconds over ours, on the most cores; NaN where it was not run."""
    return case[-1]["seconds"].get("oneDAL", np.nan) / ours(case[-1])


def mean(values: list[float]) -> float:
    """Return the geometric mean."""
    return float(np.exp(np.mean(np.log(values))))


def scaling_table(runs: list[dict[str, Any]]) -> str:
    """Return seconds by data and number of cores."""
    lines = [
        [
            f"{case[0]['data']}, {case[0]['kind']}",
            *(f"{ours(run):.3g}" for run in case),
            f"{speedup(case):.1f}x",
            f"{case[0]['pair_steps']:,}".replace(",", " "),
            f"{ratio(case):.1f}x" if np.isfinite(ratio(case)) else "-",
        ]
        for case in cases_of(runs)
    ]
    cores = [number_of_cores(run) for run in runs]
    most = runs[-1]["cores"]
    head = ["data, model", *cores, "speed-up", "pair steps", f"oneDAL / ours, {most} cores"]
    return table(head, lines)


def summary(runs: list[dict[str, Any]]) -> str:
    """Compare means with what is wanted."""
    cases = cases_of(runs)
    speedups, ratios = [speedup(case) for case in cases], [ratio(case) for case in cases]
    parts = [
        f"Speed-up: {mean(speedups):.1f}x in the geometric mean ({SPEEDUP:g}x wanted), {min(speedups):.1f}x at least "
        f"({MIN_SPEEDUP:g}x wanted)."
    ]
    if np.isfinite(ratios).all():
        parts.append(
            f"oneDAL takes {mean(ratios):.1f} times as long in the mean ({RATIO:g}x wanted)."
        )
    return " ".join(parts)


def serial_seconds(one: float, many: float, n_cores: int) -> float:
    """Return the part of an amount of work that more cores do not shorten, by Amdahl's law."""
    if n_cores == 1:
        return one
    return float(np.clip((n_cores * many - one) / (n_cores - 1), 0.0, one))


def stage_text(runs: list[dict[str, Any]]) -> str:
    """Say how the table of stages is to be read."""
    bounds = [
        case[0]["stages"]["total"]
        / sum(
            serial_seconds(case[0]["stages"][stage], case[-1]["stages"][stage], runs[-1]["cores"])
            for stage in case[0]["stages"]
            if stage != "total"
        )
        for case in cases_of(runs)
    ]
    return (
        "Where the time goes, summed over all of these fits. *Serial*: seconds that more cores do not shorten, from the first and "
        "the last number of cores. By Amdahl's law they bound the speed-up on any number of cores: "
        f"{min(bounds):.0f}x to {max(bounds):.0f}x for single fits, {mean(bounds):.0f}x in the mean."
    )


def stage_table(runs: list[dict[str, Any]]) -> str:
    """Return seconds of every stage by number of cores."""
    stages = list(runs[0]["cases"][0]["stages"])
    lines = []
    for stage in stages:
        seconds = [sum(case["stages"][stage] for case in run["cases"]) for run in runs]
        serial = sum(
            serial_seconds(case[0]["stages"][stage], case[-1]["stages"][stage], runs[-1]["cores"])
            for case in cases_of(runs)
        )
        lines.append(
            [stage, *(f"{s:.3f}" for s in seconds), "" if stage == "total" else f"{serial:.3f}"]
        )
    head = ["stage, seconds", *(f"on {run['cores']}" for run in runs), "serial"]
    return table(head, lines)


def small_table(runs: list[dict[str, Any]]) -> str:
    """Return times of fits of few samples."""
    solvers = list(runs[-1]["small"][0]["seconds"])
    lines = [
        [
            f"{entry['n_samples']} samples, {number_of_cores(run)}",
            *(f"{1e3 * entry['seconds'][name]:.2f}" for name in solvers),
        ]
        for run in (runs[0], runs[-1])
        for entry in run["small"]
    ]
    return "Fits of the paper's clusters with default settings, in milliseconds:\n\n" + table(
        ["", *solvers], lines
    )


def draw_cores(results: dict[str, Any], path: Path) -> None:
    """Draw speed-ups over the number of cores."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "bandsvm"
    runs = results["runs"]
    cores = [run["cores"] for run in runs]
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    axes[0].set_ylabel("speed-up")
    for ax, kind in zip(axes, ("C-SVM", "band"), strict=True):
        ax.loglog(cores, cores, color="0.7", linestyle="--", label="as many times as cores", base=2)
        for case in cases_of(runs):
            if case[0]["kind"] == kind:
                speedups = [ours(case[0]) / ours(run) for run in case]
                ax.loglog(cores, speedups, "o-", label=case[0]["data"], base=2)
        ax.set_title(kind)
        ax.set_xlabel("cores")
        ax.set_xticks(cores, [str(n) for n in cores])
        ax.set_yticks(cores, [f"{n}x" for n in cores])
        ax.grid(alpha=0.3)
        ax.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})
