"""Scores of held-out samples from decision values that are already known."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import get_scorer, r2_score

from bandsvm._decisions.multiclass import MultiClass
from bandsvm._fitting.labels import ClassTargets
from bandsvm._fitting.tubes import TubeTargets
from bandsvm.model_selection._splits import Split


class StoredModel(BaseEstimator):
    """A fitted estimator, as scorers expect it, that returns what it stores of held-out samples."""

    # What it stores, and the estimator that other searches take.
    stores: str
    instead_of = "BandedSVC"

    def cures(self) -> dict[str, str]:
        """Return what to say of a scorer whose error message has certain words."""
        return {
            "unexpected keyword argument 'sample_weight'": "takes no sample_weight; pass a scorer "
            "that does, or a plain function (estimator, X, y) to score without weights."
        }

    def _check_held_out(self, X: Any, values: NDArray) -> None:
        if X.shape[0] != len(values):
            raise ValueError(
                f"scoring may use {self.stores} of the {len(values)} held-out samples "
                f"only, got {X.shape[0]} samples; use sklearn.model_selection.GridSearchCV with "
                f"{self.instead_of} for other scores."
            )


class StoredDecisions(ClassifierMixin, StoredModel):
    """A classifier that returns stored decision values.

    ``strategy`` is how predictions follow from ``values``, which are decision values of problems.
    """

    stores = "decision values"

    def __init__(self, classes: Any = None, values: Any = None, strategy: Any = None) -> None:
        self.classes = classes
        self.values = values
        self.strategy = strategy

    @property
    def classes_(self) -> NDArray:
        """The class labels."""
        return self.classes

    def decision_function(self, X: Any) -> NDArray:
        """Return the decision values of the held-out samples, which X must be."""
        self._check_held_out(X, self.values)
        return self.strategy.shaped(self.values)

    def predict(self, X: Any) -> NDArray:
        """Return their predicted classes."""
        self._check_held_out(X, self.values)
        return self.classes[self.strategy.predicted(self.values)]

    def cures(self) -> dict[str, str]:
        """Return what to say of a scorer whose error message has certain words."""
        labels = self.classes.tolist()
        of_two = (
            f"is for two classes, and there are {len(labels)}; choose a score for more, such as "
            "'accuracy', 'balanced_accuracy' or 'f1_macro'."
        )
        return {
            "pos_label": f"does not know which of the classes {labels} is the positive one; "
            "name it, for example with scoring=sklearn.metrics.make_scorer(sklearn.metrics."
            f"f1_score, pos_label={labels[-1]!r}).",
            "predict_proba": "needs probabilities, which BandedSVC does not provide; choose a "
            "score of predictions or decision values, such as 'accuracy', 'balanced_accuracy' or "
            "'roc_auc'.",
            "multiclass": of_two,
            "multi_class": of_two,
            **super().cures(),
        }


class StoredPredictions(RegressorMixin, StoredModel):
    """A regressor that returns stored predictions."""

    instead_of, stores = "BandedSVR", "predictions"

    def __init__(self, values: Any = None) -> None:
        self.values = values

    def predict(self, X: Any) -> NDArray:
        """Return the predictions of the held-out samples, which X must be."""
        self._check_held_out(X, self.values)
        return self.values


# Makes an estimator of the targets that wrote problems and of their decision values for held-out
# samples as solvers see them, one column per problem.
Stored = Callable[[Any, NDArray], StoredModel]
# Returns the score of such an estimator in a fold, or NaN if it has none.
Score = Callable[[StoredModel, Split], float]


def stored_decisions(targets: ClassTargets, values: NDArray) -> StoredDecisions:
    """Return a classifier that returns decision values."""
    return StoredDecisions(targets.classes, values, targets.strategy)


def stored_predictions(targets: TubeTargets, values: NDArray) -> StoredPredictions:
    """Return a regressor that returns decision values in the user's units."""
    return StoredPredictions(targets.units.values(values)[:, 0])


def accuracy_score(y: NDArray, weights: NDArray) -> Score:
    """Return a score: the weighted share of correct predictions."""

    def score(decisions: StoredModel, split: Split) -> float:
        held_out = split[1]
        right = decisions.predict(held_out) == y[held_out]
        return float(np.average(right, weights=_weights_of(weights[held_out])))

    return score


def determination_score(y: NDArray, weights: NDArray) -> Score:
    """Return a score: the weighted coefficient of determination R^2."""

    def score(predictions: StoredModel, split: Split) -> float:
        held_out = split[1]
        if len(held_out) < 2:  # it has no R^2, and scikit-learn would warn in every fold
            return np.nan
        of_fold = _weights_of(weights[held_out])
        found = r2_score(y[held_out], predictions.predict(held_out), sample_weight=of_fold)
        return float(found)

    return score


def _weights_of(of_fold: NDArray) -> NDArray | None:
    """Return the weights of held-out samples; None, which are equal ones, if all are 0."""
    return of_fold if of_fold.any() else None


def scorer_score(scoring: Any, X: Any, y: NDArray, weights: NDArray | None, given: bool) -> Score:
    """Return a score that calls a scikit-learn scorer, or a callable with the same signature.

    With ``given`` X is a kernel matrix. Weights are for scorers that take them; None: all the same.
    """
    scorer = _checked_scorer(scoring)
    has_weights = _takes_weights(scorer)

    def score(stored: StoredModel, split: Split) -> float:
        train, held_out = split
        samples = X[np.ix_(held_out, train)] if given else X[held_out]
        options = {}
        if weights is not None and has_weights and weights[held_out].any():
            options["sample_weight"] = weights[held_out]
        try:
            value = scorer(stored, samples, y[held_out], **options)
        except (ValueError, AttributeError, TypeError) as error:
            if cure := _cure(str(error), scoring, stored):
                raise ValueError(f"{error}\n{cure}") from error
            raise
        if isinstance(value, np.ndarray) and value.size == 1:
            value = value.item()
        if not isinstance(value, Real):
            raise TypeError(f"scoring must return a number, got {type(value).__name__}: {value!r}.")
        number = float(value)
        return number if np.isfinite(number) else np.nan

    return score


def try_score(score: Score, stored: StoredModel, split: Split) -> None:
    """Raise errors of a scorer that do not depend on the decision values, before any fit."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            score(stored, split)
    except Exception as error:
        if "scoring" in str(error):
            raise
        # Otherwise the made-up decision values may be the cause.


def made_up_decisions(y: NDArray, split: Split) -> StoredDecisions:
    """Return decision values of held-out samples, every other of which is right."""
    # Scorers may treat perfect or constant values as special cases.
    train, held_out = split
    classes = np.unique(y[train])
    is_own = classes == y[held_out][:, None]
    values = (
        np.where(is_own, 1.0, -1.0) * np.where(np.arange(len(held_out)) % 2, -1.0, 1.0)[:, None]
    )
    values += 0.1 * np.cos(np.arange(len(held_out)))[:, None]
    of_problems = values[:, 1:] if len(classes) == 2 else values
    return StoredDecisions(classes, of_problems, MultiClass().strategy(len(classes)))


def made_up_predictions(y: NDArray, split: Split) -> StoredPredictions:
    """Return predictions for held-out samples."""
    return StoredPredictions(np.cos(np.arange(len(split[1]))))


def _checked_scorer(scoring: Any) -> Any:
    """Return the scorer of a name, or a callable as it is."""
    if not isinstance(scoring, str) and not callable(scoring):
        raise TypeError(
            f"scoring must be one name of a scorer, a callable or None, got {scoring!r}; see "
            "sklearn.metrics.get_scorer_names()."
        )
    try:
        return get_scorer(scoring)
    except ValueError as error:
        raise ValueError(f"scoring: {error}") from None


def _takes_weights(scorer: Callable) -> bool:
    """Return whether a scorer can be called with sample_weight."""
    parameters = inspect.signature(scorer).parameters
    kinds = {parameter.kind for parameter in parameters.values()}
    return "sample_weight" in parameters or inspect.Parameter.VAR_KEYWORD in kinds


def _cure(message: str, scoring: Any, stored: StoredModel) -> str:
    """Return advice on a scorer's error message, or an empty string."""
    found = (cure for sign, cure in stored.cures().items() if sign in message)
    return next((f"scoring={scoring!r} {cure}" for cure in found), "")
