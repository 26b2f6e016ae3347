"""Multi-class strategies: the problems that classes make, and what their decision values mean.

Classes and problems are numbered. Signs of a problem are +1 for samples on its positive side, -1
for those on its negative side, and 0 for samples that take no part in it. ``values`` are decision
values of all problems, of shape (n_samples, n_problems).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bandsvm._system.cached import cached_property

# Decision values of pairs that are smaller are rounding errors of 0.
ROUNDING_OF_PAIRS = 1e-9
# Strategies used last are kept, since tables of pairs take time to make; those of more classes than
# this would take much memory.
MAX_CLASSES_KEPT = 50
# A block of all problems and all samples.
EVERYTHING = (slice(None), slice(None))


class Strategy(Protocol):
    """How classes make problems; by default, decision values are those of classes."""

    @property
    def n_problems(self) -> int:
        """Number of problems."""

    def signs(self, class_of: NDArray) -> NDArray:
        """Return the signs of samples of some classes, one row per problem."""

    def own_samples(self, class_of: NDArray) -> tuple[NDArray, NDArray] | None:
        """Return pairs of a problem and a sample that takes part in it, in the order of both.

        None if all samples take part in all problems.
        """
        return None

    def sides_of(self, problems: NDArray, classes: NDArray) -> NDArray[np.float64]:
        """Return the signs of samples of some classes in problems in which they take part."""
        return self.signs(np.arange(classes.max() + 1))[problems, classes]

    def titles(self, labels: list) -> list[str]:
        """Return a title for each problem, for progress and messages."""

    def names(self, labels: list) -> list:
        """Return what positive values of each problem favour: a class, or one against another."""

    def shaped(self, values: NDArray) -> NDArray:
        """Return what `decision_function` returns."""

    def by_class(self, values: NDArray) -> NDArray:
        """Return one column per class, or a vector for two classes."""
        return self.shaped(values)

    def predicted(self, values: NDArray, slack: float = 0.0) -> NDArray[np.intp]:
        """Return the predicted classes; values within ``slack`` of each other are equal."""

    def of_class(self, values: NDArray, classes: NDArray) -> NDArray:
        """Return the values of one class per sample, a column per problem that has this class.

        Positive values favour the class.
        """

    def margin(self, values: NDArray) -> NDArray:
        """Return how far the predicted classes are ahead.

        If it is positive, values may change by half of it before the predicted class changes.
        """

    def min_margin(self, lowest: NDArray, signs: NDArray) -> NDArray[np.float64]:
        """Return bounds on the margin of each sample's own class; above 0 it is the predicted one.

        ``lowest`` bounds sign times value from below, one row per problem, like ``signs``.
        """

    def blocks(self, coefficients: NDArray) -> list[tuple[Any, Any]]:
        """Return problems and samples of blocks of coefficients; all others are 0.

        ``coefficients`` have one row per problem. No sample is in two blocks.
        """
        return [EVERYTHING]


@dataclass(frozen=True)
class TwoClasses(Strategy):
    """One problem, whose positive side is the second class."""

    n_problems = 1

    def signs(self, class_of: NDArray) -> NDArray[np.float64]:
        """Return +1 for the second class and -1 for the first."""
        return np.where(class_of == 1, 1.0, -1.0)[None]

    def titles(self, labels: list) -> list[str]:
        """Return no title: there is nothing to tell apart."""
        return [""]

    def names(self, labels: list) -> list:
        """Return the second class."""
        return labels[1:]

    def shaped(self, values: NDArray) -> NDArray:
        """Return a vector."""
        return values[:, 0]

    def predicted(self, values: NDArray, slack: float = 0.0) -> NDArray[np.intp]:
        """Return the second class for positive values, whatever the slack is."""
        return (values[:, 0] > 0.0).astype(np.intp)

    def of_class(self, values: NDArray, classes: NDArray) -> NDArray:
        """Return one column."""
        return np.where(classes[:, None] == 1, values, -values)

    def margin(self, values: NDArray) -> NDArray:
        """Return the distance from a change of sign."""
        return np.abs(values[:, 0])

    def min_margin(self, lowest: NDArray, signs: NDArray) -> NDArray[np.float64]:
        """Return the bounds of the only problem."""
        return lowest[0]


@dataclass(frozen=True)
class OneVsRest(Strategy):
    """One problem per class, with the class on its positive side and all others on the other."""

    n_classes: int

    @property
    def n_problems(self) -> int:
        """Number of problems."""
        return self.n_classes

    def signs(self, class_of: NDArray) -> NDArray[np.float64]:
        """Return +1 in the problem of the own class and -1 in all others."""
        return np.where(class_of == np.arange(self.n_classes)[:, None], 1.0, -1.0)

    def titles(self, labels: list) -> list[str]:
        """Return a title for each class."""
        return [f"class {label!r} against the rest:" for label in labels]

    def names(self, labels: list) -> list:
        """Return the classes."""
        return labels

    def shaped(self, values: NDArray) -> NDArray:
        """Return one column per class."""
        return values

    def predicted(self, values: NDArray, slack: float = 0.0) -> NDArray[np.intp]:
        """Return the class of the largest value; of several, the first."""
        if slack == 0.0:
            return values.argmax(axis=1)
        return (values >= values.max(axis=1, keepdims=True) - slack).argmax(axis=1)

    def of_class(self, values: NDArray, classes: NDArray) -> NDArray:
        """Return one column."""
        return np.take_along_axis(values, classes[:, None], axis=1)

    def margin(self, values: NDArray) -> NDArray:
        """Return the difference between the largest and the next value."""
        second, first = np.partition(values, -2, axis=1)[:, -2:].T
        return first - second

    def min_margin(self, lowest: NDArray, signs: NDArray) -> NDArray[np.float64]:
        """Return the own class's least value minus the largest that another can have."""
        own = signs > 0.0
        best_other = np.where(own, -np.inf, -lowest).max(axis=0)
        return np.where(own, lowest, -np.inf).max(axis=0) - best_other


@dataclass(frozen=True)
class OneVsOne(Strategy):
    """One problem per pair of classes, in which the other classes take no part.

    Pairs are in the order (0, 1), (0, 2), ..., (1, 2), ...; the first class of a pair is on the
    positive side, as in `sklearn.svm.SVC`. ``has_pair_values`` and ``breaks_ties`` are the
    parameters decision_function_shape and break_ties.
    """

    n_classes: int
    has_pair_values: bool = False
    breaks_ties: bool = False

    @cached_property
    def pairs(self) -> NDArray[np.intp]:
        """Both classes of every pair, of shape (n_problems, 2)."""
        return np.column_stack(np.triu_indices(self.n_classes, k=1))

    @property
    def n_problems(self) -> int:
        """Number of pairs."""
        return self.n_classes * (self.n_classes - 1) // 2

    @cached_property
    def sides(self) -> NDArray[np.float64]:
        """+1, -1 or 0: the side of every class (columns) in every problem (rows)."""
        sides = np.zeros((self.n_problems, self.n_classes))
        problems = np.arange(self.n_problems)
        sides[problems, self.pairs[:, 0]], sides[problems, self.pairs[:, 1]] = 1.0, -1.0
        return sides

    @cached_property
    def _members(self) -> tuple[NDArray, NDArray]:
        """1 where a class (columns) is the first of a pair (rows), and where it is the second."""
        return (self.sides > 0.0).astype(np.float32), (self.sides < 0.0).astype(np.float32)

    @cached_property
    def problems_of(self) -> NDArray[np.intp]:
        """The problems of every class, of shape (n_classes, n_classes - 1)."""
        numbers = np.empty((self.n_classes, self.n_classes), dtype=np.intp)
        first, second = self.pairs.T
        numbers[first, second] = numbers[second, first] = np.arange(self.n_problems)
        return numbers[~np.eye(self.n_classes, dtype=bool)].reshape(self.n_classes, -1)

    def signs(self, class_of: NDArray) -> NDArray:
        """Return +1 for the first class of each pair, -1 for the second and 0 for others."""
        return self.sides.astype(np.int8)[:, class_of]  # there may be many pairs

    def own_samples(self, class_of: NDArray) -> tuple[NDArray, NDArray]:
        """Return the samples of both classes of every pair."""
        problems = self.problems_of[class_of].ravel()
        samples = np.repeat(np.arange(len(class_of)), self.n_classes - 1)
        # Numbers of 16 bits are sorted several times as fast.
        is_small = self.n_problems <= np.iinfo(np.uint16).max
        order = problems.astype(np.uint16 if is_small else np.intp).argsort(kind="stable")
        return problems[order], samples[order]

    def sides_of(self, problems: NDArray, classes: NDArray) -> NDArray[np.float64]:
        """Return +1 for the first class of each pair and -1 for the second."""
        return np.where(self.pairs[problems, 0] == classes, 1.0, -1.0)

    def titles(self, labels: list) -> list[str]:
        """Return a title for each pair."""
        return [f"class {labels[i]!r} against {labels[j]!r}:" for i, j in self.pairs.tolist()]

    def names(self, labels: list) -> list:
        """Return both classes of every pair."""
        return [f"{labels[i]} against {labels[j]}" for i, j in self.pairs.tolist()]

    def shaped(self, values: NDArray) -> NDArray:
        """Return the values of pairs, or votes."""
        return values if self.has_pair_values else self.by_class(values)

    def predicted(self, values: NDArray, slack: float = 0.0) -> NDArray[np.intp]:
        """Return the class of the most votes: of several, the first or that of larger values.

        Rounding errors decide no pair; more slack would give other labels than `SVC`.
        """
        if self.breaks_ties:
            return self.by_class(values).argmax(axis=1)
        return self._votes(values > min(slack, ROUNDING_OF_PAIRS)).argmax(axis=1)

    def by_class(self, values: NDArray) -> NDArray:
        """Return votes: a class has one for each pair that it wins, and a share of one.

        The share is the sum of its values, scaled to between -1/3 and 1/3.
        """
        sums = values @ self.sides.astype(values.dtype)
        # A value of 0 is a vote for the first class here, and else for the second, as in SVC.
        votes = self._votes(values >= 0.0).astype(values.dtype)
        return votes + sums / (3.0 * (np.abs(sums) + 1.0))

    def _votes(self, first_wins: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return in how many pairs every class wins."""
        is_first, is_second = self._members
        # Small whole numbers: sums are exact however they are computed.
        wins = first_wins.astype(np.float32)
        return wins @ is_first + (1.0 - wins) @ is_second

    def of_class(self, values: NDArray, classes: NDArray) -> NDArray:
        """Return one column per other class, in the order of classes."""
        problems = self.problems_of[classes]
        sides = self.sides[problems, classes[:, None]].astype(values.dtype)
        return sides * np.take_along_axis(values, problems, axis=1)

    def margin(self, values: NDArray) -> NDArray:
        """Return the least value of the predicted class in its pairs; negative if it lost one."""
        return self.of_class(values, self.predicted(values)).min(axis=1)

    def min_margin(self, lowest: NDArray, signs: NDArray) -> NDArray[np.float64]:
        """Return the least value of the own class in a pair: whoever wins all is predicted."""
        return np.where(signs != 0.0, lowest, np.inf).min(axis=0)

    def blocks(self, coefficients: NDArray) -> list[tuple[Any, Any]]:
        """Return the pairs of every class with the samples of this class."""
        n_used = (self.sides != 0.0).T.astype(np.float32) @ (coefficients != 0.0).astype(np.float32)
        # A sample has coefficients in pairs of its own class only. If there is but one, either
        # class of that pair will do.
        class_of = n_used.argmax(axis=0)
        return [
            (self.problems_of[k], samples)
            for k in range(self.n_classes)
            if len(samples := np.flatnonzero(class_of == k))
        ]


@dataclass(frozen=True)
class MultiClass:
    """The parameters of an estimator that concern more than two classes."""

    multi_class: str = "ovr"
    decision_function_shape: str = "ovr"
    break_ties: bool = False

    @classmethod
    def of(cls, estimator: Any) -> MultiClass:
        """Return those of an estimator; linear models have none and are one-vs-rest."""
        if not hasattr(estimator, "multi_class"):
            return cls()
        return cls(estimator.multi_class, estimator.decision_function_shape, estimator.break_ties)

    def strategy(self, n_classes: int) -> Strategy:
        """Return the strategy for a number of classes."""
        has_pair_values = self.decision_function_shape == "ovo"
        make = _kept_strategy if n_classes <= MAX_CLASSES_KEPT else _strategy
        return make(n_classes, self.multi_class, has_pair_values, bool(self.break_ties))


def _strategy(
    n_classes: int, multi_class: str, has_pair_values: bool, breaks_ties: bool
) -> Strategy:
    """Return a strategy."""
    if n_classes == 2:
        return TwoClasses()
    if multi_class == "ovr":
        return OneVsRest(n_classes)
    return OneVsOne(n_classes, has_pair_values, breaks_ties)


_kept_strategy = lru_cache(maxsize=8)(_strategy)


def strategy_of(model: Any) -> Strategy:
    """Return the strategy of a fitted model."""
    return MultiClass.of(model).strategy(len(model.classes_))
