"""Models as ONNX graphs, through a converter for skl2onnx."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from bandsvm._estimators.banded import as_banded
from bandsvm._estimators.kernel import BandedSVC
from bandsvm._estimators.linear import LinearBandedSVC
from bandsvm._estimators.linear_regression import LinearBandedSVR
from bandsvm._estimators.one_class import OneClassBandedSVM
from bandsvm._estimators.quantiles import BandedQuantileSVR
from bandsvm._estimators.regression import BandedSVR
from bandsvm.persistence import _onnx_classes, _onnx_one_class, _onnx_regression
from bandsvm.persistence._onnx_columns import register_columns
from bandsvm.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVR, OneClassSVM

if TYPE_CHECKING:
    from onnx import ModelProto

# class -> name of its operator while skl2onnx builds the graph, and what makes its nodes
KINDS: dict[type, tuple[str, Any]] = {
    BandedSVC: ("BandsvmBandedSVC", _onnx_classes),
    LinearBandedSVC: ("BandsvmLinearBandedSVC", _onnx_classes),
    BandedSVR: ("BandsvmBandedSVR", _onnx_regression),
    LinearBandedSVR: ("BandsvmLinearBandedSVR", _onnx_regression),
    BandedQuantileSVR: ("BandsvmBandedQuantileSVR", _onnx_regression),
    OneClassBandedSVM: ("BandsvmOneClassBandedSVM", _onnx_one_class),
}
# Those with scikit-learn's names are parsed as the banded estimators that they are.
SWITCHED: dict[type, type] = {
    SVC: BandedSVC,
    SVR: BandedSVR,
    NuSVR: BandedSVR,
    LinearSVC: LinearBandedSVC,
    LinearSVR: LinearBandedSVR,
    OneClassSVM: OneClassBandedSVM,
}


def to_onnx(
    model: BandedSVC
    | LinearBandedSVC
    | BandedSVR
    | LinearBandedSVR
    | BandedQuantileSVR
    | OneClassBandedSVM
    | Pipeline,
    X: Any = None,
    *,
    target_opset: int | dict[str, int] | None = None,
) -> ModelProto:
    """Convert a fitted model to ONNX.

    The graph of a classifier has two outputs: ``label``, what `predict` returns, and
    ``decision_values``, what `decision_function` returns; models that were calibrated have a third,
    ``probabilities``. ONNX computes kernels in single precision: decision values agree to 1e-5 of
    the sum of the absolute values of their terms, and so do labels unless a decision value is
    closer than that to a tie.
    Graphs of `LinearBandedSVC` compute in double precision, as the model does.

    The graph of a regressor has one output in double precision, ``prediction``. Kernels are
    computed in single precision there too; intercepts, and models with the kernel 'linear', are
    not. That of one class has ``label`` (1 or -1) and ``decision_values`` of the same precision.

    Parameters
    ----------
    model : one of our estimators, or Pipeline
        A fitted model with the kernel 'linear', 'poly', 'rbf' or 'sigmoid', a fitted
        `LinearBandedSVC` or `LinearBandedSVR`, or a pipeline that ends in one of them and whose
        other steps skl2onnx can convert.
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
    model = as_banded(model)
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
    if type(last) in KINDS:
        return
    *names, final = (cls.__name__ for cls in KINDS)
    known = f"a {', '.join(names)} or {final}"
    cure = f"convert {known}, or the Pipeline, within it."
    if isinstance(last, CalibratedClassifierCV):
        cure = "use bandsvm.calibrate(model, X, y), whose probabilities are the same, instead."
    elif hasattr(last, "best_estimator_"):
        cure = "pass its best_estimator_."
    raise ValueError(
        f"to_onnx takes {known}, or a Pipeline that ends in one, got {type(last).__name__}; {cure}"
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
    switched = {cls: KINDS[banded] for cls, banded in SWITCHED.items()}
    for cls, (alias, kind) in {**KINDS, **switched}.items():
        skl2onnx.update_registered_converter(
            cls, alias, _set_shapes, _convert, parser=_parse, options=kind.OPTIONS
        )
    register_columns()


def _parse(scope: Any, model: Any, inputs: list, custom_parsers: Any = None) -> list:
    """Declare the operator and its outputs."""
    model = as_banded(model)
    alias, kind = KINDS[type(model)]
    kind.check(model)
    operator = scope.declare_local_operator(alias, model)
    operator.inputs = inputs
    for name, output_type in kind.outputs(operator, None).items():
        operator.outputs.append(scope.declare_local_variable(name, output_type))
    return operator.outputs


def _set_shapes(operator: Any) -> None:
    """Set types and shapes of the outputs."""
    n_samples = operator.inputs[0].get_first_dimension()
    types = KINDS[type(operator.raw_operator)][1].outputs(operator, n_samples)
    for output, output_type in zip(operator.outputs, types.values(), strict=True):
        output.type = output_type


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Add the nodes of the graph."""
    KINDS[type(operator.raw_operator)][1].convert(scope, operator, container)
