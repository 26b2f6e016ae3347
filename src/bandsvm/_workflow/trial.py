"""A trial: some samples are held out, and a model is fitted to the rest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from bandsvm import BandedSVC
from bandsvm._certificate import Certificate
from bandsvm._certificate.not_optimal import why_not_optimal
from bandsvm._fitting.fit import fit_model
from bandsvm._solvers import Status
from bandsvm._system.stopping import stop_when
from bandsvm._tables.reading import Table
from bandsvm._workflow.advice import PAGE
from bandsvm._workflow.models import prepare, transformed
from bandsvm._workflow.noted import noted_warnings
from bandsvm._workflow.work import FitProgress, Work

# One sample in so many of each class is held out; the seed is fixed, so that numbers repeat.
HELD_OUT, SEED_OF_SPLIT = 4, 0
NO_MODEL = "The fit was stopped before its first step, so there is no model to show."


class StoppedTooSoonError(ValueError):
    """Work that was stopped before it had a result."""


@dataclass(frozen=True)
class Trial:
    """A table, part of which is held out, and the steps that prepare samples.

    Parameters
    ----------
    table : Table
        All samples.
    scale : str
        How features are scaled.
    """

    table: Table
    scale: str = "standard"

    @cached_property
    def is_held_out(self) -> NDArray[np.bool_]:
        """Which samples no model is fitted to: a quarter of each class, at random."""
        generator = np.random.default_rng(SEED_OF_SPLIT)
        is_held_out = np.zeros(len(self.table.y), dtype=bool)
        for label in np.unique(self.table.y):
            own = generator.permutation(np.flatnonzero(self.table.y == label))
            is_held_out[own[: len(own) // HELD_OUT]] = True
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
        """The steps before the classifier, fitted to the training samples."""
        pipeline = prepare(self.table, self.scale, BandedSVC())
        if len(pipeline) > 1:
            pipeline[:-1].fit(rows_of(self.table.X, self.train))
        return pipeline

    @cached_property
    def samples(self) -> Any:
        """All samples as a classifier takes them."""
        return transformed(self.preparation, self.table.X)

    @property
    def training_samples(self) -> Any:
        """The training samples as a classifier takes them."""
        return self.samples[self.train]

    @property
    def y_train(self) -> NDArray:
        """Their labels."""
        return self.table.y[self.train]

    def model(self, classifier: Any) -> Pipeline:
        """Return a classifier behind the steps that prepare samples."""
        steps = self.preparation.steps
        return Pipeline([*steps[:-1], (steps[-1][0], classifier)])

    def fit(self, classifier: Any, work: Work) -> list[str]:
        """Fit a classifier to the training samples; return what is worth knowing, in sentences.

        A fit that is stopped keeps the best model so far, and says so.
        """
        X, progress = self.training_samples, FitProgress(work.report)
        with noted_warnings() as said, stop_when(work.reason):
            try:
                fit_model(classifier, X, self.y_train, None, progress)
            except KeyboardInterrupt:
                raise StoppedTooSoonError(NO_MODEL) from None
        certificate = classifier.certificate_
        reason = why_not_optimal(certificate)
        if reason is None:
            return said
        if certificate.status is not Status.INTERRUPTED:
            return [f"The fit {reason.render(PAGE)}", *said]
        if certificate.n_iter == 0:
            raise StoppedTooSoonError(NO_MODEL)
        work.take_stop()
        is_by_pairs = getattr(classifier, "multi_class", "ovr") == "ovo"
        return [_about_stop(certificate, "pairs of classes" if is_by_pairs else "classes"), *said]


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


def rows_of(X: Any, places: NDArray[np.intp]) -> Any:
    """Return some rows of a matrix or of a data frame."""
    return X.iloc[places] if hasattr(X, "iloc") else X[places]
