"""What a fitted model expects of a table."""

from __future__ import annotations

from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from bandsvm._tables.expected import Expected, Notes


def expected_table(model: Any, notes: Notes | None = None) -> Expected:
    """Return what a model expects of a table."""
    names = getattr(model, "feature_names_in_", None)
    first = model[0] if isinstance(model, Pipeline) else model
    texts: set[str] = set()
    steps = [first, *model] if isinstance(model, Pipeline) else [model]
    if isinstance(first, ColumnTransformer):
        for _, step, columns in first.transformers_:
            parts = list(step) if isinstance(step, Pipeline) else [step]
            steps += parts
            if any(isinstance(part, (OneHotEncoder, OrdinalEncoder)) for part in parts):
                texts.update(map(str, columns))
    return Expected(
        n_features=int(model.n_features_in_),
        names=None if names is None else list(map(str, names)),
        texts=frozenset(texts),
        takes_missing=any(isinstance(step, SimpleImputer) for step in steps),
        takes_frames=isinstance(first, ColumnTransformer),
        classes=[str(label) for label in model.classes_.tolist()],
        notes=notes or Notes(),
    )
