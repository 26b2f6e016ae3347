"""Errors as data: each surface names parameters in its own way."""

import pickle

import pytest

from bandsvm._system.advice import AdvisedError, ParameterError, ParameterTypeError, literal


def test_error_says_parameter_rule_value_and_cure():
    error = ParameterError("C2", "must be at least 0", -1.0, "{C2}=0 gives the C-SVM")
    assert str(error) == "C2 must be at least 0, got -1.0; C2=0 gives the C-SVM."
    assert (error.parameter, error.value) == ("C2", -1.0)


def test_surface_names_all_parameters():
    error = ParameterError("rho2", "must not be less than {rho1}", 0.5, of=" of class 'a'")
    assert error.render(lambda name: f"--{name}") == (
        "--rho2 of class 'a' must not be less than --rho1, got 0.5."
    )


def test_braces_of_users_are_text():
    error = ParameterError("kernel", literal("must not be {x}"), "{y}")
    assert str(error) == "kernel must not be {x}, got '{y}'."


@pytest.mark.parametrize(
    ("kind", "builtin"), [(ParameterError, ValueError), (ParameterTypeError, TypeError)]
)
def test_errors_are_built_in_ones_and_can_be_pickled(kind, builtin):
    error = kind("tol", "must be a real number", "x", "such as {tol}=1e-3")
    assert isinstance(error, AdvisedError)
    assert isinstance(error, builtin)
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy)) == (kind, str(error))
