"""Our own regressors in a model file: whether their parts fit together."""

from __future__ import annotations

import scipy.sparse as sp

from bandsvm._checks.tube_parameters import (
    check_quantile_parameters,
    check_tube_parameters,
    quantiles_of,
)
from bandsvm._estimators.linear_regression import LinearBandedSVR
from bandsvm._estimators.quantiles import BandedQuantileSVR
from bandsvm._estimators.regression import BandedSVR
from bandsvm._linear.solving import available_linear_solvers
from bandsvm.persistence import _rules as rule
from bandsvm.persistence._models import (
    check_kernel_rule,
    check_multipliers,
    check_problems,
    is_finite,
    kernel_schema,
)
from bandsvm.persistence._rules import FEATURES, Parts, Schema, require


def _check_tube_model(parts: Parts) -> None:
    """Check parameters and the only decision rule."""
    check_tube_parameters(parts.model)
    check_kernel_rule(parts, 1)


def _check_quantile_model(parts: Parts) -> None:
    """Check parameters and a decision rule for each quantile."""
    check_quantile_parameters(parts.model)
    check_kernel_rule(parts, len(quantiles_of(parts.model)))


def _check_linear_model(parts: Parts) -> None:
    """Check all that predictions and warm starts use."""
    parts.model._task.check_parameters(parts.model)
    check_problems(parts, 1)
    coef, n_features = parts.attributes["coef_"], parts.n_features
    is_sparse = sp.issparse(coef)  # after `sparsify`
    require(coef.shape == ((1, n_features) if is_sparse else (n_features,)))
    require(is_finite(coef.data if is_sparse else coef))
    if "alpha_" in parts.attributes:
        check_multipliers(parts.attributes, 1)


TUBE_MODEL = kernel_schema(BandedSVR, _check_tube_model)
QUANTILE_MODEL = kernel_schema(BandedQuantileSVR, _check_quantile_model)
LINEAR_TUBE_MODEL = Schema(
    LinearBandedSVR,
    dict.fromkeys(LinearBandedSVR().get_params(), rule.anything)
    | {"store_multipliers": rule.flag, "warm_start": rule.flag},
    {"n_features_in_": FEATURES["n_features_in_"]}
    | dict.fromkeys(("coef_", "intercept_"), rule.anything),
    {
        "feature_names_in_": FEATURES["feature_names_in_"],
        "solver_": rule.one_of(*available_linear_solvers()),
    }
    | dict.fromkeys(("certificate_", "n_iter_", "alpha_", "theta_"), rule.anything),
    _check_linear_model,
)
REGRESSORS = (TUBE_MODEL, LINEAR_TUBE_MODEL, QUANTILE_MODEL)
