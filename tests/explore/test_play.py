"""The server behind the Play view: fits, maps, samples and code."""

import json

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from bandsvm import BandedSVC
from bandsvm.cli import main
from bandsvm.explore.server.fields import Fields
from bandsvm.explore.server.play import PLANE_KERNELS, roles, words
from bandsvm.explore.server.play_data import SOURCES, Recipe, decode_points
from bandsvm.metrics import band_coverage, sensitivity_curve
from tests.helpers.explore_pages import CLUSTERS, FIT, MODEL

DRAWN = {"source": "drawn", "points": "AWQAyAAAnP84_w"}  # +1 at (0.1, 0.2), -1 at (-0.1, -0.2)


@pytest.mark.parametrize("kernel", PLANE_KERNELS)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # sigmoid
def test_fit_is_that_of_the_library(client, kernel, loss):
    model = {**MODEL, "kernel": kernel, "loss": loss, "gamma": 0.5, "degree": 2, "coef0": 1.0}
    kind, values, arrays = client.ask("play.fit", {**FIT, "model": model, "compare": True})
    assert kind == "play.fit"
    X, y = arrays["X"], arrays["y"]
    settings = {"loss": loss, "kernel": kernel, "gamma": 0.5, "degree": 2, "coef0": 1.0}
    for index, C2 in enumerate((0.0, 10.0)):
        expected = BandedSVC(10.0, C2, rho2=1.5, **settings).fit(X, y)
        found = values["models"][index]
        assert found["objective"] == pytest.approx(expected.certificate_.primal, rel=1e-9)
        np.testing.assert_allclose(
            arrays[f"decision{index}"], expected.decision_function(X), atol=1e-9
        )
        assert found["accuracy"] == expected.score(X, y)
        coverage = band_coverage(y, expected.decision_function(X), rho2=1.5)
        assert found["coverage"] == pytest.approx(coverage._asdict(), abs=1e-12)
        shares = np.bincount(arrays[f"position{index}"], minlength=3) / len(y)
        np.testing.assert_allclose(shares, coverage, atol=1e-12)
        np.testing.assert_allclose(
            arrays[f"reached{index}"], sensitivity_curve(y, expected.decision_function(X))[1]
        )


def test_map_shows_decision_values(client):
    _, values, arrays = client.ask("play.fit", FIT)
    left, right, bottom, top = values["view"]
    X, y = arrays["X"], arrays["y"]
    assert left < X[:, 0].min() < X[:, 0].max() < right
    assert bottom < X[:, 1].min() < X[:, 1].max() < top
    assert (right - left) / (top - bottom) == pytest.approx(8 / 6)
    model = BandedSVC(10, 10, rho2=1.5, gamma=2.0).fit(X, y)
    corners = model.decision_function([[left, top], [right, top], [left, bottom], [right, bottom]])
    image = arrays["map0"].reshape(6, 8)
    np.testing.assert_allclose(image[[0, 0, -1, -1], [0, -1, 0, -1]], corners, atol=1e-3)


def test_view_can_be_chosen(client):
    view = {"left": -1, "right": 3, "bottom": 0, "top": 1}
    _, values, _ = client.ask("play.fit", {**FIT, "view": view})
    assert values["view"] == [-1, 3, 0, 1]
    kind, values, _ = client.ask("play.fit", {**FIT, "view": {**view, "left": 4}})
    assert kind == "error"
    assert "left to right" in values["message"]


def test_a_fit_that_is_not_optimal_says_what_helps_on_the_page():
    X, y = Recipe("clusters", 2000, 0.4, 0).samples()
    model = BandedSVC(1e7, 1e7, gamma=20.0, max_iter=1)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model.fit(X, y)
    verdict, cost = words(model.certificate_)
    assert verdict.startswith("Not optimal: the fit stopped at max_iter=1 with KKT violation")
    # What the page has no control for is not advised.
    assert "warm_start" not in verdict
    assert "raise" not in verdict
    assert cost.startswith("The fit took")
    assert words(BandedSVC(gamma=2.0).fit(X[::20], y[::20]).certificate_)[0].startswith("Optimal: ")


def test_roles_tell_edges_and_bounds():
    X, y = Recipe.of(Fields(CLUSTERS)).samples()
    model = BandedSVC(10, 1, rho2=1.5, gamma=2.0).fit(X, y)
    role = roles(model)
    z = y * model.decision_function(X)
    np.testing.assert_allclose(z[role == 1], 1.0, atol=1e-6)
    assert (z[role == 2] <= 1.0 + 1e-6).all()
    np.testing.assert_allclose(z[role == 3], 1.5, atol=1e-6)
    assert (z[role == 4] >= 1.5 - 1e-6).all()
    assert (np.bincount(role, minlength=5) > 0).all()
    squared = BandedSVC(10, 1, rho2=1.5, gamma=2.0, loss="squared_hinge").fit(X, y)
    assert set(roles(squared)) == {0, 1, 3}


RECIPES = [
    *(Recipe(source, 60, 0.25, 3) for source in SOURCES),
    Recipe("drawn", points=DRAWN["points"]),
]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.source)
def test_code_makes_the_samples(recipe):
    imports, lines = recipe.python()
    names = {}
    exec("\n".join([*imports, lines]), names)
    X, y = recipe.samples()
    np.testing.assert_array_equal(names["X"], X)
    np.testing.assert_array_equal(names["y"], y)
    assert set(y) == {-1, 1}


CODED = [
    {},
    {"kernel": "linear", "fit_intercept": False, "C2": 0},
    {"kernel": "poly", "degree": 2, "coef0": 0.5, "gamma": None, "loss": "squared_hinge"},
]


@pytest.mark.parametrize("changes", CODED)
def test_python_code_gives_the_objective(client, capsys, changes):
    request = {**FIT, "model": {**MODEL, **changes}}
    _, fitted, _ = client.ask("play.fit", request)
    _, values, _ = client.ask("play.code", request)
    exec(compile(values["python"], "copied", "exec"), {})
    objective = float(capsys.readouterr().out.split("objective ")[-1].split(",")[0])
    assert objective == pytest.approx(fitted["models"][0]["objective"], rel=1e-9)


@pytest.mark.parametrize("changes", CODED)
def test_command_gives_the_objective(client, folder, changes, capsys):
    request = {**FIT, "model": {**MODEL, **changes}}
    _, fitted, _ = client.ask("play.fit", request)
    _, values, _ = client.ask("play.code", request)
    program, command = values["command"].split("END\nbandsvm ")
    exec(compile(program.removeprefix("python - <<'END'\n"), "copied", "exec"), {})
    arguments = command.replace("\\\n", " ").split()
    assert main([*arguments, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["primal"] == pytest.approx(fitted["models"][0]["objective"], rel=1e-9)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"data": None}, "must be an object"),
        ({"data": {**CLUSTERS, "n": 1e9}}, "n must be a number from 2 to 2000"),
        ({"data": {**CLUSTERS, "n": 20.5}}, "n must be a whole number"),
        ({"data": {**CLUSTERS, "source": "../x"}}, "source must be one of clusters, moons"),
        ({"data": {"source": "drawn", "points": "???"}}, "points in the address are damaged"),
        ({"data": {"source": "drawn", "points": "AAAA"}}, "points in the address are damaged"),
        ({"data": {"source": "drawn", "points": "A" * 99999}}, "at most"),
        ({"data": {"source": "drawn", "points": ""}}, "0 sample"),
        ({"data": {"source": "drawn", "points": "AWQAyAA"}}, "class"),
        ({"model": {**MODEL, "C1": "1"}}, "C1 must be a number"),
        ({"model": {**MODEL, "C1": True}}, "C1 must be a number"),
        ({"model": {**MODEL, "C1": 0}}, "C1 must be"),
        ({"model": {**MODEL, "rho2": 0.5}}, "\N{GREEK SMALL LETTER RHO}2 must"),
        ({"model": {**MODEL, "kernel": "chi2"}}, "kernel must be one of rbf"),
        ({"columns": 100000}, "columns must be a number from 2 to 400"),
        ({"compare": 1}, "compare must be true or false"),
    ],
)
def test_bad_requests_are_refused_in_a_sentence(client, changes, message):
    kind, values, _ = client.ask("play.fit", {**FIT, **changes})
    assert kind == "error"
    assert message in values["message"]
    assert client.ask("play.fit", FIT)[0] == "play.fit"


def test_drawn_points_are_read_as_the_page_writes_them():
    X, y = decode_points(DRAWN["points"])
    np.testing.assert_allclose(X, [[0.1, 0.2], [-0.1, -0.2]])
    np.testing.assert_array_equal(y, [1, -1])
