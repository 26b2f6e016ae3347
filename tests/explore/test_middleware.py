"""Who may ask the server of ``bandsvm explore``, and what the browser may do."""

import http.client
import re

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from bandsvm.explore.server.app import PAGE
from tests.helpers.explore_requests import cookie


def get(server, path, host=None, method="GET", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request(
        method, path, headers={"Host": host or f"127.0.0.1:{server.port}", **headers}
    )
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer, body


def test_nothing_is_served_without_the_token(server):
    for path in ("/", "/page/main.js", "/socket", "/nothing", "/?token=wrong", "/?token="):
        answer, body = get(server, path)
        assert answer.status == 403
        assert "token" in body
        assert "<script" not in body
    with pytest.raises(InvalidStatus) as error, connect(f"ws://127.0.0.1:{server.port}/socket"):
        pass
    assert error.value.response.status_code == 403


def test_token_becomes_a_cookie_and_leaves_the_address(server):
    answer, _ = get(server, f"/?token={server.token}")
    assert answer.status == 303
    assert answer.getheader("Location") == "/"
    assert "HttpOnly" in answer.getheader("Set-Cookie")
    answer, body = get(server, "/", Cookie=cookie(server))
    assert answer.status == 200
    assert server.token not in body
    assert "main.js" in body


def test_other_names_of_this_machine_are_refused(server):
    """A page elsewhere may let its own name resolve to this machine."""
    answer, _ = get(server, "/", host="evil.example", Cookie=cookie(server))
    assert answer.status == 403
    assert get(server, "/", host="localhost:99", Cookie=cookie(server))[0].status == 200
    for host in ("[", "", "127.0.0.1.evil.example", "evil@127.0.0.1:x["):
        assert get(server, "/", host=host or " ", Cookie=cookie(server))[0].status in (400, 403)


def test_token_leads_nowhere_else(server):
    answer, _ = get(server, f"//evil.example/?token={server.token}")
    assert answer.getheader("Location") == "/"


def test_other_pages_are_refused(server):
    headers = {"Cookie": cookie(server), "Origin": "http://evil.example"}
    assert get(server, "/", method="POST", **headers)[0].status == 403
    assert get(server, "/", method="POST", **{**headers, "Origin": "http://["})[0].status == 403
    address = f"ws://127.0.0.1:{server.port}/socket"
    with pytest.raises(InvalidStatus), connect(address, additional_headers=headers):
        pass
    headers["Origin"] = f"http://127.0.0.1:{server.port}"
    with connect(address, additional_headers=headers):
        pass


def test_policy_allows_nothing_from_elsewhere(server):
    for path in ("/", "/page/main.js", "/page/nothing.js"):
        answer, _ = get(server, path, Cookie=cookie(server))
        policy = answer.getheader("Content-Security-Policy")
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert answer.getheader("X-Content-Type-Options") == "nosniff"


def test_files_outside_the_page_are_not_served(server):
    for path in ("/page/../launch.py", "/page/%2e%2e/launch.py", "/page//etc/passwd", "/page/"):
        assert get(server, path, Cookie=cookie(server))[0].status == 404


UNSAFE = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|javascript:"
    r"|\sstyle=|\son\w+=\"|https?://(?!www\.w3\.org/2000/svg)"
)


def test_page_holds_no_inline_code_and_no_foreign_address():
    files = [path for path in PAGE.rglob("*") if path.suffix in (".js", ".html", ".css", ".svg")]
    assert len(files) > 30
    for path in files:
        assert UNSAFE.findall(path.read_text()) == [], path
