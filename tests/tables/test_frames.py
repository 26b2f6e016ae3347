"""Tables of numbers and text at the shell: the model is the pipeline written by hand."""

import json
import subprocess
import sys

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import bandsvm
from bandsvm._tables.table import Notes
from bandsvm.cli import main

pd = pytest.importorskip("pandas")
N_SAMPLES = 300


@pytest.fixture
def people(folder, rng):
    """A table with numbers, holes, categories and ids, as a frame and as people.csv."""
    job = rng.choice(["cook", "smith", "baker", ""], N_SAMPLES, p=[0.5, 0.3, 0.15, 0.05])
    job[0] = "king"
    age = np.round(rng.normal(40, 10, N_SAMPLES), 1)
    frame = pd.DataFrame(
        {
            "PersonId": np.arange(N_SAMPLES) + 1000,
            "age": np.where(rng.random(N_SAMPLES) < 0.1, np.nan, age),
            "job": job.astype(object),
            "height": np.round(rng.normal(170, 8, N_SAMPLES), 2),
            "verdict": np.where(age + 15 * (job == "cook") > 45, "old", "young"),
        }
    )
    frame.to_csv("people.csv", index=False)
    return frame


def by_hand(frame):
    """Return the pipeline that `bandsvm fit` is to make of the table."""
    numbers = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    encoder = OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=3)
    columns = ColumnTransformer(
        [("numbers", numbers, ["age", "height"]), ("categories", encoder, ["job"])]
    )
    return make_pipeline(columns, bandsvm.BandedSVC()).fit(frame, frame["verdict"])


def new_people(rng):
    frame = pd.DataFrame(
        {
            "age": [30.0, np.nan, 50.0, np.nan],
            "job": np.array(["cook", "smith", "astronaut", ""], dtype=object),
            "height": [170.0, 180.0, np.nan, 165.5],
        }
    )
    return frame[["height", "job", "age"]]


def test_model_is_the_pipeline_written_by_hand(people, rng):
    assert main(["fit", "people.csv", "--model", "m.bsvm", "--quiet"]) == 0
    model, new = bandsvm.load("m.bsvm"), new_people(rng)
    assert model.feature_names_in_.tolist() == ["age", "job", "height"]
    expected = by_hand(people).decision_function(new)
    np.testing.assert_allclose(model.decision_function(new), expected, atol=1e-9)


def test_predictions_repeat_ids_and_take_what_is_new(people, rng, capsys):
    arguments = ["fit", "people.csv", "--id", "PersonId", "--model", "m.bsvm", "--quiet"]
    assert main(arguments) == 0
    new = new_people(rng)
    new.insert(0, "PersonId", [7, 8, 9, 10])
    new.to_csv("new.csv", index=False)
    assert main(["predict", "new.csv", "--model", "m.bsvm", "--values", "--output", "p.csv"]) == 0
    predicted = pd.read_csv("p.csv")
    assert predicted["PersonId"].tolist() == [7, 8, 9, 10]
    expected = by_hand(people).decision_function(new)
    np.testing.assert_allclose(predicted["value"], expected, atol=1e-9)
    assert "without labels" in capsys.readouterr().out


def test_tables_without_names_are_matched_by_position(people, capsys):
    people.drop(columns="PersonId").to_csv("bare.csv", index=False, header=False)
    assert main(["fit", "bare.csv", "--model", "m.bsvm", "--json", "--quiet"]) == 0
    accuracy = json.loads(capsys.readouterr().out)["training_accuracy"]
    assert main(["predict", "bare.csv", "--model", "m.bsvm", "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] == accuracy
    people[["age", "job", "height"]].to_csv("part.csv", index=False, header=False)
    assert main(["predict", "part.csv", "--model", "m.bsvm", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n_samples"] == N_SAMPLES


def test_resume_and_tune_take_tables_with_text(people, capsys):
    short = ["--max-iter", "1", "--quiet"]
    assert main(["fit", "people.csv", "--model", "m.bsvm", *short]) in (0, 3)
    assert main(["fit", "people.csv", "--model", "m.bsvm", "--resume", "--quiet"]) == 0
    assert bandsvm.load("m.bsvm")[-1].certificate_.is_optimal


def test_onnx_takes_the_model_of_a_table(people, rng):
    pytest.importorskip("skl2onnx")
    runtime = pytest.importorskip("onnxruntime")
    assert main(["fit", "people.csv", "--model", "m.bsvm", "--quiet"]) == 0
    model = bandsvm.load("m.bsvm")
    new = pd.concat([people, new_people(rng)])[["age", "job", "height"]]
    converted = bandsvm.to_onnx(model, new[:1])
    session = runtime.InferenceSession(converted.SerializeToString())
    inputs = {
        name: new[[name]].to_numpy(object if name == "job" else np.float32) for name in new.columns
    }
    values = session.run(None, inputs)[1]
    np.testing.assert_allclose(values.ravel(), model.decision_function(new), atol=1e-4)


@pytest.mark.heavy
def test_text_needs_pandas_and_numbers_do_not(people):
    blocked = (
        "import sys, importlib.abc\n"
        "class Block(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name.split('.')[0] in ('pandas', 'pyarrow'): raise ImportError(name)\n"
        "sys.meta_path.insert(0, Block())\n"
        "from bandsvm.cli import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", blocked, "fit", "people.csv", "--model", "m.bsvm", "--quiet"]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert refused.returncode == 1
    assert "text need pandas; install the extra 'bandsvm[cli]'" in refused.stderr
    assert "'job'" in refused.stderr
    taken = subprocess.run([*command, "--drop", "job"], capture_output=True, text=True, timeout=100)
    assert taken.returncode == 0, taken.stderr


@pytest.mark.parametrize(
    "held", [None, [], {"target": 3}, {"target": "x" * 2000}, {"ids": "abc"}, {"ids": [1, None]}]
)
def test_notes_of_a_strange_file_are_ignored(held):
    assert Notes.from_json(held) == Notes()


@pytest.mark.parametrize(
    ("usual", "odd", "words"),
    [
        (("1", "2"), "inf", "a label that is not finite"),
        (("1", "2"), "2.5", "labels such as 2.5, which are measurements"),
        (("a", "b"), "x" * 1001, "1001 characters"),
    ],
)
def test_labels_that_no_model_could_hold_are_refused_before_the_fit(
    usual, odd, words, tmp_path, capsys
):
    rows = [f"{k},{k % 3},{usual[k % 2]}" for k in range(20)]
    (tmp_path / "t.csv").write_text("\n".join(["f,g,label", *rows, f"3,0,{odd}"]))
    assert main(["fit", str(tmp_path / "t.csv"), "--model", str(tmp_path / "m.bsvm")]) == 1
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
