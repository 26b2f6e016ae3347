"""Our own searches in a model file: the best model, and what the search found."""

from __future__ import annotations

from typing import Any

import numpy as np

from bandsvm._certificate import Certificate
from bandsvm._estimators.kernel import BandedSVC
from bandsvm._estimators.regression import BandedSVR
from bandsvm._fitting.fitted import classes_of
from bandsvm.model_selection import BandedSVCCV, BandedSVRCV
from bandsvm.persistence import _rules as rule
from bandsvm.persistence._classifier import MAX_LABEL_LENGTH, longest_label
from bandsvm.persistence._decoder import SPLITTERS
from bandsvm.persistence._rules import FEATURES, Parts, Rule, Schema, require


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


def _check_search(parts: Parts) -> None:
    """Check that the best candidate is among the results, and its model of the same classes."""
    attributes, best = parts.attributes, parts.attributes.get("best_estimator_")
    require(attributes["best_index_"] < len(attributes["cv_results_"]["params"]))
    classes = attributes.get("classes_")
    require(classes is None or (classes.ndim == 1 and longest_label(classes) <= MAX_LABEL_LENGTH))
    if best is not None:
        require(classes is None or np.array_equal(classes_of(best), classes))
        require(best.n_features_in_ == parts.n_features)


_CHOICES = rule.optional(
    rule.either(
        rule.finite, rule.text, rule.list_of(rule.either(rule.finite, rule.text)), rule.array("iuf")
    )
)


def _schema(
    cls: Any, model: type, parameters: dict[str, Rule], needed: dict[str, Rule], **settings: Any
) -> Schema:
    """Return the schema of a search for the parameters of a model."""
    return Schema(
        cls,
        {
            **dict.fromkeys(("C1", "kernel", "gamma"), _CHOICES),
            "loss": rule.text,
            "cv": rule.either(rule.whole(2), rule.instance_of(*SPLITTERS.values())),
            **dict.fromkeys(("degree", "coef0", "tol"), rule.finite),
            "scoring": rule.optional(rule.text),
            "search": rule.text,
            **dict.fromkeys(("fit_intercept", "give_up", "refit"), rule.flag),
            "refine": rule.whole(0),
            "max_iter": rule.whole(1),
            **dict.fromkeys(("time_limit", "cache_size"), rule.optional(rule.finite)),
            "verbose": rule.either(rule.flag, rule.whole()),
            "n_jobs": rule.optional(rule.whole()),
            "device": rule.one_of(None, "cpu", "cuda"),
            **parameters,
        },
        {
            "n_features_in_": FEATURES["n_features_in_"],
            "cv_results_": _results,
            "best_index_": rule.whole(0),
            "best_score_": rule.number,
            "best_params_": rule.mapping_of(rule.text, rule.scalar),
            "n_splits_": rule.whole(0),
            **needed,
        },
        {
            "feature_names_in_": FEATURES["feature_names_in_"],
            "best_estimator_": rule.instance_of(model),
            "n_iter_": rule.whole(0),
            "certificate_": rule.instance_of(Certificate),
        },
        _check_search,
        **settings,
    )


CLASS_SEARCH = _schema(
    BandedSVCCV,
    BandedSVC,
    {
        **dict.fromkeys(("C2", "rho2"), _CHOICES),
        "rho1": rule.either(rule.finite, rule.mapping_of(rule.scalar, rule.finite)),
        "class_weight": rule.either(
            rule.one_of("balanced", None), rule.mapping_of(rule.scalar, rule.number)
        ),
        **dict.fromkeys(("multi_class", "decision_function_shape"), rule.one_of("ovr", "ovo")),
        "criterion": rule.text,
        "break_ties": rule.flag,
    },
    {"classes_": rule.array("biufUO")},
    if_missing={"multi_class": "ovr"},
)
NUMBER_SEARCH = _schema(
    BandedSVRCV, BandedSVR, dict.fromkeys(("cost_ratio", "epsilon"), _CHOICES), {}
)
SEARCHES = (CLASS_SEARCH, NUMBER_SEARCH)
