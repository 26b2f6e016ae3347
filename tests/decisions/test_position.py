"""Where samples lie relative to a band."""

import numpy as np
import pytest

from bandsvm._decisions.position import BandPositions, band_positions


@pytest.mark.parametrize(("dtype", "rounding"), [(np.float64, 1e-9), (np.float32, 1e-3)])
def test_samples_on_an_edge_up_to_rounding_are_inside(dtype, rounding):
    edges = np.array([1.0, 1.0, 3.0, 3.0])
    values = edges * (1.0 + rounding * np.array([-2.0, -0.5, 0.5, 2.0]))
    positions = band_positions(values.astype(dtype), 1.0, 3.0)
    assert positions.names.tolist() == ["below", "inside", "inside", "above"]
    assert positions.shares == (0.25, 0.5, 0.25)


def test_tolerance_of_a_fit_widens_the_band():
    values = np.array([0.98, 0.995, 3.005, 3.02])
    positions = band_positions(values, 1.0, 3.0, tol=1e-2)
    assert positions.names.tolist() == ["below", "inside", "inside", "above"]
    slacks = np.maximum(1.0 - values, 0.0), np.maximum(values - 3.0, 0.0)
    of_slacks = BandPositions.from_slacks(*slacks, tol=1e-2)
    np.testing.assert_array_equal(of_slacks.names, positions.names)


def test_a_sample_below_in_one_pair_and_above_in_another_is_below():
    values = np.array([[0.5, 4.0], [2.0, 4.0], [2.0, 3.0]])
    bands = np.ones(3), np.full(3, 3.0)
    assert band_positions(values, *bands).names.tolist() == ["below", "above", "inside"]
