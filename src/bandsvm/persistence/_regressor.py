"""Our own regressors in a model file: whether their parts fit together."""

from __future__ import annotations

from bandsvm._checks.tube_parameters import (
    check_quantile_parameters,
    check_tube_parameters,
    quantiles_of,
)
from bandsvm._estimators.quantiles import BandedQuantileSVR
from bandsvm._estimators.regression import BandedSVR
from bandsvm.persistence._models import check_kernel_rule, kernel_schema
from bandsvm.persistence._rules import Parts


def _check_tube_model(parts: Parts) -> None:
    """Check parameters and the only decision rule."""
    check_tube_parameters(parts.model)
    check_kernel_rule(parts, 1)


def _check_quantile_model(parts: Parts) -> None:
    """Check parameters and a decision rule for each quantile."""
    check_quantile_parameters(parts.model)
    check_kernel_rule(parts, len(quantiles_of(parts.model)))


TUBE_MODEL = kernel_schema(BandedSVR, _check_tube_model)
QUANTILE_MODEL = kernel_schema(BandedQuantileSVR, _check_quantile_model)
REGRESSORS = (TUBE_MODEL, QUANTILE_MODEL)
