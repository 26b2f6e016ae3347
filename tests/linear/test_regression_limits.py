"""Linear regressions of any size, hard ones, and how they end and go on."""

import os
import signal

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from bandsvm import BandedSVR, LinearBandedSVR
from bandsvm._fitting.lifecycle import end_fit
from bandsvm._linear.fit import fit_linear
from bandsvm._problem import Status
from tests.helpers.regression import noisy_curve
from tests.helpers.watching import AtStep

LOSSES = ("epsilon_insensitive", "squared_epsilon_insensitive")


def fitted(X, y, scale=1.0, *, loss=LOSSES[0], **parameters):
    """Return a model of targets times ``scale``, with costs and tube to match."""
    cost = scale if loss == LOSSES[0] else 1.0
    model = LinearBandedSVR(
        0.9 * cost, 0.3 * cost, (0.1 * scale, 0.2 * scale), loss=loss, **parameters
    )
    return model.set_params(store_multipliers=True, max_iter=20_000).fit(X, scale * y)


@pytest.mark.parametrize("n_samples", [80, 1500])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("power", [-40, 20, 300])
def test_powers_of_two_give_the_same_digits(n_samples, loss, power, solver):
    X, y = noisy_curve(n_samples)
    scale = 2.0**power
    model, other = (fitted(X, y, s, loss=loss, solver=solver) for s in (1.0, scale))
    for name in ("coef_", "intercept_", "alpha_", "theta_"):
        np.testing.assert_array_equal(getattr(other, name), scale * getattr(model, name))
    ours, theirs = model.certificate_, other.certificate_
    assert theirs.is_optimal
    assert theirs.n_iter == ours.n_iter
    assert theirs.primal == scale * ours.primal * scale
    assert theirs.scale == scale * ours.scale
    assert other.certify(X, scale * y).is_optimal


@pytest.mark.parametrize("n_samples", [80, 1500])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_any_size_takes_the_same_steps(n_samples, loss, scale, solver):
    X, y = noisy_curve(n_samples)
    model, other = (fitted(X, y, s, loss=loss, solver=solver, tol=1e-8) for s in (1.0, scale))
    assert other.certificate_.is_optimal
    np.testing.assert_allclose(other.predict(X) / scale, model.predict(X), atol=1e-3)
    assert abs(other.n_iter_ - model.n_iter_) <= 2 + 0.2 * model.n_iter_
    same = other.band_position(X, scale * y) == model.band_position(X, y)
    assert same.mean() > 0.99  # others lie on an edge for all that the gap says


@pytest.mark.parametrize("offset", [1e4, -1e9])
def test_an_offset_costs_no_digits(offset, solver):
    X, y = noisy_curve(1500)
    y = np.round(y * 2**16) / 2**16
    model, other = (fitted(X, target, solver=solver) for target in (y, y + offset))
    np.testing.assert_allclose(other.coef_, model.coef_, atol=1e-12)
    assert other.intercept_[0] - offset == pytest.approx(
        model.intercept_[0], abs=1e-15 * abs(offset)
    )


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
    "duplicated columns": lambda: (np.hstack([noisy_curve(80)[0]] * 2), noisy_curve(80)[1]),
    "more features than samples": lambda: noisy_curve(20, n_features=60),
    "integers": lambda: (noisy_curve(80)[0], np.arange(80) % 7),
    "an exact fit": lambda: (noisy_curve(80)[0], noisy_curve(80)[0] @ [2.0, -1.0] + 3.0),
    "an outlier": lambda: (noisy_curve(80)[0], np.append(noisy_curve(79)[1], 1e8)),
    "tiny targets": lambda: (noisy_curve(80)[0], 1e-8 * noisy_curve(80)[1]),
    "huge targets": lambda: (noisy_curve(80)[0], 1e100 * noisy_curve(80)[1]),
    "sparse": lambda: (sp.csr_array(noisy_curve(80)[0]), noisy_curve(80)[1]),
    "more samples": lambda: noisy_curve(1200),
}
SETTINGS = [
    {},
    {"epsilon": 0.0, "C1": 2.0, "C2": 0.5},
    {"epsilon": 0.0, "C1": 0.0},
    {"loss": LOSSES[1]},
    {"loss": LOSSES[1], "epsilon": 0.0},
    {"fit_intercept": False},
    {"solver": "cd"},
    {"C1": 1e6, "C2": 1e6},
    {"C1": 1e6, "C2": 1e6, "loss": LOSSES[1]},
    {"C1": 1e-9, "C2": 1e-9},
]


@pytest.mark.parametrize("parameters", SETTINGS, ids=str)
@pytest.mark.parametrize("name", DATA)
def test_ends_certified(parameters, name):
    X, y = DATA[name]()
    settings = {"store_multipliers": True, "max_iter": 20_000, **parameters}
    if name == "an outlier" and settings.get("solver") == "cd":
        settings |= {"C1": 0.1, "C2": 0.1}
    model = LinearBandedSVR(**settings).fit(X, y)
    assert model.certificate_.is_optimal
    # Predictions near 1e9 have no digits to tell these targets apart.
    assert model.certify(X, y).is_optimal or name == "nearly constant targets"
    assert model.n_iter_ <= 80 or "solver" in parameters


@pytest.mark.parametrize("loss", LOSSES)
def test_a_constant_in_all_tubes_is_the_middle(loss):
    X, _ = noisy_curve(50)
    model = LinearBandedSVR(epsilon=(0.1, 0.3), loss=loss).fit(X, np.full(50, 7.0))
    assert model.intercept_[0] == pytest.approx(7.1, abs=1e-14)
    assert not model.coef_.any()
    assert model.certificate_.primal == 0.0
    kernel = BandedSVR(epsilon=(0.1, 0.3), loss=loss, kernel="linear").fit(X, np.full(50, 7.0))
    np.testing.assert_allclose(model.predict(X), kernel.predict(X), atol=1e-12)


def test_targets_that_edges_near_zero_hold_take_no_more_steps():
    """Edges at the origin of units have no size of their own: units give them one."""
    X, y = noisy_curve(2000)
    y = np.where(np.arange(2000) % 2, np.round(y, 1), np.median(y))
    at_zero = LinearBandedSVR(epsilon=0.0, solver="newton").fit(X, y)
    shifted = LinearBandedSVR(epsilon=1e-9, solver="newton").fit(X, y)
    assert at_zero.certificate_.is_optimal
    assert at_zero.n_iter_ <= 30
    assert abs(at_zero.n_iter_ - shifted.n_iter_) <= 3


def test_descent_takes_wide_sparse_samples(rng):
    X = sp.random(1500, 4000, 0.005, format="csr", random_state=0)
    y = X @ rng.normal(size=4000) + 0.1 * rng.normal(size=1500)
    model = LinearBandedSVR(tol=1e-4).fit(X, y)
    assert model.solver_ == "cd"
    assert model.certificate_.is_optimal
    assert model.score(X, y) > 0.5


def test_warm_start_continues(solver):
    X, y = noisy_curve(1500)
    model = LinearBandedSVR(C1=0.3, C2=0.3, solver=solver, max_iter=2, warm_start=True)
    with pytest.warns(ConvergenceWarning, match=r"LinearBandedSVR .*max_iter=2 .*warm_start=True"):
        model.fit(X, y)
    assert model.certificate_.status is Status.ITERATION_LIMIT
    model.set_params(max_iter=20_000).fit(X, y)
    cold = LinearBandedSVR(C1=0.3, C2=0.3, solver=solver, max_iter=20_000).fit(X, y)
    assert model.certificate_.primal == pytest.approx(cold.certificate_.primal, rel=2e-6)
    before = model.n_iter_
    model.set_params(C1=0.301).fit(X, y)
    assert model.n_iter_ < before
    # Other targets have other units.
    model.set_params(C1=300.0, C2=300.0, epsilon=100.0).fit(X, 1000.0 * y + 5.0)
    assert model.certificate_.is_optimal
    assert model.certificate_.primal == pytest.approx(1e6 * cold.certificate_.primal, rel=2e-6)


def test_ctrl_c_keeps_the_best_model_so_far(solver):
    X, y = noisy_curve(1500)
    y = 1e6 * y + 1e7
    model = LinearBandedSVR(1e5, 1e5, 1e5, solver=solver, warm_start=True)
    press = AtStep(4, lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt, match=r"LinearBandedSVR was interrupted .*kept"):
        end_fit(model, fit_linear(model, X, y, None, press))
    assert model.certificate_.status is Status.INTERRUPTED
    assert model.certificate_.primal > model.certificate_.dual
    assert model.certify(X, y).primal == pytest.approx(model.certificate_.primal, rel=1e-9)
    assert model.set_params(max_iter=20_000).fit(X, y).certificate_.is_optimal


def test_time_limit_gives_a_model():
    X, y = noisy_curve(3000)
    with pytest.warns(ConvergenceWarning, match=r"LinearBandedSVR met its time_limit"):
        model = LinearBandedSVR(time_limit=1e-6).fit(X, y)
    assert np.isfinite(model.certificate_.gap)
    assert np.isfinite(model.predict(X)).all()


def test_a_failed_fit_leaves_the_model_as_it_was():
    X, y = noisy_curve(100)
    model = LinearBandedSVR().fit(X, y)
    before = model.coef_
    with pytest.raises(ValueError, match="overflow"):
        model.set_params(C1=1e200).fit(X * 1e60, y)
    assert model.coef_ is before


def test_kernel_models_name_the_linear_one():
    X, y = noisy_curve(1500)
    with pytest.warns(ConvergenceWarning, match="use LinearBandedSVR, which finds linear rules"):
        BandedSVR(kernel="linear", max_iter=1).fit(X, y)
