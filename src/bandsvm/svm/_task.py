"""What messages at the end of a fit say where estimators have scikit-learn's parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bandsvm._certificate.not_optimal import PYTHON, Cure
from bandsvm._fitting.one_class import CURES as CURES_OF_ONE_CLASS
from bandsvm._linear.tasks import LinearClassification, LinearRegression

# There is no parameter ``solver``.
CURES: Mapping[Cure, str] = {
    **{cure: words for cure, words in PYTHON.items() if cure is not Cure.OTHER_SOLVER},
    Cure.LOWER_COSTS: "lower C",
    Cure.LOWER_COSTS_AND_WEIGHTS: "lower C and weights",
    Cure.LINEAR_MODEL: "use LinearSVC or LinearSVR, which find linear rules much faster",
}
# There is no parameter ``warm_start``.
LINEAR_CURES: Mapping[Cure, str] = {
    cure: words for cure, words in CURES.items() if cure is not Cure.RESUME
}


class Switched:
    """How a fit ends: the part of a `Task` that `end_fit` asks for."""

    def __init__(self, cures: Mapping[Cure, str]) -> None:
        self.cures = cures

    def advice(self, model: Any) -> str:
        """Return nothing: pairs of classes have no rule that is a constant."""
        return ""


class SwitchedClasses(LinearClassification):
    """The task of `LinearSVC` at the end of a fit."""

    keeps_single, cures = False, LINEAR_CURES

    def advice(self, model: Any) -> str:
        """Return nothing: LIBLINEAR's models may be constants too."""
        return ""


class SwitchedNumbers(LinearRegression):
    """The task of `LinearSVR` at the end of a fit."""

    cures = LINEAR_CURES


SWITCHED = Switched(CURES)
SWITCHED_ONE_CLASS = Switched(
    {cure: words for cure, words in CURES_OF_ONE_CLASS.items() if cure is not Cure.OTHER_SOLVER}
)
LINEAR_CLASSES, LINEAR_NUMBERS = SwitchedClasses(), SwitchedNumbers()
