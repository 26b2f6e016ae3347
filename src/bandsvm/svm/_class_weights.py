"""Class weights by the rule of `sklearn.svm`: 'balanced' counts samples, whatever they weigh."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets


def weights_by_class(
    class_weight: Any, y: NDArray, weights: NDArray | None
) -> dict[Any, float] | None:
    """Return the weight of each class that has samples; check that there are two of them."""
    if y.dtype.kind not in "biuU":  # these types are always labels
        check_classification_targets(y)
    if weights is not None and not weights.all():
        _check_two_classes(y, weights)
    if class_weight is None:
        return None
    classes = np.unique(y)
    values = compute_class_weight(class_weight, classes=classes, y=y)
    counted = classes if weights is None else np.unique(y[weights > 0.0])
    labels = zip(classes.tolist(), values.tolist(), strict=True)
    return {label: value for label, value in labels if label in counted}


def _check_two_classes(y: NDArray, weights: NDArray) -> None:
    counted = np.unique(y[weights > 0.0])
    if len(counted) < 2:
        raise ValueError(
            "Invalid input - all samples with positive weights belong to the same class, "
            f"{counted.tolist()[0]!r}; give samples of another class a weight greater than 0."
        )


def class_weights_of(banded: Any) -> NDArray[np.float64]:
    """Return the weights of the classes of a fitted model."""
    known = banded.class_weight or {}
    return np.array([known.get(label, 1.0) for label in banded.classes_.tolist()])
