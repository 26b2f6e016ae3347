"""The command: fit, predict, inspect and tune on real small data, and ways to use it wrongly."""

import bz2
import csv
import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file, load_breast_cancer, load_iris

import bandsvm
from bandsvm import cli
from bandsvm.cli import fit as fit_command
from bandsvm.cli import main
from bandsvm.cli._models import Checkpoint, transformed
from bandsvm.solvers import Status

X, Y = load_iris(return_X_y=True)
SPECIES = np.array(["setosa", "versicolor", "virginica"])
NAMES = ["sepal length", "sepal width", "petal length", "petal width"]


def svmlight(X, y):
    stream = io.BytesIO()
    dump_svmlight_file(X, y, stream, zero_based=False)
    return stream.getvalue()


def comma_separated(X, y, header=True, delimiter=","):
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter)
    if header:
        writer.writerow([*NAMES, "species"])
    writer.writerows([*row, label] for row, label in zip(X.tolist(), y, strict=True))
    return stream.getvalue().encode()


def npz(**arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def parquet(X, y):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    columns = dict(zip(NAMES, X.T, strict=True)) | {"species": y}
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue().to_pybytes()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


FILES = {
    "iris.svm": lambda: svmlight(X, Y),
    "iris.svm.gz": lambda: gzip.compress(svmlight(X, Y)),
    "iris.svm.bz2": lambda: bz2.compress(svmlight(X, Y)),
    "iris": lambda: svmlight(X, Y),
    "iris.csv": lambda: comma_separated(X, SPECIES[Y]),
    "plain.csv": lambda: comma_separated(X, SPECIES[Y], header=False),
    "semicolons.csv": lambda: comma_separated(X, SPECIES[Y], delimiter=";"),
    "tabs.tsv": lambda: comma_separated(X, SPECIES[Y], delimiter="\t"),
    "iris.csv.gz": lambda: gzip.compress(comma_separated(X, Y)),
    "iris.npz": lambda: npz(X=X, y=Y),
    "single.npz": lambda: npz(X=X.astype(np.float32), y=SPECIES[Y]),
    "iris.parquet": lambda: parquet(X, SPECIES[Y]),
}


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


def test_what_fit_says(folder, capsys):
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    assert main(["fit", "iris.csv", "--model", "m.bsvm"]) == 0
    told = capsys.readouterr().out
    assert "Read 150 samples with 4 features from iris.csv; 3 classes (setosa: 50" in told
    assert "mean 0 and variance 1" in told
    assert "optimal to tol" in told
    assert "of 150 samples are support vectors" in told
    assert "The model is in m.bsvm." in told
    assert sorted(os.listdir(folder)) == ["iris.csv", "m.bsvm"]


def test_quiet_says_nothing(folder, capsys):
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    assert main(["fit", "iris.csv", "--model", "m.bsvm", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("arguments", "parameters"),
    [
        (["--C1", "3", "--C2", "0", "--rho1", "0.5"], {"C1": 3.0, "C2": 0.0, "rho1": 0.5}),
        (["--kernel", "poly", "--degree", "2", "--coef0", "1"], {"degree": 2, "coef0": 1.0}),
        (["--gamma", "0.25", "--tol", "1e-5"], {"gamma": 0.25, "tol": 1e-5}),
        (["--class-weight", "balanced"], {"class_weight": "balanced"}),
        (["--no-intercept"], {"fit_intercept": False}),
        (["--loss", "squared_hinge"], {"loss": "squared_hinge"}),
        (["--cache-size", "10", "--jobs", "1"], {"cache_size": 10.0, "n_jobs": 1}),
        (["--time-limit", "100", "--max-iter", "50"], {"time_limit": 100.0, "max_iter": 50}),
    ],
)
def test_options_become_parameters(arguments, parameters, folder):
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    assert main(["fit", "iris.csv", "--model", "m.bsvm", "--quiet", *arguments]) == 0
    assert parameters.items() <= bandsvm.load("m.bsvm")[-1].get_params().items()


@pytest.mark.parametrize(
    ("scale", "steps"),
    [("standard", ["StandardScaler"]), ("maxabs", ["MaxAbsScaler"]), ("none", [])],
)
def test_scale(scale, steps, folder, capsys):
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    assert main(["fit", "iris.csv", "--model", "m.bsvm", "--quiet", "--scale", scale]) == 0
    assert main(["inspect", "m.bsvm", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["steps"] == [*steps, "BandedSVC"]


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


def test_predictions_as_a_table(folder, capsys):
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    assert main(["fit", "iris.csv", "--model", "m.bsvm", "--quiet"]) == 0
    arguments = ["predict", "iris.csv", "--model", "m.bsvm", "--output", "p.csv", "--values"]
    assert main(arguments) == 0
    assert "The predictions are in p.csv." in capsys.readouterr().out
    with open("p.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    model = bandsvm.load("m.bsvm")
    values = [[float(row[f"value {name}"]) for name in SPECIES] for row in rows]
    expected = model[-1].decision_function(transformed(model, X))
    np.testing.assert_array_equal(values, expected)
    assert [row["label"] for row in rows] == SPECIES[np.argmax(values, axis=1)].tolist()


def test_inspect(folder, capsys):
    data, labels = load_breast_cancer(return_X_y=True)
    (folder / "cancer.svm").write_bytes(svmlight(data, labels))
    assert main(["fit", "cancer.svm", "--model", "m.bsvm", "--C1", "2", "--quiet"]) == 0
    assert main(["inspect", "m.bsvm"]) == 0
    told = capsys.readouterr().out
    assert "StandardScaler and BandedSVC" in told
    assert "C1=2.0" in told
    assert "optimal to tol" in told
    assert "in the band" in told
    assert main(["inspect", "m.bsvm", "--json", "--quiet"]) == 0
    held = json.loads(capsys.readouterr().out)
    assert sum(bar["n_samples"] for bar in held["histogram"]) == len(labels)
    assert held["classes"] == [0, 1]
    assert held["certificate"]["is_optimal"]


@pytest.mark.filterwarnings("default:BandedSVCCV found its best:UserWarning")
def test_tune(folder, capsys):
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    assert main(["tune", "iris.csv", "--model", "m.bsvm", "--folds", "3"]) == 0
    streams = capsys.readouterr()
    assert re.search(r"Best of \d+ candidates: kernel=rbf, gamma=", streams.out)
    assert "Mean accuracy in 3 folds: 0.9" in streams.out
    # Warnings are sentences too.
    assert "bandsvm: BandedSVCCV found its best C1=100 at the edge" in streams.err
    assert bandsvm.load("m.bsvm")[-1].certificate_.is_optimal


@pytest.mark.filterwarnings("default:BandedSVCCV found its best:UserWarning")
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_tune_draws_what_it_found(kernel, n_classes, folder, capsys):
    some = n_classes > Y
    (folder / "iris.csv").write_bytes(comma_separated(X[some], SPECIES[Y[some]]))
    arguments = ["tune", "iris.csv", "--model", "m.bsvm", "--folds", "3", "--kernel", kernel]
    assert main([*arguments, "--plot", "t.svg", "--json", "--quiet", "--scoring", "accuracy"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["best"]["kernel"] == kernel
    assert "Coefficients along C2" in (folder / "t.svg").read_text()
    assert main([*arguments, "--plot", "t.bmp", "--quiet"]) == 1
    assert "--plot writes .png, .svg, .pdf files" in capsys.readouterr().err


def test_predict_against_the_band(folder, capsys):
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    assert main(["fit", "iris.csv", "--model", "m.bsvm", "--quiet"]) == 0
    assert main(["predict", "iris.csv", "--model", "m.bsvm", "--band", "--quiet"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    model = bandsvm.load("m.bsvm")
    expected = model[-1].band_position(transformed(model, X))
    assert [row["band"] for row in rows] == expected.tolist()


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
    "label.csv": (b"a,b,y\n1,2,0\n1,1,\n", "line 3: the label is missing"),
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


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fit", "none.svm", "--model", "m"], "cannot open none.svm: No such file"),
        (["fit", "iris.csv", "--model", "no/m"], "cannot open no"),
        (["fit", "iris.csv", "--model", "m", "--resume"], "m: No such file"),
        (["fit", "iris.csv", "--model", "m", "--target", "x"], "has no column 'x'.*'species'"),
        (["fit", "iris.csv", "--model", "m", "--target", "9"], "number from 1 to 5"),
        (["fit", "iris.csv", "--model", "m", "--rho1", "2"], "rho2 must not be less than rho1"),
        (["predict", "iris.csv", "--model", "iris.csv"], "iris.csv is not a model file"),
        (["inspect", "none"], "none: No such file"),
    ],
)
def test_work_that_fails_gets_one_sentence(arguments, words, folder, capsys):
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    assert main([*arguments, "--quiet"]) == 1
    told = capsys.readouterr().err
    assert len(told.splitlines()) == 1
    assert re.search(words, told)
    assert os.listdir(folder) == ["iris.csv"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "COMMAND"),
        (["fit"], "TRAIN"),
        (["fit", "x"], "--model"),
        (["fit", "x", "--model", "m", "--C1", "0"], "greater than 0"),
        (["fit", "x", "--model", "m", "--C2", "-1"], "at least 0"),
        (["fit", "x", "--model", "m", "--gamma", "big"], "must be a number"),
        (["fit", "x", "--model", "m", "--kernel", "cosine"], "invalid choice"),
        (["fit", "x", "--model", "m", "--jobs", "0"], "greater than 0"),
        (["frobnicate"], "invalid choice"),
    ],
)
def test_wrong_use_is_told_apart(arguments, words, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert words in capsys.readouterr().err


def test_too_many_features_for_the_model(folder, capsys):
    (folder / "train.svm").write_bytes(b"1 1:2 2:1\n-1 1:1 2:3\n" * 5)
    (folder / "test.svm").write_bytes(b"1 3:2\n")
    assert main(["fit", "train.svm", "--model", "m.bsvm", "--quiet"]) == 0
    assert main(["predict", "test.svm", "--model", "m.bsvm"]) == 1
    assert "feature of number 3, the model was trained on 2" in capsys.readouterr().err


def slow_data(folder):
    rng = np.random.default_rng(0)
    samples = rng.normal(size=(3000, 5))
    labels = np.where(rng.random(3000) < 0.2, -1, 1) * np.sign(samples[:, 0])
    (folder / "slow.npz").write_bytes(npz(X=samples, y=labels.astype(int)))
    return ["fit", "slow.npz", "--model", "m.bsvm", "--C1", "1000", "--C2", "1000", "--tol", "1e-6"]


def test_time_limit_then_resume(folder, capsys):
    arguments = slow_data(folder)
    assert main([*arguments, "--time-limit", "0.02", "--quiet"]) == 0
    assert "met its time-limit" in capsys.readouterr().err
    first = bandsvm.load("m.bsvm")[-1].certificate_
    assert first.status is Status.TIME_LIMIT
    assert main([*arguments, "--time-limit", "0.5", "--resume", "--quiet"]) == 0
    second = bandsvm.load("m.bsvm")[-1].certificate_
    assert second.dual > first.dual


def test_ctrl_c_keeps_the_model_and_says_how_to_go_on(folder, capsys, monkeypatch):
    arguments = slow_data(folder)
    monkeypatch.setattr(fit_command, "SECONDS_BETWEEN_CHECKPOINTS", 0.0)
    original = Checkpoint.step

    def step(self, run):
        original(self, run)
        if run.progress.n_iter == 3:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Checkpoint, "step", step)
    assert main([*arguments, "--quiet"]) == 130
    assert "was interrupted" in (told := capsys.readouterr().err)
    assert "--resume" in told
    assert bandsvm.load("m.bsvm")[-1].certificate_.status is Status.INTERRUPTED
    assert set(os.listdir(folder)) == {"slow.npz", "m.bsvm"}


def test_killed_fit_goes_on_from_its_checkpoint(folder, capsys):
    arguments = slow_data(folder)
    code = (
        "import sys; from bandsvm.cli import fit, main\n"
        "fit.SECONDS_BETWEEN_CHECKPOINTS = 0.05\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    child = subprocess.Popen([sys.executable, "-c", code, *arguments, "--tol", "1e-12"])
    checkpoint = folder / "m.bsvm.checkpoint"
    end = time.monotonic() + 60
    while not checkpoint.exists() and time.monotonic() < end:
        time.sleep(0.01)
    child.kill()
    child.wait()
    before = bandsvm.load(checkpoint)[-1].certificate_
    assert main([*arguments, "--time-limit", "0.3", "--resume", "--quiet"]) == 0
    assert bandsvm.load("m.bsvm")[-1].certificate_.dual > before.dual
    assert not checkpoint.exists()


def test_resume_wants_the_same_training_set(folder, capsys):
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    (folder / "part.csv").write_bytes(comma_separated(X[:90], SPECIES[Y[:90]]))
    assert main(["fit", "iris.csv", "--model", "m.bsvm", "--quiet"]) == 0
    assert main(["fit", "part.csv", "--model", "m.bsvm", "--resume", "--quiet"]) == 1
    assert "--resume needs the training data of the model: 150" in capsys.readouterr().err
    assert main(["fit", "iris.csv", "--model", "m.bsvm", "--resume", "--scale", "none"]) == 1
    assert "--scale cannot change" in capsys.readouterr().err


def test_checkpoint_that_fails_does_not_end_the_fit(folder, capsys, monkeypatch):
    monkeypatch.setattr(fit_command, "SECONDS_BETWEEN_CHECKPOINTS", 0.0)
    (folder / "m.bsvm.checkpoint").mkdir()
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    (folder / "m.bsvm.checkpoint" / "file").touch()
    assert main(["fit", "iris.csv", "--model", "m.bsvm", "--quiet"]) == 0
    assert "no checkpoint was written" in capsys.readouterr().err
    assert (folder / "m.bsvm.checkpoint" / "file").exists()  # it is not the fit's own
    assert bandsvm.load("m.bsvm")[-1].certificate_.is_optimal


def test_interrupted_before_the_fit(folder, capsys, monkeypatch):
    def interrupt(options):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli.fit, "run", interrupt)
    assert main(["fit", "x", "--model", "m"]) == 130
    assert "interrupted" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["fit", "predict", "inspect", "tune", "reproduce"])
def test_help_fits_a_screen_and_does_not_wait_for_scikit_learn(command):
    code = (
        "import sys; from bandsvm.cli import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit: pass\n"
        "assert 'sklearn' not in sys.modules and 'numpy' not in sys.modules"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code, command, "--help"], capture_output=True, text=True, check=True
    )
    assert 5 < len(shown.stdout.splitlines()) <= 50


def shell(arguments, ending):
    """Run the command as the last of a shell's line, with what becomes of its output."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    line = f'"{sys.executable}" -m bandsvm.cli "$@" {ending}'
    command = ["bash", "-c", line, "bash", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=100)


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is a device of Linux")
@pytest.mark.parametrize(
    ("ending", "code", "words"),
    [
        ("> /dev/full", 1, "cannot write to standard output.*No space left"),
        ("| true; exit ${PIPESTATUS[0]}", 1, "cannot write to standard output.*Broken pipe"),
        (">&-", 0, ""),
    ],
)
def test_output_that_nobody_takes(ending, code, words, tmp_path):
    bandsvm.save(bandsvm.BandedSVC().fit(X, Y), tmp_path / "model.bsvm")
    (tmp_path / "data.svm").write_bytes(svmlight(X, Y))
    ended = shell(["predict", tmp_path / "data.svm", "--model", tmp_path / "model.bsvm"], ending)
    assert ended.returncode == code, ended.stderr
    said = [line for line in ended.stderr.splitlines() if line.startswith("bandsvm: ")]
    assert len(said) == bool(words)
    assert re.search(words, "".join(said))
    assert "Traceback" not in ended.stderr
    assert "ignored" not in ended.stderr


COUNTS_THREADS = """
import os, sys
import pyarrow.parquet
from bandsvm.cli import _bytes, _parquet
before = len(os.listdir("/proc/self/task"))
X, y = _parquet.Parquet(_bytes.read_file(sys.argv[1])).read([0, 1], {2: None})
assert X.shape[0] > 0
print(len(os.listdir("/proc/self/task")) - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted as Linux lists them")
def test_parquet_files_are_read_without_threads(tmp_path):
    """Threads of pyarrow that are busy when a command ends abort it."""
    pa, pq = (pytest.importorskip(name) for name in ("pyarrow", "pyarrow.parquet"))
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table({"a": [1.0, 2.0], "b": [2.0, None], "label": [0, 1]}), path)
    command = [sys.executable, "-c", COUNTS_THREADS, str(path)]
    process = subprocess.run(command, capture_output=True, text=True, check=True)
    assert process.stdout.split() == ["0"]
