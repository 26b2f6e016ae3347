"""Write the measured figures of README and site, and the picture of them, from benchmarks/results.

Each text has its place between two marks. Run it after `make bench`; a test compares.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np

from readme_losses import losses
from readme_results import RESULTS, ROOT, mean, results, span

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
# Results of studies, and the pages made from them.
STUDIES = {
    "study.jsonl": "[the study](study.md), and [when to use the band](when.md)",
    "defaults.json": "[why these defaults](defaults.md)",
    "strategies.json": "[one-vs-one or one-vs-rest](strategies.md)",
    "intervals.json": "[prediction intervals](intervals.md)",
    "switching.json": "[twenty programs](switching.md#twenty-programs)",
    "certificates.json": "[errors put into fits by hand](theory.md#46-what-a-certificate-promises)",
}


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

Ratios are geometric means, with the range over data sets in brackets; classifiers with a kernel are fitted without a band. {CORES}"""


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


def curve() -> str:
    """Say when the picture was measured, and what is newer for its smallest fits."""
    drawn, small_fits = results("growth"), results("small")
    fewest = min(n for one in drawn["curves"] for n, _ in one["points"])
    cases = [one for one in small_fits["two_classes"] if one["n_samples"] == fewest]
    solvers = [one["solvers"] for one in cases]
    ratio = mean(np.array([one["SVC"]["median"] / one["C-SVM"]["median"] for one in solvers]))
    then, later = drawn["circumstances"], small_fits["circumstances"]
    return (
        f"The picture is of commit {then['commit']}, {then['date']}. For small fits see the newer "
        f"[table](benchmarks.md#small-fits-many-classes-single-predictions) (commit {later['commit']}, "
        f"{later['date']}): there `SVC` takes {ratio:.1f} times as long for {fewest:,} samples, in the geometric mean over "
        f"{len({one['data'] for one in cases})} data sets."
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
    "docs/index.md": {"figures": figures, "curve": curve},
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
