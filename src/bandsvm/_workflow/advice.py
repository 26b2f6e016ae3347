"""How the shell and the page word what may help; `naming` is apart, to start without NumPy."""

from __future__ import annotations

from collections.abc import Mapping

from bandsvm._certificate.not_optimal import Cure

SHELL: Mapping[Cure, str] = {
    Cure.RAISE_MAX_ITER: "raise --max-iter",
    Cure.RAISE_TIME_LIMIT: "raise --time-limit",
    Cure.RAISE_TOL: "raise --tol",
    Cure.LOWER_COSTS: "lower --C1 and --C2",
    Cure.LOWER_COSTS_AND_WEIGHTS: "lower --C1 and --C2",
    Cure.SCALE: "scale the features (--scale)",
    Cure.RESUME: "go on from here with --resume",
    Cure.LINEAR_MODEL: "use --linear, which finds linear rules much faster",
}
PAGE: Mapping[Cure, str] = {
    Cure.LOWER_COSTS: "try smaller costs C1 and C2",
    Cure.LOWER_COSTS_AND_WEIGHTS: "try smaller costs C1 and C2",
    Cure.SCALE: "scale the features",
}
# How to do without scaling, at the shell.
LEAVES_FEATURES = "--scale none leaves features as they are"
