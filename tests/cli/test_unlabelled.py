"""Samples without a label: refused with their number, or skipped with ``--skip-unlabelled``."""

import json

import numpy as np
import pytest

import bandsvm
from bandsvm.cli import main
from tests.helpers.iris_files import NAMES, SPECIES, X, Y, comma_separated, npz, parquet
from tests.helpers.report_pages import Page

# Samples without a label, the first of them in sample 5 and line 6.
IS_UNLABELLED = np.arange(150) % 10 == 4
N_UNLABELLED = 15


def svmlight_text(labels):
    lines = [
        " ".join([str(label), *(f"{k}:{value}" for k, value in enumerate(row, start=1))])
        for row, label in zip(X, labels, strict=True)
    ]
    return "\n".join(lines).encode()


def arff(labels):
    names = [f"@attribute '{name}' numeric" for name in NAMES]
    rows = [f"{','.join(map(str, row))},{y}" for row, y in zip(X, labels, strict=True)]
    head = ["@relation iris", *names, "@attribute class {setosa,versicolor,virginica}", "@data"]
    return "\n".join([*head, *rows]).encode()


def texts(missing):
    return np.where(IS_UNLABELLED, missing, SPECIES[Y])


def numbers():
    return np.where(IS_UNLABELLED, np.nan, Y)


WITH_HOLES = {
    "texts.csv": (lambda: comma_separated(X, texts("")), "column 'species', first in line 6"),
    "numbers.csv": (
        lambda: comma_separated(X, ["" if np.isnan(y) else f"{y:g}" for y in numbers()]),
        "column 'species', first in line 6",
    ),
    "bare.csv": (
        lambda: comma_separated(X, texts(""), header=False),
        "column 5, first in line 5",
    ),
    "iris.arff": (lambda: arff(texts("?")), "column 'class', first in line 12"),
    "texts.parquet": (
        lambda: parquet(X, [y or None for y in texts("").tolist()]),
        "column 'species', first in sample 5",
    ),
    "numbers.parquet": (
        lambda: parquet(X, numbers()),
        "column 'species', first in sample 5",
    ),
    "texts.npz": (lambda: npz(X=X, y=texts("")), "first in sample 5"),
    "numbers.npz": (lambda: npz(X=X, y=numbers()), "first in sample 5"),
    "iris.svm": (lambda: svmlight_text(numbers()), "first in sample 5"),
}


@pytest.mark.parametrize("name", WITH_HOLES)
def test_samples_without_a_label_are_refused_or_skipped(name, folder, capsys):
    content, where = WITH_HOLES[name]
    (folder / name).write_bytes(content())
    fit = ["fit", name, "--model", "m.bsvm"]
    assert main(fit) == 1
    told = capsys.readouterr().err
    assert f"{name}: the label is missing in {N_UNLABELLED} of 150 samples" in told
    assert where in told
    assert "--skip-unlabelled" in told
    assert main([*fit, "--skip-unlabelled", "--json"]) == 0
    streams = capsys.readouterr()
    assert f"Skipped {N_UNLABELLED} samples without a label." in streams.err
    result = json.loads(streams.out)
    assert (result["n_samples"], result["n_skipped"]) == (150 - N_UNLABELLED, N_UNLABELLED)
    kept = X[~IS_UNLABELLED]
    scaled = (X - kept.mean(axis=0)) / kept.std(axis=0)
    expected = bandsvm.BandedSVC().fit(scaled[~IS_UNLABELLED], Y[~IS_UNLABELLED])
    model = bandsvm.load("m.bsvm")
    assert list(map(str, model.classes_)) in (SPECIES.tolist(), ["0", "1", "2"])
    np.testing.assert_allclose(
        model[-1].decision_function(scaled), expected.decision_function(scaled), atol=1e-5
    )
    # To predict, labels are of no use but for the score.
    predict = ["predict", name, "--model", "m.bsvm", "--json"]
    assert main(predict) == 0
    streams = capsys.readouterr()
    assert f"missing in {N_UNLABELLED} of 150 samples" in streams.err
    assert "--skip-unlabelled" in streams.err
    result = json.loads(streams.out)
    assert "accuracy" not in result
    assert result["n_samples"] == 150
    assert main([*predict, "--skip-unlabelled"]) == 0
    streams = capsys.readouterr()
    assert f"Skipped {N_UNLABELLED} samples without a label." in streams.err
    result = json.loads(streams.out)
    assert (result["n_samples"], result["n_skipped"]) == (150 - N_UNLABELLED, N_UNLABELLED)
    assert result["accuracy"] > 0.95
    assert len(result["label"]) == 150 - N_UNLABELLED


@pytest.mark.parametrize("name", ["texts.csv", "numbers.parquet", "iris.svm"])
def test_blocks_on_disk(name, folder, capsys):
    content, where = WITH_HOLES[name]
    (folder / name).write_bytes(content())
    fit = ["fit", name, "--model", "m.bsvm", "--linear", "--quiet", "--json"]
    assert main([*fit, "--on-disk"]) == 1
    assert where in capsys.readouterr().err
    assert main([*fit, "--skip-unlabelled"]) == 0
    in_memory = json.loads(capsys.readouterr().out)
    assert main([*fit, "--skip-unlabelled", "--on-disk"]) == 0
    on_disk = json.loads(capsys.readouterr().out)
    assert on_disk["n_skipped"] == N_UNLABELLED
    assert on_disk["primal"] == pytest.approx(in_memory["primal"], rel=1e-5)
    predict = ["predict", name, "--model", "m.bsvm", "--on-disk", "--skip-unlabelled", "--json"]
    assert main([*predict, "--quiet"]) == 0
    predicted = json.loads(capsys.readouterr().out)
    assert predicted["accuracy"] == on_disk["training_accuracy"]


def people(n_samples=60):
    """Return a table with ids, groups and categories, in which every tenth label is missing."""
    rows = [
        f"p{k},g{k % 6},{'red' if k % 2 else 'blue'},{k % 7},"
        + ("" if k % 10 == 3 else "yes" if (k % 7 > 3) ^ (k % 11 == 0) else "no")
        for k in range(n_samples)
    ]
    return "\n".join(["patient,group,colour,a,y", *rows])


def test_ids_groups_and_categories_stay_beside_their_samples(folder, capsys):
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    (folder / "t.csv").write_text(people())
    options = ["--id", "patient", "--groups", "group", "--skip-unlabelled"]
    grid = ["--C1", "1", "--C2", "0.1", "--rho2", "2", "--gamma", "0.1", "--folds", "3"]
    assert main(["tune", "t.csv", "--model", "m", *options, *grid, "--quiet", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["n_samples"], result["n_skipped"]) == (54, 6)
    predict = ["predict", "t.csv", "--model", "m", "--skip-unlabelled", "--report", "r.html"]
    assert main([*predict, "--json", "--quiet"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["patient"] == [f"p{k}" for k in range(60) if k % 10 != 3]
    assert "Skipped 6 samples without a label." in (folder / "r.html").read_text()


def test_reports_and_messages_count_the_samples_of_the_file(folder, capsys):
    pytest.importorskip("matplotlib")
    rows = [f"{k % 7},{k},{'' if k < 20 else k % 2}" for k in range(60)]
    (folder / "t.csv").write_text("\n".join(["a,b,y", *rows]))
    fit = ["fit", "t.csv", "--model", "m", "--skip-unlabelled", "--quiet"]
    assert main([*fit, "--report", "r.html"]) == 0
    samples = [
        int(row[0])
        for table in Page(folder / "r.html").tables
        for row in table[1:]
        if table[0][0] == "sample"
    ]
    assert samples
    assert min(samples) > 20
    rows[30] = "inf,30,1"
    (folder / "t.csv").write_text("\n".join(["a,b,y", *rows]))
    assert main(fit) == 1
    assert "in sample 31" in capsys.readouterr().err


def test_columns_are_judged_by_the_samples_that_are_left(folder, capsys):
    rows = [
        f"{k % 7},{'9' if k % 3 == 0 else '5'},{'' if k % 3 == 0 else k % 2}" for k in range(60)
    ]
    (folder / "t.csv").write_text("\n".join(["a,b,y", *rows]))
    assert main(["fit", "t.csv", "--model", "m", "--skip-unlabelled"]) == 0
    assert "Left out: 'b' (constant)." in capsys.readouterr().out


def test_texts_that_usually_stand_for_nothing(folder, capsys):
    """They may be classes, so the file is read, with a warning."""
    rows = [
        f"{k % 7},{'NA' if k % 10 == 0 else 'n/a' if k % 10 == 1 else k % 2}" for k in range(60)
    ]
    (folder / "t.csv").write_text("\n".join(["a,y", *rows]))
    assert main(["fit", "t.csv", "--model", "m", "--quiet"]) == 0
    told = capsys.readouterr().err
    assert "12 samples have the labels ['NA', 'n/a'], which are taken as classes" in told
    assert "--skip-unlabelled" in told
    assert main(["predict", "t.csv", "--model", "m", "--skip-unlabelled", "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["n_samples"] == 60  # classes of this model
    assert main(["fit", "t.csv", "--model", "m", "--skip-unlabelled"]) == 0
    assert "Skipped 12 samples without a label (['NA', 'n/a'])." in capsys.readouterr().out
    assert bandsvm.load("m").classes_.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a,b,y\n" + "1,2,\n3,1,\n" * 5, "no sample of t.csv has a label in the column 'y'"),
        (
            "a,b,c\n" + "1,2,3\n3,1,4\n" * 5,
            "--skip-unlabelled needs a column of labels, which t.csv does not have",
        ),
    ],
)
def test_files_without_labels(content, words, folder, capsys):
    (folder / "train.csv").write_text("a,b,c,y\n" + "1,2,3,0\n3,1,4,1\n" * 5)
    assert main(["fit", "train.csv", "--model", "m", "--quiet"]) == 0
    (folder / "t.csv").write_text(content)
    command = "fit" if "y" in content else "predict"
    assert main([command, "t.csv", "--model", "m", "--skip-unlabelled"]) == 1
    assert words in capsys.readouterr().err


def test_nothing_is_said_where_nothing_is_skipped(folder, capsys):
    (folder / "t.csv").write_bytes(comma_separated(X, SPECIES[Y]))
    assert main(["fit", "t.csv", "--model", "m", "--skip-unlabelled", "--json"]) == 0
    streams = capsys.readouterr()
    assert "kipped" not in streams.err
    assert json.loads(streams.out)["n_skipped"] == 0
