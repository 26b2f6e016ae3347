"""One-class problems that are hard for solvers end certified, or say what is missing."""

import os
import signal

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from bandsvm import OneClassBandedSVM
from bandsvm._fitting.fit import fit_model
from bandsvm._problem import Status
from tests.helpers.one_class import cloud
from tests.helpers.small_problems import general_way
from tests.helpers.watching import AtStep

MODELS = [
    OneClassBandedSVM(),
    OneClassBandedSVM(nu=1e-9),
    OneClassBandedSVM(nu=1.0),
    OneClassBandedSVM(gamma=1e6, nu=0.3),
    OneClassBandedSVM(gamma=1e-9, nu=0.3),
    OneClassBandedSVM(kernel="linear", nu=0.2),
    OneClassBandedSVM(kernel="poly", coef0=1.0, nu=0.2),
    OneClassBandedSVM(kernel="sigmoid", nu=0.2),
    OneClassBandedSVM(solver="pcg", nu=0.2),
    OneClassBandedSVM(solver="reference", nu=0.2),
]
DATA = {
    "one sample": lambda: np.ones((1, 2)),
    "one sample at the origin": lambda: np.zeros((1, 2)),
    "two samples": lambda: np.arange(4.0).reshape(2, 2),
    "identical samples": lambda: np.ones((40, 2)),
    "duplicates": lambda: np.repeat(cloud(30), 5, axis=0),
    "around the origin": lambda: cloud(80) - cloud(80).mean(axis=0),
    "tiny features": lambda: 1e-30 * cloud(80),
    "huge features": lambda: 1e10 * cloud(80),
    "an outlier": lambda: np.concatenate([cloud(80), [[1e6, -1e6]]]),
    "single precision": lambda: cloud(80).astype(np.float32),
    "sparse": lambda: sp.csr_array(np.where(cloud(80) > 5.0, cloud(80), 0.0)),
    "more samples": lambda: cloud(1200),
}


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("name", DATA)
def test_ends_certified(model, name):
    X = DATA[name]()
    for way in (general_way, None):
        if way:
            with way():
                model.fit(X)
        else:
            model.fit(X)
        certificate = model.certificate_
        assert certificate.is_optimal
        assert model.certify(X).is_optimal
        assert np.isfinite(model.decision_function(X)).all()
        c, total = model.alpha_, model.nu * X.shape[0]
        assert c.sum() == pytest.approx(total, rel=1e-9)
        assert ((c >= 0.0) & (c <= 1.0)).all()


def test_samples_that_are_all_alike_are_inside():
    for X in (np.ones((40, 2)), np.ones((1, 2)), np.zeros((1, 3))):
        for nu in (0.01, 0.5, 1.0):
            model = OneClassBandedSVM(nu=nu).fit(X)
            assert (model.predict(X) == 1).all()
            assert model.predict(X[:1] + 1.0) == -1


def test_weights_of_any_size(rng):
    X, weights = cloud(1100), 10.0 ** rng.uniform(-12, 0, size=1100)
    model = OneClassBandedSVM(nu=0.2).fit(X, sample_weight=weights)
    assert model.certificate_.is_optimal
    assert model.certify(X, sample_weight=weights).is_optimal
    assert model.alpha_.sum() == pytest.approx(0.2 * weights.sum(), rel=1e-12)
    assert weights[model.predict(X) == -1].sum() <= 0.2 * (1 + 1e-9) * weights.sum()


def test_kernel_values_that_leave_no_room_for_weights_are_refused():
    model = OneClassBandedSVM(kernel="precomputed", nu=0.9)
    with pytest.raises(
        ValueError, match=r"kernel values are so small .* scale X, or the kernel matrix"
    ):
        model.fit(1e-320 * np.eye(30), sample_weight=np.append(1e8, np.ones(29)))


def test_rows_in_single_precision_are_made_up_for(rows_in_single_precision):
    X = cloud(1500, n_features=5) + 300.0
    model = OneClassBandedSVM(gamma=0.5, nu=0.3, tol=1e-6).fit(X)
    assert model.certificate_.is_optimal
    assert model.certify(X).is_optimal


def test_ctrl_c_keeps_a_certified_model():
    X = cloud(3000, n_features=6)
    model = OneClassBandedSVM(nu=0.5, gamma=3.0, tol=1e-9)
    press = AtStep(1, lambda: os.kill(os.getpid(), signal.SIGINT))
    assert fit_model(model, X, None, None, press)
    assert model.certificate_.status is Status.INTERRUPTED
    assert model.alpha_.sum() == pytest.approx(1500.0, rel=1e-12)
    assert np.isfinite(model.predict(X)).all()
    assert model.certify(X).gap == pytest.approx(model.certificate_.gap, rel=1e-3)
    model.set_params(warm_start=True, tol=1e-6).fit(X)
    assert model.certificate_.is_optimal


def test_limits_warn_with_the_way_on():
    X = cloud(4000, n_features=6)
    with pytest.warns(ConvergenceWarning, match=r"OneClassBandedSVM met its time_limit .*raise"):
        OneClassBandedSVM(time_limit=1e-3).fit(X)
    with pytest.warns(ConvergenceWarning, match=r"stopped at max_iter=1 .*raise max_iter") as given:
        OneClassBandedSVM(max_iter=1, kernel="linear", tol=1e-6).fit(X)
    assert "LinearBandedSVC" not in str(given[0].message)
    assert "C1" not in str(given[0].message)
