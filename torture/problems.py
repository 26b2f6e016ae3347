"""Random and adversarial fits: each ends in time, certified, or warned of, or refused.

A number names a problem: ``python -m torture problems 17`` runs the 17th in this process.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bandsvm import BandedSVC
from torture.draws import (
    JUNK,
    KERNELS,
    LOWERED_SHARE,
    MAX_FIT_SECONDS,
    kernel_settings,
    maybe,
    samples_of,
    scaled,
    solving_settings,
    stored,
    summed_up,
    weights_of,
)
from torture.oracle import objections
from torture.verdicts import Data, verdict

# Of more classes, pairs would take too long.
MAX_CLASSES_IN_PAIRS = 8


@dataclass(frozen=True)
class Problem:
    """A data set, its labels, and the parameters of one or more fits to it."""

    data: Data
    labels: NDArray
    solver: list[dict[str, Any]]
    what: str

    def objections(self, model: BandedSVC) -> list[str]:
        """Return what is wrong with a model that says that it is optimal."""
        assert self.data.meant is not None
        return objections(model, self.data.meant, self.labels, self.data.weights_as_numbers())


def problem(number: int) -> Problem:
    """Return the problem of a number."""
    rng = np.random.default_rng(number)
    kernel = KERNELS[rng.integers(len(KERNELS))]
    samples, shape = samples_of(rng)
    y, labels, kind = _labels(rng, samples)
    samples, scale = scaled(rng, samples)
    if kernel == "chi2":
        samples = np.abs(samples)
    if kernel == "precomputed":
        with np.errstate(over="ignore", invalid="ignore"):
            samples = samples @ samples.T
    X, meant, how = stored(rng, samples)
    weights = weights_of(rng, len(samples))
    solver = _chain(rng, kernel, labels)
    lowered = bool(rng.random() < LOWERED_SHARE)
    few_classes = len(np.unique(labels)) <= MAX_CLASSES_IN_PAIRS
    multi_class = "ovo" if rng.random() < 0.5 and few_classes else "ovr"
    solver = [{**settings, "multi_class": multi_class} for settings in solver]
    what = f"{shape} {scale} {how} y={kind} {summed_up(weights, lowered, solver)}"
    return Problem(Data(X, y, meant, weights, lowered), labels, solver, what)


def _labels(rng: Generator, X: NDArray) -> tuple[Any, NDArray, str]:
    """Return labels as the user gives them, as an array, and what they are."""
    n = len(X)
    kind = str(
        rng.choice(
            [
                "signs",
                "noise",
                "lonely",
                "three",
                "many",
                "text",
                "objects",
                "floats",
                "truths",
                "one",
                "list",
                "missing",
                "column",
                "int8",
            ],
            p=[0.3, 0.1, 0.08, 0.12, 0.05, 0.06, 0.05, 0.05, 0.04, 0.02, 0.04, 0.02, 0.03, 0.04],
        )
    )
    signs = (X @ rng.normal(size=X.shape[1]) + 0.3 * rng.normal(size=n) > 0).astype(int)
    if n > 1 and len(np.unique(signs)) == 1 and kind != "one":
        signs[0] = 1 - signs[0]
    y: Any = signs
    if kind == "noise":
        y = rng.integers(0, 2, size=n)
    elif kind == "lonely":
        y = (np.arange(n) == n // 2).astype(int)
    elif kind in ("three", "many"):
        y = rng.integers(0, 3 if kind == "three" else max(2, n // 2), size=n)
    elif kind == "text":
        y = np.array(["no", "yés"])[signs]
    elif kind == "objects":
        y = np.array(["no", "yes"], dtype=object)[signs]
    elif kind == "floats":
        y = np.array([-1.0, 1e6])[signs]
    elif kind == "truths":
        y = signs.astype(bool)
    elif kind == "one":
        y = np.zeros(n)
    elif kind == "missing":
        y = np.where(signs == 1, np.nan, 0.0)
    elif kind == "int8":
        y = (signs * 255 - 128).astype(np.int8)
    labels = np.asarray(y)
    if kind == "list":
        y = y.tolist()
    elif kind == "column":
        y = y[:, None]
    return y, labels, kind


def _chain(rng: Generator, kernel: Any, labels: NDArray) -> list[dict[str, Any]]:
    """Return the parameters of one fit, or of a solver of warm starts."""
    first = _parameters(rng, kernel, labels)
    if rng.random() < 0.8:
        return [first]
    first["warm_start"] = True
    others = [_parameters(rng, kernel, labels) for _ in range(rng.integers(1, 4))]
    return [first, *({**other, "warm_start": True} for other in others)]


def _parameters(rng: Generator, kernel: Any, labels: NDArray) -> dict[str, Any]:
    """Return parameters from the whole range that is allowed, and junk now and then."""
    classes = np.unique(labels).tolist()
    settings = {
        "kernel": kernel,
        "C1": maybe(rng, 0.7, 10.0 ** rng.integers(-10, 11)),
        "C2": maybe(rng, 0.7, rng.choice([0.0, 10.0 ** rng.integers(-10, 11)])),
        "rho1": maybe(rng, 0.3, rng.choice([1e-6, 0.5, 1.0, 1e3])),
        **kernel_settings(rng),
        "class_weight": maybe(
            rng, 0.2, "balanced" if rng.random() < 0.5 else dict.fromkeys(classes[:1], 50.0)
        ),
        **solving_settings(rng),
    }
    settings = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in settings.items()
        if value is not None
    }
    if settings.get("solver") == "reference":
        # A thousand steps of Python each.
        settings["max_iter"] = 5
    settings.setdefault("time_limit", MAX_FIT_SECONDS)
    rho1 = settings.get("rho1", 1.0)
    settings["rho2"] = rho1 * float(rng.choice([1.0, 1.0 + 1e-9, 1.5, 3.0, 1e6]))
    if rng.random() < 0.1 and len(classes) > 1:
        settings["C1"] = {label: 10.0**k for k, label in enumerate(classes[:9])}
    if rng.random() < 0.05:
        settings[rng.choice([*settings])] = JUNK[rng.integers(len(JUNK))]
    return settings


def describe(number: int) -> str:
    """Return what a problem is."""
    return problem(number).what


def case(number: int) -> tuple[str, str]:
    """Run a problem; return how it ended and what is wrong with that."""
    given = problem(number)
    model = BandedSVC()
    found = [verdict(model, settings, given.data, given.objections) for settings in given.solver]
    return found[-1][0], "; ".join(fault for _, fault in found if fault)
