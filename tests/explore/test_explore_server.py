"""The server of ``bandsvm explore``: who may ask, and what is answered."""

import http.client
import json
import re
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from bandsvm import BandedSVC
from bandsvm._fitting.fit import fit_model
from bandsvm.cli import main
from bandsvm.explore import launch
from bandsvm.explore.server.app import PAGE
from bandsvm.explore.server.frames import Answer, pack, unpack
from bandsvm.explore.server.play import KERNELS_IN_THE_PLANE, roles
from bandsvm.explore.server.play_data import SOURCES, Recipe, decode_points
from bandsvm.explore.server.requests import Fields
from bandsvm.explore.server.wishes import NoLongerWanted, Wish, answered
from bandsvm.metrics import band_coverage, sensitivity_curve
from tests.helpers.explore_pages import CLUSTERS, FIT, MODEL, connected

DRAWN = {"source": "drawn", "points": "AWQAyAAAnP84_w"}  # +1 at (0.1, 0.2), -1 at (-0.1, -0.2)


@pytest.fixture
def client(server):
    with connected(server) as client:
        yield client


def get(server, path, host=None, method="GET", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request(
        method, path, headers={"Host": host or f"127.0.0.1:{server.port}", **headers}
    )
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer, body


def cookie(server):
    answer, _ = get(server, f"/?token={server.token}")
    return answer.getheader("Set-Cookie").split(";")[0]


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


@given(
    st.lists(st.sampled_from(["float64", "float32", "int32", "uint8"]), max_size=4),
    st.integers(0, 9),
)
def test_frames_survive_the_way(types, length):
    arrays = {f"{k}ä": np.arange(length).astype(t) for k, t in enumerate(types)}
    header, found = unpack(pack("kind", 3, Answer({"a": [np.float64(0.1), np.inf]}, arrays)))
    assert header["values"] == {"a": [0.1, None]}
    assert (header["kind"], header["id"]) == ("kind", 3)
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)
    with pytest.raises(TypeError, match="int64"):
        pack("kind", 3, Answer({}, {"a": np.arange(3)}))


@pytest.mark.parametrize("kernel", KERNELS_IN_THE_PLANE)
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
        ({"model": {**MODEL, "rho2": 0.5}}, "rho2"),
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


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"id": -1}', "[" * 100000, '{"id": 1, "kind": "x"}']
)
def test_messages_that_are_no_requests_are_refused(client, text):
    client.socket.send(text)
    assert client.receive()[0] == "error"
    assert client.ask("play.fit", FIT)[0] == "play.fit"


def test_binary_and_huge_messages_end_the_connection(server):
    for message in (b"\x00", "x" * (launch.LARGEST_MESSAGE + 1)):
        with connected(server) as client:
            client.socket.send(message)
            with pytest.raises(ConnectionClosed):
                client.receive()


def test_drawn_points_are_read_as_the_page_writes_them():
    X, y = decode_points(DRAWN["points"])
    np.testing.assert_allclose(X, [[0.1, 0.2], [-0.1, -0.2]])
    np.testing.assert_array_equal(y, [1, -1])


SLOW = {
    **FIT,
    "data": {"source": "clusters", "n": 2000, "noise": 0.4, "seed": 0},
    "model": {**MODEL, "C1": 1e7, "C2": 1e7, "gamma": 20},
}


def test_newest_wish_wins_and_others_are_cancelled(client):
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
        if frame.f_code is answered.__code__:
            return True
        frame = frame.f_back
    return False


def test_cancelled_fit_keeps_its_own_limits():
    X, y = Recipe.of(Fields(SLOW["data"])).samples()
    wish = Wish(1, "test", Fields({}), {})
    model = BandedSVC(1e7, 1e7, gamma=20.0, time_limit=0.2)
    with wish.watched():
        fit_model(model, X, y, None)
    assert model.certificate_.status.value == "time limit"
    wish.cancel()
    with pytest.raises(NoLongerWanted), wish.watched():
        fit_model(model, X, y, None)


def test_defects_are_reported_as_such(caplog):
    def fail(wish):
        raise KeyError("what")

    header, _ = unpack(answered(Wish(1, "test", Fields({}), {}), fail))
    assert header["kind"] == "error"
    assert "defect of bandsvm: KeyError" in header["values"]["message"]
    assert "test" in caplog.text


def test_missing_extra_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["explore", "--no-browser"]) == 1
    message = capsys.readouterr().err
    assert "pip install 'bandsvm[explore]'" in message
    assert message.count("\n") == 1


def test_help_fits_a_screen(capsys):
    with pytest.raises(SystemExit):
        main(["explore", "--help"])
    assert len(capsys.readouterr().out.splitlines()) <= 24


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--port", "x"], "must be a number from 1 to 65535"),
        (["--port", "70000"], "must be a number from 1 to 65535"),
        (["--token", "a b c d e f"], "must be at least 8 letters"),
        (["--token", "short"], "must be at least 8 letters"),
    ],
)
def test_wrong_options_are_refused(capsys, arguments, message):
    with pytest.raises(SystemExit):
        main(["explore", *arguments])
    assert message in capsys.readouterr().err


def test_files_and_ports_that_cannot_be_used(server, capsys):
    assert main(["explore", "missing.csv"]) == 1
    assert "FILE must be" in capsys.readouterr().err
    assert main(["explore", "--port", str(server.port)]) == 1
    assert f"--port {server.port} cannot be used" in capsys.readouterr().err


def test_command_prints_its_address_and_ends_at_ctrl_c():
    command = [
        sys.executable,
        "-m",
        "bandsvm.cli",
        "explore",
        "--no-browser",
        "--token",
        "12345678",
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        line = run.stdout.readline()
        port = int(line.split("127.0.0.1:")[1].split("/")[0])
        assert "token=12345678" in line
        with connect(f"ws://127.0.0.1:{port}/socket?token=12345678"):
            run.send_signal(2)
            assert run.wait(timeout=60) == 0
        assert run.stderr.read() == ""
