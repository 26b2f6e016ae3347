"""Paths and leave-one-out of regressions: every point, and every left-out sample, like a fit."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.svm import SVR

from bandsvm import BandedQuantileSVR, BandedSVR
from bandsvm.model_selection import (
    LeaveOneOutErrors,
    band_path,
    leave_one_out,
    leave_one_out_bound,
)
from tests.helpers.problems import assert_same_objective
from tests.helpers.regression import noisy_curve

X, Y = noisy_curve(150)
SQUARED = "squared_epsilon_insensitive"
PATHS = {
    "C1": (BandedSVR(), [0.01, 1.0, 30.0]),
    "C2": (BandedSVR(), [0.0, 0.1, 1.0]),
    "epsilon": (BandedSVR(), [2.0, 0.5, 0.1, 0.0]),
    "cost": (BandedSVR(C2=3.0, epsilon=(0.1, 0.3)), [0.01, 1.0, 100.0]),
    "squares": (BandedSVR(loss=SQUARED), [2.0, 0.1, 0.0]),
    "no intercept": (BandedSVR(fit_intercept=False), [0.5, 0.0]),
    "quantile": (BandedQuantileSVR(), [0.05, 0.3, 0.5, 0.95]),
    "C": (BandedQuantileSVR([0.9, 0.1]), [0.1, 1.0, 10.0]),
}


def changed(model, vary, value):
    """Return a model of a point that is fitted on its own."""
    if vary == "cost":
        return clone(model).set_params(C1=value * model.C1, C2=value * model.C2)
    return clone(model).set_params(**{vary: value})


@pytest.mark.parametrize("size", [1.0, 1e-6, 1e6])
@pytest.mark.parametrize("name", PATHS)
def test_every_point_equals_a_fit_of_its_own(name, size):
    model, values = PATHS[name]
    vary = name if name in ("C1", "C2", "epsilon", "cost", "quantile", "C") else "epsilon"
    y, model = size * (Y + 3.0), clone(model)
    values = [value * (1.0 if vary in ("cost", "quantile") else size) for value in values]
    scaled = ("C",) if vary in ("quantile", "C") else ("C1", "C2", "epsilon")
    for parameter in scaled if model.get_params().get("loss") != SQUARED else ("epsilon",):
        given = np.multiply(size, getattr(model, parameter))
        model.set_params(**{parameter: float(given) if given.ndim == 0 else tuple(given)})
    path = band_path(X, y, vary=vary, values=values, model=model)
    for k, value in enumerate(values):
        single, found = changed(model, vary, value).fit(X, y), path.model(k)
        assert path.certificates[k].is_optimal
        assert found.get_params() == single.get_params()
        assert_same_objective(found, single)
        np.testing.assert_allclose(found.predict(X), single.predict(X), atol=1e-6 * size)
        np.testing.assert_allclose(path.intercepts[k], found.intercept_)
        np.testing.assert_array_equal(path.alpha_support(k), found.alpha_support_)
        np.testing.assert_array_equal(path.theta_support(k), found.theta_support_)
        signed = np.reshape((found.alpha_ - found.theta_).T, (len(found.intercept_), -1))
        for p, row in enumerate(signed):
            np.testing.assert_array_equal(path.coefficients[p][[k]].toarray()[0], row)


@pytest.mark.parametrize("name", ["C1", "C2", "epsilon", "cost", "quantile", "C"])
def test_default_values_suit_targets_of_any_size(name):
    model = PATHS[name][0]
    for size in (1e-3, 1e3):
        own = {"C1": size, "C2": size, "epsilon": 0.1 * size}
        if name in ("quantile", "C"):
            own = {"C": size}
        path = band_path(X, size * Y, vary=name, model=clone(model).set_params(**own))
        assert len(path.values) == 50
        assert all(certificate.is_optimal for certificate in path.certificates)
        assert len(np.unique(path.n_alpha)) > 3
    if name == "quantile":
        shares = [np.mean(path.model(k).predict(X) > size * Y) for k in (5, 25, 45)]
        np.testing.assert_allclose(shares, path.values[[5, 25, 45]], atol=0.05)


def test_intervals_have_paths():
    y = np.column_stack([Y, np.where(X[:, 0] > 0.3, np.inf, Y + 0.1)])
    path = band_path(X, y, vary="epsilon", values=[0.3, 0.0], model=BandedSVR())
    single = BandedSVR(epsilon=0.0).fit(X, y)
    np.testing.assert_allclose(path.model(1).predict(X), single.predict(X), atol=1e-6)


@pytest.mark.parametrize(
    ("model", "vary", "values", "error", "message"),
    [
        (BandedSVR(), "rho2", None, ValueError, "vary must be one of C1, C2, epsilon, cost"),
        (BandedQuantileSVR(), "C2", None, ValueError, "vary must be one of C, quantile"),
        (BandedSVR(epsilon=(0.1, 0.2)), "epsilon", None, TypeError, "epsilon to be a number"),
        (BandedQuantileSVR([0.1, 0.9]), "quantile", None, TypeError, "quantile to be a number"),
        (BandedSVR(C1=0.0), "C2", None, ValueError, "values must be given"),
        (BandedSVR(), "epsilon", [-1.0], ValueError, "epsilon must be at least 0"),
        (BandedQuantileSVR(), "quantile", [1.0], ValueError, "quantile must lie between 0 and 1"),
        (BandedQuantileSVR(), "C", [0.0], ValueError, "C must be greater than 0"),
        (SVR(), "C", None, TypeError, "model must be a BandedSVC, BandedSVR or"),
    ],
)
def test_what_a_path_cannot_vary_is_refused(model, vary, values, error, message):
    with pytest.raises(error, match=message):
        band_path(X, Y, vary=vary, values=values, model=model)


def by_refits(model, y, weights):
    """Return the prediction for each sample by a model fitted without it."""
    fresh = clone(model).set_params(gamma=model.gamma_)
    found = []
    for i in range(len(y)):
        others = weights.copy()
        others[i] = 0.0
        found.append(fresh.fit(X[: len(y)], y, others).predict(X[[i]])[0])
    return np.array(found)


@pytest.mark.parametrize("size", [1.0, 1e6])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "model",
    [
        BandedSVR(),
        BandedSVR(C2=3.0, epsilon=(0.1, 0.3), fit_intercept=False),
        BandedSVR(epsilon=0.0, loss=SQUARED),
        BandedSVR(epsilon=5.0),
        BandedQuantileSVR(0.8),
        BandedQuantileSVR([0.9, 0.1, 0.5]),
    ],
    ids=["tube", "unequal", "squares", "no support", "quantile", "quantiles"],
)
def test_left_out_predictions_equal_refits(model, weighted, size):
    n = 45
    y = size * (Y[:n] - 2.0)
    model = clone(model).set_params(tol=1e-7)
    own = {name: size * value for name, value in model.get_params().items() if name == "C"}
    if hasattr(model, "epsilon"):
        own["epsilon"] = tuple(np.multiply(size, np.broadcast_to(model.epsilon, 2)))
        if model.loss != SQUARED:
            own |= {"C1": size * model.C1, "C2": size * model.C2}
    model.set_params(**own)
    weights = np.ones(n)
    if weighted:
        weights = np.random.default_rng(0).integers(0, 3, size=n).astype(float)
    model.fit(X[:n], y, weights)
    found = leave_one_out(model, X[:n], y, weights)
    assert isinstance(found, LeaveOneOutErrors)
    expected = by_refits(model, y, weights)
    np.testing.assert_allclose(found.predictions, expected, atol=1e-5 * size)
    counted = weights > 0.0
    errors = (y[counted] - expected[counted].T).T
    np.testing.assert_allclose(found.absolute_error, np.abs(errors).mean(axis=0), rtol=1e-5)
    shares = np.array(getattr(model, "quantile", None) or model.C1 / (model.C1 + model.C2))
    pinball = np.maximum(shares * errors, (shares - 1.0) * errors).mean(axis=0)
    np.testing.assert_allclose(found.pinball_loss, pinball, rtol=1e-5)


def test_error_of_an_interval_is_the_distance_from_it():
    n = 40
    y = np.column_stack([Y[:n] - 0.1, np.where(np.arange(n) % 3, Y[:n] + 0.1, np.inf)])
    model = BandedSVR(epsilon=0.0, tol=1e-7).fit(X[:n], y)
    found = leave_one_out(model, X[:n], y)
    expected = by_refits(model, y, np.ones(n))
    distance = np.maximum(y[:, 0] - expected, 0.0) + np.maximum(expected - y[:, 1], 0.0)
    assert found.absolute_error == pytest.approx(distance.mean(), rel=1e-4)
    assert found.pinball_loss == pytest.approx(0.5 * distance.mean(), rel=1e-4)


def test_bound_is_for_classifiers():
    for model in (BandedSVR(fit_intercept=False), BandedQuantileSVR()):
        with pytest.raises(TypeError, match="use leave_one_out, which is exact for regressions"):
            leave_one_out_bound(model.fit(X, Y), X, Y)


def test_other_models_are_refused():
    with pytest.raises(TypeError, match="takes a BandedSVC, BandedSVR or BandedQuantileSVR"):
        leave_one_out(SVR(), X, Y)
    with pytest.raises(ValueError, match="not fitted"):
        leave_one_out(BandedSVR(), X, Y)
