"""Certificates of many problems: in arrays they say what those of single problems say."""

import copy
import math
import pickle
from dataclasses import fields, replace

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from bandsvm import BandedSVC
from bandsvm._certificate import Certificate, all_in_units, all_optimal, combine
from bandsvm._certificate.combined import CertificateColumns
from bandsvm._certificate.small import SmallCertificates, Spent, certificates_of
from bandsvm._problem import Status
from bandsvm._problem.units import DecisionUnits

# Among limits of the intercept and sizes of coefficients, those that need a case of their own.
PLAIN = (2.0, 1.5, 0.5, 0.6, 1e-9, 1e-17, 3.0, 0.0, -0.5, 0.5, -0.6, 0.7, -2.0, 2.5)
MEASURES = np.array(
    [
        PLAIN,
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -np.inf, np.inf, -np.inf, np.inf, 0.0, 0.0),
        (2.0, 1.5, 0.5, 0.5, 0.0, 0.1, 3.0, 0.0, 0.5, 0.1, 0.6, 0.0, -1.0, 1.0),
        (np.inf, 1.5, np.inf, np.inf, 0.0, 0.0, 3.0, 0.2, 0.5, 0.1, 0.6, 0.0, -1.0, 1.0),
        (np.nan, np.nan, np.nan, np.nan, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, np.nan, 1.0),
        (-1.0, -2.0, 1.0, 1.0, 0.0, 0.0, 3.0, 0.0, 0.1, 0.2, 0.1, 0.2, -1.0, 1.0),
        PLAIN,
    ]
)


def made_of(measures, is_free, tol):
    """Return certificates of some measures."""
    number = len(measures)
    found = SmallCertificates(
        np.ones(number, dtype=bool),
        np.linspace(-0.3, 0.3, number) if is_free else np.zeros(number),
        np.linspace(0.0, 1e-9, number),
        np.arange(number, dtype=np.float64),
        measures,
    )
    counts = np.arange(number)
    spent = Spent(counts, counts + 1, counts + 2, np.linspace(0.1, 0.2, number))
    together = certificates_of(found, spent, is_free, tol)

    def alone(k):
        own, of_own = (type(of)(*(values[k : k + 1] for values in of)) for of in (found, spent))
        return certificates_of(own, of_own, is_free, tol)[0]

    return together, [alone(k) for k in range(number)]


def check_same(one, other):
    """Both certificates have the same attributes, of the same types."""
    for field in fields(Certificate):
        a, b = getattr(one, field.name), getattr(other, field.name)
        assert type(a) is type(b), field.name
        np.testing.assert_equal(a, b, field.name)


@pytest.mark.parametrize("tol", [1e-3, 10.0])
@pytest.mark.parametrize("is_free", [True, False])
@np.errstate(invalid="ignore")
def test_columns_are_those_of_single_certificates(is_free, tol):
    together, alone = made_of(MEASURES, is_free, tol)
    assert isinstance(together, CertificateColumns)
    assert isinstance(alone[0], Certificate)
    for k, one in enumerate(alone):
        check_same(together[k], one)
        check_same(together.one(k), one)
    assert [part.n_iter for part in together] == list(range(len(alone)))
    check_same(together[2:4][1], alone[3])
    units = DecisionUnits(0.25, -7.0)
    for one, other in zip(all_in_units(together, units), all_in_units(alone, units), strict=True):
        check_same(one, other)


@np.errstate(invalid="ignore")
@pytest.mark.parametrize("n_wrong", [0, 1])
def test_columns_are_optimal_if_all_are(n_wrong):
    optimal = np.array([PLAIN] * (6 - n_wrong))
    tol = 10.0
    for wrong in MEASURES[[3, 4]]:
        together, alone = made_of(np.vstack([optimal, *[wrong] * n_wrong]), True, tol)
        assert all_optimal(together) == all_optimal(alone) == (n_wrong == 0)
        assert combine(together).is_optimal == (n_wrong == 0)


def test_columns_combine_like_single_certificates():
    together, alone = made_of(MEASURES[[0, 1, 2, 5, 0, 1]], True, 1e-3)
    check_same(combine(together), combine(alone))
    stopped = [*alone[:3], replace(alone[3], status=Status.TIME_LIMIT), *alone[4:]]
    assert combine(stopped).status is Status.TIME_LIMIT


def test_parts_are_made_when_they_are_read():
    X, y = make_blobs(60, 3, centers=5, cluster_std=2.0, random_state=0)
    model = BandedSVC().fit(X, y)
    held = vars(model.certificate_)["parts"]
    assert isinstance(held, CertificateColumns)
    assert "_items" not in vars(held)
    assert "over 10 problems: optimal to tol" in repr(model.certificate_)
    parts = model.certificate_.parts
    assert type(parts) is tuple
    assert len(parts) == 10
    assert parts == model.certificate_.parts
    assert math.fsum(part.primal for part in parts) == pytest.approx(model.certificate_.primal)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c)), replace]
)
def test_copies_hold_plain_certificates(copied):
    X, y = make_blobs(60, 3, centers=5, cluster_std=2.0, random_state=0)
    certificate = BandedSVC().fit(X, y).certificate_
    other = copied(certificate)
    assert type(vars(other)["parts"]) is tuple
    assert other == certificate
    assert repr(other) == repr(certificate)
    assert other._repr_html_() == certificate._repr_html_()
    assert other.is_optimal
    assert all(part.is_optimal for part in other.parts)
