"""What a search does for one kind of model unlike for another: candidates, folds and scores."""

from __future__ import annotations

from typing import Any, Protocol

from numpy.typing import NDArray

from bandsvm._checks.numbers import are_intervals
from bandsvm._fitting.labels import labels_of
from bandsvm.model_selection._bands import BandGrid
from bandsvm.model_selection._bound import check_theorem_holds
from bandsvm.model_selection._grid import Grid
from bandsvm.model_selection._scoring import (
    Score,
    StoredModel,
    accuracy_score,
    determination_score,
    made_up_decisions,
    made_up_predictions,
    stored_decisions,
    stored_predictions,
)
from bandsvm.model_selection._splits import Split
from bandsvm.model_selection._tubes import TubeGrid


class SearchKind(Protocol):
    """What a search does for one kind of model unlike for another."""

    has_classes: bool  # whether folds are stratified, and train on two classes at least

    def check(self, estimator: Any, model: Any) -> None:
        """Check parameters that only searches of this kind have; ``model`` is one candidate's."""

    def grid(self, estimator: Any, model: Any, X: Any, y: NDArray, weights: NDArray) -> Grid:
        """Return the candidates."""

    def needs_folds(self, estimator: Any) -> bool:
        """Return whether candidates are scored by cross-validation."""

    def default_score(self, y: NDArray, weights: NDArray) -> Score:
        """Return the score for ``scoring=None``."""

    def stored(self, targets: Any, values: NDArray) -> StoredModel:
        """Return an estimator of decision values of held-out samples; see `Stored`."""

    def made_up(self, y: NDArray, split: Split) -> StoredModel:
        """Return an estimator of made-up decision values of a fold, to try a score."""


class ClassSearch:
    """Searches of classifiers."""

    has_classes = True
    stored = staticmethod(stored_decisions)
    default_score = staticmethod(accuracy_score)
    made_up = staticmethod(made_up_decisions)

    def check(self, estimator: Any, model: Any) -> None:
        """Check the criterion."""
        if not (isinstance(estimator.criterion, str) and estimator.criterion in CRITERIA):
            names = " or ".join(map(repr, CRITERIA))
            raise ValueError(f"criterion must be {names}, got {estimator.criterion!r}.")
        if not self.needs_folds(estimator):
            check_theorem_holds(model)

    def grid(self, estimator: Any, model: Any, X: Any, y: NDArray, weights: NDArray) -> BandGrid:
        """Return C-SVMs and bands."""
        classes = labels_of(estimator.class_weight, y, weights).classes
        return BandGrid(estimator, model, classes, X, weights)

    def needs_folds(self, estimator: Any) -> bool:
        """Return whether candidates are scored by cross-validation, not by a bound."""
        return estimator.criterion == "cv"


class NumberSearch:
    """Searches of regressions."""

    has_classes = False
    stored = staticmethod(stored_predictions)
    made_up = staticmethod(made_up_predictions)

    def check(self, estimator: Any, model: Any) -> None:
        """Check nothing: there are no such parameters."""

    def grid(self, estimator: Any, model: Any, X: Any, y: NDArray, weights: NDArray) -> TubeGrid:
        """Return costs and tubes."""
        return TubeGrid(estimator, X, y, weights)

    def needs_folds(self, estimator: Any) -> bool:
        """Return True."""
        return True

    def default_score(self, y: NDArray, weights: NDArray) -> Score:
        """Return R^2, which intervals do not have."""
        if are_intervals(y):
            raise ValueError(
                "scoring must be a callable (estimator, X, y) if y holds intervals, because there "
                "is no R^2 of them; for example the share of predictions that lie inside."
            )
        return determination_score(y, weights)


CRITERIA = ("cv", "loo_bound")
CLASS_SEARCH, NUMBER_SEARCH = ClassSearch(), NumberSearch()
