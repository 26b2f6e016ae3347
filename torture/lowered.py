"""Lowered limits: small problems, for which there are oracles, take the ways of large ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

from bandsvm._fitting import small_problems
from bandsvm._kernels import settings
from bandsvm._solvers import block, driver

# No whole matrix and no polish; blocks of a few variables; samples out of play are left out early.
LOWERED = {
    (small_problems, "SMALL_PROBLEM"): 0,
    (small_problems, "MAX_AMONG_MANY"): 0,
    (settings, "SMALL_PROBLEM"): 0,
    (driver, "SMALL_PROBLEM"): 0,
    (block, "MIN_BLOCK"): 8,
    (block, "MAX_BLOCK"): 16,
    (block, "PANEL"): 4,
    (block, "MAX_PART"): 0.8,
}
# What the rule of thumb for rounding errors of single precision is made to say.
ROUNDING = {"single": 0.0, "double": float("inf")}


@contextmanager
def lowered_limits(precision: str | None = None) -> Iterator[None]:
    """Solve small problems like large ones, over rows of a given precision at first."""
    with ExitStack() as patches:
        for (module, name), value in LOWERED.items():
            assert hasattr(module, name), f"{module.__name__} has no {name} any more"
            patches.enter_context(patch.object(module, name, value))
        if precision is not None:
            rounding = ROUNDING[precision]
            patches.enter_context(patch.object(settings, "error_of_rows", lambda *_: rounding))
        yield
