"""What a model is: its steps, parameters, band, support vectors, weights and certificate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bandsvm._certificate import Certificate
from bandsvm._checks.parameters import band_parameters
from bandsvm._decisions.position import BandPositions
from bandsvm._system.text import short_text
from bandsvm._workflow.pipeline import Classifier, Model, classifier_of
from bandsvm._workflow.weights import (
    ClassWeights,
    has_weights,
    largest_weights,
    scale_of_weights,
    weight_bars,
)
from bandsvm.persistence._container import MAGIC

# What is shown of labels and of names of features: as text, and on the page.
MAX_CLASSES, MAX_FEATURES_NAMED, MAX_CLASSES_ON_PAGE = 20, 6, 30
# Parameters that a report shows whether or not they were changed.
REPORTED = ("C1", "C2", "rho1", "rho2", "loss", "kernel", "gamma", "degree", "coef0", "tol")
N_BINS, BAR_WIDTH = 8, 40


@dataclass(frozen=True)
class ModelDescription:
    """A model, described for people and for machines."""

    model: Model  # a fitted model
    source: str = ""  # what its file is called
    n_bytes: int = 0  # size of this file
    # Names of the features that it takes, if it does not know them itself.
    names: list[str] | None = None

    @cached_property
    def classifier(self) -> Classifier:
        """The classifier at the end of the model."""
        return classifier_of(self.model)

    @property
    def steps(self) -> list[str]:
        """Names of the classes of all steps."""
        steps = getattr(self.model, "named_steps", {"": self.model}).values()
        return [type(step).__name__ for step in steps]

    @property
    def changed(self) -> dict[str, Any]:
        """Parameters that differ from their defaults."""
        usual = type(self.classifier)().get_params()
        parameters = self.classifier.get_params()
        return {name: value for name, value in parameters.items() if value != usual[name]}

    @property
    def has_kernel(self) -> bool:
        """Whether the model has support vectors."""
        return hasattr(self.classifier, "dual_coef_")

    @property
    def n_support(self) -> int | None:
        """Number of support vectors, of a model that has a kernel."""
        return self.classifier.dual_coef_.shape[1] if self.has_kernel else None

    @property
    def gamma(self) -> float | None:
        """Gamma of the kernel; None: the kernel has none."""
        gamma = self.classifier.gamma_ if self.has_kernel else np.nan
        return None if np.isnan(gamma) else gamma

    @property
    def has_probabilities(self) -> bool:
        """Whether the model is calibrated."""
        return hasattr(self.classifier, "sigmoids_")

    @property
    def certificate(self) -> Certificate | None:
        """Certificate of the fit."""
        return getattr(self.classifier, "certificate_", None)

    @cached_property
    def weights(self) -> list[ClassWeights]:
        """The largest weights of a linear model, else none."""
        return largest_weights(self.model, self.names) if has_weights(self.classifier) else []

    @property
    def about_weights(self) -> str:
        """What the weights are, in a sentence."""
        units = scale_of_weights(self.model)
        return f"Largest weights, {units}; those above 0 speak for the class:"

    @cached_property
    def histogram(self) -> list[tuple[str, int]]:
        """Numbers of training samples by how far they lie from the band; none if unknown."""
        return _slack_histogram(self.classifier) if hasattr(self.classifier, "xi_") else []

    def lines(self) -> Iterator[str]:
        """Yield the description as text."""
        classifier, names = self.classifier, getattr(self.model, "feature_names_in_", None)
        yield f"{self.source}: {' and '.join(self.steps)}, {self.n_bytes} bytes"
        yield f"  classes         {_first_few(classifier.classes_, MAX_CLASSES)}"
        of_names = "" if names is None else f" ({_first_few(names, MAX_FEATURES_NAMED)})"
        encoded = classifier.n_features_in_
        # Models of texts do not count their input.
        given = getattr(self.model, "n_features_in_", encoded)
        of_encoded = "" if encoded == given else f", encoded as {encoded}"
        yield f"  features        {given}{of_names}{of_encoded}"
        settings = ", ".join(
            f"{name}={short_text(repr(value))}" for name, value in self.changed.items()
        )
        yield f"  parameters      {settings or 'all as by default'}"
        yield f"  band            {classifier.rho1} to {classifier.rho2}"
        if self.gamma is not None:
            yield f"  gamma           {self.gamma:.6g}"
        if self.has_kernel:
            yield f"  support vectors {_support_text(classifier)}"
        calibrated, none = "calibrated (predict --proba)", "none (fit with --calibrate)"
        yield f"  probabilities   {calibrated if self.has_probabilities else none}"
        if self.certificate is not None:
            yield repr(self.certificate)
        if self.weights:
            yield self.about_weights
            yield from _weight_lines(self.weights)
        if self.histogram:
            yield "Signed decision values of the training samples, y g(x), against the band:"
            largest = max(n for _, n in self.histogram)
            for label, n in self.histogram:
                yield f"  {label:>20} {n:>8} {'#' * round(BAR_WIDTH * n / largest)}".rstrip()

    def values(self) -> dict[str, Any]:
        """Return the description for machines."""
        certificate = self.certificate
        return {
            "model": self.source,
            "steps": self.steps,
            "classes": self.classifier.classes_,
            "n_features": self.classifier.n_features_in_,
            "feature_names": getattr(self.model, "feature_names_in_", None),
            "parameters": self.classifier.get_params(),
            "gamma": self.gamma,
            "has_probabilities": self.has_probabilities,
            "n_support": self.n_support,
            "weights": [of_class.values() for of_class in self.weights],
            "weights_are": scale_of_weights(self.model) if self.weights else None,
            "certificate": None if certificate is None else certificate_values(certificate),
            "histogram": [{"values": label, "n_samples": n} for label, n in self.histogram],
        }

    def page_values(self) -> dict[str, Any]:
        """Return the description for the page: all values are bounded in size, and can be shown."""
        most, classifier = MAX_CLASSES_ON_PAGE, self.classifier
        band = band_parameters(classifier, classifier.classes_)
        names = getattr(self.model, "feature_names_in_", None)
        values = self.values() | {
            "text": "\n".join(self.lines()),
            "classes": [short_text(label) for label in classifier.classes_[:most].tolist()],
            "n_classes": len(classifier.classes_),
            **{name: getattr(band, name)[:most] for name in ("rho1", "rho2", "C1", "C2")},
            "weights": weight_bars(self.model),
            "support": None,
        }
        if self.has_kernel:
            values["support"] = {
                "total": self.n_support,
                "by_class": classifier.n_support_[:most],
            }
        if self.has_kernel and hasattr(classifier, "alpha_support_"):
            values["support"]["lower"] = len(np.ravel(classifier.alpha_support_))
            values["support"]["upper"] = len(np.ravel(classifier.theta_support_))
        if names is not None:
            values["feature_names"] = [short_text(name) for name in names.tolist()]
        return values

    def settings(self) -> list[tuple[str, Any]]:
        """Return the rows of a table of settings, for a report."""
        parameters = self.classifier.get_params()
        rows: list[tuple[str, Any]] = [("steps", ", ".join(self.steps))]
        rows += [(name, parameters[name]) for name in REPORTED if name in parameters]
        labels = self.classifier.classes_[:MAX_CLASSES_ON_PAGE].tolist()
        rows.append(("classes", ", ".join(map(short_text, labels))))
        if self.has_kernel:
            rows.append(("gamma used", f"{self.classifier.gamma_:.6g}"))
            rows.append(("support vectors", self.n_support))
        return rows


def is_model(content: bytes) -> bool:
    """Return whether the first bytes of a file are those of a model."""
    return content.startswith(MAGIC)


def certificate_values(certificate: Certificate) -> dict[str, Any]:
    """Return a certificate for machines."""
    names = ("primal", "dual", "gap", "relative_gap", "kkt_violation", "tol", "gap_tol", "n_iter")
    values = {name: getattr(certificate, name) for name in names}
    return {"status": certificate.status.value, "is_optimal": certificate.is_optimal, **values}


def _support_text(classifier: Classifier) -> str:
    """Return the number of support vectors, by edge of the band and by class."""
    parts = []
    if hasattr(classifier, "alpha_support_"):
        n_lower, n_upper = len(classifier.alpha_support_), len(classifier.theta_support_)
        parts.append(f"{n_lower} at the lower, {n_upper} at the upper edge")
    if len(classifier.classes_) <= MAX_CLASSES:
        pairs = zip(classifier.classes_.tolist(), classifier.n_support_.tolist(), strict=True)
        parts.append("by class " + ", ".join(f"{short_text(label)}: {n}" for label, n in pairs))
    total = str(classifier.dual_coef_.shape[1])
    return f"{total} ({'; '.join(parts)})" if parts else total


def _weight_lines(weights: list[ClassWeights]) -> Iterator[str]:
    """Yield lines about the weights of each class."""
    width = max(len(short_text(of_class.label)) for of_class in weights)
    for of_class in weights:
        label = short_text(of_class.label)
        for pairs in (of_class.positive, of_class.negative):
            if pairs:
                text = ", ".join(f"{short_text(name)} {weight:+.4g}" for name, weight in pairs)
                yield f"  {label:<{width}}  {text}"
                label = ""


def _first_few(values: Any, most: int) -> str:
    """Return the first of some labels or names."""
    first = ", ".join(map(short_text, values[:most].tolist()))
    return first + (", ..." if len(values) > most else "")


def _slack_histogram(classifier: Classifier) -> list[tuple[str, int]]:
    """Return numbers of training samples by how far they lie from the band.

    A file knows by how much samples miss the band, not where in it they lie: the band is one bar.
    """
    xi, eta = np.ravel(classifier.xi_), np.ravel(classifier.eta_)
    is_known = ~np.isnan(xi)  # samples have no place in pairs of other classes
    xi, eta = xi[is_known], eta[is_known]
    positions = BandPositions.from_slacks(xi, eta, classifier.tol)
    bars = [("in the band", int(positions.is_inside.sum()))]
    below, above = (xi[positions.is_below], "below"), (eta[positions.is_above], "above")
    for distances, words in (below, above):
        if not len(distances):
            continue
        counts, edges = np.histogram(distances, bins=N_BINS, range=(0.0, distances.max()))
        rows = [
            (f"{low:.3g} to {high:.3g} {words}", int(n))
            for n, low, high in zip(counts, edges[:-1], edges[1:], strict=True)
        ]
        bars = [*reversed(rows), *bars] if words == "below" else [*bars, *rows]
    return bars
