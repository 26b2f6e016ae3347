"""Files larger than memory: read in blocks, fitted and predicted from temporary files."""

import io
import json
import os
import re
import tempfile
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file

import bandsvm
from bandsvm._kernels import linear as linear_operator
from bandsvm._tables import large as large_module
from bandsvm._tables import scratch as scratch_module
from bandsvm.cli import main

RNG = np.random.default_rng(0)
N_SAMPLES, N_FEATURES = 1500, 6
X = RNG.normal(size=(N_SAMPLES, N_FEATURES)) * [1, 10, 0.1, 5, 1, 1] + [0, 3, 0, 9, 0, -4]
Y = (X[:, 0] + X[:, 1] / 10 + RNG.normal(size=N_SAMPLES) > 0.3).astype(int)
NAMES = [f"f{k}" for k in range(N_FEATURES)]
# Rows and text of a block, so small that files have many blocks.
SMALL = 4096


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Let blocks be small, and temporary files be made where they are counted."""
    monkeypatch.setattr(large_module, "TEXT_BYTES", SMALL)
    monkeypatch.setattr(scratch_module, "ROWS_BYTES", SMALL)


def table(X, y, header=True):
    lines = [",".join([*NAMES, "label"])] if header else []
    lines += [
        ",".join(["" if np.isnan(v) else repr(float(v)) for v in row] + [str(label)])
        for row, label in zip(X, y, strict=True)
    ]
    return "\n".join(lines).encode() + b"\n"


def svmlight(X, y, zero_based=False):
    stream = io.BytesIO()
    dump_svmlight_file(X, y, stream, zero_based=zero_based)
    return stream.getvalue()


def parquet(X, y, dtype=np.float64):
    pa, pq = (pytest.importorskip(name) for name in ("pyarrow", "pyarrow.parquet"))
    columns = {name: X[:, k].astype(dtype) for k, name in enumerate(NAMES)} | {"label": y}
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink, row_group_size=200)
    return sink.getvalue().to_pybytes()


SPARSE = np.where(RNG.random((N_SAMPLES, N_FEATURES)) < 0.3, X, 0.0)
LACKING = np.where(RNG.random((N_SAMPLES, N_FEATURES)) < [0.1, 0, 0.2, 0, 0, 0], np.nan, X)
SPECIES = np.array(["no", "yes"])
FILES = {
    "plain.csv": lambda: table(X, Y),
    "bare.csv": lambda: table(X, Y, header=False),
    "words.csv": lambda: table(X, SPECIES[Y]),
    "late.csv": lambda: table(X, [*map(str, Y[:-3]), "1", "0", "other"]),
    "missing.csv": lambda: table(LACKING, SPECIES[Y]),
    "constant.csv": lambda: table(np.column_stack([X[:, :-1], np.ones(N_SAMPLES)]), Y),
    "dense.svm": lambda: svmlight(X, Y),
    "sparse.svm": lambda: svmlight(SPARSE, Y),
    "zero.svm": lambda: svmlight(SPARSE, Y, zero_based=True),
    "plain.parquet": lambda: parquet(X, Y),
    "words.parquet": lambda: parquet(LACKING, SPECIES[Y]),
    "single.parquet": lambda: parquet(X, Y, np.float32),
}


def run(*arguments):
    """Run a command; return its exit code."""
    return main([str(argument) for argument in arguments])


@pytest.mark.filterwarnings("ignore:a class has a single sample")
@pytest.mark.parametrize("scale", ["standard", "maxabs", "none"])
@pytest.mark.parametrize("name", FILES)
def test_model_and_predictions_are_those_of_memory(name, scale, folder, capsys):
    (folder / name).write_bytes(FILES[name]())
    # Newton steps of the same number; coordinate descent ends anywhere within its tol.
    fit = ["fit", name, "--linear", "--solver", "newton", "--scale", scale]
    codes = {run(*fit, "--model", "m.bsvm"), run(*fit, "--model", "d.bsvm", "--on-disk")}
    assert len(codes) == 1
    told = capsys.readouterr().out
    assert "is read in blocks; its numbers" in told
    memory, disk = bandsvm.load("m.bsvm"), bandsvm.load("d.bsvm")
    steps = [[type(s).__name__ for _, s in getattr(m, "steps", [])] for m in (memory, disk)]
    assert steps[0] == steps[1]
    first, second = (m[-1] if hasattr(m, "steps") else m for m in (memory, disk))
    tight = 1e-4 if name.startswith("single") else 1e-9
    np.testing.assert_allclose(second.coef_, first.coef_, rtol=0, atol=tight)
    np.testing.assert_allclose(second.intercept_, first.intercept_, rtol=0, atol=tight)
    np.testing.assert_array_equal(second.classes_, first.classes_)
    predict = ["predict", name, "--model", "d.bsvm", "--json", "--values", "--band"]
    assert run(*predict) == run(*predict, "--on-disk") == 0
    one, other = map(json.loads, capsys.readouterr().out.splitlines())
    for key in [key for key in one if key.startswith("value")]:
        np.testing.assert_allclose(one.pop(key), other.pop(key), rtol=0, atol=1e-12)
    assert one == other


@pytest.mark.heavy
def test_little_memory_is_used(folder, monkeypatch, capsys):
    """Neither text nor numbers of a file are ever in memory as a whole."""
    many = RNG.normal(size=(4000, 300))
    labels = (many[:, 0] > 0).astype(int)
    np.savetxt("wide.csv", np.column_stack([many, labels]), delimiter=",", fmt="%.9g")
    for module, name in (
        (large_module, "TEXT_BYTES"),
        (large_module, "JUDGED_BYTES"),
        (scratch_module, "ROWS_BYTES"),
        (linear_operator, "CHUNK_BYTES"),
    ):
        monkeypatch.setattr(module, name, 2**18)
    fit = ["fit", "wide.csv", "--model", "m.bsvm", "--linear", "--quiet", "--solver", "cd"]
    fit += ["--max-iter", "2", "--jobs", "1"]
    peaks = {}
    run(*fit)  # imports
    for where in ([], ["--on-disk"]):
        tracemalloc.start()
        assert run(*fit, *where) == 3
        peaks[len(where)] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peaks[0] > 2 * many.nbytes
    assert peaks[1] < 0.3 * many.nbytes


@pytest.mark.heavy
def test_reports_of_files_on_disk(folder):
    pytest.importorskip("matplotlib")
    (folder / "t.csv").write_bytes(table(X[:, :2], Y).replace(b"f2,f3,f4,f5,", b""))
    fit = ["fit", "t.csv", "--linear", "--model", "m.bsvm", "--quiet", "--report"]
    predict = ["predict", "t.csv", "--model", "m.bsvm", "--output", "p.csv", "--quiet", "--report"]
    for command in (fit, predict):
        assert run(*command, "memory.html") == run(*command, "disk.html", "--on-disk") == 0
        pages = [(folder / name).read_text() for name in ("memory.html", "disk.html")]
        # Two features make a picture of the decision rule.
        assert pages[0].count("<img") == pages[1].count("<img") == 3


@pytest.fixture
def free_memory(monkeypatch):
    """A function that says how much memory there is; no file is small."""
    monkeypatch.setattr(large_module, "NEVER_LARGE", 0)
    return lambda free: monkeypatch.setattr(large_module, "available_bytes", lambda: free)


def test_size_decides(folder, free_memory, capsys):
    (folder / "t.csv").write_bytes(table(X, Y))
    fit = ["fit", "t.csv", "--model", "m.bsvm"]
    for free, is_on_disk in ((1e9, False), (1e5, True)):
        free_memory(free)
        assert run(*fit, "--linear") == 0
        assert ("is read in blocks" in capsys.readouterr().out) == is_on_disk
        assert run("predict", "t.csv", "--model", "m.bsvm", "--output", "p.csv") == 0
        assert ("is read in blocks" in capsys.readouterr().out) == is_on_disk
    assert run(*fit) == 0
    assert "is read in blocks" not in capsys.readouterr().out


def test_full_disk_is_found_before_the_work(folder, capsys):
    """A file of terabytes, of which the disk stores the beginning alone, is not read."""
    (folder / "t.csv").write_bytes(table(X, Y) * 40)
    os.truncate("t.csv", 2**43)
    assert run("fit", "t.csv", "--model", "m.bsvm", "--linear", "--on-disk") == 1
    told = capsys.readouterr().err
    assert re.search("needs about .* GB of disk .*; set TMPDIR to a folder with more room", told)


def test_disk_that_fills_up_gets_one_sentence(folder, monkeypatch, capsys):
    (folder / "t.csv").write_bytes(table(X, Y))

    class FullDisk(io.BytesIO):
        def write(self, _):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(scratch_module.tempfile, "TemporaryFile", lambda **_: FullDisk())
    assert run("fit", "t.csv", "--model", "m.bsvm", "--linear", "--on-disk", "--quiet") == 1
    assert "No space left on device; set TMPDIR" in capsys.readouterr().err
    assert os.listdir(folder) == ["t.csv"]


@pytest.mark.parametrize("error", [None, KeyboardInterrupt, ValueError])
def test_temporary_files_are_removed(error, folder, monkeypatch, capsys):
    scratch = folder / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    (folder / "t.csv").write_bytes(table(X, Y))

    def fit(model, X, y, checkpoint):
        assert isinstance(X, np.memmap)
        # They have no name even now.
        assert os.listdir(scratch) == []
        raise error("no")

    if error is not None:
        monkeypatch.setattr("bandsvm.cli.fit.train", fit)
    code = run("fit", "t.csv", "--model", "m.bsvm", "--linear", "--on-disk")
    assert code == {None: 0, KeyboardInterrupt: 130, ValueError: 1}[error]
    assert os.listdir(scratch) == []
    if error is None:
        assert str(scratch) in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.csv", b"a,b,y\n1,red,0\n2,blue,1\n3,red,0\n", "has categories in the columns ['b']"),
        ("t.csv", b'a,y\n1,"' + b"x\n" * SMALL + b'"\n2,z\n', "goes over several lines"),
        ("t.csv.gz", b"\x1f\x8b...", "is packed"),
        ("t.npz", b"PK\x03\x04", "is of the format npz"),
    ],
)
def test_what_blocks_cannot_hold_is_refused(name, content, words, folder, capsys):
    (folder / name).write_bytes(content)
    assert run("fit", name, "--model", "m.bsvm", "--linear", "--on-disk") == 1
    told = capsys.readouterr().err
    assert words in told
    assert "leave --on-disk out to read it into memory" in told


def test_categories_of_a_large_file_are_read_into_memory(folder, free_memory, capsys):
    pytest.importorskip("pandas")
    free_memory(1.0)
    rows = [f"{k},{'red' if k % 3 else 'blue'},{k % 2}" for k in range(60)]
    (folder / "t.csv").write_text("\n".join(["a,b,y", *rows]))
    assert run("fit", "t.csv", "--model", "m.bsvm", "--linear") in (0, 3)
    told = capsys.readouterr().out
    assert "Categories" in told
    assert "is read in blocks" not in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fit", "t.csv"], "--on-disk is for linear models; add --linear"),
        (["fit", "t.csv", "--linear", "--calibrate"], "--calibrate needs the samples in memory"),
        (["fit", "-", "--linear"], "--on-disk needs a file, and - is a stream"),
        (["fit", "pipe", "--linear"], "--on-disk needs a file, and pipe is a stream"),
        (["fit", "no.csv", "--linear"], "cannot open no.csv: No such file"),
        (["predict", "t.csv"], "--on-disk is for linear models, and m.bsvm has a kernel"),
    ],
)
def test_on_disk_goes_with_linear_models_and_files(arguments, words, folder, capsys):
    (folder / "t.csv").write_bytes(table(X[:50], Y[:50]))
    os.mkfifo("pipe")
    bandsvm.save(bandsvm.BandedSVC().fit(X, Y), "m.bsvm")
    assert run(*arguments, "--model", "m.bsvm", "--on-disk") == 1
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "damage", "words"),
    [
        ("t.csv", lambda text: text + b"1,2,3\n", "line 1502: 3 cells, where the first line has 7"),
        ("t.csv", lambda text: text + b"1,2,3,4,5,x,1\n", "line 1502, column 'f5': 'x' is not a"),
        (
            "t.csv",
            lambda text: text + b"1,2,3,4,5,inf,1\n",
            "not finite, or too large to scale, in",
        ),
        ("t.csv", lambda text: text + b"1,2,3,4,5,6,\n", "first in line 1502"),
        (
            "t.csv",
            lambda text: text + b"1,2,3,4,5,6,\xe4\n",
            "line 1502: this is not text in UTF-8",
        ),
        ("t.csv", lambda text: text + b"1,2,3,4,5,\0,1\n", "bytes that are zero"),
        ("t.svm", lambda text: text + b"1 2=3\n", "line 1501: '2=3' is not a feature"),
        ("t.svm", lambda text: text + b"1 99999999:3\n", "feature of number 99999999; at most"),
        ("t.svm", lambda text: text + b"1 1:nan\n", "a missing value in sample 1501"),
    ],
)
def test_bad_data_are_found_in_any_block(name, damage, words, folder, capsys):
    content = table(X, Y) if name == "t.csv" else svmlight(X, Y)
    (folder / name).write_bytes(damage(content))
    assert run("fit", name, "--model", "m.bsvm", "--linear", "--on-disk", "--quiet") == 1
    assert words in capsys.readouterr().err


def test_resumed_fit_scales_by_the_samples_alone(folder):
    (folder / "t.csv").write_bytes(table(X, Y))
    fit = ["fit", "t.csv", "--model", "m.bsvm", "--quiet", "--on-disk"]
    assert run(*fit, "--linear") == 0
    before = bandsvm.load("m.bsvm")
    assert run(*fit, "--resume") == 0
    after = bandsvm.load("m.bsvm")
    assert after[0].n_samples_seen_ == before[0].n_samples_seen_ == N_SAMPLES
    np.testing.assert_allclose(after[-1].coef_, before[-1].coef_, atol=1e-3)


def test_indices_beyond_32_bits_stay_on_disk():
    matrix = scratch_module.DiskMatrix(max_narrow=10)
    for start in range(0, N_SAMPLES, 100):
        matrix.append(sp.csr_matrix(SPARSE[start : start + 100]))
    np.testing.assert_array_equal(matrix.finished().toarray(), SPARSE)


def test_labels_keep_all_their_digits(folder):
    labels = np.array([20240101, 20240103])[Y]
    (folder / "t.csv").write_bytes(table(X, labels))
    assert run("fit", "t.csv", "--model", "m.bsvm", "--linear", "--on-disk", "--quiet") == 0
    assert bandsvm.load("m.bsvm").classes_.tolist() == [20240101, 20240103]
