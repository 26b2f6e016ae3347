"""The certificate of a fit: how far a solution is from optimal, computed independently of solvers.

- `certificate`: `Certificate`; `combined`: certificates of many problems, in arrays and together.
- `certification`: the certificate of a solution; `small`: those of small problems in one call.
- `values`: gap, intercepts, violations.
- `gradient`: whether the solver's decision values are right, and what rounding errors leave open.
- `not_optimal`: why a solution is not optimal to ``tol``, and what to do about it.
"""

from bandsvm._certificate.certificate import COLLAPSED, FEASIBLE, Certificate, all_optimal
from bandsvm._certificate.certification import (
    N_SUMS,
    Measured,
    assemble,
    certificate_of,
    certify,
    measure,
    measured_of,
)
from bandsvm._certificate.combined import all_in_units, combine
from bandsvm._certificate.gradient import (
    N_SPOT_CHECKS,
    CheckedGradient,
    checked_gradient,
    largest_difference,
)
from bandsvm._certificate.values import (
    choose_intercept,
    duality_gap,
    intercept_interval,
)

__all__ = [
    "COLLAPSED",
    "FEASIBLE",
    "N_SPOT_CHECKS",
    "N_SUMS",
    "Certificate",
    "CheckedGradient",
    "Measured",
    "all_in_units",
    "all_optimal",
    "assemble",
    "certificate_of",
    "certify",
    "checked_gradient",
    "choose_intercept",
    "combine",
    "duality_gap",
    "intercept_interval",
    "largest_difference",
    "measure",
    "measured_of",
]
