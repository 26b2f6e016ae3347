"""Imports between rooms go one way; ARCHITECTURE.md shows them."""

from tests.helpers.rooms import LAYERS, PACKAGE, PICTURE, ROOT, imports, levels, picture, upward


def test_every_room_has_a_layer():
    rooms = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert rooms - {"__init__", "__pycache__", "_core"} == {r for layer in LAYERS for r in layer}


def test_imports_go_down():
    assert not upward(imports())


def test_import_that_goes_up_is_found(tmp_path):
    for room, line in (("_tables", "def f():\n    from bandsvm.cli import main"), ("cli", "")):
        (tmp_path / room).mkdir()
        (tmp_path / room / "a.py").write_text(line)
    assert upward(imports(tmp_path)) == {("_tables", "cli"): 1}


def test_public_names_do_not_hide_a_layer():
    assert levels()["persistence"] < levels()["bandsvm"] < levels()["_tables"]


def test_picture_shows_the_present_imports():
    assert "docs/rooms.svg" in (ROOT / "ARCHITECTURE.md").read_text()
    assert PICTURE.read_text() == picture(imports()), "run `make rooms`"
