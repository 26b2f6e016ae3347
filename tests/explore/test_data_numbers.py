"""The server behind the view “Your data” where targets are numbers: fits, tabs, files to save."""

import io
import shlex

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import mean_absolute_error, mean_pinball_loss, r2_score
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedQuantileSVR, BandedSVR, load
from bandsvm._workflow.numbers import spread_of_targets
from bandsvm.cli import main
from bandsvm.explore.server.data_parameters import model_parameters
from bandsvm.explore.server.fields import Fields
from tests.helpers.explore_pages import running
from tests.helpers.explore_requests import (
    CHOICES,
    FIT,
    QUERY,
    ask,
    fitted,
    opened,
    refusal,
    sent,
)
from tests.helpers.regression_files import X, Y, houses, numbers

PRICES = 200.0 + 50.0 * Y
NUMBERS = {"choices": {**CHOICES, "task": "regress"}, "parameters": {}}
QUANTILES = {**NUMBERS, "parameters": {"quantile": [0.9, 0.1, 0.5], "kernel": "linear"}}
FIRST = {"start": 0, "count": 200, **QUERY}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("numbers") / "prices.csv"
    path.write_bytes(numbers())
    return path


@pytest.fixture(scope="module")
def server(file, gate):
    with running(file=str(file), on_progress=gate) as server:
        yield server


@pytest.fixture
def open_client(client):
    opened(client)
    return client


def shown(client, view, part="held out", **fields):
    """Return what a tab shows."""
    return ask(client, "data.view", {"view": view, "part": part, **fields})[0]


def split_of(table):
    """Return samples, scaled by the training samples, and which rows were held out."""
    rows = np.sort([row[0] - 1 for row in table["rows"]])
    train = np.setdiff1d(np.arange(len(Y)), rows)
    return StandardScaler().fit(X[train]).transform(X), train, rows


def test_a_fit_is_that_of_the_library(open_client):
    answer = fitted(open_client, **NUMBERS)[0]
    overview, parameters = answer["overview"], answer["parameters"]
    assert answer["task"] == overview["task"] == "regress"
    assert overview["goal"] == "tube"
    table = shown(open_client, "samples", **FIRST)
    samples, train, rows = split_of(table)
    # Costs and tube follow the spread of the targets that the model was fitted to.
    spread = float(f"{spread_of_targets(PRICES[train]):.3g}")
    assert parameters == {"C1": spread, "C2": spread, "epsilon": pytest.approx(0.1 * spread)}
    assert "have a spread of" in answer["sentences"][0]
    model = BandedSVR(**parameters).fit(samples[train], PRICES[train])
    assert overview["certificate"]["primal"] == pytest.approx(model.certificate_.primal, rel=1e-9)
    predicted = model.predict(samples[rows])
    assert overview["scores"]["r2"] == pytest.approx(r2_score(PRICES[rows], predicted))
    assert overview["scores"]["mae"] == pytest.approx(mean_absolute_error(PRICES[rows], predicted))
    place = model.band_position(samples[rows], PRICES[rows])
    for word in ("below", "inside", "above"):
        assert overview["positions"][word] == np.sum(place == word)
        of_word = shown(open_client, "samples", **{**FIRST, "place": word})
        assert of_word["n_found"] == np.sum(place == word)
    # The worst come first.
    names = [column["name"] for column in table["columns"]]
    assert names == ["sample", "target", "prediction", "residual", "place", "a", "b"]
    residuals = np.array([row[3] for row in table["rows"]])
    assert (np.diff(np.abs(residuals)) <= 0).all()
    first = table["rows"][0]
    assert first[3] == pytest.approx(first[1] - first[2])


def test_quantiles_are_those_of_the_library(open_client):
    answer = fitted(open_client, **QUANTILES)[0]
    assert answer["has_weights"]
    overview = answer["overview"]
    table = shown(open_client, "samples", **FIRST)
    samples, train, rows = split_of(table)
    model = BandedQuantileSVR((0.9, 0.1, 0.5), C=answer["parameters"]["C"], kernel="linear")
    predicted = model.fit(samples[train], PRICES[train]).predict(samples[rows])
    scores = shown(open_client, "quantiles")["scores"]
    assert scores == overview["scores"]["quantiles"]
    for score, column in zip(scores, predicted.T, strict=True):
        loss = mean_pinball_loss(PRICES[rows], column, alpha=score["quantile"])
        assert score["pinball"] == pytest.approx(loss)
    low, high = predicted.min(axis=1), predicted.max(axis=1)
    assert overview["positions"]["below"] == np.sum(high < PRICES[rows])
    assert overview["positions"]["above"] == np.sum(low > PRICES[rows])
    weights = shown(open_client, "weights")
    assert weights["problems"] == ["quantile 0.9", "quantile 0.1", "quantile 0.5"]
    assert weights["meanings"][0] == "Positive weights raise the quantile 0.9."


@pytest.mark.parametrize("settings", [NUMBERS, QUANTILES], ids=["tube", "quantiles"])
def test_every_tab_answers_and_no_other(open_client, settings):
    answer = fitted(open_client, **settings)[0]
    for part in answer["parts"]:
        n_samples = shown(open_client, "overview", part)["n_samples"]
        about = shown(open_client, "errors", part)
        assert len(about["target"]) == sum(about["counts"]) == n_samples
        points = shown(open_client, "projection", part, x=0, y=4)
        assert points["axes"][3:5] == ["target", "residual"]
        np.testing.assert_allclose(points["ys"], points["residual"])
        np.testing.assert_allclose(
            points["residual"], np.subtract(points["target"], points["prediction"])
        )
    for view in ("distribution", "abstention"):
        words = refusal(open_client, "data.view", {"view": view, "part": "all", "class": 0})
        assert "view must be one of" in words
    assert "vary must be one of" in refusal(open_client, "data.path", {"vary": "C2"})


@pytest.mark.heavy
def test_a_search_finds_a_tube(open_client):
    answer, _, reports = fitted(open_client, **NUMBERS, search=True)
    assert any("surface" in report for report in reports)
    assert "mean R2 of" in answer["sentences"][0]
    assert answer["parts"] == ["held out", "folds", "train", "all"]
    about = shown(open_client, "search")
    assert np.mean(about["folds"]) == pytest.approx(answer["search"]["score"])
    surface, parameters = about["surface"], answer["parameters"]
    assert surface["task"] == "regress"
    for name in ("C1", "C2", "epsilon", "gamma"):
        assert surface[name][surface["best"]] == parameters[name]
    # The scores of folds are those of models that have not seen them.
    table = shown(open_client, "samples", "folds", **FIRST)
    target, predicted = (np.array([row[k] for row in table["rows"]]) for k in (1, 2))
    assert about["parts"]["folds"]["r2"] == pytest.approx(r2_score(target, predicted))
    page = ask(open_client, "data.report", {})[1]["content"].tobytes().decode()
    assert "Samples that the search has not seen" in page
    words = refusal(open_client, "data.fit", {**FIT, **QUANTILES, "search": True})
    assert words.startswith("Search chooses tubes, not quantiles")


@pytest.mark.heavy
@pytest.mark.parametrize("vary", ["epsilon", "cost"])
def test_paths_are_refits(open_client, vary):
    answer = fitted(open_client, **NUMBERS)[0]
    parameters = answer["parameters"]
    samples, train, rows = split_of(shown(open_client, "samples", **FIRST))
    about = ask(open_client, "data.path", {"vary": vary})[0]
    assert about["own"] in about["values"]
    for k in (0, len(about["values"]) // 2, -1):
        value, changed = about["values"][k], dict(parameters)
        changed |= (
            {"epsilon": value}
            if vary == "epsilon"
            else {name: value * parameters[name] for name in ("C1", "C2")}
        )
        model = BandedSVR(**changed).fit(samples[train], PRICES[train])
        assert about["primal"][k] == pytest.approx(model.certificate_.primal, rel=1e-6)
        r2 = model.score(samples[rows], PRICES[rows])
        assert about["r2"][k] == pytest.approx(r2, abs=1e-5)
        place = model.band_position(samples[rows], PRICES[rows])
        assert about["below"][k] == pytest.approx(np.mean(place == "below"), abs=0.05)
    fitted(open_client, **QUANTILES)
    words = refusal(open_client, "data.path", {"vary": vary})
    assert "choose one number instead of quantiles" in words


def test_tubes_have_no_scores_of_quantiles(open_client):
    fitted(open_client, **NUMBERS)
    words = refusal(open_client, "data.view", {"view": "quantiles", "part": "all"})
    assert words.startswith("Scores of quantiles need")


def test_numbers_that_may_be_either_are_asked_about(open_client):
    words = refusal(open_client, "data.fit", {**FIT, "parameters": {}})
    assert "“Numbers”" in words
    assert "“Classes”" in words
    assert "--" not in words
    # Whoever says so gets classes.
    choices = {**CHOICES, "task": "classify"}
    words = refusal(open_client, "data.fit", {**FIT, "choices": choices, "parameters": {}})
    assert "every sample has a label of its own" in words


def test_text_is_no_target(server, client):
    opened(client, {"upload": sent(server, "houses.csv", houses())})
    choices = {**NUMBERS["choices"], "target": 2}
    words = refusal(client, "data.fit", {**FIT, **NUMBERS, "choices": choices})
    assert "regression needs numbers" in words
    assert "“Classes”" in words


def test_files_to_save(open_client, tmp_path, folder, file):
    answer = fitted(open_client, **QUANTILES)[0]
    table = ask(open_client, "data.csv", {"part": "all", **QUERY, "sort": 0})[1]["content"]
    table = pd.read_csv(io.BytesIO(table.tobytes()))
    content = ask(open_client, "data.model", {})[1]["content"].tobytes()
    (tmp_path / "model.bsvm").write_bytes(content)
    model = load(tmp_path / "model.bsvm")
    predicted = model.predict(pd.DataFrame(X, columns=["a", "b"]))
    columns = table[["quantile 0.9", "quantile 0.1", "quantile 0.5"]].to_numpy()
    np.testing.assert_allclose(predicted, columns, rtol=1e-12)
    page = ask(open_client, "data.report", {})[1]["content"].tobytes().decode()
    assert "held-out samples that the model was not fitted to" in page
    assert "pinball loss" in page
    # The command fits the same parameters to all samples.
    words = shlex.split(answer["command"])
    assert words[2] == str(file)
    assert "--regress" in words
    assert main([*words[1:], "--quiet"]) == 0
    again = load(folder / "model.bsvm")[-1]
    assert answer["parameters"]["C"] == again.C
    assert again.quantile == (0.9, 0.1, 0.5)


@pytest.mark.parametrize("settings", [NUMBERS, QUANTILES], ids=["tube", "quantiles"])
def test_python_code_gives_the_same_model(open_client, settings, capsys):
    overview = fitted(open_client, **settings)[0]["overview"]
    code = ask(open_client, "data.code", {})[0]["code"]
    assert "bandsvm._" not in code
    names = {}
    exec(code, names)
    certificate = names["model"][-1].certificate_
    assert certificate.primal == pytest.approx(overview["certificate"]["primal"], rel=1e-9)
    printed = capsys.readouterr().out
    scores = overview["scores"]
    if settings is NUMBERS:
        assert printed.startswith("R^2 on held-out samples:")
        score = scores["r2"]
    else:
        score = np.mean([each["d2"] for each in scores["quantiles"]])
    assert float(printed.split(":")[1].split()[0]) == pytest.approx(score)


def test_a_stopped_fit_keeps_the_best_so_far(server, client, held):
    opened(client)
    held.shut()
    number = client.send("data.fit", {**FIT, **QUANTILES}, "work")
    held.wait()
    client.send("data.stop", {}, "stop")
    answers = {}
    while number not in answers:
        kind, own, values, _ = client.receive()
        if kind == "data.stop":
            held.open()
        elif kind != "progress":
            answers[own] = kind, values
    kind, values = answers[number]
    assert kind == "data.fit"
    assert values["sentences"][0].startswith("Stopped: this is the best model so far")
    assert not values["overview"]["certificate"]["is_optimal"]


def test_costs_of_0_say_so(open_client):
    parameters = {"C1": 0, "C2": 1, "epsilon": 0.5}
    answer = fitted(open_client, **{**NUMBERS, "parameters": parameters})[0]
    assert answer["parameters"] == parameters
    assert answer["sentences"][-1] == "C1 is 0: predictions that are too low cost nothing."


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"C1": -1.0}, "C1 must be at least 0"),
        ({"epsilon": [1, 2]}, "epsilon must be a number"),
        ({"epsilon": -1.0}, "epsilon must be at least 0"),
        ({"rho1": 1.0}, "'rho1' is not a parameter that the page can set"),
        ({"class_weight": "balanced"}, "not a parameter"),
        ({"loss": "hinge"}, "loss must be"),
        ({"quantile": [0.5], "epsilon": 1.0}, "'epsilon' is not a parameter"),
        ({"quantile": 0.5}, "quantile must be a list"),
        ({"quantile": []}, "quantile must hold at least one number"),
        ({"quantile": [0.5, 1.5]}, "quantile must lie between 0 and 1"),
        ({"quantile": ["a"]}, "quantile must be a number"),
        ({"quantile": [0.5], "C": 0}, "C must be greater than 0"),
    ],
)
def test_parameters_of_a_page_are_checked(parameters, words):
    with pytest.raises((ValueError, TypeError), match=words):
        model_parameters(Fields(parameters), "regress")


def test_models_in_files(server, client, tmp_path):
    (tmp_path / "numbers.csv").write_bytes(numbers())
    for name, options in (("tube", []), ("quantiles", ["--quantile", "0.1,0.9"])):
        path = tmp_path / f"{name}.bsvm"
        words = ["fit", str(tmp_path / "numbers.csv"), "--regress", "--model", str(path), "--quiet"]
        assert main([*words, *options]) == 0
        key = sent(server, path.name, path.read_bytes())
        card = ask(client, "model.open", {"upload": key})[0]["model"]
        model = load(path)
        assert card["task"] == "regress"
        assert card["quantiles"] == ([0.1, 0.9] if options else [])
        assert (card["tube"] is None) == bool(options)
        assert bool(card["histogram"]) != bool(options)
        assert card["support"]["total"] == len(model[-1].support_)
        key = sent(server, "new.csv", numbers())
        answer = ask(client, "model.data", {"upload": key})[0]
        assert answer["overview"]["has_targets"]
        part = {"view": "errors", "part": "all"}
        low = model.predict(pd.DataFrame(X, columns=["a", "b"])).reshape(len(X), -1).min(axis=1)
        np.testing.assert_allclose(ask(client, "model.view", part)[0]["low"], low)
        key = sent(server, "bare.csv", numbers(has_targets=False))
        answer = ask(client, "model.data", {"upload": key})[0]
        assert not answer["overview"]["has_targets"]
        assert answer["overview"]["scores"] is answer["overview"]["positions"] is None
        about = ask(client, "model.view", part)[0]
        assert about["target"] is about["position"] is None
        assert sum(about["counts"]) == len(X)
        table = ask(client, "model.view", {**FIRST, "view": "samples", "place": "below"})[0]
        assert "place" not in [column["name"] for column in table["columns"]]
        assert [row[0] for row in table["rows"]] == list(range(1, len(X) + 1))
