"""The server behind the view “Your data”: fits, searches, tabs and files to save."""

import io
import re
import shlex

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bandsvm import BandedSVC, load
from bandsvm.cli import main
from tests.helpers.explore_pages import connected, running
from tests.helpers.explore_requests import (
    CHOICES,
    FIT,
    PARAMETERS,
    QUERY,
    ask,
    fitted,
    opened,
    refusal,
    sent,
)
from tests.helpers.iris_files import FILES, NAMES, SPECIES, X, Y


@pytest.fixture(scope="module")
def server(file, gate):
    with running(file=str(file), on_progress=gate) as server:
        yield server


def test_a_fit_is_that_of_the_library(client):
    assert opened(client)["target"] == 4
    values, _, _ = fitted(client)
    overview = values["overview"]
    part = overview["certificate"]
    held_out = ask(client, "data.view", {"view": "samples", "part": "held out", "start": 0,
                                         "count": 100, **QUERY, "sort": 0})[0]  # fmt: skip
    rows = np.array([row[0] - 1 for row in held_out["rows"]])
    train = np.setdiff1d(np.arange(150), rows)
    mean, deviation = X[train].mean(axis=0), X[train].std(axis=0)
    model = BandedSVC(**PARAMETERS).fit((X[train] - mean) / deviation, SPECIES[Y][train])
    assert part["primal"] == pytest.approx(model.certificate_.primal, rel=1e-9)
    scaled = (X[rows] - mean) / deviation
    assert overview["accuracy"] == model.score(scaled, SPECIES[Y][rows])
    assert [row[2] for row in held_out["rows"]] == model.predict(scaled).tolist()


def test_every_tab_answers(client):
    opened(client)
    values, _, reports = fitted(client)
    assert values["parts"] == ["held out", "train", "all"]
    assert values["has_weights"]
    assert values["search"] is None
    # What is reported before the page watches is told at once.
    assert reports[0]["stage"] in ("read", "fit")
    for part in values["parts"]:
        for view, more in {
            "overview": {},
            "distribution": {"class": 1},
            "abstention": {},
            "projection": {"x": 0, "y": 2},
            "samples": {"start": 0, "count": 10, **QUERY},
            "weights": {},
        }.items():
            answer = ask(client, "data.view", {"view": view, "part": part, **more})[0]
            assert answer
    assert "not searched" in refusal(client, "data.view", {"view": "search", "part": "all"})


def test_csv_and_model_are_files(client, tmp_path):
    opened(client)
    fitted(client)
    values, arrays, _ = ask(client, "data.csv", {"part": "all", **QUERY})
    table = pd.read_csv(io.BytesIO(arrays["content"].tobytes()))
    assert values["name"] == "samples.csv"
    assert sorted(table["sample"]) == list(range(1, 151))
    values, arrays, _ = ask(client, "data.model", {})
    path = tmp_path / values["name"]
    path.write_bytes(arrays["content"].tobytes())
    model = load(path)
    predicted = model.predict(table[NAMES])
    assert predicted.tolist() == table["predicted"].tolist()


@pytest.mark.parametrize("is_search", [False, True])
def test_the_report_is_that_of_the_command_line(client, is_search):
    opened(client)
    fitted(client, search=is_search)
    values, arrays, _ = ask(client, "data.report", {})
    assert values["name"] == "report.html"
    page = arrays["content"].tobytes().decode()
    titles = re.findall(r"<h2>(.*?)</h2>", page)
    if is_search:
        first, unseen, last = "Search", "Samples that the search has not seen", "Training samples"
        order = [first, "Held-out samples", unseen, "Model", last]
        assert [title for title in titles if title in order] == order
        assert "Best of" in page
    else:
        assert "36 held-out samples that the model was not fitted to" in page
    assert "Confusion matrix" in page


def test_the_command_fits_the_same_parameters(client, folder):
    opened(client)
    values, _, _ = fitted(client, parameters={**PARAMETERS, "C1": 7.5})
    words = shlex.split(values["command"])
    assert main([*words[1:], "--quiet"]) == 0
    model = load(folder / "model.bsvm")
    assert model[-1].C1 == 7.5
    assert model[-1].kernel == "linear"
    assert len(model[-1].alpha_) == 150


@pytest.mark.heavy
def test_a_search_and_a_path(client):
    opened(client)
    values, _, reports = fitted(client, search=True)
    assert any("surface" in report for report in reports)
    assert values["parts"] == ["held out", "folds", "train", "all"]
    about = ask(client, "data.view", {"view": "search", "part": "all"})[0]
    assert np.mean(about["folds"]) == pytest.approx(values["search"]["score"])
    assert about["candidates"][0]["mean"] == pytest.approx(values["search"]["score"])
    # From the most honest figures to the least.
    assert list(about["parts"]) == ["folds", "held out", "train"]
    surface = about["surface"]
    assert surface["C1"][surface["best"]] == values["parameters"]["C1"]
    assert "--C1" in values["command"]
    path = ask(client, "data.path", {"vary": "C2"})[0]
    assert path["own"] in path["values"]


def test_two_pages_do_not_disturb_each_other(server, client):
    with connected(server) as other:
        opened(client)
        key = sent(server, "two.csv", b"a,b,y\n" + b"1,2,u\n2,1,v\n3,5,u\n4,1,v\n" * 5)
        opened(other, {"upload": key})
        mine = fitted(client)[0]
        theirs = fitted(other)[0]
        assert mine["overview"]["classes"] == SPECIES.tolist()
        assert theirs["overview"]["classes"] == ["u", "v"]
        again = ask(client, "data.view", {"view": "overview", "part": "held out"})[0]
        assert again == mine["overview"]


def test_the_first_line_may_hold_values(client):
    opened(client)
    fitted(client)
    again = opened(client, {"header": False})
    assert [column["name"] for column in again["columns"]][:2] == ["column 1", "column 2"]
    # The file is still the same: what was fitted to it is still there.
    assert ask(client, "data.view", {"view": "overview", "part": "all"})[0]["n_samples"] == 150
    choices = {**CHOICES, "header": False}
    message = refusal(client, "data.fit", {**FIT, "choices": choices})
    assert "--" not in message


def test_another_file_forgets_the_last_result(server, client):
    opened(client)
    fitted(client)
    opened(client, {"upload": sent(server, "plain.csv", FILES["plain.csv"]())})
    view = {"view": "overview", "part": "all"}
    assert "press Fit" in refusal(client, "data.view", view)


def test_a_model_without_an_upper_edge_says_so(client):
    opened(client)
    values, _, _ = fitted(client, parameters={**PARAMETERS, "C2": 0})
    assert values["sentences"][-1].startswith("C2 is 0")


def test_nothing_is_fitted_without_a_file():
    with running() as server, connected(server) as client:
        assert opened(client) is None
        assert "choose one first" in refusal(client, "data.fit", FIT)


@pytest.mark.heavy
@given(
    kind=st.sampled_from(["data.open", "data.fit", "data.view", "data.path", "data.csv"]),
    fields=st.dictionaries(
        st.sampled_from(["part", "view", "vary", "choices", "parameters", "search", "scale",
                         "upload", "header", "class", "x", "y", "start", "count", *QUERY]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text()
            | st.sampled_from(["all", "samples", "projection", "distribution", "C2",
                               "standard", "regress", "errors", "quantiles"]),
            lambda inner: st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from([*PARAMETERS, *CHOICES, "task", "quantile", "epsilon"]),
                inner, max_size=3,
            ),
            max_leaves=4,
        ),
    ),
)  # fmt: skip
def test_whatever_a_page_sends_is_answered_in_words(fuzzed, kind, fields):
    answered, values, _ = fuzzed.ask(kind, fields)
    while answered == "progress":
        answered, _, values, _ = fuzzed.receive()
    if answered == "error":
        assert "defect" not in values["message"]


@pytest.fixture(scope="module")
def fuzzed(server):
    with connected(server) as client:
        opened(client)
        fitted(client)
        yield client


def test_numbers_too_large_for_a_float_are_refused_in_words(client):
    fields = {"view": "distribution", "part": "all", "class": 10**400}
    opened(client)
    fitted(client)
    assert "class must be a number" in refusal(client, "data.view", fields)
