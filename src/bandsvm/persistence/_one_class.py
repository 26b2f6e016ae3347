"""Our one-class model in a model file: whether its parts fit together."""

from __future__ import annotations

from bandsvm._checks.one_class_parameters import check_one_class_parameters
from bandsvm._estimators.one_class import OneClassBandedSVM
from bandsvm.persistence._models import check_kernel_rule, kernel_schema
from bandsvm.persistence._rules import Parts


def _check_one_class_model(parts: Parts) -> None:
    """Check parameters and the only decision rule."""
    check_one_class_parameters(parts.model)
    check_kernel_rule(parts, 1)


ONE_CLASS_MODEL = kernel_schema(OneClassBandedSVM, _check_one_class_model)
