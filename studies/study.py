"""Does the band help? BandedSVCCV against SVC, tuned with equal effort, on many data sets.

Writes studies/results/study.json, of which study_page.py makes docs/study.md. Data sets that
scikit-learn does not bring along are read from ../shared/data, or from the folder BANDSVM_DATA.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
import warnings
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import accuracy_score, brier_score_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from bandsvm import BandedSVCCV
from bandsvm.metrics import risk_coverage_area, sensitivity_area
from study_data import BUNDLED, STORED, folder, load

RESULTS = Path(__file__).parent / "results" / "study.json"
SETTINGS = {
    "n_splits": 2,
    "most_train": 300,
    "most_test": 1000,
    "train_share": 0.6,
    "n_folds": 5,
    "noise": 0.1,
    "n_noises": 3,
    "n_bootstrap_pairs": 3,
    # The ranges of BandedSVCCV, with as many points as it tries candidates: 20 + 32 + 8 + 1 at most.
    "SVC_C": [float(C) for C in np.geomspace(0.1, 100.0, 11)],
    "SVC_gamma_factors": [float(factor) for factor in np.geomspace(0.03, 3.0, 6)],
}
QUICK = {"n_splits": 1, "most_train": 60, "most_test": 60, "n_noises": 1, "n_bootstrap_pairs": 1}
DIGITS = 6


def study(name: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return all that was found on a data set."""
    start = time.perf_counter()
    data = load(name)
    n_train = min(settings["most_train"], int(settings["train_share"] * len(data.y)))
    n_test = min(settings["most_test"], len(data.y) - n_train)
    splits = []
    for seed in range(settings["n_splits"]):
        parts = train_test_split(
            np.arange(len(data.y)),
            train_size=n_train,
            test_size=n_test,
            stratify=data.y,
            random_state=seed,
        )
        train, test = (dense(data.X[part]) for part in parts)
        scaler = StandardScaler().fit(train)
        y_train, y_test = (data.y[part] for part in parts)
        split = Split(scaler.transform(train), y_train, scaler.transform(test), y_test, seed)
        splits.append(split.outcome(settings))
    return {
        "name": name,
        "classes": data.classes,
        "n_samples": len(data.y),
        "n_features": data.X.shape[1],
        "n_train": n_train,
        "n_test": n_test,
        "share_of_smaller_class": round(float(min(data.y.mean(), 1 - data.y.mean())), DIGITS),
        "seconds": round(time.perf_counter() - start, 1),
        "splits": splits,
    }


def dense(X: Any) -> np.ndarray:
    """Return samples as an array of float64."""
    return np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)


class Split:
    """One training set and one test set; both models see the same folds, noise and bootstraps."""

    def __init__(self, X, y, X_test, y_test, seed: int) -> None:
        self.X, self.y, self.X_test, self.y_test = X, y, X_test, y_test
        self.seed = seed

    def outcome(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Search with both models and return all measures on the test set."""
        folds = StratifiedKFold(settings["n_folds"], shuffle=True, random_state=self.seed)
        scale = 1.0 / (self.X.shape[1] * self.X.var())
        grid = {
            "C": settings["SVC_C"],
            "gamma": [scale * factor for factor in settings["SVC_gamma_factors"]],
        }
        svc = GridSearchCV(SVC(), grid, cv=folds).fit(self.X, self.y)
        with warnings.catch_warnings():
            # SVC's grid has the same ends and does not warn of them.
            warnings.filterwarnings("ignore", message=".*at the edge of the grid")
            band = BandedSVCCV(cv=folds, n_jobs=1).fit(self.X, self.y)
        models: dict[str, BaseEstimator] = {
            "SVC": svc.best_estimator_,
            "BandedSVC": band.best_estimator_,
        }
        if band.best_params_["C2"] > 0.0:
            models["without band"] = clone(band.best_estimator_).set_params(C2=0.0)
        chosen = {key: band.best_params_[key] for key in ("C1", "C2", "rho2", "gamma")}
        return {
            "seed": self.seed,
            "n_candidates": {
                "SVC": len(svc.cv_results_["params"]),
                "BandedSVC": len(band.cv_results_["params"]),
            },
            "score": rounded({"SVC": svc.best_score_, "BandedSVC": band.best_score_}),
            "chosen": {"SVC": rounded(svc.best_params_), "BandedSVC": rounded(chosen)},
            "measures": {
                name: rounded(self.measures(model, folds, settings))
                for name, model in models.items()
            },
        }

    def measures(self, model: BaseEstimator, folds, settings: dict[str, Any]) -> dict[str, float]:
        """Return what a model of these parameters is worth."""
        decision = self.decision(model, self.X, self.y)
        predicted = decision > 0.0
        calibrated = CalibratedClassifierCV(
            clone(model), method="sigmoid", cv=folds, ensemble=False
        ).fit(self.X, self.y)
        accuracy = accuracy_score(self.y_test, predicted)
        noisy = [
            self.decision(model, self.X, labels)
            for labels in self.noisy_labels(settings["noise"], settings["n_noises"])
        ]
        pairs = [
            (self.decision(model, self.X[a], self.y[a]), self.decision(model, self.X[b], self.y[b]))
            for a, b in self.bootstraps(settings["n_bootstrap_pairs"])
        ]
        return {
            "accuracy": accuracy,
            "AUC": roc_auc_score(self.y_test, decision),
            "Brier score": brier_score_loss(
                self.y_test, calibrated.predict_proba(self.X_test)[:, 1]
            ),
            "risk-coverage area": risk_coverage_area(self.y_test, predicted, np.abs(decision)),
            "sensitivity area": sensitivity_area(self.y_test, decision),
            "accuracy lost to noise": np.mean(
                [accuracy - accuracy_score(self.y_test, other > 0.0) for other in noisy]
            ),
            "change by noise": np.mean(
                [np.abs(other - decision).mean() / decision.std() for other in noisy]
            ),
            "bootstrap disagreement": np.mean([((a > 0.0) != (b > 0.0)).mean() for a, b in pairs]),
            "bootstrap correlation": np.mean([np.corrcoef(a, b)[0, 1] for a, b in pairs]),
        }

    def decision(self, model: BaseEstimator, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return decision values of the test samples after a fit."""
        return clone(model).fit(X, y).decision_function(self.X_test)

    def noisy_labels(self, share: float, n_times: int) -> Iterator[np.ndarray]:
        """Yield labels of which a share is wrong."""
        rng = np.random.default_rng([self.seed, 1])
        for _ in range(n_times):
            flipped = rng.permutation(len(self.y)) < round(share * len(self.y))
            yield np.where(flipped, 1 - self.y, self.y)

    def bootstraps(self, n_pairs: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield pairs of samples drawn with replacement."""
        rng = np.random.default_rng([self.seed, 2])
        for _ in range(n_pairs):
            first, second = rng.integers(len(self.y), size=(2, len(self.y)))
            yield first, second


def rounded(values: dict[str, Any]) -> dict[str, float]:
    """Return numbers as a result file has them."""
    return {name: float(f"{float(value):.{DIGITS}g}") for name, value in values.items()}


def main() -> None:
    """Run the study and write its results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two small sets, to see that it runs")
    parser.add_argument("--jobs", type=int, default=2, help="data sets at a time")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    if not options.quick and not folder().is_dir():
        parser.error(f"no data sets in {folder()}: let BANDSVM_DATA name their folder.")
    settings = SETTINGS | (QUICK if options.quick else {})
    names = ["iris", "wine"] if options.quick else [*BUNDLED, *STORED]
    jobs = 1 if options.quick else options.jobs
    sets = []
    found = Parallel(n_jobs=jobs, return_as="generator_unordered")(
        delayed(study)(name, settings) for name in names
    )
    for one in found:
        sets.append(one)
        print(f"{len(sets)}/{len(names)} {one['name']}: {one['seconds']} s", flush=True)
    results = {
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "scipy", "scikit-learn", "bandsvm")},
        },
        "settings": settings,
        "sets": sorted(sets, key=lambda one: one["name"]),
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
