"""Regression as a task: numbers and intervals become band problems, one or one per quantile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from bandsvm._certificate.not_optimal import PYTHON, Cure
from bandsvm._checks.numbers import check_numbers
from bandsvm._checks.tube_parameters import (
    check_quantile_parameters,
    check_tube_parameters,
    costs_of,
    epsilon_of,
    quantiles_of,
)
from bandsvm._decisions.multiclass import EVERYTHING
from bandsvm._defaults import REGRESSION_LOSSES
from bandsvm._fitting.task import Blocks
from bandsvm._fitting.tubes import (
    Numbers,
    TubeSettings,
    TubeTraining,
    tube_problems,
    tube_units,
)
from bandsvm._problem.units import DecisionUnits

# There is no linear model to go to.
CURES: Mapping[Cure, str] = {
    cure: words for cure, words in PYTHON.items() if cure is not Cure.LINEAR_MODEL
}
CURES_OF_QUANTILES: Mapping[Cure, str] = {
    **CURES,
    Cure.LOWER_COSTS: "lower C",
    Cure.LOWER_COSTS_AND_WEIGHTS: "lower C and weights",
}


class Regression:
    """The task of `BandedSVR`; see `bandsvm._fitting.task`."""

    # Digits of float32 do not suffice for targets far from 0.
    keeps_single = False
    cures = CURES
    check_parameters = staticmethod(check_tube_parameters)
    check_samples = staticmethod(check_numbers)

    def band(self, model: Any) -> TubeSettings:
        """Return costs, tube and loss."""
        below, above = costs_of(model)
        return TubeSettings(
            {"C1": model.C1, "C2": model.C2},
            (below,),
            (above,),
            epsilon_of(model),
            REGRESSION_LOSSES[model.loss],
            bool(model.fit_intercept),
        )

    def units(self, model: Any, y: NDArray, weights: NDArray) -> DecisionUnits:
        """Return units that follow the spread of the targets."""
        return tube_units(self.band(model), y, weights)

    def known(self, model: Any, y: NDArray, weights: NDArray, units: DecisionUnits) -> Numbers:
        """Return targets and weights."""
        return Numbers(y, weights, units)

    def problems(
        self, band: TubeSettings, known: Numbers, *, keep_all: bool = False
    ) -> TubeTraining:
        """Return the band problems of targets for some costs and a tube."""
        return tube_problems(band, known, keep_all=keep_all)

    def training(
        self, model: Any, y: NDArray, weights: NDArray, *, share_samples: bool = False
    ) -> TubeTraining:
        """Return the band problems that a model makes of targets and weights.

        They always share their samples.
        """
        known = self.known(model, y, weights, self.units(model, y, weights))
        return self.problems(self.band(model), known)

    def blocks(self, model: Any) -> Blocks:
        """Return a single block: all samples take part in all problems."""
        return lambda coefficients: [EVERYTHING]

    def advice(self, model: Any) -> str:
        """Return nothing: a constant is a fine decision rule."""
        return ""


class QuantileRegression(Regression):
    """The task of `BandedQuantileSVR`: one problem per quantile over the same samples."""

    cures = CURES_OF_QUANTILES
    check_parameters = staticmethod(check_quantile_parameters)

    def band(self, model: Any) -> TubeSettings:
        """Return the costs of the pinball loss, without a tube."""
        quantiles = quantiles_of(model)
        titles = [f"quantile {value:g}:" for value in quantiles] if len(quantiles) > 1 else [""]
        return TubeSettings(
            {"C": model.C},
            tuple(model.C * value for value in quantiles),
            tuple(model.C * (1.0 - value) for value in quantiles),
            (0.0, 0.0),
            "hinge",
            bool(model.fit_intercept),
            tuple(titles),
        )


REGRESSION, QUANTILE_REGRESSION = Regression(), QuantileRegression()
