"""Write the measured figures of README and site, and the picture of them, from benchmarks/results.

Each text has its place between two marks. Run it after `make bench`; a test compares.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PICTURE = ROOT / "docs" / "speed.svg"
# Okabe and Ito's colours, as in the package's own plots.
COLOURS = {"LIBSVM": "#D55E00", "oneDAL": "#009E73", "bandsvm": "#0072B2"}
NAMES = {"LIBSVM": "SVC", "oneDAL": "scikit-learn-intelex", "bandsvm": "BandedSVC(C2=0)"}
LARGE = 50_000_000
# Numbers of samples from which the answer for 30,000 is taken.
SIMILAR = (20_000, 50_000)
CORES = (
    "`SVC` and `SVR` (LIBSVM) use one of the two cores by design and compute in float64, whatever "
    "they are given; the others use both."
)
# The lowest cost of linear models, and data sets of sparse text among them.
LOW_COST = 0.1
SPARSE_TEXTS = ("sentence_polarity", "reuters", "sector")
# Results of studies, and the pages made from them.
STUDIES = {
    "study.jsonl": "[the study](study.md), and [when to use the band](when.md)",
    "defaults.json": "[why these defaults](defaults.md)",
    "strategies.json": "[one-vs-one or one-vs-rest](strategies.md)",
    "intervals.json": "[prediction intervals](intervals.md)",
    "switching.json": "[twenty programs](switching.md#twenty-programs)",
    "certificates.json": "[errors put into fits by hand](theory.md#46-what-a-certificate-promises)",
}


def results(name: str) -> dict[str, Any]:
    """Return a results file."""
    return json.loads((RESULTS / f"{name}.json").read_text())


def fits(folder: str = "fits") -> list[dict]:
    """Return all fits without a band at C1 = 1, small data sets first."""
    files = (RESULTS / folder).glob("*.json")
    cases = (case for file in files for case in json.loads(file.read_text())["cases"])
    chosen = [case for case in cases if case["model"] == "C-SVM"]
    return sorted(chosen, key=lambda case: (case["n_samples"], case["data"]))


def ratios(peer: str, key: str = "seconds", folder: str = "fits") -> np.ndarray:
    """Return how many times as long as ours a peer took, where it was run."""
    cases = [case["solvers"] for case in fits(folder) if peer in case["solvers"]]
    return np.array([solvers[peer][key] / solvers["bandsvm"][key] for solvers in cases])


def mean(values: np.ndarray) -> float:
    """Return the geometric mean."""
    return float(np.exp(np.log(values).mean()))


def small(key: str = "median") -> np.ndarray:
    """Return how many times as long as ours `SVC` took for at most 1000 samples.

    The key is "first" for the first fit to the data, "median" for later ones.
    """
    found = (case for case in results("small")["two_classes"] if case["n_samples"] <= 1000)
    solvers = [case["solvers"] for case in found]
    return np.array([one["SVC"][key] / one["C-SVM"][key] for one in solvers])


def regressions(peer: str) -> np.ndarray:
    """Return seconds of a peer over ours for regressions of 5000 samples and more."""
    cases = [one for one in results("regression")["regressions"] if one["n_samples"] >= 5000]
    solvers = [one["solvers"] for one in cases]
    return np.array([one[peer]["median"] / one["bandsvm"]["median"] for one in solvers])


def large_fits() -> str:
    """Return the lines about larger fits, one for each precision that was measured."""
    smallest, largest = fits()[0]["n_samples"], fits()[-1]["n_samples"]
    what, lines = f"a fit of {smallest:,} to {largest:,} samples, two classes", []
    for dtype, folder in (("float32", "fits"), ("float64", "fits_float64")):
        if fits(folder):
            libsvm, intelex = (ratios(peer, folder=folder) for peer in ("LIBSVM", "oneDAL"))
            lines.append(
                f"| {what}, {dtype} | **{mean(libsvm):.0f} times as fast as `SVC`** "
                f"({libsvm.min():.0f} to {libsvm.max():.0f}), {mean(intelex):.0f} times as "
                "scikit-learn-intelex |"
            )
            what = "the same"
    return "\n".join(lines)


def figures() -> str:
    """Return the figures of the first screen."""
    svr, intelex_svr = regressions("LIBSVM"), regressions("oneDAL")
    predicted = ratios("LIBSVM", "prediction_seconds")
    grid, many = results("choosing")["grid"], results("many")
    searched, size = grid["their_seconds"] / grid["seconds"], grid["n_grid"]
    later, first = small(), small("first")
    return f"""| | measured on two cores |
|---|---|
{large_fits()}
| a fit of 50 to 1,000 samples, two classes, float64 | {span(later)} as fast as `SVC` after a first fit to the same data, \
{span(first)} at the first |
| a regression of 5,000 to 10,000 samples, float64 | {mean(svr):.0f} times as fast as `SVR` ({svr.min():.0f} to {svr.max():.0f}), \
{mean(intelex_svr):.0f} times as scikit-learn-intelex |
| predictions, two classes, float32 | {mean(predicted):.0f} times as fast as `SVC` ({predicted.min():.0f} to {predicted.max():.0f}) |
| `BandedSVCCV` over a grid of {size} x {size}, five folds, one data set ({grid["data"]}), float32 | \
{searched:.0f} times as fast as `GridSearchCV(SVC)` on both cores |
| a linear model of {many["n_samples"] / 1e6:.0f} million rows, {many["n_features"]} features, two classes, float32 | \
{many["seconds"]:.0f} seconds, certified to {many["relative_gap"]:.0e} of the optimum |

Ratios are geometric means, with the range over data sets in brackets; classes are fitted without a band. {CORES}"""


def span(ratios: np.ndarray) -> str:
    """Return the mean and the range of ratios, in words."""
    return f"{mean(ratios):.1f} times ({ratios.min():.1f} to {ratios.max():.1f})"


def sizes() -> str:
    """Return the fits by number of samples."""
    lines = ["| samples x features | `SVC` takes | seconds | scikit-learn-intelex takes | data |"]
    lines.append("|---|---|---|---|---|")
    for case in fits():
        seconds = {name: found["seconds"] for name, found in case["solvers"].items()}
        own, svc = seconds["bandsvm"], seconds["LIBSVM"]
        size = f"{case['n_samples']:,} x {case['n_features']}"
        lines.append(
            f"| {size} | **{svc / own:.0f} times as long** | {svc:.2f} against {own:.3f} | "
            f"{seconds['oneDAL'] / own:.0f} times as long | {case['data']} |"
        )
    files = (RESULTS / "fits").glob("*.json")
    measured = sorted({found for file in files for found in commits_of(file.read_text())})
    return (
        f"{answer()}\n\n"
        + "\n".join(lines)
        + f"\n\n*Commits {', '.join(measured)}; float32, two classes.*"
    )


def answer() -> str:
    """Say for a common size how much longer `SVC` takes, from the fits of similar size."""
    low, high = SIMILAR
    cases = [
        case for case in fits() if low <= case["n_samples"] <= high and case["n_features"] < 300
    ]
    ratios = [c["solvers"]["LIBSVM"]["seconds"] / c["solvers"]["bandsvm"]["seconds"] for c in cases]
    return (
        f"For 30,000 samples of 50 features (30 000 x 50) `SVC` takes dozens of times as long as "
        f"`bandsvm`. It took **{min(ratios):.0f} to {max(ratios):.0f} times** "
        f"as long, {mean(np.array(ratios)):.0f} times in the geometric mean, on the {len(cases)} data sets here of "
        f"{low:,} to {high:,} samples, two classes and fewer than 300 features, in float32, without a band "
        f"and with `C = 1`. {CORES}"
    )


def losses() -> str:
    """Return where others are faster, one bullet per kind of problem."""
    return "\n".join(
        [*linear_losses(), *losses_of_classes(), *losses_of_small_fits(), gain_of_gpu()]
    )


def linear_losses() -> list[str]:
    """Return where LIBLINEAR is faster; a peer that did not arrive in its time is slower."""
    lines = []
    for what, is_text in (("tables", False), ("sparse text", True)):
        cases = [
            one
            for one in results("linear")["cases"]
            if one["peer"] == "LIBLINEAR" and (one["data"] in SPARSE_TEXTS) == is_text
        ]
        lowest: dict[str, float] = {}
        cheap = []
        n_faster = 0
        for one in cases:
            ratio = one["seconds"].get("LIBLINEAR", np.inf) / one["seconds"]["bandsvm"]
            n_faster += ratio < 1.0
            cheap += [ratio] if one["C"] == LOW_COST else []
            lowest[one["data"]] = min(ratio, lowest.get(one["data"], np.inf))
        worst = sorted((ratio, data) for data, ratio in lowest.items() if ratio < 1.0)
        lines.append(
            f"- **Linear models of {what}**: LIBLINEAR is faster in {n_faster} of {len(cases)} fits without a band "
            f"([tables](benchmarks.md#linear-models)). Its time over ours is {min(cheap):.2f} to {max(cheap):.2f} "
            f"at C = {LOW_COST:g}; the least of each data set: "
            f"{', '.join(f'{ratio:.2f} ({data})' for ratio, data in worst)}."
        )
    return lines


def losses_of_classes() -> list[str]:
    """Return where `SVC` is faster with many classes, and which of two measurements is newer."""
    old, new = results("classes"), results("small")
    data = "letter"
    solvers = old["cases"][data]["solvers"]
    svc = solvers["SVC"]["seconds"]
    before = [svc / solvers[n]["seconds"] for n in ("ovo without a band", "ovr with a band")]
    many = {one["data"]: one for one in new["many_classes"]}

    def ratio(one: dict, name: str) -> float:
        return one["solvers"]["SVC"]["median"] / one["solvers"][name]["median"]

    kinds = ("ovo, C-SVM", "ovr, band")
    after = [ratio(many[data], name) for name in kinds]
    blobs = many["100 blobs"]
    banded = [ratio(one, "ovr, band") for one in many.values() if "ovr, band" in one["solvers"]]
    slower = [one for one in banded if one < 1.0]
    return [
        f"- **Many classes**: on {data} ({old['cases'][data]['n_samples']:,} samples, "
        f"{old['cases'][data]['n_classes']} classes) `SVC` takes {before[0]:.2f} times as long as one-vs-one without a "
        f"band, and {before[1]:.2f} times as long as one-vs-rest with one ([table](benchmarks.md#many-classes), commit "
        f"{old['circumstances']['commit']}, {old['circumstances']['date']}). On {many[data]['n_samples']:,} samples of it "
        f"`SVC` takes {after[0]:.2f} and {after[1]:.2f} times as long "
        f"([table](benchmarks.md#small-fits-many-classes-single-predictions), commit {new['circumstances']['commit']}, "
        f"{new['circumstances']['date']}). With {blobs['n_classes']} classes of ten samples each it takes "
        f"{ratio(blobs, 'ovo, C-SVM'):.2f} times as long. A band one-vs-rest takes longer than `SVC` on {len(slower)} of "
        f"{len(banded)} sets, at most {1 / min(slower):.1f} times as long."
    ]


def losses_of_small_fits() -> list[str]:
    """Return where fits of about a hundred samples take longer."""
    found = results("regression")
    ratios = {}
    for name in ("one_class", "regressions"):
        few = [one["solvers"] for one in found[name] if one["n_samples"] == 100]
        ratios[name] = np.array([one["LIBSVM"]["median"] / one["bandsvm"]["median"] for one in few])
    programs = json.loads((ROOT / "studies" / "results" / "switching.json").read_text())
    longer = [one["bandsvm_seconds"] / one["sklearn_seconds"] for one in programs]
    return [
        f"- **A hundred samples**: `OneClassSVM` takes {mean(ratios['one_class']):.1f} times as long as `OneClassBandedSVM`, "
        f"`SVR` {span(ratios['regressions'])} as long as `BandedSVR` ([table](benchmarks.md#regression-and-one-class)). Of "
        f"{len(programs)} programs on toy data {sum(one > 1.0 for one in longer)} take longer, at most {max(longer):.1f} times "
        "as long, a matter of milliseconds ([programs](switching.md#twenty-programs))."
    ]


def gain_of_gpu() -> str:
    """Return what a device gains over many cores."""
    found = results("gpu")
    both = [one for one in found["cases"] if "cpu" in one]
    gains = [one["cpu"]["seconds"] / one["cuda"]["seconds"] for one in both]
    return (
        f'- **GPUs**: [`device="cuda"`](guide/gpu.md) fits {min(gains):.1f} to {max(gains):.1f} times as fast as '
        f"{found['circumstances']['cores']} cores."
    )


def rows() -> str:
    """Return what many rows take, measured and extrapolated."""
    many = results("many")
    factor = LARGE / many["n_samples"]
    mapped = many["file_megabytes"]
    own = many["megabytes"] - mapped
    return (
        f"Measured, on two cores: {many['n_samples'] / 1e6:.0f} million rows of {many['n_features']} "
        f"features, with the default band and the default `tol`, take {many['seconds']:.0f} seconds in "
        f"{many['n_iter']} passes, and {own / 1000:.1f} GB of memory beside a file of {mapped / 1000:.1f} GB. "
        f"{LARGE / 1e6:.0f} million rows are {factor:.0f} times that: about "
        f"{factor * many['seconds'] / 60:.0f} minutes and {factor * own / 1000:.0f} GB; this was "
        f"computed, not measured."
    )


def draw(path: Path) -> None:
    """Draw the time of fits over the number of samples."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "bandsvm"
    figure = Figure(figsize=(7.2, 3.6), layout="constrained")
    ax = figure.subplots()
    curves = {
        curve["solver"]: curve["points"]
        for curve in results("growth")["curves"]
        if (curve["data"], curve["model"]) == ("covtype", "C-SVM")
    }
    for solver, colour in COLOURS.items():
        n, seconds = np.transpose(curves[solver])
        ax.loglog(n, seconds, "o-", color=colour, label=NAMES[solver])
        ax.annotate(f" {seconds[-1]:.1f} s", (n[-1], seconds[-1]), color=colour, va="center")
    ax.set(xlabel="samples (covtype, 54 features)", ylabel="seconds of a fit, two cores")
    ax.set_xlim(right=200_000)
    ax.grid(alpha=0.3)
    ax.legend(frameon=False, loc="upper left")
    figure.savefig(path, metadata={"Date": None})


def commits() -> str:
    """Return the commits of the studies."""
    lines = ["| page | results | commit |", "|---|---|---|"]
    for file, page in STUDIES.items():
        found = ", ".join(commits_of((ROOT / "studies" / "results" / file).read_text()))
        lines.append(f"| {page} | `studies/results/{file}` | {found} |")
    return "\n".join(lines)


def commits_of(text: str) -> list[str]:
    """Return the commits that a file of results names; parts may have been measured at several."""
    return sorted(set(re.findall(r'"commit": ?"([^"]+)"', text)))


TEXTS = {
    "README.md": {"figures": figures},
    "docs/index.md": {"figures": figures},
    "docs/faq.md": {"answer": answer, "losses": losses},
    "docs/start/speed.md": {"sizes": sizes},
    "docs/evidence.md": {"commits": commits},
    "docs/guide/fifty_million.md": {"rows": rows},
}


def written(file: str) -> str:
    """Return a page with its texts as the results have them."""
    page = (ROOT / file).read_text()
    for name, text in TEXTS[file].items():
        first, last = f"<!-- {name}: studies/readme.py -->", f"<!-- end of {name} -->"
        pattern = re.compile(f"{re.escape(first)}.*?{re.escape(last)}", re.DOTALL)
        found = pattern.search(page)
        if found is None:
            raise ValueError(f"{file} has no place for {name}.")
        before, after = page[: found.start()], page[found.end() :]
        page = f"{before}{first}\n\n{text()}\n\n{last}{after}"
    return page


def main() -> None:
    """Write all pages and the picture."""
    for file in TEXTS:
        (ROOT / file).write_text(written(file))
    draw(PICTURE)


if __name__ == "__main__":
    main()
