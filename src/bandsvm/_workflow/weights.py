"""Weights of features in linear models: the largest of each rule, and the largest of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from bandsvm._decisions.values import feature_weights
from bandsvm._system.text import short_text
from bandsvm._workflow.kinds import kind_of
from bandsvm._workflow.pipeline import Estimator, Model, all_steps, estimator_of

# Features that are listed for and against each class, and classes that are listed.
MAX_WEIGHTS, MAX_CLASSES_LISTED = 6, 20
# Features and decision rules that a picture shows.
MAX_BARS, MAX_PROBLEMS_DRAWN = 30, 30

Weight = tuple[str, float]


@dataclass(frozen=True)
class ProblemWeights:
    """The weights that raise a decision value most, and lower it, the largest first."""

    label: Any  # the class, or the prediction
    word: str  # which of them it is
    positive: list[Weight]
    negative: list[Weight]

    def values(self) -> dict[str, Any]:
        """Return the weights for machines."""
        return {
            self.word: self.label,
            "positive": [{"feature": name, "weight": weight} for name, weight in self.positive],
            "negative": [{"feature": name, "weight": weight} for name, weight in self.negative],
        }


def has_weights(estimator: Estimator) -> bool:
    """Return whether an estimator has a weight per feature."""
    return getattr(estimator, "kernel", "linear") == "linear"


def largest_weights(model: Model, given: list[str] | None = None) -> list[ProblemWeights]:
    """Return the largest weights: of two classes those of the second, else of each or each pair.

    ``given`` are names of the features that the model takes, if it does not know them itself.
    """
    estimator = estimator_of(model)
    kind, coef, names = kind_of(estimator), feature_weights(estimator), feature_names(model, given)
    rows = zip(kind.problem_names()[:MAX_CLASSES_LISTED], coef, strict=False)
    return [
        ProblemWeights(label, kind.problem_word, *_extremes(weights, names))
        for label, weights in rows
    ]


def _extremes(weights: NDArray, names: list[str]) -> tuple[list[Weight], list[Weight]]:
    """Return the largest weights above 0, and those below."""
    order = np.argsort(weights, kind="stable")

    def named(places: NDArray) -> list[Weight]:
        return [(names[k], float(weights[k])) for k in places.tolist()]

    high, low = order[::-1][:MAX_WEIGHTS], order[:MAX_WEIGHTS]
    return named(high[weights[high] > 0.0]), named(low[weights[low] < 0.0])


def weight_bars(model: Model, given: list[str] | None = None) -> dict[str, Any] | None:
    """Return the features of the largest weights and these, for a picture; None without weights."""
    estimator = estimator_of(model)
    if not has_weights(estimator):
        return None
    kind, coef, names = kind_of(estimator), feature_weights(estimator), feature_names(model, given)
    order = np.argsort(-np.abs(coef).max(axis=0), kind="stable")[:MAX_BARS]
    problems = [short_text(name) for name in kind.problem_names()[:MAX_PROBLEMS_DRAWN]]
    return {
        "features": [short_text(names[k]) for k in order.tolist()],
        "weights": coef[:MAX_PROBLEMS_DRAWN, order].tolist(),
        "word": kind.problem_word,
        "problems": problems,
        "meanings": [kind.weights_above_0(name) for name in problems],
        "intercepts": np.ravel(estimator.intercept_)[:MAX_PROBLEMS_DRAWN].tolist(),
        "n_features": coef.shape[1],
        "is_prepared": isinstance(model, Pipeline) and len(model) > 1,
    }


def feature_names(model: Model, given: list[str] | None = None) -> list[str]:
    """Return the names of the features that the estimator takes; numbers if there are none."""
    n_features = estimator_of(model).n_features_in_
    names = _known_names(model, n_features, given)
    return _numbered(n_features) if names is None or len(names) != n_features else names


def _known_names(model: Model, n_features: int, given: list[str] | None) -> list[str] | None:
    """Return what the steps before the estimator call the features that they make."""
    names = getattr(model, "feature_names_in_", given)
    if not isinstance(model, Pipeline) or len(model) == 1:
        return None if names is None else list(map(str, names))
    first = model[0]
    if names is None and not isinstance(first, ColumnTransformer):
        n_taken = getattr(model, "n_features_in_", n_features)
        if n_taken == n_features:
            return None
        names = _numbered(n_taken)
    taken = None if names is None else np.array(names, dtype=object)
    try:
        made = list(map(str, model[:-1].get_feature_names_out(taken)))
    except (ValueError, AttributeError):
        # Not every transformer names what it makes.
        return None
    if isinstance(first, ColumnTransformer) and first.verbose_feature_names_out:
        made = [name.partition("__")[2] or name for name in made]
    return made


def _numbered(n_features: int) -> list[str]:
    return [f"feature {k + 1}" for k in range(n_features)]


def scale_of_weights(model: Model) -> str:
    """Return the units of the features that weights belong to, as the end of a sentence."""
    steps = all_steps(model)
    if any(isinstance(step, StandardScaler) and step.with_std for step in steps):
        return "of features scaled to variance 1"
    if any(isinstance(step, MaxAbsScaler) for step in steps):
        return "of features scaled to at most 1 in size"
    return "of features as they are"
