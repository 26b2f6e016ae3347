"""Regressions that are hard for solvers end certified, or say what is missing."""

import os
import signal

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from bandsvm import BandedQuantileSVR, BandedSVR
from bandsvm._fitting.fit import fit_model
from bandsvm._problem import Status
from tests.helpers.regression import noisy_curve
from tests.helpers.watching import AtStep

MODELS = [
    BandedSVR(),
    BandedSVR(epsilon=0.0, C1=2.0, C2=0.5),
    BandedSVR(loss="squared_epsilon_insensitive"),
    BandedSVR(fit_intercept=False),
    BandedSVR(kernel="linear"),
    BandedSVR(solver="pcg"),
    BandedSVR(solver="pcg", epsilon=0.0),
    BandedQuantileSVR([0.1, 0.5, 0.9]),
]


def duplicates():
    X, y = noisy_curve(30)
    return np.repeat(X, 5, axis=0), np.repeat(y, 5) + np.tile(np.arange(5.0), 30)


DATA = {
    "constant targets": lambda: (noisy_curve(50)[0], np.full(50, 42.0)),
    "targets of zero": lambda: (noisy_curve(50)[0], np.zeros(50)),
    "nearly constant targets": lambda: (noisy_curve(50)[0], 1e9 + 1e-6 * np.arange(50.0)),
    "one sample": lambda: (np.ones((1, 2)), np.array([3.0])),
    "two samples": lambda: (np.arange(4.0).reshape(2, 2), np.array([-1.0, 3.0])),
    "identical samples": lambda: (np.ones((40, 2)), np.arange(40.0)),
    "duplicates": duplicates,
    "integers": lambda: (noisy_curve(80)[0], np.arange(80) % 7),
    "an outlier": lambda: (noisy_curve(80)[0], np.append(noisy_curve(79)[1], 1e8)),
    "tiny targets": lambda: (noisy_curve(80)[0], 1e-200 * noisy_curve(80)[1]),
    "huge targets": lambda: (noisy_curve(80)[0], 1e100 * noisy_curve(80)[1]),
    "single precision": lambda: (noisy_curve(80)[0].astype(np.float32), noisy_curve(80)[1]),
    "sparse": lambda: (sp.csr_array(noisy_curve(80)[0]), noisy_curve(80)[1]),
    "more samples": lambda: noisy_curve(1200),
}


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("name", DATA)
def test_ends_certified(model, name):
    X, y = DATA[name]()
    model.fit(X, y)
    assert model.certificate_.is_optimal
    assert model.certify(X, y).is_optimal or name == "nearly constant targets"
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize("cost", [1e-8, 1e5])
@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_costs_of_any_size(cost, loss):
    X, y = noisy_curve(100)
    model = BandedSVR(C1=cost, C2=cost, loss=loss).fit(X, y)
    assert model.certificate_.is_optimal
    assert (model.score(X, y) > 0.5) == (cost > 1.0)


def test_constant_targets_are_predicted_exactly():
    X, _ = noisy_curve(50)
    model = BandedSVR(epsilon=0.0).fit(X, np.full(50, 1e12 + 0.5))
    assert (model.predict(X) == 1e12 + 0.5).all()
    assert len(model.support_) == 0


def test_samples_without_weight_do_not_matter(rng):
    X, y = noisy_curve(100)
    far = y.copy()
    far[:10] = 1e300
    weights = np.where(np.arange(100) < 10, 0.0, 1.0)
    model, other = (BandedSVR().fit(X, targets, weights) for targets in (y, far))
    np.testing.assert_array_equal(model.predict(X), other.predict(X))
    assert model.certificate_.scale == other.certificate_.scale


@pytest.mark.parametrize("model", [BandedSVR(), BandedQuantileSVR([0.3, 0.6])], ids=str)
def test_ctrl_c_keeps_the_best_model_so_far(model):
    X, y = noisy_curve(1500)
    y = 1e6 * y + 1e7
    press = AtStep(2, lambda: os.kill(os.getpid(), signal.SIGINT))
    assert fit_model(model, X, y, None, press)
    assert model.certificate_.status is Status.INTERRUPTED
    assert np.isfinite(model.predict(X)).all()
    # Signals may come so late that the gap is no more than rounding errors.
    rounding = 1e-9 * model.certificate_.primal
    gap = model.certificate_.gap
    assert model.certify(X, y).gap == pytest.approx(gap, rel=1e-3, abs=rounding)
    model.set_params(warm_start=True).fit(X, y)
    assert model.certificate_.is_optimal
    model.set_params(warm_start=False)


def test_time_limit_warns_with_the_way_on():
    X, y = noisy_curve(3000)
    with pytest.warns(ConvergenceWarning, match=r"BandedSVR met its time_limit .*raise time_limit"):
        BandedSVR(time_limit=1e-3, C1=100.0, C2=100.0).fit(X, y)


def test_messages_name_parameters_that_there_are():
    X, y = noisy_curve(1500)
    with pytest.warns(ConvergenceWarning) as given:
        BandedQuantileSVR(kernel="linear", max_iter=1).fit(X, y)
    assert "LinearBandedSVC" not in str(given[0].message)
    with pytest.raises(ValueError, match="C times the weights of samples must be finite"):
        BandedQuantileSVR(C=1e300).fit(X, 1e-100 * y)


def test_numbers_of_models_that_float64_cannot_hold_are_refused(rng):
    """Kernel values of 1e32 make coefficients that much smaller than the targets."""
    K, y = 1e32 * np.eye(20), rng.normal(size=20)
    model = BandedSVR(kernel="precomputed", epsilon=0.0, fit_intercept=False)
    for scale in (1e-100, 1.0, 1e20):
        np.testing.assert_allclose(model.fit(K, scale * y).predict(K), scale * y)
    with pytest.raises(ValueError, match=r"too small or too large for float64.* scale y"):
        model.fit(K, 1e-290 * y)
    # A coefficient much smaller than others, of a sample with larger kernel values.
    with pytest.raises(ValueError, match=r"too small or too large for float64"):
        model.fit(np.diag(np.r_[1e20, np.ones(19)]), 1e-305 * y)


def test_differences_that_overflow_are_refused():
    X, _ = noisy_curve(4)
    with pytest.raises(ValueError, match="overflow"):
        BandedSVR().fit(X, np.array([-1.7e308, 1.7e308, 1.7e308, 1.7e308]))


@pytest.mark.parametrize("solver", ["smo", "pcg", "reference"])
def test_targets_that_are_all_0_have_no_edges_to_measure_steps_by(solver):
    X, _ = noisy_curve(20)
    model = BandedSVR(epsilon=0.0, solver=solver).fit(X, np.zeros(20))
    assert model.certificate_.is_optimal
    assert (model.predict(X) == 0.0).all()
