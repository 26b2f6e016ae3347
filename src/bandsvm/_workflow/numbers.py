"""Predictions of regressors, how they compare with known targets, and what came of a fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._certificate import Certificate
from bandsvm._checks.tube_parameters import Sides, epsilon_of, quantiles_of
from bandsvm._decisions.position import BandCoverage, BandPositions
from bandsvm._decisions.tubes import left_open, tube_positions
from bandsvm._estimators.quantiles import BandedQuantileSVR
from bandsvm._fitting.spread import spread_of
from bandsvm._workflow.description import certificate_values
from bandsvm._workflow.evaluation import aligned
from bandsvm._workflow.pipeline import Regressor, names_are_known

# Digits of numbers that people see; the rest are 0, and longer ones get an exponent.
DIGITS, MAX_DIGITS_SHOWN = 4, 10
# By default epsilon is this share of the spread of targets, and costs are that.
EPSILON_SHARE = 0.1


def prediction_names(model: Regressor) -> list[str]:
    """Return what the columns of predictions are called."""
    if isinstance(model, BandedQuantileSVR):
        return [f"quantile {value:g}" for value in quantiles_of(model)]
    return ["prediction"]


def columns_of(model: Regressor, X: Any) -> NDArray[np.float64]:
    """Return predictions, one column for each of `prediction_names`."""
    with names_are_known():
        return np.reshape(model.predict(X), (X.shape[0], -1))


@dataclass(frozen=True)
class NumberPredictions:
    """Samples and the numbers that a model predicts for them."""

    estimator: Regressor  # the model, without the steps before it
    X: Any  # the samples as the estimator takes them
    y: NDArray | None  # their targets, where they are known
    # What is known of them already, such as predictions by models that have not seen them.
    known: NDArray | None = None

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """Predictions, one column for each of `names`."""
        return columns_of(self.estimator, self.X) if self.known is None else self.known

    @property
    def names(self) -> list[str]:
        """What the columns are called."""
        return prediction_names(self.estimator)

    @property
    def tube(self) -> Sides | None:
        """How far the tube extends below and above targets; None: the model has quantiles."""
        has_tube = not isinstance(self.estimator, BandedQuantileSVR)
        return epsilon_of(self.estimator) if has_tube else None

    @property
    def _middle(self) -> int:
        """The column whose quantile is closest to the median."""
        if not isinstance(self.estimator, BandedQuantileSVR):
            return 0
        return int(np.abs(np.array(quantiles_of(self.estimator)) - 0.5).argmin())

    @property
    def centre(self) -> NDArray[np.float64]:
        """One prediction per sample: that of the quantile closest to the median."""
        return self.values[:, self._middle]

    @property
    def centre_name(self) -> str:
        """What `centre` is called."""
        return self.names[self._middle]

    @cached_property
    def residuals(self) -> NDArray[np.float64]:
        """Targets minus `centre`: above 0 where a prediction is too low."""
        assert self.y is not None
        return self.y - self.centre

    @cached_property
    def position(self) -> NDArray[np.str_] | None:
        """Where predictions lie: 'below', 'inside' or 'above' the tubes of targets.

        None if targets or tubes are missing.
        """
        if self.y is None or self.tube is None:
            return None
        below, above = self.tube
        lower, upper = self.y - below, self.y + above
        return tube_positions(self.centre, lower, upper, self._left_open).names

    @property
    def _left_open(self) -> float:
        """Differences of predictions that the fit leaves open."""
        certificate = getattr(self.estimator, "certificate_", None)
        return 0.0 if certificate is None else left_open(certificate)

    @cached_property
    def place(self) -> NDArray[np.str_] | None:
        """`position`; of quantiles, whether all of them lie below or above the target.

        None if there are no targets.
        """
        if self.y is None or self.tube is not None:
            return self.position
        low, high = self.values.min(axis=1), self.values.max(axis=1)
        return BandPositions.from_slacks(self.y - high, low - self.y, self._left_open).names

    @cached_property
    def quality(self) -> TubeQuality | QuantileQuality | None:
        """Predictions against targets, where there are targets."""
        if self.y is None:
            return None
        if self.position is not None:
            is_inside = float(np.mean(self.position == "inside"))
            return TubeQuality(Errors.of(self.y, self.centre), is_inside)
        return QuantileQuality.of(self.y, self.values, quantiles_of(self.estimator))


@dataclass(frozen=True)
class Errors:
    """How far predictions are from targets."""

    n_samples: int
    r2: float  # coefficient of determination; nan if all targets are the same
    mae: float  # mean absolute error
    rmse: float  # root of the mean squared error

    @classmethod
    def of(cls, y: NDArray, predicted: NDArray) -> Errors:
        """Compare predictions with targets."""
        errors = y - predicted
        squares, spread = float(np.mean(errors**2)), float(np.var(y))
        r2 = 1.0 - squares / spread if spread > 0.0 else np.nan
        return cls(len(y), r2, float(np.mean(np.abs(errors))), float(np.sqrt(squares)))

    def describe(self) -> str:
        """Return the figures as the beginning of a sentence."""
        r2 = "" if np.isnan(self.r2) else f"R2 {self.r2:.4f}, "
        return (
            f"{r2}mean absolute error {number_text(self.mae)}, root mean squared error "
            f"{number_text(self.rmse)}"
        )

    def values(self) -> dict[str, Any]:
        """Return the figures for machines."""
        return {"r2": self.r2, "mae": self.mae, "rmse": self.rmse}


@dataclass(frozen=True)
class TubeQuality:
    """What came of predictions of a model with a tube."""

    errors: Errors
    inside: float  # share of predictions in the tubes of their targets

    def describe(self) -> str:
        """Return the figures as text."""
        return (
            f"{_sentence(self.errors.describe())} ({self.errors.n_samples} samples). "
            f"{self.inside:.1%} of the predictions lie in the tubes of their targets."
        )

    def values(self) -> dict[str, Any]:
        """Return the figures for machines."""
        return {**self.errors.values(), "inside_tube": self.inside}


@dataclass(frozen=True)
class QuantileScore:
    """What came of the predictions of a quantile."""

    quantile: float
    pinball: float  # mean pinball loss
    d2: float  # share of the pinball loss of a constant that is saved; nan if that has none
    below: float  # share of targets at or below the predictions


@dataclass(frozen=True)
class QuantileQuality:
    """What came of predictions of quantiles."""

    n_samples: int
    scores: tuple[QuantileScore, ...]
    errors: Errors | None  # of the median, if it is one of them
    # Of the interval from the lowest to the highest quantile: what it should cover, what it covers,
    # and its mean width; None if there is one quantile.
    interval: tuple[float, float, float] | None

    @classmethod
    def of(cls, y: NDArray, values: NDArray, quantiles: Sequence[float]) -> QuantileQuality:
        """Compare predictions of quantiles with targets."""
        scores = tuple(
            _quantile_score(y, column, q) for column, q in zip(values.T, quantiles, strict=True)
        )
        median = [Errors.of(y, values[:, k]) for k, q in enumerate(quantiles) if q == 0.5]
        low, high = int(np.argmin(quantiles)), int(np.argmax(quantiles))
        interval = None
        if quantiles[low] < quantiles[high]:
            lower, upper = values[:, low], values[:, high]
            covered = float(np.mean((lower <= y) & (y <= upper)))
            wanted = quantiles[high] - quantiles[low]
            interval = (wanted, covered, float(np.mean(upper - lower)))
        return cls(len(y), scores, median[0] if median else None, interval)

    def rows(self) -> list[list[str]]:
        """Return quantile, pinball loss, D2 and share of targets below, as text."""
        return [
            [
                f"{score.quantile:g}",
                number_text(score.pinball),
                "-" if np.isnan(score.d2) else f"{score.d2:.4f}",
                f"{score.below:.1%}",
            ]
            for score in self.scores
        ]

    def describe(self) -> str:
        """Return the figures as text."""
        lines = [f"Quantiles of {self.n_samples} samples:"]
        lines += aligned([list(QUANTILE_HEAD), *self.rows()])
        lines += self.sentences()
        return "\n".join(lines)

    def sentences(self) -> list[str]:
        """Return what is to be said beside the table of quantiles."""
        said = []
        if self.errors is not None:
            said.append(f"Median: {self.errors.describe()}.")
        if self.interval is not None:
            wanted, covered, width = self.interval
            said.append(
                f"{covered:.1%} of the targets lie between the lowest and the highest quantile, "
                f"which should be {wanted:.0%}; the mean width is {number_text(width)}."
            )
        return said

    def values(self) -> dict[str, Any]:
        """Return the figures for machines."""
        quantiles = [
            {"quantile": s.quantile, "pinball": s.pinball, "d2": s.d2, "below": s.below}
            for s in self.scores
        ]
        values: dict[str, Any] = {"quantiles": quantiles}
        if self.errors is not None:
            values |= self.errors.values()
        if self.interval is not None:
            _, values["coverage"], values["mean_width"] = self.interval
        return values


QUANTILE_HEAD = ("quantile", "pinball loss", "D2", "targets below")


def _quantile_score(y: NDArray, predicted: NDArray, quantile: float) -> QuantileScore:
    loss = _pinball(y, predicted, quantile)
    constant = _pinball(y, np.quantile(y, quantile), quantile)
    d2 = 1.0 - loss / constant if constant > 0.0 else np.nan
    return QuantileScore(quantile, loss, d2, float(np.mean(y <= predicted)))


def _pinball(y: NDArray, predicted: Any, quantile: float) -> float:
    errors = y - predicted
    return float(np.mean(np.maximum(quantile * errors, (quantile - 1.0) * errors)))


def number_text(value: float) -> str:
    """Return a number in the units of targets, for people: 37230, not 3.723e+04."""
    return f"{float(f'{value:.{DIGITS}g}'):.{MAX_DIGITS_SHOWN}g}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


@dataclass(frozen=True)
class NumberSummary:
    """What came of a training set, each prediction against the tube of its target."""

    certificate: Certificate
    n_samples: int
    n_support: int
    n_lower: int
    n_upper: int
    quality: TubeQuality | QuantileQuality | None  # of training samples; None: it takes too long
    shares: BandCoverage | None  # of predictions below, in and above tubes; None: there are none

    def describe(self) -> str:
        """Return the figures as sentences."""
        errors = None if self.quality is None else self.quality.errors
        fit = "" if errors is None else f"Training samples: {errors.describe()}; "
        text = (
            f"{fit}{self.n_support} of {self.n_samples} samples are support vectors "
            f"({self.n_lower} at the lower, {self.n_upper} at the upper edge)"
        )
        if self.shares is None:
            return f"{text}."
        return (
            f"{text}; {self.shares.below:.1%} of the predictions lie below the tube, "
            f"{self.shares.inside:.1%} inside, {self.shares.above:.1%} above."
        )

    def values(self) -> dict[str, Any]:
        """Return the figures for machines."""
        values = {
            **certificate_values(self.certificate),
            "n_samples": self.n_samples,
            "n_support": self.n_support,
            "n_support_lower": self.n_lower,
            "n_support_upper": self.n_upper,
            "training": None if self.quality is None else self.quality.values(),
        }
        if self.shares is not None:
            values |= {"below_tube": self.shares.below, "above_tube": self.shares.above}
        return values


def summarise_numbers(
    model: Regressor, X: Any, y: NDArray, is_hurried: bool = False
) -> NumberSummary:
    """Return what came of a training set; in a hurry without predictions that may take long."""
    shares = None
    if not isinstance(model, BandedQuantileSVR):
        tol = left_open(model.certificate_)
        shares = BandPositions.from_slacks(model.xi_, model.eta_, tol).shares
    return NumberSummary(
        certificate=model.certificate_,
        n_samples=len(y),
        n_support=len(model.support_),
        n_lower=len(model.alpha_support_),
        n_upper=len(model.theta_support_),
        quality=None if is_hurried else NumberPredictions(model, X, y).quality,
        shares=shares,
    )


def spread_of_targets(y: NDArray) -> float:
    """Return a robust standard deviation of targets, by which searches choose costs too."""
    return spread_of(y, y, np.ones(len(y)), 0.0, True)[0] if np.ptp(y) > 0.0 else 0.0


def regressor_defaults(
    cls: type[Regressor], y: NDArray, given: Mapping[str, Any]
) -> dict[str, float]:
    """Return costs and tube that follow the spread of targets, where they are not given.

    They are those of scikit-learn's SVR for targets with a spread of 1: the same model comes out
    whatever the unit of the targets.
    """
    spread = float(f"{spread_of_targets(y):.3g}") or 1.0
    # Distances and their squares: only the former scale the costs.
    cost = 1.0 if str(given.get("loss", "")).startswith("squared") else spread
    usual = {"C": cost}
    if cls is not BandedQuantileSVR:
        # Of one cost that is given, the other is the same.
        costs = {"C1": given.get("C2") or cost, "C2": given.get("C1", cost)}
        usual = {**costs, "epsilon": float(f"{EPSILON_SHARE * spread:.3g}")}
    return {name: value for name, value in usual.items() if name not in given}
