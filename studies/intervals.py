"""Prediction intervals of BandedQuantileSVR and its rivals on held-out data of eight regression sets.

Writes studies/results/intervals.json and the table of docs/intervals.md. What was fixed before the
first run:

1. Each set is split at random, `N_SPLITS` times, into at most `MAX_TRAIN` samples for training and
   at most `MAX_TEST` for testing; features are standardised by the training part. Sets are read
   from the folder of real data, which BANDSVM_DATA names.
2. Rivals predict seven quantiles, sorted for each sample: BandedQuantileSVR; gradient boosting with
   quantile loss; linear quantile regression on Nystroem features of the rbf kernel. Each is tuned on
   `N_FOLDS` folds of the training part by the mean pinball loss of three quantiles, with about as
   many candidates.
3. The conformalised version fits BandedQuantileSVR, with the parameters chosen before, to three
   quarters of the training part, and MAPIE widens or narrows its intervals on the last quarter.
4. Coverage is the share of test targets inside an interval. Losses are divided by those of constant
   quantiles of the training targets, widths by the standard deviation of these targets.

    python studies/intervals.py [--jobs 2]
"""

from __future__ import annotations

import argparse
import itertools
import json
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import load_diabetes
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import QuantileRegressor
from sklearn.metrics import mean_pinball_loss
from sklearn.model_selection import KFold, train_test_split
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedQuantileSVR
from commit import current_commit
from study_data import folder
from study_tables import table

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "studies" / "results" / "intervals.json"
PAGE = ROOT / "docs" / "intervals.md"
SETS = (
    *("stock", "airfoil", "abalone-age", "kin8nm"),
    *("cpu-act", "power-plant", "cadata", "protein-casp"),
)
LEVELS = (0.5, 0.8, 0.95)
QUANTILES = (0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975)
TUNED_ON = (0.1, 0.5, 0.9)
N_SPLITS, N_FOLDS = 3, 3
MAX_TRAIN, MAX_TEST = 1200, 2000
N_COMPONENTS = 100
OURS, CONFORMAL = "BandedQuantileSVR", "the same, conformalised"
BOOSTING, NYSTROEM = "gradient boosting", "QuantileRegressor on Nystroem features"
# Misses of the nominal coverage by more than this are counted.
NOTABLE = 0.05

# Returns predictions for new samples, one column per quantile.
Predictor = Callable[[np.ndarray], np.ndarray]


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the samples and targets of a set."""
    if name == "diabetes":  # of scikit-learn, for tests
        return load_diabetes(return_X_y=True)
    with np.load(folder() / f"{name}.npz") as found:
        return found["X"].astype(np.float64), found["y"].astype(np.float64)


def band_svr(X, y, quantiles: Sequence[float], *, cost: float, gamma: float) -> Predictor:
    """Fit BandedQuantileSVR; costs are in units of the targets' deviation."""
    scale = gamma / (X.shape[1] * X.var())
    return BandedQuantileSVR(quantiles, C=cost * y.std(), gamma=scale).fit(X, y).predict


def boosting(X, y, quantiles: Sequence[float], **settings: Any) -> Predictor:
    """Fit gradient boosting, a model per quantile."""
    models = [
        HistGradientBoostingRegressor(
            loss="quantile", quantile=quantile, random_state=0, early_stopping=False, **settings
        ).fit(X, y)
        for quantile in quantiles
    ]
    return lambda new: np.sort(np.column_stack([model.predict(new) for model in models]), axis=1)


def on_nystroem(X, y, quantiles: Sequence[float], *, alpha: float, gamma: float) -> Predictor:
    """Fit linear quantile regressions on features of the rbf kernel, a model per quantile."""
    scale = gamma / (X.shape[1] * X.var())
    features = Nystroem(gamma=scale, n_components=N_COMPONENTS, random_state=0).fit(X)
    Z, centre, unit = features.transform(X), y.mean(), y.std()
    models = [
        QuantileRegressor(quantile=quantile, alpha=alpha).fit(Z, (y - centre) / unit)
        for quantile in quantiles
    ]

    def predict(new: np.ndarray) -> np.ndarray:
        Z = features.transform(new)
        values = np.column_stack([model.predict(Z) for model in models])
        return centre + unit * np.sort(values, axis=1)

    return predict


def grid(**values: Sequence[float]) -> list[dict[str, float]]:
    """Return all combinations of values."""
    return [
        dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values())
    ]


RIVALS: dict[str, tuple[Callable[..., Predictor], list[dict[str, Any]]]] = {
    OURS: (band_svr, grid(cost=(0.3, 1.0, 3.0, 10.0), gamma=(0.3, 1.0))),
    BOOSTING: (boosting, grid(learning_rate=(0.03, 0.1), max_iter=(100,), max_leaf_nodes=(8, 31))),
    NYSTROEM: (on_nystroem, grid(alpha=(1e-4, 1e-3), gamma=(0.3, 1.0))),
}


def pinball(y: np.ndarray, predicted: np.ndarray, quantiles: Sequence[float]) -> float:
    """Return the mean pinball loss of several quantiles."""
    return float(
        np.mean(
            [
                mean_pinball_loss(y, column, alpha=quantile)
                for column, quantile in zip(predicted.T, quantiles, strict=True)
            ]
        )
    )


def tuned(fit: Callable[..., Predictor], candidates: list[dict[str, Any]], X, y) -> dict[str, Any]:
    """Return the candidate of the least pinball loss on held-out folds."""
    folds = list(KFold(N_FOLDS, shuffle=True, random_state=0).split(X))
    losses = [
        np.mean(
            [
                pinball(y[test], fit(X[train], y[train], TUNED_ON, **each)(X[test]), TUNED_ON)
                for train, test in folds
            ]
        )
        for each in candidates
    ]
    return candidates[int(np.argmin(losses))]


class Column(RegressorMixin, BaseEstimator):
    """A fitted regressor of one of several quantiles, as MAPIE expects it."""

    fitted_ = True

    def __init__(self, predict_all: Any = None, column: int = 0) -> None:
        self.predict_all, self.column = predict_all, column

    def fit(self, X: Any, y: Any) -> Column:
        """Return the regressor, which is fitted."""
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the predicted quantile."""
        return self.predict_all(X)[:, self.column]


def conformalised(X, y, X_test, settings: dict[str, Any]) -> dict[float, np.ndarray]:
    """Return intervals of each level that MAPIE adjusts on samples that were held out."""
    from mapie.regression import ConformalizedQuantileRegressor

    X_fit, X_last, y_fit, y_last = train_test_split(X, y, test_size=0.25, random_state=0)
    predict = band_svr(X_fit, y_fit, QUANTILES, **settings)
    intervals = {}
    for level in LEVELS:
        wanted = (0.5 - 0.5 * level, 0.5 + 0.5 * level, 0.5)
        columns = [int(np.argmin(np.abs(np.subtract(QUANTILES, q)))) for q in wanted]
        model = ConformalizedQuantileRegressor(
            [Column(predict, column) for column in columns], confidence_level=level, prefit=True
        )
        _, found = model.conformalize(X_last, y_last).predict_interval(X_test)
        intervals[level] = found[:, :, 0]
    return intervals


def own_intervals(predicted: np.ndarray) -> dict[float, np.ndarray]:
    """Return the intervals between pairs of predicted quantiles."""
    n = len(QUANTILES)
    return {level: predicted[:, [2 - k, n - 3 + k]] for k, level in enumerate(LEVELS)}


def about(intervals: dict[float, np.ndarray], y: np.ndarray, unit: float) -> dict[str, Any]:
    """Return coverage and mean width of intervals of each level."""
    found = {}
    for level, ends in intervals.items():
        inside = (ends[:, 0] <= y) & (y <= ends[:, 1])
        width = float(np.mean(ends[:, 1] - ends[:, 0])) / unit
        found[f"{level:g}"] = {"coverage": float(inside.mean()), "width": width}
    return found


def study(name: str, seed: int) -> dict[str, Any]:
    """Return what was found on one split of a set."""
    X, y = load(name)
    n_train = min(MAX_TRAIN, int(0.6 * len(y)))
    X, X_test, y, y_test = train_test_split(X, y, train_size=n_train, random_state=seed)
    X_test, y_test = X_test[:MAX_TEST], y_test[:MAX_TEST]
    scaler = StandardScaler().fit(X)
    X, X_test = scaler.transform(X), scaler.transform(X_test)
    constant = np.tile(np.quantile(y, QUANTILES), (len(y_test), 1))
    unit, of_constant = float(y.std()), pinball(y_test, constant, QUANTILES)
    result: dict[str, Any] = {"name": name, "seed": seed, "n_train": len(y), "n_test": len(y_test)}
    result["models"] = {}
    for rival, (fit, candidates) in RIVALS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            settings = tuned(fit, candidates, X, y)
            predicted = fit(X, y, QUANTILES, **settings)(X_test)
        result["models"][rival] = {
            "settings": settings,
            "loss": pinball(y_test, predicted, QUANTILES) / of_constant,
            "intervals": about(own_intervals(predicted), y_test, unit),
        }
        if rival == OURS:
            adjusted = conformalised(X, y, X_test, settings)
            result["models"][CONFORMAL] = {"intervals": about(adjusted, y_test, unit)}
    return result


def means(results: list[dict[str, Any]], name: str, model: str, level: float) -> dict[str, float]:
    """Return the means over all splits of a set."""
    own = [each["models"][model] for each in results if each["name"] == name]
    found = {
        key: float(np.mean([each["intervals"][f"{level:g}"][key] for each in own]))
        for key in ("coverage", "width")
    }
    if "loss" in own[0]:
        found["loss"] = float(np.mean([each["loss"] for each in own]))
    return found


def summary(results: list[dict[str, Any]], names: list[str], models: list[str]) -> list[str]:
    """Return the unflattering comparisons first, as sentences of a list."""
    loss = {
        model: {name: means(results, name, model, 0.5)["loss"] for name in names}
        for model in models
        if model != CONFORMAL
    }
    lines = []
    for rival in (BOOSTING, NYSTROEM):
        behind = [name for name in names if loss[OURS][name] > loss[rival][name]]
        shown = f": {', '.join(behind)}" if behind else ""
        lines.append(
            f"- The pinball loss of {OURS} is higher than that of {rival} on {len(behind)} of "
            f"{len(names)} sets{shown}."
        )
    for model in models:
        missed = []
        for level in LEVELS:
            gaps = [means(results, name, model, level)["coverage"] - level for name in names]
            short = sum(gap < -NOTABLE for gap in gaps)
            missed.append(f"{short} at {level:.0%} (the worst covers {level + min(gaps):.3f})")
        lines.append(
            f"- {model[0].upper()}{model[1:]}: coverage falls short by more than {NOTABLE:g} on "
            f"this many of {len(names)} sets: {', '.join(missed)}."
        )
    return lines


def edges(results: list[dict[str, Any]]) -> list[str]:
    """Return how often each value of a grid was chosen, as sentences of a list."""
    lines = []
    for model, (_, candidates) in RIVALS.items():
        for name in candidates[0]:
            values = sorted({each[name] for each in candidates})
            if len(values) == 1:
                continue
            chosen = [each["models"][model]["settings"][name] for each in results]
            counts = ", ".join(f"{value:g} in {chosen.count(value)}" for value in values)
            lines.append(f"- {model} chose {name} = {counts} of {len(results)} splits.")
    return lines


def page(results: list[dict[str, Any]]) -> str:
    """Return docs/intervals.md."""
    names = list(dict.fromkeys(each["name"] for each in results))
    models = [OURS, CONFORMAL, BOOSTING, NYSTROEM]
    sizes = {each["name"]: (each["n_train"], each["n_test"]) for each in results}
    n_splits = len({each["seed"] for each in results})
    parts = [
        "# Prediction intervals on held-out data",
        "",
        "Written by `studies/intervals.py`, whose docstring has the rules. Means over "
        f"{n_splits} random splits of {len(names)} regression sets.",
        "How to make such intervals: [regression.md](regression.md).",
        "",
        "## What was found",
        "",
        *summary(results, names, models),
        "",
        "Quantiles of a flexible model lie too close together on new samples, because it was fitted to "
        "the training targets. Conformalisation corrects that here, on average over splits, with wider "
        "intervals and a quarter of the training samples; rivals are not conformalised, which would "
        "correct them as well. Grids are small and the same for all sets; where the first or the last value "
        "is chosen most, values beyond it might lower the loss:",
        "",
        *edges(results),
    ]
    for level in LEVELS:
        rows = []
        for name in names:
            found = [means(results, name, model, level) for model in models]
            cells = [f"{each['coverage']:.3f} ({each['width']:.2f})" for each in found]
            rows.append([name, ", ".join(map(str, sizes[name])), *cells])
        parts += [
            "",
            f"## Intervals of {level:.0%}",
            "",
            "Coverage, and in brackets the mean width in standard deviations of the targets.",
            "",
            table(["set", "samples to train, test", *models], rows),
        ]
    of_loss, rows = [model for model in models if model != CONFORMAL], []
    for name in names:
        losses = [means(results, name, model, LEVELS[0])["loss"] for model in of_loss]
        rows.append([name, *(f"**{x:.3f}**" if x == min(losses) else f"{x:.3f}" for x in losses)])
    parts += [
        "",
        "## Pinball loss",
        "",
        f"Mean over the quantiles {', '.join(f'{q:g}' for q in QUANTILES)}, divided by the loss of "
        "constant quantiles of the training targets; less is better.",
        "",
        table(["set", *of_loss], rows),
    ]
    return "\n".join(parts) + "\n"


def main(arguments: list[str] | None = None) -> None:
    """Run the study and write its results and its page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--splits", type=int, default=N_SPLITS)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--page-only", action="store_true", help="of the results that are there")
    options = parser.parse_args(arguments)
    if not options.page_only:
        tasks = list(itertools.product(options.sets, range(options.splits)))
        found = Parallel(options.jobs)(delayed(study)(*task) for task in tasks)
        commit = current_commit()
        found = [{"commit": commit, **each} for each in found]
        options.out.write_text(json.dumps(found, indent=1) + "\n")
    options.page.write_text(page(json.loads(options.out.read_text())))


if __name__ == "__main__":
    main()
