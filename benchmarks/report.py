"""Write docs/benchmarks.md, docs/development/measurements.md and pictures from the results.

The first is for users: how long fits and predictions take beside those of others. The second has
what developers look at: targets, all fits, where the time goes, memory, cores and constants.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from classes_report import classes_section
from constants_report import constants_section
from cores_report import cores_section, draw_cores
from fits_report import (
    MODELS,
    PEERS,
    cases_of,
    commits_of,
    double_precision,
    fits,
    floors,
    mean_ratio,
    of_model,
    predictions,
    ratio,
    side_by_side,
    times,
    write_csv,
)
from growth_report import draw_growth, growth_section
from linear_report import linear_section
from measure import RESULTS
from regression_report import regression_section
from small_report import small_section
from tables import table

DOCS = Path(__file__).parents[1] / "docs"
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
        *of_results("classes", many_classes),
        *of_results("small", small_section),
        *of_results("regression", regression_section),
        *of_results("linear", linear_section),
        "*`make bench` writes this page from `benchmarks/results`.*",
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


def fit_results(folder: str) -> list[dict]:
    """Return the results of fits, one of each data set."""
    return [read(path) for path in sorted((RESULTS / folder).glob("*.json"))]


def of_results(name: str, section: Callable[[dict], str]) -> list[str]:
    """Return the section on a results file, if there is one, with its commit."""
    path = RESULTS / f"{name}.json"
    if not path.exists():
        return []
    return [dated(section(read(path)), read(path))]


def many_classes(results: dict) -> str:
    """Return the section on many classes, and which of two sections on them is newer."""
    section, path = classes_section(results), RESULTS / "small.json"
    if not path.exists():
        return section
    later, own = read(path)["circumstances"], results["circumstances"]
    if later["date"] <= own["date"]:
        return section
    return (
        f"{section}\n\nThe [next section](#small-fits-many-classes-single-predictions) has many classes, too, "
        f"with fewer samples. It is newer ({later['date']}, commit {later['commit']}): where the two "
        "disagree, it is nearer to what fits take now."
    )


def dated(section: str, results: dict) -> str:
    """Return a section with the commit at which its figures were measured."""
    circumstances = results["circumstances"]
    return f"{section}\n\n*Commit {circumstances['commit']}, {circumstances['date']}.*"


def read(path: Path) -> dict[str, Any]:
    """Return the content of a result file."""
    return json.loads(path.read_text())


def introduction(fitted: list[dict]) -> str:
    """Say what was measured, how and where, from the circumstances of each data set's fits."""
    circumstances = max(fitted, key=lambda found: found["date"])
    versions = ", ".join(f"{k} {v}" for k, v in circumstances["versions"].items() if v)
    return f"""# Benchmarks

All solvers get the same dense samples, of two classes and in float32 where nothing else is said,
`gamma="scale"`, `C1 = 1` if nothing else is said, a band from 1 to 1.5 and `tol=1e-3`, and take turns in one process. Times are the best of three runs, or the first if it
takes more than 3 s. LIBSVM is `sklearn.svm.SVC` and `SVR`, which use one core by design and compute in float64;
oneDAL is scikit-learn-intelex, which uses all cores, as `bandsvm` does. Both have a cache of 2 GB. `SVR` with
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
