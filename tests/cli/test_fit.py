"""``bandsvm fit``: what it says, its options, and fits that are cut short and resumed."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import bandsvm
from bandsvm._problem import Status
from bandsvm._workflow.checkpoint import Checkpoint
from bandsvm.cli import main
from tests.helpers.iris_files import FILES, SPECIES, X, Y, comma_separated, npz


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


def slow_data(folder):
    rng = np.random.default_rng(0)
    samples = rng.normal(size=(3000, 5))
    labels = np.where(rng.random(3000) < 0.2, -1, 1) * np.sign(samples[:, 0])
    (folder / "slow.npz").write_bytes(npz(X=samples, y=labels.astype(int)))
    return ["fit", "slow.npz", "--model", "m.bsvm", "--C1", "1000", "--C2", "1000", "--tol", "1e-6"]


def test_time_limit_then_resume(folder, capsys):
    arguments = slow_data(folder)
    assert main([*arguments, "--time-limit", "0.02", "--quiet"]) == 3
    told = capsys.readouterr().err
    assert re.search("met its --time-limit .*; raise --time-limit", told)
    first = bandsvm.load("m.bsvm")[-1].certificate_
    assert first.status is Status.TIME_LIMIT
    assert main([*arguments, "--time-limit", "0.5", "--resume", "--quiet"]) in (0, 3)
    second = bandsvm.load("m.bsvm")[-1].certificate_
    assert second.dual > first.dual


@pytest.mark.usefixtures("checkpoints_at_every_step")
def test_ctrl_c_keeps_the_model_and_says_how_to_go_on(folder, capsys, ctrl_c_after):
    arguments = slow_data(folder)
    ctrl_c_after(Checkpoint, "step", 3)
    assert main([*arguments, "--quiet"]) == 130
    assert "was interrupted" in (told := capsys.readouterr().err)
    assert "--resume" in told
    assert bandsvm.load("m.bsvm")[-1].certificate_.status is Status.INTERRUPTED
    assert set(os.listdir(folder)) == {"slow.npz", "m.bsvm"}


@pytest.mark.heavy
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
    assert main([*arguments, "--time-limit", "0.3", "--resume", "--quiet"]) in (0, 3)
    assert bandsvm.load("m.bsvm")[-1].certificate_.dual > before.dual
    assert not checkpoint.exists()


def test_resume_refuses_linear_regressors(folder, capsys):
    model = bandsvm.LinearBandedSVR().fit(X[:, 1:], X[:, 0])
    bandsvm.save(model, "m.bsvm")
    assert main(["fit", "iris.csv", "--regress", "--model", "m.bsvm", "--resume"]) == 1
    assert "linear classifiers, not with a LinearBandedSVR" in capsys.readouterr().err


def test_resume_wants_the_same_training_set(folder, capsys):
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    (folder / "part.csv").write_bytes(comma_separated(X[:90], SPECIES[Y[:90]]))
    assert main(["fit", "iris.csv", "--model", "m.bsvm", "--quiet"]) == 0
    assert main(["fit", "part.csv", "--model", "m.bsvm", "--resume", "--quiet"]) == 1
    assert "--resume needs the training data of the model: 150" in capsys.readouterr().err
    assert main(["fit", "iris.csv", "--model", "m.bsvm", "--resume", "--scale", "none"]) == 1
    assert "--scale cannot change" in capsys.readouterr().err


@pytest.mark.usefixtures("checkpoints_at_every_step")
def test_checkpoint_that_fails_does_not_end_the_fit(folder, capsys):
    (folder / "m.bsvm.checkpoint").mkdir()
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    (folder / "m.bsvm.checkpoint" / "file").touch()
    assert main(["fit", "iris.csv", "--model", "m.bsvm", "--quiet"]) == 0
    assert "no checkpoint was written" in capsys.readouterr().err
    assert (folder / "m.bsvm.checkpoint" / "file").exists()  # it is not the fit's own
    assert bandsvm.load("m.bsvm")[-1].certificate_.is_optimal


@pytest.mark.filterwarnings("default::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("command", ["fit", "tune"])
def test_exit_code_of_a_model_that_is_not_to_tol(command, folder, capsys):
    _, data, *_ = slow_data(folder)
    arguments = [command, data, "--model", "m.bsvm", "--max-iter", "1", "--C1", "1000"]
    if command == "tune":
        arguments += ["--C2", "0", "--gamma", "1", "--folds", "2"]
    assert main([*arguments, "--quiet"]) == 3
    assert "max_iter" in capsys.readouterr().err.replace("-", "_")
    assert not bandsvm.load("m.bsvm")[-1].certificate_.is_optimal


@pytest.mark.heavy
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_pairs_of_classes(folder, capsys):
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    command = ["fit", "iris.csv", "--model", "m.bsvm", "--C2", "0"]
    pytest.importorskip("matplotlib")
    assert main([*command, "--kernel", "linear", "--calibrate", "--report", "r.html"]) == 0
    told = capsys.readouterr()
    assert "Certificate over 3 problems: optimal" in told.out + told.err
    model = bandsvm.load("m.bsvm")
    theirs = make_pipeline(StandardScaler(), SVC(kernel="linear")).fit(X, SPECIES[Y])
    predicted = model[-1].predict(model[:-1].transform(X))
    np.testing.assert_array_equal(predicted, theirs.predict(X))
    assert main(["inspect", "m.bsvm"]) == 0
    shown = capsys.readouterr().out
    assert "setosa against versicolor" in shown
    # Every sample has a place in the pairs of its own class: two of three.
    assert main(["inspect", "m.bsvm", "--json"]) == 0
    bars = json.loads(capsys.readouterr().out)["histogram"]
    assert sum(bar["n_samples"] for bar in bars) == 2 * 150
    flags = ["--values", "--proba", "--band", "--output", "p.csv", "--quiet"]
    assert main(["predict", "iris.csv", "--model", "m.bsvm", *flags]) == 0
    head, *rows = [line.split(",") for line in Path("p.csv").read_text().splitlines()]
    assert head[1:4] == ["value setosa", "value versicolor", "value virginica"]
    assert [row[0] for row in rows] == predicted.tolist()
    assert [row[-1] for row in rows] == model[-1].band_position(model[:-1].transform(X)).tolist()
    assert main(["tune", "iris.csv", "--model", "t.bsvm", "--multi-class", "ovr", "--C1", "1",
                 "--C2", "1", "--gamma", "scale", "--quiet"]) == 0  # fmt: skip
    assert bandsvm.load("t.bsvm")[-1].multi_class == "ovr"
    assert main(["inspect", "t.bsvm"]) == 0
    assert "multi_class='ovr'" in capsys.readouterr().out
    assert main(["fit", "iris.csv", "--model", "l.bsvm", "--linear", "--multi-class", "ovo"]) == 1
    assert "one-vs-rest" in capsys.readouterr().err
