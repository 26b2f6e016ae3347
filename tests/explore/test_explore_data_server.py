"""The server behind the views of data files and models: uploads, fits, tabs, stopping."""

import contextlib
import http.client
import io
import json
import re
import threading

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bandsvm import BandedSVC, load
from bandsvm._workflow import source as sources
from bandsvm._workflow import work
from bandsvm.cli import main
from bandsvm.explore.server.uploads import MAX_WAITING, Upload, Uploads
from tests.helpers.explore_pages import connected, running
from tests.helpers.iris_files import FILES, NAMES, SPECIES, X, Y

PARAMETERS = {"C1": 1, "C2": 1, "rho1": 1, "rho2": 1.5, "kernel": "linear"}
CHOICES = {"target": None, "dropped": [], "categorical": [], "header": None}
FIT = {"search": False, "scale": "standard", "choices": CHOICES, "parameters": PARAMETERS}
QUERY = {"place": "", "text": "", "wrong": False, "sort": None, "descending": False}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "iris.csv"
    path.write_bytes(FILES["iris.csv"]())
    return path


@pytest.fixture(scope="module")
def server(file):
    with running(shared={"file": str(file)}) as server:
        yield server


@pytest.fixture
def client(server):
    with connected(server) as client:
        yield client


def sent(server, name, content):
    """Return the key of a file that was uploaded as the page does it."""
    cookie = _cookie(server)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request("POST", "/upload", content, {"X-File-Name": name, "Cookie": cookie})
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer["upload"]


def _cookie(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request("GET", f"/?token={server.token}")
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.getheader("Set-Cookie").split(";")[0]


def ask(client, kind, fields):
    """Return the answer to a request, and what was reported before it."""
    number, reports = client.send(kind, fields), []
    while True:
        answered, own, values, arrays = client.receive()
        assert own == number
        if answered == "progress":
            reports.append(values)
            continue
        assert answered == kind, values
        return values, arrays, reports


def refusal(client, kind, fields):
    answered, values, _ = client.ask(kind, fields)
    while answered == "progress":
        answered, _, values, _ = client.receive()
    assert answered == "error", values
    return values["message"]


def opened(client, fields=None):
    return ask(client, "data.open", fields or {})[0]["file"]


def fitted(client, **changes):
    return ask(client, "data.fit", {**FIT, **changes})


# Uploads


def test_uploads_need_the_token_and_the_own_page(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request("POST", "/upload", b"a,b\n", {"X-File-Name": "a.csv"})
    assert connection.getresponse().status == 403
    connection.close()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    headers = {"Cookie": _cookie(server), "Origin": "http://elsewhere.example"}
    connection.request("POST", "/upload", b"a,b\n", headers)
    assert connection.getresponse().status == 403
    connection.close()


def test_an_uploaded_file_is_opened_once(server, client):
    key = sent(server, "plain.csv", FILES["plain.csv"]())
    assert opened(client, {"upload": key})["name"] == "plain.csv"
    assert "choose it again" in refusal(client, "data.open", {"upload": key})
    assert "choose it again" in refusal(client, "data.open", {"upload": "no such key"})


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/passwd.csv", "passwd.csv"),
        ("C:%5CUsers%5Cx.csv", "x.csv"),
        ("%3Cimg%20src=x%20onerror=alert(1)%3E.csv", "<img src=x onerror=alert(1)>.csv"),
        ("%1b%5b31m.csv", "\\x1b[31m.csv"),
        ("", "file"),
    ],
)
def test_names_of_uploads_are_names(server, client, name, shown):
    assert opened(client, {"upload": sent(server, name, FILES["iris.csv"]())})["name"] == shown


def test_uploads_too_large_are_refused_with_the_way_out(server, client, monkeypatch):
    monkeypatch.setattr(sources, "MAX_FILE_BYTES", 2**20)
    cookie = {"Cookie": _cookie(server)}
    # With and without a length that is announced.
    for content in (bytes(2**20 + 1), iter([bytes(2**19)] * 3)):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        # The server need not take what it refuses.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.request("POST", "/upload", content, cookie | {"X-File-Name": "large.csv"})
        answer = connection.getresponse()
        assert answer.status == 413
        assert "bandsvm fit FILE" in json.loads(answer.read())["message"]
        connection.close()
    words = refusal(client, "data.check", {"name": "large.csv", "size": 2**20 + 1})
    assert "large.csv has 1 MB" in words
    assert client.ask("data.check", {"name": "a.csv", "size": 2**20})[0] == "data.check"


def test_forgotten_uploads_do_not_pile_up():
    uploads = Uploads()
    keys = [uploads.add(Upload(f"{k}.csv", b"")) for k in range(MAX_WAITING + 2)]
    for key in keys[:2]:
        with pytest.raises(ValueError, match="choose it again"):
            uploads.take(key)
    assert uploads.take(keys[-1]).name == f"{MAX_WAITING + 1}.csv"


# Fits and tabs


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
    assert reports[0] == {"stage": "read"}
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


def test_the_command_fits_the_same_parameters(client, file, tmp_path, monkeypatch):
    import shlex

    monkeypatch.chdir(tmp_path)
    opened(client)
    values, _, _ = fitted(client, parameters={**PARAMETERS, "C1": 7.5})
    words = shlex.split(values["command"])
    assert main([*words[1:], "--quiet"]) == 0
    model = load(tmp_path / "model.bsvm")
    assert model[-1].C1 == 7.5
    assert model[-1].kernel == "linear"
    assert len(model[-1].alpha_) == 150


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


class Held:
    """Lets fits wait after some steps until they are released."""

    def __init__(self, monkeypatch):
        self.is_there, self.may_go = threading.Event(), threading.Event()
        step = work.FitProgress.step

        def held(progress, run):
            if run.progress.n_iter == 1 and not self.may_go.is_set():
                self.is_there.set()
                assert self.may_go.wait(30)
            return step(progress, run)

        monkeypatch.setattr(work.FitProgress, "step", held)


@pytest.fixture
def held(monkeypatch):
    held = Held(monkeypatch)
    yield held
    held.may_go.set()


def test_a_stopped_fit_keeps_the_best_so_far(client, held):
    opened(client)
    number = client.send("data.fit", FIT, "work")
    assert held.is_there.wait(30)
    client.send("data.stop", {}, "stop")
    answers = {}
    while number not in answers:
        kind, own, values, _ = client.receive()
        if kind == "data.stop":
            held.may_go.set()
        elif kind != "progress":
            answers[own] = kind, values
    kind, values = answers[number]
    assert kind == "data.fit"
    assert values["sentences"][0].startswith("Stopped: this is the best model so far")
    assert not values["overview"]["certificate"]["is_optimal"]


def test_other_requests_are_answered_while_a_fit_is_under_way(client, held):
    opened(client)
    held.may_go.set()
    fitted(client)
    held.may_go.clear()
    number = client.send("data.fit", FIT, "work")
    assert held.is_there.wait(30)
    client.send("data.view", {"view": "overview", "part": "all"}, "view")
    kinds = []
    while "data.view" not in kinds:
        kinds.append(client.receive()[0])
    assert "data.fit" not in kinds
    held.may_go.set()
    while client.receive()[1] != number:
        pass


def test_a_newer_fit_takes_the_place_of_an_older_one(client, held):
    opened(client)
    older = client.send("data.fit", FIT, "work")
    assert held.is_there.wait(30)
    newer = client.send("data.fit", {**FIT, "parameters": {"C1": 2.0}}, "work")
    client.send("data.check", {"name": "a", "size": 1}, "check")
    answers = {}
    while len(answers) < 3:
        kind, own, values, _ = client.receive()
        if kind == "data.check":
            held.may_go.set()  # by now the server has read the newer request
        if kind != "progress":
            answers[own] = kind, values
    assert answers[older][0] == "cancelled"
    assert answers[newer][1]["overview"]["parameters"]["C1"] == 2.0


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


def test_a_fit_of_a_file_that_is_no_longer_open_is_not_shown(server, client, held):
    opened(client)
    number = client.send("data.fit", FIT, "work")
    assert held.is_there.wait(30)
    key = sent(server, "plain.csv", FILES["plain.csv"]())
    client.send("data.open", {"upload": key}, "open")
    while True:
        kind, own, values, _ = client.receive()
        if kind == "data.open":
            assert values["file"]["name"] == "plain.csv"
            held.may_go.set()
        elif own == number and kind != "progress":
            assert kind == "cancelled"
            break
    assert "press Fit" in refusal(client, "data.view", {"view": "overview", "part": "all"})


def test_a_model_without_an_upper_edge_says_so(client):
    opened(client)
    values, _, _ = fitted(client, parameters={**PARAMETERS, "C2": 0})
    assert values["sentences"][-1].startswith("C2 is 0")


def test_nothing_is_fitted_without_a_file():
    with running() as server, connected(server) as client:
        assert opened(client) is None
        assert "choose one first" in refusal(client, "data.fit", FIT)


@given(
    kind=st.sampled_from(["data.open", "data.fit", "data.view", "data.path", "data.csv"]),
    fields=st.dictionaries(
        st.sampled_from(["part", "view", "vary", "choices", "parameters", "search", "scale",
                         "upload", "header", "class", "x", "y", "start", "count", *QUERY]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text()
            | st.sampled_from(["all", "samples", "projection", "distribution", "C2", "standard"]),
            lambda inner: st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from([*PARAMETERS, *CHOICES]), inner, max_size=3),
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


# Models


def test_model_files_are_described(file, tmp_path):
    model = tmp_path / "iris.bsvm"
    assert main(["fit", str(file), "--model", str(model), "--quiet"]) == 0
    with running(shared={"file": str(model)}) as server, connected(server) as client:
        card = ask(client, "model.open", {})[0]["model"]
        assert card["classes"] == SPECIES.tolist()
        assert ask(client, "data.open", {})[0]["is_model"]
        key = sent(server, "<b>.bsvm", model.read_bytes())
        named = ask(client, "model.open", {"upload": key})[0]["model"]
        assert named["model"] == "<b>.bsvm"
        assert named["text"].splitlines()[1:] == card["text"].splitlines()[1:]
        damaged = sent(server, "half.bsvm", model.read_bytes()[:5000])
        words = refusal(client, "model.open", {"upload": damaged})
        assert words.startswith("half.bsvm ")
        words = refusal(client, "model.open", {"upload": sent(server, "a.csv", b"a,b\n1,2\n")})
        assert "is no model file" in words


def test_data_through_a_model(file, tmp_path):
    model = tmp_path / "iris.bsvm"
    assert main(["fit", str(file), "--model", str(model), "--quiet"]) == 0
    with running(shared={"file": str(model)}) as server, connected(server) as client:
        key = sent(server, "new.csv", FILES["iris.csv"]())
        assert "choose one first" in refusal(client, "model.data", {"upload": key})
        ask(client, "model.open", {})
        key = sent(server, "new.csv", FILES["iris.csv"]())
        answer = ask(client, "model.data", {"upload": key})[0]
        fitted = load(model)
        assert answer["overview"]["accuracy"] == np.mean(fitted.predict(frame(X)) == SPECIES[Y])
        assert "150 samples of new.csv" in answer["overview"]["role"]
        table = ask(client, "model.csv", {"part": "all", **QUERY, "sort": 0})[1]["content"]
        read = pd.read_csv(io.BytesIO(table.tobytes()))
        assert read["predicted"].tolist() == fitted.predict(frame(X)).tolist()
        for view in ("abstention", "overview"):
            assert ask(client, "model.view", {"view": view, "part": "all"})[0]
        # Without labels nothing tells what is right.
        lines = [line.rpartition(",")[0] for line in FILES["iris.csv"]().decode().splitlines()]
        key = sent(server, "bare.csv", "\n".join(lines).encode())
        answer = ask(client, "model.data", {"upload": key})[0]
        assert answer["overview"]["accuracy"] is None
        assert not answer["has_labels"]
        assert "no labels" in refusal(client, "model.view", {"view": "abstention"})
        key = sent(server, "other.csv", b"a,b\n1,2\n")
        assert "lacks the columns" in refusal(client, "model.data", {"upload": key})
        # Another model forgets the data.
        key = sent(server, "again.bsvm", model.read_bytes())
        ask(client, "model.open", {"upload": key})
        assert "No data file" in refusal(client, "model.view", {"view": "overview"})


def frame(X):
    return pd.DataFrame(X, columns=NAMES)


def test_data_views_without_a_model_show_none(client):
    assert ask(client, "model.open", {})[0]["model"] is None


def test_explore_refuses_files_that_are_too_large(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sources, "MAX_FILE_BYTES", 100)
    large = tmp_path / "large.csv"
    large.write_bytes(bytes(101))
    assert main(["explore", str(large), "--no-browser"]) == 1
    assert "bandsvm fit FILE" in capsys.readouterr().err
