"""The page docs/when.md: who gains from a band, who does not, and what to set."""

from __future__ import annotations

from collections import Counter

import numpy as np

from study_comparison import LEVEL, Results
from study_hypotheses import MANY_CLASSES, MARGIN, Decision, Part, decide
from study_tables import incomplete, table


def any_task(task: dict) -> bool:
    """Return True: all data sets and sizes count."""
    return True


def case(text: str, measure: str, first: str, second: str, counts=any_task) -> Part:
    """Return a question of the page as a part that `decide` can test."""
    return Part("when", text, measure, first, second, counts)


CASES = (
    case("you have two classes, clean labels, and tune C", "accuracy", "band", "C-SVM",
         lambda task: task["group"] != "multi-class"),
    case(f"you have {MANY_CLASSES} classes or more", "accuracy", "band", "C-SVM",
         lambda task: task["n_classes"] >= MANY_CLASSES),
    case("your features are an image or a signal, with more than two classes", "accuracy", "band",
         "C-SVM", lambda task: task["group"] == "multi-class" and task["kind"] != "table"),
    case("your features are a table, with more than two classes", "accuracy", "band", "C-SVM",
         lambda task: task["group"] == "multi-class" and task["kind"] == "table"),
    case("you do not tune, and C may be too large", "accuracy", "untuned band", "untuned C-SVM"),
    case("a fifth of your labels are wrong", "accuracy, 20 % noise", "band", "C-SVM"),
    case("you look for wrong labels", "wrong labels found", "band", "C-SVM"),
    case("you abstain when unsure", "risk-coverage area", "band", "C-SVM"),
    case("you need probabilities", "log loss", "band", "C-SVM"),
    case("you need comparable scores of two classes", "sensitivity area", "band", "without band"),
    case("you need comparable scores of two classes", "sensitivity area", "band", "C-SVM"),
    case("your two classes consist of sub-clusters that should score alike", "cluster balance",
         "band", "without band"),
    case("your two classes consist of sub-clusters that should score alike", "cluster balance",
         "band", "C-SVM"),
    case("decision values must change little with wrong labels", "change by noise",
         "band", "without band"),
    case("decision values must change little with wrong labels", "change by noise",
         "band", "C-SVM"),
    case("samples of unknown classes may come", "unknown class found", "band", "C-SVM"),
    case("you choose between it and `SVC`", "accuracy", "band", "SVC"),
    case("you choose between it and boosting", "accuracy", "band", "boosting"),
)  # fmt: skip
ADVICE = {
    "gain": "A gain.",
    "small gain": "A small gain, but a significant one.",
    "loss": "A loss: set `C2=0`.",
    "no gain": "No gain worth its search: `C2=0` is as good.",
    "undecided": "Undecided.",
}
ITSELF = "without band"
# What a case is compared with, in words.
OPPONENTS = {
    "C-SVM": "a C-SVM that was tuned as long",
    ITSELF: "the same model without its band",
    "untuned C-SVM": "the C-SVM with the same C",
    "SVC": "`SVC`, tuned as long",
    "boosting": "boosting, tuned",
}


def outcome(decision: Decision) -> str:
    """Return which advice follows from a test."""
    if decision.is_loss:
        return "loss"
    if decision.verdict == "holds":
        return "gain" if np.median(decision.gains) >= MARGIN else "small gain"
    return "no gain" if decision.verdict == "does not hold" else "undecided"


def when_page(results: Results) -> str:
    """Return the whole page."""
    decisions = decide(results, CASES)
    sections = [
        "# When to use the band",
        f"{advice_in_short(decisions)} This is what [the study](study.md) found on "
        f"{len(results.names)} data sets.",
        "## In short",
        *incomplete(results),
        "\n".join(in_short(decisions)),
        "`BandedSVCCV` does not choose between these for you. It maximises accuracy unless `scoring` "
        "names something else, and then often chooses `C2=0`; for comparable scores, name a score that "
        "measures them ([how](guide/choosing_parameters.md)). The default band, `rho2=3`, changes the "
        "scores of few data sets at all at `C1=1` ([how many](defaults.md)).",
        "## Case by case",
        table(
            ["when", "measure", "compared with", "data sets", "a band brings", "evidence"],
            [
                [
                    one.part.text,
                    one.part.measure,
                    OPPONENTS[one.part.second],
                    str(len(one.gains)),
                    ADVICE[outcome(one)],
                    one.evidence(),
                ]
                for one in decisions
            ],
        ),
        "Two comparisons answer two questions. The tuned C-SVM is what you would use instead; its search "
        "found another C and gamma. The same model without its band shows what the band alone does, "
        "on the splits in which the search chose one, which favours the band.",
        f"The rule: p < {LEVEL} by Wilcoxon's test over data sets (Holm's correction over all lines) "
        f"is a gain or a loss, and a small gain if its median is below {MARGIN}. Otherwise there is no "
        f"gain if the 95 % interval of the median excludes {MARGIN}, and the case is undecided if it "
        "does not.",
        "## What to set",
        "If you want comparable scores and cannot search, take the C1 and gamma of a C-SVM, `C2` of a "
        "tenth of C1 and `rho2=2`, and compare accuracy with `C2=0` on held-out samples. Below is what "
        "searches for accuracy chose where they chose a band. Do not start there: many of these "
        "bands are closed (`rho2=1`), which makes nearly every sample a support vector and fits many "
        "times as long.",
        chosen_bands(results),
        untuned(results),
        "*`studies/study_page.py` wrote this page from `studies/results/study.jsonl`.*",
    ]
    return "\n\n".join(sections) + "\n"


def advice_in_short(decisions: list[Decision]) -> str:
    """Return the page in one sentence."""
    gains = [
        one.part.text
        for one in decisions
        if one.part.second != ITSELF and outcome(one) in ("gain", "small gain")
    ]
    unless = f", unless {', or '.join(gains)}" if gains else ""
    return f"In one sentence: leave the band out with `C2=0`{unless}."


def in_short(decisions: list[Decision]) -> list[str]:
    """Return the cases by outcome, losses first; what is compared twice stands in one place."""
    alone = {one.part.text for one in decisions if helps_alone(one)}
    # The usual comparison is with the tuned C-SVM, or the only one that there is.
    usual = [one for one in decisions if one.part.second != ITSELF]
    lines: list[str] = []
    for title, is_meant in (
        ("**Set `C2=0`, because a band makes things worse**, if", {"loss"}),
        ("**Set `C2=0`, because a band changes nothing that matters**, if", {"no gain"}),
        ("**A band gains a little** if", {"small gain"}),
        ("**Try a band** if", {"gain"}),
        ("**The study does not decide** if", {"undecided"}),
    ):
        found = []
        for one in (one for one in usual if outcome(one) in is_meant):
            words = one.part.text
            if one.part.second != "C-SVM":
                words += f" (compared with {OPPONENTS[one.part.second]})"
            if words in alone and "undecided" in is_meant:
                words += (
                    ": a band helps the same model, but perhaps not more than tuning a C-SVM does"
                )
            found.append(words)
        if found:
            lines += [title, "", *(f"- {words}" for words in found), ""]
    return lines[:-1]


def helps_alone(decision: Decision) -> bool:
    """Return whether a model with a band was better than the same one without it."""
    return decision.part.second == ITSELF and outcome(decision) in ("gain", "small gain")


def chosen_bands(results: Results) -> str:
    """Return what bands were chosen, by group and by kind of features."""
    lines = []
    for group in results.groups:
        for kind in ("image", "signal", "table"):
            tasks = [t for t in results.group(group).tasks if t["kind"] == kind]
            bands = [t["chosen"]["band"] for t in tasks if t["chosen"]["band"]["C2"] > 0.0]
            if not tasks:
                continue
            cells = ["", "", ""]
            if bands:
                common, _ = Counter(one["rho2"] for one in bands).most_common(1)[0]
                cells = [
                    f"{np.median([one['C1'] for one in bands]):g}",
                    f"{np.median([one['C2'] / one['C1'] for one in bands]):.2g}",
                    f"{common:g}",
                ]
            lines.append([group, kind, f"{len(bands)} of {len(tasks)}", *cells])
    head = ["group", "features", "splits with a band", "median C1", "median C2 / C1"]
    return table([*head, "most common rho2"], lines)


def untuned(results: Results) -> str:
    """Return what a band that nobody tuned does to accuracy, by group."""
    lines = []
    for group in results.groups:
        pairs = results.group(group).means("accuracy", ("untuned C-SVM", "untuned band", "band"))
        values = np.array(list(pairs.values()))
        lines.append([group, str(len(values)), *(f"{mean:.4f}" for mean in values.mean(axis=0))])
    head = ["group", "data sets", "untuned C-SVM", "untuned band", "tuned band"]
    return (
        "Mean accuracy at C1 = 10 without tuning, and tuned. The untuned band is `C2=1`, `rho2=1.5`, narrower "
        "than the default:\n\n" + table(head, lines)
    )
