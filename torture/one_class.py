"""The same samples, weights and parameters as in `problems`, without labels: one class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm import OneClassBandedSVM
from torture.oracle import one_class_objections
from torture.problems import JUNK, Problem, one_fit, problem

SHARES = (1e-12, 1e-3, 0.05, 0.3, 0.5, 0.9, 1.0)


def fits(number: int) -> tuple[Problem, list[dict[str, Any]]]:
    """Return a problem, and the parameters of one or more fits to it."""
    given, rng = problem(number), np.random.default_rng([number, 1])
    names, found = OneClassBandedSVM().get_params().keys(), []
    for settings in given.solver:
        own = {name: value for name, value in settings.items() if name in names}
        own["nu"] = JUNK[rng.integers(len(JUNK))] if rng.random() < 0.02 else rng.choice(SHARES)
        found.append(own)
    return given, found


def describe(number: int) -> str:
    """Return what a problem is."""
    given, settings = fits(number)
    return f"{given.what} nu={[own['nu'] for own in settings]}"


def as_one_class(model: Any, given: Problem, weights: NDArray) -> list[str]:
    """Return what is wrong with a model of one class."""
    assert given.meant is not None
    return one_class_objections(model, given.meant, weights)


def case(number: int) -> tuple[str, str]:
    """Run a problem; return how it ended and what is wrong with that."""
    given, settings = fits(number)
    model = OneClassBandedSVM()
    outcomes, faults = [], []
    for own in settings:
        outcome, fault = one_fit(model, own, given, as_one_class)
        outcomes.append(outcome)
        faults += [fault] if fault else []
    return outcomes[-1], "; ".join(faults)
