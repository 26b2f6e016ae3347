"""A LinearBandedSVC in a model file: whether its parts fit together."""

from __future__ import annotations

import scipy.sparse as sp

from bandsvm._checks.parameters import check_fit_parameters
from bandsvm._estimators.linear import LinearBandedSVC
from bandsvm._linear.solving import available_linear_solvers
from bandsvm.persistence._classifier import check_multipliers, checked_problems, is_finite
from bandsvm.persistence._rules import FEATURES, Kind, Parts, anything, flag, one_of, require


def _check(parts: Parts) -> None:
    """Check all that predictions and warm starts use."""
    check_fit_parameters(parts.model, available_linear_solvers())
    n_problems, coef = checked_problems(parts), parts.attributes["coef_"]
    values = coef.data if sp.issparse(coef) else coef
    require(coef.shape == (n_problems, parts.n_features) and is_finite(values))
    if "alpha_" in parts.attributes:
        check_multipliers(parts.attributes, n_problems)


LINEAR = Kind(
    LinearBandedSVC,
    dict.fromkeys(LinearBandedSVC().get_params(), anything)
    | {"store_multipliers": flag, "warm_start": flag},
    {"n_features_in_": FEATURES["n_features_in_"], "solver_": one_of(*available_linear_solvers())}
    | dict.fromkeys(("classes_", "coef_", "intercept_"), anything),
    {"feature_names_in_": FEATURES["feature_names_in_"]}
    | dict.fromkeys(("certificate_", "n_iter_", "alpha_", "theta_", "sigmoids_"), anything),
    _check,
)
