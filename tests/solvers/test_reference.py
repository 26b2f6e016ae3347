"""The reference solver where other tests cannot see it: values that are no numbers."""

import numpy as np
import pytest

from bandsvm._problem.band_problem import BandProblem
from bandsvm._solvers.reference import line_search


@pytest.mark.timeout(20)
@pytest.mark.parametrize("f", [[np.nan, 0.0], [-np.inf, np.inf], [0.0, np.nan]])
@pytest.mark.parametrize("curvature", [1.0, 0.0, np.nan, np.inf])
@pytest.mark.parametrize("cost", [1.0, np.inf])
def test_a_line_search_ends_whatever_its_numbers_are(f, curvature, cost):
    edges, costs = np.array([1.0, -1.0]), np.full(2, cost)
    problem = BandProblem(edges, edges + 0.5, costs, costs)
    with np.errstate(all="ignore"):
        for directions in ({0: 1.0, 1: -1.0}, {0: 1.0}):
            line_search(problem, np.zeros(2), np.array(f), directions, curvature)
