"""Our own model files: round trips, what cannot be saved, and how files are written."""

import errno
import json
import os
import stat
import threading
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_iris, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, SplineTransformer, StandardScaler

import bandsvm
from bandsvm import BandedSVC
from bandsvm.cli import main
from bandsvm.persistence._container import MAGIC
from tests.helpers.model_files import assert_equal_values

X, Y = load_iris(return_X_y=True)
TWO = Y < 2
NAMES = np.array(["ant", "bée", "eel"])
STORED = Path(__file__).parent / "stored_models"


def pandas_frame(X):
    return pytest.importorskip("pandas").DataFrame(X, columns=["a", "b", "c", "d"])


CASES = {
    "two classes": lambda: (BandedSVC(), X[TWO], Y[TWO]),
    "three classes": lambda: (BandedSVC(C1=2), X, Y),
    "one-vs-one": lambda: (BandedSVC(multi_class="ovo", break_ties=True), X, NAMES[Y]),
    "values of pairs": lambda: (
        BandedSVC(multi_class="ovo", decision_function_shape="ovo"),
        *load_digits(n_class=4, return_X_y=True),
    ),
    "names as labels": lambda: (BandedSVC(), X, NAMES[Y]),
    "objects as labels": lambda: (BandedSVC(), X, NAMES[Y].astype(object)),
    "bools as labels": lambda: (BandedSVC(), X, Y == 1),
    "floats as labels": lambda: (BandedSVC(), X, Y - 0.0),
    "short labels": lambda: (BandedSVC(), X, Y.astype(np.int8)),
    "float32": lambda: (BandedSVC(), X.astype(np.float32), Y),
    "csr matrix": lambda: (BandedSVC(), sp.csr_matrix(X), Y),
    "csr array": lambda: (BandedSVC(), sp.csr_array(X), Y),
    "linear": lambda: (BandedSVC(kernel="linear"), X, Y),
    # Sums of products that depend on the order of arrays in memory.
    "digits": lambda: (BandedSVC(kernel="laplacian"), *load_digits(return_X_y=True)),
    "precomputed": lambda: (BandedSVC(kernel="precomputed"), X @ X.T, Y),
    "numbers of numpy": lambda: (BandedSVC(np.float64(2.0), gamma=np.float32(0.25)), X, Y),
    "a band a class": lambda: (BandedSVC(rho2={0: 1.5, 1: 2, 2: 3}, class_weight={0: 2}), X, Y),
    "names of features": lambda: (BandedSVC(), pandas_frame(X), Y),
    "standardised": lambda: (make_pipeline(StandardScaler(), BandedSVC()), pandas_frame(X), Y),
    "sparse scaled": lambda: (
        make_pipeline(StandardScaler(with_mean=False), MaxAbsScaler(), BandedSVC()),
        sp.csr_matrix(X),
        Y,
    ),
    "between 0 and 1": lambda: (make_pipeline(MinMaxScaler(), BandedSVC(kernel="chi2")), X, Y),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_loaded_is_what_was_saved(case, tmp_path):
    model, samples, labels = CASES[case]()
    model.fit(samples, labels)
    path = tmp_path / "model.bsvm"
    bandsvm.save(model, path)
    loaded = bandsvm.load(path)
    assert_equal_values(model.predict(samples), loaded.predict(samples))
    values = model.decision_function(samples)
    np.testing.assert_array_equal(values, loaded.decision_function(samples))
    if getattr(model, "kernel", None) == "linear":
        np.testing.assert_array_equal(model.coef_, loaded.coef_)
    steps, others = (getattr(m, "steps", [("", m)]) for m in (model, loaded))
    for (name, step), (other_name, other) in zip(steps, others, strict=True):
        assert name == other_name
        assert step.get_params() == other.get_params()
        assert vars(step).keys() == vars(other).keys()
        for attribute in vars(step):
            if attribute.endswith("_"):
                assert_equal_values(getattr(step, attribute), getattr(other, attribute))


@pytest.mark.parametrize("path", sorted(STORED.glob("*.bsvm")), ids=lambda path: path.stem)
def test_files_of_older_versions_predict_what_they_did(path):
    expected = json.loads((STORED / "decision_values.json").read_text())[path.stem]
    samples = X[::10]
    model = bandsvm.load(path)
    if hasattr(model, "feature_names_in_"):
        samples = pandas_frame(samples)
    values_of = getattr(model, "decision_function", model.predict)
    np.testing.assert_allclose(values_of(samples), expected, rtol=0, atol=1e-12)


def test_loaded_model_goes_on_where_the_saved_one_stopped(tmp_path):
    samples, labels = make_classification(1500, flip_y=0.2, random_state=0)
    model = BandedSVC(warm_start=True).fit(samples, labels)
    bandsvm.save(model, tmp_path / "model.bsvm")
    loaded = bandsvm.load(tmp_path / "model.bsvm").fit(samples, labels)
    assert model.certificate_.n_pair_steps > 0
    assert loaded.certificate_.n_pair_steps == 0
    np.testing.assert_array_equal(loaded.dual_coef_, model.dual_coef_)


@pytest.mark.parametrize(
    ("model", "error", "words"),
    [
        (BandedSVC(), NotFittedError, "not fitted"),
        (StandardScaler().fit(X), TypeError, "ends with one, got StandardScaler"),
        (make_pipeline(SplineTransformer(), BandedSVC()).fit(X, Y), TypeError, "SplineTransformer"),
        (make_pipeline(StandardScaler()).fit(X), TypeError, "joblib and skops take others"),
        (BandedSVC(kernel=lambda a, b: a @ b.T).fit(X, Y), TypeError, "kernel=<function"),
        ("model", TypeError, "got 'model'"),
    ],
)
def test_models_that_no_file_can_hold(model, error, words, tmp_path):
    path = tmp_path / "model.bsvm"
    path.write_bytes(b"old")
    with pytest.raises(error, match=words):
        bandsvm.save(model, path)
    assert os.listdir(tmp_path) == ["model.bsvm"]
    assert path.read_bytes() == b"old"


def test_reading_takes_the_file_and_one_copy_of_its_arrays(tmp_path, rng):
    path = tmp_path / "model.bsvm"
    samples = rng.normal(size=(300, 2000))
    bandsvm.save(BandedSVC().fit(samples, rng.integers(2, size=300)), path)
    tracemalloc.start()
    try:
        bandsvm.load(path)
        assert tracemalloc.get_traced_memory()[1] < 2.5 * path.stat().st_size
    finally:
        tracemalloc.stop()


def test_labels_that_a_file_does_not_take_are_refused_when_they_are_saved(tmp_path):
    for label, error in (("x" * 1001, ValueError), ("\ud800", TypeError)):
        model = BandedSVC().fit(X, np.where(Y > 0, label, "b"))
        with pytest.raises(error, match="model file"):
            bandsvm.save(model, tmp_path / "model.bsvm")
    assert os.listdir(tmp_path) == []


def test_a_fit_cut_short_before_it_knew_samples_without_weight_can_be_loaded(tmp_path):
    model = BandedSVC().fit(X, Y, sample_weight=np.arange(150) > 0)
    model.xi_[0] = np.nan
    bandsvm.save(model, tmp_path / "model.bsvm")
    assert np.isnan(bandsvm.load(tmp_path / "model.bsvm").xi_[0]).all()


def test_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "model.bsvm"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left.*model\.bsvm"):
        bandsvm.save(BandedSVC().fit(X, Y), path)
    assert os.listdir(tmp_path) == ["model.bsvm"]
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_a_model_that_came_from_libsvm_can_be_saved(kernel, tmp_path, capsys):
    samples = X[TWO] if kernel == "rbf" else X[TWO] @ X[TWO].T
    model = BandedSVC(kernel=kernel).fit(samples, Y[TWO])
    [path] = bandsvm.export_libsvm(model, tmp_path / "model.libsvm")
    n_features = samples.shape[1]
    bandsvm.save(bandsvm.load_libsvm(path, n_features=n_features), tmp_path / "model.bsvm")
    loaded = bandsvm.load(tmp_path / "model.bsvm")
    np.testing.assert_allclose(
        loaded.decision_function(samples), model.decision_function(samples), atol=1e-10
    )
    assert main(["inspect", str(tmp_path / "model.bsvm")]) == 0
    assert "support vectors" in capsys.readouterr().out


def test_a_link_goes_on_pointing_where_it_did(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "real.bsvm").write_bytes(b"old")
    link = tmp_path / "link.bsvm"
    link.symlink_to(tmp_path / "folder" / "real.bsvm")
    bandsvm.save(BandedSVC().fit(X, Y), link)
    assert link.is_symlink()
    assert bandsvm.load(tmp_path / "folder" / "real.bsvm").n_features_in_ == 4
    assert len(list((tmp_path / "folder").iterdir())) == 1


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    """Nor is a device such as /dev/null, which root could replace for everybody."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    bandsvm.save(BandedSVC().fit(X, Y), pipe)
    reader.join(timeout=60)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert received[0].startswith(MAGIC)
    assert os.listdir(tmp_path) == ["pipe"]


def test_a_file_keeps_its_permissions(tmp_path):
    model, path = BandedSVC().fit(X, Y), tmp_path / "model.bsvm"
    bandsvm.save(model, path)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask()
    path.chmod(0o600)
    bandsvm.save(model, path)
    assert path.stat().st_mode & 0o777 == 0o600


def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_threads_that_save_do_not_change_what_others_may_read(tmp_path):
    model, before = BandedSVC().fit(X, Y), umask()

    def save_often(name):
        for _ in range(50):
            bandsvm.save(model, tmp_path / name)

    threads = [threading.Thread(target=save_often, args=[f"{k}.bsvm"]) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert umask() == before
    assert len(os.listdir(tmp_path)) == 4
