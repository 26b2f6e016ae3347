"""Displays of regressions hold the right data; how they look is for people to judge."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedQuantileSVR, BandedSVR, BandedSVRCV
from bandsvm.plotting import BandPathDisplay, QuantileFanDisplay, ResidualsDisplay, TubeDisplay
from tests.helpers.regression import noisy_curve

plt = pytest.importorskip("matplotlib.pyplot")
plt.switch_backend("Agg")
X, Y = noisy_curve(80, n_features=1)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def labels_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_tube_lies_where_targets_cost_nothing():
    model = BandedSVR(C2=3.0, epsilon=(0.1, 0.3)).fit(X, Y)
    display = TubeDisplay.from_estimator(model, X, Y, resolution=50)
    grid, values = display.line_.get_data()
    np.testing.assert_allclose(values, model.predict(grid[:, None]))
    assert grid[0] < X.min() < X.max() < grid[-1]
    ends = display.tube_.get_paths()[0].vertices
    on_grid = [ends[ends[:, 0] == x, 1] for x in grid]
    np.testing.assert_allclose([own.min() for own in on_grid], values - 0.3)
    np.testing.assert_allclose([own.max() for own in on_grid], values + 0.1)
    # Targets on the edges of the drawn tube are those whose own tube has the prediction as an edge.
    assert (model.band_position(X, model.predict(X) + 0.0999) == "inside").all()
    assert (model.band_position(X, model.predict(X) + 0.1001) == "below").all()
    for kind, support in (("alpha", model.alpha_support_), ("theta", model.theta_support_)):
        drawn = display.support_[kind].get_offsets()
        np.testing.assert_array_equal(drawn, np.column_stack([X[support, 0], Y[support]]))
        assert any(
            label.startswith(f"{len(support)} $\\{kind}$") for label in labels_of(display.ax_)
        )
    n_others = len(Y) - len(model.support_)
    assert len(display.points_.get_offsets()) == n_others
    assert "tube: targets from -0.3 to +0.1" in labels_of(display.ax_)


def test_alpha_support_vectors_lie_above_the_curve():
    model = BandedSVR().fit(X, Y)
    residual = Y - model.predict(X)
    assert (residual[model.alpha_support_] >= 0.1 - 1e-3).all()
    assert (residual[model.theta_support_] <= -0.1 + 1e-3).all()


def test_residuals_are_counted_by_position():
    model = BandedSVR(epsilon=0.2).fit(X, Y)
    display = ResidualsDisplay.from_estimator(model, X, Y)
    positions = model.band_position(X, Y)
    for name, points in display.points_.items():
        drawn = points.get_offsets()
        # On an edge rounding decides, of samples that the fit put there.
        on_edge = np.isclose(np.abs(Y - model.predict(X)), 0.2, atol=1e-3).sum()
        assert abs(len(drawn) - np.sum(positions == name)) <= on_edge
    low, high = display.ax_.get_ylim()
    assert low < -0.2 < 0.2 < high
    shares = [label for label in labels_of(display.ax_) if label.endswith("of predictions")]
    assert len(shares) == 3


def test_residuals_of_pipelines_searches_and_predictions():
    search = BandedSVRCV(C1=1.0, gamma=1.0, epsilon=[0.1, 0.2], refine=0).fit(X, Y)
    pipeline = make_pipeline(StandardScaler(), BandedSVR(epsilon=0.3)).fit(X, Y)
    for estimator, epsilon in ((search, search.best_params_["epsilon"]), (pipeline, 0.3)):
        display = ResidualsDisplay.from_estimator(estimator, X, Y)
        assert display.epsilon == (epsilon, epsilon)
        np.testing.assert_allclose(display.residual, Y - estimator.predict(X))
    assert TubeDisplay.from_estimator(search, X, Y).epsilon[0] == search.best_params_["epsilon"]
    display = ResidualsDisplay.from_predictions([1.0, 2.0, 3.0], [1.0, 1.0, 5.0], epsilon=(1, 0.5))
    counts = {name: len(points.get_offsets()) for name, points in display.points_.items()}
    assert counts == {"below": 0, "inside": 2, "above": 1}


@pytest.mark.parametrize("quantiles", [[0.9, 0.1, 0.5], [0.2, 0.8], [0.3], 0.3])
def test_fan_has_areas_between_pairs_and_the_middle(quantiles):
    model = BandedQuantileSVR(quantiles).fit(X, Y)
    display = QuantileFanDisplay.from_estimator(model, X, Y, resolution=30)
    levels = np.sort(np.atleast_1d(quantiles))
    np.testing.assert_array_equal(display.quantiles, levels)
    assert (np.diff(display.values, axis=1) >= 0.0).all()
    assert len(display.areas_) == len(levels) // 2
    assert (display.line_ is None) == (len(levels) % 2 == 0)
    predicted = np.sort(np.reshape(model.predict(X), (len(Y), -1)), axis=1)
    if len(levels) > 1:
        share = np.mean((predicted[:, 0] <= Y) & (predicted[:, -1] >= Y))
        drawn = display.shares[0]
        assert 0.0 <= drawn - share <= 0.06  # targets on a curve count as inside
        assert f"{levels[0]:g} to {levels[-1]:g}: {drawn:.0%} of samples" in labels_of(display.ax_)
    assert len(display.points_.get_offsets()) == len(Y)


def test_fan_of_predictions_over_anything():
    times = np.array([3.0, 1.0, 2.0])
    values = np.array([[30.0, 3.0], [10.0, 1.0], [20.0, 2.0]])
    display = QuantileFanDisplay.from_predictions(times, values, [0.9, 0.1])
    np.testing.assert_array_equal(display.grid, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(display.values, [[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
    assert display.points_ is None
    assert labels_of(display.ax_) == ["0.1 to 0.9"]
    display = QuantileFanDisplay.from_predictions(times, values, [0.9, 0.1], y_true=[5.0, 0.0, 5.0])
    assert "0.1 to 0.9: 67% of samples" in labels_of(display.ax_)
    with pytest.raises(ValueError, match="one column for each of 3 quantiles, got 2"):
        QuantileFanDisplay.from_predictions(times, values, [0.1, 0.5, 0.9])


def test_what_cannot_be_drawn_is_refused():
    wide, y = noisy_curve(30)
    model = BandedSVR().fit(wide, y)
    with pytest.raises(ValueError, match="TubeDisplay draws samples of 1 feature, got 2"):
        TubeDisplay.from_estimator(model, wide, y)
    intervals = np.column_stack([Y, Y + 1.0])
    fitted = BandedSVR().fit(X, intervals)
    with pytest.raises(ValueError, match="numbers, not intervals"):
        TubeDisplay.from_estimator(fitted, X, intervals)
    with pytest.raises(ValueError, match="numbers, not intervals"):
        ResidualsDisplay.from_estimator(fitted, X, intervals)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        TubeDisplay.from_estimator(fitted, X[:5], Y[:5])


def test_axis_has_the_name_of_the_feature():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["price in $"])
    ax = TubeDisplay.from_estimator(BandedSVR().fit(frame, Y), frame, Y).ax_
    assert (ax.get_xlabel(), ax.get_ylabel()) == (r"price in \$", "target")
    model = BandedQuantileSVR([0.1, 0.9]).fit(X, Y)
    assert QuantileFanDisplay.from_estimator(model, X, Y).ax_.get_xlabel() == "feature"


def test_paths_of_regressions_can_be_drawn():
    display = BandPathDisplay.from_estimator(
        BandedSVR(), X, Y, vary="epsilon", values=[0.5, 0.2, 0.0]
    )
    assert display.ax_.get_xlabel() == "epsilon"
    assert len(display.lines_) > 10
