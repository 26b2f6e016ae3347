"""Data files as people have them: what each holds, and how reading it must end."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

N_SAMPLES = 60
COLOURS = np.array(["red", "green", "blue"])


@dataclass(frozen=True)
class Case:
    """A file, the command that reads it, and what must come of it.

    Parameters
    ----------
    name : str
        The file's name.
    content : callable
        Returns its bytes.
    told : str
        A regular expression that what is said must match.
    code : int
        The exit code.
    options : tuple of str
        Further arguments.
    trained_on : str or None
        The case whose file trains the model that predicts this one; None: this one is trained on.
    is_slow : bool
        Whether it is left to the slow tests.
    """

    name: str
    content: Callable[[], bytes]
    told: str
    code: int = 0
    options: tuple[str, ...] = ()
    trained_on: str | None = None
    is_slow: bool = False


def numbers(n_samples: int = N_SAMPLES, n_features: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Return samples with two decimals, and labels 0 and 1."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(n_samples, n_features)), 2)
    return X, (X[:, 0] + 0.1 * rng.normal(size=n_samples) > 0).astype(int)


X, Y = numbers()
WORDS = np.array(["no", "yes"])[Y]
MEASURED = np.round(50.0 + 10.0 * X[:, 0] + X[:, 1], 2)
AMOUNTS = 100 * (1 + np.arange(N_SAMPLES))
COLOUR = COLOURS[np.arange(N_SAMPLES) % 3]


def rows(*columns: Iterable[object]) -> list[list[str]]:
    """Return lines of cells."""
    return [[str(cell) for cell in line] for line in zip(*columns, strict=True)]


def text(
    header: str | None, lines: Iterable[Iterable[str]], delimiter: str = ",", end: str = "\n"
) -> bytes:
    """Return a table as text."""
    first = [] if header is None else [header]
    return (end.join([*first, *(delimiter.join(line) for line in lines)]) + end).encode()


def plain(header: str | None, labels: Iterable[object] = Y) -> bytes:
    """Return the three numbers and a label of every sample."""
    return text(header, rows(*X.T, labels))


def with_holes() -> bytes:
    """Return a table in which numbers are missing in the usual ways."""
    lines = rows(*X.T, Y)
    for k, hole in enumerate(("", "NA", "?", "nan", "NULL")):
        lines[5 * k][1] = hole
    return text("a,b,c,label", lines)


def zipped_by_arrow(content: bytes) -> bytes:
    """Return bytes packed with Zstandard."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return sink.getvalue().to_pybytes()


def as_parquet() -> bytes:
    """Return a Parquet file with text, and with a number that is missing."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    b = [None, *X[1:, 1].tolist()]
    pq.write_table(pa.table({"a": X[:, 0], "b": b, "colour": COLOUR, "label": WORDS}), sink)
    return sink.getvalue().to_pybytes()


def as_arff() -> bytes:
    """Return an ARFF file with a comment, a quoted name, quoted text and a missing number."""
    header = ["% made by hand", "@RELATION people", "@ATTRIBUTE 'my age' NUMERIC"]
    header += ["@ATTRIBUTE colour {'dark red',green,blue}", "@ATTRIBUTE class {no,yes}", "@DATA"]
    colours = np.where(COLOUR == "red", "'dark red'", COLOUR)
    lines = [",".join(line) for line in rows(["?", *X[1:, 0]], colours, WORDS)]
    return ("\n".join([*header, "% samples", *lines]) + "\n").encode()


def svmlight_from_zero() -> bytes:
    """Return an svmlight file whose features count from 0."""
    lines = [f"{y} 0:{a} 1:{b} 2:{c}" for (a, b, c), y in zip(X, Y, strict=True)]
    return ("\n".join(lines) + "\n").encode()


def wide() -> bytes:
    """Return a table of 20000 columns."""
    samples, labels = numbers(20, 20_000)
    header = ",".join([*(f"f{k}" for k in range(20_000)), "label"])
    return text(header, (map(str, [*x, y]) for x, y in zip(samples.tolist(), labels, strict=True)))


def long() -> bytes:
    """Return a table of a million lines, with little to learn."""
    X, y = numbers(1_000_000, 2)
    stream = io.BytesIO(b"a,b,label\n")
    stream.seek(0, io.SEEK_END)
    np.savetxt(stream, np.column_stack([X, y]), fmt="%g", delimiter=",")
    return stream.getvalue()


def replaced(column: int, values: Iterable[object], header: str | None = "a,b,c,label") -> bytes:
    """Return the table with other cells in a column, from the first line on."""
    lines = rows(*X.T, Y)
    for line, value in zip(lines, values, strict=False):
        line[column] = str(value)
    return text(header, lines)


NAMED = "a,b,c,label"
DATES = [f"2020-{1 + k % 12:02}-15" for k in range(N_SAMPLES)]
COMMENTS = [f'"first line\nsecond, {k % 2}"' for k in range(N_SAMPLES)]
COLOURED = "a,colour,c,label"

CASES = [
    Case("named.csv", lambda: plain(NAMED), "60 samples with 3 features.*first line holds names"),
    Case("numbers_as_names.csv", lambda: plain("0,1,2,target"), "60 samples.*'target'"),
    Case("years.csv", lambda: plain("2019,2020,2021,label", WORDS), "60 samples.*2 classes"),
    Case("counted_names.csv", lambda: plain("0,1,2,3"), "60 samples.*first line holds names"),
    Case("no_names.csv", lambda: plain(None), "60 samples.*columns have no names"),
    Case("forced.csv", lambda: plain("5,7,9,11"), "60 samples", 0, ("--header",)),
    Case(
        "index.csv",
        lambda: text(",a,b,c,target", rows(range(N_SAMPLES), *X.T, Y)),
        "3 features.*Left out: 'Unnamed: 0' .a number per row",
    ),
    Case(
        "ids.csv",
        lambda: text("PassengerId,a,b,c,label", rows(range(100, 160), *X.T, Y)),
        "3 features.*Left out: 'PassengerId'",
    ),
    Case(
        "chosen_ids.csv",
        lambda: text("key,a,b,c,label", rows(range(100, 160), *X.T, Y)),
        "3 features",
        options=("--id", "key"),
    ),
    Case("text_labels.csv", lambda: plain(NAMED, WORDS), "2 classes .no: "),
    Case(
        "labels_first.csv",
        lambda: text("Class,a,b,c", rows(WORDS, *X.T)),
        "2 classes.*labels are in 'Class'",
    ),
    Case(
        "categories.csv", lambda: replaced(1, COLOUR, COLOURED), "Categories.*'colour' .3.*3 feat"
    ),
    Case("categories_only.csv", lambda: text(None, rows(COLOUR, WORDS)), "no names.*'column 1' .3"),
    Case("codes.csv", lambda: replaced(1, np.arange(60) % 4), "'b' .4.", 0, ("--categorical", "b")),
    Case("holes.csv", with_holes, "60 samples.*fills in missing numbers in 1 column"),
    Case("holes_in_text.csv", lambda: replaced(1, ["", *COLOUR[1:]], COLOURED), "'colour' .4"),
    Case("constant.csv", lambda: replaced(1, [7] * 60), "Left out: 'b' .constant"),
    Case(
        "names_of_people.csv",
        lambda: replaced(1, [f"person {k}" for k in range(60)], "a,name,c,label"),
        "Left out: 'name'",
    ),
    Case("lines_in_cells.csv", lambda: replaced(1, COMMENTS, "a,note,c,label"), "'note' .2"),
    Case("bom.csv", lambda: b"\xef\xbb\xbf" + plain(NAMED), "3 features"),
    Case("windows.csv", lambda: plain(NAMED).replace(b"\n", b"\r\n"), "60 samples"),
    Case("mac.csv", lambda: plain(NAMED).replace(b"\n", b"\r"), "60 samples"),
    Case(
        "decimal_commas.csv",
        lambda: plain(NAMED).replace(b",", b";").replace(b".", b","),
        "60 samples.*decimal commas",
    ),
    Case("tabs.tsv", lambda: plain(NAMED).replace(b",", b"\t"), "60 samples"),
    Case("bars.txt", lambda: plain(NAMED).replace(b",", b"|"), "60 samples"),
    Case("commas.txt", lambda: plain(NAMED), "60 samples.*'label'"),
    Case("spaces.txt", lambda: plain(None).replace(b",", b"   "), "60 samples with 3 features"),
    Case("from_zero.txt", svmlight_from_zero, "60 samples with 3 features.*count from 0"),
    Case("packed.csv.gz", lambda: gzip.compress(plain(NAMED)), "60 samples"),
    Case("packed.csv.bz2", lambda: bz2.compress(plain(NAMED)), "60 samples"),
    Case("packed.csv.xz", lambda: lzma.compress(plain(NAMED)), "60 samples"),
    Case("packed.csv.zst", lambda: zipped_by_arrow(plain(NAMED)), "60 samples"),
    Case("table.parquet", as_parquet, "'colour' .3.*fills in missing numbers in 1 column"),
    Case("weka.arff", as_arff, "2 features.*'colour' .3.*fills in missing numbers in 1 column"),
    Case(
        "stray.arff",
        lambda: as_arff().replace(b"blue,no", b"blue,no,1"),
        "stray.arff, line [0-9]+: 4 cells, where the first line has 3",
        1,
    ),
    Case(
        "emoji.csv",
        lambda: plain("\U0001f600,größe,价格,label", np.array(["\U0001f44e", "\U0001f44d"])[Y]),
        "2 classes .\U0001f44d",
    ),
    Case("wide.csv", wide, "20 samples with 20000 features"),
    Case(
        "long.csv", long, "1000000 samples", options=("--linear", "--max-iter", "100"), is_slow=True
    ),
    Case("one_class.csv", lambda: plain(NAMED, ["a"] * 60), "at least two classes", 1),
    Case(
        "lonely_class.csv",
        lambda: plain(NAMED, ["maybe", *WORDS[1:]]),
        "a class has a single sample: .'maybe'.*--header",
    ),
    Case("one_column.csv", lambda: text("label", rows(Y)), "has 0 features", 1),
    Case("empty.csv", lambda: b"\n", "is empty", 1),
    Case("names_alone.csv", lambda: b"a,b,label\n", "no samples", 1),
    Case("dates.csv", lambda: replaced(1, DATES, "a,day,c,label"), "Left out: 'day' .dates"),
    Case(
        "dates_left_out.csv",
        lambda: replaced(1, DATES, "a,day,c,label"),
        "2 features",
        options=("--drop", "day"),
    ),
    Case(
        "stray.csv", lambda: replaced(1, ["1", "2", "oops"]), "line 4, column 'b': 'oops' is not", 1
    ),
    Case("infinite.csv", lambda: replaced(1, ["1", "inf"]), "not finite.* in sample 2", 1),
    Case(
        "label_missing.csv",
        lambda: replaced(3, ["1", ""]),
        "label is missing in 1 of 60 .*first in line 3.*--skip-unlabelled",
        1,
    ),
    Case(
        "labels_skipped.csv",
        lambda: replaced(3, ["1", ""]),
        "Read 59 samples.*Skipped 1 sample without a label",
        options=("--skip-unlabelled",),
    ),
    Case("ragged.csv", lambda: plain(NAMED) + b"1,2,3\n", "line 62: 3 cells, where", 1),
    Case("twins.csv", lambda: plain("a,a,c,label"), "two columns have the same name", 1),
    Case(
        "latin.csv",
        lambda: plain(NAMED, ["\xe4"] * 60).decode().encode("latin-1"),
        "line 2.*UTF-8",
        1,
    ),
    Case(
        "utf16.csv", lambda: plain(NAMED).decode().encode("utf-16"), "UTF-16; save it as UTF-8", 1
    ),
    Case("workbook.xlsx", lambda: b"PK\x03\x04" + bytes(60), "Excel.*CSV", 1),
    Case("damaged.csv.gz", lambda: gzip.compress(plain(NAMED))[:-9], "damaged or incomplete", 1),
    Case(
        "measured.csv",
        lambda: plain("a,b,c,weight", MEASURED),
        "measurements, not classes; predict numbers with --regress, .* --classify",
        1,
    ),
    Case(
        "amounts.csv",
        lambda: plain("a,b,c,amount", AMOUNTS),
        "60 different numbers as labels, from 100 to 6000, which may be measurements or classes",
        1,
    ),
    Case(
        "numbers.csv",
        lambda: plain("a,b,c,weight", MEASURED),
        "targets from .* The targets are in 'weight'",
        options=("--regress",),
    ),
    Case(
        "money.csv",
        lambda: plain("a,b,c,price", [f"${value:.2f}" for value in MEASURED]),
        "Read as numbers: 'price' .* The targets are in 'price'",
        options=("--regress",),
    ),
    Case(
        "codes_to_keep.csv",
        lambda: plain("a,b,c,code", 100 + np.arange(60) % 35),
        "35 classes",
        options=("--classify",),
    ),
    Case(
        "target_missing.csv",
        lambda: text("a,b,c,weight", rows(*X.T, ["", *MEASURED[1:]])),
        "the target is missing in 1 of 60 .*first in line 2.*--skip-unlabelled",
        1,
        options=("--regress",),
    ),
    Case(
        "targets_skipped.csv",
        lambda: text("a,b,c,weight", rows(*X.T, ["", *MEASURED[1:]])),
        "Read 59 samples.*Skipped 1 sample without a target",
        options=("--regress", "--skip-unlabelled"),
    ),
    Case(
        "text_as_target.csv",
        lambda: plain(NAMED, WORDS),
        "holds text in the column of targets, 'label', and regression needs numbers",
        1,
        options=("--regress",),
    ),
    Case("prices.csv", lambda: plain(NAMED, range(60)), "every sample has a label of its own", 1),
    Case("same_order.csv", lambda: plain(NAMED), "Accuracy 0.9", trained_on="named.csv"),
    Case(
        "other_order.csv",
        lambda: text("label,c,b,a", rows(Y, *X.T[::-1])),
        "Accuracy 0.9",
        trained_on="named.csv",
    ),
    Case(
        "numbers_again.csv",
        lambda: text("c,b,a,weight", rows(*X.T[::-1], MEASURED)),
        "R2 0.9",
        trained_on="numbers.csv",
    ),
    Case(
        "no_targets.csv",
        lambda: text("a,b,c,height", rows(*X.T, MEASURED)),
        "without targets.*does not use the columns .'height'",
        trained_on="numbers.csv",
    ),
    Case(
        "more_columns.csv",
        lambda: text("id,a,b,c,label,remark", rows(range(60), *X.T, Y, COLOUR)),
        "does not use the columns .'id', 'remark'.*Accuracy 0.9",
        trained_on="named.csv",
    ),
    Case(
        "ids_and_no_labels.csv",
        lambda: text("id,a,b,c", rows(range(100, 160), *X.T)),
        "without labels.*does not know the values in 'id' as classes",
        trained_on="named.csv",
    ),
    Case(
        "repeated_ids.csv",
        lambda: text("key,a,b,c", rows(range(100, 160), *X.T)),
        "key,label\n100,",
        trained_on="chosen_ids.csv",
    ),
    Case(
        "other_labels.csv",
        lambda: plain(NAMED, WORDS),
        "none of which the model knows: its classes are .'0', '1'.*--target",
        1,
        trained_on="named.csv",
    ),
    Case(
        "unknown_label.csv",
        lambda: plain(NAMED, [2, *Y[1:]]),
        "1 labels are unknown to the model.*Accuracy 0.9",
        trained_on="named.csv",
    ),
    Case(
        "no_names_here.csv",
        lambda: replaced(1, COLOUR, None),
        "no names.*Accuracy 0.9",
        trained_on="categories.csv",
    ),
    Case(
        "lacking.csv",
        lambda: text("a,label", rows(X[:, 0], Y)),
        "lacks the columns .'b', 'c'",
        1,
        trained_on="named.csv",
    ),
    Case(
        "new_colours.csv",
        lambda: replaced(1, ["violet", "", *COLOUR[2:]], COLOURED),
        "Accuracy 0.9",
        trained_on="categories.csv",
    ),
    Case(
        "new_holes.csv", with_holes, "missing.*sample 1.*trained without", 1, trained_on="named.csv"
    ),
    Case(
        "still_years.csv",
        lambda: plain("2019,2020,2021,label", WORDS),
        "60 samples.*Accuracy 0.9",
        trained_on="years.csv",
    ),
    Case(
        "no_zero_here.txt",
        lambda: b"1 1:0.5 2:1\n0 2:-1\n",
        "2 samples with 3 .*count from 0",
        trained_on="from_zero.txt",
    ),
    Case(
        "labels_unknown_yet.txt",
        lambda: b"9 0:1 1:0.5 2:1\n9 0:-1\n",
        "without labels.*labels .9. are ignored",
        trained_on="from_zero.txt",
    ),
]
