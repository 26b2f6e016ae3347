"""What cells tell: names, numbers in disguise, dates, categories; in every format."""

import json

import numpy as np
import pytest

from bandsvm._tables.cells import has_names, kind_of
from bandsvm._tables.columns import Kind
from bandsvm.cli import main
from tests.helpers.tables import read

pd = pytest.importorskip("pandas")


@pytest.mark.parametrize(
    ("top", "below", "expected"),
    [
        ("a,b", ["1,2", "3,4"], True),
        ("0,1,target", ["5,2,0", "3,4,1"], True),
        ("2019,2020,label", ["5,2,a", "3,4,b"], True),
        ("2019,2020,2021", ["5,2,0", "3,4,1"], False),
        ("0,1,2", ["5,2,0", "3,4,1"], True),
        ("1.5,unknown,2", ["5,2,0", "3,4,1"], False),
        ("p,x,e", ["p,y,e", "s,x,p"], False),
        ("kind,size,label", ["p,y,e", "s,x,p"], True),
        (",x,y", ["0,2.5,a", "1,3.5,b"], True),
        (",2.5,a", ["1,2.5,a", "1,3.5,b"], False),
        ("5,?,1", ["1,2,0", "3,4,1"], False),
    ],
)
def test_names_are_told_from_samples(top, below, expected):
    assert has_names(top.split(","), [line.split(",") for line in below]) is expected


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "2.5", "", "NA"], Kind.NUMBER),
        (["1"] * 50 + ["oops"], Kind.NUMBER),
        (["1"] * 5 + ["a", "b"], Kind.TEXT),
        (["red", "", "blue"], Kind.TEXT),
        (["2020-01-31", "", "2020-02-01 10:00"], Kind.DATE),
        (["31.1.2020", "1.2.2020"], Kind.DATE),
        (["", ""], Kind.NUMBER),
    ],
)
def test_kinds_of_columns(cells, kind):
    assert kind_of(cells) is kind


@pytest.mark.parametrize("form", ["csv", "arff", "parquet"])
@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["$35.25", "$-1", "-$2.5", "$1,250.50"], [35.25, -1.0, -2.5, 1250.5]),
        (["35.25 EUR", "7 EUR", "8EUR", "--"], [35.25, 7.0, 8.0, np.nan]),
        (["35,250", "1,234,567", "950", "n.a."], [35250.0, 1234567.0, 950.0, np.nan]),
        (["35.2%", "7 %", "-.5%", "#DIV/0!"], [35.2, 7.0, -0.5, np.nan]),
        (["3.5", "2", "\u2014", "..."], [3.5, 2.0, np.nan, np.nan]),
    ],
)
def test_numbers_in_disguise(form, cells, expected, tmp_path):
    table = disguised(tmp_path, cells, form)
    np.testing.assert_array_equal(table.X[:4, 0], expected)
    # Columns of Parquet have types, and this one is of text.
    is_said = form == "parquet" or "3.5" not in cells
    assert (f"Read as numbers: 'price' ({cells[0]})" in table.describe()) == is_said


@pytest.mark.parametrize("form", ["csv", "arff", "parquet"])
@pytest.mark.parametrize(
    "cells",
    [
        ["$3", "\u20ac4"],
        ["3 kg", "4 kg"],
        ["35,25", "3,5"],
        ["Q1", "Q2"],
        ["1-2", "3-4"],
        ["%", "$"],
    ],
)
def test_what_is_not_certain_stays_text(form, cells, tmp_path):
    pytest.importorskip("pandas")
    table = disguised(tmp_path, cells, form)
    assert table.texts == ("price",)


@pytest.mark.parametrize("cells", [["1", "2", "3"], ["02139", "00501", "10001"]])
def test_whole_numbers_of_type_text_are_names(cells, tmp_path):
    assert disguised(tmp_path, cells, "parquet").texts == ("price",)


@pytest.mark.parametrize("kind", ["string", "large_string"])
def test_missing_texts_of_arrow_are_missing_numbers(kind, tmp_path):
    pa, pq = (pytest.importorskip(name) for name in ("pyarrow", "pyarrow.parquet"))
    prices = pa.array(["$1.5", None, "$2.5", "--"] * 300, getattr(pa, kind)())
    columns = {
        "b": np.arange(1200) % 7,
        "y": np.arange(1200) % 2,
        "none": pa.nulls(1200, pa.string()),
    }
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"price": prices, **columns}), path, row_group_size=100)
    table = read(path)
    np.testing.assert_array_equal(table.X[:, 0], [1.5, np.nan, 2.5, np.nan] * 300)
    assert "'none' (constant)" in table.describe()


def test_categories_of_arrow_stay_categories(tmp_path):
    pa, pq = (pytest.importorskip(name) for name in ("pyarrow", "pyarrow.parquet"))
    prices = pa.array(["$1.5", "$2.5"] * 10).dictionary_encode()
    table = pa.table({"price": prices, "b": range(20), "y": [0, 1, 1, 0] * 5})
    pq.write_table(table, tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet").texts == ("price",)


def test_models_take_disguised_numbers_of_either_format(folder, capsys):
    cells = ["$35.25", "$1,250.50", "--", "$7"]
    for form in ("csv", "parquet"):
        disguised(folder, cells, form)
    accuracy = []
    for trained, other in (("t.csv", "t.parquet"), ("t.parquet", "t.csv")):
        assert main(["fit", trained, "--model", "m", "--quiet"]) == 0
        for name in (trained, other):
            assert main(["predict", name, "--model", "m", "--json", "--quiet"]) == 0
            accuracy.append(json.loads(capsys.readouterr().out)["accuracy"])
    assert len(set(accuracy)) == 1


@pytest.mark.parametrize("options", [["--drop", "price"], ["--categorical", "price"]])
def test_columns_that_are_no_numbers_are_not_named_as_such(options, folder, capsys):
    for form in ("csv", "parquet"):
        disguised(folder, ["$35.25", "$7"], form)
        assert main(["fit", f"t.{form}", "--model", "m", *options]) == 0
        assert "Read as numbers" not in capsys.readouterr().out


def test_numbers_in_disguise_on_disk(folder, capsys):
    disguised(folder, ["$35.25", "$7", "$8"], "parquet")
    fit = ["fit", "t.parquet", "--model", "m", "--linear", "--json", "--quiet"]
    results = []
    for more in ([], ["--on-disk"]):
        assert main([*fit, *more]) == 0
        results.append(json.loads(capsys.readouterr().out)["primal"])
    assert results[0] == pytest.approx(results[1], rel=1e-5)


def disguised(folder, cells, form="csv"):
    """Return the table of a file whose first column has some cells, again and again."""
    return read(written(folder, "price", cells * 10, form))


def written(folder, name, cells, form):
    """Write a table whose first column has some cells; return the file."""
    path, n_rows = folder / f"t.{form}", len(cells)
    if form == "parquet":
        pa, pq = (pytest.importorskip(module) for module in ("pyarrow", "pyarrow.parquet"))
        columns = {"b": [k % 5 for k in range(n_rows)], "y": [k % 2 for k in range(n_rows)]}
        pq.write_table(pa.table({name: cells, **columns}), path)
        return path
    rows = [f'"{cell}",{k % 5},{k % 2}' for k, cell in enumerate(cells)]
    heads = {
        "csv": f"{name},b,y",
        "arff": f"@relation t\n@attribute {name} string\n@attribute b numeric\n"
        "@attribute y {0,1}\n@data",
    }
    path.write_text("\n".join([heads[form], *rows]))
    return path


@pytest.mark.parametrize(
    ("form", "place"), [("csv", "line 62"), ("arff", "line 66"), ("parquet", "sample 61")]
)
def test_measurements_with_other_cells_are_refused_with_examples(form, place, tmp_path):
    cells = [f"{k / 7:.3f}" for k in range(60)] + ["<0.5", "<0.5", "trace"] * 3
    words = rf"{place}, column 'dose': '<0.5' is not a number \(9 such cells nearby, also \['trace'"
    with pytest.raises(ValueError, match=words):
        read(written(tmp_path, "dose", cells, form))


@pytest.mark.parametrize("form", ["csv", "arff", "parquet"])
def test_numbers_of_tickets_stay_text(form, tmp_path):
    cells = [str(110_000 + 37 * k) for k in range(60)] + ["A/5 21171", "PC 17599", "LINE"] * 5
    assert read(written(tmp_path, "Ticket", cells, form)).texts == ("Ticket",)


@pytest.mark.parametrize("form", ["csv", "arff", "parquet"])
def test_dates_are_left_out(form, tmp_path):
    cells = [f"2024-01-{k + 1:02d}" for k in range(28)]
    table = read(written(tmp_path, "day", cells, form))
    assert table.names == ["b"]
    assert "Left out: 'day' (dates; " in table.describe()


@pytest.mark.parametrize("name", ["RowNumber", "row number", "Row_Num", "CustomerNr"])
def test_columns_that_number_the_rows(name, tmp_path):
    rows = [f"{k + 1},{k % 5},{k % 2}" for k in range(30)]
    (tmp_path / "t.csv").write_text("\n".join([f"{name},b,y", *rows]))
    table = read(tmp_path / "t.csv")
    assert table.names == ["b"]
    assert table.left_out == {name: "a number per row"}
    kept = read(tmp_path / "t.csv", keep=(name,))
    assert kept.names == [name, "b"]
    assert kept.left_out == {}
