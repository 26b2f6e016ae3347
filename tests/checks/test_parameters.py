"""Bad parameters are refused with the name, the rule, the value and the way out."""

import numpy as np
import pytest

from bandsvm import BandedSVC
from bandsvm._checks.parameters import band_parameters
from tests.helpers.counting import CountedText

NOT_FINITE = [np.nan, np.inf, -np.inf]
NOT_NUMBERS = ["big", None, [1.0], True, 1j]


PARAMETERS = [
    ({"rho1": 2.0, "rho2": 1.0}, r"rho2 must not be less than rho1.*rho1=2\.0 and rho2=1\.0"),
    ({"rho1": 0.0}, r"rho1 must be greater than 0, got 0"),
    ({"rho1": -1.0}, r"rho1 must be greater than 0, got -1"),
    ({"rho2": -1.0}, r"rho2 must not be less than rho1.*-1"),
    ({"C1": 0.0}, r"C1 must be greater than 0, got 0"),
    ({"C1": -1.0}, r"C1 must be greater than 0, got -1"),
    ({"C2": -1.0}, r"C2 must be at least 0, got -1"),
    ({"tol": 0.0}, r"tol must be greater than 0, got 0"),
    ({"tol": -1e-3}, r"tol must be greater than 0, got -0\.001"),
    ({"gamma": -0.5}, r"gamma must be at least 0, got -0\.5"),
    ({"gamma": "wide"}, r"gamma must be 'scale', 'auto' or a number, got 'wide'"),
    ({"kernel": "cosine"}, r"kernel must be one of .*'rbf'.*'precomputed'.* got 'cosine'"),
    ({"kernel": None}, r"kernel must be one of .* or a callable, got None"),
    ({"kernel": "poly", "degree": 2.5}, r"degree must be an integer, got 2\.5"),
    ({"degree": -1}, r"degree must be at least 0, got -1"),
    ({"loss": "log"}, r"loss must be 'hinge' or 'squared_hinge', got 'log'"),
    ({"loss": None}, r"loss must be .* got None"),
    ({"solver": "newton"}, r"solver must be one of 'auto', 'smo'.* got 'newton'"),
    ({"solver": None}, r"solver must be one of .* got None"),
    ({"max_iter": 0}, r"max_iter must be at least 1, got 0"),
    ({"cache_size": 0}, r"cache_size must be greater than 0 .*megabytes.* got 0"),
    ({"cache_size": -5.0}, r"cache_size must be greater than 0 .* got -5"),
    ({"n_jobs": 0}, r"n_jobs must be None or an integer other than 0, got 0"),
    ({"n_jobs": 1.5}, r"n_jobs must be None or an integer other than 0, got 1\.5"),
    ({"class_weight": {0: 1.0, 1: -1.0}}, r"class_weight must hold .*greater than 0.*-1"),
    ({"class_weight": {0: 1.0, 1: np.inf}}, r"class_weight must hold finite.*inf"),
    ({"class_weight": "even"}, r"class_weight.*'balanced'.*'even'"),
]


@pytest.mark.parametrize(("parameters", "message"), PARAMETERS, ids=lambda value: str(value)[:40])
def test_bad_parameter(parameters, message, X, y):
    with pytest.raises(ValueError, match=message):
        BandedSVC(**parameters).fit(X, y)


@pytest.mark.parametrize("name", ["C1", "C2", "rho1", "rho2", "tol", "gamma", "coef0", "degree"])
@pytest.mark.parametrize("value", NOT_FINITE)
def test_parameter_is_not_finite(name, value, X, y):
    if name == "C1" and value == np.inf:
        pytest.skip("a hard margin")
    with pytest.raises(ValueError, match=f"{name} must be finite.*, got {value}"):
        BandedSVC(**{name: value}).fit(X, y)


@pytest.mark.parametrize("name", ["C1", "C2", "rho1", "rho2", "tol", "coef0", "degree"])
@pytest.mark.parametrize("value", NOT_NUMBERS)
def test_parameter_is_not_a_number(name, value, X, y):
    with pytest.raises(TypeError, match=f"{name} must be a real number, got"):
        BandedSVC(**{name: value}).fit(X, y)


@pytest.mark.parametrize("value", [1.5, "many", None, True])
def test_max_iter_is_not_an_integer(value, X, y):
    with pytest.raises(TypeError, match=f"max_iter must be an integer, got {value!r}"):
        BandedSVC(max_iter=value).fit(X, y)


@pytest.mark.parametrize("value", [np.int64(3), np.int32(1), np.int64(-1)])
def test_numpy_integers_are_integers(value, X, y):
    model = BandedSVC(n_jobs=value, max_iter=abs(value) + 100).fit(X, y)
    assert model.certificate_.is_optimal


def test_number_too_large_for_a_float(X, y):
    with pytest.raises(ValueError, match="C1 must be finite"):
        BandedSVC(C1=10**400).fit(X, y)


@pytest.mark.parametrize("name", ["C1", "C2", "rho1", "rho2"])
def test_mapping_does_not_fit_the_classes(name, X, y):
    with pytest.raises(ValueError, match=rf"{name} .*each class \[0, 1\]; missing: \[1\]"):
        BandedSVC(**{name: {0: 1.2}}).fit(X, y)
    with pytest.raises(ValueError, match=rf"{name} .*each class \[0, 1\].*unknown: \['two'\]"):
        BandedSVC(**{name: {0: 1.2, 1: 1.2, "two": 1.2}}).fit(X, y)


def test_mappings_are_checked_in_linear_time():
    names = [f"c{k}" for k in range(2000)]
    classes = np.array([CountedText(name) for name in names], dtype=object)
    model = BandedSVC(C1={CountedText(name): 1.0 for name in names})
    CountedText.n_comparisons = 0
    assert len(band_parameters(model, classes).C1) == 2000
    model.C1[CountedText("other")] = 1.0
    with pytest.raises(ValueError, match=r"unknown: \['other'\]") as caught:
        band_parameters(model, classes)
    assert CountedText.n_comparisons < 10 * len(names)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("name", ["C1", "C2", "rho1", "rho2"])
@pytest.mark.parametrize(
    ("value", "error", "rule"),
    [(np.nan, ValueError, "finite"), ("big", TypeError, "number"), (-1.0, ValueError, "must")],
)
def test_mapping_holds_a_bad_value(name, value, error, rule, X, y):
    with pytest.raises(error, match=f"{name}.*{rule}.*{value}"):
        BandedSVC(**{name: {0: 1.2, 1: value}}).fit(X, y)


def test_band_of_one_class_is_empty(X, y):
    with pytest.raises(ValueError, match=r"rho2 of class 1 .*rho1=3\.0 and rho2=1\.5"):
        BandedSVC(rho1={0: 1.0, 1: 3.0}, rho2=1.5).fit(X, y)
