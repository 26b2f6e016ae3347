"""How the shell and the page word what may help; `naming` is apart, to start without NumPy."""

from __future__ import annotations

from collections.abc import Mapping

from bandsvm._certificate.not_optimal import Cure
from bandsvm._estimators.quantiles import BandedQuantileSVR
from bandsvm._workflow.pipeline import Estimator

SHELL: Mapping[Cure, str] = {
    Cure.RAISE_MAX_ITER: "raise --max-iter",
    Cure.RAISE_TIME_LIMIT: "raise --time-limit",
    Cure.RAISE_TOL: "raise --tol",
    Cure.LOWER_COSTS: "lower --C1 and --C2",
    Cure.LOWER_COSTS_AND_WEIGHTS: "lower --C1 and --C2",
    Cure.SCALE: "scale features if they differ in size (--scale)",
    Cure.RESUME: "go on from here with --resume",
    Cure.LINEAR_MODEL: "use --linear, which finds linear rules much faster",
}
PAGE: Mapping[Cure, str] = {
    Cure.LOWER_COSTS: "try smaller costs C1 and C2",
    Cure.LOWER_COSTS_AND_WEIGHTS: "try smaller costs C1 and C2",
    Cure.SCALE: "scale the features if they differ in size",
}
# Of quantiles, which have one cost.
_OF_QUANTILES = {Cure.LOWER_COSTS: "lower --C", Cure.LOWER_COSTS_AND_WEIGHTS: "lower --C"}


def shell_cures(estimator: Estimator) -> Mapping[Cure, str]:
    """Return what may help a fit of an estimator, as the shell words it."""
    own = _OF_QUANTILES if isinstance(estimator, BandedQuantileSVR) else {}
    cures = {**SHELL, **own}
    return {cure: words for cure, words in cures.items() if cure in estimator._task.cures}


# How to do without scaling, at the shell.
LEAVES_FEATURES = "--scale none leaves features as they are"
