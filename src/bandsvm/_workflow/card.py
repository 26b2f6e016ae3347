"""A model file on the page: what ``bandsvm inspect`` says of it, and figures for pictures."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bandsvm import load
from bandsvm._checks.parameters import band_parameters
from bandsvm._system.text import short_text
from bandsvm._workflow.findings import MAX_CLASSES
from bandsvm._workflow.models import classifier_of
from bandsvm._workflow.source import check_size
from bandsvm._workflow.trial_weights import feature_weights
from bandsvm.cli import inspect
from bandsvm.persistence._container import MAGIC, ModelFileError


@dataclass
class Said:
    """Takes what a command says, instead of printing it."""

    sentences: list[str] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)

    def report(self, sentence: str) -> None:
        """Keep a sentence."""
        self.sentences.append(sentence)

    def result(self, values: dict[str, Any]) -> None:
        """Keep the result for machines."""
        self.values = values


def is_model(content: bytes) -> bool:
    """Return whether the first bytes of a file are those of a model."""
    return content.startswith(MAGIC)


def card(path: Path, name: str | None = None) -> dict[str, Any]:
    """Return what a model file holds.

    Parameters
    ----------
    path : Path
        The file.
    name : str, default=None
        What to call it; None: its path.
    """
    name = str(path) if name is None else name
    check_size(name, path.stat().st_size)
    said = Said()
    try:
        inspect.run(argparse.Namespace(model=path), said)
    except ModelFileError as error:
        raise ModelFileError(str(error).replace(str(path), short_text(name), 1)) from None
    model = load(path)
    classifier = classifier_of(model)
    names = getattr(model, "feature_names_in_", None)
    band = band_parameters(classifier, classifier.classes_)
    text = "\n".join(said.sentences).replace(str(path), short_text(name), 1)
    about = said.values | {
        "model": short_text(name),
        "text": text,
        "classes": [short_text(label) for label in classifier.classes_[:MAX_CLASSES].tolist()],
        "n_classes": len(classifier.classes_),
        "rho1": band.rho1[:MAX_CLASSES],
        "rho2": band.rho2[:MAX_CLASSES],
        "C1": band.C1[:MAX_CLASSES],
        "C2": band.C2[:MAX_CLASSES],
        "weights": feature_weights(model, None if names is None else list(map(str, names))),
        "support": _support(classifier),
    }
    if names is not None:
        about["feature_names"] = [short_text(each) for each in names.tolist()]
    return about


def _support(classifier: Any) -> dict[str, Any] | None:
    """Return how many support vectors there are, by class and by edge of the band."""
    if not hasattr(classifier, "dual_coef_"):
        return None
    about: dict[str, Any] = {
        "total": classifier.dual_coef_.shape[1],
        "by_class": classifier.n_support_[:MAX_CLASSES],
    }
    if hasattr(classifier, "alpha_support_"):
        about["lower"] = len(np.ravel(classifier.alpha_support_))
        about["upper"] = len(np.ravel(classifier.theta_support_))
    return about
