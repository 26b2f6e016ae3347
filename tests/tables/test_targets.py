"""Targets that are numbers: read as such, asked about, or refused in a sentence."""

import io

import numpy as np
import pytest

from bandsvm._tables.options import ReadOptions
from bandsvm._tables.reading import read_table
from bandsvm._tables.remarks import DataFileError
from bandsvm._tables.table import Expected, Notes
from bandsvm._workflow.naming import page_name, shell_name
from bandsvm._workflow.source import Source
from tests.helpers.iris_files import npz
from tests.helpers.tables import read

LINES = [(0.5 * k, k % 3, 10 * k) for k in range(40)]


def written(folder, lines, name="t.csv", header="a,b,y"):
    """Write lines of cells as CSV; return the path."""
    path = folder / name
    path.write_text("\n".join([header, *(",".join(map(str, line)) for line in lines)]))
    return path


def refused(path, **options):
    """Read a file and expect an error; return it as the shell says it."""
    with pytest.raises(DataFileError) as caught:
        read(path, **options)
    return caught.value.render(shell_name)


def model_of(names, target="y"):
    """Return what a regressor expects."""
    notes = Notes(target)
    return Expected(len(names), list(names), frozenset(), False, False, [], notes)


@pytest.mark.parametrize("last", [lambda k: 10 * k, lambda k: k + 0.25, lambda k: k * k])
def test_a_target_of_many_numbers_is_asked_about(last, tmp_path):
    path = written(tmp_path, [(a, b, last(k)) for k, (a, b, _) in enumerate(LINES)])
    said = refused(path)
    assert "predict numbers with --regress, take each number as a class with --classify" in said
    assert said.count(".csv") == 1
    assert read(path, task="regress").task == "regress"


@pytest.mark.parametrize(
    "labels",
    [
        [k % 30 for k in range(90)],  # not so many
        [k % 40 for k in range(90)],  # codes, from 0
        [1 + k % 40 for k in range(90)],
        [1900 + k % 40 for k in range(900)],  # many of each
        [f"t{k % 40}" for k in range(90)],
    ],
)
def test_labels_that_are_clearly_classes_are_not(labels, tmp_path):
    path = written(tmp_path, [(k, k % 7, label) for k, label in enumerate(labels)])
    assert read(path).task == "classify"


def test_both_answers_are_taken(tmp_path):
    path = written(tmp_path, [(k, k % 7, 1900 + k % 40) for k in range(90)])
    assert "which may be measurements or classes" in refused(path)
    classes, numbers = read(path, task="classify"), read(path, task="regress")
    assert len(np.unique(classes.y)) == 40
    assert classes.y.dtype == np.int64
    assert numbers.y.dtype == np.float64
    np.testing.assert_array_equal(numbers.y, classes.y)
    np.testing.assert_array_equal(numbers.X, classes.X)


def test_fractions_become_names_of_classes_if_asked_for(tmp_path):
    path = written(tmp_path, [(k, k % 7, [0.5, 1.5, 2][k % 3]) for k in range(30)])
    assert "labels such as 0.5, which are measurements" in refused(path)
    assert sorted({*read(path, task="classify").y.tolist()}) == ["0.5", "1.5", "2.0"]


@pytest.mark.parametrize(
    ("style", "sign"), [("${:,.2f}", "$"), ("{:.2f}%", "%"), ("{}", ""), ("EUR {:,.0f}", "EUR")]
)
def test_targets_are_written_as_numbers_often_are(style, sign, tmp_path):
    values = [1000.25 + 500 * k for k in range(20)]
    cells = [style.format(value).replace(",", "") for value in values]
    path = written(tmp_path, [(k, k % 3, cell) for k, cell in enumerate(cells)])
    table = read(path, task="regress")
    np.testing.assert_allclose(table.y, values, rtol=1e-3)
    assert ("Read as numbers: 'y'" in table.describe()) == bool(sign)
    assert "targets from" in table.describe()
    assert "The targets are in 'y'." in table.describe()


@pytest.mark.parametrize("missing", ["", "NA", "?", "nan", "-"])
def test_missing_targets(missing, tmp_path):
    lines = [(a, b, missing if k % 5 == 3 else y) for k, (a, b, y) in enumerate(LINES)]
    path = written(tmp_path, lines)
    said = refused(path, task="regress")
    assert "the target is missing in 8 of 40 samples (column 'y', first in line 5)" in said
    assert "--skip-unlabelled" in said
    table = read(path, task="regress", skip_unlabelled=True)
    assert len(table.y) == 32
    assert table.n_skipped == 8
    assert np.isfinite(table.y).all()
    assert table.X.shape == (32, 2)
    assert "Skipped 8 samples without a target." in table.describe()
    # A model predicts all samples, and compares none.
    table = read_table(str(path), expected=model_of("ab"))
    assert table.y is None
    assert len(table.X) == 40
    assert "Targets are missing in 8 of 40 samples (column 'y'), so targets are ignored" in (
        table.describe()
    )


def test_text_is_no_target(tmp_path):
    path = written(tmp_path, [(k, k % 3, ["red", "blue"][k % 2]) for k in range(20)])
    said = refused(path, task="regress")
    assert "holds text in the column of targets, 'y', and regression needs numbers" in said
    assert "--target, or predict classes with --classify" in said
    path = written(tmp_path, [(k, k % 3, f"2024-01-{1 + k}") for k in range(20)])
    assert "holds dates in the column of targets" in refused(path, task="regress")
    path = written(tmp_path, [(k, k % 3, "oops" if k == 7 else k + 0.5) for k in range(40)])
    assert "line 9, column 'y': 'oops' is not a number" in refused(path, task="regress")


@pytest.mark.parametrize("value", ["inf", "-inf", "1e200"])
def test_targets_must_be_finite(value, tmp_path):
    path = written(tmp_path, [(k, k % 3, value if k == 7 else k + 0.5) for k in range(40)])
    assert "a target that is not finite, or too large, in sample 8" in refused(path, task="regress")


def test_all_targets_the_same_are_warned_of(tmp_path):
    table = read(written(tmp_path, [(k, k % 3, 5) for k in range(20)]), task="regress")
    assert [warning.render(shell_name) for warning in table.warnings] == [
        "all targets are 5; if these are no targets, see --header and --target."
    ]


def test_npz_and_svmlight(tmp_path):
    X = np.arange(60.0).reshape(30, 2) % 7
    y = np.linspace(-3.5, 8.25, 30)
    (tmp_path / "t.npz").write_bytes(npz(X=X, y=y))
    assert "which are measurements" in refused(tmp_path / "t.npz")
    np.testing.assert_array_equal(read(tmp_path / "t.npz", task="regress").y, y)
    lines = [f"{target!r} 1:{a} 2:{b}" for target, (a, b) in zip(y.tolist(), X, strict=True)]
    (tmp_path / "t.svm").write_text("\n".join(lines) + "\n")
    np.testing.assert_array_equal(read(tmp_path / "t.svm", task="regress").y, y)
    (tmp_path / "t.npz").write_bytes(npz(X=X, y=np.array(["a", "b"] * 15)))
    assert "holds text as targets" in refused(tmp_path / "t.npz", task="regress")
    y[3] = np.nan
    (tmp_path / "t.npz").write_bytes(npz(X=X, y=y))
    assert "first in sample 4" in refused(tmp_path / "t.npz", task="regress")
    (tmp_path / "t.npz").write_bytes(npz(X=X))
    assert "holds no targets, which training needs" in refused(tmp_path / "t.npz", task="regress")


def test_parquet(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    y = np.linspace(-3.5, 8.25, 30)
    for values in (pa.array(y), pa.array(y.astype(np.float32)), pa.array([f"${v:.2f}" for v in y])):
        table = pa.table({"a": np.arange(30.0, dtype=np.float32) % 7, "y": values})
        pq.write_table(table, tmp_path / "t.parquet")
        read_again = read(tmp_path / "t.parquet", task="regress")
        np.testing.assert_allclose(read_again.y, y, atol=0.006)
        assert read_again.y.dtype == np.float64


def test_a_model_takes_targets_by_their_name_and_no_other_column(tmp_path):
    path = written(tmp_path, LINES)
    np.testing.assert_array_equal(
        read_table(str(path), expected=model_of("ab")).y, [y for *_, y in LINES]
    )
    # Another column that nobody knows is no target.
    path = written(tmp_path, LINES, header="a,b,weight")
    table = read_table(str(path), expected=model_of("ab"))
    assert table.y is None
    assert "does not use the columns ['weight']" in table.describe()
    assert read_table(str(path), ReadOptions(target="weight"), model_of("ab")).y is not None
    # Nor is text, unless somebody says so.
    path = written(tmp_path, [(a, b, "text") for a, b, _ in LINES])
    with pytest.raises(DataFileError, match="regression needs numbers"):
        read_table(str(path), expected=model_of("ab"))
    path = written(tmp_path, [(a, b, "text") for a, b, _ in LINES], header="a,b,target")
    assert read_table(str(path), expected=model_of("ab", None)).y is None


def test_plain_and_careful_reading_agree(tmp_path):
    """NumPy reads files of plain numbers; one odd cell brings the other reader."""
    plain = read(written(tmp_path, LINES), task="regress")
    odd = [(f'"{a}"' if k == 9 else a, b, y) for k, (a, b, y) in enumerate(LINES)]
    careful = read(written(tmp_path, [*odd, ("", 1, 5)]), task="regress")
    np.testing.assert_array_equal(plain.X, careful.X[:-1])
    np.testing.assert_array_equal(plain.y, careful.y[:-1])


def test_the_page_says_how_numbers_are_predicted():
    content = "\n".join(["a,y", *(f"{k % 5},{k + 0.5}" for k in range(30))]).encode()
    with pytest.raises(DataFileError) as caught:
        Source.of_bytes("t.csv", io.BytesIO(content).getvalue()).table(_choices())
    assert "predict numbers with “Numbers”" in caught.value.render(page_name)


def _choices():
    from bandsvm._workflow.source import Choices

    return Choices()
