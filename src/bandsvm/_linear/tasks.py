"""Classification and regression as tasks of linear models, whose samples may lie in chunks.

A linear task also says what is to be known of the targets of a chunk, and how the targets of all
chunks together become band problems. Samples without weight stay in the problems, so that X is not
copied.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from bandsvm._checks.parameters import check_fit_parameters
from bandsvm._checks.tube_parameters import costs_of, epsilon_of
from bandsvm._defaults import LOSSES, REGRESSION_LOSSES
from bandsvm._fitting.classification import Classification
from bandsvm._fitting.labels import ClassTargets, ClassTraining, Labels, band_problems, labels_of
from bandsvm._fitting.regression import Regression
from bandsvm._fitting.settings import BandSettings
from bandsvm._fitting.sources import TargetSource, summary_of
from bandsvm._fitting.task import Diagonal, Targets, Task
from bandsvm._fitting.tubes import TubeTargets, TubeTraining, tube_problems, tube_targets
from bandsvm._linear.solving import available_linear_solvers
from bandsvm._system.advice import ParameterTypeError


class LinearTask(Task, Protocol):
    """What a linear estimator does unlike others in a fit: its class attribute ``_task``."""

    def summary(self, y: NDArray, weights: NDArray) -> Any:
        """Return what is to be known of the targets of a chunk, checked."""

    def targets(self, model: Any, source: TargetSource) -> Targets:
        """Return how the targets of all chunks together become band problems, checked."""

    def coef(self, weights: NDArray) -> NDArray:
        """Return weights of features, one row per problem, shaped as the attribute."""


def check_linear_parameters(model: Any, losses: tuple[str, ...]) -> None:
    """Check all parameters that do not depend on the task."""
    check_fit_parameters(model, available_linear_solvers(), losses)
    if not isinstance(model.store_multipliers, (bool, np.bool_)):
        raise ParameterTypeError("store_multipliers", "must be a bool", model.store_multipliers)


class LabelSummary(NamedTuple):
    """The labels of samples of positive weight, and the sum and the largest of their weights."""

    labels: NDArray
    totals: NDArray
    largest: NDArray


class LinearClassification(Classification):
    """The task of `LinearBandedSVC`, one-vs-rest."""

    def check_parameters(self, model: Any) -> None:
        """Check all parameters that do not depend on the classes."""
        check_linear_parameters(model, LOSSES)

    def training(
        self,
        model: Any,
        y: NDArray,
        weights: NDArray,
        diagonal: Diagonal | None = None,
        *,
        share_samples: bool = False,
    ) -> ClassTraining:
        """Return the band problems of labels and weights, which share all samples."""
        return _problems_of(model, labels_of(model.class_weight, y, weights))

    def summary(self, y: NDArray, weights: NDArray) -> LabelSummary:
        """Return the labels of a chunk and their weights."""
        check_classification_targets(y)
        counted = weights > 0.0
        labels, which = np.unique(y[counted], return_inverse=True)
        weights = weights[counted]
        largest = np.zeros(len(labels))
        np.maximum.at(largest, which, weights)
        return LabelSummary(labels, np.bincount(which, weights, len(labels)), largest)

    def targets(self, model: Any, source: TargetSource) -> ClassTargets:
        """Return how labels become band problems, checked by one sample per class."""
        labels, totals, largest = map(np.concatenate, zip(*source.summaries, strict=True))
        classes, which = np.unique(labels, return_inverse=True)
        if not len(classes):
            raise ValueError(
                "sample_weight must contain at least one non-zero number, but all weights are zero."
            )
        known = labels_of(model.class_weight, classes, np.bincount(which, totals, len(classes)))
        heaviest = np.zeros(len(classes))
        np.maximum.at(heaviest, which, largest)
        # Not `known.class_weights`, for the sake of the last bits of earlier fits.
        class_weights = known.factors / known.weights
        heaviest_of_each = replace(known, weights=heaviest, class_weights=class_weights)
        return _problems_of(model, heaviest_of_each).targets

    def coef(self, weights: NDArray) -> NDArray:
        """Return one row per problem."""
        return weights


def _problems_of(model: Any, labels: Labels) -> ClassTraining:
    """Return the band problems of labels, whose costs must be finite."""
    training = band_problems(BandSettings.of(model), labels, keep_all=True, allows_hard=True)
    if any(problem.has_hard_edges for problem in training.problems):
        raise ValueError(
            f"C1 must be finite, got {model.C1!r}; BandedSVC(kernel='linear') takes C1=inf."
        )
    return training


class LinearRegression(Regression):
    """The task of `LinearBandedSVR`."""

    def check_parameters(self, model: Any) -> None:
        """Check all parameters."""
        check_linear_parameters(model, tuple(REGRESSION_LOSSES))
        costs_of(model)
        epsilon_of(model)

    def training(
        self,
        model: Any,
        y: NDArray,
        weights: NDArray,
        diagonal: Diagonal | None = None,
        *,
        share_samples: bool = False,
    ) -> TubeTraining:
        """Return the band problem of targets and weights over all samples."""
        return tube_problems(self.band(model), y, weights, keep_all=True)

    summary = staticmethod(summary_of)

    def targets(self, model: Any, source: TargetSource) -> TubeTargets:
        """Return how targets become a band problem, in units of their spread."""
        return tube_targets(self.band(model), source)

    def coef(self, weights: NDArray) -> NDArray:
        """Return the weights of the only problem, as `sklearn.svm.LinearSVR` has them."""
        return weights[0]


LINEAR_CLASSIFICATION, LINEAR_REGRESSION = LinearClassification(), LinearRegression()
