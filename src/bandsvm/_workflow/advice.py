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
_COSTS = (Cure.LOWER_COSTS, Cure.LOWER_COSTS_AND_WEIGHTS)


def shell_cures(estimator: Estimator) -> Mapping[Cure, str]:
    """Return what may help a fit of an estimator, as the shell words it."""
    return _cures(estimator, SHELL, "lower --C")


def page_cures(estimator: Estimator) -> Mapping[Cure, str]:
    """Return what may help a fit of an estimator, as the page words it."""
    return _cures(estimator, PAGE, "try a smaller cost C")


def _cures(estimator: Estimator, words: Mapping[Cure, str], of_one_cost: str) -> dict[Cure, str]:
    """Return those of some cures that apply; quantiles have one cost."""
    own = dict.fromkeys(_COSTS, of_one_cost) if isinstance(estimator, BandedQuantileSVR) else {}
    known = estimator._task.cures
    return {cure: text for cure, text in {**words, **own}.items() if cure in known}


# How to do without scaling, at the shell.
LEAVES_FEATURES = "--scale none leaves features as they are"
