"""The seam between classes and numbers on the page: what it does for one unlike the other.

`page_task` names the `PageTask` of samples; before there are any, `PAGE_TASKS` has that of a name.
Tables, tabs and fits ask it, and so does the page in the browser, which has a table of its own by
the same names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bandsvm._estimators.kernel import BandedSVC
from bandsvm._tables.options import CLASSIFY, REGRESS
from bandsvm._workflow import class_views, number_views
from bandsvm._workflow.holdout import PLACE_WORDS, TablePart
from bandsvm._workflow.naming import page_name
from bandsvm._workflow.numbers import number_text, regressor_defaults, spread_of_targets
from bandsvm._workflow.pipeline import check_kernel_model, check_regressor, regressor_class


class PageTask(NamedTuple):
    """What the page does for a kind of target unlike for the other."""

    # Raises unless parameters make a model, whatever the targets.
    check: Callable[[Mapping[str, Any]], None]
    # (parameters, training targets) -> an estimator, and sentences on what was chosen for it
    new_estimator: Callable[[dict[str, Any], NDArray], tuple[Any, list[str]]]
    chosen: tuple[str, ...]  # parameters that it may choose
    # estimator -> sentences on what its parameters do
    remarks: Callable[[Any], list[str]]
    # (samples with targets) -> how well the model does, for the tab of a search
    scores: Callable[[TablePart], dict[str, Any]]

    views: tuple[str, ...]  # names of what tabs show of samples
    figures: Callable[[TablePart], dict[str, Any]]
    places: tuple[str, ...]  # words for places: below, inside, above
    signed: tuple[str, ...]  # columns whose numbers have a sign
    # The table of samples: columns about targets and predictions; which predictions are wrong;
    # (part, place) -> keys whose smallest come first; what else its tab needs.
    columns: Callable[[TablePart], dict[str, NDArray]]
    is_wrong: Callable[[TablePart], NDArray[np.bool_] | None]
    order: Callable[[TablePart, str], NDArray]
    about_samples: Callable[[TablePart], dict[str, Any]]
    # Pictures: axes of predictions; (part, samples) -> what is said of single samples
    axes: Callable[[TablePart], dict[str, NDArray]]
    points: Callable[[TablePart, NDArray[np.intp]], dict[str, Any]]


def _new_classifier(parameters: dict[str, Any], y: NDArray) -> tuple[Any, list[str]]:
    """Return a classifier; labels change nothing."""
    return BandedSVC(**parameters), []


def _new_regressor(parameters: dict[str, Any], y: NDArray) -> tuple[Any, list[str]]:
    """Return a regressor; costs and tube that are not given follow the spread of targets."""
    cls: Any = regressor_class(parameters)
    usual = regressor_defaults(cls, y, parameters)
    if not usual:
        return cls(**parameters), []
    chosen = ", ".join(f"{page_name(name)} = {number_text(value)}" for name, value in usual.items())
    said = (
        "The targets of the training samples have a spread of "
        f"{number_text(spread_of_targets(y))}, from which follow {chosen}."
    )
    return cls(**parameters, **usual), [said]


def _about_band(classifier: BandedSVC) -> list[str]:
    if classifier.C2 != 0.0:
        return []
    return ["C2 is 0: nothing keeps samples below rho2, and extreme ones only happen to lie above."]


def _about_tube(regressor: Any) -> list[str]:
    for name, side in (("C1", "low"), ("C2", "high")):
        if getattr(regressor, name, None) == 0.0:
            return [f"{name} is 0: predictions that are too {side} cost nothing."]
    return []


PAGE_TASKS = {
    CLASSIFY: PageTask(
        check=check_kernel_model,
        new_estimator=_new_classifier,
        chosen=(),
        remarks=_about_band,
        scores=class_views.class_scores,
        views=("overview", "samples", "projection", "distribution", "abstention"),
        figures=class_views.figures,
        places=tuple(PLACE_WORDS.values()),
        signed=(class_views.DECISION_VALUE,),
        columns=class_views.columns,
        is_wrong=class_views.is_wrong,
        order=class_views.order,
        about_samples=class_views.about_samples,
        axes=class_views.axes,
        points=class_views.points,
    ),
    REGRESS: PageTask(
        check=check_regressor,
        new_estimator=_new_regressor,
        chosen=("C1", "C2", "epsilon", "C"),
        remarks=_about_tube,
        scores=number_views.number_scores,
        views=("overview", "samples", "projection", "errors", "quantiles"),
        figures=number_views.figures,
        places=tuple(PLACE_WORDS),
        signed=(number_views.RESIDUAL,),
        columns=number_views.columns,
        is_wrong=number_views.is_wrong,
        order=number_views.order,
        about_samples=number_views.about_samples,
        axes=number_views.axes,
        points=number_views.points,
    ),
}


def page_task(part: TablePart) -> PageTask:
    """Return the task of some samples."""
    return PAGE_TASKS[part.table.task]
