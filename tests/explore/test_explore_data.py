"""What the page shows of data files and models, against scikit-learn and brute force."""

import csv
import io
import json
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.decomposition import PCA
from sklearn.metrics import accuracy_score, confusion_matrix
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedSVC
from bandsvm._solvers import Status
from bandsvm._tables.remarks import DataFileError
from bandsvm._workflow import source as sources
from bandsvm._workflow import trial_search as searches
from bandsvm._workflow.abstaining import abstention
from bandsvm._workflow.card import card, is_model
from bandsvm._workflow.code import python_code
from bandsvm._workflow.findings import distribution, of_trial, overview
from bandsvm._workflow.noted import noted_warnings
from bandsvm._workflow.parameters import as_options, model_parameters
from bandsvm._workflow.projection import MAX_POINTS_DRAWN, project
from bandsvm._workflow.source import Choices, FileTooLargeError, Source
from bandsvm._workflow.trial import StoppedTooSoonError, Trial
from bandsvm._workflow.trial_path import path
from bandsvm._workflow.trial_samples import Query, as_csv, harmless, page
from bandsvm._workflow.trial_search import search
from bandsvm._workflow.trial_weights import feature_weights
from bandsvm._workflow.work import FitProgress, Work
from bandsvm.cli import main
from bandsvm.cli._output import plain
from tests.helpers.iris_files import FILES, SPECIES, X, Y

HOSTILE = "<img src=x onerror=alert(1)>"
CANCER = load_breast_cancer(return_X_y=True)


def text_table(header, rows):
    stream = io.StringIO()
    csv.writer(stream).writerows([header, *rows])
    return stream.getvalue().encode()


def mixed_table(n_samples=80):
    """A table of numbers, text and missing values, whose labels are markup and formulas."""
    rng = np.random.default_rng(0)
    labels = np.array([HOSTILE, "=1+1"])[np.arange(n_samples) % 2]
    rows = [
        [f"{rng.normal() + (k % 2):.4f}" if k % 9 else "", ["red", "+blue"][k % 3 == 0], label]
        for k, label in enumerate(labels)
    ]
    return text_table(["size", "=colour", "kind"], rows)


@pytest.fixture(scope="module")
def iris():
    trial = Trial(Source.of_bytes("iris.csv", FILES["iris.csv"]()).table(Choices(target=4)))
    classifier = BandedSVC(kernel="linear")
    assert trial.fit(classifier, Work()) == []
    return trial, trial.model(classifier)


@pytest.fixture(scope="module")
def cancer():
    X, y = CANCER
    rows = np.column_stack([X[:, :5], y])
    names = [f"f{k}" for k in range(5)]
    content = text_table([*names, "target"], rows.tolist())
    trial = Trial(Source.of_bytes("cancer.csv", content).table(Choices()))
    classifier = BandedSVC()
    trial.fit(classifier, Work())
    return trial, trial.model(classifier)


# Files


@pytest.mark.parametrize("name", FILES)
def test_every_format_that_fit_reads(name):
    source = Source.of_bytes(name, FILES[name]())
    about = source.describe()
    assert about["name"] == name
    assert [column["name"] for column in about["columns"]][4:] in ([], ["species"], ["column 5"])
    table = source.table(Choices())
    np.testing.assert_allclose(table.X, X, rtol=1e-6)
    assert table.y.tolist() in (SPECIES[Y].tolist(), Y.tolist())


def test_columns_are_chosen_by_place(tmp_path):
    rows = [[k % 2, k % 3, float(k), "ab"[k % 2]] for k in range(40)]
    content = text_table(["2", "1", "size", "name"], rows)
    source = Source.of_bytes("odd.csv", content)
    # A column named 2 comes first: places must not be taken for names.
    table = source.table(Choices(target=0, dropped=(1,), categorical=()))
    assert table.y.tolist() == [k % 2 for k in range(40)]
    assert table.names == ["size", "name"]
    path = tmp_path / "odd.csv"
    path.write_bytes(content)
    words = Source.of_path(path).command(Choices(target=0, dropped=(1,)))
    assert words[1:] == ["--drop", "1", "--target", "2"]
    assert main(["fit", *words, "--model", str(tmp_path / "m.bsvm"), "--quiet"]) == 0


def test_categories_and_header_are_chosen():
    content = text_table([1, 2, 3], [[k % 4, k, k % 2] for k in range(40)])
    source = Source.of_bytes("numbers.csv", content)
    assert len(source.table(Choices(has_header=False)).y) == 41
    table = source.table(Choices(has_header=True, categorical=(0,)))
    assert table.texts == ("1",)
    with pytest.raises(DataFileError, match="has 3 columns, got column 8"):
        source.table(Choices(target=7))


def test_files_too_large_are_refused_before_they_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "LARGEST_FILE", 2**20)
    large = tmp_path / f"{HOSTILE[:4]}.csv"
    with large.open("wb") as file:
        file.truncate(2**21)
    monkeypatch.setattr("pathlib.Path.read_bytes", lambda path: pytest.fail("it was read"))
    with pytest.raises(FileTooLargeError, match=r"has 2 MB.*at most 1 MB.*bandsvm fit FILE"):
        Source.of_path(large)
    with pytest.raises(FileTooLargeError):
        Source.of_bytes("upload.csv", bytes(2**21))


def test_files_that_unpack_to_too_much_are_refused(monkeypatch):
    import gzip

    monkeypatch.setattr(sources, "LARGEST_FILE", 2**20)
    with pytest.raises(FileTooLargeError):
        Source.of_bytes("upload.csv.gz", gzip.compress(b"1,2,3\n" * 2**18))


def test_the_page_of_docs_names_the_limit():
    text = (Path(__file__).parents[2] / "docs" / "explore.md").read_text()
    assert f"up to {sources.LARGEST_FILE // 2**20} MB" in text


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", b"a,b\n1,2\n3,2\n", "single class.*“Target”"),
        ("a.xlsx", b"PK", "Excel.*rename it"),
        ("a.csv", b"", "a.csv"),
        ("a.csv", b"a,y\n1,1\n2,0\nx,1\n", "not a number.*“Leave out”"),
        ("a.csv", b"day,y\n2020-01-02,1\n2020-01-03,0\n", "0 features.*'day' .dates"),
    ],
)
def test_messages_name_controls_of_the_page(name, content, words):
    with pytest.raises(DataFileError, match=words) as error:
        Source.of_bytes(name, content).table(Choices())
    assert "--" not in str(error.value)


# Parameters


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"C1": "1"}, "C1 must be a number"),
        ({"C1": -1.0}, "C1 must be greater than 0"),
        ({"C1": float("nan")}, "C1 must be a number"),
        ({"C1": 10**400}, "C1 must be a number"),
        ({"rho1": 2.0, "rho2": 1.0}, "rho2 must not be less"),
        ({"kernel": "precomputed"}, "kernel must be one of"),
        ({"kernel": ["rbf"]}, "kernel must be a text"),
        ({"gamma": "wide"}, "gamma must be a number"),
        ({"n_jobs": 64}, "no parameter"),
        ({"verbose": True}, "no parameter"),
        ({"degree": 2.5, "kernel": "poly"}, "degree"),
    ],
)
def test_parameters_of_a_page_are_checked(sent, words):
    with pytest.raises((ValueError, TypeError), match=words):
        model_parameters(sent)


def test_parameters_become_a_command(tmp_path):
    sent = {"C1": 3, "gamma": 0.25, "kernel": "poly", "degree": 2, "fit_intercept": False}
    parameters = model_parameters({**sent, "class_weight": "balanced", "loss": "squared_hinge"})
    data = tmp_path / "iris.csv"
    data.write_bytes(FILES["iris.csv"]())
    words = as_options(parameters, "maxabs")
    model = tmp_path / "m.bsvm"
    assert main(["fit", str(data), "--model", str(model), "--quiet", *words]) == 0
    trained = card(model)["parameters"]
    assert {name: trained[name] for name in parameters} == parameters
    assert "MaxAbsScaler" in card(model)["steps"]


# Trials


def test_a_quarter_of_each_class_is_held_out(iris):
    trial, _ = iris
    assert np.bincount(Y[trial.held_out]).tolist() == [12, 12, 12]
    assert sorted([*trial.held_out, *trial.train]) == list(range(150))
    again = Trial(trial.table)
    np.testing.assert_array_equal(again.held_out, trial.held_out)


def test_tiny_classes_stay_in_training():
    table = Source.of_bytes("t.csv", text_table("ab", [[k, k % 2] for k in range(6)]))
    trial = Trial(table.table(Choices()))
    assert len(trial.held_out) == 0
    classifier = BandedSVC()
    trial.fit(classifier, Work())
    assert set(of_trial(trial, trial.model(classifier))) == {"train", "all"}


def test_the_model_is_that_of_scikit_learns_pipeline(iris):
    trial, model = iris
    own = make_pipeline(StandardScaler(), BandedSVC(kernel="linear"))
    own.fit(X[trial.train], SPECIES[Y][trial.train])
    np.testing.assert_allclose(
        model[-1].certificate_.primal, own[-1].certificate_.primal, rtol=1e-12
    )
    for name, part in of_trial(trial, model).items():
        predicted = own.predict(X[part.places])
        about = overview(part)
        assert about["accuracy"] == accuracy_score(SPECIES[Y][part.places], predicted)
        assert sum(about["positions"].values()) == len(part.places)
        assert str(len(part.places)) in about["role"]
        assert ("was not fitted to" in about["role"]) == (name == "held out")


class StopsAfter(Work):
    """Wants to stop after so many looks."""

    def __init__(self, n_looks):
        super().__init__()
        self.n_left = n_looks

    def reason(self):
        self.n_left -= 1
        if self.n_left == 0:
            self.stop()
        return super().reason()


def test_a_stopped_fit_keeps_the_best_model_and_says_so():
    X, y = make_classification(2000, flip_y=0.2, random_state=0)
    content = text_table([*"abcdefghijklmnopqrst", "y"], np.column_stack([X, y]).tolist())
    trial = Trial(Source.of_bytes("large.csv", content).table(Choices()))
    classifier = BandedSVC(C1=100.0)
    reports = []
    work = StopsAfter(10)
    work.report = reports.append
    said = trial.fit(classifier, work)
    assert classifier.certificate_.status is Status.INTERRUPTED
    assert said[0].startswith("Stopped: this is the best model so far, not the optimum (KKT")
    assert 0.0 <= reports[-1]["share"] < 1.0
    assert not work.take_stop()  # what comes next is not stopped
    assert overview(of_trial(trial, trial.model(classifier))["held out"])["accuracy"] > 0.5


def test_a_fit_that_is_stopped_at_once_has_no_model(cancer):
    work = Work()
    work.stop()
    with pytest.raises(StoppedTooSoonError, match="before its first step"):
        cancer[0].fit(BandedSVC(), work)


@pytest.mark.parametrize(
    ("multi_class", "parts_are"), [("ovo", "pairs of classes"), ("ovr", "classes")]
)
def test_a_stopped_fit_of_several_classes_says_how_far_it_came(multi_class, parts_are, iris):
    trial, _ = iris
    classifier = BandedSVC(kernel="linear", multi_class=multi_class, n_jobs=1)
    work = Work()

    class StopsInSecond(FitProgress):
        def step(self, run):
            if run.index == 1:
                work.stop()
            return super().step(run)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bandsvm._workflow.trial.FitProgress", StopsInSecond)
        said = trial.fit(classifier, work)
    assert f"Of 3 {parts_are}: 1 done, 2 not begun." in said[0]


def test_an_unwanted_fit_ends(cancer):
    with pytest.raises(StoppedTooSoonError):
        cancer[0].fit(BandedSVC(), Work(is_wanted=lambda: False))


def test_warnings_are_noted_by_the_thread_that_gave_them():
    both = threading.Barrier(2)
    noted = {}

    def give(name):
        with noted_warnings() as said:
            both.wait()
            for _ in range(3):
                warnings.warn(f"from {name}", UserWarning, stacklevel=1)
            both.wait()
        noted[name] = said

    threads = [threading.Thread(target=give, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert noted == {"a": ["from a"], "b": ["from b"]}
    with pytest.raises(UserWarning, match="as before"):
        warnings.warn("as before", UserWarning, stacklevel=1)


# What the tabs show


@pytest.mark.parametrize("data", ["iris", "cancer"])
def test_abstaining_is_what_counting_says(data, request):
    trial, model = request.getfixturevalue(data)
    part = of_trial(trial, model)["held out"]
    about = abstention(part)
    true, given = part.judged.y, part.judged.predicted
    labels = model[-1].classes_
    assert about["coverage"][0] == 1.0
    for k, threshold in enumerate(about["threshold"]):
        kept = part.score >= threshold
        expected = confusion_matrix(true[kept], given[kept], labels=labels)
        np.testing.assert_array_equal(about["confusion"][k], expected)
        assert about["coverage"][k] == pytest.approx(np.mean(kept))
        assert about["risk"][k] == pytest.approx(np.mean(true[kept] != given[kept]))
    if data == "cancer":
        at = about["band_stop"]
        positions = part.judged.position[part.score >= about["threshold"][at]]
        assert "below" not in positions
        assert about["coverage"][at] == pytest.approx(np.mean(part.judged.position != "below"))
    else:
        assert about["band_stop"] is None


def test_distributions_count_every_sample(iris, cancer):
    part = of_trial(*cancer)["all"]
    about = distribution(part)
    counts = [sum(group["counts"]) for group in about["groups"]]
    assert counts == np.bincount(CANCER[1]).tolist()
    assert about["bands"] == [[-3.0, -1.0], [1.0, 3.0]]
    part = of_trial(*iris)["all"]
    for k in range(3):
        about = distribution(part, k)
        assert [sum(group["counts"]) for group in about["groups"]] == [100, 50]
        assert about["groups"][1]["name"] == SPECIES[k]
    with pytest.raises(ValueError, match="class must be from 0 to 2"):
        distribution(part, 3)


def test_projections(iris):
    trial, model = iris
    part = of_trial(trial, model)["all"]
    about = project(part)
    expected = PCA(2).fit_transform(StandardScaler().fit(X[trial.train]).transform(X))
    for k, name in enumerate(("xs", "ys")):
        np.testing.assert_allclose(np.abs(about[name]), np.abs(expected[:, k]), atol=1e-9)
    about = project(part, about["axes"].index("petal width"), about["axes"].index("sepal length"))
    np.testing.assert_array_equal(about["xs"], X[:, 3])
    np.testing.assert_array_equal(about["ys"], X[:, 0])
    assert about["row"] == list(range(1, 151))
    assert about["true"] == Y.tolist()
    with pytest.raises(ValueError, match="x must be an axis"):
        project(part, 99, 0)


def test_a_picture_has_a_bounded_number_of_points():
    rows = [[k % 7, k % 11, k % 2] for k in range(2 * MAX_POINTS_DRAWN)]
    trial = Trial(Source.of_bytes("l.csv", text_table("abc", rows)).table(Choices()))
    classifier = BandedSVC(max_iter=1)
    trial.fit(classifier, Work())
    about = project(of_trial(trial, trial.model(classifier))["all"])
    assert len(about["xs"]) == MAX_POINTS_DRAWN
    assert about["n_samples"] == 2 * MAX_POINTS_DRAWN


@pytest.mark.parametrize("name", ["iris.svm", "iris.npz", "plain.csv"])
def test_all_views_of_tables_without_names(name):
    trial = Trial(Source.of_bytes(name, FILES[name]()).table(Choices()))
    classifier = BandedSVC(kernel="linear")
    trial.fit(classifier, Work())
    model = trial.model(classifier)
    part = of_trial(trial, model)["held out"]
    assert len(project(part)["xs"]) == 36
    assert page(part, Query())["n_found"] == 36
    assert len(feature_weights(model, trial.table.names)["features"]) == 4


def sparse_file():
    rng = np.random.default_rng(0)
    rows = [
        f"{k % 2} " + " ".join(f"{j}:1" for j in sorted({k % 2 + 1, *rng.integers(3, 900, 5)}))
        for k in range(60)
    ]
    return "\n".join(rows).encode()


def table_of_labels(names, label):
    return text_table(names, [[k, k % 7, label(k)] for k in range(40)])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("sparse.svm", sparse_file()),
        ("one.csv", text_table("ay", [[k, k // 20] for k in range(40)])),
        ("true.csv", table_of_labels("aby", lambda k: k > 20)),
        ("names.csv", table_of_labels(["größe", "値", "y"], lambda k: "äß"[k > 20])),
        ("few.csv", table_of_labels("aby", lambda k: k % 10)),
        ("same.csv", text_table("aby", [[1, k % 2, k % 2] for k in range(40)])),
    ],
)
def test_all_views_of_odd_tables(name, content):
    trial = Trial(Source.of_bytes(name, content).table(Choices()))
    classifier = BandedSVC(kernel="linear")
    trial.fit(classifier, Work())
    model = trial.model(classifier)
    for part in of_trial(trial, model).values():
        assert json.dumps(plain(overview(part)), allow_nan=False)
        about = project(part)
        for axis in range(len(about["axes"])):
            assert len(project(part, 0, axis)["ys"]) == len(part.places)
        assert len(page(part, Query(), 0, 100)["rows"]) == len(part.places)
        assert sum(np.ravel(abstention(part)["confusion"][0])) == len(part.places)
        counts = [sum(group["counts"]) for group in distribution(part)["groups"]]
        assert sum(counts) == len(part.places)
    assert feature_weights(model, trial.table.names)["features"]
    assert path(trial, classifier, "C2", Work())["values"]


def test_views_of_text_missing_values_and_markup():
    source = Source.of_bytes(f"{HOSTILE}.csv", mixed_table())
    trial = Trial(source.table(Choices()))
    classifier = BandedSVC(kernel="linear")
    trial.fit(classifier, Work())
    model = trial.model(classifier)
    part = of_trial(trial, model)["held out"]
    assert HOSTILE in source.describe()["name"]
    assert HOSTILE in overview(part)["classes"]
    weights = feature_weights(model, trial.table.names)
    assert {"size", "=colour_red", "=colour_+blue"} <= set(weights["features"])
    found = page(part, Query(text=HOSTILE.upper()))
    assert found["n_found"] >= 10
    assert HOSTILE in found["rows"][0]
    cells = [cell for row in csv.reader(io.StringIO(as_csv(part, Query()))) for cell in row]
    assert "'=colour" in cells
    assert "'=1+1" in cells
    assert "'+blue" in cells
    assert not any(cell.startswith(("=", "+", "@")) for cell in cells)


@pytest.mark.parametrize("cell", ["=1", "+1", "-1", "@x", "\t=1", "\r=1", " =1", "\n=1"])
def test_text_that_begins_like_a_formula_is_quoted(cell):
    assert harmless(cell) == f"'{cell}"
    assert harmless("plain") == "plain"
    assert harmless(-1.5) == -1.5


# The table of samples


def test_the_table_is_sorted_and_filtered(iris):
    part = of_trial(*iris)["all"]
    names = [column["name"] for column in page(part, Query())["columns"]]
    everything = [row for start in (0, 100) for row in page(part, Query(), start, 100)["rows"]]
    assert len(everything) == 150
    for name in ("petal width", "label", "decision value"):
        k = names.index(name)
        for is_descending in (False, True):
            query = Query(sort=k, is_descending=is_descending)
            cells = [row[k] for row in page(part, query, 0, 150)["rows"]]
            assert cells == sorted(cells, reverse=is_descending)
    place, right = names.index("place"), names.index("is right")
    doubtful = page(part, Query(place="doubtful"), 0, 150)
    assert doubtful["n_found"] == sum(row[place] == "doubtful" for row in everything)
    wrong = page(part, Query(is_wrong=True, text="virgin"), 0, 150)["rows"]
    expected = [row for row in everything if row[right] == "no" and "virginica" in row[1:3]]
    assert sorted(wrong) == sorted(expected)
    lead = names.index("lead")
    leads = [row[lead] for row in page(part, Query(), 0, 150)["rows"]]
    assert leads == sorted(leads)
    with pytest.raises(ValueError, match="sort must be a column"):
        page(part, Query(sort=99))
    with pytest.raises(ValueError, match="place must be one of"):
        page(part, Query(place="odd"))


def test_decision_values_of_two_classes_have_a_sign(cancer):
    trial, model = cancer
    part = of_trial(trial, model)["held out"]
    g = model[-1].decision_function(trial.samples[trial.held_out])
    table = page(part, Query(sort=0), count=200)
    names = [column["name"] for column in table["columns"]]
    k = names.index("decision value")
    assert [row[k] for row in table["rows"]] == pytest.approx(g.tolist())
    assert (g < 0).any()
    assert table["columns"][k]["is_signed"]
    shown = project(part)
    assert shown["value"] == pytest.approx(g.tolist())
    assert "decision value g(x)" in shown["axes"]


def test_saved_samples_have_all_features():
    X, y = CANCER
    names = [f"f{k}" for k in range(X.shape[1])]
    content = text_table([*names, "target"], np.column_stack([X, y]).tolist())
    trial = Trial(Source.of_bytes("cancer.csv", content).table(Choices()))
    classifier = BandedSVC()
    trial.fit(classifier, Work())
    part = of_trial(trial, trial.model(classifier))["held out"]
    shown = page(part, Query())
    assert shown["n_features_left_out"] == 18
    rows = list(csv.DictReader(io.StringIO(as_csv(part, Query(sort=0)))))
    saved = np.array([[float(row[name]) for name in names] for row in rows])
    np.testing.assert_array_equal(saved, X[trial.held_out])


def test_rows_count_as_in_the_file(iris):
    trial, model = iris
    part = of_trial(trial, model)["held out"]
    for row in page(part, Query(sort=0), 0, 100)["rows"]:
        np.testing.assert_array_equal(row[-4:], X[row[0] - 1])
        assert row[1] == SPECIES[Y[row[0] - 1]]


def test_weights_of_linear_models_only(iris, cancer):
    trial, model = iris
    about = feature_weights(model, trial.table.names)
    order = [trial.table.names.index(name) for name in about["features"]]
    np.testing.assert_array_equal(about["weights"], model[-1].coef_[:, order])
    first, second, third = SPECIES.tolist()
    pairs = [(first, second), (first, third), (second, third)]
    assert about["classes"] == [f"{one} against {other}" for one, other in pairs]
    assert feature_weights(cancer[1], cancer[0].table.names) is None


# Many models


def test_a_search_reports_every_score(iris):
    trial, _ = iris
    reports = []
    found = search(trial, {"kernel": "linear", "C1": 5.0}, Work(reports.append))
    surfaces = [report["surface"] for report in reports if "surface" in report]
    assert len(surfaces) > 2
    sizes = [len(each["score"]) for each in surfaces]
    assert sizes == sorted(sizes)
    assert found.surface["score"] == surfaces[-1]["score"]
    best = found.surface["best"]
    assert found.surface["C1"][best] == found.classifier.C1
    assert found.surface["C2"][best] == found.classifier.C2
    assert f"Best of {sizes[-1]} candidates" in found.sentences[0]
    assert found.classifier.certificate_.is_optimal
    assert any(report["stage"] == "fit" for report in reports)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_progress_of_a_search_has_an_end(kernel, iris, monkeypatch):
    monkeypatch.setattr(searches, "SECONDS_BEFORE_ESTIMATE", 0.0)
    trial, _ = iris
    reports = []
    found = search(trial, {"kernel": kernel}, Work(reports.append))
    n_tried = len(found.chooser.cv_results_["params"])
    progress = [report["progress"] for report in reports if "progress" in report]
    assert [each["n_done"] for each in progress] == sorted(each["n_done"] for each in progress)
    assert progress[-1]["n_done"] == 5 * n_tried
    for each in progress:
        # The refined candidates are fewer where the best one is at the end of a grid.
        assert n_tried <= each["n_candidates"] <= n_tried + 9
        assert each["n_all"] == 5 * each["n_candidates"]
        assert each["seconds_left"] >= 0.0
    assert progress[-1]["share"] > 0.95


def test_folds_are_predicted_by_models_of_the_others(iris):
    trial, _ = iris
    found = search(trial, {"kernel": "linear"}, Work())
    parts = of_trial(trial, trial.model(found.classifier), found.folds)
    assert list(parts) == ["held out", "folds", "train", "all"]
    folds, X, y = parts["folds"], trial.training_samples, trial.y_train
    right = np.zeros(len(y), dtype=bool)
    for k, (train, rest) in enumerate(found.chooser.cv):
        model = clone(found.classifier).fit(X[train], y[train])
        right[rest] = model.predict(X[rest]) == y[rest]
        assert found.chosen.scores[k] == pytest.approx(right[rest].mean())
    assert folds.quality.n_right == right.sum()
    assert page(folds, Query())["n_found"] == len(y)


def test_a_stopped_search_keeps_the_best_so_far(cancer):
    trial, _ = cancer
    work = Work()

    def stop_at_third(report):
        surfaces.append(report) if "surface" in report else None
        if len(surfaces) == 3:
            work.stop()

    surfaces = []
    work.report = stop_at_third
    found = search(trial, {}, work)
    assert found.sentences[0].startswith("Stopped: the best so far of")
    assert found.classifier.certificate_.is_optimal
    assert found.classifier.time_limit is None
    assert found.folds == "the search was stopped"


def small_trial(n_samples):
    rows = [[k, k % 7, k % 2] for k in range(n_samples)] + [[1, 2, 9]]
    return Trial(Source.of_bytes("s.csv", text_table("aby", rows)).table(Choices()))


def test_searches_of_small_tables():
    with pytest.raises(ValueError, match=r"at least 5 training samples.*the largest has 4"):
        search(small_trial(10), {}, Work())
    found = search(small_trial(40), {"kernel": "linear"}, Work())
    # The class of a single sample is in no fold but one.
    assert any("least populated class" in text for text in found.sentences)


def test_a_fit_that_meets_a_limit_says_what_helps_here(cancer):
    said = cancer[0].fit(BandedSVC(max_iter=1, C1=1e6), Work())
    assert said[0].startswith("The fit stopped at max_iter=1 with KKT violation")
    assert said[0].endswith("Scale the features, or try smaller costs.")
    assert "warm_start" not in said[0]


def test_a_search_that_is_stopped_at_once_has_no_model(cancer):
    work = Work()
    work.stop()
    with pytest.raises(StoppedTooSoonError, match="before any candidate"):
        search(cancer[0], {}, work)


@pytest.mark.parametrize("vary", ["C2", "rho2"])
def test_paths_are_refits(cancer, vary):
    trial, model = cancer
    about = path(trial, model[-1], vary, Work())
    assert about["own"] in about["values"]
    assert about["is_held_out"]
    y = trial.table.y[trial.held_out]
    for k in (0, len(about["values"]) // 2, -1):
        again = BandedSVC().set_params(**{vary: about["values"][k]})
        again.fit(trial.training_samples, trial.y_train)
        samples = trial.samples[trial.held_out]
        assert about["accuracy"][k] == again.score(samples, y)
        assert about["doubtful"][k] == np.mean(again.band_position(samples) == "below")
        assert about["primal"][k] == pytest.approx(again.certificate_.primal, rel=1e-6)
    with pytest.raises(ValueError, match="vary must be one of"):
        path(trial, model[-1], "C1", Work())


def test_a_stopped_path_keeps_its_points(cancer):
    trial, model = cancer
    about = path(trial, model[-1], "C2", StopsAfter(60))
    assert 0 < len(about["values"]) < 25
    assert "Stopped" in about["sentences"][0]
    assert len(about["accuracy"]) == len(about["values"]) == len(about["n_upper"])


# Code


@pytest.mark.parametrize("name", ["iris.csv", "plain.csv", "semicolons.csv", "iris.parquet"])
def test_python_code_gives_the_same_model(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(FILES[name]())
    source = Source.of_path(name)
    trial = Trial(source.table(Choices()), "maxabs")
    classifier = BandedSVC(C1=3.0, gamma=0.25)
    trial.fit(classifier, Work())
    held_out = of_trial(trial, trial.model(classifier))["held out"]
    names = {}
    exec(python_code(source, trial, classifier), names)
    assert f"samples: {overview(held_out)['accuracy']}" in capsys.readouterr().out
    primal = names["model"][-1].certificate_.primal
    assert primal == pytest.approx(classifier.certificate_.primal, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("mixed.csv", mixed_table(), "features are numbers"),
        ("iris.npz", FILES["iris.npz"](), "CSV and Parquet"),
        # Decimal commas are no numbers to pandas, unless it is told.
        ("commas.csv", b"a;y\n" + b"1,5;u\n2,5;v\n" * 10, "in another way"),
    ],
)
def test_no_python_code_is_better_than_wrong_code(name, content, words):
    source = Source.of_bytes(name, content)
    trial = Trial(source.table(Choices()))
    with pytest.raises(ValueError, match=words):
        python_code(source, trial, BandedSVC())


# Model files


def test_a_card_says_what_inspect_says(tmp_path, capsys):
    data, model = tmp_path / "iris.csv", tmp_path / "m.bsvm"
    data.write_bytes(FILES["iris.csv"]())
    assert main(["fit", str(data), "--model", str(model), "--kernel", "linear", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["inspect", str(model)]) == 0
    printed = capsys.readouterr().out
    assert card(model)["text"] == printed.rstrip("\n")
    named = card(model, f"{HOSTILE}.bsvm")
    assert named["text"].startswith(f"{HOSTILE}.bsvm: ")
    assert str(tmp_path) not in named["text"]
    assert named["support"]["lower"] + named["support"]["upper"] >= named["support"]["total"]
    assert set(named["weights"]["features"]) == set(card(model)["feature_names"])
    # Every sample has a place in the pairs of its class.
    assert sum(bar["n_samples"] for bar in named["histogram"]) == 2 * 150
    assert is_model(model.read_bytes()[:100])
    assert not is_model(data.read_bytes()[:100])
