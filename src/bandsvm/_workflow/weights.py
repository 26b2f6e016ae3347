"""The largest weights of a linear model, by class and by name of feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from bandsvm._decisions.multiclass import strategy_of
from bandsvm._decisions.values import feature_weights

# Features that are shown for and against each class, and classes that are shown.
MAX_WEIGHTS, MAX_SHOWN_CLASSES = 6, 20

Weight = tuple[str, float]


@dataclass(frozen=True)
class ClassWeights:
    """The weights that speak most for a class, and against it, the largest first."""

    label: Any
    positive: list[Weight]
    negative: list[Weight]

    def values(self) -> dict[str, Any]:
        """Return the weights for machines."""
        return {
            "class": self.label,
            "positive": [{"feature": name, "weight": weight} for name, weight in self.positive],
            "negative": [{"feature": name, "weight": weight} for name, weight in self.negative],
        }


def is_linear(classifier: Any) -> bool:
    """Return whether a classifier has a weight per feature."""
    return getattr(classifier, "kernel", "linear") == "linear"


def largest_weights(
    model: Any, classifier: Any, given: list[str] | None = None
) -> list[ClassWeights]:
    """Return the largest weights: of two classes those of the second, else of each or each pair.

    ``given`` are names of what the model takes, if it does not know them itself.
    """
    coef, names = feature_weights(classifier), _feature_names(model, classifier, given)
    labels = classifier.classes_.tolist()
    shown = strategy_of(classifier).names(labels)
    rows = zip(shown[:MAX_SHOWN_CLASSES], coef, strict=False)
    return [ClassWeights(label, *_extremes(weights, names)) for label, weights in rows]


def _extremes(weights: NDArray, names: list[str] | None) -> tuple[list[Weight], list[Weight]]:
    """Return the largest weights above 0, and those below."""
    order = np.argsort(weights, kind="stable")

    def named(places: NDArray) -> list[Weight]:
        return [
            (_numbered(k) if names is None else names[k], float(weights[k]))
            for k in places.tolist()
        ]

    high, low = order[::-1][:MAX_WEIGHTS], order[:MAX_WEIGHTS]
    return named(high[weights[high] > 0.0]), named(low[weights[low] < 0.0])


def _numbered(k: int) -> str:
    return f"feature {k + 1}"


def _feature_names(model: Any, classifier: Any, given: list[str] | None) -> list[str] | None:
    """Return the names of the features that the classifier takes; None: they have numbers only."""
    names = getattr(model, "feature_names_in_", given)
    if not isinstance(model, Pipeline) or len(model) == 1:
        return None if names is None else list(map(str, names))
    first = model[0]
    if names is None and not isinstance(first, ColumnTransformer):
        n_features = getattr(model, "n_features_in_", None)
        if n_features is None or n_features == classifier.n_features_in_:
            return None
        names = [_numbered(k) for k in range(n_features)]
    taken = None if names is None else np.array(names, dtype=object)
    try:
        made = list(map(str, model[:-1].get_feature_names_out(taken)))
    except (ValueError, AttributeError):
        # Not every transformer names what it makes.
        return None
    if isinstance(first, ColumnTransformer) and first.verbose_feature_names_out:
        made = [name.partition("__")[2] or name for name in made]
    return made if len(made) == classifier.n_features_in_ else None


def scale_of_weights(model: Any) -> str:
    """Return the units of the features that weights belong to, as the end of a sentence."""
    steps: list[Any] = list(model) if isinstance(model, Pipeline) else []
    if steps and isinstance(steps[0], ColumnTransformer):
        for _, step, _ in steps[0].transformers_:
            steps += list(step) if isinstance(step, Pipeline) else [step]
    if any(isinstance(step, StandardScaler) and step.with_std for step in steps):
        return "of features scaled to variance 1"
    if any(isinstance(step, MaxAbsScaler) for step in steps):
        return "of features scaled to at most 1 in size"
    return "of features as they are"
