"""Tables of fits and predictions, for the pages that report.py writes, and all of them as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from tables import table

PEERS = ("LIBSVM", "oneDAL")
MODELS = ("C-SVM", "band", "band, C2 = 10 C1", "C-SVM, C1 = 10", "band, C1 = C2 = 10")


def commits_of(fitted: list[dict]) -> str:
    """Return the commits at which data sets were measured."""
    found = {(one["commit"], one["date"]) for one in fitted}
    return ", ".join(f"{commit} ({date})" for commit, date in sorted(found))


def cases_of(fitted: list[dict]) -> list[dict]:
    """Return the cases of all data sets, small ones first."""
    cases = (case for found in fitted for case in found["cases"])
    return sorted(cases, key=lambda case: case["n_samples"] * case["n_features"])


def write_csv(cases: list[dict], path: Path) -> None:
    """Write all fits, one line for each solver."""
    columns = ("seconds", "prediction_seconds", "n_support", "primal", "relative_gap", "accuracy")
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["data", "samples", "features", "dtype", "model", "solver", *columns])
        for case in cases:
            # Results of float32 samples are older than the name of the type.
            dtype = case.get("dtype", "float32")
            problem = [case["data"], case["n_samples"], case["n_features"], dtype, case["model"]]
            for solver, found in case["solvers"].items():
                writer.writerow([*problem, solver, *(f"{found[name]:.6g}" for name in columns)])


def ratio(case: dict, peer: str, key: str = "seconds") -> float:
    """Return how many times as long as ours a peer's run took; NaN where there is none."""
    solvers = case["solvers"]
    return solvers[peer][key] / solvers["bandsvm"][key] if peer in solvers else np.nan


def mean_ratio(values: Iterable[float]) -> float:
    """Return the geometric mean of the ratios that there are."""
    found = [value for value in values if np.isfinite(value)]
    return float(np.exp(np.mean(np.log(found)))) if found else np.nan


def of_model(cases: list[dict], model: str) -> list[dict]:
    """Return the cases of one model."""
    return [case for case in cases if case["model"] == model]


def floors(case: dict) -> float:
    """Return our time in units of the floor."""
    return case["solvers"]["bandsvm"]["seconds"] / case["floor"]


def times(value: float) -> str:
    """Return a ratio as people write it."""
    return f"{value:.1f}x" if np.isfinite(value) else "-"


def side_by_side(cases: list[dict]) -> str:
    """Return one table of fits without and with a band: our seconds, and the peers' in units of them."""
    banded = {case["data"]: case for case in of_model(cases, "band")}
    rows = []
    for case in of_model(cases, "C-SVM"):
        cells = [case["data"], f"{case['n_samples']} x {case['n_features']}"]
        for one in (case, banded[case["data"]]):
            own = one["solvers"]["bandsvm"]
            cells += [f"{own['seconds']:.3f}", *(times(ratio(one, peer)) for peer in PEERS)]
        cells += [
            f"{one['solvers']['bandsvm']['accuracy']:.3f}" for one in (case, banded[case["data"]])
        ]
        rows.append(cells)
    means = ["**geometric mean**", ""]
    for group in (of_model(cases, "C-SVM"), list(banded.values())):
        means += ["", *(times(mean_ratio(ratio(case, peer) for case in group)) for peer in PEERS)]
    head = ["data", "n x d", "C-SVM, seconds", *PEERS, "band, seconds", *PEERS]
    return (
        "## Fits\n\nSeconds of `BandedSVC` without a band (C1 = 1) and with one from 1 to 1.5 "
        "(C1 = C2 = 1), and how many times as long the others take. The last columns are accuracies on "
        "test samples; on ijcnn1, where one class is rare, such a band costs much "
        "([what to do](guide/imbalanced.md)). Larger costs, gaps and objectives are among the "
        "[measurements](development/measurements.md); [all fits as CSV](benchmarks_fits.csv).\n\n"
        + table([*head, "accuracy, C-SVM", "band"], [*rows, [*means, "", ""]])
    )


def fits(cases: list[dict], model: str) -> str:
    """Return the table of fits of one model."""
    group = of_model(cases, model)
    has_peers = any(len(case["solvers"]) > 1 for case in group)
    head = [
        "data",
        "n x d",
        "seconds",
        "floors",
        "rows",
        "SVs",
        "pair steps",
        "MB",
        "gap",
        "accuracy",
    ]
    if has_peers:
        head[3:3] = PEERS
        head += ["excess " + peer for peer in PEERS]
    rows = []
    for case in group:
        solvers, ours = case["solvers"], case["solvers"]["bandsvm"]
        line = [
            case["data"],
            f"{case['n_samples']} x {case['n_features']}",
            f"{ours['seconds']:.3f}",
            f"{floors(case):.1f}",
            str(case["kernel_rows"]),
            str(ours["n_support"]),
            str(case["pair_steps"]),
            "-" if ours["peak_megabytes"] is None else f"{ours['peak_megabytes']:.0f}",
            f"{ours['relative_gap']:.0e}",
            f"{ours['accuracy']:.4f}",
        ]
        if has_peers:
            line[3:3] = [times(ratio(case, peer)) for peer in PEERS]
            line += [
                f"{solvers[peer]['primal'] / ours['primal'] - 1:+.0e}" if peer in solvers else "-"
                for peer in PEERS
            ]
        rows.append(line)
    if has_peers:
        means = [times(mean_ratio(ratio(case, peer) for case in group)) for peer in PEERS]
        rows.append(["**geometric mean**", "", "", *means, *[""] * (len(head) - 3 - len(PEERS))])
    nearest = "" if has_peers else (
        "\n\nNo peer solves this problem; the closest comparison is the band above."
    )  # fmt: skip
    return f"## Fits: {model}\n\n" + table(head, rows) + nearest


def predictions(cases: list[dict]) -> str:
    """Return the table of predictions."""
    rows = [
        [
            case["data"],
            case["model"],
            str(case["n_test"]),
            f"{case['solvers']['bandsvm']['prediction_seconds'] * 1e3:.1f}",
            *(times(ratio(case, peer, "prediction_seconds")) for peer in PEERS),
            f"{case['solvers']['bandsvm']['prediction_seconds'] / case['prediction_floor']:.2f}",
        ]
        for case in cases
        if case["model"] in MODELS[:2]
    ]
    head = ["data", "model", "samples", "ms", *PEERS, "floors"]
    return "## Predictions\n\nDecision values of test samples in float32.\n\n" + table(head, rows)


def double_precision(fitted: list[dict]) -> list[str]:
    """Return the table of fits to float64 samples and of their predictions, if they were measured."""
    if not fitted:
        return []
    cases = cases_of(fitted)
    quantities = [(model, key) for key in ("seconds", "prediction_seconds") for model in MODELS[:2]]
    rows, groups = [], [of_model(cases, model) for model, _ in quantities]
    for same_data in zip(*groups, strict=True):
        size = f"{same_data[0]['n_samples']} x {same_data[0]['n_features']}"
        cells = [same_data[0]["data"], size]
        for case, (_, key) in zip(same_data, quantities, strict=True):
            own = case["solvers"]["bandsvm"][key]
            cells += [f"{own:.3f}", *(times(ratio(case, peer, key)) for peer in PEERS)]
        rows.append(cells)
    means = ["**geometric mean**", ""]
    for group, (_, key) in zip(groups, quantities, strict=True):
        means += [
            "",
            *(times(mean_ratio(ratio(case, peer, key) for case in group)) for peer in PEERS),
        ]
    head = ["data", "n x d"]
    for what in ("C-SVM fit (s)", "band fit (s)", "C-SVM prediction (s)", "band prediction (s)"):
        head += [what, *PEERS]
    commits = commits_of([found["circumstances"] for found in fitted])
    return [
        "## Fits and predictions in float64\n\nThe same samples in float64, which is what NumPy and pandas make of numbers. "
        "`SVC` computes in float64 in any case.\n\n"
        + table(head, [*rows, means])
        + f"\n\n*Commits {commits}.*"
    ]
