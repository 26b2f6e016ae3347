"""``bandsvm fit --linear --dask``: the model of one machine, by workers."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

import bandsvm
from bandsvm.cli import main

distributed = pytest.importorskip("distributed", reason="needs the extra dask")


pytestmark = pytest.mark.dask


@pytest.fixture(autouse=True)
def table(folder):
    """Write a table."""
    X, y = make_classification(1600, 5, flip_y=0.1, random_state=0)
    np.savetxt("t.csv", np.column_stack([X, y]), delimiter=",")


@pytest.mark.filterwarnings("ignore:.*LocalCluster.*:UserWarning")
def test_model_is_that_of_one_machine(folder):
    fit = ["fit", "t.csv", "--linear", "--solver", "newton", "--quiet", "--model"]
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
    ):
        assert main([*fit, "there.bsvm", "--dask", cluster.scheduler_address]) == 0
    assert main([*fit, "here.bsvm"]) == 0
    there, here = (bandsvm.load(f"{name}.bsvm")[-1] for name in ("there", "here"))
    np.testing.assert_allclose(there.coef_, here.coef_, atol=1e-9)
    assert there.certificate_.is_optimal


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--dask", "local"], "--dask is for linear models; add --linear"),
        (["--linear", "--dask", "local", "--calibrate"], "--calibrate does not work with --dask"),
        (["--linear", "--dask", "local", "--resume"], "--resume does not work with --dask"),
        (["--linear", "--dask", "nonsense"], "no scheduler answers at 'nonsense'"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message, folder, capsys, monkeypatch):
    monkeypatch.setattr("bandsvm._workflow.training.SECONDS_TO_CONNECT", 0.5)
    assert main(["fit", "t.csv", "--model", "m.bsvm", *options]) == 1
    assert message in capsys.readouterr().err
    assert not (folder / "m.bsvm").exists()
