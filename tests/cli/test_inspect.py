"""``bandsvm inspect``: what a model file holds."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import bandsvm
from bandsvm import BandedSVC, LinearBandedSVC
from bandsvm.cli import main
from tests.helpers.iris_files import FILES, NAMES, SPECIES, X, Y, svmlight


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
    assert "band            1.0 to 3.0" in told
    model = bandsvm.load("m.bsvm")[-1]
    n_lower, n_upper = len(model.alpha_support_), len(model.theta_support_)
    assert f"({n_lower} at the lower, {n_upper} at the upper edge; by class 0: " in told
    assert main(["inspect", "m.bsvm", "--json", "--quiet"]) == 0
    held = json.loads(capsys.readouterr().out)
    assert sum(bar["n_samples"] for bar in held["histogram"]) == len(labels)
    assert held["classes"] == [0, 1]
    assert held["certificate"]["is_optimal"]


def test_kernels_without_gamma_have_none(folder, capsys):
    bandsvm.save(BandedSVC(kernel="linear").fit(X, Y), "m.bsvm")
    assert main(["inspect", "m.bsvm"]) == 0
    assert "gamma " not in capsys.readouterr().out
    assert inspected(capsys)["gamma"] is None


def inspected(capsys, *options):
    assert main(["inspect", "m.bsvm", "--json", "--quiet", *options]) == 0
    return json.loads(capsys.readouterr().out)


def test_weights_of_linear_models_have_names(folder, capsys):
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    assert main(["fit", "iris.csv", "--model", "m.bsvm", "--linear", "--report", "r.html"]) == 0
    told = capsys.readouterr()
    coef = bandsvm.load("m.bsvm")[-1].coef_
    held = inspected(capsys)
    assert held["weights_are"] == "of features scaled to variance 1"
    assert [of_class["class"] for of_class in held["weights"]] == SPECIES.tolist()
    for of_class, weights in zip(held["weights"], coef, strict=True):
        pairs = [(pair["feature"], pair["weight"]) for pair in of_class["positive"]]
        expected = sorted(zip(NAMES, weights, strict=True), key=lambda pair: -pair[1])
        assert pairs == [(name, weight) for name, weight in expected if weight > 0.0]
        pairs = [(pair["feature"], pair["weight"]) for pair in of_class["negative"]]
        assert pairs == [(name, weight) for name, weight in expected[::-1] if weight < 0.0]
    assert main(["inspect", "m.bsvm"]) == 0
    told = capsys.readouterr().out
    largest = NAMES[int(coef[0].argmax())]
    assert f"  setosa      {largest} {coef[0].max():+.4g}" in told
    assert f"<td>{largest}</td>" in (folder / "r.html").read_text()


@pytest.mark.parametrize("kind", [LinearBandedSVC, lambda: BandedSVC(kernel="linear")])
def test_weights_of_two_classes_are_those_of_the_second(kind, folder, capsys):
    model = kind().fit(X[50:], SPECIES[Y[50:]])
    bandsvm.save(model, "m.bsvm")
    held = inspected(capsys)
    assert held["weights_are"] == "of features as they are"
    (of_class,) = held["weights"]
    assert of_class["class"] == "virginica"
    weights = {pair["feature"]: pair["weight"] for pair in of_class["positive"]}
    weights |= {pair["feature"]: pair["weight"] for pair in of_class["negative"]}
    names = [f"feature {k}" for k in range(1, 5)]
    expected = dict(zip(names, model.coef_[0].tolist(), strict=True))
    assert weights == pytest.approx(expected)


def test_weights_of_encoded_tables(folder, capsys):
    pytest.importorskip("pandas")
    rows = [
        f"{'' if k % 9 == 0 else x[2]},{'red' if x[3] > 1 else 'blue'},{y}"
        for k, (x, y) in enumerate(zip(X, Y, strict=True))
    ]
    (folder / "t.csv").write_text("\n".join(["length,colour,label", *rows]))
    assert main(["fit", "t.csv", "--model", "m.bsvm", "--linear", "--quiet"]) == 0
    names = {
        pair["feature"]
        for of_class in inspected(capsys)["weights"]
        for pair in (*of_class["positive"], *of_class["negative"])
    }
    assert names == {"length", "missingindicator_length", "colour_red", "colour_blue"}
    rows = ["\n".join([",".join(row.split(",")[::2]) for row in rows])]
    (folder / "bare.csv").write_text(rows[0])
    assert main(["fit", "bare.csv", "--model", "m.bsvm", "--linear", "--quiet"]) == 0
    held = inspected(capsys)["weights"][0]
    names = {pair["feature"] for pair in (*held["positive"], *held["negative"])}
    assert names == {"feature 1", "missingindicator_feature 1"}


def test_kernel_models_have_no_weights(folder, capsys):
    bandsvm.save(BandedSVC().fit(X, np.array(SPECIES)[Y]), "m.bsvm")
    held = inspected(capsys)
    assert held["weights"] == []
    assert held["weights_are"] is None
