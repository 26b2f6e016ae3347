"""The seam between estimators: what one does unlike another, and all that the rest asks of it.

A fit is the same for all estimators. They differ in how targets of samples become band problems,
and in what decision values mean (`bandsvm._decisions`). An estimator says the former by its class
attribute ``_task``. A task reads parameters and targets, and returns a `Training`: band problems,
and the `Targets` that wrote them. A new kind of estimator is one task, one `Targets`, and one
mixin with what its decision values mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bandsvm._certificate.not_optimal import Cure
from bandsvm._problem.band_problem import BandProblem
from bandsvm._problem.units import DecisionUnits

# Returns problems and samples of blocks of coefficients, all others being 0; see `Strategy.blocks`.
Blocks = Callable[[NDArray], list[tuple[Any, Any]]]
# Returns kernel values of all samples with themselves.
Diagonal = Callable[[], NDArray[np.float64]]

# The classes of estimators whose targets are not classes.
NO_CLASSES = np.empty(0)


class Targets(Protocol):
    """Writes band problems over any samples: a training set, or one of its chunks elsewhere.

    It holds parameters and what is known of all targets, but no samples, and can be pickled.
    """

    @property
    def has_intercept(self) -> bool:
        """Whether decision rules have an intercept."""

    @property
    def loss(self) -> str:
        """The loss, in the words of `BandProblem`."""

    @property
    def classes(self) -> NDArray:
        """The labels of the classes, sorted; empty if targets are not classes."""

    @property
    def titles(self) -> list[str]:
        """A title for each problem, for progress and messages."""

    @property
    def units(self) -> DecisionUnits:
        """The units in which solvers see decision values of all problems."""

    @property
    def blocks(self) -> Blocks:
        """How coefficients of all problems are split into blocks for predictions."""

    def signs(self, y: NDArray, k: int) -> NDArray:
        """Return the side of samples in the k-th problem: +1, -1, or 0 if they take no part.

        The multipliers of a sample's lower and upper edge are the positive and the negative part
        of its sign times ``c``.
        """

    def all_signs(self, known: Any, n_samples: int) -> NDArray:
        """Return the sides of a training set, one row per problem."""

    def own_signs(
        self, known: Any, problems: NDArray[np.intp], samples: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Return the sides of samples of a training set in problems in which they take part."""

    def problem(self, y: NDArray, weights: NDArray, k: int) -> BandProblem:
        """Return the k-th problem over samples, as solvers see it."""

    def edges(self, known: Any, samples: NDArray) -> tuple[NDArray, NDArray]:
        """Return the band of some samples, for ``sign * g`` as solvers see it.

        ``known`` are the targets of a training set. Edges without cost may be infinite.
        """

    def attributes(self, y: NDArray, support: NDArray) -> dict[str, Any]:
        """Return the fitted attributes that only estimators of this kind have."""


class Task(Protocol):
    """What an estimator does unlike others in a fit: its class attribute ``_task``."""

    # Whether decision values of float32 samples are float32, whose digits may not suffice where
    # values are far from 0.
    keeps_single: bool

    # What may help a fit that is not optimal, in words; what does not apply is missing.
    cures: Mapping[Cure, str]

    def check_parameters(self, model: Any) -> None:
        """Check all parameters that do not depend on the targets."""

    def check_samples(self, model: Any, X: Any, y: Any, *, reset: bool) -> tuple[Any, NDArray]:
        """Return samples and targets, checked."""

    def band(self, model: Any) -> Any:
        """Return the model's parameters that say what is minimised, frozen.

        Its ``costs`` are those of them that messages name, by name.
        """

    def training(
        self,
        model: Any,
        y: NDArray,
        weights: NDArray,
        diagonal: Diagonal | None = None,
        *,
        share_samples: bool = False,
    ) -> Any:
        """Return the `Training` that a model makes of targets and weights.

        Where nothing but the kernel says how large decision values are, ``diagonal`` does; other
        tasks do without. With ``share_samples`` all problems have all samples of positive weight.
        """

    def blocks(self, model: Any) -> Blocks:
        """Return the blocks of a fitted model; see `Targets.blocks`."""

    def advice(self, model: Any) -> str:
        """Return what to tell the user of a fitted model that is optimal, or an empty string."""


class SearchTask(Task, Protocol):
    """A task whose problems can be written for many bands over the same targets."""

    def units(self, model: Any, y: NDArray, weights: NDArray) -> DecisionUnits:
        """Return the units in which solvers see the decision values of a training set."""

    def known(self, model: Any, y: NDArray, weights: NDArray, units: DecisionUnits) -> Any:
        """Return what is known of targets, whatever `band` is.

        Folds of a search have other weights than the training set, but its units.
        """

    def problems(self, band: Any, known: Any, *, keep_all: bool = False) -> Any:
        """Return the `Training` of targets that are `known`, for one of many bands.

        Its problems share all samples. With ``keep_all``, samples of weight 0 are among them, with
        zero cost: they do not affect the solution, but get decision values.
        """
