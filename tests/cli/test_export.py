"""``bandsvm export``: the programs that the files are for predict the same."""

import json
import os

import numpy as np
import pytest
from liblinear.liblinearutil import load_model, predict
from libsvm.svmutil import svm_load_model, svm_predict
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bandsvm
from bandsvm import BandedSVC, BandedSVCCV, LinearBandedSVC
from bandsvm._workflow.pipeline import transformed
from bandsvm.cli import main
from tests.helpers.iris_files import FILES, SPECIES, X, Y
from tests.helpers.svm_scale import svm_scaled


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


def test_libsvm_scales_as_the_default_model_does(folder, capsys):
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    assert main(["fit", "iris.csv", "--model", "m", "--quiet"]) == 0
    export = ["export", "m", "--to", "libsvm", "--output", "m.svm"]
    assert main(export) == 0
    told = capsys.readouterr().out
    assert "svm-scale -r m.svm.range DATA > SCALED, then svm-predict SCALED m.svm PREDICTED" in told
    assert main([*export, "--json", "--quiet"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["range_file"] == "m.svm.range"
    numbers, _, _ = svm_predict([], svm_scaled("m.svm.range", X), svm_load_model("m.svm"), "-q")
    names = [result["labels"][str(int(number))] for number in numbers]
    model = bandsvm.load("m")
    assert names == model[-1].predict(transformed(model, X)).tolist()


def test_libsvm_takes_samples_as_they_are_with_a_linear_kernel(folder, capsys):
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    assert main(["fit", "iris.csv", "--model", "m", "--kernel", "linear", "--quiet"]) == 0
    assert main(["export", "m", "--to", "libsvm", "--output", "m.svm"]) == 0
    assert "svm-scale" not in capsys.readouterr().out
    assert not (folder / "m.svm.range").exists()
    numbers = bandsvm.load_libsvm("m.svm").predict(X)
    model = bandsvm.load("m")
    assert SPECIES[numbers].tolist() == model[-1].predict(transformed(model, X)).tolist()


@pytest.mark.parametrize("form", ["liblinear", "libsvm"])
def test_text_labels_are_numbers_that_are_told(form, folder, capsys):
    model = (LinearBandedSVC() if form == "liblinear" else BandedSVC()).fit(X, SPECIES[Y])
    bandsvm.save(model, "m.bsvm")
    export = ["export", "m.bsvm", "--to", form, "--output", "m.txt"]
    assert main(export) == 0
    told = capsys.readouterr().out
    assert (
        "Labels in it are numbers: 0 is 'setosa', 1 is 'versicolor', 2 is 'virginica'; "
        "m.txt.labels lists them." in told
    )
    assert (folder / "m.txt.labels").read_text().splitlines()[1] == "0,setosa"
    assert main([*export, "--json", "--quiet"]) == 0
    names = json.loads(capsys.readouterr().out)["labels"]
    if form == "liblinear":
        labels, _, _ = predict([], X, load_model("m.txt"), "-q")
    else:
        labels = bandsvm.load_libsvm("m.txt").predict(X)
    assert [names[str(int(label))] for label in labels] == model.predict(X).tolist()


def test_numbers_of_files_are_told(folder, capsys):
    bandsvm.save(BandedSVC(multi_class="ovr").fit(X, SPECIES[Y]), "m.bsvm")
    assert main(["export", "m.bsvm", "--to", "libsvm", "--output", "m.txt"]) == 0
    told = capsys.readouterr().out
    assert "Names of files have numbers for classes: 0 is 'setosa', 1 is" in told
    assert sorted(os.listdir(folder))[:4] == ["m.0.txt", "m.1.txt", "m.2.txt", "m.bsvm"]


def test_labels_are_told_where_a_pipe_takes_the_model(folder, capsys):
    bandsvm.save(LinearBandedSVC().fit(X, SPECIES[Y]), "m.bsvm")
    assert main(["export", "m.bsvm", "--to", "liblinear", "--output", os.devnull]) == 0
    assert "2 is 'virginica'." in capsys.readouterr().out


@pytest.mark.parametrize("name", ["m.txt.labels", "m.txt.range", "m.0.txt"])
def test_files_beside_the_output_do_not_replace_the_model(name, folder, capsys):
    model = make_pipeline(StandardScaler(), BandedSVC(multi_class="ovr")).fit(X, SPECIES[Y])
    bandsvm.save(model, name)
    stored = (folder / name).read_bytes()
    assert main(["export", name, "--to", "libsvm", "--output", "m.txt"]) == 1
    assert f"would replace {name}, which is read" in capsys.readouterr().err
    assert (folder / name).read_bytes() == stored
    assert os.listdir(folder) == [name]


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
        (make_pipeline(SimpleImputer(), BandedSVC()), "libsvm", "not SimpleImputer, which"),
        (make_pipeline(SimpleImputer(), LinearBandedSVC()), "liblinear", "export --to onnx"),
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
