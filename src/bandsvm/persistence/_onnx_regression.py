"""Regressors as ONNX graphs: predictions in double precision, a column for each quantile."""

from __future__ import annotations

from typing import Any

import numpy as np

from bandsvm._checks.tube_parameters import quantiles_of
from bandsvm._estimators.quantiles import BandedQuantileSVR
from bandsvm.persistence._onnx_nodes import Node, check_kernel, nodes, values_in_double

NAME = "prediction"
OPTIONS: dict[str, list[bool]] = {}


def check(model: Any) -> None:
    """Raise unless ONNX has the kernel."""
    check_kernel(model)


def outputs(operator: Any, n_samples: int | None) -> dict[str, Any]:
    """Return the type of the only output, by its name."""
    from skl2onnx.common.data_types import DoubleTensorType

    model = operator.raw_operator
    columns = [len(model.intercept_)] if _has_columns(model) else []
    return {NAME: DoubleTensorType([n_samples, *columns])}


def convert(scope: Any, operator: Any, container: Any) -> None:
    """Add the nodes of the graph."""
    model, names = operator.raw_operator, [output.full_name for output in operator.outputs]
    node = nodes(container.target_opset)
    values = values_in_double(operator, node)
    if len(model.intercept_) > 1:
        values = _without_crossing(values, model, node)
    shape = np.array([-1, len(model.intercept_)] if _has_columns(model) else [-1], dtype=np.int64)
    node("Reshape", values, shape, output_names=names).add_to(scope, container)


def _has_columns(model: Any) -> bool:
    """Return whether predictions have a column for each quantile."""
    return isinstance(model, BandedQuantileSVR) and np.ndim(model.quantile) == 1


def _without_crossing(values: Any, model: Any, node: Node) -> Any:
    """Return the node of values in ascending order, larger ones for larger quantiles."""
    n_quantiles = np.array([len(model.intercept_)], dtype=np.int64)
    ascending = node("TopK", values, n_quantiles, axis=1, largest=0, sorted=1)
    places = np.argsort(np.argsort(quantiles_of(model), kind="stable"))
    return node("Gather", ascending[0], places.astype(np.int64), axis=1)
