"""Models as commands make, write and describe them."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.pipeline import Pipeline

from bandsvm import BandedSVC, LinearBandedSVC, save
from bandsvm._estimators.calibration import classifier_at_end
from bandsvm._fitting.fit import fit_model
from bandsvm._fitting.kernel_run import KernelRun
from bandsvm._fitting.run import Observer
from bandsvm._linear.fit import fit_linear
from bandsvm._tables.reading import Table
from bandsvm._tables.scratch import mapped_rows
from bandsvm._workflow.in_blocks import fitted_transform
from bandsvm._workflow.preparation import preparation
from bandsvm._workflow.quality import names_are_known
from bandsvm.cli._ahead import check_options


def prepare(table: Table, scale: str | None, model: Any) -> Pipeline:
    """Return the pipeline to train: steps that suit the table, and a model."""
    return Pipeline([*preparation(table, scale or "standard"), ("classify", model)])


def prepare_again(
    before: Any, table: Table, scale: str | None, parameters: dict[str, Any], is_linear: bool
) -> Pipeline:
    """Return the pipeline to go on with, its parameters changed."""
    if scale is not None:
        raise ValueError(
            "--scale cannot change with --resume: the model would start from other features."
        )
    pipeline = before if isinstance(before, Pipeline) else Pipeline([("classify", before)])
    model = classifier_of(pipeline)
    if is_linear and not isinstance(model, LinearBandedSVC):
        raise ValueError(
            "--resume goes on with a kernel model, which --linear cannot change; leave --linear "
            "or --resume out."
        )
    check_options(parameters, isinstance(model, LinearBandedSVC))
    classes = np.unique(table.y)
    # Linear models that are optimal know no single samples.
    n_unknown = len(table.y) if isinstance(model, LinearBandedSVC) else 0
    known = len(model.alpha_) if hasattr(model, "alpha_") else n_unknown
    if known != len(table.y) or not np.array_equal(classes, model.classes_):
        raise ValueError(
            f"--resume needs the training data of the model: {known} samples of the classes "
            f"{model.classes_.tolist()}; {table.source} has {len(table.y)} of the classes "
            f"{classes.tolist()}."
        )
    model.set_params(**parameters)
    return pipeline


def classifier_of(model: Any) -> Any:
    """Return the BandedSVC or LinearBandedSVC at the end of a model; of a search, the best."""
    best = classifier_at_end(model)
    if not isinstance(best, (BandedSVC, LinearBandedSVC)):
        raise ValueError("the file holds a search without a model; fit it with refit=True.")
    return best


def check_takes_tables(model: Any) -> None:
    """Refuse a model that predicts nothing, or takes something else than rows of a table."""
    classifier_of(model)
    if not hasattr(model, "n_features_in_"):
        raise ValueError(
            "the model takes texts, not tables; use bandsvm.load and predict in Python."
        )


def fitted_samples(pipeline: Pipeline, table: Table) -> Any:
    """Fit the steps before the classifier; return the samples as it takes them."""
    if len(pipeline) == 1:
        return table.X
    if table.is_on_disk:
        return fitted_transform(pipeline[:-1], table.X)
    return pipeline[:-1].fit_transform(table.X)


def transformed(model: Any, X: Any, is_on_disk: bool = False) -> Any:
    """Return samples as the classifier at the end of a model takes them."""
    if not isinstance(model, Pipeline):
        return X
    if is_on_disk:
        return mapped_rows(X, lambda rows: transformed(model, rows))
    with names_are_known():
        centred = any(getattr(step, "with_mean", False) for step in model[:-1])
        return model[:-1].transform(X.toarray() if centred and sp.issparse(X) else X)


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


def train(model: Any, X: Any, y: Any, checkpoint: Observer) -> bool:
    """Fit a model without a warning of its own; return whether Ctrl-C was pressed meanwhile.

    Linear fits write no checkpoints.
    """
    if not isinstance(model, LinearBandedSVC):
        return fit_model(model, X, y, None, checkpoint)
    # --resume starts from them.
    return fit_linear(model.set_params(store_multipliers=True), X, y, None)


class Checkpoint(Observer[KernelRun]):
    """Hands the model so far to ``write`` now and then; a failure is said, not fatal."""

    may_interleave = True

    def __init__(
        self, write: Callable[[BandedSVC], None], every: float, warn: Callable[[str], None]
    ) -> None:
        self._write, self._every, self._warn = write, every, warn
        self._last = time.monotonic()

    def step(self, run: KernelRun) -> None:
        """Write a checkpoint if one is due and the decision values are up to date."""
        if time.monotonic() - self._last < self._every or not run.progress.is_current:
            return
        try:
            self._write(run.model())
        except OSError as error:
            self._warn(f"no checkpoint was written: {error.strerror}; training goes on.")
        # After writing: what takes long to write is written less often.
        self._last = time.monotonic()
