"""``bandsvm export``: the programs that the files are for predict the same."""

import json
import os

import numpy as np
import pytest
from liblinear.liblinearutil import load_model, predict
from libsvm.svmutil import svm_load_model, svm_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bandsvm
from bandsvm import BandedSVC, BandedSVCCV, LinearBandedSVC
from bandsvm.cli import main
from iris_files import SPECIES, X, Y


def test_liblinear(folder, capsys):
    model = make_pipeline(StandardScaler(), LinearBandedSVC()).fit(X, Y)
    bandsvm.save(model, "m.bsvm")
    assert main(["export", "m.bsvm", "--to", "liblinear", "--output", "m.txt"]) == 0
    assert "The model is in m.txt." in capsys.readouterr().out
    labels, _, values = predict([], X, load_model("m.txt"), "-q")
    np.testing.assert_array_equal(labels, model.predict(X))
    np.testing.assert_allclose(values, model.decision_function(X), atol=1e-12)


def test_best_of_a_search(folder):
    search = BandedSVCCV(kernel="linear", C1=[1.0], C2=[1.0], rho2=[1.5], cv=2, multi_class="ovr")
    model = make_pipeline(StandardScaler(), search).fit(X, Y)
    bandsvm.save(model, "m.bsvm")
    assert main(["export", "m.bsvm", "--to", "liblinear", "--output", "m.txt", "--quiet"]) == 0
    labels, _, _ = predict([], X, load_model("m.txt"), "-q")
    np.testing.assert_array_equal(labels, model.predict(X))


def test_libsvm(folder, capsys):
    model = BandedSVC(multi_class="ovr").fit(X, Y)
    bandsvm.save(model, "m.bsvm")
    assert main(["export", "m.bsvm", "--to", "libsvm", "--output", "m.txt", "--json"]) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert files == [f"m.{k}.txt" for k in range(3)]
    values = [np.array(svm_predict([], X, svm_load_model(file), "-q")[2])[:, 0] for file in files]
    np.testing.assert_allclose(np.array(values).T, model.decision_function(X), atol=1e-10)


def test_onnx(folder):
    onnxruntime = pytest.importorskip("onnxruntime")
    model = make_pipeline(StandardScaler(), BandedSVC()).fit(X, SPECIES[Y])
    bandsvm.save(model, "m.bsvm")
    assert main(["export", "m.bsvm", "--to", "onnx", "--output", "m.onnx", "--quiet"]) == 0
    labels, _ = onnxruntime.InferenceSession("m.onnx").run(None, {"X": X.astype(np.float32)})
    np.testing.assert_array_equal(labels, model.predict(X))


def test_onnx_of_a_table_with_categories(folder):
    onnxruntime, pd = (pytest.importorskip(name) for name in ("onnxruntime", "pandas"))
    table = pd.DataFrame({"length": X[:, 2], "colour": np.where(X[:, 3] > 1.0, "red", "blue")})
    table.assign(label=Y).to_csv("iris.csv", index=False)
    assert main(["fit", "iris.csv", "--model", "m.bsvm", "--quiet"]) == 0
    assert main(["export", "m.bsvm", "--to", "onnx", "--output", "m.onnx", "--quiet"]) == 0
    columns = {"length": table[["length"]].to_numpy(np.float32), "colour": table[["colour"]]}
    columns["colour"] = columns["colour"].to_numpy(object)
    labels, _ = onnxruntime.InferenceSession("m.onnx").run(None, columns)
    np.testing.assert_array_equal(labels, bandsvm.load("m.bsvm").predict(table))


@pytest.mark.parametrize(
    ("model", "form", "words"),
    [
        (BandedSVC(), "liblinear", "kernel='rbf'"),
        (make_pipeline(StandardScaler(), BandedSVC()), "libsvm", "train with --scale none"),
        (LinearBandedSVC(), "libsvm", "got a LinearBandedSVC; use export_liblinear"),
    ],
)
def test_what_a_format_lacks_is_refused(model, form, words, folder, capsys):
    bandsvm.save(model.fit(X, Y), "m.bsvm")
    assert main(["export", "m.bsvm", "--to", form, "--output", "m.txt"]) == 1
    assert words in capsys.readouterr().err
    assert os.listdir(folder) == ["m.bsvm"]
    assert main(["export", "m.bsvm", "--to", form, "--output", "m.bsvm"]) == 1
    assert "would replace m.bsvm, which is read" in capsys.readouterr().err
