"""What a model file may hold: estimators as JSON and arrays, and back.

Every class has a `Kind`, which says what its parameters and fitted attributes must be. What is
written is checked as what is read, so that a file that was written can be read.
"""

from __future__ import annotations

import itertools
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from bandsvm.persistence._classifier import CLASSIFIER
from bandsvm.persistence._composites import COMPOSITES
from bandsvm.persistence._container import ModelFileError
from bandsvm.persistence._rules import Kind, Parts, require
from bandsvm.persistence._transformers import TRANSFORMERS
from bandsvm.persistence._values import Decoder, Encoder
from bandsvm.system.text import some

KINDS = {kind.cls.__name__: kind for kind in (CLASSIFIER, *TRANSFORMERS, *COMPOSITES)}
# Of no use to predictions: metadata routing, callbacks, and the address of a list in memory.
_NOT_STORED = ("_metadata_request", "_skl_callbacks", "_parent_callback_ctx", "_stop_words_id")


def describe(model: Any, encoder: Encoder) -> dict[str, Any]:
    """Return an estimator as a JSON object; raise TypeError if no file can hold it."""
    name = type(model).__name__
    kind = KINDS.get(name)
    if kind is None or kind.cls is not type(model):
        raise TypeError(
            f"a model file cannot hold {_called(model)}; it takes {', '.join(sorted(KINDS))}. "
            "joblib and skops take others."
        )
    left_out = {*_NOT_STORED, *model.get_params(deep=False)}
    attributes = {key: value for key, value in vars(model).items() if key not in left_out}
    parameters = _parameters(model, kind)
    unknown = sorted(
        (parameters.keys() - kind.parameters.keys())
        | (attributes.keys() - kind.attributes.keys() - kind.optional.keys())
    )
    if unknown:
        raise TypeError(
            f"a model file cannot hold {', '.join(unknown)} of this {name}; joblib takes models "
            "of any kind."
        )
    return {
        "class": name,
        "parameters": encoder.encode_all(parameters),
        "attributes": encoder.encode_all(attributes),
    }


def _called(model: Any) -> str:
    """Return a thing for a message."""
    if isinstance(model, BaseEstimator):
        return f"a {type(model).__module__.partition('.')[0]} {type(model).__name__}"
    return repr(model)


def _parameters(model: Any, kind: Kind) -> dict[str, Any]:
    """Return parameters as a file can hold them: columns that were chosen, not what chose them."""
    # What another version of scikit-learn has added does not count where it is not used.
    defaults = _new(kind).get_params(deep=False)
    parameters = {
        key: value
        for key, value in model.get_params(deep=False).items()
        if key in kind.parameters or value is not defaults[key]
    }
    if isinstance(model, ColumnTransformer) and hasattr(model, "_columns"):
        parameters["transformers"] = [
            (name, step, chosen if callable(columns) else columns)
            for (name, step, columns), chosen in zip(
                model.transformers, model._columns, strict=True
            )
        ]
    return parameters


def build(described: Any, decoder: Decoder) -> Any:
    """Return the estimator that a JSON object describes, checked."""
    name = described.get("class") if isinstance(described, dict) else None
    if not isinstance(name, str) or name not in KINDS:
        raise ModelFileError("is damaged: it holds a step that is not known")
    kind = KINDS[name]
    parameters = decoder.decode_all(described.get("parameters"))
    model = _new(kind)
    known = model.get_params(deep=False).keys() & kind.parameters.keys()
    unknown = sorted(parameters.keys() - known)
    if unknown:
        raise ModelFileError(f"has parameters that this version does not know: {some(unknown)}")
    attributes = decoder.decode_all(described.get("attributes"))
    for key, value in parameters.items():
        setattr(model, key, value)
    try:
        _check(kind, Parts(model, attributes))
    except ModelFileError:
        raise
    except (LookupError, AttributeError, TypeError, ValueError, ArithmeticError, RecursionError):
        raise ModelFileError(f"is damaged: the parts of its {name} do not fit together") from None
    vars(model).update(attributes)
    return model


def _new(kind: Kind) -> Any:
    """Return an estimator with default values, or none where there is no default."""
    empty: dict[type, dict[str, Any]] = {
        ColumnTransformer: {"transformers": []},
        Pipeline: {"steps": []},
    }
    return kind.cls(**empty.get(kind.cls, {}))


def _check(kind: Kind, parts: Parts) -> None:
    """Raise unless parameters and attributes are what a kind asks for."""
    parameters = parts.model.get_params(deep=False)
    for name in parameters.keys() & kind.parameters.keys():
        require(kind.parameters[name](parameters[name], parts))
    rules = {**kind.attributes, **kind.optional}
    require(parts.attributes.keys() <= rules.keys())
    is_fitted = not kind.attributes or not kind.attributes.keys().isdisjoint(parts.attributes)
    require(not is_fitted or kind.attributes.keys() <= parts.attributes.keys())
    for name, value in parts.attributes.items():
        require(rules[name](value, parts))
    if is_fitted and kind.check is not None:
        kind.check(parts)


def width(model: Any) -> int | None:
    """Return the number of features that a fitted transformer returns, None if X decides."""
    if isinstance(model, Pipeline):
        return width(model.steps[-1][1])
    return KINDS[type(model).__name__].width(model)


def check_chain(models: list[Any]) -> None:
    """Raise unless fitted models can work one after the other."""
    for model in models:
        try:
            check_is_fitted(model)
        except (TypeError, ValueError):
            raise ModelFileError("is damaged: one of its steps is not fitted") from None
    for before, after in itertools.pairwise(models):
        n_given, n_taken = width(before), getattr(after, "n_features_in_", None)
        if None not in (n_given, n_taken) and n_given != n_taken:
            raise ModelFileError("is damaged: its steps differ in their number of features")
