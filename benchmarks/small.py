"""Small fits, many classes and single predictions beside SVC, in float64; results as JSON.

Both solve the same problem to the same tolerance, in turns; medians count. Ratios are seconds of
SVC over ours: above 1, we are faster.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs, make_classification
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_score
from sklearn.preprocessing import scale
from sklearn.svm import SVC

from bandsvm import BandedSVC, BandedSVCCV, SelectiveClassifier
from bandsvm.model_selection import band_path, leave_one_out
from data import has_real_data, load_real
from measure import RESULTS, save

TWO_CLASSES = (
    *("spambase", "magic04", "svmguide1", "ijcnn1"),
    *("cod-rna", "phishing", "higgs-sample", "banana"),
)
SIZES = (50, 100, 200, 450, 1000, 1500, 3000)
COSTS = (1.0, 10.0)
# name -> most samples
MANY_CLASSES = {
    **{"glass": 6000, "ecoli": 6000, "movement-libras": 6000, "dermatology": 6000},
    **{"soybean": 6000, "vehicle": 6000, "authorship": 6000, "binaryalphadigs": 6000},
    **{"winequality-red": 6000, "mfeat-factors": 6000, "cardiotocography-nsp": 6000},
    **{"segment": 6000, "dna": 6000, "satimage": 6000, "wall-following": 6000},
    **{"krkopt": 6000, "nursery": 6000, "pendigits": 6000, "letter": 6000, "isolet": 6000},
}
BAND, MANY_COST = 1.5, 10.0
# Seconds that a comparison may take, and the fewest and most turns.
PER_CASE, MIN_TURNS, MAX_TURNS = 1.5, 3, 40
N_OF_TOOLS = 300


def seconds(action: Callable[[], Any]) -> float:
    """Return how long an action takes."""
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def compared(actions: dict[str, Callable[[], Any]], smoke: bool) -> dict[str, dict[str, float]]:
    """Return the time of the first call of each action, and the median of later ones, in turns."""
    first = {name: seconds(action) for name, action in actions.items()}
    turns = int(np.clip(PER_CASE / sum(first.values()), MIN_TURNS, MAX_TURNS))
    later: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(1 if smoke else turns):
        for name, action in actions.items():
            later[name].append(seconds(action))
    return {
        name: {"first": first[name], "median": float(np.median(later[name]))} for name in actions
    }


def samples(name: str, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the first samples of a set, dense, standardised and in float64."""
    known = {"iris": load_iris, "wine": load_wine, "digits": load_digits}
    if name in known:
        X, y = known[name](return_X_y=True)
    elif name == "100 blobs":
        return make_blobs(1000, 10, centers=100, cluster_std=3.0, random_state=0)
    elif name == "generated":
        X, y = make_classification(3000, 20, n_informative=8, flip_y=0.05, random_state=0)
    else:
        X, y, *_ = load_real(name)
    X = X.toarray() if hasattr(X, "toarray") else X
    order = np.random.default_rng(0).permutation(len(y))[:most]
    return scale(np.asarray(X[order], dtype=np.float64)), y[order]


def two_classes(smoke: bool) -> Iterator[dict[str, Any]]:
    """Yield fits of two classes at growing numbers of samples."""
    names = TWO_CLASSES if has_real_data() and not smoke else ("generated",)
    for name in names:
        X, y = samples(name, max(SIZES))
        for n in SIZES[:2] if smoke else SIZES:
            if n > len(y) or len(np.unique(y[:n])) < 2:
                continue
            for C in COSTS:
                gamma = 1.0 / (X.shape[1] * X[:n].var())
                svc, plain = SVC(C=C, gamma=gamma), BandedSVC(C, 0.0, gamma=gamma)
                banded = BandedSVC(C, C, rho2=BAND, gamma=gamma)
                models = {"SVC": svc, "C-SVM": plain, "band": banded}
                actions = {k: partial(m.fit, X[:n], y[:n]) for k, m in models.items()}
                found = compared(actions, smoke)
                largest = np.abs(svc.decision_function(X) - plain.decision_function(X)).max()
                yield {
                    **{"data": name, "n_samples": n, "C": C, "solvers": found},
                    **{"largest_difference": float(largest), "certified": is_certified(models)},
                }


def many_classes(smoke: bool) -> Iterator[dict[str, Any]]:
    """Yield fits of many classes, by both strategies."""
    real = dict(MANY_CLASSES) if has_real_data() and not smoke else {}
    sets = {"iris": 0, "wine": 0} if smoke else {"iris": 0, "wine": 0, "digits": 0, **real}
    for name, most in {**sets, **({} if smoke else {"100 blobs": 0})}.items():
        X, y = samples(name, most or len(samples(name, 10**6)[1]))
        gamma = 1.0 / (X.shape[1] * X.var())
        models: dict[str, Any] = {"SVC": SVC(C=MANY_COST, gamma=gamma)}
        strategies = ("ovo",) if name == "100 blobs" else ("ovo", "ovr")
        for strategy in strategies:
            for label, C2 in (("C-SVM", 0.0), ("band", MANY_COST)):
                models[f"{strategy}, {label}"] = BandedSVC(
                    MANY_COST, C2, rho2=BAND, gamma=gamma, multi_class=strategy
                )
        actions = {k: partial(m.fit, X, y) for k, m in models.items()}
        found = compared(actions, smoke)
        same = models["SVC"].predict(X) == models["ovo, C-SVM"].predict(X)
        yield {
            **{"data": name, "n_samples": len(y), "n_features": X.shape[1]},
            **{"n_classes": len(np.unique(y)), "C": MANY_COST, "solvers": found},
            **{"same_labels": float(same.mean()), "certified": is_certified(models)},
        }


def is_certified(models: dict[str, Any]) -> bool:
    """Return whether all fits of ours are optimal."""
    return all(m.certificate_.is_optimal for k, m in models.items() if k != "SVC")


def predictions(smoke: bool) -> Iterator[dict[str, Any]]:
    """Yield predictions of one row."""
    for name in ("iris", "digits") if smoke else ("iris", "wine", "digits", "generated"):
        X, y = samples(name, 1000)
        svc = SVC().fit(X, y)
        model = BandedSVC(C2=0.0).fit(X, y)
        models = {"SVC": svc, "C-SVM": model}
        actions = {k: partial(m.predict, X[:1]) for k, m in models.items()}
        yield {"data": name, "n_support": len(model.support_), "solvers": compared(actions, smoke)}


def tools(smoke: bool) -> Iterator[dict[str, Any]]:
    """Yield what is done with many small fits, beside the same with SVC."""
    X, y = samples("generated", 40 if smoke else N_OF_TOOLS)
    ours, theirs = BandedSVC(C2=0.0, multi_class="ovo"), SVC()
    grid = {"C1": [0.1, 1.0, 10.0, 100.0]}
    search = BandedSVCCV(grid["C1"], [0.0], gamma=["scale"], search="full", refine=0)
    their_grid = {"C": grid["C1"]}
    costs = np.logspace(-1, 1, 10)

    def bagged(model: Any) -> Any:
        return BaggingClassifier(model, 10, random_state=0)

    def many_fits() -> None:
        for C in costs:
            SVC(C=C).fit(X, y)

    pairs: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "search of 4 costs, 5 folds": (
            lambda: GridSearchCV(theirs, their_grid).fit(X, y),
            lambda: search.fit(X, y),
        ),
        "path of 10 costs": (
            many_fits,
            lambda: band_path(X, y, vary="cost", values=costs, model=BandedSVC()),
        ),
        "leave-one-out": (
            lambda: cross_val_score(theirs, X, y, cv=LeaveOneOut()),
            lambda: leave_one_out(BandedSVC(C2=0.0).fit(X, y), X, y),
        ),
        "bagging of 10": (lambda: bagged(theirs).fit(X, y), lambda: bagged(ours).fit(X, y)),
        "calibration, 5 folds": (
            lambda: CalibratedClassifierCV(theirs).fit(X, y),
            lambda: CalibratedClassifierCV(ours).fit(X, y),
        ),
        "abstaining, 5 folds": (
            lambda: SelectiveClassifier(theirs, coverage=0.9).fit(X, y),
            lambda: SelectiveClassifier(ours, coverage=0.9).fit(X, y),
        ),
    }
    for name, (with_svc, with_ours) in pairs.items():
        found = compared({"SVC": with_svc, "bandsvm": with_ours}, smoke)
        yield {"task": name, "n_samples": len(y), "solvers": found}


def function_calls() -> dict[str, dict[str, int]]:
    """Return how many functions a fit of 100 samples and a prediction of one row call."""
    X, y = make_classification(100, 10, random_state=0)
    counts: dict[str, dict[str, int]] = {}
    for name, model in (("SVC", SVC()), ("bandsvm", BandedSVC())):
        for action in (lambda m=model: m.fit(X, y), lambda m=model: m.predict(X[:1])):
            for _ in range(3):
                action()
        counts[name] = {
            "fit": calls_of(lambda m=model: m.fit(X, y)),
            "predict": calls_of(lambda m=model: m.predict(X[:1])),
        }
    return counts


def calls_of(action: Callable[[], Any]) -> int:
    """Return how many functions an action calls, those of C included."""
    profile = cProfile.Profile()
    profile.runcall(action)
    return int(pstats.Stats(profile).total_calls)


def ratio(case: dict[str, Any], name: str) -> float:
    """Return the time of SVC over that of another."""
    return case["solvers"]["SVC"]["median"] / case["solvers"][name]["median"]


def show(title: str, case: dict[str, Any]) -> None:
    """Print ratios of a case."""
    others = [name for name in case["solvers"] if name != "SVC"]
    found = "  ".join(f"{name} {ratio(case, name):5.2f}" for name in others)
    print(f"{title:<34} SVC {1e3 * case['solvers']['SVC']['median']:9.3f} ms   {found}", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run all comparisons."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="few cases, one turn each")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the results")
    options = parser.parse_args(arguments)
    parts: dict[str, Callable[[bool], Iterator[dict[str, Any]]]] = {
        "two_classes": two_classes,
        "many_classes": many_classes,
        "predictions": predictions,
        "tools": tools,
    }
    results: dict[str, Any] = {"calls": function_calls(), "band": BAND}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for part, cases in parts.items():
            results[part] = []
            for case in cases(options.smoke):
                results[part].append(case)
                size, cost = case.get("n_samples", ""), case.get("C", "")
                show(f"{case.get('data') or case['task']} {size} {cost}", case)
    save("small", results, options.out)


if __name__ == "__main__":
    main()
