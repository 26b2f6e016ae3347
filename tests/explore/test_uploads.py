"""Files that a page sends."""

import contextlib
import http.client
import json

import pytest

from bandsvm.explore.server.uploads import MAX_WAITING, Upload, Uploads
from tests.helpers.explore_pages import connected, running
from tests.helpers.explore_requests import cookie, opened, refusal, sent
from tests.helpers.iris_files import FILES


def test_uploads_need_the_token_and_the_own_page(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request("POST", "/upload", b"a,b\n", {"X-File-Name": "a.csv"})
    assert connection.getresponse().status == 403
    connection.close()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    headers = {"Cookie": cookie(server), "Origin": "http://elsewhere.example"}
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


@pytest.fixture
def small_server():
    """A server that takes files of 1 MB at most."""
    with running(max_file_size=2**20) as server:
        yield server


def test_uploads_too_large_are_refused_with_the_way_out(small_server):
    headers = {"X-File-Name": "large.csv", "Cookie": cookie(small_server)}
    # With and without a length that is announced.
    for content in (bytes(2**20 + 1), iter([bytes(2**19)] * 3)):
        connection = http.client.HTTPConnection("127.0.0.1", small_server.port, timeout=20)
        # The server need not take what it refuses.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.request("POST", "/upload", content, headers)
        answer = connection.getresponse()
        assert answer.status == 413
        assert "bandsvm fit FILE" in json.loads(answer.read())["message"]
        connection.close()
    with connected(small_server) as client:
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
