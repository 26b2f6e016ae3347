"""The command ``bandsvm explore``."""

import subprocess
import sys

import pytest
from websockets.sync.client import connect

from bandsvm._workflow.source import MAX_FILE_BYTES
from bandsvm.cli import main


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


def test_explore_refuses_files_that_are_too_large(tmp_path, capsys):
    large = tmp_path / "large.csv"
    with large.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    assert main(["explore", str(large), "--no-browser"]) == 1
    assert "bandsvm fit FILE" in capsys.readouterr().err


@pytest.mark.heavy
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
