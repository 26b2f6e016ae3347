"""Data files at the shell: every kind, their columns, and files that are wrong."""

import bz2
import gzip
import io
import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import bandsvm
from bandsvm._workflow.pipeline import transformed
from bandsvm.cli import main
from tests.helpers.iris_files import FILES, SPECIES, X, Y, comma_separated, npz, parquet, svmlight


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_file_gives_the_same_model(name, folder, capsys):
    (folder / name).write_bytes(FILES[name]())
    assert main(["fit", name, "--model", "m.bsvm", "--json", "--quiet"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["is_optimal"]
    assert result["n_samples"] == 150
    model = bandsvm.load("m.bsvm")
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    expected = bandsvm.BandedSVC().fit(scaled, Y).decision_function(scaled)
    values = model[-1].decision_function(transformed(model, X))
    np.testing.assert_allclose(values, expected, atol=1e-5)
    assert main(["predict", name, "--model", "m.bsvm", "--json"]) == 0
    predicted = json.loads(capsys.readouterr().out)
    assert predicted["accuracy"] == result["training_accuracy"]
    assert len(predicted["label"]) == 150


def test_standard_input_and_output(folder, capsys, monkeypatch):
    def feed(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    feed(comma_separated(X, SPECIES[Y]))
    assert main(["fit", "-", "--format", "csv", "--model", "m.bsvm", "--quiet"]) == 0
    feed(comma_separated(X, SPECIES[Y]))
    assert main(["predict", "-", "--format", "csv", "--model", "m.bsvm"]) == 0
    streams = capsys.readouterr()
    assert set(streams.out.splitlines()) == set(SPECIES)
    assert "Accuracy 0.9" in streams.err


def test_sparse_files_stay_sparse(folder, capsys):
    rng = np.random.default_rng(0)
    sparse = (rng.random((100, 30)) < 0.1) * rng.normal(size=(100, 30))
    (folder / "s.svm").write_bytes(svmlight(sparse, sparse[:, 0] + sparse[:, 1] > 0))
    assert main(["fit", "s.svm", "--model", "m.bsvm"]) == 0
    assert "sparse features" in capsys.readouterr().out
    model = bandsvm.load("m.bsvm")
    assert model[-1].support_vectors_.format == "csr"
    assert not model[0].with_mean
    assert main(["predict", "s.svm", "--model", "m.bsvm", "--quiet"]) == 0


def test_columns_are_found_by_name(folder, capsys):
    (folder / "train.csv").write_bytes(FILES["iris.csv"]())
    assert main(["fit", "train.csv", "--target", "species", "--model", "m.bsvm", "--quiet"]) == 0
    rows = ["species,petal width,petal length,sepal width,sepal length"]
    rows += [f"{SPECIES[y]},{d},{c},{b},{a}" for (a, b, c, d), y in zip(X, Y, strict=True)]
    (folder / "other.csv").write_text("\n".join(rows))
    assert main(["predict", "other.csv", "--model", "m.bsvm", "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] > 0.95
    (folder / "unlabelled.csv").write_text("\n".join(row.split(",", 1)[1] for row in rows))
    assert main(["predict", "unlabelled.csv", "--model", "m.bsvm"]) == 0
    assert "without labels" in capsys.readouterr().err
    (folder / "short.csv").write_text("petal width,petal length\n1,2\n")
    assert main(["predict", "short.csv", "--model", "m.bsvm"]) == 1
    assert "lacks the columns ['sepal length', 'sepal width']" in capsys.readouterr().err


def test_target_by_number_and_by_usual_name(folder, capsys):
    rows = [f"{SPECIES[y]},{a},{b}" for (a, b, _, _), y in zip(X, Y, strict=True)]
    (folder / "first.csv").write_text("\n".join(rows))
    assert main(["fit", "first.csv", "--target", "1", "--model", "m.bsvm", "--quiet"]) == 0
    (folder / "named.csv").write_text("\n".join(["Label,a,b", *rows]))
    assert main(["fit", "named.csv", "--model", "n.bsvm", "--quiet"]) == 0
    first, named = bandsvm.load("m.bsvm"), bandsvm.load("n.bsvm")
    np.testing.assert_array_equal(first[-1].dual_coef_, named[-1].dual_coef_)
    assert named.feature_names_in_.tolist() == ["a", "b"]


WRONG_DATA = {
    "empty.svm": (b"", "no samples|Empty|not an svmlight"),
    "words.svm": (b"1 1:2\nhello world\n", "words.svm, line 2: 'hello' is not a label"),
    "pair.svm": (b"1 1:2\n-1 2=3\n", "pair.svm, line 2: '2=3' is not a feature"),
    "order.svm": (b"1 2:2 1:1\n-1 1:3\n", "line 1: feature 1 comes after feature 2"),
    "huge.svm": (b"1 1:2\n-1 999999999:3\n", "feature of number 999999999; at most"),
    "nan.svm": (b"1 1:2\n-1 1:nan\n", "a missing value in sample 2"),
    "one.svm": (b"1 1:2\n1 1:3\n", "at least two classes"),
    "empty.csv": (b"\n\n", "is empty"),
    "cell.csv": (b"a,b,y\n1,2,0\n1,x,1\n", "cell.csv, line 3, column 'b': 'x' is not a number"),
    "label.csv": (
        b"a,b,y\n1,2,0\n1,1,\n",
        "missing in 1 of 2 samples .column 'y', first in line 3",
    ),
    "ragged.csv": (b"a,b,y\n1,2,0\n1,1\n", "line 3: 2 cells, where the first line has 3"),
    "latin.csv": (b"a,b,y\n1,2,0\n1,1,\xe4\n", "line 3: this is not text in UTF-8"),
    "twins.csv": (b"a,a,y\n1,2,0\n1,1,1\n", "two columns have the same name"),
    "binary.csv": (b"a,b,y\n1,\x00,0\n", "bytes that are zero"),
    "inf.csv": (b"a,y\n1,0\ninf,1\n", "not finite.* in sample 2"),
    "huge.csv": (b"a,y\n1,0\n1e300,1\n", "too large to scale, in sample 2"),
    "damaged.svm.gz": (gzip.compress(b"1 1:2\n" * 99)[:-9], "damaged or incomplete"),
    "damaged.svm.bz2": (bz2.compress(b"1 1:2\n" * 99)[:-9], "damaged or incomplete"),
    "bomb.csv.bz2": (bz2.compress(b"0" * 10**8), "over 100 times its size of 113.*unpack"),
    "no.npz": (b"hello", "not an NPZ file"),
    "keys.npz": (npz(Z=X), "must hold the array X"),
    "unlabelled.npz": (npz(X=X), "holds no labels"),
    "shape.npz": (npz(X=X, y=Y[:3]), "150 samples, but y is of shape"),
    "cube.npz": (npz(X=X.reshape(15, 10, 4), y=Y[:15]), "3-dimensional"),
    "text.npz": (npz(X=X.astype(str), y=Y), "a matrix of numbers"),
    "csr.npz": (npz(data=[1.0], indices=[7], indptr=[0, 1], shape=[1, 2], y=[1]), "no CSR matrix"),
    "no.parquet": (b"PAR1hello", "not a Parquet file"),
}


@pytest.mark.parametrize("name", WRONG_DATA)
def test_wrong_data_get_one_sentence(name, folder, capsys):
    content, words = WRONG_DATA[name]
    (folder / name).write_bytes(content)
    assert main(["fit", name, "--model", "m.bsvm", "--quiet"]) == 1
    streams = capsys.readouterr()
    assert streams.out == ""
    assert len(streams.err.splitlines()) == 1
    assert re.search(words, streams.err)
    assert os.listdir(folder) == [name]


def test_parquet_names_that_are_no_text_get_one_sentence(folder, capsys):
    (folder / "latin.parquet").write_bytes(parquet(X, Y).replace(b"petal", b"pet\xe4l"))
    assert main(["fit", "latin.parquet", "--model", "m.bsvm", "--quiet"]) == 1
    assert "latin.parquet is not a Parquet file that can be read" in capsys.readouterr().err


def test_objects_in_an_archive_are_never_unpickled(folder, capsys):
    stream = io.BytesIO()
    np.savez(stream, X=np.array([[print]], dtype=object), y=[1])
    (folder / "o.npz").write_bytes(stream.getvalue())
    assert main(["fit", "o.npz", "--model", "m.bsvm"]) == 1
    assert "Python objects" in capsys.readouterr().err


COUNTS_THREADS = """
import os, sys
import pyarrow.parquet
from bandsvm._tables import data_file, parquet
before = len(os.listdir("/proc/self/task"))
X, y = parquet.ParquetColumns(data_file.read_file(sys.argv[1])).read([0, 1], {2: None})
assert X.shape[0] > 0
print(len(os.listdir("/proc/self/task")) - before)
"""


@pytest.mark.heavy
@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted as Linux lists them")
def test_parquet_files_are_read_without_threads(tmp_path):
    """Threads of pyarrow that are busy when a command ends abort it."""
    pa, pq = (pytest.importorskip(name) for name in ("pyarrow", "pyarrow.parquet"))
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table({"a": [1.0, 2.0], "b": [2.0, None], "label": [0, 1]}), path)
    command = [sys.executable, "-c", COUNTS_THREADS, str(path)]
    process = subprocess.run(command, capture_output=True, text=True, check=True)
    assert process.stdout.split() == ["0"]
