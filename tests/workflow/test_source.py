"""Data files that the page reads: formats, columns, sizes, messages."""

import gzip
import re
from pathlib import Path

import numpy as np
import pytest

from bandsvm._tables.options import ReadOptions
from bandsvm._tables.remarks import DataFileError
from bandsvm._workflow.naming import page_name
from bandsvm._workflow.source import MAX_FILE_BYTES, Choices, FileTooLargeError, Source
from tests.helpers.iris_files import FILES, SPECIES, X, Y
from tests.helpers.workflow_tables import HOSTILE, text_table


@pytest.mark.parametrize("name", FILES)
def test_every_format_that_fit_reads(name):
    source = Source.of_bytes(name, FILES[name]())
    about = source.describe()
    assert about["name"] == name
    assert [column["name"] for column in about["columns"]][4:] in ([], ["species"], ["column 5"])
    table = source.table(Choices())
    np.testing.assert_allclose(table.X, X, rtol=1e-6)
    assert table.y.tolist() in (SPECIES[Y].tolist(), Y.tolist())


def test_columns_are_chosen_by_place(tmp_path):
    rows = [[k % 2, k % 3, float(k), "ab"[k % 2]] for k in range(40)]
    content = text_table(["2", "1", "size", "name"], rows)
    source = Source.of_bytes("odd.csv", content)
    # A column named 2 comes first: places must not be taken for names.
    table = source.table(Choices(target=0, dropped=(1,), categorical=()))
    assert table.y.tolist() == [k % 2 for k in range(40)]
    assert table.names == ["size", "name"]
    path = tmp_path / "odd.csv"
    path.write_bytes(content)
    options = Source.of_path(path).read_options(Choices(target=0, dropped=(1,)))
    assert options == ReadOptions(target="2", drop=("1",))


def test_categories_and_header_are_chosen():
    content = text_table([1, 2, 3], [[k % 4, k, k % 2] for k in range(40)])
    source = Source.of_bytes("numbers.csv", content)
    assert len(source.table(Choices(has_header=False)).y) == 41
    table = source.table(Choices(has_header=True, categorical=(0,)))
    assert table.texts == ("1",)
    with pytest.raises(DataFileError, match="has 3 columns, got column 8"):
        source.table(Choices(target=7))


def test_files_too_large_are_refused_before_they_are_read(tmp_path, monkeypatch):
    large = tmp_path / f"{HOSTILE[:4]}.csv"
    with large.open("wb") as file:
        file.truncate(2**21)
    monkeypatch.setattr("pathlib.Path.read_bytes", lambda path: pytest.fail("it was read"))
    with pytest.raises(FileTooLargeError, match=r"has 2 MB.*at most 1 MB.*bandsvm fit FILE"):
        Source.of_path(large, max_bytes=2**20)
    with pytest.raises(FileTooLargeError):
        Source.of_bytes("upload.csv", bytes(2**21), max_bytes=2**20)


def test_files_that_unpack_to_too_much_are_refused():
    with pytest.raises(FileTooLargeError):
        Source.of_bytes("upload.csv.gz", gzip.compress(b"1,2,3\n" * 2**18), max_bytes=2**20)


def test_the_page_of_docs_names_the_limit():
    text = (Path(__file__).parents[2] / "docs" / "explore.md").read_text()
    assert f"up to {MAX_FILE_BYTES // 2**20} MB" in text


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", b"a,b\n1,2\n3,2\n", "single class.*“Target”"),
        ("a.xlsx", b"PK", "Excel.*set its ending"),
        ("a.csv", b"", "a.csv"),
        ("a.csv", b"a,y\n1,1\n2,0\nx,1\n", "not a number.*“Leave out”"),
        ("a.csv", b"day,y\n2020-01-02,1\n2020-01-03,0\n", "0 features.*'day' .dates"),
    ],
)
def test_messages_name_controls_of_the_page(name, content, words):
    with pytest.raises(DataFileError) as error:
        Source.of_bytes(name, content).table(Choices())
    message = error.value.render(page_name)
    assert re.search(words, message)
    assert "--" not in message
