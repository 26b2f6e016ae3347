"""Parts of ONNX graphs that all our models share: decision values of kernels and of weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from bandsvm._decisions.values import feature_weights
from bandsvm._fitting.fitted import scale_of

# our name -> ONNX's
KERNEL_NAMES = {"linear": "LINEAR", "poly": "POLY", "rbf": "RBF", "sigmoid": "SIGMOID"}
# The only version there is of this operator.
SVM_REGRESSOR_VERSION = 1
Node = Callable[..., Any]


def nodes(opset: int) -> Node:
    """Return a function that makes nodes of the graph: ``node("Add", a, b)``."""
    from skl2onnx.algebra import onnx_ops

    def node(name: str, *inputs: Any, **settings: Any) -> Any:
        make = getattr(onnx_ops, f"Onnx{name}")
        return make(*inputs, **{"op_version": opset, **settings})

    return node


def check_kernel(model: Any) -> None:
    """Raise an error for kernels that ONNX does not support."""
    if has_weights(model):
        return
    if not (isinstance(model.kernel, str) and model.kernel in KERNEL_NAMES):
        known = ", ".join(repr(name) for name in KERNEL_NAMES)
        raise ValueError(
            f"ONNX has the kernels {known} only, but the model has kernel={model.kernel!r}; fit it "
            "with one of those, or store it by pickle."
        )


def has_weights(model: Any) -> bool:
    """Return whether decision values are sums of weighted features."""
    return not hasattr(model, "kernel") or model.kernel == "linear"


def kernel_values(operator: Any, node: Node, scale: float = 1.0, has_rho: bool = True) -> Any:
    """Return the node of decision values by ONNX's operator for kernels, a column per problem.

    They are divided by ``scale``, and lack intercepts without ``has_rho``.
    """
    from onnx import TensorProto

    model = operator.raw_operator
    X = node("Cast", operator.inputs[0], to=TensorProto.FLOAT)
    intercepts = model.intercept_ if has_rho else np.zeros(len(model.intercept_))
    columns = [
        node("SVMRegressor", X, **_attributes(model, coefficients / scale, rho))
        for coefficients, rho in zip(model.dual_coef_, intercepts, strict=True)
    ]
    return columns[0] if len(columns) == 1 else node("Concat", *columns, axis=1)


def linear_values(operator: Any, node: Node, scale: float = 1.0) -> Any:
    """Return the node of ``(X w + b) / scale``, summed in float64, a column per problem."""
    from onnx import TensorProto

    model = operator.raw_operator
    X = node("Cast", operator.inputs[0], to=TensorProto.DOUBLE)
    products = node("MatMul", X, np.ascontiguousarray(feature_weights(model).T / scale))
    return node("Add", products, model.intercept_ / scale)


def values_in_double(operator: Any, node: Node) -> Any:
    """Return the node of decision values, a column per problem.

    The operator for kernels has single precision: intercepts, which may be far larger than the
    differences of decision values, are added after it. All is in units of the latter until the
    end, as onnxruntime also takes tiny numbers for 0.
    """
    from onnx import TensorProto

    model = operator.raw_operator
    scale = scale_of(model)
    if has_weights(model):
        values = linear_values(operator, node, scale)
    else:
        sums = kernel_values(operator, node, scale, has_rho=False)
        in_double = node("Cast", sums, to=TensorProto.DOUBLE)
        values = node("Add", in_double, model.intercept_ / scale)
    return node("Mul", values, np.array([scale]))


def _attributes(model: Any, coefficients: Any, rho: float) -> dict[str, Any]:
    """Return the attributes of the SVMRegressor of one problem."""
    parameters = [np.nan_to_num(model.gamma_), model.coef0, model.degree]
    attributes: dict[str, Any] = {
        "kernel_type": KERNEL_NAMES[model.kernel],
        "kernel_params": np.array(parameters, dtype=np.float32),
        "rho": np.array([rho], dtype=np.float32),
        "post_transform": "NONE",
        "op_version": SVM_REGRESSOR_VERSION,
    }
    used = np.flatnonzero(coefficients)
    if model.kernel == "linear" or len(used) == 0:
        # Without support vectors the coefficients are those of the features.
        weights = coefficients[used] @ model.support_vectors_[used]
        attributes |= {"kernel_type": "LINEAR", "n_supports": 0}
        attributes["coefficients"] = np.asarray(weights, dtype=np.float32).ravel()
        return attributes
    vectors: Any = model.support_vectors_[used]
    vectors = vectors.toarray() if sp.issparse(vectors) else vectors
    attributes["n_supports"] = len(used)
    attributes["coefficients"] = coefficients[used].astype(np.float32)
    attributes["support_vectors"] = vectors.astype(np.float32).ravel()
    return attributes
