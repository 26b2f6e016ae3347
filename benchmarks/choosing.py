"""What choosing costs: a grid of cross-validated fits, paths, and leaving every sample out."""

from __future__ import annotations

import argparse
import json
import warnings
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

from bandsvm import BandedSVC, BandedSVCCV
from bandsvm.datasets import make_paper_clusters
from bandsvm.model_selection import band_path, leave_one_out
from data import DataSet, data_sets, has_real_data, real
from measure import RESULTS, middle_seconds, save, seconds_of

N_FOLDS = 5
N_GRID = 10
PATHS = {
    "mnist 6k": ("mnist", 6_000, False),
    "a9a 10k": ("a9a", 10_000, False),
    "covtype 10k": ("covtype", 10_000, True),
    "ijcnn1 20k": ("ijcnn1", 20_000, False),
    "cod-rna 20k": ("cod-rna", 20_000, True),
}
N_COLD = 5


def covtype_5000() -> DataSet:
    """Return the data of the grid."""
    if has_real_data():
        return real("covtype 5k", "covtype", 5_000, True)
    return next(data_sets(["generated 5k"]))


def grid(quick: bool) -> dict[str, Any]:
    """Compare a grid over C1 and gamma with scikit-learn's search and with single fits."""
    data = covtype_5000()
    n_grid = 3 if quick else N_GRID
    C1 = np.geomspace(0.1, 100.0, n_grid)
    gamma = data.gamma * np.geomspace(0.1, 10.0, n_grid)
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    splits = list(folds.split(data.X, data.y))
    shared: dict[str, Any] = {"gamma": gamma, "cv": splits, "refine": 0, "refit": False}
    plain = BandedSVCCV(C1=C1, C2=0.0, give_up=False, **shared)
    seconds = middle_seconds(lambda: plain.fit(data.X, data.y))
    hasty = BandedSVCCV(C1=C1, C2=0.0, give_up=True, **shared)
    hasty_seconds = middle_seconds(lambda: hasty.fit(data.X, data.y))
    chosen = plain.best_params_
    band = BandedSVCCV(
        C1=chosen["C1"],
        C2=chosen["C1"] * np.geomspace(0.01, 1.0, n_grid),
        rho2=np.linspace(1.1, 3.0, n_grid),
        **{**shared, "gamma": chosen["gamma"]},
        give_up=False,
    )
    band_seconds = middle_seconds(lambda: band.fit(data.X, data.y))
    single = []
    for k, cost in enumerate(C1):
        # One fit of every cost, each with another gamma: a sample of all hundred.
        train = splits[k % N_FOLDS][0]
        model = BandedSVC(C1=cost, C2=0.0, gamma=gamma[(3 * k) % n_grid])
        single.append(middle_seconds(lambda m=model, t=train: m.fit(data.X[t], data.y[t])))
    search = GridSearchCV(
        SVC(cache_size=1000), {"C": C1, "gamma": gamma}, cv=splits, n_jobs=2, refit=False
    )
    their_seconds = seconds_of(lambda: search.fit(data.X, data.y))
    theirs = {
        (p["C"], p["gamma"]): s
        for p, s in zip(
            search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
        )
    }
    scores = plain.cv_results_["mean_test_score"]
    difference = [
        abs(score - theirs[p["C1"], p["gamma"]])
        for p, score in zip(plain.cv_results_["params"], scores, strict=True)
    ]
    return {
        "data": data.label,
        "n_grid": n_grid,
        "seconds": seconds,
        "hasty_seconds": hasty_seconds,
        "hasty_score": hasty.best_score_,
        "band_seconds": band_seconds,
        "average_fit": float(np.mean(single)),
        "their_seconds": their_seconds,
        "largest_difference": max(difference),
        "best_score": plain.best_score_,
        "band_score": band.best_score_,
        "their_best_score": search.best_score_,
    }


def paths(quick: bool) -> list[dict[str, Any]]:
    """Compare paths of fifty points with cold fits of some of their points."""
    sets = [real(label, *entry) for label, entry in PATHS.items()] if has_real_data() else []
    if quick or not sets:
        sets = [next(data_sets(["generated 5k"]))]
    found = []
    for data in sets:
        for vary in ("C2", "rho2"):
            model = BandedSVC(gamma=data.gamma)
            path = band_path(data.X, data.y, vary=vary, model=model)
            seconds = middle_seconds(
                lambda d=data, v=vary, m=model: band_path(d.X, d.y, vary=v, model=m)
            )
            places = np.linspace(0, len(path.values) - 1, N_COLD).astype(int)
            cold, excess = [], []
            for k in places:
                single = BandedSVC(gamma=data.gamma, **{vary: path.values[k]})
                cold.append(middle_seconds(lambda m=single, d=data: m.fit(d.X, d.y)))
                ours, theirs = path.certificates[k].primal, single.certificate_.primal
                excess.append((ours - theirs) / theirs)
            found.append(
                {
                    "data": data.label,
                    "vary": vary,
                    "seconds": seconds,
                    "cold_fit": float(np.mean(cold)),
                    "n_points": len(path.values),
                    "n_certified": sum(c.is_optimal for c in path.certificates),
                    "largest_excess": float(np.max(excess)),
                }
            )
            print(found[-1], flush=True)
    return found


def left_out(quick: bool) -> list[dict[str, Any]]:
    """Compare exact leave-one-out errors of 1000 samples with single fits."""
    n = 200 if quick else 1_000
    sets: dict[str, tuple[np.ndarray, np.ndarray]] = {
        "paper's clusters": make_paper_clusters(n // 9 + 1, random_state=0)
    }
    if has_real_data():
        for label, name, standardise in (
            ("svmguide1", "svmguide1", True),
            ("covtype", "covtype", True),
            ("ijcnn1", "ijcnn1", False),
            ("a9a", "a9a", False),
        ):
            data = real(label, name, 0, standardise)
            # Some files are sorted by class.
            every = len(data.y) // n
            sets[label] = data.X[::every].astype(np.float64), data.y[::every]
    found = []
    for label, (X, y) in sets.items():
        X, y = X[:n], y[:n]
        for fit_intercept in (True, False):
            model = BandedSVC(fit_intercept=fit_intercept)
            fit = middle_seconds(lambda m=model, X=X, y=y: m.fit(X, y), 9)
            result = leave_one_out(model, X, y)
            seconds = middle_seconds(lambda m=model, X=X, y=y: leave_one_out(m, X, y))
            found.append(
                {
                    "data": label,
                    "n_samples": len(y),
                    "intercept": fit_intercept,
                    "fit": fit,
                    "seconds": seconds,
                    "n_refits": result.n_refits,
                    "error": result.error,
                }
            )
            print(found[-1], flush=True)
    return found


def main() -> None:
    """Measure what is asked for, and keep the rest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parts = {"grid": grid, "paths": paths, "leave_one_out": left_out}
    parser.add_argument("--only", choices=parts, action="append", help="measure this part only")
    parser.add_argument("--quick", action="store_true", help="tiny problems")
    options = parser.parse_args()
    path = RESULTS / "choosing.json"
    results = json.loads(path.read_text()) if path.exists() and options.only else {}
    warnings.filterwarnings("ignore", "BandedSVCCV found its best")
    for name in options.only or parts:
        results[name] = parts[name](options.quick)
        print(name, json.dumps(results[name], indent=1), flush=True)
    save("choosing", results)


if __name__ == "__main__":
    main()
