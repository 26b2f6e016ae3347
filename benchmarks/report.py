"""Write docs/benchmarks.md, docs/development/measurements.md and pictures from the results.

The first is for users: how long fits and predictions take beside those of others. The second has
what developers look at: targets, all fits, where the time goes, memory, cores and constants.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from classes_report import classes_section
from constants_report import constants_section
from cores_report import cores_section, draw_cores
from growth_report import draw_growth, growth_section
from linear_report import linear_section
from measure import RESULTS
from regression_report import regression_section
from small_report import small_section
from tables import table

DOCS = Path(__file__).parents[1] / "docs"
PEERS = ("LIBSVM", "oneDAL")
MODELS = ("C-SVM", "band", "band, C2 = 10 C1", "C-SVM, C1 = 10", "band, C1 = C2 = 10")
MEASUREMENTS = """# Measurements

What `make bench` measures beyond [the comparison with others](../benchmarks.md), which explains the columns and the machine: targets,
all fits, where their time goes, memory, cores, and what constants are worth."""
STAGES = (
    "rows",
    "blocks",
    "pair steps",
    "updates",
    "selection",
    "certificate",
    "validation",
    "other",
)


def main(docs: Path = DOCS) -> None:
    """Write the pages and their pictures."""
    fitted = fit_results("fits")
    cases = cases_of(fitted)
    growth, limits = read(RESULTS / "growth.json"), read(RESULTS / "limits.json")
    for_users = [
        introduction([found["circumstances"] for found in fitted]),
        dated(growth_section(growth), growth),
        side_by_side(cases),
        predictions(cases),
        *double_precision(fit_results("fits_float64")),
        *of_results("sparse", sparse),
        *of_results("classes", classes_section),
        *of_results("small", small_section),
        *of_results("regression", regression_section),
        *of_results("linear", linear_section),
    ]
    for_developers = [
        MEASUREMENTS,
        promises(cases, limits),
        *(fits(cases, model) for model in MODELS),
        where_time_goes(cases),
        dated(others(limits), limits),
        *of_results("cores", cores_section),
        *of_results("memory", memory_section),
        *of_results("constants", constants_section),
    ]
    (docs / "development").mkdir(exist_ok=True)
    for name, sections in (("benchmarks", for_users), ("development/measurements", for_developers)):
        (docs / f"{name}.md").write_text("\n\n".join(sections) + "\n")
    write_csv(cases + cases_of(fit_results("fits_float64")), docs / "benchmarks_fits.csv")
    if (RESULTS / "cores.json").exists():
        draw_cores(read(RESULTS / "cores.json"), docs / "cores.svg")
    draw_growth(growth["curves"], docs / "growth.svg")


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


def fit_results(folder: str) -> list[dict]:
    """Return the results of fits, one of each data set."""
    return [read(path) for path in sorted((RESULTS / folder).glob("*.json"))]


def cases_of(fitted: list[dict]) -> list[dict]:
    """Return the cases of all data sets, small ones first."""
    cases = (case for found in fitted for case in found["cases"])
    return sorted(cases, key=lambda case: case["n_samples"] * case["n_features"])


def commits_of(fitted: list[dict]) -> str:
    """Return the commits at which data sets were measured."""
    found = {(one["commit"], one["date"]) for one in fitted}
    return ", ".join(f"{commit} ({date})" for commit, date in sorted(found))


def of_results(name: str, section: Callable[[dict], str]) -> list[str]:
    """Return the section on a results file, if there is one, with its commit."""
    path = RESULTS / f"{name}.json"
    if not path.exists():
        return []
    return [dated(section(read(path)), read(path))]


def dated(section: str, results: dict) -> str:
    """Return a section with the commit at which its figures were measured."""
    circumstances = results["circumstances"]
    return f"{section}\n\n*Commit {circumstances['commit']}, {circumstances['date']}.*"


def read(path: Path) -> dict[str, Any]:
    """Return the content of a result file."""
    return json.loads(path.read_text())


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


def introduction(fitted: list[dict]) -> str:
    """Say what was measured, how and where, from the circumstances of each data set's fits."""
    circumstances = max(fitted, key=lambda found: found["date"])
    versions = ", ".join(f"{k} {v}" for k, v in circumstances["versions"].items() if v)
    return f"""# Benchmarks

`make bench` writes this page from `benchmarks/results`. All solvers get the same dense samples, float32 where nothing else is said,
`gamma="scale"`, `C1 = 1` if nothing else is said, a band from 1 to 1.5 and `tol=1e-3`, and take turns in one process. Times are the best of three runs, or the first if it
takes more than 3 s. LIBSVM is `sklearn.svm.SVC` and `SVR`, oneDAL is scikit-learn-intelex, both with a cache of 2 GB. `SVR` with
`epsilon = 0.25` and targets `1.25 y` solves the band problem with C1 = C2; no peer solves the one with C2 = 10 C1. Columns
named after a peer give its time divided by ours.

*Floor*: the time of one float32 pass over the kernel values of all samples with the support vectors, by NumPy (BLAS and `exp`,
reused buffers). *Excess*: relative excess of the peer's objective over ours, from decision values recomputed in float64. *-*: not
run, because LIBSVM would have taken too long. *MB*: peak memory during the fit above the memory in use before it; the number is too
small if a fit reuses memory of an earlier one.

Machine: {circumstances["processor"]}, {circumstances["cores"]} cores, {circumstances["instructions"]},
{circumstances["system"]}, shared with others: compare ratios, not seconds. Python {circumstances["python"]},
{versions}. Fits were measured at the commits {commits_of(fitted)}."""


def promises(cases: list[dict], limits: dict) -> str:
    """Compare what was promised with what was measured."""
    csvm, band = of_model(cases, "C-SVM"), of_model(cases, "band")
    paired = [
        b["solvers"]["bandsvm"]["seconds"] / a["solvers"]["bandsvm"]["seconds"]
        for a, b in zip(csvm, band, strict=True)
    ]
    both = csvm + band
    least = min(min(r for p in PEERS if np.isfinite(r := ratio(case, p))) for case in both)
    small, tight = limits["small_data"], limits["tight_tolerance"]
    speedup = limits["threads"]["seconds"]["1"] / limits["threads"]["seconds"]["2"]
    overdraft = max(entry["peak"] / entry["cache_size"] for entry in limits["memory"])

    def row(what: str, wanted: str, value: float, holds: bool, form: str = "{:.1f}x") -> list[str]:
        return [what, wanted, form.format(value), "yes" if holds else "**no**"]

    rows = []
    for name, group, peer, wanted in (
        ("C-SVM", csvm, "LIBSVM", 15),
        ("C-SVM", csvm, "oneDAL", 6),
        ("band", band, "LIBSVM", 20),
        ("band", band, "oneDAL", 8),
        (MODELS[4], of_model(cases, MODELS[4]), "LIBSVM", 20),
        (MODELS[4], of_model(cases, MODELS[4]), "oneDAL", 8),
    ):
        if not group:
            continue
        value = mean_ratio(ratio(case, peer) for case in group)
        rows.append(
            row(f"{name} fit against {peer}, mean", f">= {wanted}x", value, value >= wanted)
        )
    rows.append(row("fit against the better peer, worst case", ">= 2x", least, least >= 2))
    value = float(np.median([floors(case) for case in both]))
    rows.append(row("fit in floors, median", "<= 3", value, value <= 3, "{:.2f}"))
    value = mean_ratio(paired)
    rows.append(row("band fit against our C-SVM fit, mean", "<= 2.5x", value, value <= 2.5))
    for peer, wanted in (("LIBSVM", 15), ("oneDAL", 1.5)):
        value = mean_ratio(ratio(case, peer, "prediction_seconds") for case in both)
        rows.append(
            row(f"prediction against {peer}, mean", f">= {wanted}x", value, value >= wanted)
        )
    value = mean_ratio(
        case["solvers"]["bandsvm"]["prediction_seconds"] / case["prediction_floor"] for case in both
    )
    rows.append(row("prediction in floors, mean", "<= 1.3", value, value <= 1.3, "{:.2f}"))
    value = small["bandsvm, band"] / small["SVC"]
    rows.append(row("default fit of 450 samples against SVC", "<= 1", value, value <= 1, "{:.2f}"))
    value = limits["import_seconds"]
    rows.append(row("import on top of scikit-learn's", "< 0.1 s", value, value < 0.1, "{:.3f} s"))
    value = tight["seconds"]["LIBSVM"] / tight["seconds"]["bandsvm"]
    holds = tight["certified"] and value > 1
    rows.append(
        row(f"tol=1e-8 on {tight['data']}, against LIBSVM", "certified, > 1x", value, holds)
    )
    rows.append(row("peak memory in cache sizes", "<= 1.1", overdraft, overdraft <= 1.1, "{:.2f}"))
    rows.append(row("two threads against one", ">= 1.6x", speedup, speedup >= 1.6))
    same = limits["threads"]["same_bits"]
    rows.append(["same bits, twice and with 1 and 2 threads", "yes", "yes" if same else "no",
                 "yes" if same else "**no**"])  # fmt: skip
    return "## Targets\n\n" + table(["", "target", "measured", "reached"], rows)


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


def sparse(results: dict) -> str:
    """Return the table of sparse fits and predictions."""
    rows = [
        [
            case["data"],
            case["kernel"],
            str(case["n_samples"]),
            str(case["n_features"]),
            f"{case['n_values'] / case['n_samples']:.0f}",
            f"{case['solvers']['bandsvm']['seconds']:.2f}",
            times(ratio(case, "LIBSVM")),
            f"{1e3 * case['solvers']['bandsvm']['prediction_seconds']:.1f}",
            times(ratio(case, "LIBSVM", "prediction_seconds")),
        ]
        for case in results["cases"]
    ]
    head = ["data", "kernel", "samples", "columns", "values each", "fit (s)", "LIBSVM"]
    head += ["prediction (ms)", "LIBSVM"]
    return (
        "## Sparse data\n\nC-SVM on samples in CSR, against `sklearn.svm.SVC`. Data with more than two "
        "classes: the largest class against the rest. *Hashed*: texts of 30 random words, hashed to that "
        "many columns.\n\n" + table(head, rows)
    )


def shares_of(stages: dict[str, float]) -> list[float]:
    """Return the shares of the stages in the table; all others are together."""
    named = [stages[stage] / stages["total"] for stage in STAGES[:-1]]
    return [*named, 1.0 - sum(named)]


def where_time_goes(cases: list[dict]) -> str:
    """Return the table of stages."""
    rows = [
        [
            case["data"],
            case["model"],
            *(f"{100 * share:.0f}" for share in shares_of(case["stages"])),
        ]
        for case in cases
    ]
    text = (
        "## Where the time goes\n\nPercentage of the time of one fit. *Rows*: kernel values between the "
        "variables that moved and all samples (and adding them to `f` if they are not stored). "
        "*Blocks*: kernel values among a block's variables. *Updates*: adding stored rows to `f`. *Other*: "
        "packing, Newton steps, attributes, Python."
    )
    return text + "\n\n" + table(["data", "model", *STAGES], rows)


def others(limits: dict) -> str:
    """Return the rest of the measurements."""
    small = [[name, f"{1e3 * seconds:.2f}"] for name, seconds in limits["small_data"].items()]
    memory = [
        [f"{e['n_samples']} x {e['n_features']}", str(e["cache_size"]), f"{e['peak']:.0f}"]
        for e in limits["memory"]
    ]
    large, tight, threads = limits["large_fit"], limits["tight_tolerance"], limits["threads"]
    certified = "certified" if large["certified"] else "not certified"
    return "\n\n".join(
        [
            "## Small data, memory, threads",
            "Fits to the 450 samples of the toy data with default settings:",
            table(["", "ms"], small),
            "Peak memory of a fit, not counting its data:",
            table(["n x d", "cache_size (MB)", "peak (MB)"], memory),
            f"- {large['n_samples']} samples of covtype with `cache_size=1000`: {large['seconds']:.0f} s, "
            f"{large['peak']:.0f} MB, {large['n_support']} support vectors, {large['kernel_rows']} "
            f"kernel rows, {certified}, relative gap {large['relative_gap']:.0e}.",
            f"- `tol=1e-8` on {tight['data']}: {tight['seconds']['bandsvm']:.2f} s against LIBSVM's "
            f"{tight['seconds']['LIBSVM']:.2f} s, KKT violation {tight['kkt_violation']:.0e}, relative "
            f"gap {tight['relative_gap']:.0e}.",
            f"- One thread {threads['seconds']['1']:.1f} s, two threads {threads['seconds']['2']:.1f} s on "
            f"{threads['n_samples']} samples of covtype; on this machine a second thread speeds up "
            f"BLAS matrix products {threads['blas']:.2f}x.",
        ]
    )


def memory_section(memory: dict) -> str:
    """Return the peaks of memory, with as many threads as columns."""
    peaks = memory["peaks"]
    threads = sorted({entry["n_jobs"] for entry in peaks})
    by_place = {(e["action"], e["cache_size"], e["n_jobs"]): e for e in peaks}
    places = dict.fromkeys((entry["action"], entry["cache_size"]) for entry in peaks)

    def cell(entry: dict) -> str:
        return f"{entry['peak']:.0f}" if entry["holds"] else f"**{entry['peak']:.0f}**"

    rows = [
        [action, str(size), *(cell(by_place[action, size, n]) for n in threads)]
        for action, size in places
    ]
    n_kept = sum(entry["holds"] for entry in peaks)
    return (
        "## Memory by number of threads\n\nPeak memory in MB above the memory in use before the call, each call in its "
        f"own process, for {memory['n_samples']} x {memory['n_features']} samples ({memory['data']:.0f} MB). The limit for "
        "a call is `cache_size` plus the data plus 10 %, for any number of threads. It was kept in "
        f"{n_kept} of {len(peaks)} cases; others are bold.\n\n"
        + table(["", "cache_size (MB)", *(f"{n} threads" for n in threads)], rows)
    )


if __name__ == "__main__":
    main()
