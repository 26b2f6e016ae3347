"""Holdouts: what is held out, fits to the rest, stops."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedSVC
from bandsvm._fitting.run import Observer
from bandsvm._problem import Status
from bandsvm._workflow.holdout import Holdout, parts_of_holdout
from bandsvm._workflow.source import Choices, Source
from bandsvm._workflow.views import overview
from bandsvm._workflow.work import Work
from tests.helpers.iris_files import SPECIES, X, Y
from tests.helpers.workflow_tables import StopsAfter, holdout_of, text_table


def test_a_quarter_of_each_class_is_held_out(iris):
    holdout, _ = iris
    assert np.bincount(Y[holdout.held_out]).tolist() == [12, 12, 12]
    assert sorted([*holdout.held_out, *holdout.train]) == list(range(150))
    again = Holdout(holdout.table)
    np.testing.assert_array_equal(again.held_out, holdout.held_out)


def test_tiny_classes_stay_in_training():
    table = Source.of_bytes("t.csv", text_table("ab", [[k, k % 2] for k in range(6)]))
    holdout = Holdout(table.table(Choices()))
    assert len(holdout.held_out) == 0
    classifier = BandedSVC()
    holdout.fit(classifier, Work())
    assert set(parts_of_holdout(holdout, holdout.model(classifier))) == {"train", "all"}


def test_the_model_is_that_of_scikit_learns_pipeline(iris):
    holdout, model = iris
    own = make_pipeline(StandardScaler(), BandedSVC(kernel="linear"))
    own.fit(X[holdout.train], SPECIES[Y][holdout.train])
    np.testing.assert_allclose(
        model[-1].certificate_.primal, own[-1].certificate_.primal, rtol=1e-12
    )
    for name, part in parts_of_holdout(holdout, model).items():
        predicted = own.predict(X[part.places])
        about = overview(part)
        assert about["accuracy"] == accuracy_score(SPECIES[Y][part.places], predicted)
        assert sum(about["positions"].values()) == len(part.places)
        assert str(len(part.places)) in about["role"]
        assert ("was not fitted to" in about["role"]) == (name == "held out")


def test_a_stopped_fit_keeps_the_best_model_and_says_so():
    X, y = make_classification(2000, flip_y=0.2, random_state=0)
    content = text_table([*"abcdefghijklmnopqrst", "y"], np.column_stack([X, y]).tolist())
    holdout = holdout_of("large.csv", content)
    classifier = BandedSVC(C1=100.0)
    reports = []
    work = StopsAfter(10)
    work.report = reports.append
    said = holdout.fit(classifier, work)
    assert classifier.certificate_.status is Status.INTERRUPTED
    assert said[0].startswith("Stopped: this is the best model so far, not the optimum (KKT")
    assert 0.0 <= reports[-1]["share"] < 1.0
    assert not work.take_stop()  # what comes next is not stopped
    parts = parts_of_holdout(holdout, holdout.model(classifier))
    assert overview(parts["held out"])["accuracy"] > 0.5


def test_a_fit_that_is_stopped_at_once_has_no_model(cancer):
    work = Work()
    work.stop()
    with pytest.raises(ValueError, match="before its first step"):
        cancer[0].fit(BandedSVC(), work)


@pytest.mark.parametrize(
    ("multi_class", "parts_are"), [("ovo", "pairs of classes"), ("ovr", "classes")]
)
def test_a_stopped_fit_of_several_classes_says_how_far_it_came(multi_class, parts_are, iris):
    holdout, _ = iris
    classifier = BandedSVC(kernel="linear", multi_class=multi_class, n_jobs=1)
    work = Work()

    class StopsInSecond(Observer):
        may_interleave = True

        def step(self, run):
            if run.index == 1:
                work.stop()

    said = holdout.fit(classifier, work, StopsInSecond())
    assert f"Of 3 {parts_are}: 1 done, 2 not begun." in said[0]


def test_an_unwanted_fit_ends(cancer):
    with pytest.raises(ValueError, match="stopped before"):
        cancer[0].fit(BandedSVC(), Work(is_wanted=lambda: False))


def test_a_fit_that_meets_a_limit_says_what_helps_here(cancer):
    said = cancer[0].fit(BandedSVC(max_iter=1, C1=1e6), Work())
    assert said[0].startswith("The fit stopped at max_iter=1 with KKT violation")
    assert said[0].endswith("; scale the features if they differ in size.")
    assert "warm_start" not in said[0]
