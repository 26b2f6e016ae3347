"""What messages at the end of a fit say where estimators have scikit-learn's parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bandsvm._certificate.not_optimal import PYTHON, Cure

# There is no parameter ``solver``.
CURES: Mapping[Cure, str] = {
    **{cure: words for cure, words in PYTHON.items() if cure is not Cure.OTHER_SOLVER},
    Cure.LOWER_COSTS: "lower C",
    Cure.LOWER_COSTS_AND_WEIGHTS: "lower C and weights",
    Cure.LINEAR_MODEL: "use LinearSVC or LinearSVR, which find linear rules much faster",
}


class Switched:
    """How a fit ends: the part of a `Task` that `end_fit` asks for."""

    cures = CURES

    def advice(self, model: Any) -> str:
        """Return nothing: pairs of classes have no rule that is a constant."""
        return ""


SWITCHED = Switched()
