"""A BandedSVCCV in a model file: the best model, and what the search found."""

from __future__ import annotations

from typing import Any

import numpy as np

from bandsvm._certificate import Certificate
from bandsvm._estimators.kernel import BandedSVC
from bandsvm.model_selection import BandedSVCCV
from bandsvm.persistence import _rules as rule
from bandsvm.persistence._classifier import MAX_LABEL_LENGTH, longest_label
from bandsvm.persistence._decoder import SPLITTERS
from bandsvm.persistence._rules import FEATURES, Parts, Schema, require

_CHOICES = rule.optional(
    rule.either(
        rule.finite, rule.text, rule.list_of(rule.either(rule.finite, rule.text)), rule.array("iuf")
    )
)


def _results(value: Any, parts: Parts) -> bool:
    """Return whether results have an entry for each candidate."""
    n_candidates = len(value["params"])
    columns = rule.either(
        rule.array("iufOb"), rule.list_of(rule.mapping_of(rule.text, rule.scalar))
    )
    return n_candidates > 0 and all(
        rule.text(key, parts) and columns(column, parts) and len(column) == n_candidates
        for key, column in value.items()
    )


def _check(parts: Parts) -> None:
    """Check that the best candidate is among the results, and its model of the same classes."""
    attributes = parts.attributes
    require(attributes["best_index_"] < len(attributes["cv_results_"]["params"]))
    classes, best = attributes["classes_"], attributes.get("best_estimator_")
    require(classes.ndim == 1 and longest_label(classes) <= MAX_LABEL_LENGTH)
    if best is not None:
        require(np.array_equal(best.classes_, classes))
        require(best.n_features_in_ == parts.n_features)


SEARCH = Schema(
    BandedSVCCV,
    {
        **dict.fromkeys(("C1", "C2", "rho2", "kernel", "gamma"), _CHOICES),
        "rho1": rule.either(rule.finite, rule.mapping_of(rule.scalar, rule.finite)),
        "loss": rule.text,
        "class_weight": rule.either(
            rule.one_of("balanced", None), rule.mapping_of(rule.scalar, rule.number)
        ),
        **dict.fromkeys(("multi_class", "decision_function_shape"), rule.one_of("ovr", "ovo")),
        "cv": rule.either(rule.whole(2), rule.instance_of(*SPLITTERS.values())),
        **dict.fromkeys(("degree", "coef0", "tol"), rule.finite),
        "scoring": rule.optional(rule.text),
        **dict.fromkeys(("criterion", "search"), rule.text),
        **dict.fromkeys(("fit_intercept", "break_ties", "give_up", "refit"), rule.flag),
        "refine": rule.whole(0),
        "max_iter": rule.whole(1),
        **dict.fromkeys(("time_limit", "cache_size"), rule.optional(rule.finite)),
        "verbose": rule.either(rule.flag, rule.whole()),
        "n_jobs": rule.optional(rule.whole()),
    },
    {
        "n_features_in_": FEATURES["n_features_in_"],
        "classes_": rule.array("biufUO"),
        "cv_results_": _results,
        "best_index_": rule.whole(0),
        "best_score_": rule.number,
        "best_params_": rule.mapping_of(rule.text, rule.scalar),
        "n_splits_": rule.whole(0),
    },
    {
        "feature_names_in_": FEATURES["feature_names_in_"],
        "best_estimator_": rule.instance_of(BandedSVC),
        "n_iter_": rule.whole(0),
        "certificate_": rule.instance_of(Certificate),
    },
    _check,
    if_missing={"multi_class": "ovr"},
)
