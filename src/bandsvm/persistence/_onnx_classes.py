"""Classifiers as ONNX graphs: labels, decision values, probabilities."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from bandsvm._checks.parameters import check_voting
from bandsvm._decisions.multiclass import OneVsOne, Strategy, strategy_of
from bandsvm._estimators.kernel import BandedSVC
from bandsvm.persistence._onnx_nodes import Node, check_kernel, kernel_values, linear_values, nodes

NAMES = ("label", "decision_values", "probabilities")
# Pipelines of skl2onnx pass this option to all classifiers; it has no effect here.
OPTIONS = {"zipmap": [True, False]}


def check(model: Any) -> None:
    """Raise unless ONNX has the kernel, and the way of voting exists."""
    if isinstance(model, BandedSVC):
        check_kernel(model)
        check_voting(model)


def outputs(operator: Any, n_samples: int | None) -> dict[str, Any]:
    """Return the type of each output, by its name."""
    return dict(zip(NAMES, _output_types(operator, n_samples), strict=False))


def _output_types(operator: Any, n_samples: int | None) -> tuple[Any, ...]:
    """Return types and shapes of labels, decision values and, if there are any, probabilities."""
    from skl2onnx.common import data_types

    model = operator.raw_operator
    labels = {
        np.int64: data_types.Int64TensorType,
        np.float64: data_types.DoubleTensorType,
        np.str_: data_types.StringTensorType,
    }[_labels(model).dtype.type]
    strategy = strategy_of(model)
    n_columns = strategy.n_problems if _has_pair_values(strategy) else len(model.classes_)
    shape = [n_samples] if strategy.n_problems == 1 else [n_samples, n_columns]
    floats = data_types.FloatTensorType if _is_single(operator) else data_types.DoubleTensorType
    types = labels([n_samples]), floats(shape)
    if not hasattr(model, "sigmoids_"):
        return types
    return *types, floats([n_samples, len(model.classes_)])


def _is_single(operator: Any) -> bool:
    """Return whether decision values are float32, as those of the model are."""
    from skl2onnx.common.data_types import FloatTensorType

    is_kernel_model = isinstance(operator.raw_operator, BandedSVC)
    return is_kernel_model or isinstance(operator.inputs[0].type, FloatTensorType)


def convert(scope: Any, operator: Any, container: Any) -> None:
    """Add the nodes of the graph."""
    from onnx import TensorProto

    model = operator.raw_operator
    label, decision_values, *rest = ([output.full_name] for output in operator.outputs)
    node, strategy = nodes(container.target_opset), strategy_of(model)
    if isinstance(model, BandedSVC):
        values = kernel_values(operator, node)
    else:
        floats = TensorProto.FLOAT if _is_single(operator) else TensorProto.DOUBLE
        values = node("Cast", linear_values(operator, node), to=floats)
    if len(model.intercept_) == 1:
        one_axis = np.array([-1], dtype=np.int64)
        values = node("Reshape", values, one_axis, output_names=decision_values)
        zero = np.zeros(1, dtype=np.float32 if _is_single(operator) else np.float64)
        is_last = node("Greater", values, zero)
        position = node("Cast", is_last, to=TensorProto.INT64)
    elif isinstance(strategy, OneVsOne):
        pairs = values
        values = pairs if strategy.has_pair_values else _by_class(strategy, pairs, node)
        values = node("Identity", values, output_names=decision_values)
        votes = values
        if not strategy.breaks_ties:
            first_wins = node("Greater", pairs, np.zeros(1, dtype=np.float32))
            votes = _votes(strategy, first_wins, node)
        position = node("ArgMax", votes, axis=1, keepdims=0)
    else:
        values = node("Identity", values, output_names=decision_values)
        position = node("ArgMax", values, axis=1, keepdims=0)
    labels = node("Gather", _labels(model), position, output_names=label)
    values.add_to(scope, container)
    labels.add_to(scope, container)
    if rest:
        by_class = _by_class(strategy, pairs, node) if _has_pair_values(strategy) else values
        _probabilities(operator, by_class, rest[0], node).add_to(scope, container)


def _probabilities(operator: Any, values: Any, names: list[str], node: Node) -> Any:
    """Return the node of `probabilities`, given decision values of classes."""
    model = operator.raw_operator
    floats = np.float32 if _is_single(operator) else np.float64
    slopes, offsets = model.sigmoids_.astype(floats).T
    columns = node("Reshape", values, np.array([-1, len(slopes)], dtype=np.int64))
    lines = node("Add", node("Mul", columns, slopes[None]), offsets[None])
    own = node("Sigmoid", lines)
    if len(slopes) == 1:
        others = node("Sub", np.ones(1, dtype=floats), own)
        return node("Concat", others, own, axis=1, output_names=names)
    ones = np.ones((len(slopes), 1), dtype=floats)
    total = node("MatMul", own, ones)
    # All sigmoids are 0 far from every class; no class is then more probable than another.
    is_nothing = node("Equal", total, np.zeros(1, dtype=floats))
    even = np.full(1, 1.0 / len(slopes), dtype=floats)
    divisor = node("Where", is_nothing, np.ones(1, dtype=floats), total)
    shares = node("Div", own, divisor)
    return node("Where", is_nothing, even, shares, output_names=names)


def _has_pair_values(strategy: Strategy) -> TypeGuard[OneVsOne]:
    return isinstance(strategy, OneVsOne) and strategy.has_pair_values


def _votes(strategy: OneVsOne, first_wins: Any, node: Node) -> Any:
    """Return the node of votes: in how many pairs each class wins."""
    from onnx import TensorProto

    sides = strategy.sides.astype(np.float32)
    if_all_lost = (sides < 0.0).sum(axis=0, keepdims=True).astype(np.float32)
    wins = node("Cast", first_wins, to=TensorProto.FLOAT)
    return node("Add", node("MatMul", wins, sides), if_all_lost)


def _by_class(strategy: OneVsOne, values: Any, node: Node) -> Any:
    """Return the node of `OneVsOne.by_class`."""
    zero, one, three = np.array([[0.0], [1.0], [3.0]], dtype=np.float32)
    wins = node("Not", node("Less", values, zero))
    sums = node("MatMul", values, strategy.sides.astype(np.float32))
    scale = node("Mul", node("Add", node("Abs", sums), one), three)
    shares = node("Div", sums, scale)
    return node("Add", _votes(strategy, wins, node), shares)


def _labels(model: Any) -> NDArray:
    """Return the classes in a type that ONNX has."""
    classes = model.classes_
    if classes.dtype.kind in "biu":
        return classes.astype(np.int64)
    if classes.dtype.kind == "f":
        return classes.astype(np.float64)
    if all(isinstance(label, str) for label in classes.tolist()):
        return classes.astype(np.str_)
    raise ValueError(
        f"ONNX has labels that are numbers or strings only, got the classes {classes.tolist()}; "
        "encode them by sklearn.preprocessing.LabelEncoder."
    )
