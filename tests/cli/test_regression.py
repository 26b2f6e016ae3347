"""``bandsvm`` with numbers as targets: fit, predict, inspect, export, and what is refused."""

import csv
import io
import json

import numpy as np
import pytest
from libsvm.svmutil import svm_load_model, svm_predict
from sklearn.metrics import d2_pinball_score, mean_pinball_loss, r2_score

import bandsvm
from bandsvm import BandedQuantileSVR, BandedSVC, BandedSVR
from bandsvm._workflow.numbers import spread_of_targets
from bandsvm.cli import fit, main
from tests.helpers.regression_files import X, Y, houses, numbers
from tests.helpers.svm_scale import svm_scaled

TARGETS = 200.0 + 50.0 * Y
FIT = ["fit", "t.csv", "--model", "m.bsvm", "--regress"]


@pytest.fixture
def files(folder):
    """A folder with a file of numbers and one of houses, with text."""
    (folder / "t.csv").write_bytes(numbers())
    (folder / "houses.csv").write_bytes(houses())
    return folder


def said(capsys, arguments, code=0):
    """Run a command; return what it says, both streams."""
    assert main(arguments) == code
    told = capsys.readouterr()
    return told.out + told.err


def failed(capsys, arguments):
    """Run a command that fails; return its only line."""
    assert main(arguments) == 1
    told = capsys.readouterr()
    assert told.err.count("\n") == 1
    return told.err


def test_many_numbers_ask_which_is_meant(files, capsys):
    told = failed(capsys, ["fit", "t.csv", "--model", "m.bsvm"])
    assert "which are measurements, not classes" in told
    assert "--regress" in told
    assert "--classify" in told
    assert not (files / "m.bsvm").exists()


def test_costs_and_tube_follow_the_spread_of_targets(files, capsys):
    told = said(capsys, FIT)
    spread = float(f"{spread_of_targets(TARGETS):.3g}")
    assert spread == pytest.approx(TARGETS.std(), rel=0.1)
    assert f"were chosen: --C1 {spread:g}, --C2 {spread:g}, --epsilon {0.1 * spread:.3g}" in told
    assert "Training samples: R2 0.7" in told
    model = bandsvm.load("m.bsvm")
    assert model.steps[-1][0] == "regress"
    assert model[-1].C1 == model[-1].C2 == spread
    scaled = model[:-1].transform(_frame())
    own = BandedSVR(1.0, 1.0, 0.1).fit(scaled, Y / (spread / 50.0))
    np.testing.assert_allclose(
        model[-1].predict(scaled) - 200.0, spread * own.predict(scaled), rtol=0, atol=0.05 * spread
    )


def test_what_is_given_is_taken(files, capsys):
    options = ["--C1", "9", "--C2", "3", "--epsilon", "1,2", "--kernel", "linear", "--tol", "0.01"]
    told = said(capsys, [*FIT, *options])
    assert "were chosen" not in told
    model = bandsvm.load("m.bsvm")[-1]
    assert (model.C1, model.C2, model.epsilon, model.kernel) == (9.0, 3.0, (1.0, 2.0), "linear")
    told = said(capsys, ["inspect", "m.bsvm"])
    assert "tube            1 below to 2 above the target" in told
    assert "predicts        numbers" in told
    assert "those above 0 raise the prediction:" in told
    assert "in the tube" in told
    result = json.loads(said(capsys, ["inspect", "m.bsvm", "--json", "--quiet"]))
    assert result["predictions"] == ["prediction"]
    assert result["parameters"]["epsilon"] == [1.0, 2.0]
    assert {row["feature"] for row in result["weights"][0]["positive"]} <= {"a", "b"}
    told = said(capsys, [*FIT, "--loss", "squared_epsilon_insensitive"])
    assert "--C1 1, --C2 1, --epsilon" in told
    assert "--C2 9, --epsilon" in said(capsys, [*FIT, "--C1", "9"])


def test_predictions_and_errors(files, capsys):
    assert main([*FIT, "--quiet"]) == 0
    assert main(["predict", "t.csv", "--model", "m.bsvm"]) == 0
    told = capsys.readouterr()
    predicted = np.array(list(map(float, told.out.split())))
    np.testing.assert_array_equal(predicted, bandsvm.load("m.bsvm").predict(_frame()))
    assert f"R2 {r2_score(TARGETS, predicted):.4f}" in told.err
    arguments = ["predict", "t.csv", "--model", "m.bsvm", "--output", "p.csv", "--json", "--quiet"]
    assert main([*arguments, "--band"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["r2"] == pytest.approx(r2_score(TARGETS, predicted))
    assert result["mae"] == pytest.approx(np.abs(TARGETS - predicted).mean())
    rows = list(csv.DictReader(io.StringIO((files / "p.csv").read_text())))
    positions = bandsvm.load("m.bsvm")[-1].band_position(
        bandsvm.load("m.bsvm")[:-1].transform(_frame()), TARGETS
    )
    assert [row["band"] for row in rows] == positions.tolist()
    assert result["inside_tube"] == pytest.approx(np.mean(positions == "inside"))


def _frame():
    pd = pytest.importorskip("pandas")
    return pd.DataFrame(X, columns=["a", "b"])


def test_files_without_targets(files, capsys):
    assert main([*FIT, "--quiet"]) == 0
    (files / "new.csv").write_bytes(numbers(has_targets=False))
    assert main(["predict", "new.csv", "--model", "m.bsvm"]) == 0
    told = capsys.readouterr()
    assert len(told.out.split()) == 120
    assert "without targets" in told.err
    assert "R2" not in told.err
    told = failed(capsys, ["predict", "new.csv", "--model", "m.bsvm", "--band", "--quiet"])
    assert "--band compares predictions with targets, which new.csv does not have" in told


def test_quantiles(files, capsys):
    told = said(capsys, [*FIT, "--quantile", "0.9,0.1,0.5"])
    assert "were chosen: --C " in told
    assert "Training samples: R2" in told
    model = bandsvm.load("m.bsvm")
    assert model[-1].quantile == (0.9, 0.1, 0.5)
    assert main(["predict", "t.csv", "--model", "m.bsvm"]) == 0
    told = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(told.out)))
    assert list(rows[0]) == ["quantile 0.9", "quantile 0.1", "quantile 0.5"]
    found = np.array([[float(cell) for cell in row.values()] for row in rows])
    np.testing.assert_array_equal(found, model.predict(_frame()))
    assert (found[:, 0] >= found[:, 2]).all()
    assert (found[:, 2] >= found[:, 1]).all()
    assert "which should be 80%" in told.err
    arguments = ["predict", "t.csv", "--model", "m.bsvm", "--output", "p", "--json", "--quiet"]
    result = json.loads(said(capsys, arguments))
    for column, each in zip(found.T, result["quantiles"], strict=True):
        alpha = each["quantile"]
        assert each["pinball"] == pytest.approx(mean_pinball_loss(TARGETS, column, alpha=alpha))
        assert each["d2"] == pytest.approx(d2_pinball_score(TARGETS, column, alpha=alpha))
        assert each["below"] == pytest.approx(np.mean(column >= TARGETS))
    told = said(capsys, ["inspect", "m.bsvm"])
    assert "predicts        the quantiles 0.9, 0.1, 0.5 of numbers" in told
    assert main([*FIT, "--quantile", "0.75", "--C", "3", "--quiet"]) == 0
    assert isinstance(bandsvm.load("m.bsvm")[-1], BandedQuantileSVR)
    assert bandsvm.load("m.bsvm").predict(_frame()).shape == (120,)


def test_tables_with_text_and_money(files, capsys):
    (files / "houses.csv").write_bytes(houses(lambda value: f"${value:.2f}"))
    arguments = ["fit", "houses.csv", "--target", "price", "--regress", "--model", "m.bsvm"]
    told = said(capsys, arguments)
    assert "Read as numbers: 'price' ($" in told
    assert "Categories, with their number of values: 'town' (3)" in told
    assert "before it predicts" in told
    (files / "new.csv").write_bytes(houses(names=("a", "b", "town", "cost")))
    told = said(capsys, ["predict", "new.csv", "--model", "m.bsvm", "--output", "p"])
    assert "does not use the columns ['cost']" in told
    assert "The predictions are in p." in told


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--linear"], "--linear does not work with --regress; leave it out and add --kernel"),
        (["--linear", "--dask", "local"], "--linear does not work with --regress"),
        (["--dask", "local"], "--dask does not work with --regress"),
        (["--on-disk"], "--on-disk does not work with --regress"),
        (["--calibrate"], "--quantile 0.05,0.95 gives intervals"),
        (["--rho2", "2"], "--rho2 cannot be set for regression; leave it out"),
        (["--class-weight", "balanced"], "--class-weight cannot be set for regression"),
        (["--solver", "cd"], "--solver cannot be set for regression"),
        (["--C", "2"], "--C is the cost of --quantile; without it, the costs are --C1 and --C2"),
        (["--quantile", "0.5", "--C1", "2"], "quantiles have one cost, --C, and no band"),
        (["--quantile", "0.5", "--epsilon", "2"], "so --epsilon cannot be set"),
        (["--C1", "inf"], "--C1 must be"),
        (["--C1", "0.5", "--loss", "hinge"], "--loss must be 'epsilon_insensitive' or"),
        (["--target", "none"], "has no column 'none'"),
    ],
)
def test_options_that_regression_does_not_have(options, words, files, capsys):
    assert words in failed(capsys, [*FIT, *options])
    assert not (files / "m.bsvm").exists()


@pytest.mark.parametrize("option", ["--epsilon", "--quantile", "--C"])
def test_options_of_regression_need_it(option, files, capsys):
    told = failed(capsys, ["fit", "t.csv", "--model", "m.bsvm", option, "0.5"])
    assert f"{option} is an option of regression; add --regress" in told


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--quantile", "0.5,1"], "must lie between 0 and 1"),
        (["--quantile", "0.5,0.5"], "must be different numbers"),
        (["--quantile", "half"], "must be a number"),
        (["--epsilon", "-1"], "must be at least 0"),
        (["--epsilon", "1,2,3"], "must be a number, or two: BELOW,ABOVE"),
        (["--C", "0"], "must be greater than 0"),
    ],
)
def test_values_are_checked_at_once(options, words, files, capsys):
    with pytest.raises(SystemExit) as caught:
        main([*FIT, *options])
    assert caught.value.code == 2
    assert words in capsys.readouterr().err


def test_models_of_the_other_task_do_not_go_on(files, capsys):
    assert main([*FIT, "--quiet"]) == 0
    told = failed(capsys, ["fit", "t.csv", "--model", "m.bsvm", "--resume", "--classify"])
    assert "--resume goes on with a model that --regress makes, which --classify cannot" in told
    told = failed(capsys, ["fit", "t.csv", "--model", "m.bsvm", "--resume", "--quantile", "0.5"])
    assert "--quantile cannot be set for regression" in told
    (files / "few.csv").write_bytes(numbers(50))
    told = failed(capsys, ["fit", "few.csv", "--model", "m.bsvm", "--resume"])
    assert "needs the training data of the model: 120 samples; few.csv has 50." in told
    for option in ("--values", "--proba"):
        told = failed(capsys, ["predict", "t.csv", "--model", "m.bsvm", option, "--quiet"])
        assert f"{option} is for classifiers" in told


def test_a_fit_goes_on_with_other_costs(files, capsys):
    assert main([*FIT, "--quiet"]) == 0
    before = bandsvm.load("m.bsvm")[-1]
    assert main(["fit", "t.csv", "--model", "m.bsvm", "--resume", "--C1", "100", "--quiet"]) == 0
    after = bandsvm.load("m.bsvm")[-1]
    assert (after.C1, after.C2, after.epsilon) == (100.0, before.C2, before.epsilon)
    fresh = BandedSVR(**after.get_params())
    scaled = bandsvm.load("m.bsvm")[:-1].transform(_frame())
    fresh.fit(scaled, TARGETS)
    np.testing.assert_allclose(fresh.predict(scaled), after.predict(scaled), atol=1e-3)


@pytest.mark.usefixtures("checkpoints_at_every_step")
def test_an_interrupted_fit_keeps_the_best_so_far(files, capsys, ctrl_c_after, monkeypatch):
    monkeypatch.setattr("bandsvm._fitting.small_problems.SMALL_PROBLEM", 0)
    ctrl_c_after(fit.Checkpoint, "step", 1)
    assert main([*FIT, "--tol", "1e-9", "--epsilon", "0"]) == 130
    told = capsys.readouterr()
    assert "The model is in m.bsvm." in told.out
    assert isinstance(bandsvm.load("m.bsvm")[-1], BandedSVR)


@pytest.mark.usefixtures("one_by_one")
def test_a_fit_that_is_not_optimal_says_what_to_do(files, capsys):
    told = said(capsys, [*FIT, "--max-iter", "1", "--tol", "1e-14", "--C1", "1e9"], code=3)
    assert "raise --max-iter" in told
    assert "--linear" not in told
    options = ["--quantile", "0.5", "--max-iter", "1", "--tol", "1e-14", "--C", "1e9"]
    assert "--C1" not in said(capsys, [*FIT, *options], code=3)


def test_exports(files, capsys):
    assert main([*FIT, "--quiet"]) == 0
    model = bandsvm.load("m.bsvm")
    told = said(capsys, ["export", "m.bsvm", "--to", "libsvm", "--output", "m.svm"])
    assert "svm-scale -r m.svm.range" in told
    assert "Labels" not in told
    found = svm_predict([], svm_scaled(files / "m.svm.range", X), svm_load_model("m.svm"), "-q")[0]
    np.testing.assert_allclose(found, model.predict(_frame()), atol=1e-6)
    onnxruntime = pytest.importorskip("onnxruntime")
    assert main(["export", "m.bsvm", "--to", "onnx", "--output", "m.onnx", "--quiet"]) == 0
    (found,) = onnxruntime.InferenceSession("m.onnx").run(None, {"X": X.astype(np.float32)})
    np.testing.assert_allclose(found, model.predict(_frame()), rtol=1e-4)
    assert main([*FIT, "--kernel", "linear", "--quiet"]) == 0
    assert main(["export", "m.bsvm", "--to", "liblinear", "--output", "m.l", "--quiet"]) == 0
    assert "solver_type L2R_L1LOSS_SVR_DUAL" in (files / "m.l").read_text()
    assert main([*FIT, "--quantile", "0.1,0.9", "--quiet"]) == 0
    told = failed(capsys, ["export", "m.bsvm", "--to", "libsvm", "--output", "q", "--quiet"])
    assert "fit and export a model per quantile" in told


def test_json_of_a_fit(files, capsys):
    assert main([*FIT, "--json", "--quiet"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["is_optimal"]
    assert result["training"]["r2"] > 0.7
    assert 0.0 < result["below_tube"] < 1.0


def test_a_classifier_is_not_asked_for_targets(files, capsys):
    bandsvm.save(BandedSVC().fit(X, Y > 0.0), "c.bsvm")
    told = failed(capsys, ["fit", "t.csv", "--model", "c.bsvm", "--resume", "--regress"])
    assert "--resume goes on with a model that --classify makes" in told
