"""Write docs/study.md from the results of study.py: every number and every conclusion."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from study_comparison import LEVEL, MEASURES, Row, compare, median_interval, p_text

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "studies" / "results" / "study.json"
PAGE = ROOT / "docs" / "study.md"
# Smallest difference in accuracy that matters in practice.
NOTABLE = 0.01


def has_band(split: dict) -> bool:
    """Return whether the search chose a band."""
    return split["chosen"]["BandedSVC"]["C2"] > 0.0


def is_idle(split: dict) -> bool:
    """Return whether the chosen band changes nothing."""
    measures = split["measures"]
    return has_band(split) and measures["BandedSVC"] == measures["without band"]


def page(results: dict[str, Any]) -> str:
    """Return the whole page."""
    sets = results["sets"]
    against_svc = compare(sets, "BandedSVC", "SVC")
    band_alone = compare(sets, "BandedSVC", "without band", has_band)
    search_alone = compare(sets, "BandedSVC", "SVC", lambda split: not has_band(split))
    sections = [
        "# Does the band help?",
        "`make study` runs the study and writes this page. "
        "`studies/study_page.py` derives every number and every conclusion from "
        "`studies/results/study.json`.",
        "## Summary",
        "\n".join(in_short(sets, against_svc, band_alone, search_alone)),
        f"## BandedSVCCV against tuned SVC: {n_of(against_svc)} data sets",
        comparison(against_svc, "BandedSVCCV", "SVC"),
        f"## The band alone: {n_of(band_alone)} data sets",
        "Only splits in which a band was chosen: the chosen model against the same model with `C2=0`. "
        "C1 and gamma are the same for both; they were chosen together with the band, which favours it.",
        comparison(band_alone, "with band", "C2=0"),
        f"## The search alone: {n_of(search_alone)} data sets",
        "Only splits in which `C2=0` was chosen. Both models are C-SVMs there, so only the search "
        "differs. This is a control: no difference is due to the band.",
        comparison(search_alone, "BandedSVCCV", "SVC"),
        "## Method",
        method(results),
        "## Limitations",
        "- Training sets are small and the kernel is RBF. The results need not hold for others.\n"
        "- Both searches maximise accuracy. Searching for another measure may choose other bands.\n"
        '- "Not significantly different" does not mean "equal": the intervals show which differences '
        "remain possible.",
        "## Data sets",
        data_sets(sets),
        "## Differences by data set",
        "BandedSVCCV minus SVC, means over the splits.",
        differences(sets, against_svc),
    ]
    return "\n\n".join(sections) + "\n"


def n_of(rows: list[Row]) -> int:
    """Return the number of data sets in a comparison."""
    return len(rows[0].differences) if rows else 0


def in_short(
    sets: list[dict], against_svc: list[Row], band_alone: list[Row], search_alone: list[Row]
) -> list[str]:
    """Return the conclusions, one per bullet."""
    splits = [split for one in sets for split in one["splits"]]
    n_band, n_idle = sum(map(has_band, splits)), sum(map(is_idle, splits))
    never = sum(not any(map(has_band, one["splits"])) for one in sets)
    return [
        f"- `C2=0` was chosen in {len(splits) - n_band} of {len(splits)} splits, and in all splits of "
        f"{never} of {len(sets)} data sets. Of the {n_band} bands that were chosen, {n_idle} had "
        "no effect (all measures equal those of `C2=0` at the same C1 and gamma).",
        *conclusions("Against tuned `SVC`, `BandedSVCCV`", against_svc),
        *conclusions("Where it was chosen, the band alone", band_alone),
        *conclusions("Where it was not chosen, `BandedSVCCV`", search_alone),
        by_size(sets, against_svc[0]),
    ]


def conclusions(subject: str, rows: list[Row]) -> list[str]:
    """Return the conclusion of a comparison, as a bullet."""
    if not rows:
        return [f"- {subject}: no data set to compare."]
    parts = []
    for verdict in ("better", "worse"):
        found = [row.evidence() for row in rows if row.verdict == verdict]
        parts.append(f"is {verdict} in {', '.join(found) if found else 'none of the measures'}")
    rest = [row.measure for row in rows if row.verdict == "not significantly different"]
    told = f" No significant difference: {', '.join(rest)}." if rest else ""
    return [f"- {subject} {' and '.join(parts)} (n = {n_of(rows)}).{told}"]


def by_size(sets: list[dict], accuracy: Row) -> str:
    """Return how large differences in accuracy are, and where."""
    low, high = median_interval(accuracy.differences)
    best, worst = int(accuracy.differences.argmax()), int(accuracy.differences.argmin())
    n_up = int((accuracy.differences > NOTABLE).sum())
    n_down = int((accuracy.differences < -NOTABLE).sum())
    return (
        f"- Accuracy differs by more than {NOTABLE} on {n_up + n_down} of {len(sets)} data sets: "
        f"{n_up} for `BandedSVCCV`, {n_down} for `SVC`; at most {accuracy.differences[best]:+.4f} "
        f"({sets[best]['name']}) and {accuracy.differences[worst]:+.4f} ({sets[worst]['name']}). "
        f"The median difference is {np.median(accuracy.differences):+.4f}, with a 95 % interval from "
        f"{low:+.4f} to {high:+.4f}."
    )


def comparison(rows: list[Row], first: str, second: str) -> str:
    """Return the table of a comparison."""
    if not rows:
        return "No data set."
    head = [
        *("measure", "better", second, first, "median difference", "its 95 % interval"),
        *("wins/ties/losses", "rank correlation", "p", "p, Holm", f"{first} is"),
    ]
    lines = []
    for row in rows:
        low, high = median_interval(row.differences)
        lines.append(
            [
                row.measure,
                "higher" if MEASURES[row.measure][0] else "lower",
                f"{row.means[1]:.4f}",
                f"{row.means[0]:.4f}",
                f"{np.median(row.differences):+.4f}",
                f"{low:+.4f} to {high:+.4f}",
                "/".join(map(str, row.counts)),
                f"{row.rank_correlation:+.2f}",
                *(p_text(p).removeprefix("= ") for p in (row.p, row.corrected_p)),
                row.verdict,
            ]
        )
    return table(head, lines)


def method(results: dict[str, Any]) -> str:
    """Return what was done, with the numbers of the run."""
    chosen = results["settings"]
    tried = [split["n_candidates"] for one in results["sets"] for split in one["splits"]]
    band, svc = ([counts[name] for counts in tried] for name in ("BandedSVC", "SVC"))
    lines = [
        f"- Every data set is split {chosen['n_splits']} times (seeds 0 to {chosen['n_splits'] - 1}), "
        f"stratified, into at most {chosen['most_train']} training samples (and at most "
        f"{chosen['train_share']:.0%} of all) and at most {chosen['most_test']} test samples. Features "
        "are standardised with the training samples. If a data set has a published test set, only its "
        "training set is used. More than two classes were merged into two, as listed in the table, so "
        "that every measure is defined on every set and one-vs-one plays no role.",
        f"- `BandedSVCCV` uses its defaults and tried {min(band)} to {max(band)} candidates (mean "
        f"{np.mean(band):.1f}; hopeless ones are given up after two folds). `SVC` got a full grid of "
        f"{max(svc)}: {len(chosen['SVC_C'])} values of C from {chosen['SVC_C'][0]:g} to "
        f"{chosen['SVC_C'][-1]:g}, {len(chosen['SVC_gamma_factors'])} of gamma from "
        f"{chosen['SVC_gamma_factors'][0]:g} to {chosen['SVC_gamma_factors'][-1]:g} times that of "
        f"`gamma='scale'`, the same ranges as `BandedSVCCV`'s grid. Both maximise accuracy in the same "
        f"{chosen['n_folds']} stratified folds; in a tie both prefer small costs.",
        f"- Label noise flips {chosen['noise']:.0%} of the training labels, {chosen['n_noises']} times per "
        f"split; there are {chosen['n_bootstrap_pairs']} pairs of bootstrap samples per split. Both models "
        "get the same ones. Parameters are not searched again.",
        "- Values are first averaged over the splits of a data set; the data set is the unit of all "
        "tests. p-values come from Wilcoxon's two-sided signed-rank test, with zeros split between both "
        f'sides. Holm\'s correction covers the {len(MEASURES)} measures of a table; "better" and "worse" '
        f"need p < {LEVEL} after it. The rank correlation (matched-pairs rank-biserial) is 1 if the "
        "first model wins on all sets, -1 if it loses on all. Intervals of medians come from order "
        "statistics.",
        "- Versions: " + ", ".join(f"{k} {v}" for k, v in results["versions"].items()) + ".",
        "",
        table(
            ["measure", "better", "definition, on test samples"],
            [[name, "higher" if up else "lower", what] for name, (up, what) in MEASURES.items()],
        ),
    ]
    return "\n".join(lines)


def data_sets(sets: list[dict]) -> str:
    """Return the table of data sets, and what was chosen on them."""
    head = [
        *("data", "classes", "samples", "features", "smaller class", "train", "test"),
        *(
            "splits with a band",
            "of these without effect",
            "accuracy, SVC",
            "accuracy, BandedSVCCV",
        ),
    ]
    lines = []
    for one in sets:
        accuracies = [
            np.mean([split["measures"][model]["accuracy"] for split in one["splits"]])
            for model in ("SVC", "BandedSVC")
        ]
        lines.append(
            [
                one["name"],
                one["classes"],
                *(str(one[key]) for key in ("n_samples", "n_features")),
                f"{one['share_of_smaller_class']:.0%}",
                *(str(one[key]) for key in ("n_train", "n_test")),
                f"{sum(map(has_band, one['splits']))} of {len(one['splits'])}",
                str(sum(map(is_idle, one["splits"]))),
                *(f"{accuracy:.4f}" for accuracy in accuracies),
            ]
        )
    return table(head, lines)


def differences(sets: list[dict], rows: list[Row]) -> str:
    """Return the table of all differences."""
    lines = [
        [one["name"], *(f"{row.differences[k]:+.4f}" for row in rows)] for k, one in enumerate(sets)
    ]
    return table(["data", *(row.measure for row in rows)], lines)


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown."""
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--out", type=Path, default=PAGE)
    options = parser.parse_args()
    options.out.write_text(page(json.loads(options.results.read_text())))


if __name__ == "__main__":
    main()
