"""Requests and responses on the web socket: what is refused, cancelled and answered."""

import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed

from bandsvm import BandedSVC
from bandsvm._fitting.fit import fit_model
from bandsvm.explore import launch
from bandsvm.explore.server.fields import Fields
from bandsvm.explore.server.play_data import Recipe
from bandsvm.explore.server.requests import Request, Superseded, answer
from bandsvm.explore.server.responses import Response, pack
from bandsvm.explore.server.sessions import Session
from tests.helpers.explore_pages import FIT, MODEL, connected, unpack


@given(
    st.lists(st.sampled_from(["float64", "float32", "int32", "uint8"]), max_size=4),
    st.integers(0, 9),
)
def test_frames_survive_the_way(types, length):
    arrays = {f"{k}ä": np.arange(length).astype(t) for k, t in enumerate(types)}
    header, found = unpack(pack("kind", 3, Response({"a": [np.float64(0.1), np.inf]}, arrays)))
    assert header["values"] == {"a": [0.1, None]}
    assert (header["kind"], header["id"]) == ("kind", 3)
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)
    with pytest.raises(TypeError, match="int64"):
        pack("kind", 3, Response({}, {"a": np.arange(3)}))


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"id": -1}', "[" * 100000, '{"id": 1, "kind": "x"}']
)
def test_messages_that_are_no_requests_are_refused(client, text):
    client.socket.send(text)
    assert client.receive()[0] == "error"
    assert client.ask("play.fit", FIT)[0] == "play.fit"


def test_binary_and_huge_messages_end_the_connection(server):
    for message in (b"\x00", "x" * (launch.MAX_MESSAGE_SIZE + 1)):
        with connected(server) as client:
            client.socket.send(message)
            with pytest.raises(ConnectionClosed):
                client.receive()


SLOW = {
    **FIT,
    "data": {"source": "clusters", "n": 2000, "noise": 0.4, "seed": 0},
    "model": {**MODEL, "C1": 1e7, "C2": 1e7, "gamma": 20},
}


def test_newest_request_wins_and_others_are_cancelled(client):
    """Each slow fit alone would take its whole time limit of ten seconds."""
    slow = [client.send("play.fit", SLOW) for _ in range(6)]
    last = client.send("play.fit", FIT)
    answers = dict(client.receive()[1::-1] for _ in range(7))
    assert answers == {**dict.fromkeys(slow, "cancelled"), last: "play.fit"}


def test_channels_and_pages_do_not_disturb_each_other(server):
    with connected(server) as one, connected(server) as other:
        slow = one.send("play.fit", SLOW, "slow")
        quick = one.send("play.fit", FIT, "quick")
        assert one.receive()[:2] == ("play.fit", quick)
        assert other.ask("play.fit", FIT)[0] == "play.fit"
        one.send("play.fit", FIT, "slow")
        assert one.receive()[:2] == ("cancelled", slow)


def test_fits_end_when_the_page_is_gone(server):
    with connected(server) as client:
        client.send("play.fit", SLOW)
        time.sleep(0.3)
    deadline = time.monotonic() + 8.0
    while any(t.name.startswith("asyncio_") and is_fitting(t) for t in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_fitting(thread):
    frame = sys._current_frames().get(thread.ident)
    while frame is not None:
        if frame.f_code is answer.__code__:
            return True
        frame = frame.f_back
    return False


def test_cancelled_fit_keeps_its_own_limits():
    X, y = Recipe.of(Fields(SLOW["data"])).samples()
    request = Request(1, "test", Fields({}), Session())
    model = BandedSVC(1e7, 1e7, gamma=20.0, time_limit=0.2)
    with request.watched():
        fit_model(model, X, y, None)
    assert model.certificate_.status.value == "time limit"
    request.cancel()
    with pytest.raises(Superseded), request.watched():
        fit_model(model, X, y, None)


def test_defects_are_reported_as_such(caplog):
    def fail(request):
        raise KeyError("what")

    header, _ = unpack(answer(Request(1, "test", Fields({}), Session()), fail))
    assert header["kind"] == "error"
    assert "defect of bandsvm: KeyError" in header["values"]["message"]
    assert "test" in caplog.text
