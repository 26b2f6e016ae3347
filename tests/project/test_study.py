"""The study of studies/: its tasks, its result file, its tests, its pages."""

import importlib
import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.bench


@pytest.fixture
def study():
    """The modules of the study by their short names."""
    names = ("comparison", "data", "hypotheses", "measures", "models", "page", "tasks", "when")
    modules = {name: importlib.import_module(f"study_{name}") for name in names}
    return type("Study", (), {"main": importlib.import_module("study"), **modules})


def made_up(study, gains, n_sets=12, n_splits=2):
    """Return results in which every model is better by a given number in every measure.

    Half of the data sets have two classes, half ten; half hold images.
    """
    rng = np.random.default_rng(0)
    measures = study.measures.MEASURES
    tasks = []
    for k in range(n_sets):
        level = rng.uniform(0.4, 0.6, len(measures))
        n_classes = 2 if k % 2 == 0 else 10
        for split in range(n_splits):
            values = {
                model: {
                    name: level[j] + (gain if up else -gain) + rng.normal(0.0, 1e-3)
                    for j, (name, (up, _)) in enumerate(measures.items())
                }
                for model, gain in gains.items()
            }
            tasks.append(
                {
                    "name": f"set{k:02d}",
                    "group": "binary, 300" if n_classes == 2 else "multi-class",
                    "seed": split,
                    "kind": "image" if k % 4 in (1, 2) else "table",
                    **dict.fromkeys(("n_samples", "n_features", "n_train", "n_test"), 300),
                    "n_classes": n_classes,
                    "n_classes_left_out": 0,
                    "chosen": {"band": {"C1": 1.0, "C2": 0.3, "rho2": 2.0, "gamma": 0.1}},
                    "n_candidates": {"band": 32, "SVC": 32},
                    "measures": values,
                    "scoring": {},
                    "seconds": 1.0,
                }
            )
    head = study.main.header(study.tasks.QUICK, len(tasks))
    return study.comparison.Results(head, tasks)


EQUAL = dict.fromkeys(
    (
        "SVC",
        "C-SVM",
        "band",
        "logistic",
        "boosting",
        "without band",
        "untuned C-SVM",
        "untuned band",
    ),
    0.0,
)


@pytest.mark.slow
def test_study_runs(study, tmp_path):
    path = tmp_path / "study.jsonl"
    tasks = [
        study.tasks.Task("wdbc", "binary, 300", 60, 60, 0),
        study.tasks.Task("iris", "multi-class", 60, 60, 0),
    ]
    file = study.main.ResultFile(path, study.main.header(study.tasks.QUICK, len(tasks)))
    for record in study.main.outcomes(tasks, 1, np.inf):
        file.add(record)
    results = study.comparison.read(path)
    page, when = study.page.page(results), study.when.when_page(results)
    assert "Incomplete" not in page
    assert "undecided" in page  # two data sets decide nothing
    assert "**The study does not decide** if\n\n- you have two classes" in when
    assert [task["name"] for task in results.tasks] == ["wdbc", "iris"]
    for task in results.tasks:
        assert task["n_train"] == 60
        assert task["measures"]["SVC"]["accuracy"] > 0.85
        counts = {task["n_candidates"][name] for name in ("SVC", "C-SVM")}
        assert counts == {32}
        assert 0 < task["n_candidates"]["band"] <= 33
        for name, value in task["measures"]["band"].items():
            is_binary = task["name"] == "wdbc"
            undefined = (
                {"unknown class found", "unknown class, band", "cluster balance"}
                if is_binary
                else {"sensitivity area", "cluster balance"}
            )
            assert (value is None) == (name in undefined), name
    assert set(results.tasks[0]["scoring"]) == set(study.tasks.SCORINGS)


def test_result_file_resumes(study, tmp_path):
    path = tmp_path / "study.jsonl"
    head = {"settings": [1, (2, 3)]}
    file = study.main.ResultFile(path, head)
    file.add({"name": "b", "group": "multi-class", "seed": 0})
    file.add({"name": "a", "group": "multi-class", "seed": 1})
    with path.open("a") as cut_short:
        cut_short.write('{"name":"c"')
    again = study.main.ResultFile(path, head | {"commit": "a later one"})
    assert again.done == {("b", "multi-class", 0), ("a", "multi-class", 1)}
    again.sort()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line.get("name") for line in lines] == [None, "a", "b"]
    with pytest.raises(SystemExit, match="other settings"):
        study.main.ResultFile(path, {"settings": []})


def test_time_limit_ends_a_run(study, tmp_path, capsys):
    path = tmp_path / "study.jsonl"
    study.main.main(["--quick", "--jobs", "1", "--time-limit", "0", "--out", str(path)])
    assert "8 tasks are left" in capsys.readouterr().out
    assert len(path.read_text().splitlines()) == 1


def test_one_vs_one_takes_part_where_the_package_has_it(study):
    from bandsvm import BandedSVCCV

    assert ("band ovo" in study.models.RIVALS) == ("multi_class" in BandedSVCCV().get_params())
    assert "band ovo" not in study.models.rivals_on(2, 10)


@pytest.mark.slow
def test_pages_are_what_the_script_writes(study):
    if not study.page.RESULTS.exists():
        pytest.skip("the study has not been run")
    results = study.comparison.read(study.page.RESULTS)
    assert study.page.page(results) == (ROOT / "docs" / "study.md").read_text()
    assert study.when.when_page(results) == (ROOT / "docs" / "when.md").read_text()
    for name, text in study.page.files(results).items():
        assert text == (ROOT / "docs" / name).read_text()


def test_page_of_intervals_is_what_the_script_writes():
    script = importlib.import_module("intervals")
    results = json.loads(script.RESULTS.read_text())
    assert script.page(results) == script.PAGE.read_text()
    assert {each["name"] for each in results} == set(script.SETS)


@pytest.mark.slow
def test_study_of_intervals_runs(tmp_path):
    script = importlib.import_module("intervals")
    out, page = tmp_path / "intervals.json", tmp_path / "intervals.md"
    options = ["--sets", "diabetes", "--splits", "1", "--out", str(out), "--page", str(page)]
    script.main(options)
    (result,) = json.loads(out.read_text())
    for name, model in result["models"].items():
        assert 0.3 < model.get("loss", 0.8) < 1.0, name
        shares = [model["intervals"][f"{level:g}"]["coverage"] for level in script.LEVELS]
        assert 0.2 < shares[0] < shares[1] < shares[2] <= 1.0, name
    assert "| diabetes | 265, 177 |" in page.read_text()


@pytest.mark.parametrize(
    ("gain", "verdict", "advice"),
    [
        (0.02, "holds", "**Try a band**"),
        (-0.02, "does not hold", "**Set `C2=0`, because a band makes things worse**,"),
    ],
)
def test_verdicts_follow_the_numbers(study, gain, verdict, advice):
    results = made_up(study, EQUAL | {"band": gain, "untuned band": gain}, n_sets=24)
    decisions = study.hypotheses.decide(results)
    assert {one.verdict for one in decisions} == {verdict}
    for name in study.hypotheses.HYPOTHESES:
        assert study.hypotheses.verdict_on(name, decisions) == verdict
    page, when = study.page.page(results), study.when.when_page(results)
    assert page.count(f"**{verdict}**") == 3
    assert f"{advice} if\n\n- you have two classes, clean labels, and tune C\n- you" in when


def test_small_differences_are_no_gain(study):
    results = made_up(study, EQUAL, n_sets=24)
    assert {one.verdict for one in study.hypotheses.decide(results) if not one.part.is_cost} == {
        "does not hold"
    }
    few = made_up(study, EQUAL | {"band": 0.02}, n_sets=4)
    assert {one.verdict for one in study.hypotheses.decide(few)} == {"undecided"}


def test_hypotheses_cannot_change_after_the_run(study):
    results = made_up(study, EQUAL)
    results.header["parts"][0] = ["H1", "something that turned out to be true"]
    with pytest.raises(ValueError, match="changed after the run"):
        study.page.page(results)


def test_missing_tasks_are_reported(study):
    results = made_up(study, EQUAL)
    results.tasks.pop()
    for text in (study.page.page(results), study.when.when_page(results)):
        assert "**Incomplete: 23 of 24 tasks" in text


def test_rows_of_tables_have_as_many_cells_as_their_heads(study):
    for text in (
        study.page.page(made_up(study, EQUAL)),
        study.when.when_page(made_up(study, EQUAL)),
    ):
        n_cells = None
        for line in text.splitlines():
            n_cells = (n_cells or line.count("|")) if line.startswith("|") else None
            assert n_cells is None or line.count("|") == n_cells, line


def test_diagram_is_reproducible(study, tmp_path):
    results = made_up(study, EQUAL | {"band": 0.01})
    panels = study.page.panels(results)
    for name in ("first", "second"):
        study.page.draw(panels, tmp_path / f"{name}.svg")
    first, second = ((tmp_path / f"{name}.svg").read_text() for name in ("first", "second"))
    assert first == second
    assert "band 1.00" in first


def test_study_corrects_for_many_measures(study):
    assert study.comparison.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert study.comparison.p_value(np.zeros(5)) == 1.0


def test_ranks_agree_with_published_values(study):
    """Demsar (2006), tables 5 and 6: critical differences of Nemenyi's test and mean ranks."""
    results = made_up(study, {"SVC": 0.0, "C-SVM": 0.1, "band": 0.2, "logistic": 0.3}, n_sets=14)
    ranks = study.comparison.mean_ranks(results, "accuracy", list(results.tasks[0]["measures"]))
    assert ranks.mean_ranks == {"logistic": 1.0, "band": 2.0, "C-SVM": 3.0, "SVC": 4.0}
    assert ranks.critical_difference == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 14)), rel=1e-3)
    assert ranks.p < 1e-6
    assert ranks.cliques() == [("logistic", "band"), ("band", "C-SVM"), ("C-SVM", "SVC")]


def test_sizes_grow_clearly(study):
    assert study.data.sizes("x", (300, 1000, 5000), 100_000) == [300, 1000, 5000]
    assert study.data.sizes("x", (300, 1000, 5000), 1000) == [300, 600]
    assert study.data.sizes("x", (300, 1000, 5000), 100) == [60]


def test_features_that_vary_in_test_samples_only_are_clipped(study):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    X[:, 1] = np.where(np.arange(60) == 59, 1e6, 1e-9 * X[:, 1])
    splits = [study.data.split(study.data.DataSet("x", X, y), 30, 30, seed) for seed in range(8)]
    largest = [np.abs(split.X_test).max() for split in splits]
    assert max(largest) == study.data.MAX_DEVIATIONS
    assert all(abs(split.X.mean()) < 0.5 for split in splits)


def test_rare_classes_are_left_out(study, monkeypatch):
    X, y = np.zeros((104, 1)), np.repeat([7, 8, 9], (60, 40, 4))
    monkeypatch.setitem(study.data.BUNDLED, "rare", lambda return_X_y: (X, y))
    data = study.data.load("rare", 1000)
    assert (data.n_classes, data.n_classes_left_out, len(data.y)) == (2, 1, 100)
    assert set(data.y) == {0, 1}


def test_measures_on_known_numbers(study):
    measures = study.measures
    probabilities = np.array([[0.9, 0.1], [0.9, 0.1], [0.2, 0.8], [0.2, 0.8]])
    assert measures.calibration_error(np.array([0, 0, 1, 0]), probabilities) == pytest.approx(0.2)
    rng = np.random.default_rng(0)
    y, decision = rng.integers(0, 3, 60), rng.random((60, 3))
    expected = roc_auc_score(y, decision / decision.sum(axis=1, keepdims=True), multi_class="ovr")
    assert measures.area_under_curve(y, decision) != expected  # rows are not rescaled
    decision /= decision.sum(axis=1, keepdims=True)
    assert measures.area_under_curve(y, decision) == pytest.approx(expected)
    found = measures.quality(
        np.array([0, 1, 1, 1, 0]), np.array([0, 1, 0, 1, 0]), np.array([-4, 3, -1, 2, -5])
    )
    assert found["risk at 80 %"] == 0.0
    assert found["risk at 90 %"] == found["risk at 95 %"] == pytest.approx(0.2)


def test_wrong_labels_are_as_many_as_said(study):
    y = np.repeat(np.arange(4), (40, 40, 15, 5))
    split = study.data.Split(np.zeros((100, 1)), y, np.zeros((1, 1)), y[:1], seed=3)
    labels = study.measures.noisy_labels(split, 0.2)
    assert (labels != y).sum() == 20
    assert set(labels) == set(range(4))
    assert all((labels == k)[y == k].sum() >= study.models.N_FOLDS for k in range(4))
    np.testing.assert_array_equal(labels, study.measures.noisy_labels(split, 0.2))
