"""The picture of a search: scores, the path along C2, and what abstaining buys."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict

from bandsvm import BandedSVCCV
from bandsvm.decisions import verdict
from bandsvm.plotting import BandPathDisplay, RiskCoverageDisplay
from bandsvm.system.files import write_whole

FORMATS = (".png", ".svg", ".pdf")


def check_format(path: Path) -> None:
    """Raise unless a picture can be written in the format that its name asks for."""
    if path.suffix.lower() not in FORMATS:
        raise ValueError(f"--plot writes {', '.join(FORMATS)} files, got {path}.")


def write_plot(search: BandedSVCCV, X: Any, y: NDArray, folds: Any, path: Path) -> None:
    """Draw a fitted search and write the picture."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13.0, 4.0), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    draw_scores(search, left)
    best = clone(search.best_estimator_).set_params(verbose=0)
    BandPathDisplay.from_estimator(best, X, y, vary="C2", ax=middle)
    middle.set_title("Coefficients along C2")
    for name, model in (("best", best), ("C-SVM", clone(best).set_params(C2=0.0))):
        values = cross_val_predict(clone(model), X, y, cv=folds, method="decision_function")
        predicted, score = verdict(values)
        labels = search.classes_[predicted]
        RiskCoverageDisplay.from_predictions(y, labels, score, name=name, ax=right)
    right.set_title("What abstaining buys, on folds held out")
    content = io.BytesIO()
    figure.savefig(content, format=path.suffix.lower()[1:])
    write_whole(path, content.getvalue())


def draw_scores(search: BandedSVCCV, ax: Any) -> None:
    """Draw the mean scores of all candidates over C1 and gamma, the best of each place."""
    results = search.cv_results_
    means = results["mean_test_score"]
    scored = np.flatnonzero(np.isfinite(means))
    order = scored[np.argsort(means[scored], kind="stable")]  # the best are drawn last
    across = results["param_gamma"][order].filled(0.0)  # of kernels that have none
    points = ax.scatter(
        results["param_C1"][order], across, c=means[order], s=90, cmap="viridis", edgecolor="none"
    )
    chosen = search.best_params_
    ax.plot(chosen["C1"], chosen.get("gamma", 0.0), "x", color="#D55E00", markersize=11)
    ax.set_xscale("log")
    if (across > 0.0).all():
        ax.set_yscale("log")
    ax.set_xlabel("C1")
    ax.set_ylabel("gamma")
    ax.set_title("Mean score in the folds")
    ax.figure.colorbar(points, ax=ax)
