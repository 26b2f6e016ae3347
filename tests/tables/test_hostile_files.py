"""Data files that are made to fill the memory, to take for ever or to confuse."""

import bz2
import contextlib
import datetime as dt
import gzip
import io
import lzma
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest

from bandsvm._tables import data_file
from bandsvm._tables.columns import Columns, Kind
from bandsvm._tables.csv_columns import CsvColumns
from bandsvm._tables.csv_lines import Lines
from bandsvm._tables.data_file import DataFile
from bandsvm._tables.labels import tidy_labels
from bandsvm._tables.options import ReadOptions
from bandsvm._tables.remarks import DataFileError
from bandsvm._tables.roles import roles_for_model
from bandsvm._tables.table import Expected
from tests.helpers.counting import CountedText
from tests.helpers.tables import read
from torture import hostile_data

MEGABYTE = 2**20


def refused(path, words):
    """Check that a file is refused; return the bytes that this took."""
    tracemalloc.start()
    try:
        with pytest.raises(DataFileError, match=words) as caught:
            read(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert str(caught.value).startswith(str(path))
    return peak


def write_npz(path, n_values, method, declared=None):
    """Write an archive of zeros; say that they take ``declared`` bytes."""
    header = io.BytesIO()
    settings = {"descr": "<f8", "fortran_order": False, "shape": (n_values // 4, 4)}
    np.lib.format.write_array_header_1_0(header, settings)
    with zipfile.ZipFile(path, "w", method) as archive, archive.open("X.npy", "w") as member:
        member.write(header.getvalue())
        for _ in range(8 * n_values // MEGABYTE):
            member.write(bytes(MEGABYTE))
    if declared is not None:
        content = bytearray(path.read_bytes())
        at = content.rindex(b"PK\x01\x02")
        content[at + 24 : at + 28] = struct.pack("<I", declared)
        path.write_bytes(content)


@pytest.mark.heavy
@pytest.mark.parametrize("declared", [None, 1000, MEGABYTE])
@pytest.mark.parametrize("method", ["BZIP2", "LZMA", "DEFLATED"])
def test_archives_that_unpack_to_far_more_are_refused(method, declared, tmp_path):
    path = tmp_path / "bomb.npz"
    write_npz(path, 2**23, getattr(zipfile, f"ZIP_{method}"), declared)
    words = "NumPy does not write|over 100 times|not as large as it says|Bad CRC"
    assert refused(path, words) < MEGABYTE


def test_an_archive_that_holds_an_array_twice_is_refused(tmp_path):
    path = tmp_path / "twice.npz"
    np.savez(path, X=np.eye(3), y=np.arange(3))
    with (
        zipfile.ZipFile(path, "a") as archive,
        pytest.warns(UserWarning, match="Duplicate"),
        archive.open("X.npy", "w") as member,
    ):
        np.save(member, np.eye(3))
    refused(path, "twice")


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"X": np.empty((3, 0)), "y": [1, 2, 3]}, "has 0 features"),
        ({"X": np.eye(2), "y": np.array(["a", "b"], dtype="S1")}, "numbers or text"),
        ({"X": np.eye(2), "y": np.array([1j, 2])}, "numbers or text"),
        ({"X": np.eye(2), "y": np.array([0x110000, 1], "<u4").view("<U1")}, "numbers or text"),
        ({"X": np.eye(2), "y": np.array([0xD800, 1], "<u4").view("<U1")}, "numbers or text"),
        (
            {"data": [1.0], "indices": [2**40], "indptr": [0, 1], "shape": [1, 2**41], "y": [1]},
            "features; it must have from 1 to",
        ),
        (
            {"data": [1.0], "indices": [0], "indptr": [0, 1, 0], "shape": [2, 2], "y": [1, 2]},
            "no CSR matrix: indptr must not fall",
        ),
    ],
)
def test_archives_of_nonsense_are_refused(arrays, words, tmp_path):
    np.savez(tmp_path / "odd.npz", **arrays)
    refused(tmp_path / "odd.npz", words)


def test_a_header_that_does_not_end_is_refused(tmp_path):
    stream = io.BytesIO()
    np.save(stream, np.eye(2))
    content = stream.getvalue().replace(b"(2, 2), }", b"(2, 2  , ")
    with zipfile.ZipFile(tmp_path / "open.npz", "w") as archive:
        archive.writestr("X.npy", content)
    refused(tmp_path / "open.npz", "not an NPZ file that can be read")


@pytest.mark.slow
def test_packed_text_is_refused_once_it_has_grown_too_much(tmp_path):
    row = b"0," * 1000 + b"1\n"
    packs = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
    for suffix, pack in packs.items():
        path = tmp_path / f"bomb.csv.{suffix}"
        path.write_bytes(pack(row * 20_000))
        assert refused(path, "over 100 times.*BANDSVM_LARGEST_RATIO") < 3 * data_file.ALWAYS_FINE


def test_xz_in_several_streams_is_read_to_its_end(tmp_path):
    path = tmp_path / "twice.csv.xz"
    parts = [lzma.compress(text) for text in (b"a,b,y\n1,2,0\n3,4,1\n", b"5,6,0\n7,8,1\n")]
    path.write_bytes(parts[0] + bytes(8) + parts[1])
    assert read(path).X.tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]
    for content in (parts[0][:-9], parts[0] + b"rubbish", b"\xfd7zXZ\0" + bytes(99)):
        path.write_bytes(content)
        refused(path, "damaged or incomplete")


def packed_zeros(n_rows):
    """Return an archive that unpacks to far more than its size."""
    inner = io.BytesIO()
    np.savez_compressed(inner, X=np.zeros((n_rows, 4000)), y=np.arange(n_rows) % 2)
    return inner.getvalue()


def test_packing_twice_does_not_multiply_what_is_allowed(tmp_path):
    path = tmp_path / "twice.npz.gz"
    path.write_bytes(gzip.compress(packed_zeros(1200)))
    refused(path, "over 100 times its size")


def test_whoever_trusts_a_file_can_say_so(tmp_path, monkeypatch):
    path = tmp_path / "zeros.npz"
    path.write_bytes(packed_zeros(1200))
    refused(path, "over 100 times")
    monkeypatch.setenv("BANDSVM_LARGEST_RATIO", "2000")
    assert read(path).X.shape == (1200, 4000)
    for wrong in ("many", "0", "-1", ""):
        monkeypatch.setenv("BANDSVM_LARGEST_RATIO", wrong)
        with pytest.raises(ValueError, match="BANDSVM_LARGEST_RATIO must be a whole number"):
            read(path)


def test_text_is_read_without_copies_of_it(tmp_path):
    path = tmp_path / "zeros.csv"
    path.write_bytes((b"0," * 1000 + b"1\n" + b"0," * 1000 + b"2\n") * 1500)
    tracemalloc.start()
    try:
        table = read(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert table.X.shape == (3000, 1000)
    assert peak < 1.3 * (path.stat().st_size + table.X.nbytes)


AS_PLAIN_AS_POSSIBLE = [
    b"\n\n0,1,2\n5,6,0\n7,8,1\n",
    b"1,2,0\r3,4,1\r",
    b'"1","2",0\n3,4,1\n',
    b"1,2,0\n\n , \n3,4,1\n",
    b"1,2,0\n3,4,nan\n",
    b"1,nan,0\n3,inf,1\n",
    b"1,1_0,0\n3,4,1\n",
    b"1, 2 ,0\n3,0x10,1\n",
    "1,\u0662,0\n3,4,1\n".encode(),
    b"1,2,0\n3,4,1,\n",
    b"1,2,0\n3,4\n",
    b"a,b,y\n1e400,2,0\n3,-1e-400,1\n",
    b"1,2,0\n3,4,1\n\xff,2,0\n",
    b"1,2,9007199254740993\n3,4,1\n",
]


@pytest.mark.parametrize("number", range(60 + len(AS_PLAIN_AS_POSSIBLE)))
def test_both_ways_to_read_text_agree(number):
    """NumPy reads tables of numbers faster; it must read them as the csv module does."""
    if number < 60:
        content = hostile_data.csv_text(np.random.default_rng(number))[:20_000]
    else:
        content = AS_PLAIN_AS_POSSIBLE[number - 60]
    outcomes = []
    # Columns other than labels are never read by NumPy, as their blanks may count.
    for has_labels in (True, False):
        try:
            text = CsvColumns(DataFile("table.csv", content, len(content)), None)
            *numbers, last = range(text.n_columns)
            X, coded = text.read(numbers, {last: None}, last if has_labels else None)
            outcomes.append((X.tolist(), tidy_labels(coded[last].values()).tolist()))
        except DataFileError as error:
            outcomes.append(str(error))
    assert repr(outcomes[0]) == repr(outcomes[1])  # nan is nan


def test_tables_of_numbers_are_read_by_numpy():
    content = b"a,b,y\n" + b"1,2,0\n3,4,1\n" * 5
    X, coded = CsvColumns(DataFile("plain.csv", content, len(content)), None).read(
        [0, 1], {2: None}, 2
    )
    assert X.tolist() == [[1, 2], [3, 4]] * 5
    assert coded[2].levels.tolist() == [0.0, 1.0]  # the other reader has texts


def test_one_long_label_does_not_make_all_of_them_long(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_bytes(b"a,y\n" + b"1,x\n" * 5_000 + b"1," + b"x" * 20_000 + b"\n" + b"1,x\n" * 9)
    assert refused(path, "labels in column 'y' have up to 20000 characters") < 32 * MEGABYTE


def test_too_many_columns_for_a_table(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_bytes(b"0," * 2**20 + b"1\n")
    assert refused(path, "more columns than 1048576") < 8 * MEGABYTE


@pytest.mark.parametrize("cell", [b"0,", b","])
def test_columns_take_little_memory_beside_their_cells(cell, tmp_path):
    n_columns = 2**13
    path = tmp_path / "line.csv"
    path.write_bytes(cell * (n_columns - 1) + b"1\n")
    # 2**20 columns of two bytes must stay within 128 MiB, or 128 bytes each.
    assert refused(path, "the single class") < 128 * n_columns


def test_cells_in_quotes_take_little_memory():
    n_columns = 2**14
    content = b'"0",' * (n_columns - 1) + b"1\n"
    tracemalloc.start()
    try:
        assert Lines(DataFile("quoted.csv", content, len(content))).n_columns == n_columns
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 128 * n_columns


@pytest.mark.parametrize(("names", "n_features"), [(None, 2**14 - 1), (None, 3), (["column 3"], 1)])
def test_columns_of_a_file_to_predict_take_little_memory(names, n_features):
    n_columns = 2**14
    columns = Columns("some.csv", None, n_columns, [Kind.NUMBER] * n_columns)
    model = Expected(n_features, names, frozenset(), False, False, ["0", "1"])
    tracemalloc.start()
    try:
        with contextlib.nullcontext() if n_features != 3 else pytest.raises(DataFileError):
            roles_for_model(columns, ReadOptions(), model)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 96 * n_columns


def test_columns_of_which_one_is_wanted_twice():
    content = b"a,b,y\n1,2,x\n3,4,y\n"
    columns = CsvColumns(DataFile("twice.csv", content, len(content)), None)
    X, _ = columns.read([1, 0, 1], {2: None}, 2)
    assert X.tolist() == [[2, 1, 2], [4, 3, 4]]


@pytest.mark.heavy
def test_lines_that_cannot_be_read_are_found_without_a_list_of_all(tmp_path):
    path = tmp_path / "long.svm"
    path.write_bytes(b"12 3:4\n" * 40_000 + b"1 x\n")
    tracemalloc.start()
    try:
        with pytest.raises(DataFileError, match="line 40001: 'x' is not a feature"):
            read(path)
        assert tracemalloc.get_traced_memory()[1] < 6 * path.stat().st_size
    finally:
        tracemalloc.stop()


class TestParquet:
    """Parquet files."""

    @pytest.fixture(autouse=True)
    def arrow(self):
        self.pa = pytest.importorskip("pyarrow")
        self.pq = pytest.importorskip("pyarrow.parquet")

    def write(self, path, columns, **settings):
        self.pq.write_table(self.pa.table(columns), path, **settings)

    def test_sizes_are_checked_before_anything_is_unpacked(self, tmp_path, monkeypatch):
        columns = {f"f{k}": np.zeros(2**17) for k in range(64)}
        self.write(tmp_path / "bomb.parquet", columns)

        def unpack(*arguments, **settings):
            raise AssertionError("something was unpacked")

        monkeypatch.setattr(self.pq.ParquetFile, "iter_batches", unpack)
        monkeypatch.setattr(self.pq.ParquetFile, "read", unpack)
        refused(tmp_path / "bomb.parquet", "over 100 times")

    @pytest.mark.heavy
    def test_long_labels_that_are_stored_once_stay_so(self, tmp_path):
        labels = self.pa.array(["x" * 50_000, "y"] * 5000)
        self.write(tmp_path / "l.parquet", {"f": np.arange(10_000.0), "label": labels})
        before = self.pa.total_allocated_bytes()
        refused(tmp_path / "l.parquet", "labels in column 'label' have up to 50000 characters")
        assert self.pa.total_allocated_bytes() - before < MEGABYTE

    def test_kinds_of_columns(self, tmp_path):
        columns = {
            "whole": self.pa.array([1, 2, 3], self.pa.uint8()),
            "half": self.pa.array(np.array([1, 2, 3], np.float16)),
            "flag": [True, False, True],
            "with.dot": [0.5, 1.5, 2.5],
        }
        for labels in (["a", "b", "a"], [1, 2, 1], [True, False, True], [1.0, 2.0, 1.0]):
            for kind in (labels, self.pa.array(labels).dictionary_encode()):
                self.write(tmp_path / "k.parquet", {**columns, "label": kind})
                table = read(tmp_path / "k.parquet")
                assert table.y.tolist() == labels
                expected = [[1, 1, 1, 0.5], [2, 2, 0, 1.5], [3, 3, 1, 2.5]]
                assert table.X.tolist() == expected

    @pytest.mark.parametrize(("unit", "when"), [("s", 10**15), ("us", 2**62)])
    def test_dates_that_python_does_not_know_are_refused(self, unit, when, tmp_path):
        dates = self.pa.array([when, 1] * 10).cast(self.pa.timestamp(unit))
        self.write(tmp_path / "d.parquet", {"label": dates, "f": np.arange(20.0)})
        refused(tmp_path / "d.parquet", "'label', which Python cannot represent")

    def test_many_columns_and_row_groups(self, tmp_path, rng):
        X = rng.normal(size=(150, 130))
        columns = {f"f{k}": X[:, k] for k in range(130)}
        self.write(tmp_path / "m.parquet", {**columns, "y": np.arange(150) // 2}, row_group_size=40)
        table = read(tmp_path / "m.parquet")
        np.testing.assert_array_equal(table.X, X)
        assert table.y.tolist() == [k // 2 for k in range(150)]

    @pytest.mark.parametrize(
        ("columns", "words"),
        [
            ({"f": [1.0, np.inf], "y": [1, 2]}, "not finite.* in sample 2"),
            ({"f": [1.0, None], "y": [1, 2]}, "has 0 features.* 'f' .constant"),
            ({"f": [dt.date(2020, 1, 1)], "y": [1]}, "has 0 features.* 'f' .dates"),
            ({"f": [[1]], "y": [1]}, "holds values of another kind in its column 'f'.*with drop"),
            ({"f": [1.0, 2.0], "y": ["a", None]}, "the label is missing in 1 of 2 .* in sample 2"),
            ({"f": ["a", "b"], "y": [1, 2]}, "has 0 features.* 'f' .no value"),
            ({"f": [1.0], "y": [[1]]}, "holds list.* in its column 'y'"),
            ({"f": [1.0], "y": [b"a"]}, "holds binary in its column 'y'"),
        ],
    )
    def test_columns_that_are_no_use(self, columns, words, tmp_path):
        self.write(tmp_path / "n.parquet", columns)
        refused(tmp_path / "n.parquet", words)

    def test_two_columns_of_one_name(self, tmp_path):
        arrays = [self.pa.array([1.0]), self.pa.array([2.0]), self.pa.array([1])]
        table = self.pa.Table.from_arrays(arrays, names=["f", "f", "y"])
        self.pq.write_table(table, tmp_path / "t.parquet")
        refused(tmp_path / "t.parquet", "two columns have the same name")


def chosen(columns, wanted):
    model = Expected(len(wanted), wanted, frozenset(), False, False, ["0", "1"])
    return roles_for_model(columns, ReadOptions(), model)


@pytest.mark.parametrize("is_complete", [True, False])
def test_columns_are_chosen_in_linear_time(is_complete):
    n_columns = 3000
    names = [CountedText(f"f{k}") for k in range(n_columns)]
    wanted = [CountedText(f"f{k}") for k in reversed(range(1, n_columns + (not is_complete)))]
    CountedText.n_comparisons = 0
    columns = Columns("some.csv", names, n_columns, [Kind.NUMBER] * n_columns)
    if is_complete:
        choice = chosen(columns, wanted)
        assert choice.features == list(reversed(range(1, n_columns)))
        assert choice.target == 0
    else:
        with pytest.raises(DataFileError, match=r"lacks the columns \['f3000'\] of the model"):
            chosen(columns, wanted)
    assert CountedText.n_comparisons < 3 * n_columns


def test_a_message_names_some_of_many_columns():
    columns = Columns("some.csv", ["a"], 1, [Kind.NUMBER])
    with pytest.raises(DataFileError) as caught:
        chosen(columns, [f"f{k}" for k in range(20_000)])
    assert len(str(caught.value)) < 200


def test_labels_are_coded_in_memory_that_has_a_bound(tmp_path):
    path = tmp_path / "short_lines.csv"
    path.write_bytes(b"-1,1\n" * 200_000)
    # Two numbers for every five bytes take 3.2 times the file.
    assert refused(path, "the single class") < 10 * path.stat().st_size
