"""A BandedSVCCV in a model file: the best model, and what the search found."""

from __future__ import annotations

from typing import Any

import numpy as np

from bandsvm._certificate import Certificate
from bandsvm._estimators.kernel import BandedSVC
from bandsvm.model_selection import BandedSVCCV
from bandsvm.persistence._classifier import MAX_LABEL_LENGTH, longest_label
from bandsvm.persistence._decoder import SPLITTERS
from bandsvm.persistence._rules import (
    FEATURES,
    Parts,
    Schema,
    array,
    either,
    finite,
    flag,
    list_of,
    mapping_of,
    nothing,
    number,
    one_of,
    optional,
    require,
    scalar,
    text,
    whole,
)

_CHOICES = optional(either(finite, text, list_of(either(finite, text)), array("iuf")))


def _splits(value: Any, parts: Parts) -> bool:
    return whole(2)(value, parts) or isinstance(value, tuple(SPLITTERS.values()))


def _results(value: Any, parts: Parts) -> bool:
    """Return whether results have an entry for each candidate."""
    n_candidates = len(value["params"])
    columns = either(array("iufOb"), list_of(mapping_of(text, scalar)))
    return n_candidates > 0 and all(
        text(key, parts) and columns(column, parts) and len(column) == n_candidates
        for key, column in value.items()
    )


def _check(parts: Parts) -> None:
    """Check that the best candidate is among the results, and its model of the same classes."""
    attributes = parts.attributes
    require(attributes["best_index_"] < len(attributes["cv_results_"]["params"]))
    classes, best = attributes["classes_"], attributes.get("best_estimator_")
    require(classes.ndim == 1 and longest_label(classes) <= MAX_LABEL_LENGTH)
    if best is not None:
        require(isinstance(best, BandedSVC) and np.array_equal(best.classes_, classes))
        require(best.n_features_in_ == parts.n_features)


SEARCH = Schema(
    BandedSVCCV,
    {
        **dict.fromkeys(("C1", "C2", "rho2", "kernel", "gamma"), _CHOICES),
        "rho1": either(finite, mapping_of(scalar, finite)),
        "loss": text,
        "class_weight": either(one_of("balanced", None), mapping_of(scalar, number)),
        **dict.fromkeys(("multi_class", "decision_function_shape"), one_of("ovr", "ovo")),
        "cv": _splits,
        **dict.fromkeys(("degree", "coef0", "tol"), finite),
        "scoring": optional(text),
        **dict.fromkeys(("criterion", "search"), text),
        **dict.fromkeys(("fit_intercept", "break_ties", "give_up", "refit"), flag),
        "refine": whole(0),
        "max_iter": whole(1),
        **dict.fromkeys(("time_limit", "cache_size"), optional(finite)),
        "verbose": either(flag, whole()),
        "n_jobs": either(nothing, whole()),
    },
    {
        "n_features_in_": FEATURES["n_features_in_"],
        "classes_": array("biufUO"),
        "cv_results_": _results,
        "best_index_": whole(0),
        "best_score_": number,
        "best_params_": mapping_of(text, scalar),
        "n_splits_": whole(0),
    },
    {
        "feature_names_in_": FEATURES["feature_names_in_"],
        "best_estimator_": lambda value, _: isinstance(value, BandedSVC),
        "n_iter_": whole(0),
        "certificate_": lambda value, _: isinstance(value, Certificate),
    },
    _check,
    if_missing={"multi_class": "ovr"},
)
