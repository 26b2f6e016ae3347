"""Coefficients, multipliers and slacks: tables that are made when they are read."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

from bandsvm import BandedQuantileSVR, BandedSVC, BandedSVR, OneClassBandedSVM
from bandsvm._fitting import tables
from bandsvm.persistence import load, save

X, LABELS = load_iris(return_X_y=True)
# Without its samples of weight 0 the set has other places.
WEIGHTS = np.where(np.arange(len(X)) % 7 == 3, 0.0, 1.0 + np.arange(len(X)) % 2)
TABLES = ("dual_coef_", "alpha_", "theta_", "alpha_support_", "theta_support_", "xi_", "eta_")
FITS = {
    "two classes": (BandedSVC(rho2=1.2), LABELS > 0),
    "ovo": (BandedSVC(rho2=1.2), LABELS),
    "ovr": (BandedSVC(rho2=1.2, multi_class="ovr"), LABELS),
    "regression": (BandedSVR(C1=2.0), X[:, 0] * 100.0),
    "quantiles": (BandedQuantileSVR(quantile=(0.1, 0.9)), X[:, 0]),
    "one class": (OneClassBandedSVM(nu=0.2), None),
}


@pytest.fixture(params=FITS)
def model(request):
    estimator, y = FITS[request.param]
    return clone(estimator).fit(X, y, sample_weight=WEIGHTS)


def tables_of(model):
    return {name: getattr(model, name) for name in TABLES}


def test_tables_agree_with_each_other(model):
    shape = (len(model.intercept_), len(X))
    alpha, theta = model.alpha_.T.reshape(shape), model.theta_.T.reshape(shape)
    assert (np.minimum(alpha, theta) == 0.0).all()
    assert (np.maximum(alpha, theta) >= 0.0).all()
    coefficients = np.zeros(shape)
    coefficients[:, model.support_] = model.dual_coef_
    np.testing.assert_array_equal(np.abs(coefficients), alpha + theta)
    assert (coefficients != 0.0).any(axis=0)[model.support_].all()
    assert not coefficients[:, WEIGHTS == 0.0].any()
    np.testing.assert_array_equal(model.alpha_support_, np.flatnonzero(alpha.any(axis=0)))
    np.testing.assert_array_equal(model.theta_support_, np.flatnonzero(theta.any(axis=0)))
    assert model.xi_.shape == model.eta_.shape == model.alpha_.shape


def test_reading_changes_no_attribute(model):
    before = dict(vars(model))
    first = tables_of(model)
    assert set(TABLES) <= set(dir(model))
    assert vars(model).keys() == before.keys()
    for name, table in tables_of(model).items():
        assert table is first[name]


@pytest.mark.parametrize("reads_first", [False, True])
def test_copies_have_plain_arrays(model, reads_first, tmp_path):
    other = clone(model).fit(X, _targets(model), sample_weight=WEIGHTS)
    expected = tables_of(other)
    if reads_first:
        tables_of(model)
    save(model, tmp_path / "model")
    copies = [
        copy.copy(model),
        copy.deepcopy(model),
        pickle.loads(pickle.dumps(model)),
        load(tmp_path / "model"),
    ]
    for copied in [model, *copies]:  # a copy fills those of the original
        assert set(TABLES) <= vars(copied).keys()
        assert "_tables" not in vars(copied)
        for name, table in expected.items():
            np.testing.assert_array_equal(getattr(copied, name), table)
        np.testing.assert_array_equal(copied.predict(X), other.predict(X))


def _targets(model):
    """Return the targets of the fit of a model like this one."""
    found = [y for estimator, y in FITS.values() if repr(estimator) == repr(clone(model))]
    return found[0] if len(found) == 1 else found[len(model.classes_) > 2]


def test_arrays_of_the_user_may_change_meanwhile(model):
    expected = tables_of(clone(model).fit(X, _targets(model), sample_weight=WEIGHTS))
    mine, weights, y = X.copy(), WEIGHTS.copy(), _targets(model)
    y = None if y is None else y.copy()
    other = clone(model).fit(mine, y, sample_weight=weights)
    for array in (mine, weights, y):
        if array is not None:
            array[:] = array[::-1].copy()
    for name, table in tables_of(other).items():
        np.testing.assert_array_equal(table, expected[name])


def test_large_tables_of_shared_samples_are_filled_at_once(model, monkeypatch):
    expected = tables_of(model)
    monkeypatch.setattr(tables, "MAX_UNFILLED", 1)
    other = clone(model).fit(X, _targets(model), sample_weight=WEIGHTS)
    is_pairs = model.dual_coef_.shape[0] > 2 and getattr(model, "multi_class", "") == "ovo"
    assert ("alpha_" in vars(other)) == (not is_pairs)
    for name, table in tables_of(other).items():
        np.testing.assert_array_equal(table, expected[name])


def test_a_failed_fit_keeps_tables(model):
    before = tables_of(copy.deepcopy(model))
    model.set_params(kernel="unknown")
    with pytest.raises(ValueError, match="kernel"):
        model.fit(X, LABELS)
    for name, table in tables_of(model).items():
        np.testing.assert_array_equal(table, before[name])


def test_the_next_fit_has_tables_of_its_own(model):
    y = _targets(model)
    tables_of(model)
    pickle.dumps(model)  # fills them
    model.fit(X[::2], None if y is None else y[::2])
    assert len(model.alpha_) == len(model.xi_) == len(X[::2])
    assert model.dual_coef_.shape == (len(model.intercept_), len(model.support_))
