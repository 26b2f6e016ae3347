"""Does the band help? SVC and BandedSVC with equal search effort on three data sets of scikit-learn.

Five times two-fold cross-validation. In every training half each model gets the same number of
randomly drawn settings, judged by three-fold cross-validation on accuracy. Writes docs/study.md.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from scipy.stats import f as f_distribution
from scipy.stats import loguniform, uniform
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.metrics import accuracy_score, brier_score_loss, roc_auc_score
from sklearn.model_selection import RandomizedSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from bandsvm import BandedSVC
from bandsvm.metrics import sensitivity_area

PAGE = Path(__file__).parents[1] / "docs" / "study.md"
N_ROUNDS = 5
# name -> whether larger is better
MEASURES = {"accuracy": True, "AUC": True, "sensitivity area": True, "Brier score": False}


class RelativeBand(BandedSVC):
    """BandedSVC with C2 given as a multiple of C1 and the band by its width, for the search."""

    def __init__(self, C1=1.0, ratio=1.0, width=0.5, gamma="scale"):
        super().__init__(C1, ratio * C1, 1.0, 1.0 + width, gamma=gamma)
        self.ratio = ratio
        self.width = width

    def set_params(self, **params):
        """Set parameters and what follows from them."""
        super().set_params(**params)
        self.C2, self.rho2 = self.ratio * self.C1, 1.0 + self.width
        return self


def data_sets():
    """Yield name, samples and labels 0 and 1."""
    X, y = load_breast_cancer(return_X_y=True)
    yield "breast cancer", X, y
    X, y = load_digits(return_X_y=True)
    yield "digits, odd against even", X, y % 2
    X, y = load_wine(return_X_y=True)
    yield "wine, class 1 against the rest", X, (y == 1).astype(int)


def searches(n_settings: int, seed: int) -> dict[str, RandomizedSearchCV]:
    """Return the two models, each with its search."""
    kernel = {"gamma": loguniform(1e-4, 1e0)}
    spaces = {
        "SVC": (SVC(), {"C": loguniform(1e-2, 1e3), **kernel}),
        "BandedSVC": (
            RelativeBand(),
            {
                "C1": loguniform(1e-2, 1e3),
                "ratio": loguniform(1e-2, 1e1),
                "width": uniform(0.1, 1.9),
                **kernel,
            },
        ),
    }
    return {
        name: RandomizedSearchCV(
            make_pipeline(StandardScaler(), model),
            {f"{type(model).__name__.lower()}__{key}": values for key, values in space.items()},
            n_iter=n_settings,
            cv=3,
            random_state=seed,
        )
        for name, (model, space) in spaces.items()
    }


def evaluate(search: RandomizedSearchCV, X, y, X_test, y_test) -> dict[str, float]:
    """Search, fit and return all measures on test samples."""
    best = search.fit(X, y).best_estimator_
    decision = best.decision_function(X_test)
    calibrated = CalibratedClassifierCV(clone(best), cv=3).fit(X, y)
    return {
        "accuracy": accuracy_score(y_test, best.predict(X_test)),
        "AUC": roc_auc_score(y_test, decision),
        "sensitivity area": sensitivity_area(y_test, decision),
        "Brier score": brier_score_loss(y_test, calibrated.predict_proba(X_test)[:, 1]),
    }


def study(X, y, n_settings: int) -> dict[str, dict[str, np.ndarray]]:
    """Return model -> measure -> values of shape (rounds, 2)."""
    found = {
        name: {measure: np.zeros((N_ROUNDS, 2)) for measure in MEASURES}
        for name in ("SVC", "BandedSVC")
    }
    for round_ in range(N_ROUNDS):
        halves = StratifiedKFold(2, shuffle=True, random_state=round_).split(X, y)
        for fold, (train, test) in enumerate(halves):
            for name, search in searches(n_settings, seed=10 * round_ + fold).items():
                values = evaluate(search, X[train], y[train], X[test], y[test])
                for measure, value in values.items():
                    found[name][measure][round_, fold] = value
    return found


def p_value(differences: np.ndarray) -> float:
    """Return the p-value of the combined 5x2cv F test (Alpaydin 1999)."""
    variances = ((differences - differences.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    if variances.sum() == 0.0:
        return 1.0
    statistic = (differences**2).sum() / (2.0 * variances.sum())
    return float(f_distribution.sf(statistic, 10, 5))


def verdict(difference: float, larger_is_better: bool, p: float) -> str:
    """Return who is better, where chance does not explain it."""
    if p >= 0.05:
        return "no difference to speak of"
    return "the band helps" if (difference > 0) == larger_is_better else "the band hurts"


def main() -> None:
    """Run the study and write its page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--settings", type=int, default=30, help="settings that each search tries")
    parser.add_argument("--out", type=Path, default=PAGE)
    options = parser.parse_args()
    rows = []
    for name, X, y in data_sets():
        found = study(X, y, options.settings)
        for measure, larger_is_better in MEASURES.items():
            svc, band = found["SVC"][measure], found["BandedSVC"][measure]
            difference, p = float((band - svc).mean()), p_value(band - svc)
            rows.append(
                f"| {name} | {measure} | {svc.mean():.4f} ({svc.std():.4f}) | {band.mean():.4f} "
                f"({band.std():.4f}) | {difference:+.4f} | {p:.2f} | "
                f"{verdict(difference, larger_is_better, p)} |"
            )
            print(rows[-1], flush=True)
    head = [
        "# Does the band help?",
        "",
        "Written by `studies/small_study.py`. Five times two-fold cross-validation; in every training "
        f"half `SVC` and `BandedSVC` each get {options.settings} randomly drawn settings (C and gamma; "
        "C1, C2 / C1, rho2 and gamma), judged by accuracy in three folds: equal effort, in more "
        "dimensions for the band. Means and, in brackets, standard deviations over the ten test "
        "halves; p is that of the combined 5x2cv F test. AUC and sensitivity area are those of the "
        "decision value, the Brier score is that of `CalibratedClassifierCV`.",
        "",
        "| data | measure | SVC | BandedSVC | difference | p | |",
        "|---|---|---|---|---|---|---|",
    ]
    options.out.write_text("\n".join([*head, *rows]) + "\n")


if __name__ == "__main__":
    main()
