"""One class as an ONNX graph: labels, and decision values in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from bandsvm.persistence._onnx_nodes import check_kernel, nodes, values_in_double

OPTIONS: dict[str, list[bool]] = {}


def check(model: Any) -> None:
    """Raise unless ONNX has the kernel."""
    check_kernel(model)


def outputs(operator: Any, n_samples: int | None) -> dict[str, Any]:
    """Return the type of each output, by its name."""
    from skl2onnx.common.data_types import DoubleTensorType, Int64TensorType

    return {
        "label": Int64TensorType([n_samples]),
        "decision_values": DoubleTensorType([n_samples]),
    }


def convert(scope: Any, operator: Any, container: Any) -> None:
    """Add the nodes of the graph."""
    label, decision_values = ([output.full_name] for output in operator.outputs)
    node, one_axis = nodes(container.target_opset), np.array([-1], dtype=np.int64)
    column = values_in_double(operator, node)
    values = node("Reshape", column, one_axis, output_names=decision_values)
    is_outside = node("Less", values, np.zeros(1))
    minus_one, one = np.array([[-1], [1]], dtype=np.int64)
    labels = node("Where", is_outside, minus_one, one, output_names=label)
    values.add_to(scope, container)
    labels.add_to(scope, container)
