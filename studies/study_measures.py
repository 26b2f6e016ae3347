"""What a model is worth on a split: its accuracy, scores, probabilities, and refits to changed data."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    brier_score_loss,
    log_loss,
    roc_auc_score,
)
from sklearn.model_selection import StratifiedKFold

from bandsvm import BandedSVC
from bandsvm._decisions.values import margin
from bandsvm.metrics import (
    cluster_balance,
    risk_coverage_area,
    risk_coverage_curve,
    sensitivity_area,
)
from study_data import Split
from study_models import N_FOLDS

# name -> whether larger is better, what it is
MEASURES = {
    "accuracy": (True, "share of correctly predicted test samples"),
    "AUC": (
        True,
        "area under the ROC curve of the decision value; several classes: mean over them",
    ),
    "Brier score": (
        False,
        "mean squared error of probabilities. SVMs: `CalibratedClassifierCV` (sigmoid, "
        "`ensemble=False`, 3 folds) around the chosen model; others: their own probabilities",
    ),
    "log loss": (False, "mean negative logarithm of the probability of the true class"),
    "calibration error": (
        False,
        "mean distance between confidence and accuracy in 15 equally wide bins of confidence",
    ),
    "risk-coverage area": (
        False,
        "mean error over all coverages, abstaining first where the predicted class leads least",
    ),
    "risk at 80 %": (False, "error on the 80 % of the test samples with the largest lead"),
    "risk at 90 %": (False, "the same at 90 %"),
    "risk at 95 %": (False, "the same at 95 %"),
    "sensitivity area": (
        True,
        "two classes only: mean signed decision value, with negative values set to 0, relative to "
        "the largest: the area under the paper's sensitivity curve",
    ),
    "accuracy lost to noise": (
        False,
        "drop in accuracy after a refit, with the chosen parameters, to training labels of which "
        "10 % are wrong",
    ),
    "change by noise": (
        False,
        "mean absolute change of decision values caused by that refit, in units of their standard "
        "deviation before it",
    ),
    "wrong labels found": (
        True,
        "average precision of the wrong labels of that refit when training samples are ordered by "
        "the decision value of their given class",
    ),
    "bootstrap disagreement": (
        False,
        "share of test samples on which two models, fitted with the chosen parameters to two "
        "bootstrap samples of the training set, disagree",
    ),
    "bootstrap correlation": (True, "correlation of the decision values of these two models"),
    "unknown class found": (
        True,
        "several classes only: average precision of the test samples of a class that was held out "
        "of training, ordered by the decision value of their predicted class",
    ),
    "unknown class, band": (
        True,
        "the same, ordered by the distance of that decision value from the band [1, rho2] (without "
        "a band: from [1, infinity)); one-vs-rest SVMs only",
    ),
    "cluster balance": (
        True,
        "four or more classes, merged into two (odd and even): mean absolute decision value of every "
        "original class, the smallest divided by the largest",
    ),
    "accuracy, 10 % noise": (
        True,
        "accuracy after a new search on training labels of which 10 % are wrong; at most 1000 "
        "training samples",
    ),
    "accuracy, 20 % noise": (True, "the same with 20 %"),
}
NOISE = 0.1
NOISES_TUNED = {"accuracy, 10 % noise": 0.1, "accuracy, 20 % noise": 0.2}
COVERAGES = {"risk at 80 %": 0.8, "risk at 90 %": 0.9, "risk at 95 %": 0.95}
N_BINS = 15
MIN_TO_MERGE = 4


def measures(model: BaseEstimator, split: Split, has_probabilities: bool) -> dict[str, float]:
    """Return all measures of a model with these parameters, except those that need a search."""
    fitted, probabilities = fitted_with_probabilities(model, split, has_probabilities)
    decision, predicted = fitted.decision_function(split.X_test), fitted.predict(split.X_test)
    return {
        **quality(split.y_test, predicted, decision),
        **probability_quality(split.y_test, probabilities),
        **under_noise(model, split, decision, predicted),
        **under_bootstrap(model, split),
        **with_unknown_class(model, split),
        **with_merged_classes(model, split),
    }


def fitted_with_probabilities(
    model: BaseEstimator, split: Split, has_probabilities: bool
) -> tuple[BaseEstimator, np.ndarray]:
    """Return the fitted model and probabilities of the test samples."""
    if has_probabilities:
        fitted = clone(model).fit(split.X, split.y)
        return fitted, fitted.predict_proba(split.X_test)
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=split.seed)
    calibrated = CalibratedClassifierCV(clone(model), method="sigmoid", cv=folds, ensemble=False)
    calibrated.fit(split.X, split.y)
    # Without an ensemble there is one classifier, whose estimator is fitted to all samples.
    return calibrated.calibrated_classifiers_[0].estimator, calibrated.predict_proba(split.X_test)


def quality(y: np.ndarray, predicted: np.ndarray, decision: np.ndarray) -> dict[str, float]:
    """Return measures of predictions and decision values."""
    score = margin(decision)
    coverage, risk, _ = risk_coverage_curve(y, predicted, score)
    found = {
        "accuracy": accuracy_score(y, predicted),
        "AUC": area_under_curve(y, decision),
        "risk-coverage area": risk_coverage_area(y, predicted, score),
        # Samples of equal score are kept together, so the coverage is at least that of the name.
        **{name: risk[np.searchsorted(coverage, c - 1e-9)] for name, c in COVERAGES.items()},
    }
    if decision.ndim == 1:
        found["sensitivity area"] = sensitivity_area(y, decision)
    return found


def area_under_curve(y: np.ndarray, decision: np.ndarray) -> float:
    """Return the area under the ROC curve, or its mean over classes against the rest."""
    if decision.ndim == 1:
        return float(roc_auc_score(y, decision))
    areas = [roc_auc_score(y == k, decision[:, k]) for k in np.unique(y)]
    return float(np.mean(areas))


def probability_quality(y: np.ndarray, probabilities: np.ndarray) -> dict[str, float]:
    """Return measures of probabilities, one column per class."""
    labels = np.arange(probabilities.shape[1])
    return {
        "Brier score": brier_score_loss(y, probabilities, labels=labels),
        "log loss": log_loss(y, probabilities, labels=labels),
        "calibration error": calibration_error(y, probabilities),
    }


def calibration_error(y: np.ndarray, probabilities: np.ndarray) -> float:
    """Return the expected calibration error of the predicted class."""
    confidence = probabilities.max(axis=1)
    is_right = probabilities.argmax(axis=1) == y
    bins = np.minimum((confidence * N_BINS).astype(int), N_BINS - 1)
    surplus = np.bincount(bins, weights=confidence - is_right, minlength=N_BINS)
    return float(np.abs(surplus).sum() / len(y))


def under_noise(
    model: BaseEstimator, split: Split, decision: np.ndarray, predicted: np.ndarray
) -> dict[str, float]:
    """Return what wrong labels change, and whether the model finds them."""
    labels = noisy_labels(split, NOISE)
    fitted = clone(model).fit(split.X, labels)
    other = fitted.decision_function(split.X_test)
    accuracy = accuracy_score(split.y_test, predicted)
    own = value_of_class(fitted.decision_function(split.X), labels)
    return {
        "accuracy lost to noise": accuracy - fitted.score(split.X_test, split.y_test),
        "change by noise": np.abs(other - decision).mean() / decision.std(),
        "wrong labels found": average_precision_score(labels != split.y, -own),
    }


def noisy_labels(split: Split, share: float) -> np.ndarray:
    """Return training labels of which a share is replaced by another class.

    As many samples of every class as there are folds keep their label, so that folds have it.
    """
    rng = np.random.default_rng([split.seed, round(100 * share)])
    n_classes = split.n_classes
    kept = [np.flatnonzero(split.y == k)[:N_FOLDS] for k in range(n_classes)]
    others = np.setdiff1d(np.arange(len(split.y)), np.concatenate(kept))
    is_wrong = np.zeros(len(split.y), dtype=bool)
    n_wrong = min(round(share * len(split.y)), len(others))
    is_wrong[rng.choice(others, n_wrong, replace=False)] = True
    shift = rng.integers(1, n_classes, size=len(split.y))
    return np.where(is_wrong, (split.y + shift) % n_classes, split.y)


def value_of_class(decision: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the decision value of each sample's label."""
    if decision.ndim == 1:
        return np.where(labels == 1, decision, -decision)
    return decision[np.arange(len(labels)), labels]


def under_bootstrap(model: BaseEstimator, split: Split) -> dict[str, float]:
    """Return how much two models fitted to bootstrap samples differ; no class is lost in them."""
    rng = np.random.default_rng([split.seed, 2])
    members = [np.flatnonzero(split.y == k) for k in np.unique(split.y)]
    pair = []
    for _ in range(2):
        drawn = np.concatenate([rng.choice(own, len(own)) for own in members])
        pair.append(clone(model).fit(split.X[drawn], split.y[drawn]))
    first, second = (one.decision_function(split.X_test).ravel() for one in pair)
    labels = [one.predict(split.X_test) for one in pair]
    return {
        "bootstrap disagreement": float((labels[0] != labels[1]).mean()),
        "bootstrap correlation": correlation(first, second),
    }


def correlation(first: np.ndarray, second: np.ndarray) -> float:
    """Return the correlation of two models' decision values; 0 if one of them is constant."""
    if first.std() == 0.0 or second.std() == 0.0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


def with_unknown_class(model: BaseEstimator, split: Split) -> dict[str, float]:
    """Return how well test samples of a class that was held out of training are recognised."""
    if split.n_classes < 3:
        return {}
    held_out = split.seed % split.n_classes
    kept = split.y != held_out
    fitted = clone(model).fit(split.X[kept], split.y[kept])
    decision = fitted.decision_function(split.X_test)
    own = np.abs(decision) if decision.ndim == 1 else decision.max(axis=1)
    is_unknown = split.y_test == held_out
    found = {"unknown class found": average_precision_score(is_unknown, -own)}
    if is_one_vs_rest(model):
        above = own - model.rho2 if model.C2 > 0.0 else np.full(len(own), -np.inf)
        outside = np.maximum(np.maximum(model.rho1 - own, above), 0.0)
        found["unknown class, band"] = average_precision_score(is_unknown, outside)
    return found


def is_one_vs_rest(model: Any) -> bool:
    """Return whether decision values of a model are those of its own band problems."""
    return isinstance(model, BandedSVC) and getattr(model, "multi_class", "ovr") == "ovr"


def with_merged_classes(model: BaseEstimator, split: Split) -> dict[str, float]:
    """Return how comparable the scores of classes are that were merged into two."""
    if split.n_classes < MIN_TO_MERGE:
        return {}
    fitted = clone(model).fit(split.X, split.y % 2)
    decision = fitted.decision_function(split.X_test)
    return {"cluster balance": cluster_balance(decision, split.y_test).ratio}
