"""Models as commands make, write and describe them."""

from __future__ import annotations

import copy
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from bandsvm import BandedSVC, LinearBandedSVC, save
from bandsvm.certificate import Certificate
from bandsvm.cli._preparation import preparation
from bandsvm.cli._tables import Table
from bandsvm.fitting.run import FitRun, Observer


def prepare(before: Any, table: Table, scale: str | None, parameters: dict[str, Any]) -> Pipeline:
    """Return the pipeline to train: a new one, or the one to go on with, its parameters changed."""
    if before is None:
        steps = preparation(table, scale or "standard")
        return Pipeline([*steps, ("classify", BandedSVC(**parameters))])
    if scale is not None:
        raise ValueError(
            "--scale cannot change with --resume: the model would start from other features."
        )
    pipeline = before if isinstance(before, Pipeline) else Pipeline([("classify", before)])
    model = classifier_of(pipeline)
    if not isinstance(model, BandedSVC):
        raise ValueError(
            f"--resume continues models of this command, but the file holds a "
            f"{type(model).__name__}; fit it in Python with warm_start=True."
        )
    classes = np.unique(table.y)
    known = getattr(model, "alpha_", np.empty(0)).shape[0]
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
    last = model[-1] if isinstance(model, Pipeline) else model
    best = getattr(last, "best_estimator_", last)
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


def transformed(model: Any, X: Any) -> Any:
    """Return samples as the classifier at the end of a model takes them."""
    if not isinstance(model, Pipeline):
        return X
    with warnings.catch_warnings():
        # Names were compared when the file was read.
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        centred = any(getattr(step, "with_mean", False) for step in model[:-1])
        return model[:-1].transform(X.toarray() if centred and sp.issparse(X) else X)


def write_model(pipeline: Pipeline, table: Table, path: Path) -> None:
    """Write a pipeline, or its only step, and what to remember of its training data."""
    steps = [(name, copy.copy(step)) for name, step in pipeline.steps]
    first, last = steps[0][1], steps[-1][1]
    # How it was trained is nobody's business later.
    last.set_params(verbose=0, warm_start=False)
    if table.names is not None:
        first.feature_names_in_ = np.array(table.names, dtype=object)
    save(Pipeline(steps) if len(steps) > 1 else last, path, notes=table.notes.as_json())


class Checkpoint(Observer):
    """Hands the model so far to ``write`` now and then; a failure is said, not fatal."""

    def __init__(
        self, write: Callable[[BandedSVC], None], every: float, warn: Callable[[str], None]
    ) -> None:
        self._write, self._every, self._warn = write, every, warn
        self._last = time.monotonic()

    def step(self, run: FitRun) -> None:
        """Write a checkpoint if one is due and the decision values are up to date."""
        if time.monotonic() - self._last < self._every or not run.progress.is_current:
            return
        try:
            self._write(run.model())
        except OSError as error:
            self._warn(f"no checkpoint was written: {error.strerror}; training goes on.")
        # After writing: what takes long to write is written less often.
        self._last = time.monotonic()


@dataclass(frozen=True)
class Summary:
    """What came of a training set."""

    certificate: Certificate
    n_samples: int
    n_support: int
    n_lower: int
    n_upper: int
    accuracy: float | None
    below: float
    above: float

    def describe(self) -> str:
        """Return the figures as sentences."""
        inside = 1.0 - self.below - self.above
        accuracy = "" if self.accuracy is None else f"Training accuracy {self.accuracy:.4f}; "
        return (
            f"{accuracy}{self.n_support} of {self.n_samples} samples "
            f"are support vectors ({self.n_lower} at the lower, {self.n_upper} at the upper edge); "
            f"{self.below:.1%} lie below the band, {inside:.1%} inside, {self.above:.1%} above."
        )

    def values(self) -> dict[str, Any]:
        """Return the figures for machines."""
        return {
            **describe_certificate(self.certificate),
            "n_samples": self.n_samples,
            "n_support": self.n_support,
            "n_support_lower": self.n_lower,
            "n_support_upper": self.n_upper,
            "training_accuracy": self.accuracy,
            "below_band": self.below,
            "above_band": self.above,
        }


def summary(model: BandedSVC, X: Any, y: NDArray) -> Summary:
    """Return what came of a training set, each sample against the band of its own class.

    Without X the accuracy stays unknown.
    """
    own = np.searchsorted(model.classes_, y) if model.xi_.ndim == 2 else np.zeros(len(y), dtype=int)
    xi, eta = (v.reshape(len(y), -1)[np.arange(len(y)), own] for v in (model.xi_, model.eta_))
    return Summary(
        certificate=model.certificate_,
        n_samples=len(y),
        n_support=len(model.support_),
        n_lower=len(model.alpha_support_),
        n_upper=len(model.theta_support_),
        accuracy=None if X is None else float(np.mean(model.predict(X) == y)),
        below=float(np.mean(xi > model.tol)),
        above=float(np.mean((eta > model.tol) & (xi <= model.tol))),
    )


def describe_certificate(certificate: Certificate) -> dict[str, Any]:
    """Return a certificate for machines."""
    names = ("primal", "dual", "gap", "relative_gap", "kkt_violation", "tol", "n_iter")
    values = {name: getattr(certificate, name) for name in names}
    return {"status": certificate.status.value, "is_optimal": certificate.is_optimal, **values}
