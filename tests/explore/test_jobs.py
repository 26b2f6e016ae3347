"""Long work of the view “Your data”: it can be stopped, and newer work replaces it."""

import pytest

from tests.helpers.explore_pages import running
from tests.helpers.explore_requests import FIT, fitted, opened, refusal, sent
from tests.helpers.iris_files import FILES


@pytest.fixture(scope="module")
def server(file, gate):
    with running(file=str(file), on_progress=gate) as server:
        yield server


def test_a_stopped_fit_keeps_the_best_so_far(client, held):
    opened(client)
    held.shut()
    number = client.send("data.fit", FIT, "work")
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


def test_other_requests_are_answered_while_a_fit_is_under_way(client, held):
    opened(client)
    fitted(client)
    held.shut()
    number = client.send("data.fit", FIT, "work")
    held.wait()
    client.send("data.view", {"view": "overview", "part": "all"}, "view")
    kinds = []
    while "data.view" not in kinds:
        kinds.append(client.receive()[0])
    assert "data.fit" not in kinds
    held.open()
    while client.receive()[1] != number:
        pass


def test_a_newer_fit_takes_the_place_of_an_older_one(client, held):
    opened(client)
    held.shut()
    older = client.send("data.fit", FIT, "work")
    held.wait()
    newer = client.send("data.fit", {**FIT, "parameters": {"C1": 2.0}}, "work")
    client.send("data.check", {"name": "a", "size": 1}, "check")
    answers = {}
    while len(answers) < 3:
        kind, own, values, _ = client.receive()
        if kind == "data.check":
            held.open()  # by now the server has read the newer request
        if kind != "progress":
            answers[own] = kind, values
    assert answers[older][0] == "cancelled"
    assert answers[newer][1]["overview"]["parameters"]["C1"] == 2.0


def test_a_fit_of_a_file_that_is_no_longer_open_is_not_shown(server, client, held):
    opened(client)
    held.shut()
    number = client.send("data.fit", FIT, "work")
    held.wait()
    key = sent(server, "plain.csv", FILES["plain.csv"]())
    client.send("data.open", {"upload": key}, "open")
    while True:
        kind, own, values, _ = client.receive()
        if kind == "data.open":
            assert values["file"]["name"] == "plain.csv"
            held.open()
        elif own == number and kind != "progress":
            assert kind == "cancelled"
            break
    assert "press Fit" in refusal(client, "data.view", {"view": "overview", "part": "all"})
