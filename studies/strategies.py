"""One-vs-one or one-vs-rest? Both at BandedSVC's other defaults, on all sets of more than two classes.

Writes studies/results/strategies.json and docs/strategies.md. The rule, which was written down and
committed before the first run:

1. A case is a data set, a kernel (rbf, linear) and a C1 (1, 10); everything else is as by default,
   features are standardised.
2. A strategy wins a case if its accuracy on test samples is higher by more than `NOTABLE`, and by
   more than `NOISE` standard errors of the difference (McNemar's).
3. The strategy that wins more cases is the default. If neither wins `CLEARLY` times as many as the
   other, it is one-vs-one: its labels are those of scikit-learn's `SVC`, which users know.

    python studies/strategies.py [--jobs 2]
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from bandsvm import BandedSVC
from commit import current_commit
from defaults import SETTINGS, load, names, splits
from study_tables import table

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "studies" / "results" / "strategies.json"
PAGE = ROOT / "docs" / "strategies.md"
NOTABLE, NOISE, CLEARLY = 0.005, 2.0, 1.25
CASES = tuple(itertools.product(("rbf", "linear"), (1.0, 10.0)))
STRATEGIES = ("ovo", "ovr")
# A fit of the linear kernel with many overlapping classes is cut short.
MAX_FIT_SECONDS = 60.0


def study(name: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return what was found on a set: for each case, counts over all splits."""
    X, y = load(name)
    found: dict[str, Any] = {"name": name, "n_classes": len(np.unique(y)), "cases": []}
    parts = splits(X, y, settings)
    for kernel, C1 in CASES:
        case: dict[str, Any] = {"kernel": kernel, "C1": C1, "n_test": 0}
        case |= dict.fromkeys(("ovo_alone", "ovr_alone", "both", "as_svc"), 0)
        case |= {f"seconds_{strategy}": 0.0 for strategy in STRATEGIES}
        for train, test in parts:
            for key, value in measured(X, y, train, test, kernel, C1).items():
                case[key] += value
        found["cases"].append(case)
    return found


def measured(
    X: Any, y: np.ndarray, train: np.ndarray, test: np.ndarray, kernel: str, C1: float
) -> dict[str, float]:
    """Return how many test samples each strategy gets right, and how many as `SVC` does."""
    X = X.toarray() if hasattr(X, "toarray") else X
    scaler = StandardScaler().fit(X[train])
    left, right = scaler.transform(X[train]), scaler.transform(X[test])
    predicted, seconds = {}, {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for strategy in STRATEGIES:
            began = time.perf_counter()
            model = BandedSVC(
                C1=C1, kernel=kernel, multi_class=strategy, n_jobs=1, time_limit=MAX_FIT_SECONDS
            ).fit(left, y[train])
            seconds[f"seconds_{strategy}"] = time.perf_counter() - began
            predicted[strategy] = model.predict(right)
        known = SVC(C=C1, kernel=kernel, max_iter=10**7).fit(left, y[train]).predict(right)
    ovo, ovr = (predicted[strategy] == y[test] for strategy in STRATEGIES)
    return {
        "n_test": len(test),
        "ovo_alone": int((ovo & ~ovr).sum()),
        "ovr_alone": int((ovr & ~ovo).sum()),
        "both": int((ovo & ovr).sum()),
        "as_svc": int((predicted["ovo"] == known).sum()),
        **seconds,
    }


def winner(case: dict[str, Any]) -> str:
    """Return the strategy that wins a case by the rule, or an empty string."""
    ahead = case["ovo_alone"] - case["ovr_alone"]
    noise = NOISE * (case["ovo_alone"] + case["ovr_alone"]) ** 0.5
    if abs(ahead) <= max(noise, NOTABLE * case["n_test"]):
        return ""
    return "ovo" if ahead > 0 else "ovr"


def chosen(sets: list[dict[str, Any]]) -> str:
    """Return the strategy that the rule chooses."""
    won = [winner(case) for one in sets for case in one["cases"]]
    return "ovr" if won.count("ovr") >= CLEARLY * max(1, won.count("ovo")) else "ovo"


def page(sets: list[dict[str, Any]]) -> str:
    """Return the page: the choice, counts by kernel and cost, all sets."""
    rows, totals = [], []
    for kernel, C1 in CASES:
        cases = [case for one in sets for case in one["cases"] if is_case(case, kernel, C1)]
        won = [winner(case) for case in cases]
        ahead = [(case["ovo_alone"] - case["ovr_alone"]) / case["n_test"] for case in cases]
        slower = [case["seconds_ovr"] / case["seconds_ovo"] for case in cases]
        same = sum(case["as_svc"] for case in cases) / sum(case["n_test"] for case in cases)
        totals.append(
            [
                f"{kernel}, C1 = {C1:g}",
                str(won.count("ovo")),
                str(won.count("ovr")),
                str(won.count("")),
                f"{np.mean(ahead):+.4f}",
                f"{100 * same:.2f} %",
                f"{np.exp(np.mean(np.log(slower))):.2f}",
            ]
        )
    for one in sets:
        for case in one["cases"]:
            right = case["both"] + case["ovo_alone"], case["both"] + case["ovr_alone"]
            if winner(case):
                rows.append(
                    [
                        f"{one['name']} ({one['n_classes']})",
                        f"{case['kernel']}, C1 = {case['C1']:g}",
                        *(f"{count / case['n_test']:.3f}" for count in right),
                        winner(case),
                    ]
                )
    words = {"ovo": "one-vs-one", "ovr": "one-vs-rest"}
    return (
        "\n\n".join(
            [
                "# One-vs-one or one-vs-rest",
                f"The rule below chooses **{words[chosen(sets)]}** (`multi_class={chosen(sets)!r}`).",
                "## The rule",
                "It was written down before the first run. A case is a data set, a kernel and a C1; everything else is "
                "as by default, features are standardised. A strategy wins a case if its accuracy on test samples is "
                f"higher by more than {NOTABLE} and by more than {NOISE:g} standard errors of the difference "
                "(McNemar's). The strategy that wins more cases is the default. If neither wins "
                f"{CLEARLY:g} times as many as the other, it is one-vs-one, whose labels are those of `SVC`.",
                f"## {len(sets)} data sets",
                "*Ahead*: mean difference in accuracy, one-vs-one less one-vs-rest. *As SVC*: share of test samples that "
                "one-vs-one labels as `SVC` does (with C2 = 1 and rho2 = 3 in place of C2 = 0). *Time*: one-vs-rest over one-vs-one, one thread, geometric mean.",
                table(
                    ["cases", "ovo wins", "ovr wins", "neither", "ahead", "as SVC", "time"], totals
                ),
                "## Cases that one of them wins",
                table(["data set (classes)", "case", "ovo", "ovr", "wins"], rows),
                "*`python studies/strategies.py` runs the comparison and writes this page.*",
            ]
        )
        + "\n"
    )


def is_case(case: dict[str, Any], kernel: str, C1: float) -> bool:
    """Return whether a case has this kernel and cost."""
    return case["kernel"] == kernel and case["C1"] == C1


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the comparison and write its page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2, help="data sets at a time")
    parser.add_argument("--quick", action="store_true", help="two small sets, to see that it runs")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    settings = SETTINGS | {"most_train": 100, "most_splits": 2} if options.quick else SETTINGS
    stored = json.loads(options.out.read_text()) if options.out.exists() else []
    sets = {one["name"]: one for one in stored}
    wanted = ["wine"] if options.quick else many_classes(settings)
    commit = current_commit()
    jobs = (delayed(study)(name, settings) for name in wanted if name not in sets)
    for one in Parallel(n_jobs=options.jobs, return_as="generator_unordered")(jobs):
        sets[one["name"]] = one | {"commit": commit}
        lines = ",\n".join(json.dumps(sets[name]) for name in sorted(sets))
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(f"[\n{lines}\n]\n")
        print(len(sets), one["name"], [winner(case) for case in one["cases"]], flush=True)
    options.page.write_text(page([sets[name] for name in sorted(sets)]))


def many_classes(settings: dict[str, Any]) -> list[str]:
    """Return the sets of more than two classes."""
    return [name for name in names(settings) if len(np.unique(load(name)[1])) > 2]


if __name__ == "__main__":
    main()
