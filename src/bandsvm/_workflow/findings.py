"""What a model says of samples: the views of it, as values that JSON takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from bandsvm._checks.parameters import band_parameters
from bandsvm._decisions.values import Decisions
from bandsvm._system.text import shown
from bandsvm._tables.table import Table
from bandsvm._workflow.models import classifier_of, transformed
from bandsvm._workflow.naming import page_name
from bandsvm._workflow.preparation import describe_preparation
from bandsvm._workflow.quality import Judged, Quality, histogram_edges, quality
from bandsvm._workflow.summary import describe_certificate
from bandsvm._workflow.trial import HELD_OUT, SEED_OF_SPLIT, Trial, rows_of

# Words of the page for places in the band.
WORDS = {"below": "doubtful", "inside": "typical", "above": "extreme"}
MIN_BINS, MAX_BINS = 10, 40
# Classes that pictures and matrices show; more cannot be told apart.
MAX_CLASSES = 30


@dataclass(frozen=True)
class Findings:
    """A model, samples and what it says of them.

    Parameters
    ----------
    model : Pipeline or classifier
        The fitted model.
    table : Table
        A data file.
    places : ndarray
        The samples of the table that are looked at.
    role : str
        Which samples these are, in a sentence.
    X : matrix, default=None
        They as the classifier takes them; None: computed when needed.
    decisions : Decisions, default=None
        Decision values that other models give them, such as models that have not seen them; None:
        those of the model.
    kept : dict
        What tabs compute once.
    """

    model: Any
    table: Table
    places: NDArray[np.intp]
    role: str
    X: Any = None
    decisions: Decisions | None = None
    kept: dict[Any, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def classifier(self) -> Any:
        """The classifier at the end of the model."""
        return classifier_of(self.model)

    @cached_property
    def judged(self) -> Judged:
        """Decision values of the samples, and what follows from them."""
        X = self.X
        if X is None:
            X = transformed(self.model, rows_of(self.table.X, self.places))
        y = None if self.table.y is None else self.table.y[self.places]
        return Judged(self.classifier, X, y, self.decisions)

    @cached_property
    def score(self) -> NDArray[np.float64]:
        """How far the predicted class is ahead: what abstaining goes by."""
        return self.judged.lead.astype(np.float64)

    @cached_property
    def quality(self) -> Quality | None:
        """Predictions against labels, if there are labels."""
        judged = self.judged
        if judged.y is None:
            return None
        return quality(judged.y, judged.predicted, self.classifier.classes_)

    @property
    def classes(self) -> list[str]:
        """The model's classes, as text."""
        return [shown(label) for label in self.classifier.classes_.tolist()]


def of_trial(trial: Trial, model: Pipeline, folds: Judged | None = None) -> dict[str, Findings]:
    """Return what a model says of the parts of a table, by name; the most honest part comes first.

    Parameters
    ----------
    trial : Trial
        The table.
    model : Pipeline
        A model that was fitted to its training samples.
    folds : Judged, default=None
        What models of the same parameters say of training samples that they were not fitted to.
    """
    n_held, n_train = len(trial.held_out), len(trial.train)

    def part(places: NDArray[np.intp], role: str, decisions: Decisions | None = None) -> Findings:
        return Findings(model, trial.table, places, role, trial.samples[places], decisions)

    parts = {}
    if n_held:
        parts["held out"] = part(
            trial.held_out,
            f"{n_held} held-out samples that the model was not fitted to: 1 in {HELD_OUT} of each "
            f"class, at random (seed {SEED_OF_SPLIT}).",
        )
    if folds is not None:
        parts["folds"] = part(
            trial.train,
            f"{n_train} training samples, each predicted by a model of the same parameters that "
            "was fitted to the other folds. The parameters were chosen by these folds, so new "
            "samples may fare slightly worse.",
            folds.decisions,
        )
    parts["train"] = part(
        trial.train,
        f"{n_train} training samples that the model was fitted to; it does worse on new ones.",
    )
    parts["all"] = part(
        np.arange(n_held + n_train),
        f"All {n_held + n_train} samples; the model was fitted to {n_train} of them and does worse "
        "on new ones.",
    )
    return parts


def of_model(model: Any, table: Table) -> Findings:
    """Return what a model says of all samples of a table."""
    n_samples = table.X.shape[0]
    role = (
        f"{n_samples} samples of {shown(PurePath(table.source).name)}. If the model was fitted to "
        "some of them, it does worse on new ones."
    )
    return Findings(model, table, np.arange(n_samples), role)


def overview(findings: Findings) -> dict[str, Any]:
    """Return the figures of a model and how samples lie against its band."""
    classifier, judged, result = findings.classifier, findings.judged, findings.quality
    band = band_parameters(classifier, classifier.classes_)
    about: dict[str, Any] = {
        "role": findings.role,
        "data": findings.table.describe(page_name),
        "classes": findings.classes[:MAX_CLASSES],
        "n_classes": len(findings.classes),
        "n_samples": len(findings.places),
        "accuracy": None if result is None else result.accuracy,
        "n_wrong": None if result is None else result.n_samples - result.n_right,
        "positions": {word: int(np.sum(judged.position == place)) for place, word in WORDS.items()},
        "rho1": band.rho1[:MAX_CLASSES].tolist(),
        "rho2": band.rho2[:MAX_CLASSES].tolist(),
        "parameters": classifier.get_params(),
        "certificate": None,
    }
    if isinstance(findings.model, Pipeline):
        about["preparation"] = describe_preparation(findings.model).split(" (--scale")[0]
    certificate = getattr(classifier, "certificate_", None)
    if certificate is not None:
        about["certificate"] = describe_certificate(certificate) | {"text": repr(certificate)}
    if hasattr(classifier, "dual_coef_"):
        about["gamma"] = classifier.gamma_
        about["n_support"] = classifier.dual_coef_.shape[1]
    return about


def class_scores(findings: Findings) -> dict[str, Any]:
    """Return accuracy, and precision, recall and f1 of each class, of samples with labels."""
    result = findings.quality
    assert result is not None
    return {
        "role": findings.role,
        "n_samples": result.n_samples,
        "n_wrong": result.n_samples - result.n_right,
        "accuracy": result.accuracy,
        "classes": result.values()["per_class"][:MAX_CLASSES],
        "n_classes": len(result.names),
    }


def distribution(findings: Findings, k: int = 0) -> dict[str, Any]:
    """Return histograms of decision values: of both classes, or of class ``k`` and the rest.

    Without labels, samples count to the class that is predicted.
    """
    judged, names = findings.judged, findings.classes
    codes = judged.given if judged.true is None else judged.true
    band = band_parameters(findings.classifier, findings.classifier.classes_)
    if len(names) == 2:
        values = judged.values
        groups: Sequence[tuple[str, NDArray]] = [(names[0], codes == 0), (names[1], codes == 1)]
        bands = [(-band.rho2[0], -band.rho1[0]), (band.rho1[1], band.rho2[1])]
    else:
        if not 0 <= k < len(names):
            raise ValueError(f"class must be from 0 to {len(names) - 1}, got {k}.")
        values = judged.of_class(k)
        groups = [("all other classes", codes != k), (names[k], codes == k)]
        bands = [(-band.rho2[k], -band.rho1[k]), (band.rho1[k], band.rho2[k])]
    n_bins = int(np.clip(2.0 * np.sqrt(len(values)), MIN_BINS, MAX_BINS))
    edges = histogram_edges(values, n_bins)
    return {
        "role": findings.role,
        "edges": edges.tolist(),
        "groups": [
            {"name": name, "counts": np.histogram(values[chosen], edges)[0].tolist()}
            for name, chosen in groups
        ],
        "bands": [[float(low), float(high)] for low, high in bands],
        "class": k,
        "classes": names[:MAX_CLASSES],
        "is_by_label": judged.true is not None,
    }
