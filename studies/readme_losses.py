"""Where others are faster: the answer of docs/faq.md, from the results."""

from __future__ import annotations

import json

import numpy as np

from readme_results import ROOT, results, span

# The lowest cost of linear models, and data sets of sparse text among them.
LOW_COST = 0.1
SPARSE_TEXTS = ("sentence_polarity", "reuters", "sector")


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
    banded = [ratio(one, "ovr, band") for one in many.values() if "ovr, band" in one["solvers"]]
    return [
        f"- **Many classes**: on {data} ({old['cases'][data]['n_samples']:,} samples, "
        f"{old['cases'][data]['n_classes']} classes) `SVC` takes {before[0]:.2f} times as long as one-vs-one without a "
        f"band, and {before[1]:.2f} times as long as one-vs-rest with one ([table](benchmarks.md#many-classes), commit "
        f"{old['circumstances']['commit']}, {old['circumstances']['date']}). On {many[data]['n_samples']:,} samples of it "
        f"`SVC` takes {after[0]:.2f} and {after[1]:.2f} times as long "
        f"([table](benchmarks.md#small-fits-many-classes-single-predictions), commit {new['circumstances']['commit']}, "
        f"{new['circumstances']['date']}). "
        f"A band one-vs-rest takes longer than `SVC` on {sum(one < 1.0 for one in banded)} of "
        f"{len(banded)} sets, at most {1 / min(banded):.1f} times as long."
    ]


def losses_of_small_fits() -> list[str]:
    """Return where fits of few samples take longer, or may."""
    found, said = results("regression"), []
    for name, theirs, ours in (
        ("one_class", "OneClassSVM", "OneClassBandedSVM"),
        ("regressions", "SVR", "BandedSVR"),
    ):
        few = [one["solvers"] for one in found[name] if one["n_samples"] == 100]
        ratios = np.array([one["LIBSVM"]["median"] / one["bandsvm"]["median"] for one in few])
        if ratios.min() < 1.0:
            said.append(
                f"`{theirs}` on 100 samples takes {span(ratios)} as long as `{ours}` "
                "([table](benchmarks.md#regression-and-one-class))."
            )
    small = [one["solvers"] for one in results("small")["two_classes"] if one["n_samples"] <= 1000]
    first = np.array([one["SVC"]["first"] / one["C-SVM"]["first"] for one in small])
    programs = json.loads((ROOT / "studies" / "results" / "switching.json").read_text())
    longer = [one["bandsvm_seconds"] / one["sklearn_seconds"] for one in programs]
    said += [
        f"The first fit to at most 1,000 samples of two classes is slower than that of `SVC` in {(first < 1.0).sum()} of "
        f"{len(first)} cases ([table](benchmarks.md#small-fits-many-classes-single-predictions)).",
        f"Of {len(programs)} programs on toy data {sum(one > 1.0 for one in longer)} take longer, at most {max(longer):.1f} "
        "times as long, a matter of milliseconds ([programs](switching.md#twenty-programs)).",
    ]
    return [f"- **Few samples**: {' '.join(said)}"]


def gain_of_gpu() -> str:
    """Return what a device gains over many cores."""
    found = results("gpu")
    both = [one for one in found["cases"] if "cpu" in one]
    gains = [one["cpu"]["seconds"] / one["cuda"]["seconds"] for one in both]
    return (
        f'- **GPUs**: [`device="cuda"`](guide/gpu.md) fits {min(gains):.1f} to {max(gains):.1f} times as fast as '
        f"{found['circumstances']['cores']} cores."
    )
