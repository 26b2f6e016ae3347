"""The compiled steps, for all bands, boxes and curvatures."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bandsvm import _core

numbers = st.floats(-5, 5)
costs = st.one_of(st.just(0.0), st.floats(1e-3, 10))
ridge_strategy = st.one_of(st.just(0.0), st.floats(1e-2, 10))


@st.composite
def variables(draw):
    """Draw a band and a value of its variable: anywhere, at the kink or at a bound."""
    lo = draw(numbers)
    hi = lo + draw(st.one_of(st.just(0.0), st.floats(0, 5)))
    below, above = draw(costs), draw(costs)
    share = draw(st.one_of(st.sampled_from([-1.0, 0.0, 1.0]), st.floats(-1, 1)))
    band = (lo, hi, below, above, draw(ridge_strategy), draw(ridge_strategy))
    return band, (below if share > 0 else above) * share


def h(band, c):
    """Return the sample's part of the dual."""
    return band[0] * c - band[4] * c * c / 2 if c >= 0 else band[1] * c - band[5] * c * c / 2


def slopes(band, c):
    """Return the right and the left slope of h."""
    above_zero, below_zero = band[0] - band[4] * c, band[1] - band[5] * c
    return (above_zero if c >= 0 else below_zero), (above_zero if c > 0 else below_zero)


curvatures = st.one_of(st.just(0.0), st.floats(-2, -1e-3), st.floats(1e-3, 5))


@given(variables(), variables(), numbers, curvatures)
def test_pair_step(first, second, difference, curvature):
    (band_i, c_i), (band_j, c_j) = first, second
    new_i, new_j = _core.pair_step(
        _core.Band(*band_i), c_i, _core.Band(*band_j), c_j, difference, curvature
    )
    # It stays in the box and keeps the sum.
    assert -band_i[3] <= new_i <= band_i[2]
    assert -band_j[3] <= new_j <= band_j[2]
    assert new_i + new_j == pytest.approx(c_i + c_j, abs=1e-12)
    t = new_i - c_i
    assert t >= 0

    def value(t):
        return h(band_i, c_i + t) + h(band_j, c_j - t) - difference * t - curvature * t * t / 2

    # It never lowers the dual, and where the dual is concave no other step does better.
    assert value(t) >= value(0.0) - 1e-9
    if curvature >= 0:
        room = min(band_i[2] - c_i, c_j + band_j[3])
        others = np.linspace(0.0, room, 200)
        assert value(t) >= max(value(other) for other in others) - 1e-9
    if t == 0:
        return
    # Where it ends, the dual rises no further, or a bound was met exactly.
    right, _ = slopes(band_i, new_i)
    _, left = slopes(band_j, new_j)
    gain = right - left - difference - curvature * t
    assert gain <= 1e-9 or new_i == band_i[2] or new_j == -band_j[3]


@given(variables(), numbers, curvatures)
def test_single_step(variable, f, curvature):
    band, c = variable
    new = _core.single_step(_core.Band(*band), c, f, curvature)
    assert -band[3] <= new <= band[2]

    def value(x):
        return h(band, x) - f * (x - c) - curvature * (x - c) ** 2 / 2

    assert value(new) >= value(c) - 1e-9
    if curvature >= 0:
        others = np.linspace(-band[3], band[2], 200)
        assert value(new) >= max(value(other) for other in others) - 1e-9


def test_one_step_crosses_from_theta_to_alpha():
    band = _core.Band(1.0, 1.5, 10.0, 10.0, 0.0, 0.0)
    other = _core.Band(-1.5, -1.0, 10.0, 10.0, 0.0, 0.0)
    new_i, new_j = _core.pair_step(band, -2.0, other, 2.0, -10.0, 1.0)
    assert new_i > 0 > new_j
    assert new_i + new_j == 0.0


def test_lands_on_kink_and_bounds_exactly():
    tenths = _core.Band(1.0, 1.1, 0.3, 0.3, 0.0, 0.0)
    # The gain of a rise is 0.05 up to the kink and -0.05 beyond it.
    assert _core.single_step(tenths, -0.1, 1.05, 0.0) == 0.0
    _, new_j = _core.pair_step(tenths, 0.1, tenths, -0.2, -10.0, 0.0)
    assert new_j == -0.3
    assert _core.single_step(tenths, 0.1, -10.0, 0.0) == 0.3


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("has_intercept", [True, False])
@pytest.mark.parametrize("ridge", [(0.0, 0.0), (0.3, 2.0)])
def test_block_ends_within_tol_or_budget(rng, dtype, has_intercept, ridge):
    n = 50
    X = rng.normal(size=(n, 2))
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(-1)).astype(dtype)
    positive = rng.random(n) > 0.5
    lo, hi = np.where(positive, 1.0, -1.5), np.where(positive, 1.5, -1.0)
    bound = np.full(n, 2.0)
    ridges = [np.where(positive, *side) for side in (ridge, ridge[::-1])]

    def run(max_steps):
        c, f = np.zeros(n), np.zeros(n)
        report = _core.solve_block(
            K, _core.Bands(lo, hi, bound, bound, *ridges), c, f, 1e-5, max_steps, has_intercept
        )
        f = K.astype(float) @ c + np.where(c > 0, *ridges) * c
        rise = np.where(c < bound, np.where(c >= 0, lo, hi) - f, -np.inf).max()
        fall = np.where(c > -bound, np.where(c > 0, lo, hi) - f, np.inf).min()
        violation = rise - fall if has_intercept else max(rise, -fall)
        assert violation == pytest.approx(report[1], abs=1e-5 if dtype == np.float32 else 1e-12)
        return report

    n_steps, violation, stalled = run(10_000)
    assert 0 < n_steps < 10_000
    assert violation <= 1e-5
    assert not stalled
    assert run(7)[0] == 7
