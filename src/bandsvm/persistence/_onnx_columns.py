"""ONNX converters for what skl2onnx leaves out: indicators of missing values, rare categories."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder

DOMAIN = "ai.onnx.ml"


def register_columns() -> None:
    """Teach skl2onnx to convert imputers with indicators, and encoders that group categories."""
    _register(SimpleImputer, _has_indicator, _imputed_width, _convert_imputer)
    _register(OneHotEncoder, _encodes_text, _encoded_width, _convert_encoder)


def _register(
    kind: type,
    is_ours: Callable[[Any], bool],
    width: Callable[[Any], int],
    convert: Callable[[Any, Any, Any], None],
) -> None:
    """Convert operators of a class by ourselves where they are ours, else as skl2onnx does."""
    import skl2onnx
    from skl2onnx.common._registration import get_converter, get_shape_calculator
    from skl2onnx.common.data_types import FloatTensorType

    original = f"Sklearn{kind.__name__}"

    def set_shapes(operator: Any) -> None:
        if is_ours(operator):
            rows = operator.inputs[0].get_first_dimension()
            operator.outputs[0].type = FloatTensorType([rows, width(operator.raw_operator)])
        else:
            get_shape_calculator(original)(operator)

    def convert_or_leave(scope: Any, operator: Any, container: Any) -> None:
        chosen = convert if is_ours(operator) else get_converter(original)
        chosen(scope, operator, container)

    alias = f"Bandsvm{kind.__name__}"
    skl2onnx.update_registered_converter(kind, alias, set_shapes, convert_or_leave)


def _has_indicator(operator: Any) -> bool:
    indicator = operator.raw_operator.indicator_
    return indicator is not None and len(indicator.features_) > 0


def _imputed_width(imputer: SimpleImputer) -> int:
    return len(imputer.statistics_) + len(imputer.indicator_.features_)


def _convert_imputer(scope: Any, operator: Any, container: Any) -> None:
    """Write an imputer; beside its output stand the flags of what was missing."""
    from onnx import TensorProto
    from skl2onnx.common.data_types import FloatTensorType
    from skl2onnx.operator_converters.common import concatenate_variables

    imputer = operator.raw_operator
    if not np.isnan(imputer.missing_values) or np.isnan(imputer.statistics_).any():
        raise ValueError(
            "An imputer with add_indicator=True becomes ONNX only if it replaces nan and every "
            "column has a known value; drop the columns without one."
        )
    values = concatenate_variables(scope, operator.inputs, container, FloatTensorType)
    name = scope.get_unique_variable_name
    filled, is_missing, flags, chosen, indices = map(
        name, ("filled", "is_missing", "flags", "chosen", "indices")
    )
    container.add_node(
        "Imputer",
        values,
        filled,
        op_domain=DOMAIN,
        imputed_value_floats=imputer.statistics_.astype(np.float32),
        replaced_value_float=float("nan"),
        name=scope.get_unique_operator_name("Imputer"),
    )
    features = [int(k) for k in imputer.indicator_.features_]
    container.add_initializer(indices, TensorProto.INT64, [len(features)], features)
    container.add_node("IsNaN", values, is_missing, op_version=13)
    container.add_node("Cast", is_missing, flags, to=TensorProto.FLOAT, op_version=13)
    container.add_node("Gather", [flags, indices], chosen, axis=1, op_version=13)
    output = operator.outputs[0].full_name
    container.add_node("Concat", [filled, chosen], output, axis=1, op_version=13)


def _places(encoder: OneHotEncoder, k: int) -> tuple[NDArray, list[int], int, int]:
    """Return a column's categories, their places, that of unknown ones, and the number of places.

    Rare categories share the last place. The place after the last stands for none.
    """
    categories = encoder.categories_[k]
    infrequent = getattr(encoder, "infrequent_categories_", [None] * len(encoder.categories_))[k]
    rare = set() if infrequent is None else set(infrequent.tolist())
    frequent = [category for category in categories.tolist() if category not in rare]
    at = {category: place for place, category in enumerate(frequent)}
    n_places = len(frequent) + bool(rare)
    is_grouped = rare and encoder.handle_unknown in ("infrequent_if_exist", "warn")
    places = [at.get(category, n_places - 1) for category in categories.tolist()]
    return categories, places, n_places - 1 if is_grouped else n_places, n_places


def _encodes_text(operator: Any) -> bool:
    """Return whether an encoder takes text only and drops nothing."""
    from skl2onnx.common.data_types import StringTensorType

    takes_text = all(isinstance(given.type, StringTensorType) for given in operator.inputs)
    return takes_text and operator.raw_operator.drop is None


def _encoded_width(encoder: OneHotEncoder) -> int:
    return sum(_places(encoder, k)[3] for k in range(len(encoder.categories_)))


def _convert_encoder(scope: Any, operator: Any, container: Any) -> None:
    """Write an encoder: categories become places, places become ones among zeros."""
    from onnx import TensorProto

    encoder, parts, k = operator.raw_operator, [], 0
    for given in operator.inputs:
        for column in range(given.type.shape[1]):
            name = scope.get_unique_variable_name
            index, cells, coded, cube, shape, flat = map(
                name, ("index", "cells", "coded", "cube", "shape", "flat")
            )
            categories, places, unknown, n_places = _places(encoder, k)
            container.add_initializer(index, TensorProto.INT64, [1], [column])
            container.add_node("Gather", [given.full_name, index], cells, axis=1, op_version=13)
            container.add_node(
                "LabelEncoder",
                cells,
                coded,
                op_domain=DOMAIN,
                op_version=2,
                keys_strings=[str(category) for category in categories],
                values_int64s=places,
                default_int64=unknown,
                name=scope.get_unique_operator_name("LabelEncoder"),
            )
            container.add_node(
                "OneHotEncoder",
                coded,
                cube,
                op_domain=DOMAIN,
                cats_int64s=list(range(n_places)),
                zeros=1,
                name=scope.get_unique_operator_name("OneHotEncoder"),
            )
            container.add_initializer(shape, TensorProto.INT64, [2], [-1, n_places])
            container.add_node("Reshape", [cube, shape], flat, op_version=13)
            parts.append(flat)
            k += 1
    container.add_node("Concat", parts, operator.outputs[0].full_name, axis=1, op_version=13)
