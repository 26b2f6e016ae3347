"""bandsvm.dask on clusters of processes: what moves, and what happens when workers die."""

import gc
import importlib
import logging
import os
import signal
import subprocess
import sys
import time

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

pytest.importorskip("distributed", reason="the extra dask is not installed")

import dask.array as da
import dask.dataframe as dd
import pandas as pd
from distributed import Client, LocalCluster, wait

import bandsvm
import dask
from bandsvm._fitting.lifecycle import end_fit
from bandsvm._system import dask_futures
from bandsvm.dask import LinearBandedSVC, LinearBandedSVR, transform
from bandsvm.dask._fit import fit_on_cluster
from bandsvm.model_selection._search import Search
from tests.helpers.inline_client import InlineClient, in_chunks
from tests.helpers.regression import noisy_curve
from tests.helpers.watching import AtStep

pytestmark = [pytest.mark.dask, pytest.mark.usefixtures("small_chunks_stay_apart")]
SAME = {"rtol": 1e-9, "atol": 1e-9}


def local_cluster(n_workers):
    """Start a cluster of processes; errors of workers that tests provoke are not printed."""
    return LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        dashboard_address=":0",  # tests may run side by side
        silence_logs=logging.CRITICAL,
    )


@pytest.fixture
def start_cluster():
    """Return a function that starts a cluster for one test and returns its client."""
    started = []

    def start(n_workers):
        started.append(local_cluster(n_workers))
        started.append(Client(started[-1]))
        return started[-1]

    yield start
    for each in reversed(started):
        each.close()


@pytest.fixture(scope="module")
def client():
    with local_cluster(2) as cluster, Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def data():
    return make_classification(1200, 5, n_informative=3, flip_y=0.1, random_state=0)


def fit_watched(model, data, observer):
    """Fit a model as `fit` does, watched by an observer."""
    end_fit(model, fit_on_cluster(model, *data, None, observer))
    return model


def kill_a_worker(client):
    """Kill the process of one worker that holds chunks."""
    pids = client.run(os.getpid)
    address = next(iter(pids))
    assert client.has_what()[address]
    os.kill(pids[address], signal.SIGKILL)
    return address


def test_same_model_as_on_one_machine(client, data):
    X, y = in_chunks(4, *data)
    scaler = StandardScaler().fit(data[0])
    scaled, lazily_scaled = scaler.transform(data[0]), transform(scaler, X)
    parameters = {"solver": "newton", "store_multipliers": True, "tol": 1e-2}
    model = LinearBandedSVC(**parameters).fit(lazily_scaled, y)
    local = bandsvm.LinearBandedSVC(**parameters).fit(scaled, data[1])
    np.testing.assert_allclose(model.coef_, local.coef_, **SAME)
    np.testing.assert_allclose(model.intercept_, local.intercept_, **SAME)
    np.testing.assert_allclose(model.alpha_.compute(), local.alpha_, **SAME)
    assert model.certificate_.is_optimal
    assert model.certificate_.gap == pytest.approx(local.certificate_.gap, rel=1e-6)
    assert (model.predict(lazily_scaled).compute() == local.predict(scaled)).all()
    assert model.score(lazily_scaled, y) == local.score(scaled, data[1])
    assert model.to_local().alpha_.shape == (1200,)
    # The same chunks make the same bits, whoever works on them.
    inline = LinearBandedSVC(client=InlineClient(), **parameters).fit(lazily_scaled, y)
    assert (model.coef_ == inline.coef_).all()


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_same_regression_as_on_one_machine(client, loss):
    """Units of targets, which the workers find together, multipliers and predictions."""
    X, y = noisy_curve(1200, n_features=5)
    y, weights = 1e6 * y + 1e7, np.random.default_rng(0).uniform(0.0, 2.0, 1200)
    cost = 1e6 if loss == "epsilon_insensitive" else 1.0
    parameters = {"C1": cost, "C2": cost, "epsilon": 1e5, "loss": loss, "solver": "newton"}
    chunked = in_chunks(4, X, y, weights)
    model = LinearBandedSVR(**parameters, store_multipliers=True).fit(*chunked)
    local = bandsvm.LinearBandedSVR(**parameters, store_multipliers=True).fit(X, y, weights)
    assert model.certificate_.is_optimal
    assert model.certificate_.scale == local.certificate_.scale
    np.testing.assert_allclose(model.coef_, local.coef_, rtol=1e-8)
    np.testing.assert_allclose(model.intercept_, local.intercept_, rtol=1e-9)
    scale = local.certificate_.scale
    np.testing.assert_allclose(model.alpha_.compute() / scale, local.alpha_ / scale, atol=1e-6)
    assert model.to_local().certify(X, y, weights).is_optimal
    assert model.score(*chunked) == pytest.approx(local.score(X, y, weights), rel=1e-9)
    inline = LinearBandedSVR(client=InlineClient(), **parameters).fit(*chunked)
    assert (model.coef_ == inline.coef_).all()


def test_a_worker_dies_while_a_regression_is_fitted(start_cluster):
    client = start_cluster(3)
    X, y = noisy_curve(1200, n_features=5)
    chunked = in_chunks(6, X, y)
    whole = LinearBandedSVR(solver="newton", client=InlineClient()).fit(*chunked)
    model = LinearBandedSVR(solver="newton", client=client)
    fit_watched(model, chunked, AtStep(3, lambda: kill_a_worker(client)))
    assert (model.coef_ == whole.coef_).all()


def samples_of(half):
    return make_classification(1200, 5, n_informative=3, flip_y=0.1, random_state=0)[0][half]


def labels_of(half):
    return make_classification(1200, 5, n_informative=3, flip_y=0.1, random_state=0)[1][half]


HALVES = slice(0, 600), slice(600, 1200)


def lazy_arrays():
    parts = [(dask.delayed(samples_of)(half), dask.delayed(labels_of)(half)) for half in HALVES]
    X = da.concatenate([da.from_delayed(part, (600, 5), dtype=float) for part, _ in parts])
    return X, da.concatenate([da.from_delayed(part, (600,), dtype=int) for _, part in parts])


def lazy_frames():
    frame, series = dask.delayed(pd.DataFrame), dask.delayed(pd.Series)
    X = [frame(dask.delayed(samples_of)(half)) for half in HALVES]
    y = [series(dask.delayed(labels_of)(half)) for half in HALVES]
    return (
        dd.from_delayed(X, meta=pd.DataFrame(np.empty((0, 5)))),
        dd.from_delayed(y, meta=pd.Series(np.empty(0, dtype=int))),
    )


@pytest.mark.parametrize("lazy", [lazy_arrays, lazy_frames])
def test_predictions_after_a_fit_to_the_same_lazy_chunks(client, data, lazy, caplog):
    """Names of tasks must not clash with those of the fit that the scheduler still knows."""
    X, y = lazy()
    gc.disable()  # the scheduler knows a fit as long as its futures are there
    try:
        model = LinearBandedSVC(C2=0.0, client=client).fit(X, y)
        with caplog.at_level(logging.WARNING, logger="distributed.scheduler"):
            some = model.predict(X)[:5].compute() if lazy is lazy_arrays else None
            values = model.decision_function(X).compute()
            correct = model.score(X, y)
    finally:
        gc.enable()
    local = bandsvm.LinearBandedSVC(C2=0.0).fit(*data)
    np.testing.assert_allclose(values, local.decision_function(data[0]), rtol=1e-4, atol=1e-4)
    assert correct == local.score(*data)
    if some is not None:
        np.testing.assert_array_equal(some, local.predict(data[0])[:5])
    assert "run_spec" not in caplog.text


def test_futures_of_csr_chunks_by_coordinate_descent(client):
    X = sp.random(1500, 300, 0.02, format="csr", random_state=0)
    y = np.where(X @ np.random.default_rng(0).standard_normal(300) > 0, "yes", "no")
    rows = [slice(0, 700), slice(700, 1500)]
    parameters = {"C1": 0.05, "C2": 0.05, "tol": 1e-2}
    model = LinearBandedSVC(solver="cd", **parameters).fit(
        client.scatter([X[part] for part in rows]), client.scatter([y[part] for part in rows])
    )
    local = bandsvm.LinearBandedSVC(**{**parameters, "tol": 1e-8}).fit(X, y)
    assert model.certificate_.is_optimal
    assert model.certificate_.primal == pytest.approx(local.certificate_.primal, rel=1e-2)
    assert model.classes_.tolist() == ["no", "yes"]


def test_a_worker_that_is_killed_is_survived(start_cluster, data):
    client = start_cluster(2)
    parameters = {"solver": "newton", "loss": "squared_hinge", "tol": 1e-2}
    killing = AtStep(3, lambda: kill_a_worker(client))
    model = fit_watched(LinearBandedSVC(client=client, **parameters), in_chunks(2, *data), killing)
    assert killing.n_steps >= 3
    local = bandsvm.LinearBandedSVC(**parameters).fit(*data)
    np.testing.assert_allclose(model.coef_, local.coef_, **SAME)
    assert model.certificate_.is_optimal


def test_scattered_chunks_that_are_lost_are_reported(start_cluster, data):
    client = start_cluster(1)
    X, y = data
    chunks = client.scatter([X[:600], X[600:]]), client.scatter([y[:600], y[600:]])
    model = LinearBandedSVC(loss="squared_hinge", client=client)
    with pytest.raises(RuntimeError, match="cannot be computed again"):
        fit_watched(model, chunks, AtStep(3, lambda: kill_a_worker(client)))
    assert not hasattr(model, "coef_")


def test_a_cluster_without_workers_is_reported(start_cluster, data, monkeypatch):
    client = start_cluster(0)
    monkeypatch.setattr(dask_futures, "SECONDS_BETWEEN_ROLL_CALLS", 0.0)
    monkeypatch.setattr(dask_futures, "MAX_SECONDS_ALONE", 0.1)
    with pytest.raises(RuntimeError, match="no workers"):
        LinearBandedSVC(client=client).fit(*in_chunks(2, *data))


def test_ctrl_c_keeps_the_best_model(client, data):
    model, pressing = LinearBandedSVC(), AtStep(3, lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt, match="kept"):
        fit_watched(model, in_chunks(2, *data), pressing)
    assert model.certificate_.status.value == "interrupted"
    assert 0.0 < model.certificate_.relative_gap < 1.0
    assert model.coef_.any()


CTRL_C = """
import os, signal
import dask.array as da
from distributed import Client, LocalCluster, wait
from sklearn.datasets import make_classification
from bandsvm._fitting.lifecycle import end_fit
from bandsvm._fitting.run import Observer
from bandsvm.dask import LinearBandedSVC
from bandsvm.dask._fit import fit_on_cluster

class Presses(Observer):
    def step(self, run):
        if run.progress.n_iter == 2:
            os.killpg(0, signal.SIGINT)

if __name__ == "__main__":
    X, y = make_classification(1500, 5, random_state=0)
    model = LinearBandedSVC(loss="squared_hinge", tol=1e-10)
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster:
        with Client(cluster) as client:
            try:
                chunks = da.from_array(X, chunks=(750, 5)), da.from_array(y, chunks=750)
                end_fit(model, fit_on_cluster(model, *chunks, None, Presses()))
            except KeyboardInterrupt as error:
                print(error, model.certificate_.status.value, len(client.nthreads()))
"""


def test_ctrl_c_in_a_terminal_spares_the_workers_until_the_model_is_kept(tmp_path):
    """The terminal sends SIGINT to all processes of its group, workers included."""
    script = tmp_path / "script.py"
    script.write_text(CTRL_C)
    run = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, start_new_session=True
    )
    assert "its best model so far is kept" in run.stdout, run.stderr
    assert run.stdout.split()[-2:] == ["interrupted", "1"]


def sent_bytes(client):
    """Return the bytes that workers have sent to each other."""
    return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())


def test_what_workers_send_does_not_depend_on_the_number_of_samples(client):
    sent = {}
    for n_samples in (2000, 20_000):
        X, y = make_classification(n_samples, 30, random_state=0)
        chunked = client.persist(in_chunks(2, X, y))
        before = sent_bytes(client)
        with pytest.warns(ConvergenceWarning):
            LinearBandedSVC(max_iter=2, C1=0.1, C2=0.1, client=client).fit(*chunked)
        sent[n_samples] = sent_bytes(client) - before
    assert sent[20_000] <= 1.2 * sent[2000]
    # One chunk of the larger set has 2.4 MB.
    assert sent[20_000] < 1e6


def n_tasks(client):
    """Return the number of tasks that the scheduler knows."""
    return client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))


def test_nothing_is_left_on_the_cluster_after_a_fit(client, data):
    chunked = client.persist(in_chunks(2, *data))
    wait(chunked)  # the scheduler knows their tasks by then
    before = n_tasks(client)
    gc.disable()  # it is not the garbage collector that frees the memory of workers
    try:
        model = LinearBandedSVC(loss="squared_hinge", client=client).fit(*chunked)
        # Futures that were released are forgotten soon, not at once.
        end = time.monotonic() + 30.0
        while n_tasks(client) > before and time.monotonic() < end:
            time.sleep(0.05)
        assert n_tasks(client) <= before
    finally:
        gc.enable()
    assert model.coef_.any()


@pytest.mark.slow
def test_benchmark_runs_and_its_page_is_what_the_script_writes(capsys, tmp_path):
    importlib.import_module("cluster").main(["--smoke", "--out", str(tmp_path)])
    assert capsys.readouterr().out.count("bytes per pass") == 2
    report = importlib.import_module("large_data_report")
    page = report.PAGE.read_text()
    assert report.section("cluster") in page
    copy = tmp_path / "page.md"
    copy.write_text(page)
    report.main(copy, tmp_path)
    written = copy.read_text()
    assert "Simulated, not measured" in written
    before, after = page.split(report.begin("cluster"))
    assert written.split(report.begin("landmarks"))[0] == before.split(report.begin("landmarks"))[0]
    assert written.endswith(after.split(report.END)[1])


@pytest.mark.parametrize("scoring", [None, "balanced_accuracy"])
def test_a_search_has_the_same_scores(client, data, scoring):
    X, y = data[0][:300], data[1][:300]
    search = bandsvm.BandedSVCCV(C1=[1.0, 10.0], gamma=[0.05, 0.2], refine=0, cv=3, scoring=scoring)
    expected = clone(search).fit(X, y)
    with joblib.parallel_backend("dask", client=client):
        search.fit(X, y)
    assert search.best_params_ == expected.best_params_
    for name in ("mean_test_score", "std_test_score"):
        np.testing.assert_array_equal(search.cv_results_[name], expected.cv_results_[name])
    assert (search.predict(X) == expected.predict(X)).all()


def test_a_search_of_a_regression_has_the_same_scores(client, data):
    X, y = data[0][:200], 1e3 * data[0][:200, 0] + data[1][:200]
    search = bandsvm.BandedSVRCV(C1=[1e3, 1e4], gamma=[0.05, 0.2], refine=0, cv=3)
    expected = clone(search).fit(X, y)
    with joblib.parallel_backend("dask", client=client):
        search.fit(X, y)
    assert search.best_params_ == expected.best_params_
    scores = [each.cv_results_["mean_test_score"] for each in (search, expected)]
    np.testing.assert_array_equal(*scores)


def test_ctrl_c_ends_a_search(client, data, monkeypatch):
    def press(search, candidates, scores, note=Search._note):
        note(search, candidates, scores)
        os.kill(os.getpid(), signal.SIGINT)
        monkeypatch.setattr(Search, "_note", note)

    monkeypatch.setattr(Search, "_note", press)
    search = bandsvm.BandedSVCCV(C1=[1.0, 10.0], cv=3)
    with joblib.parallel_backend("dask", client=client), pytest.raises(KeyboardInterrupt):
        search.fit(*data)
    assert np.isfinite(search.best_score_)
    assert search.predict(data[0]).shape == (1200,)
