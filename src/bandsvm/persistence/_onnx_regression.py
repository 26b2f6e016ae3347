"""Regressors as ONNX graphs: predictions in double precision, a column for each quantile."""

from __future__ import annotations

from typing import Any

import numpy as np

from bandsvm._checks.tube_parameters import quantiles_of
from bandsvm._estimators.quantiles import BandedQuantileSVR
from bandsvm._fitting.fitted import scale_of
from bandsvm.persistence._onnx_nodes import Node, check_kernel, kernel_values, linear_values, nodes

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
    values = _values(operator, node)
    if len(model.intercept_) > 1:
        values = _without_crossing(values, model, node)
    shape = np.array([-1, len(model.intercept_)] if _has_columns(model) else [-1], dtype=np.int64)
    node("Reshape", values, shape, output_names=names).add_to(scope, container)


def _has_columns(model: Any) -> bool:
    """Return whether predictions have a column for each quantile."""
    return isinstance(model, BandedQuantileSVR) and np.ndim(model.quantile) == 1


def _values(operator: Any, node: Node) -> Any:
    """Return the node of decision values, a column per problem.

    The operator for kernels has single precision: intercepts, which may be far larger than the
    differences of predictions, are added after it. All is in units of the latter until the end, as
    onnxruntime also takes tiny numbers for 0.
    """
    from onnx import TensorProto

    model = operator.raw_operator
    scale = scale_of(model)
    if model.kernel == "linear":
        values = linear_values(operator, node, scale)
    else:
        sums = kernel_values(operator, node, scale, has_rho=False)
        in_double = node("Cast", sums, to=TensorProto.DOUBLE)
        values = node("Add", in_double, model.intercept_ / scale)
    return node("Mul", values, np.array([scale]))


def _without_crossing(values: Any, model: Any, node: Node) -> Any:
    """Return the node of values in ascending order, larger ones for larger quantiles."""
    n_quantiles = np.array([len(model.intercept_)], dtype=np.int64)
    ascending = node("TopK", values, n_quantiles, axis=1, largest=0, sorted=1)
    places = np.argsort(np.argsort(quantiles_of(model), kind="stable"))
    return node("Gather", ascending[0], places.astype(np.int64), axis=1)
