"""What a model file may hold: estimators as JSON and arrays, and back.

Every class has a `Schema`, which says what its parameters and fitted attributes must be. What is
written is checked as what is read, so that a file that was written can be read.
"""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.utils.validation import check_is_fitted

from bandsvm._fitting.tables import fill_tables
from bandsvm._system.text import short_list
from bandsvm.persistence._categories import CATEGORIES
from bandsvm.persistence._classifier import CLASSIFIERS
from bandsvm.persistence._composites import COMPOSITES
from bandsvm.persistence._container import ModelFileError
from bandsvm.persistence._decoder import Decoder
from bandsvm.persistence._encoder import Encoder
from bandsvm.persistence._regressor import REGRESSORS
from bandsvm.persistence._rules import Parts, Rule, Schema, require
from bandsvm.persistence._searches import SEARCHES
from bandsvm.persistence._transformers import TRANSFORMERS
from bandsvm.persistence._vectorizers import VECTORIZERS

# Our own models, one of which a file ends with.
_OWN = (*CLASSIFIERS, *REGRESSORS, *SEARCHES)
MODELS: tuple[Any, ...] = tuple(schema.cls for schema in _OWN)
_TABLES = (*_OWN, *TRANSFORMERS, *CATEGORIES, *VECTORIZERS, *COMPOSITES)
SCHEMAS = {schema.cls.__name__: schema for schema in _TABLES}
# A step that does nothing.
PASSTHROUGH = "passthrough"
# Of no use to predictions: metadata routing, callbacks, and the address of a list in memory.
_NOT_STORED = ("_metadata_request", "_skl_callbacks", "_parent_callback_ctx", "_stop_words_id")
# What looking at an invalid value may raise.
_INVALID = (LookupError, AttributeError, TypeError, ValueError, ArithmeticError, RecursionError)


def describe(model: Any, encoder: Encoder) -> dict[str, Any]:
    """Return an estimator as a JSON object; raise TypeError if no file can hold it."""
    if isinstance(model, str) and model == PASSTHROUGH:
        return {"class": PASSTHROUGH}
    name = type(model).__name__
    schema = SCHEMAS.get(name)
    if schema is None or schema.cls is not type(model):
        raise TypeError(
            f"a model file cannot hold {_name_of(model)}; it takes {', '.join(sorted(SCHEMAS))}. "
            "joblib and skops take others."
        )
    left_out = {*_NOT_STORED, *model.get_params(deep=False)}
    fill_tables(model)
    attributes = {key: value for key, value in vars(model).items() if key not in left_out}
    parameters = _parameters(model, schema)
    unknown = sorted(
        (parameters.keys() - schema.parameters.keys())
        | (attributes.keys() - schema.attributes.keys() - schema.optional.keys())
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


def _name_of(model: Any) -> str:
    """Return how a message calls what should be an estimator."""
    if isinstance(model, BaseEstimator):
        return f"a {type(model).__module__.partition('.')[0]} {type(model).__name__}"
    return repr(model)


def _parameters(model: Any, schema: Schema) -> dict[str, Any]:
    """Return parameters as a file can hold them: columns that were chosen, not what chose them."""
    # What another version of scikit-learn has added does not count where it is not used.
    defaults = _new(schema).get_params(deep=False)
    parameters = {
        key: value
        for key, value in model.get_params(deep=False).items()
        if key in schema.parameters or value is not defaults[key]
    }
    chosen = getattr(model, "_columns", None)
    if isinstance(model, ColumnTransformer) and chosen and len(chosen) == len(model.transformers):
        parameters["transformers"] = [
            (name, step, places if callable(columns) else columns)
            for (name, step, columns), places in zip(model.transformers, chosen, strict=True)
        ]
    return parameters


def build(described: Any, decoder: Decoder) -> Any:
    """Return the estimator that a JSON object describes, checked."""
    name = described.get("class") if isinstance(described, dict) else None
    if name == PASSTHROUGH:
        return name
    if not isinstance(name, str) or name not in SCHEMAS:
        raise ModelFileError("is damaged: it holds a step that is not known")
    schema = SCHEMAS[name]
    parameters = decoder.decode_all(described.get("parameters"))
    model = _new(schema)
    known = model.get_params(deep=False).keys() & schema.parameters.keys()
    unknown = sorted(parameters.keys() - known)
    if unknown:
        raise ModelFileError(
            f"has parameters that this version does not know: {short_list(unknown)}"
        )
    attributes = decoder.decode_all(described.get("attributes"))
    for key, value in {**schema.if_missing, **parameters}.items():
        setattr(model, key, value)
    try:
        _check(schema, Parts(model, attributes))
    except ModelFileError:
        raise
    except _INVALID as error:
        part = f" ({error})" if isinstance(error, _InvalidPartError) else ""
        raise ModelFileError(
            f"is damaged: the parts of its {name} do not fit together{part}"
        ) from None
    vars(model).update(attributes)
    return model


def _new(schema: Schema) -> Any:
    """Return an estimator with default values, or none where there is no default."""
    empty: dict[type, dict[str, Any]] = {
        ColumnTransformer: {"transformers": []},
        FeatureUnion: {"transformer_list": []},
        Pipeline: {"steps": []},
    }
    return schema.cls(**empty.get(schema.cls, {}))


class _InvalidPartError(ValueError):
    """A part that is not valid, by its name."""


def _check_rule(name: str, rule: Rule, value: Any, parts: Parts) -> None:
    """Raise unless a value obeys its rule."""
    try:
        is_valid = rule(value, parts)
    except _INVALID:
        is_valid = False
    if not is_valid:
        raise _InvalidPartError(name)


def _check(schema: Schema, parts: Parts) -> None:
    """Raise unless parameters and attributes are what a schema asks for."""
    parameters = parts.model.get_params(deep=False)
    for name in parameters.keys() & schema.parameters.keys():
        _check_rule(name, schema.parameters[name], parameters[name], parts)
    rules = {**schema.attributes, **schema.optional}
    require(parts.attributes.keys() <= rules.keys())
    is_fitted = not schema.attributes or not schema.attributes.keys().isdisjoint(parts.attributes)
    require(not is_fitted or schema.attributes.keys() <= parts.attributes.keys())
    for name, value in parts.attributes.items():
        _check_rule(name, rules[name], value, parts)
    if is_fitted and schema.check is not None:
        schema.check(parts)


def width(model: Any) -> int | None:
    """Return the number of features that a fitted transformer returns, None if X decides."""
    if isinstance(model, str):  # 'drop' or 'passthrough'
        return None
    if isinstance(model, Pipeline):
        return width(model.steps[-1][1])
    if isinstance(model, FeatureUnion):
        widths = [width(step) for _, step in model.transformer_list]
        known = [n for n in widths if n is not None]
        return sum(known) if len(known) == len(widths) else None
    return SCHEMAS[type(model).__name__].width(model)


def check_chain(models: list[Any]) -> None:
    """Raise unless fitted models can work one after the other."""
    models = [model for model in models if model != PASSTHROUGH]
    try:
        for model in models:
            check_is_fitted(model)
        n_given = [width(model) for model in models[:-1]]
        n_taken = [getattr(model, "n_features_in_", None) for model in models[1:]]
    except _INVALID:
        raise ModelFileError("is damaged: one of its steps is not fitted") from None
    for given, taken in zip(n_given, n_taken, strict=True):
        if None not in (given, taken) and given != taken:
            raise ModelFileError("is damaged: its steps differ in their number of features")


def depends_on_version(model: Any) -> bool:
    """Return whether a step has private attributes, which differ between versions."""
    if model == PASSTHROUGH:
        return False
    is_composite = isinstance(model, (Pipeline, FeatureUnion))
    names = SCHEMAS[type(model).__name__].attributes
    return is_composite or any(name.startswith("_") for name in names)
