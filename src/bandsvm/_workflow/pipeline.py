"""Models as the command line and the page make them: steps that suit a table, then an estimator.

Steps are fitted in memory or, to matrices on disk, a block of rows at a time.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder, OrdinalEncoder, StandardScaler

from bandsvm._checks.parameters import band_parameters, check_parameters
from bandsvm._estimators.banded import as_banded
from bandsvm._estimators.calibration import classifier_at_end
from bandsvm._estimators.kernel import BandedSVC
from bandsvm._estimators.linear import LinearBandedSVC
from bandsvm._estimators.linear_regression import LinearBandedSVR
from bandsvm._estimators.one_class import OneClassBandedSVM
from bandsvm._estimators.quantiles import BandedQuantileSVR
from bandsvm._estimators.regression import BandedSVR
from bandsvm._fitting.fitted import classes_of
from bandsvm._kernels import available_kernels
from bandsvm._system.memory import available_bytes
from bandsvm._system.text import short_list, short_text
from bandsvm._tables.options import CLASSIFY, REGRESS
from bandsvm._tables.scratch import mapped_rows, row_blocks
from bandsvm._tables.table import Expected, Notes, Table
from bandsvm._tables.uninformative import rare_below
from bandsvm.persistence.native import save

SCALES = ("standard", "maxabs", "none")
Steps = list[tuple[str, Any]]
Classifier: TypeAlias = BandedSVC | LinearBandedSVC
Regressor: TypeAlias = BandedSVR | BandedQuantileSVR | LinearBandedSVR
Estimator: TypeAlias = Classifier | Regressor
# Of a search, the best model counts.
Model: TypeAlias = Pipeline | Estimator
# What an estimator does, in sentences.
_VERBS = {CLASSIFY: "classifies", REGRESS: "predicts"}
# Medians need whole columns: as many at a time as this share of the free memory holds, copies
# included.
MEDIAN_SHARE, MEDIAN_COPIES = 0.1, 4


def new_pipeline(table: Table, scale: str | None, estimator: Estimator) -> Pipeline:
    """Return the pipeline to train: steps that suit the table, and an estimator."""
    last = (task_of(estimator), estimator)
    return Pipeline([*_preparation(table, scale or "standard"), last])


def task_of(estimator: Estimator) -> str:
    """Return what the targets of an estimator are, `CLASSIFY` or `REGRESS`."""
    return REGRESS if isinstance(estimator, Regressor) else CLASSIFY


def check_kernel_model(parameters: Mapping[str, Any]) -> None:
    """Raise unless parameters make a BandedSVC, whatever the classes."""
    model = BandedSVC(**parameters)
    check_parameters(model)
    band_parameters(model, np.arange(2))


def regressor_class(parameters: Mapping[str, Any]) -> type[Regressor]:
    """Return the class of the regressor that parameters ask for."""
    return BandedQuantileSVR if "quantile" in parameters else BandedSVR


def check_regressor(parameters: Mapping[str, Any]) -> None:
    """Raise unless parameters make a BandedSVR or a BandedQuantileSVR, whatever the targets."""
    cls = regressor_class(parameters)
    cls._task.check_parameters(cls(**parameters))


def kernels_of_tables() -> list[str]:
    """Return the kernels of samples; a table cannot hold a kernel matrix."""
    return [name for name in available_kernels() if name != "precomputed"]


def with_estimator(pipeline: Pipeline, estimator: Estimator) -> Pipeline:
    """Return a pipeline of the same steps that ends with another estimator."""
    return Pipeline([*pipeline.steps[:-1], (pipeline.steps[-1][0], estimator)])


def _preparation(table: Table, scale: str) -> Steps:
    """Return the steps before the estimator; ``scale`` is "standard", "maxabs" or "none"."""
    if table.texts:
        return [("columns", _by_column(table, scale))]
    is_sparse = sp.issparse(table.X)
    has_missing = not is_sparse and any(
        np.isnan(table.X[rows]).any() for rows in row_blocks(table.X)
    )
    return [*(_imputer() if has_missing else []), *_scaler(scale, is_sparse)]


def _by_column(table: Table, scale: str) -> ColumnTransformer:
    """Return what fills in and scales numbers, and encodes text."""
    numbers = [name for name in table.names or [] if name not in set(table.texts)]
    # A level that is unknown when the model predicts is as good as a rare one.
    encoder = OneHotEncoder(
        handle_unknown="infrequent_if_exist", min_frequency=rare_below(len(table.X))
    )
    parts: list[tuple[str, Any, list[str]]] = [("categories", encoder, list(table.texts))]
    if numbers:
        # Values may be missing when the model predicts, even if none are here.
        parts.insert(0, ("numbers", Pipeline([*_imputer(), *_scaler(scale, False)]), numbers))
    return ColumnTransformer(parts)


def _imputer() -> Steps:
    return [("impute", SimpleImputer(strategy="median", add_indicator=True))]


def _scaler(scale: str, is_sparse: bool) -> Steps:
    """Return what scales features; zeros of sparse ones stay zeros."""
    if scale == "standard":
        return [("scale", StandardScaler(with_mean=not is_sparse))]
    return [("scale", MaxAbsScaler())] if scale == "maxabs" else []


def fitted_samples(pipeline: Pipeline, table: Table) -> Any:
    """Fit the steps before the estimator; return the samples as it takes them."""
    if len(pipeline) == 1:
        return table.X
    if table.is_on_disk:
        return _fitted_in_blocks(pipeline[:-1], table.X)
    return pipeline[:-1].fit_transform(table.X)


def transformed(model: Model, X: Any, is_on_disk: bool = False) -> Any:
    """Return samples as the estimator at the end of a model takes them."""
    if not isinstance(model, Pipeline):
        return X
    if is_on_disk:
        return mapped_rows(X, lambda rows: transformed(model, rows))
    with names_are_known():
        centred = any(getattr(step, "with_mean", False) for step in model[:-1])
        return model[:-1].transform(X.toarray() if centred and sp.issparse(X) else X)


@contextmanager
def names_are_known() -> Iterator[None]:
    """Let samples have no names: they were compared when the file was read."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        yield


def rows_of(X: Any, places: NDArray[np.intp]) -> Any:
    """Return some rows of a matrix or of a data frame."""
    return X.iloc[places] if hasattr(X, "iloc") else X[places]


def _fitted_in_blocks(steps: Pipeline, X: Any) -> Any:
    """Fit steps to a matrix on disk; return what they make of it, on disk too."""
    for place, (_, step) in enumerate(steps.steps):
        before = steps[:place] if place else None
        if isinstance(step, SimpleImputer):
            assert before is None
            _fit_imputer(step, X)
            continue
        # That of a model to go on with has seen samples, and names, before.
        fresh = clone(step)
        for rows in row_blocks(X):
            fresh.partial_fit(X[rows] if before is None else before.transform(X[rows]))
        step.__dict__ = fresh.__dict__
    return mapped_rows(X, steps.transform)


def _fit_imputer(imputer: SimpleImputer, X: NDArray) -> None:
    """Fit an imputer of medians: two rows that have these medians, and lack the same columns."""
    n_samples, n_features = X.shape
    room = MEDIAN_SHARE * available_bytes() / MEDIAN_COPIES
    step = max(1, int(room // (X.dtype.itemsize * n_samples)))
    medians, is_missing = np.empty(n_features), np.empty(n_features, bool)
    with warnings.catch_warnings():
        # Of columns without any number.
        warnings.filterwarnings("ignore", "All-NaN slice encountered")
        for first in range(0, n_features, step):
            part = slice(first, first + step)
            medians[part] = np.nanmedian(X[:, part], axis=0)
            is_missing[part] = np.isnan(X[:, part]).any(axis=0)
    two_rows = np.vstack([medians, np.where(is_missing, np.nan, medians)])
    imputer.fit(two_rows.astype(X.dtype))


def estimator_of(model: Model) -> Estimator:
    """Return our estimator at the end of a model; of a search, the best."""
    best = as_banded(classifier_at_end(model))
    if isinstance(best, OneClassBandedSVM):
        raise ValueError(
            f"the file holds a {type(best).__name__}, and tables have labels or targets; use "
            "bandsvm.load and predict, or export the model, in Python."
        )
    if not isinstance(best, Estimator):
        raise ValueError("the file holds a search without a model; fit it with refit=True.")
    return best


def check_takes_tables(model: Model) -> None:
    """Refuse a model that predicts nothing, or takes something else than rows of a table."""
    estimator_of(model)
    if not hasattr(model, "n_features_in_"):
        raise ValueError(
            "the model takes texts, not tables; use bandsvm.load and predict in Python."
        )


def write_model(pipeline: Pipeline, table: Table, path: Path) -> None:
    """Write a pipeline, or its only step, and what to remember of its training data."""
    steps = [(name, copy.copy(step)) for name, step in pipeline.steps]
    first, last = steps[0][1], steps[-1][1]
    # Predictions do not need what only steers a fit.
    last.set_params(verbose=0, warm_start=False)
    if isinstance(last, LinearBandedSVC):
        last.set_params(store_multipliers=False)
        if last.certificate_.is_optimal:
            # They are as long as the training set, and nothing is left to resume.
            for name in ("alpha_", "theta_"):
                last.__dict__.pop(name, None)
    if table.names is not None:
        first.feature_names_in_ = np.array(table.names, dtype=object)
    save(Pipeline(steps) if len(steps) > 1 else last, path, notes=table.notes.as_json())


def all_steps(model: Any) -> list[Any]:
    """Return the steps of a model, then those within a first step that takes columns by name."""
    steps = list(model) if isinstance(model, Pipeline) else [model]
    if isinstance(steps[0], ColumnTransformer):
        steps += [part for _, step, _ in steps[0].transformers_ for part in all_steps(step)]
    return steps


def expected_table(model: Model, notes: Notes | None = None) -> Expected:
    """Return what a model expects of a table."""
    names = getattr(model, "feature_names_in_", None)
    steps = all_steps(model)
    is_by_column = isinstance(steps[0], ColumnTransformer)
    texts: set[str] = set()
    for _, step, columns in steps[0].transformers_ if is_by_column else []:
        if any(isinstance(part, (OneHotEncoder, OrdinalEncoder)) for part in all_steps(step)):
            texts.update(map(str, columns))
    return Expected(
        n_features=int(model.n_features_in_),
        names=None if names is None else list(map(str, names)),
        texts=frozenset(texts),
        takes_missing=any(isinstance(step, SimpleImputer) for step in steps),
        takes_frames=is_by_column,
        classes=[str(label) for label in classes_of(classifier_at_end(model)).tolist()],
        notes=notes or Notes(),
    )


def unseen_categories(model: Model, table: Table) -> list[str]:
    """Return a sentence for each column that has categories which the model does not know."""
    first, said = all_steps(model)[0], []
    for _, step, names in first.transformers_ if isinstance(first, ColumnTransformer) else []:
        if not isinstance(step, OneHotEncoder):
            continue
        for name, known in zip(names, step.categories_, strict=True):
            is_new = ~table.X[name].isin(known)
            if is_new.any():
                new = dict.fromkeys(table.X[name][is_new].tolist())
                said.append(
                    f"{is_new.sum()} of {len(is_new)} values of {short_text(repr(name))} were "
                    f"never seen in training and count as rare ones: {short_list(new)}."
                )
    return said


def describe_preparation(pipeline: Pipeline, way_out: str = "") -> str:
    """Return what a model does to features before it predicts, in sentences.

    ``way_out`` is how to leave features as they are, in a surface's words.
    """
    steps, verb = dict(pipeline.steps[:-1]), _VERBS[task_of(pipeline[-1])]
    said = []
    if isinstance(by_column := steps.get("columns"), ColumnTransformer):
        parts = by_column.named_transformers_
        steps = dict(parts["numbers"].steps) if "numbers" in parts else {}
        n_encoded = len(parts["categories"].get_feature_names_out())
        said.append(f"It encodes categories as {n_encoded} features of 0 and 1.")
    if "impute" in steps:
        n_missing = len(steps["impute"].indicator_.features_)
        if n_missing:
            columns = "1 column" if n_missing == 1 else f"{n_missing} columns"
            said.insert(0, f"It fills in missing numbers in {columns} by the median.")
    scaler, scaling = steps.get("scale"), "takes the features as they are."
    if isinstance(scaler, StandardScaler):
        centred = "mean 0 and " if scaler.with_mean else ""
        hint = f" ({way_out})" if way_out else ""
        scaling = f"scales every feature to {centred}variance 1 before it {verb}{hint}."
    elif isinstance(scaler, MaxAbsScaler):
        scaling = f"scales every feature to at most 1 in size before it {verb}."
    return " ".join([f"The model {scaling}", *said])
