"""How labels become band problems: every sample shall lie in the band of its class, on its side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from bandsvm._checks.parameters import BandParameters, band_parameters, check_finite_costs
from bandsvm._decisions.multiclass import MultiClass, OneVsOne, Strategy
from bandsvm._fitting.settings import BandSettings
from bandsvm._fitting.task import Blocks
from bandsvm._fitting.training import Training
from bandsvm._problem.band_problem import BandProblem, band_problem
from bandsvm._problem.band_problems import BandProblems, joined, repeated
from bandsvm._problem.units import PLAIN, DecisionUnits
from bandsvm._system.cached import cached_property
from bandsvm._system.memory import MEGABYTE, available_bytes

ClassTraining = Training["ClassTargets"]

# Multipliers, slacks, coefficients and decision values: bytes per sample and pair of classes.
BYTES_PER_SAMPLE = 6 * 8
LITTLE_TABLES = 256 * MEGABYTE
# Edges and costs that are computed in one go: more take memory without saving time.
MAX_VALUES_AT_ONCE = 2**20


@dataclass(frozen=True)
class ClassTargets:
    """Writes band problems: every sample shall lie in the band of its class, on its side.

    Samples may be a training set or one of its chunks on another machine.
    """

    classes: NDArray  # (n_classes,): the labels of the classes, sorted
    class_weights: NDArray[np.float64]  # (n_classes,): factors of both costs
    strategy: Strategy
    band: BandParameters  # edges and costs of each class
    has_intercept: bool
    loss: str
    units: ClassVar[DecisionUnits] = PLAIN

    @classmethod
    def of(cls, settings: BandSettings, labels: Labels) -> ClassTargets:
        """Return the targets that labels are, with a band and costs."""
        return cls(
            labels.classes,
            labels.class_weights,
            labels.strategy,
            band_parameters(settings, labels.classes),
            bool(settings.fit_intercept),
            settings.loss,
        )

    @cached_property
    def titles(self) -> list[str]:
        """A title for each problem, for progress and messages."""
        return self.strategy.titles(self.classes.tolist())

    @property
    def blocks(self) -> Blocks:
        """One block for each class where problems are pairs of classes; else a single one."""
        return self.strategy.blocks

    def attributes(self, y: NDArray, support: NDArray) -> dict[str, Any]:
        """Return the classes, and the number of support vectors of each."""
        which = class_of(y[support], self.classes)
        return {
            "classes_": self.classes,
            "n_support_": np.bincount(which, minlength=len(self.classes)),
        }

    def edges(self, labels: Labels, samples: NDArray) -> tuple[NDArray, NDArray]:
        """Return rho1 and rho2 of samples of a training set."""
        which = labels.class_of[samples]
        return self.band.rho1[which], self.band.rho2[which]

    def all_signs(self, labels: Labels, n_samples: int) -> NDArray:
        """Return the sides of a training set, one row per problem; see `Training.signs`."""
        return labels.signs

    def own_signs(
        self, labels: Labels, problems: NDArray[np.intp], samples: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Return the sides of samples of a training set in problems in which they take part."""
        return self.strategy.sides_of(problems, labels.class_of[samples])

    def signs(self, y: NDArray, k: int) -> NDArray[np.float64]:
        """Return the side of samples in the k-th problem: +1, -1, or 0 if they take no part.

        The multipliers of a sample's lower and upper edge are the positive and the negative part
        of its sign times ``c``.
        """
        return self._sides[k][class_of(y, self.classes)]

    def problem(self, y: NDArray, weights: NDArray, k: int) -> BandProblem:
        """Return the k-th problem over samples."""
        which = class_of(y, self.classes)
        return self._written(which, weights, self._sides[k][which])

    def problems(
        self,
        labels: Labels,
        kept: NDArray[np.intp],
        share_samples: bool,
    ) -> BandProblems:
        """Return all problems over the samples ``kept`` of a training set.

        With ``share_samples`` all have all of these samples; else each has those of its classes.
        """
        n_samples, n_known = len(kept), len(labels.class_of)
        classes = labels.class_of if n_samples == n_known else labels.class_of[kept]
        own = None if share_samples else self.strategy.own_samples(classes)
        if own is None:
            signs = labels.signs if n_samples == n_known else labels.signs[:, kept]
            number = len(signs)
            starts = n_samples * np.arange(number + 1)
            at_once = max(1, MAX_VALUES_AT_ONCE // n_samples)
            parts = [slice(k, min(k + at_once, number)) for k in range(0, number, at_once)]
            written = [
                self._written_for(labels, repeated(kept, len(signs[some])), signs[some].ravel())
                for some in parts
            ]
            return BandProblems(joined(written), starts, kept, True)
        problem_of, places = own
        number = self.strategy.n_problems
        starts = np.concatenate([[0], np.bincount(problem_of, minlength=number).cumsum()])
        which, of_samples = classes[places], kept[places]
        signs = self.strategy.sides_of(problem_of, which)
        values = self._written(which, labels.weights[of_samples], signs)
        return BandProblems(values, starts, of_samples, False)

    def _written_for(self, labels: Labels, samples: NDArray, signs: NDArray) -> BandProblem:
        """Return the edges and costs of samples on some sides."""
        return self._written(labels.class_of[samples], labels.weights[samples], signs)

    def _written(self, which: NDArray, weights: NDArray, signs: NDArray) -> BandProblem:
        """Return the edges and costs of samples of some classes, which are numbered."""
        rho1, rho2, C1, C2 = (values[which] for values in self.band)
        factors = weights * self.class_weights[which]
        if not signs.all():
            factors = np.where(signs == 0.0, 0.0, factors)
        return band_problem(signs, rho1, rho2, C1, C2, factors, self.has_intercept, self.loss)

    @cached_property
    def _sides(self) -> NDArray[np.float64]:
        """The side of each class (columns) in each problem (rows)."""
        return self.strategy.signs(np.arange(len(self.classes)))


@dataclass(frozen=True)
class Labels:
    """Labels and weights, independent of band and costs."""

    classes: NDArray  # (n_classes,): labels of the classes that have samples of positive weight
    # (n_samples,): index of each sample's class in ``classes``; arbitrary for samples of weight 0.
    class_of: NDArray[np.intp]
    strategy: Strategy
    weights: NDArray[np.float64]  # (n_samples,): sample weights
    class_weights: NDArray[np.float64]  # (n_classes,): factors of both costs

    @cached_property
    def signs(self) -> NDArray:
        """The side of each sample (columns) in each problem (rows): +1, -1, or 0 if in none."""
        return self.strategy.signs(self.class_of)

    @property
    def factors(self) -> NDArray[np.float64]:
        """Sample weights times class weights."""
        with np.errstate(over="ignore"):
            return self.weights * self.class_weights[self.class_of]


def labels_of(
    class_weight: Any,
    y: NDArray,
    weights: NDArray,
    multi_class: MultiClass = MultiClass(),  # noqa: B008  (frozen)
) -> Labels:
    """Return the classes of a training set, with weights of samples and classes."""
    if y.dtype.kind not in "biuU":  # these types are always labels
        check_classification_targets(y)
    counted = weights > 0.0
    classes = np.unique(y[counted])
    if len(classes) < 2:
        raise ValueError(
            f"y must hold at least two classes of samples with a weight greater than 0, got one "
            f"class: {classes.tolist()}."
        )
    class_weights = np.ones(len(classes))
    if class_weight is not None:
        class_weights = compute_class_weight(
            class_weight, classes=classes, y=y[counted], sample_weight=weights[counted]
        )
    if not (np.isfinite(class_weights) & (class_weights > 0.0)).all():
        raise ValueError(
            f"class_weight must hold finite values greater than 0, got {class_weight}; to "
            "leave a class out, set its sample_weight to 0."
        )
    which = class_of(y, classes)
    strategy = multi_class.strategy(len(classes))
    if len(classes) > 2 and isinstance(strategy, OneVsOne):
        _check_tables_fit(strategy.n_problems, len(classes), len(y))
    return Labels(classes, which, strategy, weights, class_weights)


def class_of(y: NDArray, classes: NDArray) -> NDArray[np.intp]:
    """Return the number of each sample's class.

    Labels of samples of weight 0 need not be among the classes; any class will do for them.
    """
    return np.minimum(np.searchsorted(classes, y), len(classes) - 1)


def _check_tables_fit(n_pairs: int, n_classes: int, n_samples: int) -> None:
    """Refuse so many pairs of classes that multipliers and slacks exceed the memory."""
    needed = BYTES_PER_SAMPLE * float(n_pairs) * n_samples
    if needed <= LITTLE_TABLES:
        return  # the system need not be asked
    available = available_bytes()
    if needed > available:
        raise ValueError(
            f"{n_classes} classes make {n_pairs} pairs; for {n_samples} samples their "
            f"multipliers and slacks take {needed / 2**30:.1f} GiB; {available / 2**30:.1f} GiB "
            "are free. Use multi_class='ovr', fewer classes or fewer samples."
        )


def band_problems(
    band: BandSettings,
    labels: Labels,
    *,
    keep_all: bool = False,
    share_samples: bool = True,
    allows_hard: bool = False,
) -> ClassTraining:
    """Return the band problems of labels, for the costs and the band of ``band``.

    With ``keep_all``, samples of weight 0 stay in the problems with zero cost: they do not affect
    the solution, but get decision values. With ``share_samples`` so do samples that take no part in
    a problem, and all problems can share kernel rows. Infinite costs are refused unless
    ``allows_hard``.
    """
    if not allows_hard:
        check_finite_costs(band)
    targets = ClassTargets.of(band, labels)
    _check_costs_fit(band, targets, labels)
    kept = np.arange(len(labels.weights)) if keep_all else (labels.weights > 0.0).nonzero()[0]
    problems = targets.problems(labels, kept, share_samples)
    return Training(targets, labels, len(labels.weights), kept, problems)


def _check_costs_fit(band: BandSettings, targets: ClassTargets, labels: Labels) -> None:
    """Refuse costs that are infinite after multiplication by weights."""
    C1, C2 = targets.band.C1, targets.band.C2
    finite = np.maximum(np.where(np.isinf(C1), 0.0, C1), C2)
    with np.errstate(over="ignore"):
        if np.isfinite(labels.weights.max() * (finite * labels.class_weights).max()):
            return
        largest = float((labels.factors * finite[labels.class_of]).max())
    if not np.isfinite(largest):
        raise ValueError(
            f"C1 and C2 times the weights of samples and classes must be finite, got C1="
            f"{band.C1!r}, C2={band.C2!r} and a largest weight of "
            f"{labels.weights.max()}; lower them."
        )
