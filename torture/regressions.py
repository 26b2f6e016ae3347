"""Random and adversarial regressions: each ends in time, certified, or warned of, or refused.

A number names a problem: ``python -m torture regressions 17`` runs the 17th in this process.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bandsvm import BandedQuantileSVR, BandedSVR
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
from torture.oracle import (
    Band,
    decision_values,
    gamma_is_right,
    kernel_matrix,
    rounding_matrix,
    wrong_values,
)
from torture.verdicts import Data, values_of, verdict

SHARE_OF_QUANTILES = 0.25
# Of what a solver cannot know, in units of the targets' spread: it adds and subtracts their centre.
ROUNDING_OF_CENTRE = 1e-15
# Costs in these units have a few digits only where they come close to the smallest number.
SMALLEST = float(np.finfo(np.float64).smallest_subnormal)


@dataclass(frozen=True)
class Regression:
    """Samples, the ends of their targets, an estimator and the parameters of its fits."""

    data: Data
    ends: NDArray | None  # (2, n_samples); None if targets are no numbers
    estimator: type
    chain: list[dict[str, Any]]
    what: str

    def objections(self, model: Any) -> list[str]:
        """Return what is wrong with a model that says that it is optimal."""
        X, ends = self.data.meant, self.ends
        assert X is not None
        if ends is None:
            return ["it was fitted to what are no numbers"]
        wrong, weights = [], self.data.weights_as_numbers()
        if not gamma_is_right(model, X, weights):
            wrong.append(f"gamma_ is {model.gamma_}")
        values = values_of(model, X)
        if not np.isfinite(values).all():
            return [*wrong, "predictions are not finite"]
        if getattr(model, "loss", "") == "squared_epsilon_insensitive":
            return wrong  # the oracle knows costs that bound coefficients
        K = kernel_matrix(model.kernel, X, X, model.gamma_, model.coef0, model.degree)
        rounding, reach = rounding_matrix(model, X, K), 0.0
        parts = model.certificate_.parts or [model.certificate_]
        for k, (part, band) in enumerate(zip(parts, bands(model, ends, weights), strict=True)):
            alpha, theta = (v if v.ndim == 1 else v[:, k] for v in (model.alpha_, model.theta_))
            c = alpha - theta
            far = np.abs(ends[np.isfinite(ends)]).max()
            # Objectives without what is added to all targets and to the intercept: exact where
            # coefficients add up to 0.
            middle = np.sort(band.lo[band.counted])[np.count_nonzero(band.counted) // 2]
            centre = float(middle) if band.has_intercept else 0.0
            moved = Band(
                band.lo - centre,
                band.hi - centre,
                *(band.below, band.above, band.has_intercept, band.counted),
                SMALLEST * part.scale,
            )
            intercept = model.intercept_[k] - centre
            f, noise = decision_values(K, rounding, c, moved, intercept)
            noise += ROUNDING_OF_CENTRE * far
            reach = max(reach, noise)
            wrong += moved.objections(c, f, intercept, part, noise)
        if len(parts) > 1:
            return wrong  # predictions of quantiles are put in order
        return wrong + wrong_values(model, K, values, reach, model.certificate_.scale)


def bands(model: Any, ends: NDArray, weights: NDArray) -> list[Band]:
    """Return what a model's problems are, by the documentation."""
    if isinstance(model, BandedSVR):
        widths = np.broadcast_to(model.epsilon, 2)
        costs = [(model.C1, model.C2)]
    else:
        widths, quantiles = np.zeros(2), np.ravel(model.quantile)
        costs = [(model.C * value, model.C * (1.0 - value)) for value in quantiles]
    lo, hi = ends[0] - widths[0], ends[1] + widths[1]
    has_lo, has_hi = np.isfinite(lo), np.isfinite(hi)
    either = np.where(has_lo, lo, np.where(has_hi, hi, 0.0))
    return [
        Band(
            either,
            np.where(has_hi, hi, either),
            np.where(has_lo, below * weights, 0.0),
            np.where(has_hi, above * weights, 0.0),
            bool(model.fit_intercept),
            weights > 0,
        )
        for below, above in costs
    ]


def problem(number: int) -> Regression:
    """Return the regression of a number."""
    rng = np.random.default_rng([number, 1])
    kernel = KERNELS[rng.integers(len(KERNELS))]
    samples, shape = samples_of(rng)
    y, ends, kind = _targets(rng, samples)
    samples, scale = scaled(rng, samples)
    if kernel == "chi2":
        samples = np.abs(samples)
    if kernel == "precomputed":
        with np.errstate(over="ignore", invalid="ignore"):
            samples = samples @ samples.T
    X, meant, how = stored(rng, samples)
    weights = weights_of(rng, len(samples))
    is_quantile = rng.random() < SHARE_OF_QUANTILES
    estimator = BandedQuantileSVR if is_quantile else BandedSVR
    known = ends[np.isfinite(ends)] if ends is not None else np.empty(0)
    spread = float(np.std(known)) if len(known) else 1.0
    spread = spread if np.isfinite(spread) and spread > 0.0 else 1.0
    n_fits = 1 if rng.random() < 0.8 else int(rng.integers(2, 4))
    chain = [_parameters(rng, kernel, is_quantile, spread) for _ in range(n_fits)]
    if n_fits > 1:
        chain = [{**settings, "warm_start": True} for settings in chain]
    lowered = bool(rng.random() < LOWERED_SHARE)
    what = (
        f"{estimator.__name__} {shape} {scale} {how} y={kind} {summed_up(weights, lowered, chain)}"
    )
    return Regression(Data(X, y, meant, weights, lowered), ends, estimator, chain, what)


def _targets(rng: Generator, X: NDArray) -> tuple[Any, NDArray | None, str]:
    """Return targets as the user gives them, their ends, and what they are."""
    n = len(X)
    kind = str(
        rng.choice(
            [
                *("line", "noise", "constant", "few", "outlier", "heavy", "far", "integers"),
                *("single", "list", "column", "intervals", "censored", "open", "text", "missing"),
            ],
            p=[
                *(0.2, 0.1, 0.05, 0.05, 0.07, 0.06, 0.08, 0.05),
                *(0.05, 0.04, 0.03, 0.08, 0.08, 0.02, 0.02, 0.02),
            ],
        )
    )
    y = X @ rng.normal(size=X.shape[1]) + 0.3 * rng.normal(size=n)
    if kind == "noise":
        y = rng.normal(size=n)
    elif kind == "constant":
        y[:] = rng.normal()
    elif kind == "few":
        y = rng.integers(0, 3, size=n).astype(float)
    elif kind == "outlier":
        y[0] = 1e6
    elif kind == "heavy":
        y = rng.standard_cauchy(size=n)
    elif kind == "far":
        y += 10.0 ** rng.integers(2, 9)
    power = 0
    if rng.random() < 0.4:
        power = int(rng.choice([-300, -150, -30, -6, -3, 3, 6, 30, 150, 300]))
    with np.errstate(all="ignore"):
        y = y * 10.0**power
    ends = np.stack([y, y])
    given: Any = y
    if kind == "integers":
        given = np.rint(np.clip(y, -1e6, 1e6)).astype(np.int64)
        ends = np.stack([given, given]).astype(np.float64)
    elif kind == "single":
        with np.errstate(all="ignore"):
            given = y.astype(np.float32)
        ends = np.stack([given, given]).astype(np.float64)
    elif kind == "list":
        given = y.tolist()
    elif kind == "column":
        given = y[:, None]
    elif kind in ("intervals", "censored", "open"):
        width = 10.0**power * rng.exponential(size=n)
        with np.errstate(all="ignore"):
            ends = np.stack([y - width, y + width])
        if kind == "censored":
            ends[1, rng.random(n) < 0.5] = np.inf
        elif kind == "open":
            ends = np.stack([np.full(n, -np.inf), np.full(n, np.inf)])
        given = ends.T
    elif kind == "text":
        given = np.array(["low", "high"])[rng.integers(0, 2, size=n)]
        return given, None, kind
    elif kind == "missing":
        given = np.where(np.arange(n) == n // 2, np.nan, y)
        return given, None, kind
    return given, ends, f"{kind} 1e{power}"


def _parameters(rng: Generator, kernel: Any, is_quantile: bool, spread: float) -> dict[str, Any]:
    """Return parameters from the whole range that is allowed, and junk now and then."""
    settings: dict[str, Any] = {"kernel": kernel}
    if is_quantile:
        settings["C"] = maybe(rng, 0.7, 10.0 ** rng.integers(-6, 7))
        settings["quantile"] = [0.5, 0.01, [0.1, 0.9], [0.9, 0.1, 0.5, 0.1]][rng.integers(4)]
    else:
        settings["C1"] = maybe(rng, 0.7, 10.0 ** rng.integers(-8, 9))
        settings["C2"] = maybe(rng, 0.7, rng.choice([0.0, 10.0 ** rng.integers(-8, 9)]))
        share = float(rng.choice([0.0, 0.0, 0.01, 0.1, 1.0, 1e3]))
        settings["epsilon"] = [share * spread, [share * spread, 0.0], 0.1][rng.integers(3)]
        settings["loss"] = maybe(rng, 0.2, "squared_epsilon_insensitive")
    settings |= {**kernel_settings(rng), **solving_settings(rng)}
    settings = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in settings.items()
        if value is not None
    }
    if settings.get("solver") == "reference":
        settings["max_iter"] = 5  # a thousand steps of Python each
    settings.setdefault("time_limit", MAX_FIT_SECONDS)
    if rng.random() < 0.05:
        settings[rng.choice([*settings])] = JUNK[rng.integers(len(JUNK))]
    return settings


def describe(number: int) -> str:
    """Return what a regression is."""
    return problem(number).what


def case(number: int) -> tuple[str, str]:
    """Run a regression; return how it ended and what is wrong with that."""
    given = problem(number)
    model = given.estimator()
    found = [verdict(model, settings, given.data, given.objections) for settings in given.chain]
    return found[-1][0], "; ".join(fault for _, fault in found if fault)
