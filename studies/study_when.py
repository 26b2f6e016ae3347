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
    case("You have two classes, clean labels, and you tune C", "accuracy", "band", "C-SVM",
         lambda task: task["group"] != "multi-class"),
    case(f"You have {MANY_CLASSES} classes or more", "accuracy", "band", "C-SVM",
         lambda task: task["n_classes"] >= MANY_CLASSES),
    case("Your features are an image or a signal, with more than two classes", "accuracy", "band",
         "C-SVM", lambda task: task["group"] == "multi-class" and task["kind"] != "table"),
    case("Your features are a table, with more than two classes", "accuracy", "band", "C-SVM",
         lambda task: task["group"] == "multi-class" and task["kind"] == "table"),
    case("You do not tune, and C may be too large", "accuracy", "untuned band", "untuned C-SVM"),
    case("A fifth of your labels are wrong", "accuracy, 20 % noise", "band", "C-SVM"),
    case("You look for wrong labels", "wrong labels found", "band", "C-SVM"),
    case("You abstain when unsure", "risk-coverage area", "band", "C-SVM"),
    case("You need probabilities", "log loss", "band", "C-SVM"),
    case("You need scores of two classes that are bounded and comparable", "sensitivity area",
         "band", "without band"),
    case("Your two classes consist of sub-clusters that should score alike", "cluster balance",
         "band", "without band"),
    case("Samples of unknown classes may come", "unknown class found", "band", "C-SVM"),
    case("You need decision values that change little with wrong labels", "change by noise",
         "band", "without band"),
    case("You choose between it and `SVC`", "accuracy", "band", "SVC"),
    case("You choose between it and boosting", "accuracy", "band", "boosting"),
)  # fmt: skip
ADVICE = {
    "gain": "Gain: use a band; `BandedSVCCV` tunes it.",
    "small gain": "Small but significant gain: a band helps a little.",
    "loss": "Loss: set `C2=0`, or use the other model.",
    "no gain": "No gain worth its search: `C2=0` is as good.",
    "undecided": "Undecided: let `BandedSVCCV` choose; `C2=0` is among its candidates.",
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
        "`studies/study_page.py` wrote this page from the results of the study; "
        "[study.md](study.md) has the method and all tables. The advice in the table follows from the "
        "numbers by a rule, given below it.",
        "## In short",
        *incomplete(results),
        "\n".join(in_short(decisions)),
        "## Case by case",
        table(
            ["case", "measure", "models", "data sets", "advice", "evidence"],
            [
                [
                    one.part.text,
                    one.part.measure,
                    f"{one.part.first} : {one.part.second}",
                    str(len(one.gains)),
                    ADVICE[outcome(one)],
                    one.evidence(),
                ]
                for one in decisions
            ],
        ),
        f"The rule: p < {LEVEL} by Wilcoxon's test over data sets (Holm's correction over all lines) "
        f"is a gain or a loss, and a small gain if its median is below {MARGIN}. Otherwise there is no "
        f"gain if the 95 % interval of the median excludes {MARGIN}, and the case is undecided if it "
        "does not. `C-SVM` and `band` are tuned with equal effort; `without band` is the chosen "
        "model with `C2=0`, on the splits in which a band was chosen, which favours the band a little.",
        "## What to set",
        "What searches chose where they chose a band. Start there if you cannot search; otherwise "
        "keep the grid of `BandedSVCCV`.",
        chosen_bands(results),
        untuned(results),
    ]
    return "\n\n".join(sections) + "\n"


def in_short(decisions: list[Decision]) -> list[str]:
    """Return the cases by outcome, one bullet each; losses first."""
    lines = []
    for name, title in (
        ("loss", "A band loses"),
        ("no gain", "A band brings nothing"),
        ("undecided", "Not decided by this study"),
        ("small gain", "A band gains a little"),
        ("gain", "A band gains"),
    ):
        found = [one.part.text for one in decisions if outcome(one) == name]
        lines.append(f"- {title}: {'; '.join(found) if found else 'in none of the cases'}.")
    return lines


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
    return "Mean accuracy at C1 = 10 without tuning, and tuned:\n\n" + table(head, lines)
