"""What a description says of classifiers and regressors unlike each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from bandsvm._checks.parameters import band_parameters
from bandsvm._checks.tube_parameters import costs_of, epsilon_of, quantiles_of
from bandsvm._decisions.multiclass import strategy_of
from bandsvm._decisions.position import BandPositions
from bandsvm._decisions.tubes import left_open
from bandsvm._estimators.quantiles import BandedQuantileSVR
from bandsvm._system.text import short_text
from bandsvm._tables.options import CLASSIFY, REGRESS
from bandsvm._workflow.pipeline import Classifier, Estimator, Regressor

# What is shown of labels: as text, and on the page.
MAX_CLASSES, MAX_CLASSES_ON_PAGE = 20, 30
# A line of a description: what, and its value.
Line = tuple[str, str]


class Kind(Protocol):
    """The part of a description that depends on what a model predicts."""

    problem_word: str  # what a decision rule belongs to
    weights_mean: str  # what weights above 0 do
    slacks_title: str  # what `slacks` are
    slacks_inside: str  # what the samples without slack are
    settings_reported: ClassVar[tuple[str, ...]]  # parameters that a report shows, changed or not

    def targets(self) -> list[Line]:
        """Return what is predicted."""

    def edges(self) -> list[Line]:
        """Return the band or the tube."""

    def remarks(self) -> list[Line]:
        """Return what else is to be said."""

    def support(self) -> list[str]:
        """Return how support vectors are divided, besides by edges."""

    def problem_names(self) -> list[Any]:
        """Return a name for each decision rule."""

    def weights_above_0(self, name: str) -> str:
        """Return what weights above 0 of one of the decision rules mean, as a sentence."""

    def positions(self) -> tuple[Any, Any, BandPositions] | None:
        """Return how far training samples miss their band below and above; None if unknown."""

    def values(self) -> dict[str, Any]:
        """Return all of it for machines."""

    def page_values(self) -> dict[str, Any]:
        """Return all of it for the page: bounded in size, and texts that can be shown."""

    def settings(self) -> list[tuple[str, Any]]:
        """Return rows of a table of settings."""


@dataclass(frozen=True)
class ClassKind:
    """A classifier."""

    model: Classifier
    problem_word = "class"
    weights_mean = "those above 0 speak for the class"
    slacks_title = "Signed decision values of the training samples, y g(x), against the band:"
    slacks_inside = "in the band"
    settings_reported: ClassVar[tuple[str, ...]] = (
        *("C1", "C2", "rho1", "rho2", "loss", "kernel", "gamma", "degree", "coef0", "tol"),
    )

    @property
    def has_probabilities(self) -> bool:
        """Whether the model is calibrated."""
        return hasattr(self.model, "sigmoids_")

    def targets(self) -> list[Line]:
        """Return the classes."""
        return [("classes", first_few(self.model.classes_, MAX_CLASSES))]

    def edges(self) -> list[Line]:
        """Return the band."""
        return [("band", f"{self.model.rho1} to {self.model.rho2}")]

    def remarks(self) -> list[Line]:
        """Return whether there are probabilities."""
        calibrated, none = "calibrated (predict --proba)", "none (fit with --calibrate)"
        return [("probabilities", calibrated if self.has_probabilities else none)]

    def support(self) -> list[str]:
        """Return numbers of support vectors by class, unless there are many."""
        classes = self.model.classes_
        if len(classes) > MAX_CLASSES:
            return []
        counts = self.model.n_support_.tolist()
        pairs = zip(classes.tolist(), counts, strict=True)
        return ["by class " + ", ".join(f"{short_text(label)}: {n}" for label, n in pairs)]

    def problem_names(self) -> list[Any]:
        """Return classes, or pairs of them."""
        return strategy_of(self.model).names(self.model.classes_.tolist())

    def weights_above_0(self, name: str) -> str:
        """Return which class weights above 0 speak for."""
        return f"Positive weights speak for class {name}."

    def positions(self) -> tuple[Any, Any, BandPositions] | None:
        """Return how far training samples miss the band."""
        xi, eta = np.ravel(self.model.xi_), np.ravel(self.model.eta_)
        is_known = ~np.isnan(xi)  # samples have no place in pairs of other classes
        xi, eta = xi[is_known], eta[is_known]
        return xi, eta, BandPositions.from_slacks(xi, eta, self.model.tol)

    def values(self) -> dict[str, Any]:
        """Return classes, and whether there are probabilities."""
        return {"classes": self.model.classes_, "has_probabilities": self.has_probabilities}

    def page_values(self) -> dict[str, Any]:
        """Return classes, edges and costs of each, and support vectors by class."""
        most, model = MAX_CLASSES_ON_PAGE, self.model
        band = band_parameters(model, model.classes_)
        return {
            "task": CLASSIFY,
            "classes": [short_text(label) for label in model.classes_[:most].tolist()],
            "n_classes": len(model.classes_),
            **{name: getattr(band, name)[:most] for name in ("rho1", "rho2", "C1", "C2")},
            "by_class": model.n_support_[:most] if hasattr(model, "dual_coef_") else None,
        }

    def settings(self) -> list[tuple[str, Any]]:
        """Return the classes."""
        labels = self.model.classes_[:MAX_CLASSES_ON_PAGE].tolist()
        return [("classes", ", ".join(map(short_text, labels)))]


@dataclass(frozen=True)
class NumberKind:
    """A regressor."""

    model: Regressor
    problem_word = "prediction"
    weights_mean = "those above 0 raise the prediction"
    slacks_title = "Predictions of the training samples against the tubes of their targets:"
    slacks_inside = "in the tube"
    settings_reported: ClassVar[tuple[str, ...]] = (
        *("C1", "C2", "epsilon", "quantile", "C", "loss", "kernel", "gamma", "degree", "coef0"),
        "tol",
    )

    def targets(self) -> list[Line]:
        """Return what columns of predictions are."""
        quantiles = self._quantiles()
        listed = f"the quantiles {', '.join(f'{value:g}' for value in quantiles)} of numbers"
        return [("predicts", listed if quantiles else "numbers")]

    def edges(self) -> list[Line]:
        """Return the tube, if there is one."""
        if self._quantiles():
            return []
        below, above = epsilon_of(self.model)
        return [("tube", f"{below:g} below to {above:g} above the target")]

    def remarks(self) -> list[Line]:
        """Return nothing."""
        return []

    def support(self) -> list[str]:
        """Return nothing."""
        return []

    def problem_names(self) -> list[Any]:
        """Return what columns of predictions are called."""
        return [f"quantile {value:g}" for value in self._quantiles()] or ["prediction"]

    def weights_above_0(self, name: str) -> str:
        """Return which prediction weights above 0 raise."""
        return f"Positive weights raise the {name}."

    def positions(self) -> tuple[Any, Any, BandPositions] | None:
        """Return how far predictions of training samples miss tubes; quantiles have none."""
        xi, eta = self.model.xi_, self.model.eta_
        if self._quantiles() or np.isnan(xi).any():
            return None
        return xi, eta, BandPositions.from_slacks(xi, eta, left_open(self.model))

    def values(self) -> dict[str, Any]:
        """Return what columns of predictions are called."""
        return {"predictions": self.problem_names()}

    def page_values(self) -> dict[str, Any]:
        """Return tube and costs, or quantiles and their cost."""
        quantiles = self._quantiles()
        costs = {"C": self.model.C} if quantiles else costs_of(self.model)._asdict()
        return {
            "task": REGRESS,
            "quantiles": list(quantiles),
            "tube": None if quantiles else list(epsilon_of(self.model)),
            "costs": costs,
        }

    def settings(self) -> list[tuple[str, Any]]:
        """Return nothing: parameters say it all."""
        return []

    def _quantiles(self) -> tuple[float, ...]:
        return quantiles_of(self.model) if isinstance(self.model, BandedQuantileSVR) else ()


def kind_of(estimator: Estimator) -> Kind:
    """Return what a description says of an estimator."""
    if isinstance(estimator, Regressor):
        return NumberKind(estimator)
    return ClassKind(estimator)


def first_few(values: Any, most: int) -> str:
    """Return the first of some labels or names."""
    first = ", ".join(map(short_text, values[:most].tolist()))
    return first + (", ..." if len(values) > most else "")
