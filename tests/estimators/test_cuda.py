"""Estimators whose kernel values a CUDA device computes, against the same on the CPU."""

import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import bandsvm.svm
from bandsvm import (
    BandedQuantileSVR,
    BandedSVC,
    BandedSVCCV,
    BandedSVR,
    BandedSVRCV,
    OneClassBandedSVM,
    calibrate,
)
from bandsvm._kernels.cuda import CudaProduct, CudaRows
from bandsvm._kernels.settings import KernelSettings
from bandsvm.model_selection import band_path, leave_one_out
from bandsvm.persistence import load, save
from tests.helpers import fake_cupy
from tests.helpers.cuda import N_SAMPLES, classes, cuda, numbers

__all__ = ["cuda"]

SETTINGS = [
    {},
    {"C2": 0.0},
    {"C1": 10.0, "C2": 10.0, "rho2": 1.5},
    {"loss": "squared_hinge"},
    {"fit_intercept": False},
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 2, "coef0": 1.0},
    {"kernel": "sigmoid", "gamma": 0.01},
    {"class_weight": "balanced"},
    {"solver": "pcg"},
]


@pytest.fixture
def stores(monkeypatch):
    """The kernel rows of all fits, in the order in which they were made."""
    made, rows = [], KernelSettings.rows

    def noting(self, *arguments, **named):
        made.append(rows(self, *arguments, **named))
        return made[-1]

    monkeypatch.setattr(KernelSettings, "rows", noting)
    return made


def check_same(ours, on_cpu, X, tol=2e-3):
    """Compare two fits of the same problem, both of which say that they are optimal."""
    for model in (ours, on_cpu):
        assert model.certificate_.is_optimal
    assert ours.certificate_.primal == pytest.approx(on_cpu.certificate_.primal, rel=1e-3)
    values = "decision_function" if hasattr(ours, "decision_function") else "predict"
    found, expected = getattr(ours, values)(X), getattr(on_cpu, values)(X)
    np.testing.assert_allclose(found, expected, rtol=0, atol=tol * max(1, np.abs(expected).max()))


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_classes(cuda, stores, settings):
    X, y = classes()
    model = BandedSVC(tol=1e-4, **settings)
    ours = clone(model).set_params(device="cuda").fit(X, y)
    assert [type(store) for store in stores][:1] == [CudaRows]
    check_same(ours, model.set_params(device="cpu").fit(X, y), X)
    certificate = ours.certify(X, y)
    assert certificate.is_optimal
    assert certificate.kkt_violation <= 1e-4


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_many_classes_and_threads(cuda, stores, multi_class):
    X, y = classes(3, n_samples=2400)
    model = BandedSVC(multi_class=multi_class)
    one, two = (clone(model).set_params(device="cuda", n_jobs=k).fit(X, y) for k in (1, 2))
    assert all(type(store) is CudaRows for store in stores)
    np.testing.assert_array_equal(one.dual_coef_, two.dual_coef_)
    check_same(one, model.fit(X, y), X)


def test_sparse_samples_weights_and_single_precision(cuda, rng):
    X, y = classes()
    X[np.abs(X) < 0.4] = 0
    weights = rng.integers(0, 3, size=len(y)).astype(float)
    for samples in (sp.csr_array(X), X.astype(np.float32), sp.csr_array(X.astype(np.float32))):
        ours = BandedSVC(device="cuda").fit(samples, y, weights)
        check_same(ours, BandedSVC().fit(samples, y, weights), samples)


@pytest.mark.parametrize(
    "model",
    [
        BandedSVR(epsilon=0.2),
        BandedQuantileSVR(quantile=(0.2, 0.8)),
        OneClassBandedSVM(nu=0.2),
        bandsvm.svm.SVR(),
        bandsvm.svm.NuSVR(),
        bandsvm.svm.OneClassSVM(nu=0.2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_numbers_and_one_class(cuda, stores, model):
    X, y = numbers()
    ours = clone(model).set_params(device="cuda").fit(X, y)
    assert type(stores[0]) is CudaRows
    check_same(ours, model.fit(X, y), X)


def test_svc(cuda, stores):
    X, y = classes()
    ours = bandsvm.svm.SVC(device="cuda").fit(X, y)
    assert type(stores[0]) is CudaRows
    check_same(ours, bandsvm.svm.SVC().fit(X, y), X)
    assert ours.to_banded().device == "cuda"


def test_searches_paths_and_left_out_samples(cuda, stores):
    X, y = classes()
    grid = {"C1": [1.0], "C2": [0.0, 1.0], "gamma": [0.1, 0.3], "refine": 0, "cv": 3}
    ours, on_cpu = (BandedSVCCV(**grid, device=device).fit(X, y) for device in ("cuda", None))
    assert sum(type(store) is CudaRows for store in stores) >= 3
    assert ours.best_estimator_.device == "cuda"
    np.testing.assert_allclose(
        ours.cv_results_["mean_test_score"], on_cpu.cv_results_["mean_test_score"], atol=2e-3
    )
    del stores[:]
    path = band_path(X, y, values=[0.0, 1.0], model=BandedSVC(device="cuda"))
    assert type(stores[0]) is CudaRows
    assert [certificate.is_optimal for certificate in path.certificates] == [True, True]
    model = BandedSVC(device="cuda").fit(X, y)
    few = slice(None, 60)
    expected = leave_one_out(BandedSVC().fit(X[few], y[few]), X[few], y[few])
    found = leave_one_out(model.fit(X[few], y[few]), X[few], y[few])
    np.testing.assert_allclose(found.decision, expected.decision, atol=1e-3)


def test_search_over_numbers(cuda, stores):
    X, y = numbers()
    BandedSVRCV(C1=[1.0], epsilon=[0.1, 0.2], gamma=[0.3], refine=0, cv=3, device="cuda").fit(X, y)
    assert sum(type(store) is CudaRows for store in stores) >= 2


def test_fits_follow_the_samples_and_answer_in_kind(cuda, stores):
    X, y = classes()
    there = cuda.asarray(X)
    model = BandedSVC().fit(there, cuda.asarray(y))
    assert type(stores[0]) is CudaRows
    assert model.device is None
    assert type(model.dual_coef_) is np.ndarray
    for answer in (model.decision_function(there), model.predict(there)):
        assert type(answer) is type(there)
    np.testing.assert_array_equal(model.predict(there).get(), model.predict(X))
    assert type(BandedSVC(device="cpu").fit(there, y)) is BandedSVC
    assert type(stores[1]) is not CudaRows
    assert model.certify(there, cuda.asarray(y)).is_optimal
    words = np.array(["no", "yes"])[y]
    assert BandedSVC().fit(there, words).predict(there)[0] in ("no", "yes")
    for other, target in ((BandedSVR(), X[:, 0]), (bandsvm.svm.SVC(), y)):
        del stores[:]
        assert type(other.fit(there, target).predict(there)) is type(there)
        assert type(stores[0]) is CudaRows
    del stores[:]
    search = BandedSVCCV(C1=[1.0], C2=[0.0], gamma=[0.1], refine=0, cv=3).fit(there, y)
    assert any(type(store) is CudaRows for store in stores)
    assert search.best_estimator_.device is None


@pytest.mark.parametrize("kernel", ["laplacian", "precomputed", np.inner])
def test_kernels_that_no_device_computes_take_samples_that_are_there(cuda, stores, kernel):
    X, y = classes()
    samples = X @ X.T if kernel == "precomputed" else X
    for model in (BandedSVC(kernel=kernel), bandsvm.svm.SVC(kernel=kernel)):
        there = clone(model).fit(cuda.asarray(samples), cuda.asarray(y))
        here = model.fit(samples, y)
        np.testing.assert_array_equal(there.dual_coef_, here.dual_coef_)
    if kernel == "laplacian":
        kernels = ["rbf", "laplacian"]
        search = BandedSVCCV(C1=[1.0], C2=[0.0], gamma=[0.1], kernel=kernels, refine=0, cv=3)
        search.fit(cuda.asarray(X), y)
        assert {type(store) is CudaRows for store in stores} == {True, False}


def test_arrays_on_devices_are_never_converted_by_numpy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy.module())
    X, y = classes(n_samples=80)
    S, labels = fake_cupy.Strict(X), fake_cupy.Strict(y)
    weights = fake_cupy.Strict(np.ones(len(y)))
    model = BandedSVC().fit(S, labels, weights)
    np.testing.assert_array_equal(
        BandedSVC().fit(X, labels, weights).dual_coef_, model.dual_coef_
    )  # of which one alone is there
    assert isinstance(model.band_position(S), np.ndarray)
    calibrate(model, S, labels)
    expected = calibrate(BandedSVC().fit(X, y), X, y).predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(S).get(), expected)
    svc = bandsvm.svm.SVC().fit(S, labels)
    assert svc.certify(S, labels, weights).is_optimal
    assert model.certify(S, labels).is_optimal
    assert svc.banded_.device is None
    assert np.isfinite(leave_one_out(model, S, labels).decision).all()


def test_predictions_are_made_where_the_samples_are(cuda, monkeypatch):
    X, y = classes()
    model, made = BandedSVC().fit(X, y), []
    product = CudaProduct.exact

    def noting(self, A):
        made.append(self)
        return product(self, A)

    monkeypatch.setattr(CudaProduct, "exact", noting)
    expected = model.decision_function(X)
    assert not made
    found = model.decision_function(cuda.asarray(X))
    assert len(made) == 1
    np.testing.assert_allclose(found.get(), expected, atol=1e-9)
    made.clear()
    assert model.set_params(device="cpu").predict(cuda.asarray(X)) is not None
    assert not made


def test_small_problems_are_solved_on_the_cpu(cuda, stores):
    X, y = classes()
    few = slice(None, 300)
    ours = BandedSVC(device="cuda").fit(X[few], y[few])
    np.testing.assert_array_equal(ours.dual_coef_, BandedSVC().fit(X[few], y[few]).dual_coef_)
    assert not stores


def test_time_limits_keep_the_model(cuda):
    X, y = classes()
    model = BandedSVC(C1=1e4, C2=1e4, time_limit=1e-6, device="cuda")
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        model.fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()


def test_models_predict_where_no_device_is(monkeypatch, tmp_path):
    X, y = classes()
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy.module())
    model = BandedSVC(device="cuda").fit(X, y)
    there = model.decision_function(X)
    save(model, tmp_path / "model.bsvm")
    monkeypatch.setitem(sys.modules, "cupy", None)
    for known in (model, load(tmp_path / "model.bsvm")):
        assert known.device == "cuda"
        np.testing.assert_allclose(known.decision_function(X), there, rtol=0, atol=1e-9)
    with pytest.raises(ValueError, match=r"device must be .* without CuPy.*bandsvm\[cuda\]"):
        clone(model).fit(X, y)


def test_machines_without_a_device_say_so(monkeypatch):
    fake = fake_cupy.module()

    class NoDevice:
        def __init__(self):
            raise RuntimeError("no CUDA-capable device is detected")

    fake.cuda.Device = NoDevice
    monkeypatch.setitem(sys.modules, "cupy", fake)
    with pytest.raises(ValueError, match=r"without a CUDA device.*no CUDA-capable device"):
        BandedSVC(device="cuda").fit(*classes())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"device": "gpu"}, "device must be 'cpu', 'cuda' or None, got 'gpu'"),
        ({"device": "cuda", "kernel": "laplacian"}, "device must be .* unless kernel is one of"),
        ({"device": "cuda", "kernel": "precomputed"}, "device must be .* unless kernel is one of"),
    ],
)
def test_devices_that_cannot_be_are_refused(parameters, message):
    X = np.eye(N_SAMPLES)[:, :4] if "kernel" not in parameters else np.eye(4)
    with pytest.raises(ValueError, match=message):
        BandedSVC(**parameters).fit(X, np.arange(len(X)) % 2)
