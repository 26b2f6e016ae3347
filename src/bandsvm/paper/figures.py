"""The paper's figures 1 to 4."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from bandsvm._estimators.kernel import BandedSVC
from bandsvm.paper.experiment import Experiment
from bandsvm.plotting import (
    DecisionMapDisplay,
    DecisionValuesDisplay,
    DualCoefficientsDisplay,
    PenaltyDisplay,
    SensitivityCurveDisplay,
    SupportVectorsDisplay,
)
from bandsvm.plotting._canvas import ALPHA, NEGATIVE, NEUTRAL, POSITIVE, THETA, legend_outside

CAPTIONS = {
    "figure1": (
        "Penalties of the signed decision value y g(x). (a) Below rho1, as in C-SVM. (b) Above "
        "rho2, new in B-SVM. (c) In total: none inside the band."
    ),
    "figure2": (
        "Training samples, regions and support vectors of (a) C-SVM and (b) B-SVM; (c) alpha of "
        "C-SVM and (d) alpha - theta of B-SVM, sample by sample."
    ),
    "figure3": (
        "Decision values of the training samples with (a) C-SVM and (b) B-SVM; the decision rule "
        "over the plane with (c) C-SVM and (d) B-SVM, in colours of one scale each."
    ),
    "figure4": (
        "Share of samples with y g(x) at or above a threshold, over the threshold in per cent of "
        "the largest |g(x)|: training points solid, fresh points dashed."
    ),
}


def draw_figures(experiment: Experiment) -> dict[str, Any]:
    """Return the figures by name."""
    return {
        "figure1": penalties(experiment),
        "figure2": support_vectors(experiment),
        "figure3": decision_values(experiment),
        "figure4": sensitivity(experiment),
    }


def new_figure(n_rows: int, n_columns: int, size: tuple[float, float]) -> tuple[Any, Any]:
    """Return a figure without a window, and its axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    return figure, np.ravel(figure.subplots(n_rows, n_columns))


def penalties(experiment: Experiment) -> Any:
    """Draw the two penalties and their sum, one per panel."""
    figure, axes = new_figure(1, 3, (12, 3.6))
    for ax, shown, title, colour in zip(
        axes,
        ("lower_", "upper_", "total_"),
        ("(a) below the band", "(b) above the band", "(c) total"),
        (ALPHA, THETA, NEUTRAL),
        strict=True,
    ):
        display = PenaltyDisplay.from_estimator(experiment.bsvm, ax=ax)
        for name in {"lower_", "upper_", "total_"} - {shown}:
            # What is hidden has no place in the legend.
            getattr(display, name).set(visible=False, label="_hidden")
        line = getattr(display, shown)
        line.set(color=colour, linestyle="-", linewidth=2.5, alpha=1.0)
        legend_outside(ax)
        # The upper side is ten times as steep: each panel is as high as its own penalty.
        ax.set_ylim(-0.03 * max(line.get_ydata()), 1.05 * max(line.get_ydata()))
        ax.set_title(title)
    return figure


def panels_of_models(
    experiment: Experiment, axes: Any, letters: str, title: str
) -> Iterator[tuple[Any, BandedSVC]]:
    """Yield the axes of a panel and the model to draw there, and give the panel its title."""
    for ax, letter, (name, model) in zip(axes, letters, experiment.models.items(), strict=True):
        yield ax, model
        ax.set_title(f"({letter}) {name}: {title}")


def support_vectors(experiment: Experiment) -> Any:
    """Draw support vectors in the plane, and the coefficients of all samples."""
    figure, axes = new_figure(2, 2, (12, 9.5))
    draw = experiment.train
    for ax, model in panels_of_models(experiment, axes[:2], "ab", "regions and support vectors"):
        SupportVectorsDisplay.from_estimator(model, draw.X, draw.y, ax=ax)
    for ax, model in panels_of_models(experiment, axes[2:], "cd", "coefficients"):
        DualCoefficientsDisplay.from_estimator(model, ax=ax)
    return figure


def decision_values(experiment: Experiment) -> Any:
    """Draw the decision values of all samples, and the decision rules over the plane."""
    figure, axes = new_figure(2, 2, (12, 9.5))
    draw = experiment.train
    for ax, model in panels_of_models(experiment, axes[:2], "ab", "decision values"):
        DecisionValuesDisplay.from_estimator(model, draw.X, draw.y, ax=ax)
    limits = [ax.get_ylim() for ax in axes[:2]]
    for ax in axes[:2]:
        ax.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))
    for ax, model in panels_of_models(experiment, axes[2:], "cd", "decision rule"):
        DecisionMapDisplay.from_estimator(model, draw.X, draw.y, ax=ax)
    return figure


def sensitivity(experiment: Experiment) -> Any:
    """Draw the sensitivity curves of both models, on training and on fresh points."""
    figure, (ax,) = new_figure(1, 1, (7, 5))
    for (name, model), colour in zip(experiment.models.items(), (NEGATIVE, POSITIVE), strict=True):
        for draw, where, style in (
            (experiment.train, "training points", "-"),
            (experiment.test, "fresh points", "--"),
        ):
            SensitivityCurveDisplay.from_estimator(
                model, draw.X, draw.y, name=f"{name}, {where}", ax=ax, color=colour, linestyle=style
            )
    return figure
