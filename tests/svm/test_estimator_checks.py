"""scikit-learn's checks of estimators."""

import pytest
from sklearn.utils.estimator_checks import (
    check_sample_weight_equivalence_on_dense_data,
    check_sample_weight_equivalence_on_sparse_data,
    parametrize_with_checks,
)

from bandsvm.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVR, OneClassSVM

ESTIMATORS = [
    SVC(),
    SVC(kernel="linear", class_weight="balanced"),
    SVR(),
    NuSVR(),
    OneClassSVM(),
    LinearSVC(),
    LinearSVR(),
]
# As in scikit-learn: gamma="scale" counts samples, whatever they weigh.
COUNTS = "weights and repeated samples are not the same"


def expected_failures(estimator):
    counts = getattr(estimator, "kernel", "") == "rbf"
    checks = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
    return dict.fromkeys(checks, COUNTS) if counts else {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", [SVC(gamma=0.1), SVR(gamma=0.1), NuSVR(gamma=0.1)])
def test_weights_equal_repeated_samples(estimator):
    name = type(estimator).__name__
    check_sample_weight_equivalence_on_dense_data(name, estimator)
    check_sample_weight_equivalence_on_sparse_data(name, estimator)
