"""Parameters that a page sends."""

import pytest

from bandsvm.explore.server.data_parameters import model_parameters
from bandsvm.explore.server.fields import Fields


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"C1": "1"}, "C1 must be a number"),
        ({"C1": -1.0}, "C1 must be greater than 0"),
        ({"C1": float("nan")}, "C1 must be a number"),
        ({"C1": 10**400}, "C1 must be a number"),
        ({"rho1": 2.0, "rho2": 1.0}, "rho2 must not be less"),
        ({"kernel": "precomputed"}, "kernel must be one of"),
        ({"kernel": ["rbf"]}, "kernel must be one of"),
        ({"gamma": "wide"}, "gamma must be a number"),
        ({"n_jobs": 64}, "'n_jobs' is not a parameter that the page can set"),
        ({"verbose": True}, "not a parameter"),
        ({"fit_intercept": "no"}, "fit_intercept must be true or false"),
        ({"degree": 2.5, "kernel": "poly"}, "degree"),
    ],
)
def test_parameters_of_a_page_are_checked(sent, words):
    with pytest.raises((ValueError, TypeError), match=words):
        model_parameters(Fields(sent))
