"""Displays hold the right data; how they look is for people to judge."""

import sys

import numpy as np
import pytest
from numpydoc.validate import validate
from sklearn.datasets import load_iris
from sklearn.svm import SVC

import bandsvm.plotting
from bandsvm import BandedSVC
from bandsvm.datasets import make_paper_clusters
from bandsvm.metrics import risk_coverage_area, risk_coverage_curve, sensitivity_curve
from bandsvm.plotting import (
    BandPathDisplay,
    DecisionMapDisplay,
    DecisionValuesDisplay,
    DualCoefficientsDisplay,
    PenaltyDisplay,
    RiskCoverageDisplay,
    SensitivityCurveDisplay,
    SupportVectorsDisplay,
)

plt = pytest.importorskip("matplotlib.pyplot")
plt.switch_backend("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def fitted():
    X, y = make_paper_clusters(n_per_cluster=20, random_state=0)
    return BandedSVC(10, 100, rho2=1.5, gamma=1.0).fit(X, y), X, y


def labels_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_penalties_are_those_of_the_objective():
    display = PenaltyDisplay(C1=2.0, C2=0.5, rho1=1.0, rho2=1.5).plot()
    for line, expected in (
        (display.lower_, lambda s: 2.0 * np.maximum(1.0 - s, 0.0)),
        (display.upper_, lambda s: 0.5 * np.maximum(s - 1.5, 0.0)),
        (display.total_, lambda s: 2.0 * max(1.0 - s, 0.0) + 0.5 * max(s - 1.5, 0.0)),
    ):
        signed, penalty = line.get_data()
        np.testing.assert_allclose(penalty, np.vectorize(expected)(signed), atol=1e-12)
    assert {1.0, 1.5} <= set(display.total_.get_xdata())
    assert PenaltyDisplay.from_estimator(BandedSVC(3, 4), ax=display.ax_).C2 == 4
    display = PenaltyDisplay.from_estimator(BandedSVC(2.0, 0.5, rho2=1.5, loss="squared_hinge"))
    signed, penalty = display.total_.get_data()
    expected = 2.0 * np.maximum(1.0 - signed, 0.0) ** 2 + 0.5 * np.maximum(signed - 1.5, 0.0) ** 2
    np.testing.assert_allclose(penalty, expected, atol=1e-12)
    hard = PenaltyDisplay.from_estimator(BandedSVC(C1=np.inf)).lower_.get_data()
    np.testing.assert_array_equal(hard[1], np.where(hard[0] < 1.0, np.inf, 0.0))
    with pytest.raises(ValueError, match="C1 depends on the class"):
        PenaltyDisplay.from_estimator(BandedSVC(C1={0: 1.0, 1: 2.0}))


def test_support_vectors_of_both_kinds_are_marked(fitted):
    model, X, y = fitted
    display = SupportVectorsDisplay.from_estimator(model, X, y, resolution=30)
    marked = {kind: len(marks.get_offsets()) for kind, marks in display.support_.items()}
    assert marked["free alpha"] + marked["bound alpha"] == len(model.alpha_support_)
    assert marked.get("free theta", 0) + marked.get("bound theta", 0) == len(model.theta_support_)
    free = (model.alpha_ > 0) & (model.alpha_ < model.C1 * (1 - 1e-9))
    np.testing.assert_allclose(display.support_["free alpha"].get_offsets(), X[free])
    assert [len(points.get_offsets()) for points in display.points_] == [80, 100]
    assert f"{marked['free alpha']} free $\\alpha$-SVs" in labels_of(display.ax_)


def test_coefficients_are_stems(fitted):
    model, _, _ = fitted
    display = DualCoefficientsDisplay.from_estimator(model)
    tops = np.zeros(len(model.alpha_))
    for stems in (display.alpha_stems_, display.theta_stems_):
        for start, end in stems.get_segments():
            assert start[0] == end[0]
            tops[int(end[0])] = end[1]
    np.testing.assert_allclose(tops, model.alpha_ - model.theta_)


def test_decision_values_of_either_class(fitted):
    model, X, y = fitted
    display = DecisionValuesDisplay.from_estimator(model, X, y)
    values = model.decision_function(X)
    for points, label in zip(display.points_, (-1, 1), strict=True):
        expected = np.column_stack([np.flatnonzero(y == label), values[y == label]])
        np.testing.assert_allclose(points.get_offsets(), expected)
    assert any("band 1 to 1.5" in label for label in labels_of(display.ax_))
    other = DecisionValuesDisplay.from_predictions(y, values, rho1=1.0, rho2=2.0)
    assert other.rho2 == 2.0
    with pytest.raises(ValueError, match="two classes"):
        DecisionValuesDisplay.from_predictions(np.arange(len(y)), values)


def test_map_holds_the_decision_rule(fitted):
    model, X, y = fitted
    display = DecisionMapDisplay.from_estimator(model, X, y, resolution=25, largest=2.0)
    assert list(display.contours_.levels) == [-1.5, -1.0, 0.0, 1.0, 1.5]
    assert display.image_.get_clim() == (-2.0, 2.0)
    point = [[display.xx[3, 4], display.yy[3, 4]]]
    assert display.decision[3, 4] == pytest.approx(model.decision_function(point)[0])
    assert display.xx.min() < X[:, 0].min()
    assert display.xx.max() > X[:, 0].max()


def test_sensitivity_curves_share_an_axis(fitted):
    model, X, y = fitted
    first = SensitivityCurveDisplay.from_estimator(model, X, y, name="B-SVM")
    other = SVC(C=10, gamma=1.0).fit(X, y)
    second = SensitivityCurveDisplay.from_estimator(other, X, y, ax=first.ax_, color="black")
    assert second.ax_ is first.ax_
    percentages, sensitivity = sensitivity_curve(y, model.decision_function(X))
    np.testing.assert_allclose(first.line_.get_xdata(), percentages)
    np.testing.assert_allclose(first.line_.get_ydata(), sensitivity)
    assert second.line_.get_color() == "black"
    assert [label.split(" (")[0] for label in labels_of(first.ax_)] == ["B-SVM", "SVC"]


def test_risk_coverage_of_a_model_and_of_predictions(fitted):
    model, X, y = fitted
    display = RiskCoverageDisplay.from_estimator(model, X, y)
    predictions, score = model.predict(X), np.abs(model.decision_function(X))
    coverage, risk, _ = risk_coverage_curve(y, predictions, score)
    np.testing.assert_allclose(display.line_.get_xdata()[1:], coverage)
    np.testing.assert_allclose(display.line_.get_ydata()[1:], risk)
    # Drawn as steps, the line encloses the area that the legend names.
    x, height = display.line_.get_data()
    area = risk_coverage_area(y, predictions, score)
    assert np.diff(x) @ height[1:] == pytest.approx(area) == pytest.approx(display.area)
    assert display.line_.get_drawstyle() == "steps-pre"
    X3, y3 = load_iris(return_X_y=True)
    second = RiskCoverageDisplay.from_estimator(
        BandedSVC().fit(X3, y3), X3, y3, ax=display.ax_, name="iris", color="black"
    )
    assert second.ax_ is display.ax_
    assert second.line_.get_color() == "black"
    assert [text.split(" (")[0] for text in labels_of(display.ax_)] == ["BandedSVC", "iris"]
    weights = np.arange(len(y))
    weighted = RiskCoverageDisplay.from_predictions(y, predictions, score, sample_weight=weights)
    assert weighted.area == risk_coverage_area(y, predictions, score, sample_weight=weights)
    assert labels_of(weighted.ax_)[0].startswith("model (area")


def test_labels_need_not_be_signs(fitted):
    model, X, y = fitted
    words = np.where(y > 0, "yes", "no")
    named = BandedSVC(10, 100, rho2=1.5, gamma=1.0).fit(X, words)
    expected = SensitivityCurveDisplay.from_estimator(model, X, y).sensitivity
    found = SensitivityCurveDisplay.from_estimator(named, X, words).sensitivity
    np.testing.assert_allclose(found, expected)
    SupportVectorsDisplay.from_estimator(named, X, words, resolution=5)


@pytest.mark.parametrize("display", [SupportVectorsDisplay, DecisionMapDisplay])
def test_more_than_two_features_say_what_to_do(display):
    X, y = load_iris(return_X_y=True)
    model = BandedSVC().fit(X, y == 0)
    with pytest.raises(ValueError, match=r"2 features, got 4; fit a model on two of them"):
        display.from_estimator(model, X, y == 0)


def test_more_than_two_classes_say_what_to_do():
    X, y = load_iris(return_X_y=True)
    model = BandedSVC().fit(X[:, :2], y)
    for display in (SupportVectorsDisplay, DecisionMapDisplay, DecisionValuesDisplay):
        with pytest.raises(ValueError, match="one class against the rest"):
            display.from_estimator(model, X[:, :2], y)


def test_bands_by_class_cannot_be_drawn(fitted):
    _, X, y = fitted
    model = BandedSVC(rho2={-1: 1.5, 1: 2.0}).fit(X, y)
    with pytest.raises(ValueError, match="depends on the class"):
        DecisionMapDisplay.from_estimator(model, X, y)


def test_missing_matplotlib_is_named(fitted, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install 'bandsvm\[plot\]'"):
        PenaltyDisplay.from_estimator(fitted[0])


def draw_all(fitted, ax_of):
    """Return every display, drawn where ``ax_of`` says."""
    model, X, y = fitted
    return [
        SupportVectorsDisplay.from_estimator(model, X, y, resolution=20, ax=ax_of()),
        DecisionMapDisplay.from_estimator(model, X, y, resolution=20, ax=ax_of()),
        DecisionValuesDisplay.from_estimator(model, X, y, ax=ax_of()),
        DualCoefficientsDisplay.from_estimator(model, ax=ax_of()),
        PenaltyDisplay.from_estimator(model, ax=ax_of()),
        SensitivityCurveDisplay.from_estimator(model, X, y, ax=ax_of()),
        RiskCoverageDisplay.from_estimator(model, X, y, ax=ax_of()),
        BandPathDisplay.from_estimator(model, X, y, values=[0.0, 1.0, 100.0], ax=ax_of()),
    ]


@pytest.mark.heavy
@pytest.mark.parametrize("size", [(4.0, 3.0), (6.4, 4.8), (10.0, 4.0)])
def test_legends_lie_outside_the_data_and_inside_the_figure(size, fitted):
    def new_axes():
        return plt.figure(figsize=size, layout="constrained").add_subplot()

    for display in draw_all(fitted, new_axes):
        display.ax_.set_title("A title")
        display.figure_.canvas.draw()
        legend = display.ax_.get_legend().get_window_extent()
        whole = display.figure_.bbox
        assert not legend.overlaps(display.ax_.bbox), display
        for text in (display.ax_.xaxis.label, *display.ax_.get_xticklabels()):
            assert not text.get_text() or not legend.overlaps(text.get_window_extent()), display
        for part in (legend, display.ax_.title.get_window_extent()):
            assert whole.x0 <= part.x0, display
            assert whole.y0 <= part.y0, display
            assert part.x1 <= whole.x1, display
            assert part.y1 <= whole.y1, display


def test_legends_stay_inside_the_axes_of_figures_that_make_no_room(fitted):
    for display in draw_all(fitted, lambda: plt.figure().add_subplot()):
        display.figure_.canvas.draw()
        legend, ax = display.ax_.get_legend().get_window_extent(), display.ax_.bbox
        assert (ax.x0 < legend.x0) & (legend.x1 < ax.x1), display
        assert (ax.y0 < legend.y0) & (legend.y1 < ax.y1), display


def test_classes_differ_in_shape_and_are_seen_on_the_map(fitted):
    model, X, y = fitted
    display = DecisionMapDisplay.from_estimator(model, X, y, resolution=20)
    first, second = (points.get_paths()[0].vertices for points in display.points_)
    assert first.shape != second.shape
    for points in display.points_:
        # Colours of the map within which the points lie, from its palest to its darkest.
        own = points.get_facecolor()[0][:3]
        everywhere = display.image_.get_cmap()(np.linspace(0.0, 1.0, 256))[:, :3]
        assert np.abs(everywhere - own).sum(axis=1).min() > 0.3
        assert points.get_edgecolor()[0][:3].tolist() == [1.0, 1.0, 1.0]


def test_path_has_the_colour_of_each_side():
    values, coefficients = np.array([0.0, 1.0, 2.0]), np.array([[1.0, -1.0, 1.0]] * 3).T
    coefficients[:, 1], coefficients[:, 2] = [1.0, 2.0, 3.0], [-1.0, -2.0, -3.0]
    display = BandPathDisplay(values=values, coefficients=coefficients, vary="C2").plot()
    colours = [line.get_color() for line in display.lines_]
    assert colours == ["#E69F00", "#009E73", "#E69F00", "#009E73"]


def test_decision_values_on_shared_axes_are_all_inside(fitted):
    model, X, y = fitted
    _, axes = plt.subplots(1, 2, sharey=True, layout="constrained")
    values = model.decision_function(X)
    for ax, factor in zip(axes, (5.0, 1.0), strict=True):
        DecisionValuesDisplay.from_predictions(y, factor * values, ax=ax)
    low, high = axes[0].get_ylim()
    assert low < 5.0 * values.min() < 5.0 * values.max() < high


@pytest.mark.parametrize("display", [SupportVectorsDisplay, DecisionMapDisplay])
def test_axes_of_the_plane_have_the_names_of_features(display, fitted):
    pandas = pytest.importorskip("pandas")
    model, X, y = fitted
    ax = display.from_estimator(model, X, y, resolution=5).ax_
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("first feature", "second feature")
    frame = pandas.DataFrame(X, columns=["width", "price in $"])
    named = BandedSVC(10, 100, rho2=1.5, gamma=1.0).fit(frame, y)
    # A model knows the names of its features, a frame those of its columns.
    for estimator, samples in ((named, frame), (named, X), (model, frame)):
        ax = display.from_estimator(estimator, samples, y, resolution=5).ax_
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("width", r"price in \$")
    with pytest.raises(ValueError, match=r"columns that the model was fitted to, \['width'"):
        display.from_estimator(named, frame[["price in $", "width"]], y)
    for estimator, name in ((model, "first feature"), (named, "width")):
        ax = display.from_estimator(estimator, pandas.DataFrame(X), y, resolution=5).ax_
        assert ax.get_xlabel() == name


@pytest.mark.parametrize("display", bandsvm.plotting.__all__)
def test_docstrings_are_complete(display):
    """Displays share entries of docstrings, which must be there as if they were written out."""
    optional = {"ES01", "SA01", "EX01"}
    methods = ("plot", "from_estimator", "from_predictions", "from_path")
    found = [name for name in methods if hasattr(getattr(bandsvm.plotting, display), name)]
    for name in (display, *(f"{display}.{method}" for method in found)):
        checked = validate(f"bandsvm.plotting.{name}")
        assert not [error for error in checked["errors"] if error[0] not in optional], name
        assert "%(" not in checked["docstring"], name
        assert "matplotlib Axes" in checked["docstring"], name
