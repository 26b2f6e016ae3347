"""Write docs/study.md and docs/when.md from the results of study.py: every number and conclusion."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import study_tables as tables
from study_comparison import LEVEL, Ranks, Results, compare, mean_ranks, read
from study_data import LEFT_OUT, MAX_DEVIATIONS, MAX_TRAIN, MIN_CLASS, TRAIN_SHARE
from study_diagram import draw
from study_hypotheses import MANY_CLASSES, MARGIN, PARTS, decide, verdict_on
from study_models import (
    BOOSTING_GRID,
    CSVM_C,
    DESCRIPTIONS,
    GAMMA_FACTORS,
    LOGISTIC_C,
    MAX_BOOSTED,
    MAX_FOR_FOLDS,
    N_FOLDS,
)
from study_tables import RIVALS_IN_ORDER, table
from study_tasks import MAX_FOR_NOISE, MAX_FOR_SCORING, MAX_WORK_FOR_NOISE
from study_when import when_page

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "studies" / "results" / "study.jsonl"
DIAGRAM = "study_ranks.svg"
FILES = {
    "study_ranks.csv": "mean ranks of all models in all measures",
    "study_overview.csv": "the median gain of every pair of models in every measure, and its verdict",
    "study_pairs.csv": "the same with means, intervals, wins and p-values",
    "study_data_sets.csv": "the data sets, how often a band was chosen, and accuracies",
}
RANKED = ("accuracy", "log loss", "risk-coverage area")
WITHOUT_BOOSTING = [name for name in RIVALS_IN_ORDER if name != "boosting"]


def page(results: Results) -> str:
    """Return the page: what was found and how; the full tables are files beside it."""
    sections = [
        "# Does the band help?",
        "What follows for users is in [when.md](when.md).",
        "## Summary",
        *tables.incomplete(results),
        "\n".join(summary(results)),
        f"Rank 1 is best. Models under one bar do not differ significantly (Nemenyi's test, "
        f"{LEVEL:.0%}). Only data sets on which all rivals ran.",
        f"![Critical-difference diagrams]({DIAGRAM})",
        "## What was expected, and what happened",
        hypotheses(results),
        "## All significant differences",
        "Pairs of models, with median gains of the first; the last column counts measures without a "
        "significant difference:",
        verdicts(results),
        "## Searching for another measure than accuracy",
        f"Means over all splits of data sets of two classes, up to {MAX_FOR_SCORING} training samples. "
        "The first column is what the search optimised.",
        tables.scoring(results),
        "## Full tables",
        "\n".join(f"- [{name}]({name}): {what}" for name, what in FILES.items()),
        tables.LEGEND,
        models(results),
        "## Method",
        method(results),
        tables.measures(),
        "## Limitations",
        limitations(),
        "*`make study` runs the study and writes this page. `studies/study_page.py` derives every "
        "number and every conclusion from `studies/results/study.jsonl`.*",
    ]
    return "\n\n".join(sections) + "\n"


def files(results: Results) -> dict[str, str]:
    """Return the full tables as CSV, by the names of their files."""
    ranks, pairs, overviews, sets = [], [], [], []
    for group in results.groups:
        part = results.group(group)
        ranks.append((group, tables.ranks(part, RIVALS_IN_ORDER)))
        if runs_apart(part):
            without = f"{group}, wide data, without boosting"
            ranks.append((without, tables.ranks(part, WITHOUT_BOOSTING)))
        overviews.append((group, tables.overview(part)))
        sets.append((group, tables.data_sets(part)))
        for first, second in tables.PAIRS:
            rows = compare(part, first, second)
            if rows:
                # One name for the columns of each model, whichever it is.
                text = tables.comparison(rows, "the first", "the second")
                pairs.append((f"{group}: {first} : {second}", text))
    found = zip(FILES, (ranks, overviews, pairs, sets), strict=True)
    return {name: tables.as_csv(parts) for name, parts in found}


def title(group: str) -> str:
    """Return the name of a group, for headings."""
    if group == "multi-class":
        return "More than two classes"
    return f"Two classes, at most {group.removeprefix('binary, ')} training samples"


def hypotheses(results: Results) -> str:
    """Return the verdicts, with their evidence."""
    stored = [tuple(part) for part in results.header["parts"]]
    if stored != [(part.hypothesis, part.text) for part in PARTS]:
        raise ValueError("The hypotheses were changed after the run; run the study again.")
    decisions = decide(results)
    lines = []
    for name, text in results.header["hypotheses"].items():
        lines.append([f"**{name}**", text, f"**{verdict_on(name, decisions)}**", ""])
        lines += [
            ["", one.part.text, one.verdict, one.evidence()]
            for one in decisions
            if one.part.hypothesis == name
        ]
    return table(["", "written down before the run", "verdict", "evidence"], lines)


def summary(results: Results) -> list[str]:
    """Return how often bands were chosen, and who ranks first, one bullet per group."""
    parts = [(results.group(group), group) for group in results.groups]
    return [*(chosen_bands(*part) for part in parts), *(best_rival(*part) for part in parts)]


def verdicts(results: Results) -> str:
    """Return all significant differences, one line per pair and group; losses come first."""
    lines = []
    for group in results.groups:
        for pair in tables.PAIRS:
            rows = compare(results.group(group), *pair)
            if not rows:
                continue
            found = [
                ", ".join(
                    f"{row.measure} ({tables.number(np.median(row.gains))})"
                    for row in rows
                    if row.verdict == verdict
                )
                for verdict in ("worse", "better")
            ]
            n_equal = sum(row.verdict == "not significantly different" for row in rows)
            lines.append([group, " : ".join(pair), *(one or "-" for one in found), str(n_equal)])
    head = ["group", "first : second", "the first is worse in", "better in", "no difference"]
    return table(head, lines)


def chosen_bands(results: Results, group: str) -> str:
    """Return how often a band was chosen, and how often it changed nothing."""
    n_tasks = len(results.tasks)
    with_band = [task for task in results.tasks if task["chosen"]["band"]["C2"] > 0.0]
    n_idle = sum(
        t["measures"]["band"]["accuracy"] == t["measures"]["without band"]["accuracy"]
        for t in with_band
    )
    return (
        f"- {title(group)}: `C2=0` was chosen in {n_tasks - len(with_band)} of {n_tasks} splits; "
        f"of the {len(with_band)} bands, {n_idle} left accuracy as it is at `C2=0`."
    )


def best_rival(results: Results, group: str) -> str:
    """Return which rival has the best mean rank in accuracy."""
    found = mean_ranks(results, "accuracy", RIVALS_IN_ORDER)
    if found is None:
        return f"- {title(group)}: too few data sets for ranks."
    order = ", ".join(f"{name} {rank:.2f}" for name, rank in found.mean_ranks.items())
    return f"- {title(group)}: mean ranks in accuracy on {found.n_sets} data sets: {order}."


def models(results: Results) -> str:
    """Return what the names of models mean."""
    found = {name for task in results.tasks for name in task["measures"]}
    return table(
        ["name", "model"], [[name, what] for name, what in DESCRIPTIONS.items() if name in found]
    )


def method(results: Results) -> str:
    """Return what was done, with the numbers of the run."""
    settings = results.header["settings"]
    tried: dict[str, set[int]] = {}
    for task in results.tasks:
        for name, count in task["n_candidates"].items():
            tried.setdefault(name, set()).add(count)
    counts = ", ".join(
        f"{name} {min(found)}" + (f" to {max(found)}" if len(found) > 1 else "")
        for name, found in tried.items()
    )
    seconds = sum(task["seconds"] for task in results.tasks)
    capped = ", ".join(f"{name} {n}" for name, n in MAX_TRAIN.items())
    lines = [
        f"Every data set is split {settings['n_splits']} times (seeds 0 to "
        f"{settings['n_splits'] - 1}), stratified, into training samples (at most "
        f"{TRAIN_SHARE:.0%} of all) and at most {settings['most_test']} test samples. Published "
        "training and test parts are joined first. Features are standardised with the training "
        f"samples and clipped at {MAX_DEVIATIONS:g} standard deviations. Sets of two classes have up to "
        f"{', '.join(map(str, settings['binary_sizes']))} training samples, others up to "
        f"{settings['multi_class_sizes'][-1]}; fewer to save time: {capped or 'none'}. Classes with "
        f"fewer than {MIN_CLASS} training samples are left out.",
        "Equal effort means equal numbers of candidates for all SVMs. Candidates tried: "
        f"{counts}. C-SVMs try {len(CSVM_C)} values of C from {CSVM_C[0]:g} to {CSVM_C[-1]:g}; "
        f"all kernel methods try gamma at {', '.join(f'{f:g}' for f in GAMMA_FACTORS)} times that of "
        "`gamma='scale'`. Banded SVMs search in stages: C1 at 0.1, 1, 10 and 100 without a band, "
        "then bands (the default C2, rho2 at 1 and 2) at the two best. Logistic regression tries C "
        f"at {', '.join(f'{C:g}' for C in LOGISTIC_C)}; boosting tries "
        + " and ".join(f"`{k}` {v[0]} and {v[1]}" for k, v in BOOSTING_GRID.items())
        + ". All maximise accuracy in the same "
        f"{N_FOLDS} stratified folds, above {MAX_FOR_FOLDS} training samples on one validation set of "
        "a third of them.",
        f"Boosting is left out where classes times features exceed {MAX_BOOSTED}. Rivals are tuned "
        f"again with wrong labels up to {MAX_FOR_NOISE} training samples and {MAX_WORK_FOR_NOISE} samples "
        "times classes.",
        "Values are first averaged over the splits of a data set; the data set is the unit of all "
        "tests. p-values come from Wilcoxon's two-sided signed-rank test, with zeros divided between "
        "both sides; Holm's correction covers the measures of a pair of models in a group. The rank "
        "correlation (matched-pairs rank-biserial) is 1 if the first model wins on all sets, -1 if it "
        "loses on all. Intervals of medians come from order statistics.",
        f"Hypotheses: a part holds if p < {LEVEL} after Holm's correction over all parts and the "
        "signed ranks favour it; it does not hold if they favour the opposite, or if the 95 % interval "
        f"of the median gain excludes a gain of {MARGIN}; a part that claims no loss holds if the "
        f"interval excludes a loss of {MARGIN}; else it is undecided. A hypothesis is as good as its "
        f'weakest part. "Many classes" are {MANY_CLASSES} or more. Which sets are images or signals '
        "was written down before the run, in `studies/study_data.py`.",
        f"{len(results.tasks)} tasks took {seconds / 3600:.1f} hours of one core. Versions: "
        + ", ".join(f"{k} {v}" for k, v in results.header["versions"].items())
        + ".",
    ]
    return "\n".join(f"- {line}" for line in lines)


def limitations() -> str:
    """Return what the study cannot show."""
    left_out = "; ".join(f"{name}: {why}" for name, why in LEFT_OUT.items())
    lines = [
        f"Not used: {left_out}.",
        "Some sets are related: mfeat-* describe the same digits; ann-thyroid and hypothyroid, "
        "winequality-red and -white, splice and splice-3class come from the same sources. The tests "
        "take all sets as independent. Sizes of one set are separate groups; where a hypothesis joins "
        "them, they are averaged first.",
        "The kernel is RBF. Grids have steps of a factor of 2.7 (C of C-SVMs), 10 (C1 of bands) and "
        "3.2 (gamma).",
        "Decision values of one-vs-one models are votes for classes, with ties broken by the values "
        "of pairs, which limits what their lead can say.",
        '"Not significantly different" does not mean "equal": the intervals show which differences '
        "remain possible.",
    ]
    return "\n".join(f"- {line}" for line in lines)


def runs_apart(results: Results) -> bool:
    """Return whether some data sets have all rivals except boosting."""
    rivals, others = (
        results.means("accuracy", [m for m in models if results.means("accuracy", [m])])
        for models in (RIVALS_IN_ORDER, WITHOUT_BOOSTING)
    )
    return len(others) > len(rivals)


def panels(results: Results) -> dict[str, Ranks]:
    """Return the diagrams: accuracy in all groups, then other measures in the last group."""
    found = {}
    for measure in RANKED:
        for group in results.groups if measure == "accuracy" else results.groups[-1:]:
            part = results.group(group)
            found[f"{title(group)}: {measure}"] = mean_ranks(part, measure, RIVALS_IN_ORDER)
            if runs_apart(part):
                ranks = mean_ranks(part, measure, WITHOUT_BOOSTING)
                found[f"{title(group)}, without boosting: {measure}"] = ranks
    return {name: ranks for name, ranks in found.items() if ranks is not None}


def main() -> None:
    """Write both pages and the diagram."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--out", type=Path, default=ROOT / "docs", help="folder of the pages")
    options = parser.parse_args()
    results = read(options.results)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "study.md").write_text(page(results))
    (options.out / "when.md").write_text(when_page(results))
    for name, text in files(results).items():
        (options.out / name).write_text(text)
    found = panels(results)
    if found:
        draw(found, options.out / DIAGRAM)


if __name__ == "__main__":
    main()
