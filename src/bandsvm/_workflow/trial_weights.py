"""Weights of the features in models of linear kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from bandsvm._decisions import values
from bandsvm._decisions.multiclass import strategy_of
from bandsvm._system.text import short_text
from bandsvm._workflow.findings import MAX_CLASSES
from bandsvm._workflow.models import classifier_of

# Features that the picture shows.
MAX_BARS = 30


def has_weights(classifier: Any) -> bool:
    """Return whether a classifier has one weight per feature."""
    return getattr(classifier, "kernel", "linear") == "linear"


def feature_weights(model: Any, names: list[str] | None) -> dict[str, Any] | None:
    """Return the largest weights of a linear model, by feature; None for other kernels.

    Parameters
    ----------
    model : Pipeline or classifier
        The fitted model.
    names : list of str or None
        Names of the features that it takes.
    """
    classifier = classifier_of(model)
    if not has_weights(classifier):
        return None
    coef = values.feature_weights(classifier)
    encoded = _encoded_names(model, names, coef.shape[1])
    order = np.argsort(-np.abs(coef).max(axis=0), kind="stable")[:MAX_BARS]
    labels = [short_text(label) for label in classifier.classes_.tolist()]
    return {
        "features": [short_text(encoded[k]) for k in order.tolist()],
        "weights": coef[:MAX_CLASSES, order].tolist(),
        "classes": strategy_of(classifier).names(labels)[:MAX_CLASSES],
        "intercepts": np.ravel(classifier.intercept_)[:MAX_CLASSES].tolist(),
        "n_features": coef.shape[1],
        "is_prepared": isinstance(model, Pipeline) and len(model) > 1,
    }


def _encoded_names(model: Any, names: list[str] | None, n_features: int) -> list[str]:
    """Return the names of the features as the classifier takes them."""
    plain = [f"feature {k + 1}" for k in range(n_features)]
    if not isinstance(model, Pipeline) or len(model) == 1:
        return names if names is not None and len(names) == n_features else plain
    try:
        found = model[:-1].get_feature_names_out(None if names is None else np.array(names, object))
    except (AttributeError, ValueError, TypeError):
        return plain  # not every step of a pipeline can say
    texts = [str(name).removeprefix("numbers__").removeprefix("categories__") for name in found]
    return texts if len(texts) == n_features else plain
