"""Models with scikit-learn's names as the banded estimators that they are."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline


def as_banded(model: Any) -> Any:
    """Return a fitted model, or a pipeline that ends in one, as banded estimator.

    Models of `bandsvm.svm` know it; all others are returned as they are.
    """
    if not isinstance(model, Pipeline):
        return model.to_banded() if hasattr(model, "to_banded") else model
    name, last = model.steps[-1]
    banded = as_banded(last)
    return model if banded is last else Pipeline([*model.steps[:-1], (name, banded)])
