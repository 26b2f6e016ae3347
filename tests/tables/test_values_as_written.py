"""Every label and category arrives as it was written, whatever the format."""

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bandsvm._tables.labels import tidy_labels
from bandsvm._tables.options import ReadOptions
from bandsvm._tables.reading import read_table
from bandsvm._tables.remarks import DataFileError

pd = pytest.importorskip("pandas")

# Text that formats use for themselves, or that looks like numbers.
CHARACTERS = st.sampled_from(list("ab'\"\\,;\t\n %{}?0.-+ äß漢🎉"))
TEXTS = st.one_of(
    st.text(CHARACTERS, max_size=6),
    st.sampled_from(["won't", 'say "no"', "007", "1e3", " a", "a ", "NA", "?", "1_000", "nan"]),
)
OPTIONS = ReadOptions(target="class", categorical=("colour",))


def write_csv(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerows([["length", "colour", "class"], *rows])


def write_arff(path, rows):
    with path.open("w", newline="\n", encoding="utf-8") as file:
        file.write("@relation r\n@attribute length numeric\n@attribute colour string\n")
        file.write("@attribute class string\n@data\n")
        for length, colour, label in rows:
            file.write(f"{length},{in_arff(colour)},{in_arff(label, quote=chr(34))}\n")


def in_arff(value, quote="'"):
    escapes = {"\\": "\\\\", quote: "\\" + quote, "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return quote + "".join(escapes.get(letter, letter) for letter in value) + quote


def write_parquet(path, rows):
    pytest.importorskip("pyarrow")
    pd.DataFrame(rows, columns=["length", "colour", "class"]).to_parquet(path)


WRITERS = {"csv": write_csv, "arff": write_arff, "parquet": write_parquet}


@pytest.mark.parametrize("name", WRITERS)
@given(values=st.lists(TEXTS, min_size=2, max_size=6, unique=True))
def test_text_arrives_as_written(name, tmp_path_factory, values):
    labels = [value for value in values if value.strip()] + ["yes", "no way"]
    rows = [(float(k), values[k % len(values)], label) for k, label in enumerate(4 * labels)]
    path = tmp_path_factory.mktemp("data") / f"table.{name}"
    WRITERS[name](path, rows)
    table = read_table(str(path), OPTIONS)
    assert table.y.tolist() == [label for _, _, label in rows]
    if "colour" in table.X:
        assert table.X["colour"].tolist() == [colour for _, colour, _ in rows]


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize(
    "labels", [["007", "010"], ["1_000", "2_000"], ["inf", "nan"], ["\uff11", "\uff12"]]
)
def test_labels_that_only_look_like_numbers_stay_text(name, labels, tmp_path):
    path = tmp_path / f"table.{name}"
    rows = [(float(k), "red", labels[k % 2]) for k in range(20)]
    WRITERS[name](path, rows)
    assert read_table(str(path), OPTIONS).y.tolist() == [label for _, _, label in rows]


def test_labels_that_are_numbers_are_numbers():
    assert tidy_labels(np.array(["+1", "-2", "0"])).tolist() == [1, -2, 0]
    assert tidy_labels(np.array(["1.0", "2.00", "3e0"])).tolist() == [1, 2, 3]
    assert tidy_labels(np.array([" 0.5", "-1.5 "])).tolist() == [0.5, -1.5]


PLAIN = ReadOptions(target="class")
ARFF = """% people
@RELATION r
@attribute 'their height' REAL
@attribute "it\\'s" {{ 'a b', "c,d" }}
@attribute class{{{first},will}}
@data
1.5, 'a b', {first}
% a comment, with 'a quote
2.5,"c,d",will
?, 'a b' , will
4.5,\t"c,d",{first}
"""


@pytest.mark.parametrize("first", ['"won\'t"', "'won\\'t'", "won't"])
def test_arff_quotes_and_escapes(first, tmp_path):
    path = tmp_path / "table.arff"
    path.write_text(ARFF.format(first=first))
    table = read_table(str(path), PLAIN)
    assert table.y.tolist() == ["won't", "will", "will", "won't"]
    assert table.X["it's"].tolist() == ["a b", "c,d", "a b", "c,d"]
    np.testing.assert_array_equal(table.X["their height"], [1.5, 2.5, np.nan, 4.5])


def test_arff_errors_name_their_line(tmp_path):
    path = tmp_path / "table.arff"
    path.write_text(ARFF.format(first="x").replace('4.5,\t"c,d"', "4.5,'c,d"))
    with pytest.raises(DataFileError, match=r"table.arff, line 11: a quote is not closed"):
        read_table(str(path), PLAIN)
    path.write_text(ARFF.format(first="x").replace('4.5,\t"c,d"', "4.5,'c,d'e"))
    with pytest.raises(DataFileError, match=r"line 11: 'e,x' follows a quote, where"):
        read_table(str(path), PLAIN)


def test_blanks_of_csv_count_within_quotes(tmp_path):
    path = tmp_path / "table.csv"
    lines = ["length,colour,class", '1, red ," yes"', '2,"red ", yes ', '3,red,"say ""no"" "']
    path.write_text("\n".join(lines + lines[1:] + lines[1:]) + "\n")
    table = read_table(str(path), OPTIONS)
    assert table.y.tolist() == 3 * [" yes", "yes", 'say "no" ']
    assert table.X["colour"].tolist() == 3 * ["red", "red ", "red"]


@pytest.mark.parametrize("content", ['"', '"a\nb,c\n', '"a,b\n1,2"\n', '""\n""\n'])
def test_files_of_nothing_but_a_quote_are_refused(content, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(content)
    with pytest.raises(DataFileError):
        read_table(str(path), PLAIN)
