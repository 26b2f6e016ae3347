"""Models as ONNX graphs, through a converter for skl2onnx."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from bandsvm._checks.parameters import check_voting
from bandsvm._decisions.multiclass import OneVsOne, Strategy, strategy_of
from bandsvm._decisions.values import feature_weights
from bandsvm._estimators.kernel import BandedSVC
from bandsvm._estimators.linear import LinearBandedSVC
from bandsvm.persistence._onnx_columns import register_columns

if TYPE_CHECKING:
    from onnx import ModelProto

# our name -> ONNX's
KERNEL_NAMES = {"linear": "LINEAR", "poly": "POLY", "rbf": "RBF", "sigmoid": "SIGMOID"}
OUTPUTS = ("label", "decision_values", "probabilities")
# class -> name of its operator while skl2onnx builds the graph
ALIASES = {BandedSVC: "BandsvmBandedSVC", LinearBandedSVC: "BandsvmLinearBandedSVC"}
# The only version there is of this operator.
SVM_REGRESSOR_VERSION = 1
Node = Callable[..., Any]


def to_onnx(
    model: BandedSVC | LinearBandedSVC | Pipeline,
    X: Any = None,
    *,
    target_opset: int | dict[str, int] | None = None,
) -> ModelProto:
    """Convert a fitted model to ONNX.

    The graph has two outputs: ``label``, what `predict` returns, and ``decision_values``, what
    `decision_function` returns; models that were calibrated have a third, ``probabilities``. ONNX
    computes kernels in single precision: decision values agree to 1e-5 of the sum of the absolute
    values of their terms, and so do labels unless a decision value is closer than that to a tie.
    Graphs of `LinearBandedSVC` compute in double precision, as the model does.

    Parameters
    ----------
    model : BandedSVC, LinearBandedSVC or Pipeline
        A fitted `BandedSVC` with the kernel 'linear', 'poly', 'rbf' or 'sigmoid', a fitted
        `LinearBandedSVC`, or a pipeline that ends in one of them and whose other steps skl2onnx can
        convert.
    X : array-like or DataFrame of shape (n_samples, n_features) or None, default=None
        Samples of the input type of the graph; one row suffices. None means float32. A pipeline
        whose columns differ in type needs a DataFrame.
    target_opset : int, dict or None, default=None
        Version of the ONNX operators; None is the newest that skl2onnx was tested with.

    Returns
    -------
    onnx.ModelProto
        The graph. Its input is called ``X``; with a DataFrame each column is an input of its own,
        of shape (n_samples, 1), in float32, int64, bool or string.

    See Also
    --------
    register_converter : Convert graphs that contain the model.

    Examples
    --------
    >>> import onnxruntime
    >>> from sklearn.datasets import load_iris
    >>> from bandsvm import BandedSVC, to_onnx
    >>> X, y = load_iris(return_X_y=True)
    >>> graph = to_onnx(BandedSVC().fit(X, y))
    >>> session = onnxruntime.InferenceSession(graph.SerializeToString())
    >>> label, decision_values = session.run(None, {"X": X[[0, 60, 120]].astype("float32")})
    >>> label.tolist()
    [0, 1, 2]
    """
    register_converter()
    import skl2onnx

    check_is_fitted(model)
    _check_kind(model)
    if hasattr(X, "columns"):
        return skl2onnx.to_onnx(model, initial_types=_columns(model, X), target_opset=target_opset)
    if X is None and _chooses_by_name(model):
        raise ValueError(
            "X must be a DataFrame for a model that chooses columns by their names, got None; pass "
            "a row of the training data, whose columns say the types of the graph's inputs."
        )
    dtype = np.dtype(np.float32 if X is None else np.asarray(X).dtype)
    sample = np.zeros((1, model.n_features_in_), dtype)
    return skl2onnx.to_onnx(model, sample, target_opset=target_opset)


def _check_kind(model: Any) -> None:
    """Refuse models around ours: skl2onnx may convert them to other ones without a word."""
    last = model[-1] if isinstance(model, Pipeline) else model
    if isinstance(last, (BandedSVC, LinearBandedSVC)):
        return
    cure = "convert the BandedSVC, LinearBandedSVC or Pipeline within it."
    if isinstance(last, CalibratedClassifierCV):
        cure = "use bandsvm.calibrate(model, X, y), whose probabilities are the same, instead."
    elif hasattr(last, "best_estimator_"):
        cure = "pass its best_estimator_."
    raise ValueError(
        "to_onnx takes a BandedSVC, a LinearBandedSVC or a Pipeline that ends in one, got "
        f"{type(last).__name__}; {cure}"
    )


def _chooses_by_name(model: Any) -> bool:
    """Return whether a model begins with a ColumnTransformer that was fitted to a DataFrame."""
    first = model[0] if isinstance(model, Pipeline) else model
    return isinstance(first, ColumnTransformer) and hasattr(first, "feature_names_in_")


def _columns(model: Any, X: Any) -> list[tuple[str, Any]]:
    """Return name and type of an input for each column of a DataFrame."""
    from skl2onnx.common import data_types

    names, expected = [str(name) for name in X.columns], getattr(model, "feature_names_in_", None)
    if expected is None or names != expected.tolist():
        known = "none, but arrays" if expected is None else expected.tolist()
        raise ValueError(
            f"X must have the columns that the model was fitted to, {known}; got {names}."
        )
    # onnxruntime imputes in single precision only, and so does the rest of the graph compute.
    types = {
        "f": data_types.FloatTensorType,
        "b": data_types.BooleanTensorType,
        "i": data_types.Int64TensorType,
        "u": data_types.Int64TensorType,
    }
    kinds = [np.asarray(X[name]).dtype.kind for name in X.columns]
    return [
        (name, types.get(kind, data_types.StringTensorType)([None, 1]))
        for name, kind in zip(names, kinds, strict=True)
    ]


def register_converter() -> None:
    """Register our models with skl2onnx, so that models that contain them can be converted."""
    try:
        import skl2onnx
    except ImportError as error:
        raise ImportError(
            "ONNX models need the package skl2onnx; install it by pip install 'bandsvm[onnx]'."
        ) from error
    for kind, alias in ALIASES.items():
        skl2onnx.update_registered_converter(
            kind,
            alias,
            _set_shapes,
            _convert,
            parser=_parse,
            # Pipelines pass this option to all classifiers; it has no effect here.
            options={"zipmap": [True, False]},
        )
    register_columns()


def _parse(scope: Any, model: Any, inputs: list, custom_parsers: Any = None) -> list:
    """Declare the operator and its outputs."""
    if isinstance(model, BandedSVC):
        _check_kernel(model)
        check_voting(model)
    operator = scope.declare_local_operator(ALIASES[type(model)], model)
    operator.inputs = inputs
    for name, output_type in zip(OUTPUTS, _output_types(operator, None), strict=False):
        operator.outputs.append(scope.declare_local_variable(name, output_type))
    return operator.outputs


def _set_shapes(operator: Any) -> None:
    """Set types and shapes of the outputs."""
    n_samples = operator.inputs[0].get_first_dimension()
    types = _output_types(operator, n_samples)
    for output, output_type in zip(operator.outputs, types, strict=True):
        output.type = output_type


def _is_single(operator: Any) -> bool:
    """Return whether decision values are float32, as those of the model are."""
    from skl2onnx.common.data_types import FloatTensorType

    is_kernel_model = isinstance(operator.raw_operator, BandedSVC)
    return is_kernel_model or isinstance(operator.inputs[0].type, FloatTensorType)


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


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Add the nodes of the graph."""
    from onnx import TensorProto

    model = operator.raw_operator
    label, decision_values, *rest = ([output.full_name] for output in operator.outputs)
    node, strategy = _nodes(container.target_opset), strategy_of(model)
    if isinstance(model, BandedSVC):
        values = _kernel_values(operator, node)
    else:
        values = _linear_values(operator, node)
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


def _nodes(opset: int) -> Node:
    """Return a function that makes nodes of the graph: ``node("Add", a, b)``."""
    from skl2onnx.algebra import onnx_ops

    def node(name: str, *inputs: Any, **settings: Any) -> Any:
        make = getattr(onnx_ops, f"Onnx{name}")
        return make(*inputs, **{"op_version": opset, **settings})

    return node


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


def _kernel_values(operator: Any, node: Node) -> Any:
    """Return the node of decision values by ONNX's operator for kernels, a column per problem."""
    from onnx import TensorProto

    model = operator.raw_operator
    X = node("Cast", operator.inputs[0], to=TensorProto.FLOAT)
    columns = [
        node("SVMRegressor", X, **_attributes(model, k)) for k in range(len(model.intercept_))
    ]
    return columns[0] if len(columns) == 1 else node("Concat", *columns, axis=1)


def _linear_values(operator: Any, node: Node) -> Any:
    """Return the node of ``X w + b``, summed in float64 like `LinearBandedSVC` does."""
    from onnx import TensorProto

    model = operator.raw_operator
    X = node("Cast", operator.inputs[0], to=TensorProto.DOUBLE)
    products = node("MatMul", X, np.ascontiguousarray(feature_weights(model).T))
    values = node("Add", products, model.intercept_)
    floats = TensorProto.FLOAT if _is_single(operator) else TensorProto.DOUBLE
    return node("Cast", values, to=floats)


def _attributes(model: BandedSVC, problem: int) -> dict[str, Any]:
    """Return the attributes of the SVMRegressor of one problem."""
    parameters = [np.nan_to_num(model.gamma_), model.coef0, model.degree]
    attributes: dict[str, Any] = {
        "kernel_type": KERNEL_NAMES[model.kernel],
        "kernel_params": np.array(parameters, dtype=np.float32),
        "rho": model.intercept_[[problem]].astype(np.float32),
        "post_transform": "NONE",
        "op_version": SVM_REGRESSOR_VERSION,
    }
    coefficients = model.dual_coef_[problem]
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


def _check_kernel(model: BandedSVC) -> None:
    """Raise an error for kernels that ONNX does not support."""
    if not (isinstance(model.kernel, str) and model.kernel in KERNEL_NAMES):
        known = ", ".join(repr(name) for name in KERNEL_NAMES)
        raise ValueError(
            f"ONNX has the kernels {known} only, but the model has kernel={model.kernel!r}; fit it "
            "with one of those, or store it by pickle."
        )


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
