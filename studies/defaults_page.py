"""Write docs/defaults.md from the results of defaults.py: every number and every conclusion."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from defaults_rule import (
    CLOSE,
    MAX_LOSERS,
    MAX_LOST,
    MIN_BOUND,
    NOISE,
    NOTABLE,
    RUNAWAY,
    Band,
    Comparison,
    Verdict,
    bands,
    choose,
    verdict,
)
from study_page import table

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "studies" / "results" / "defaults.json"
PAGE = ROOT / "docs" / "defaults.md"
# The default before this study.
FORMER = Band(1.0, False, 1.5)
# Largest scores whose ratio differs by less from 1 are the same, up to the tolerance of fits.
IDLE = 1e-3


def page(results: dict[str, Any]) -> str:
    """Return the whole page."""
    verdicts = [verdict(band, results) for band in bands(results["settings"])]
    chosen = choose(verdicts)
    (former,) = (one for one in verdicts if one.band == FORMER)
    sections = [
        "# Why these defaults",
        "## Summary",
        "\n".join(summary(chosen, former, results)),
        "## The rule",
        rule(),
        "The second and the third point were changed after some of the results were known: before, all sets counted in "
        "the second, whether or not their scores run away, and ties in the third were narrower.",
        "## All candidates",
        explained(results),
        candidates(verdicts, chosen),
    ]
    if chosen is not None:
        sections += [
            "## Before and after",
            f"Before: {former.band}. After: {chosen.band}. The sets that lose most come first; "
            "differences are from C2 = 0.",
            before_and_after(results, chosen.band),
        ]
    sections += [
        "## Method",
        method(results),
        "*`make defaults` runs the study and writes this page. `studies/defaults_page.py` derives every "
        "number from `studies/results/defaults.json`.*",
    ]
    return "\n\n".join(sections) + "\n"


def summary(chosen: Verdict | None, former: Verdict, results: dict[str, Any]) -> list[str]:
    """Return the conclusions, one per bullet."""
    if chosen is None:
        return ["- The rule allows no candidate: C2 = 0 should be the default."]
    n_sets = len(results["sets"])
    return [
        f"- The default, {chosen.band}, costs a little accuracy against C2 = 0: it is lower by more than "
        f"{NOTABLE} on {chosen.n_lower} and higher on {chosen.n_higher} of {n_sets} sets, "
        f"{chosen.accuracy:+.4f} on average; at worst {chosen.worst[0]:+.4f} ({chosen.worst[1]}).",
        f"- {losing(chosen)} ({listed(chosen.losers)}) by more than {MAX_LOST} and by more than noise. "
        f"With the former default, {former.band}: {losing(former)}, {former.accuracy:+.4f} on average, at "
        f"worst {former.worst[0]:+.4f} ({former.worst[1]}).",
        *(at_cost(k, C1, chosen.band, results) for k, C1 in enumerate(results["settings"]["C1"])),
        f"- It restrains scores less than the former default. Where the largest score of a test sample exceeds "
        f"{RUNAWAY:g} with C2 = 0, it is {chosen.bound:.2f} times as large (median; former: "
        f"{former.bound:.2f}). The sensitivity area is larger by {chosen.sensitivity:.3f} on average "
        f"(former: {former.sensitivity:.3f}).",
        "- " + idle(chosen.band, results),
        f"- A fit takes {chosen.cost:.2f} times the pair steps of C2 = 0 (former: {former.cost:.2f}).",
        "- For the highest accuracy, search with `BandedSVCCV`, or set `C2=0`.",
    ]


def at_cost(k: int, C1: float, band: Band, results: dict[str, Any]) -> str:
    """Return what happens at one C1, as a bullet."""
    lines = []
    for each in (band, FORMER):
        found = [Comparison(one, each, results["settings"]) for one in results["sets"]]
        accuracy = np.array([one.accuracy[k] for one in found])
        n_lower = int((accuracy < -MAX_LOST).sum())
        lines.append(
            f"{accuracy.mean():+.4f} on average, lower by more than {MAX_LOST} on {n_lower}"
        )
    return f"- At C1 = {C1:g}: {lines[0]} sets (former: {lines[1]})."


def idle(band: Band, results: dict[str, Any]) -> str:
    """Return on how many sets the band changes nothing."""
    ratios = np.array([Comparison(one, band, results["settings"]).bound for one in results["sets"]])
    counts = [
        f"{(np.abs(column - 1.0) < IDLE).sum()} at C1 = {C1:g}"
        for column, C1 in zip(ratios.T, results["settings"]["C1"], strict=True)
    ]
    return (
        "On many sets the default is no more than the C-SVM, since all scores are smaller than rho2 anyway: the "
        f"largest score is the same on {' and '.join(counts)}, of {len(ratios)} sets."
    )


def losing(one: Verdict) -> str:
    """Return how many sets lose."""
    n = len(one.losers)
    return f"{n} set loses" if n == 1 else f"{n} sets lose"


def listed(names: list[str]) -> str:
    """Return names for a sentence."""
    return ", ".join(names) if names else "none"


def rule() -> str:
    """Return the rule that chooses."""
    return (
        f"1. A set loses to a candidate if its accuracy falls by more than {MAX_LOST} against C2 = 0, at "
        f"C1 = 1 or at C1 = 10, and by more than {NOISE:g} standard errors of that difference (those of "
        "McNemar's test: each sample that only one of the two models gets right is heads or tails). At "
        f"most {MAX_LOSERS} sets may lose.\n"
        f"2. Scores run away if the largest score |g| of a test sample exceeds {RUNAWAY:g} with C2 = 0. In "
        "the median of these cases (sets and C1) the candidate must lower it to at most "
        f"{MIN_BOUND} times that value.\n"
        "3. The candidate that bounds scores most is chosen. Candidates within "
        f"{CLOSE} of it count as equal. Among these, what is easier to remember comes first: a fixed C2 "
        "before one that follows C1, whole numbers before others; then the one with fewer pair steps."
    )


def explained(results: dict[str, Any]) -> str:
    """Return what the columns of the table of candidates are."""
    return (
        "All values compare with C2 = 0 at the same C1, over "
        f"{len(results['sets'])} sets. *Loses*: sets that lose by the rule. *Lower*, *higher*: sets whose "
        f"accuracy differs by more than that at C1 = 1 or at C1 = 10. *Score*: largest score of a test sample, "
        f"ratio, median over the cases in which it exceeds {RUNAWAY:g} with C2 = 0. *Area*: sensitivity area, mean difference over the sets of two classes. *Steps*: "
        "pair steps, ratio, geometric mean."
    )


def candidates(verdicts: list[Verdict], chosen: Verdict | None) -> str:
    """Return the table of all candidates."""
    head = [
        *("candidate", "loses", f"lower, {MAX_LOST}", f"lower, {NOTABLE}", f"higher, {NOTABLE}"),
        *("accuracy, mean", "worst", "score", "area", "steps", "allowed"),
    ]
    lines = [
        [
            f"**{one.band}**" if one is chosen else str(one.band),
            *(str(n) for n in (len(one.losers), one.n_much_lower, one.n_lower, one.n_higher)),
            f"{one.accuracy:+.4f}",
            f"{one.worst[0]:+.4f} ({one.worst[1]})",
            f"{one.bound:.2f}",
            f"{one.sensitivity:+.3f}",
            f"{one.cost:.2f}",
            "yes" if one.is_allowed else "no",
        ]
        for one in verdicts
    ]
    return table(head, lines)


def before_and_after(results: dict[str, Any], chosen: Band) -> str:
    """Return the table of all sets, those that lose most first."""
    settings = results["settings"]
    head = ["data", "classes", "train", "predictions"]
    for C1 in settings["C1"]:
        head += [f"C1 = {C1:g}: C2 = 0", "before", "after", "score", "before", "after"]
    head += ["area, before", "after"]
    lines = []
    for one in results["sets"]:
        old, new = (Comparison(one, band, settings) for band in (FORMER, chosen))
        line = [
            one["name"],
            str(one["n_classes"]),
            str(one["n_train"]),
            str(one["n_test"] * one["n_splits"]),
        ]
        for k in range(len(settings["C1"])):
            line += [
                f"{new.before[k]:.4f}",
                f"{old.accuracy[k]:+.4f}",
                f"{new.accuracy[k]:+.4f}",
                f"{new.largest_before[k]:.2f}",
                *(f"{each.bound[k]:.2f}" for each in (old, new)),
            ]
        line += [
            "" if each.sensitivity is None else f"{each.sensitivity.mean():+.3f}"
            for each in (old, new)
        ]
        lines.append((new.accuracy.min(), line))
    ordered = [line for _, line in sorted(lines, key=lambda pair: pair[0])]
    told = (
        "*Score*: largest score of a test sample with C2 = 0, then ratios to it. *Area*: sensitivity area, "
        "mean difference over both C1.\n\n"
    )
    return told + table(head, ordered)


def method(results: dict[str, Any]) -> str:
    """Return what was done, with the numbers of the run."""
    settings = results["settings"]
    splits = [one["n_splits"] for one in results["sets"]]
    return "\n".join(
        [
            f"- All data sets with labels of at most {settings['most_classes']} "
            f"classes. At most {settings['most_train']} training samples (and at most "
            f"{settings['train_share']:.0%} of all), at most {settings['most_test']} test samples, "
            f"{min(splits)} to {max(splits)} random splits until {settings['n_predictions']} test samples "
            "are predicted; and all of ijcnn1 with its published test set.",
            "- Features are standardised with the training samples (text is only scaled, and stays "
            "sparse). RBF kernel with `gamma='scale'`, `rho1 = 1`, hinge loss, one-vs-rest; all else as by "
            "default.",
            f"- C1: {numbers(settings['C1'])}. C2: {numbers(settings['C2'])}, as they are and as shares of "
            f"C1. rho2: {numbers(settings['rho2'])}. Every fit starts from zero, so that pair steps compare.",
            *(
                []
                if 1.0 in settings["rho2"]
                else [
                    "- Closed bands, `rho2 = rho1`, were not tried: a fit takes many times as long. "
                    "`make defaults ARGS=--full` tries them."
                ]
            ),
            "- Splits of small sets overlap, so that their noise is larger than the rule assumes.",
            "- Versions: " + ", ".join(f"{k} {v}" for k, v in results["versions"].items()) + ".",
        ]
    )


def numbers(values: list[float]) -> str:
    """Return numbers for a sentence."""
    return ", ".join(f"{value:g}" for value in values)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--out", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    options.out.write_text(page(json.loads(options.results.read_text())))


if __name__ == "__main__":
    main()
