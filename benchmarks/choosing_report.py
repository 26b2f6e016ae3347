"""Writes docs/choosing.md from what choosing.py and interrupts.py measured."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from report import mean_ratio
from tables import table

RESULTS = Path(__file__).parent / "results"
DOCS = Path(__file__).parents[1] / "docs"


def main(docs: Path = DOCS) -> None:
    """Write the page."""
    choosing = json.loads((RESULTS / "choosing.json").read_text())
    interrupts = json.loads((RESULTS / "interrupts.json").read_text())
    parts = {"grid": grid_section, "paths": path_section, "leave_one_out": left_out_section}
    measured = [section(choosing[name]) for name, section in parts.items() if name in choosing]
    sections = [
        introduction(choosing["circumstances"]),
        *measured,
        interrupt_section(interrupts),
        "*`make bench` writes this page: `benchmarks/choosing.py` and `benchmarks/interrupts.py` "
        "measure, `benchmarks/choosing_report.py` reports.*",
    ]
    (docs / "choosing.md").write_text("\n\n".join(sections) + "\n")


def introduction(circumstances: dict) -> str:
    """Say what was measured and where."""
    versions = ", ".join(f"{k} {v}" for k, v in circumstances["versions"].items() if v)
    return f"""# The cost of model selection

Every time is a median of three runs (of nine for fits of 1000 samples); `GridSearchCV` runs once. Compare ratios, not seconds, which
depend on the machine: {circumstances["processor"]}, {circumstances["cores"]} cores shared with others,
{circumstances["instructions"]}. Python {circumstances["python"]}, {versions}, commit {circumstances["commit"]},
{circumstances["date"]}."""


def verdict(holds: bool) -> str:
    """Return whether a target was met, in words."""
    return "reached" if holds else "**not reached**"


def grid_section(grid: dict) -> str:
    """Say what a grid of cross-validated fits costs."""
    n_fits = grid["n_grid"] * 5
    in_fits = grid["seconds"] / (grid["average_fit"] * n_fits)
    speed = grid["their_seconds"] / grid["seconds"]
    hasty = grid["their_seconds"] / grid["hasty_seconds"]
    band = grid["band_seconds"] / grid["seconds"]
    difference = grid["largest_difference"]
    rows = [
        [
            "cost per gamma and fold, in average single fits",
            "at most 5",
            f"{in_fits:.1f}",
            verdict(in_fits <= 5),
        ],
        [
            "speed-up over `GridSearchCV(SVC)`, n_jobs=2",
            "20x",
            f"{speed:.1f}x",
            verdict(speed >= 20),
        ],
        ["the same with `give_up=True`", "", f"{hasty:.1f}x", ""],
        [
            "largest difference between mean scores",
            "1e-3",
            f"{difference:.1e}",
            verdict(difference <= 1e-3),
        ],
        [
            "additional C2 x rho2 grid, relative to the first grid",
            "below 1",
            f"{band:.2f}",
            verdict(band < 1),
        ],
    ]
    size = f"{grid['n_grid']} x {grid['n_grid']}"
    return f"""## A grid with five folds

{grid["data"]}: C1 from 0.1 to 100 and gamma from 0.1 to 10 times that of `gamma="scale"`, {size}, five folds, all candidates scored
(`give_up=False`), no refit; `GridSearchCV(SVC)` on the same grid and folds with a cache of 1 GB. The average single fit is the mean
of {grid["n_grid"]} fits to training folds, spread over the grid.

{table(["", "target", "measured", ""], rows)}

Best mean accuracy: {grid["best_score"]:.4f} (`SVC` {grid["their_best_score"]:.4f}; with `give_up=True`
{grid["hasty_score"]:.4f}; with the additional grid {grid["band_score"]:.4f})."""


def path_section(paths: list[dict]) -> str:
    """Say what paths cost."""
    rows = [
        [
            path["data"],
            path["vary"],
            f"{path['seconds'] / path['cold_fit']:.1f}",
            f"{path['n_certified']} of {path['n_points']}",
            f"{path['largest_excess']:.0e}",
        ]
        for path in paths
    ]
    means = {
        vary: mean_ratio(p["seconds"] / p["cold_fit"] for p in paths if p["vary"] == vary)
        for vary in sorted({path["vary"] for path in paths})
    }
    told = "; ".join(f"{vary} {mean:.1f}, {verdict(mean <= 5)}" for vary, mean in means.items())
    return f"""## Paths of fifty points

`band_path` with its default values along C2 (0, then 0.001 to 1) and rho2 (3 to 1), C1 = 1, in units of the mean of five cold fits
at points of the path. *Excess*: the largest relative excess of the path's objective over that of the cold fit.

{table(["data", "along", "cold fits", "certified points", "excess"], rows)}

Geometric means (target: at most 5): {told}."""


def left_out_section(cases: list[dict]) -> str:
    """Say what exact leave-one-out errors cost."""
    rows = [
        [
            case["data"],
            str(case["n_samples"]),
            "yes" if case["intercept"] else "no",
            str(case["n_refits"]),
            f"{case['seconds'] / case['fit']:.0f}",
            f"{case['error']:.3f}",
        ]
        for case in cases
    ]
    ratios = [case["seconds"] / case["fit"] for case in cases]
    within = sum(ratio <= 30 for ratio in ratios)
    return f"""## Leave-one-out

Exact leave-one-out errors with default parameters, in units of one fit. The target, at most 30, was reached in {within} of
{len(cases)} cases; the geometric mean is {mean_ratio(ratios):.0f}.

{table(["data", "samples", "intercept", "refits", "cost in fits", "error"], rows)}"""


def interrupt_section(interrupts: dict) -> str:
    """Say how long Ctrl-C takes, and how well time limits are kept."""
    rows, longest = [], 0.0
    for name, call in interrupts["calls"].items():
        latencies = np.array(call["latencies"])
        longest = max(longest, float(latencies.max()))
        rows.append(
            [
                name,
                f"{call['duration']:.2f}",
                str(len(latencies)),
                f"{np.median(latencies):.3f}",
                f"{latencies.max():.3f}",
            ]
        )
    limits = [
        [name, *(f"{min(case['seconds'], 999):.2f}" for case in cases)]
        for name, cases in interrupts["time_limits"].items()
    ]
    wanted = [
        f"limit {case['limit']:g} s" for case in next(iter(interrupts["time_limits"].values()))
    ]
    missed = max(
        case["seconds"] - case["limit"]
        for cases in interrupts["time_limits"].values()
        for case in cases
    )
    excess = max(abs(case["excess"]) for case in interrupts["resumed"])
    optimal = all(case["is_optimal"] for case in interrupts["resumed"])
    return f"""## Ctrl-C and time limits

Calls were interrupted at random moments. The table lists the seconds from Ctrl-C to the end of the call. Target, at most 0.5 s:
{verdict(longest <= 0.5)}.

{table(["call", "uninterrupted", "runs", "median", "largest"], rows)}

{len(interrupts["resumed"])} interrupted fits of the first row were resumed with `warm_start=True`:
{"all reached tol" if optimal else "not all reached tol"}, with an objective within {excess:.0e} of that of the
uninterrupted fit, whose own relative gap is {interrupts["gap"]:.0e}.

Seconds taken by fits with a `time_limit`, certificate included; the largest excess is {max(missed, 0.0):.2f} s.

{table(["fit", *wanted], limits)}"""


if __name__ == "__main__":
    main()
