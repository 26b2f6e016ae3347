"""Transformers of numbers in a model file: scalers, projections and selections of features."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_selection import SelectKBest, SelectPercentile, VarianceThreshold
from sklearn.kernel_approximation import Nystroem
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    RobustScaler,
    StandardScaler,
)

from bandsvm.persistence import _rules as rule
from bandsvm.persistence._decoder import FUNCTIONS
from bandsvm.persistence._rules import FEATURES, Parts, Schema, require

_NUMBERS = rule.per_feature("f")
_PAIR = rule.tuple_of(rule.finite, rule.finite)
_SEEN = {"n_samples_seen_": rule.either(rule.number, rule.per_feature("iuf")), **FEATURES}
# Kernels that Nystroem knows by name; 'precomputed' has no components to compare with.
_KERNELS = (
    *("additive_chi2", "chi2", "cosine", "laplacian", "linear"),
    *("poly", "polynomial", "rbf", "sigmoid"),
)


def _check_scaler(parts: Parts) -> None:
    """Check that a StandardScaler has what it subtracts and what it divides by."""
    require(not parts.model.with_std or parts.attributes["scale_"] is not None)
    require(not parts.model.with_mean or parts.attributes["mean_"] is not None)


def _check_robust(parts: Parts) -> None:
    """Check that a RobustScaler has what it subtracts and what it divides by."""
    require(not parts.model.with_scaling or parts.attributes["scale_"] is not None)
    require(not parts.model.with_centering or parts.attributes["center_"] is not None)
    low, high = parts.model.quantile_range
    require(0.0 <= low <= high <= 100.0)


def _components(value: Any, parts: Parts) -> bool:
    """Return whether a matrix, dense or CSR, has a column for each feature."""
    is_matrix = isinstance(value, np.ndarray) or sp.issparse(value)
    return is_matrix and value.dtype.kind == "f" and value.shape[1:] == (parts.n_features,)


def _per_component(value: Any, parts: Parts) -> bool:
    return rule.array("f")(value, parts) and len(value) == parts.attributes["components_"].shape[0]


def _check_pca(parts: Parts) -> None:
    """Check that a PCA counts its components."""
    require(parts.attributes["n_components_"] == len(parts.attributes["components_"]))
    require(isinstance(parts.attributes["components_"], np.ndarray))


def _check_nystroem(parts: Parts) -> None:
    """Check that the components of a Nystroem approximation fit its matrix."""
    attributes = parts.attributes
    n_components = attributes["components_"].shape[0]
    require(attributes["normalization_"].shape == (n_components, n_components))
    require(attributes["component_indices_"].shape == (n_components,))
    require(attributes["_n_features_out"] == n_components >= 1)


def _function(value: Any, _: Parts) -> bool:
    return any(value is function for function in FUNCTIONS.values())


def _n_selected(model: Any) -> int:
    return int(model.get_support().sum())


_SVD = {
    "n_oversamples": rule.whole(1),
    "power_iteration_normalizer": rule.one_of("auto", "QR", "LU", "none"),
    "random_state": rule.optional(rule.whole(0)),
    "tol": rule.finite,
}
_VARIANCES = ("explained_variance_", "explained_variance_ratio_", "singular_values_")
_PROJECTION = {
    "n_features_in_": FEATURES["n_features_in_"],
    "components_": _components,
    **dict.fromkeys(_VARIANCES, _per_component),
}

TRANSFORMERS = [
    Schema(
        StandardScaler,
        {"copy": rule.flag, "with_mean": rule.flag, "with_std": rule.flag},
        dict.fromkeys(("scale_", "mean_", "var_"), rule.optional(_NUMBERS)),
        _SEEN,
        _check_scaler,
    ),
    Schema(
        MinMaxScaler,
        {"feature_range": _PAIR, "copy": rule.flag, "clip": rule.flag},
        dict.fromkeys(("scale_", "min_", "data_min_", "data_max_", "data_range_"), _NUMBERS),
        _SEEN,
        lambda parts: require(parts.model.feature_range[0] < parts.model.feature_range[1]),
    ),
    Schema(
        MaxAbsScaler,
        {"copy": rule.flag, "clip": rule.flag},
        dict.fromkeys(("scale_", "max_abs_"), _NUMBERS),
        _SEEN,
    ),
    Schema(
        RobustScaler,
        {
            **dict.fromkeys(("with_centering", "with_scaling", "copy", "unit_variance"), rule.flag),
            "quantile_range": _PAIR,
        },
        dict.fromkeys(("center_", "scale_"), rule.optional(_NUMBERS)),
        check=_check_robust,
    ),
    Schema(Normalizer, {"norm": rule.one_of("l1", "l2", "max"), "copy": rule.flag}, {}),
    Schema(
        FunctionTransformer,
        {
            **dict.fromkeys(("func", "inverse_func", "kw_args", "inv_kw_args"), rule.nothing),
            **dict.fromkeys(("validate", "accept_sparse", "check_inverse"), rule.flag),
            "feature_names_out": rule.one_of("one-to-one", None),
        },
        {},
    ),
    Schema(
        PCA,
        {
            "n_components": rule.either(
                rule.nothing, rule.whole(0), rule.finite, rule.one_of("mle")
            ),
            **dict.fromkeys(("copy", "whiten"), rule.flag),
            "svd_solver": rule.one_of("auto", "full", "covariance_eigh", "arpack", "randomized"),
            "iterated_power": rule.either(rule.one_of("auto"), rule.whole(0)),
            **_SVD,
        },
        {
            **_PROJECTION,
            "mean_": _NUMBERS,
            "noise_variance_": rule.number,
            "n_samples_": rule.whole(1),
            "n_components_": rule.whole(0),
            "_fit_svd_solver": rule.one_of("full", "covariance_eigh", "arpack", "randomized"),
        },
        check=_check_pca,
        width=lambda model: len(model.components_),
    ),
    Schema(
        TruncatedSVD,
        {
            "n_components": rule.whole(1),
            "algorithm": rule.one_of("arpack", "randomized"),
            "n_iter": rule.whole(0),
            **_SVD,
        },
        _PROJECTION,
        check=lambda parts: require(isinstance(parts.attributes["components_"], np.ndarray)),
        width=lambda model: len(model.components_),
    ),
    Schema(
        Nystroem,
        {
            "kernel": rule.one_of(*_KERNELS),
            **dict.fromkeys(("gamma", "coef0", "degree"), rule.optional(rule.finite)),
            "kernel_params": rule.nothing,
            "n_components": rule.whole(1),
            "random_state": rule.optional(rule.whole(0)),
            "n_jobs": rule.jobs,
        },
        {
            "n_features_in_": FEATURES["n_features_in_"],
            "components_": _components,
            "normalization_": rule.array("f", 2),
            "component_indices_": rule.array("i"),
            "_n_features_out": rule.whole(1),
        },
        check=_check_nystroem,
        width=lambda model: model._n_features_out,
    ),
    Schema(
        SelectKBest,
        {"score_func": _function, "k": rule.either(rule.one_of("all"), rule.whole(0))},
        {"scores_": rule.per_feature("iuf"), "pvalues_": rule.optional(_NUMBERS)},
        width=_n_selected,
    ),
    Schema(
        SelectPercentile,
        {"score_func": _function, "percentile": rule.finite},
        {"scores_": rule.per_feature("iuf"), "pvalues_": rule.optional(_NUMBERS)},
        check=lambda parts: require(0 <= parts.model.percentile <= 100),
        width=_n_selected,
    ),
    Schema(
        VarianceThreshold,
        {"threshold": rule.finite},
        {"variances_": _NUMBERS},
        width=_n_selected,
    ),
]
