"""The same samples, weights and parameters as in `problems`, without labels: one class."""

from __future__ import annotations

from typing import Any

import numpy as np

from bandsvm import OneClassBandedSVM
from torture.draws import JUNK
from torture.oracle import one_class_objections
from torture.problems import Problem, problem
from torture.verdicts import verdict

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


def case(number: int) -> tuple[str, str]:
    """Run a problem; return how it ended and what is wrong with that."""
    given, settings = fits(number)
    data, model = given.data, OneClassBandedSVM()

    def objections(model: OneClassBandedSVM) -> list[str]:
        assert data.meant is not None
        return one_class_objections(model, data.meant, data.weights_as_numbers())

    found = [verdict(model, own, data, objections) for own in settings]
    return found[-1][0], "; ".join(fault for _, fault in found if fault)
