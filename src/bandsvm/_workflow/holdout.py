"""A table of which some samples are held out, and what a model of the rest says of its parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from bandsvm._certificate import Certificate
from bandsvm._certificate.not_optimal import why_not_optimal
from bandsvm._fitting.fit import fit_model
from bandsvm._fitting.run import Observer
from bandsvm._problem import Status
from bandsvm._system.stopping import stop_when
from bandsvm._system.text import short_text
from bandsvm._tables.options import CLASSIFY, REGRESS
from bandsvm._tables.table import Table
from bandsvm._workflow.advice import page_cures
from bandsvm._workflow.pipeline import (
    Classifier,
    Estimator,
    Model,
    estimator_of,
    new_pipeline,
    rows_of,
    transformed,
    with_estimator,
)
from bandsvm._workflow.tasks import TASKS, task_for
from bandsvm._workflow.work import FitProgress, Work, collected_warnings

# Words of the page for places in the band.
PLACE_WORDS = {"below": "doubtful", "inside": "typical", "above": "extreme"}
# Classes that pictures and matrices show; more cannot be told apart.
MAX_CLASSES = 30
# One sample in so many of each class is held out; the seed is fixed, so that numbers repeat.
ONE_HELD_OUT_IN, SEED = 4, 0
# What the problems of a model are.
_PARTS = {CLASSIFY: "classes", REGRESS: "quantiles"}
NO_MODEL = "The fit was stopped before its first step, so there is no model to show."


@dataclass(frozen=True)
class Holdout:
    """A table, part of which is held out, and the steps that prepare samples."""

    table: Table  # all samples
    scale: str = "standard"  # how features are scaled

    @cached_property
    def is_held_out(self) -> NDArray[np.bool_]:
        """Which samples no model is fitted to: a quarter of each class, at random."""
        y = self.table.y if self.table.task == CLASSIFY else np.zeros(len(self.table.y))
        generator = np.random.default_rng(SEED)
        is_held_out = np.zeros(len(y), dtype=bool)
        for label in np.unique(y):
            own = generator.permutation(np.flatnonzero(y == label))
            is_held_out[own[: len(own) // ONE_HELD_OUT_IN]] = True
        return is_held_out

    @cached_property
    def train(self) -> NDArray[np.intp]:
        """Places of the samples that models are fitted to."""
        return np.flatnonzero(~self.is_held_out)

    @cached_property
    def held_out(self) -> NDArray[np.intp]:
        """Places of the samples that are held out; none if all classes are tiny."""
        return np.flatnonzero(self.is_held_out)

    @cached_property
    def preparation(self) -> Pipeline:
        """The steps before the estimator, fitted to the training samples."""
        pipeline = new_pipeline(self.table, self.scale, TASKS[self.table.task].usual())
        if len(pipeline) > 1:
            pipeline[:-1].fit(rows_of(self.table.X, self.train))
        return pipeline

    @cached_property
    def samples(self) -> Any:
        """All samples as an estimator takes them."""
        return transformed(self.preparation, self.table.X)

    @property
    def training_samples(self) -> Any:
        """The training samples as an estimator takes them."""
        return self.samples[self.train]

    @property
    def y_train(self) -> NDArray:
        """Their targets."""
        return self.table.y[self.train]

    def model(self, estimator: Estimator) -> Pipeline:
        """Return an estimator behind the steps that prepare samples."""
        return with_estimator(self.preparation, estimator)

    def fit(self, estimator: Estimator, work: Work, *observers: Observer) -> list[str]:
        """Fit an estimator to the training samples; return what is worth knowing, in sentences.

        A fit that is stopped keeps the best model so far, and says so.
        """
        watching = (FitProgress(work.report), *observers)
        with collected_warnings() as said, stop_when(work.reason):
            try:
                fit_model(estimator, self.training_samples, self.y_train, None, *watching)
            except KeyboardInterrupt:
                raise ValueError(NO_MODEL) from None
        certificate = estimator.certificate_
        reason = why_not_optimal(certificate)
        if reason is None:
            return said
        if certificate.status is not Status.INTERRUPTED:
            return [f"The fit {reason.render(page_cures(estimator))}", *said]
        if certificate.n_iter == 0:
            raise ValueError(NO_MODEL)
        work.take_stop()
        is_by_pairs = getattr(estimator, "multi_class", "ovr") == "ovo"
        words = "pairs of classes" if is_by_pairs else _PARTS[self.table.task]
        return [_about_stop(certificate, words), *said]


def _about_stop(certificate: Certificate, parts_are: str) -> str:
    """Return what a stopped fit has reached, in sentences."""
    text = (
        "Stopped: this is the best model so far, not the optimum (KKT violation "
        f"{certificate.kkt_violation:.1e}, tol {certificate.tol:.1e})."
    )
    parts = certificate.parts
    if not parts:
        return text
    n_done = sum(part.is_optimal for part in parts)
    n_left = sum(part.n_iter == 0 and not part.is_optimal for part in parts)
    return f"{text} Of {len(parts)} {parts_are}: {n_done} done, {n_left} not begun."


@dataclass(frozen=True)
class TablePart:
    """Some samples of a table, and what a model says of them."""

    model: Model  # the fitted model
    table: Table  # a data file
    places: NDArray[np.intp]  # the samples of the table that are looked at
    role: str  # which samples these are, in a sentence
    # What the model says of them, or models of the same parameters that have not seen them.
    predictions: Any  # `Predictions` or `NumberPredictions`
    cache: dict[Any, Any] = field(default_factory=dict, repr=False)  # what views compute once

    @property
    def classifier(self) -> Classifier:
        """The classifier at the end of the model."""
        return self.predictions.classifier

    @cached_property
    def score(self) -> NDArray[np.float64]:
        """How far the predicted class is ahead: what abstaining goes by."""
        return self.predictions.margin.astype(np.float64)

    @property
    def feature_names(self) -> list[str]:
        """Names of the columns of its samples; none of sparse ones."""
        table = self.table
        if sp.issparse(table.X):
            return []
        return table.names or [f"column {k + 1}" for k in range(table.X.shape[1])]

    def feature(self, k: int) -> NDArray:
        """Return a column as it is in the file; a missing number is nan."""
        X = self.table.X
        return X.iloc[self.places, k].to_numpy() if hasattr(X, "iloc") else X[self.places, k]

    @property
    def classes(self) -> list[str]:
        """The model's classes, as text."""
        return [short_text(label) for label in self.classifier.classes_.tolist()]


def parts_of_holdout(holdout: Holdout, model: Pipeline, folds: Any = None) -> dict[str, TablePart]:
    """Return what a model says of the parts of a table, by name; the most honest part comes first.

    ``folds`` is what models of the same parameters say of training samples that they were not
    fitted to.
    """
    n_held, n_train = len(holdout.held_out), len(holdout.train)

    task = TASKS[holdout.table.task]
    # Classes are held out in equal shares.
    each = " of each class" if holdout.table.task == CLASSIFY else ""

    def part(places: NDArray[np.intp], role: str, known: Any = None) -> TablePart:
        X, y = holdout.samples[places], holdout.table.y[places]
        predictions = task.predictions(estimator_of(model), X, y, known)
        return TablePart(model, holdout.table, places, role, predictions)

    parts = {}
    if n_held:
        parts["held out"] = part(
            holdout.held_out,
            f"{n_held} held-out samples that the model was not fitted to: 1 in "
            f"{ONE_HELD_OUT_IN}{each}, at random (seed {SEED}).",
        )
    if folds is not None:
        parts["folds"] = part(
            holdout.train,
            f"{n_train} training samples, each predicted by a model of the same parameters that "
            "was fitted to the other folds. The parameters were chosen by these folds, so new "
            "samples may fare slightly worse.",
            folds.known,
        )
    parts["train"] = part(
        holdout.train,
        f"{n_train} training samples that the model was fitted to; it does worse on new ones.",
    )
    parts["all"] = part(
        np.arange(n_held + n_train),
        f"All {n_held + n_train} samples; the model was fitted to {n_train} of them and does worse "
        "on new ones.",
    )
    return parts


def whole_table(model: Model, table: Table) -> TablePart:
    """Return what a model says of all samples of a table."""
    n_samples = table.X.shape[0]
    role = (
        f"{n_samples} samples of {short_text(PurePath(table.source).name)}. If the model was "
        "fitted to some of them, it does worse on new ones."
    )
    X = transformed(model, table.X)
    predictions = task_for(model).predictions(estimator_of(model), X, table.y)
    return TablePart(model, table, np.arange(n_samples), role, predictions)
