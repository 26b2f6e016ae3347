"""``bandsvm fit --linear``: the models of LinearBandedSVC, with all that tables need."""

import json
import os
import re

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bandsvm
from bandsvm import LinearBandedSVC
from bandsvm._linear.solving import LinearSolve
from bandsvm._problem import Status
from bandsvm._workflow.pipeline import transformed
from bandsvm.cli import main
from tests.helpers.iris_files import FILES, SPECIES, X, Y, comma_separated, npz

FIT = ["fit", "iris.csv", "--model", "m.bsvm", "--linear"]


@pytest.fixture
def iris(folder):
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    return folder


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_file_gives_the_same_model(name, folder, capsys):
    (folder / name).write_bytes(FILES[name]())
    assert main(["fit", name, "--model", "m.bsvm", "--linear", "--json", "--quiet"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["is_optimal"]
    assert result["relative_gap"] <= result["gap_tol"] == 1e-6
    model = bandsvm.load("m.bsvm")
    expected = make_pipeline(StandardScaler(), LinearBandedSVC()).fit(X, Y).decision_function(X)
    values = model[-1].decision_function(transformed(model, X))
    np.testing.assert_allclose(values, expected, atol=1e-5)
    assert main(["predict", name, "--model", "m.bsvm", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] == result["training_accuracy"]


def test_what_fit_says(iris, capsys):
    assert main([*FIT, "--rho2", "1.5", "--report", "r.html"]) == 0
    told = capsys.readouterr().out
    assert "optimal to tol" in told
    scaled = StandardScaler().fit_transform(X)
    model = LinearBandedSVC(rho2=1.5).fit(scaled, Y)
    assert "of 150 samples are support vectors" in told
    own = model.decision_function(scaled)[np.arange(150), Y]
    assert f"{np.mean(own < 0.999):.1%} lie below the band" in told
    assert f"{np.mean(own > 1.501):.1%} above" in told
    assert f"Training accuracy {model.score(scaled, Y):.4f}" in told
    assert "LinearBandedSVC" in (iris / "r.html").read_text()


@pytest.mark.parametrize("C2", ["1", "0"])
def test_support_vectors_are_those_of_the_kernel_model(C2, folder, capsys):
    """Interior points have multipliers greater than 0 everywhere."""
    hard_data(folder)
    counts = []
    for options in (["--linear"], ["--kernel", "linear", "--tol", "1e-6"]):
        arguments = ["fit", "hard.npz", "--model", "m.bsvm", "--C2", C2, "--json", "--quiet"]
        assert main([*arguments, *options]) == 0
        said = json.loads(capsys.readouterr().out)
        counts.append([said[f"n_support{edge}"] for edge in ("", "_lower", "_upper")])
        counts[-1] += [said["below_band"] * 3000, said["above_band"] * 3000]
    np.testing.assert_allclose(*counts, atol=25)


def test_file_holds_no_single_samples(iris):
    assert main([*FIT, "--quiet"]) == 0
    model = bandsvm.load("m.bsvm")[-1]
    assert model.get_params() == LinearBandedSVC().get_params()
    assert not hasattr(model, "alpha_")


@pytest.mark.parametrize(
    ("arguments", "parameters"),
    [
        (["--C1", "3", "--C2", "0", "--rho1", "0.5"], {"C1": 3.0, "C2": 0.0, "rho1": 0.5}),
        (["--rho2", "3", "--tol", "1e-4"], {"rho2": 3.0, "tol": 1e-4}),
        (["--class-weight", "balanced"], {"class_weight": "balanced"}),
        (["--no-intercept"], {"fit_intercept": False}),
        (["--loss", "squared_hinge"], {"loss": "squared_hinge"}),
        (["--solver", "newton", "--jobs", "1"], {"solver": "newton", "n_jobs": 1}),
        (["--time-limit", "100", "--max-iter", "900"], {"time_limit": 100.0, "max_iter": 900}),
    ],
)
def test_options_become_parameters(arguments, parameters, iris):
    assert main([*FIT, "--quiet", *arguments]) == 0
    model = bandsvm.load("m.bsvm")
    assert parameters.items() <= model[-1].get_params().items()
    judge = LinearBandedSVC(**parameters).fit(StandardScaler().fit_transform(X), Y)
    np.testing.assert_allclose(model[-1].coef_, judge.coef_, atol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--linear", "--gamma", "1"], "without kernel, so --gamma cannot be set; leave it out"),
        (["--linear", "--kernel", "rbf", "--cache-size", "9"], "--kernel, --cache-size .*them out"),
        (["--linear", "--C1", "inf"], "--C1 inf needs a kernel; leave --linear out"),
        (["--linear", "--rho1", "4"], "--rho2 must not be less than --rho1"),
        (["--solver", "cd"], "--solver is an option of linear models; add --linear"),
    ],
)
def test_what_does_not_fit_is_refused_before_data_are_read(arguments, words, folder, capsys):
    assert main(["fit", "no.csv", "--model", "m.bsvm", *arguments]) == 1
    assert re.search(words, capsys.readouterr().err)


def test_tune_points_elsewhere(folder, capsys):
    assert main(["tune", "no.csv", "--model", "m.bsvm", "--linear"]) == 1
    assert "tune searches kernel models" in capsys.readouterr().err


def test_tables_as_people_have_them(folder, capsys):
    pytest.importorskip("pandas")
    rows = ["id,length,width,colour,species"]
    for k, (x, y) in enumerate(zip(X, Y, strict=True)):
        width = "" if k % 9 == 0 else x[1]
        rows.append(f"s{k},{x[2]},{width},{'red' if x[3] > 1 else 'blue'},{SPECIES[y]}")
    (folder / "t.csv").write_text("\n".join(rows))
    arguments = ["--target", "species", "--id", "id", "--model", "m.bsvm"]
    assert main(["fit", "t.csv", "--linear", *arguments]) == 0
    told = capsys.readouterr().out
    assert "fills in missing numbers in 1 column" in told
    assert "Categories, with their number of values: 'colour' (2)" in told
    assert main(["predict", "t.csv", "--model", "m.bsvm", "--output", "p.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] > 0.8
    assert (folder / "p.csv").read_text().splitlines()[:2] == ["id,label", "s0,setosa"]
    assert main(["inspect", "m.bsvm"]) == 0


def hard_data(folder):
    rng = np.random.default_rng(0)
    samples = rng.normal(size=(3000, 20))
    labels = np.where(rng.random(3000) < 0.2, -1, 1) * np.sign(samples[:, 0])
    (folder / "hard.npz").write_bytes(npz(X=samples, y=labels.astype(int)))
    return ["fit", "hard.npz", "--model", "m.bsvm", "--C1", "100", "--tol", "1e-9"]


@pytest.mark.parametrize("solver", ["newton", "cd"])
def test_max_iter_then_resume(solver, folder, capsys):
    arguments = [*hard_data(folder), "--solver", solver]
    assert main([*arguments, "--linear", "--max-iter", "4"]) == 3
    printed, told = capsys.readouterr()
    assert re.search("stopped at --max-iter=4 .*; raise --max-iter", told)
    assert "--resume" in told
    assert "it holds multipliers of all training samples, 0.048 MB" in printed
    first = bandsvm.load("m.bsvm")[-1]
    assert len(first.alpha_) == 3000
    assert main([*arguments, "--max-iter", "30", "--resume", "--quiet"]) in (0, 3)
    second = bandsvm.load("m.bsvm")[-1]
    assert second.certificate_.dual > first.certificate_.dual
    assert main([*arguments, "--resume", "--quiet", "--gamma", "1"]) == 1
    assert "without kernel" in capsys.readouterr().err


def test_resume_keeps_the_kind_of_model(iris, capsys):
    assert main(["fit", "iris.csv", "--model", "m.bsvm", "--quiet"]) == 0
    assert main([*FIT, "--resume"]) == 1
    assert "kernel model, which --linear cannot change" in capsys.readouterr().err
    assert main([*FIT, "--quiet"]) == 0
    assert main([*FIT, "--resume", "--quiet", "--C1", "2"]) == 0
    assert bandsvm.load("m.bsvm")[-1].C1 == 2.0
    (iris / "part.csv").write_bytes(comma_separated(X[:90], SPECIES[Y[:90]]))
    assert main(["fit", "part.csv", "--model", "m.bsvm", "--resume", "--quiet"]) == 1
    assert "needs the training data of the model" in capsys.readouterr().err


def test_ctrl_c_keeps_the_model(folder, capsys, ctrl_c_after):
    ctrl_c_after(LinearSolve, "_evaluate", 1)
    assert main([*hard_data(folder), "--linear", "--quiet"]) == 130
    told = capsys.readouterr().err
    assert "was interrupted" in told
    assert "--resume" in told
    assert bandsvm.load("m.bsvm")[-1].certificate_.status is Status.INTERRUPTED
    assert sorted(os.listdir(folder)) == ["hard.npz", "m.bsvm"]
