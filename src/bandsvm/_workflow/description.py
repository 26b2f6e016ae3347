"""What a model is: its steps, parameters, band, support vectors, weights and certificate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bandsvm._certificate import Certificate
from bandsvm._system.text import short_text
from bandsvm._workflow.kinds import Kind, first_few, kind_of
from bandsvm._workflow.pipeline import Estimator, Model, estimator_of
from bandsvm._workflow.weights import (
    ProblemWeights,
    has_weights,
    largest_weights,
    scale_of_weights,
    weight_bars,
)
from bandsvm.persistence._container import MAGIC

# Names of features that are shown.
MAX_FEATURES_NAMED = 6
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
    def estimator(self) -> Estimator:
        """The estimator at the end of the model."""
        return estimator_of(self.model)

    @cached_property
    def kind(self) -> Kind:
        """What depends on what the model predicts."""
        return kind_of(self.estimator)

    @property
    def steps(self) -> list[str]:
        """Names of the classes of all steps."""
        steps = getattr(self.model, "named_steps", {"": self.model}).values()
        return [type(step).__name__ for step in steps]

    @property
    def changed(self) -> dict[str, Any]:
        """Parameters that differ from their defaults."""
        usual = type(self.estimator)().get_params()
        parameters = self.estimator.get_params()
        return {name: value for name, value in parameters.items() if value != usual[name]}

    @property
    def has_kernel(self) -> bool:
        """Whether the model has support vectors."""
        return hasattr(self.estimator, "dual_coef_")

    @property
    def n_support(self) -> int | None:
        """Number of support vectors, of a model that has a kernel."""
        return self.estimator.dual_coef_.shape[1] if self.has_kernel else None

    @property
    def gamma(self) -> float | None:
        """Gamma of the kernel; None: the kernel has none."""
        gamma = self.estimator.gamma_ if self.has_kernel else np.nan
        return None if np.isnan(gamma) else gamma

    @property
    def certificate(self) -> Certificate | None:
        """Certificate of the fit."""
        return getattr(self.estimator, "certificate_", None)

    @cached_property
    def weights(self) -> list[ProblemWeights]:
        """The largest weights of a linear model, else none."""
        return largest_weights(self.model, self.names) if has_weights(self.estimator) else []

    @property
    def about_weights(self) -> str:
        """What the weights are, in a sentence."""
        units = scale_of_weights(self.model)
        return f"Largest weights, {units}; {self.kind.weights_mean}:"

    @cached_property
    def histogram(self) -> list[tuple[str, int]]:
        """Numbers of training samples by how far they lie from the band; none if unknown."""
        return _slack_histogram(self.kind) if hasattr(self.estimator, "xi_") else []

    def lines(self) -> Iterator[str]:
        """Yield the description as text."""
        estimator, names = self.estimator, getattr(self.model, "feature_names_in_", None)
        yield f"{self.source}: {' and '.join(self.steps)}, {self.n_bytes} bytes"
        of_names = "" if names is None else f" ({first_few(names, MAX_FEATURES_NAMED)})"
        encoded = estimator.n_features_in_
        # Models of texts do not count their input.
        given = getattr(self.model, "n_features_in_", encoded)
        of_encoded = "" if encoded == given else f", encoded as {encoded}"
        settings = ", ".join(
            f"{name}={short_text(repr(value))}" for name, value in self.changed.items()
        )
        lines = [
            *self.kind.targets(),
            ("features", f"{given}{of_names}{of_encoded}"),
            ("parameters", settings or "all as by default"),
            *self.kind.edges(),
        ]
        if self.gamma is not None:
            lines.append(("gamma", f"{self.gamma:.6g}"))
        if self.has_kernel:
            lines.append(("support vectors", _support_text(estimator, self.kind)))
        for name, value in (*lines, *self.kind.remarks()):
            yield f"  {name:<15} {value}"
        if self.certificate is not None:
            yield repr(self.certificate)
        if self.weights:
            yield self.about_weights
            yield from _weight_lines(self.weights)
        if self.histogram:
            yield self.kind.slacks_title
            largest = max(n for _, n in self.histogram)
            for label, n in self.histogram:
                yield f"  {label:>20} {n:>8} {'#' * round(BAR_WIDTH * n / largest)}".rstrip()

    def values(self) -> dict[str, Any]:
        """Return the description for machines."""
        certificate = self.certificate
        return {
            "model": self.source,
            "steps": self.steps,
            **self.kind.values(),
            "n_features": self.estimator.n_features_in_,
            "feature_names": getattr(self.model, "feature_names_in_", None),
            "parameters": self.estimator.get_params(),
            "gamma": self.gamma,
            "n_support": self.n_support,
            "weights": [of_problem.values() for of_problem in self.weights],
            "weights_are": scale_of_weights(self.model) if self.weights else None,
            "certificate": None if certificate is None else certificate_values(certificate),
            "histogram": [{"values": label, "n_samples": n} for label, n in self.histogram],
        }

    def page_values(self) -> dict[str, Any]:
        """Return the description for the page: all values are bounded in size, and can be shown."""
        names = getattr(self.model, "feature_names_in_", None)
        values = self.values() | {
            "text": "\n".join(self.lines()),
            "weights": weight_bars(self.model),
            "support": None,
            **self.kind.page_values(),
        }
        if self.has_kernel:
            values["support"] = {"total": self.n_support}
        if self.has_kernel and hasattr(self.estimator, "alpha_support_"):
            values["support"]["lower"] = len(np.ravel(self.estimator.alpha_support_))
            values["support"]["upper"] = len(np.ravel(self.estimator.theta_support_))
        if names is not None:
            values["feature_names"] = [short_text(name) for name in names.tolist()]
        return values

    def settings(self) -> list[tuple[str, Any]]:
        """Return the rows of a table of settings, for a report."""
        parameters = self.estimator.get_params()
        rows: list[tuple[str, Any]] = [("steps", ", ".join(self.steps))]
        reported = self.kind.settings_reported
        rows += [(name, parameters[name]) for name in reported if name in parameters]
        rows += self.kind.settings()
        if self.has_kernel:
            rows.append(("gamma used", f"{self.estimator.gamma_:.6g}"))
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


def _support_text(estimator: Estimator, kind: Kind) -> str:
    """Return the number of support vectors, by edge of the band and by class."""
    parts = []
    if hasattr(estimator, "alpha_support_"):
        n_lower, n_upper = len(estimator.alpha_support_), len(estimator.theta_support_)
        parts.append(f"{n_lower} at the lower, {n_upper} at the upper edge")
    parts += kind.support()
    total = str(estimator.dual_coef_.shape[1])
    return f"{total} ({'; '.join(parts)})" if parts else total


def _weight_lines(weights: list[ProblemWeights]) -> Iterator[str]:
    """Yield lines about the weights of each decision rule."""
    width = max(len(short_text(of_problem.label)) for of_problem in weights)
    for of_problem in weights:
        label = short_text(of_problem.label)
        for pairs in (of_problem.positive, of_problem.negative):
            if pairs:
                text = ", ".join(f"{short_text(name)} {weight:+.4g}" for name, weight in pairs)
                yield f"  {label:<{width}}  {text}"
                label = ""


def _slack_histogram(kind: Kind) -> list[tuple[str, int]]:
    """Return numbers of training samples by how far they lie from the band.

    A file knows by how much samples miss the band, not where in it they lie: the band is one bar.
    """
    found = kind.positions()
    if found is None:
        return []
    xi, eta, positions = found
    bars = [(kind.slacks_inside, int(positions.is_inside.sum()))]
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
