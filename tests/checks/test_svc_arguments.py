"""Parameters of SVC that BandedSVC does not have: the error says what to use instead."""

import inspect
import pickle
from pathlib import Path

import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVR

from bandsvm import BandedSVC, BandedSVCCV, LinearBandedSVR
from bandsvm._checks.svc_arguments import INSTEAD, INSTEAD_OF_LINEAR_SVR

PAGE = Path(__file__).parents[2] / "docs" / "from_svc.md"
ESTIMATORS = [BandedSVC, BandedSVCCV]


def test_the_table_names_all_that_only_svc_has():
    assert INSTEAD.keys() == SVC().get_params().keys() - BandedSVC().get_params().keys()


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("name", INSTEAD)
def test_errors_say_what_to_use_instead(estimator, name):
    with pytest.raises(TypeError, match=f"^{estimator.__name__} has no parameter {name}: ") as made:
        estimator(**{name: 1})
    with pytest.raises(
        ValueError, match=f"^{estimator.__name__} has no parameter {name}: "
    ) as set_:
        estimator().set_params(**{name: 1})
    assert str(made.value) == str(set_.value)
    assert str(made.value).endswith(f"{INSTEAD[name]}.")


def test_the_table_names_all_that_only_linear_svr_has():
    ours, theirs = LinearBandedSVR().get_params(), LinearSVR().get_params()
    assert INSTEAD_OF_LINEAR_SVR.keys() == theirs.keys() - ours.keys()
    for name, instead in INSTEAD_OF_LINEAR_SVR.items():
        with pytest.raises(TypeError, match=f"^LinearBandedSVR has no parameter {name}: "):
            LinearBandedSVR(**{name: 1})
        assert f"| {name} | none: {instead} |" in PAGE.read_text().replace("`", "")


def test_errors_reach_through_a_pipeline():
    with pytest.raises(ValueError, match=r"C1=c, C2=0"):
        make_pipeline(BandedSVC()).set_params(bandedsvc__C=1)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_other_names_get_the_usual_errors(estimator):
    with pytest.raises(TypeError, match="unexpected keyword argument 'bandwidth'"):
        estimator(bandwidth=1)
    with pytest.raises(ValueError, match="Invalid parameter 'bandwidth'"):
        estimator().set_params(bandwidth=1)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_signatures_stay_as_they_are(estimator):
    parameters = inspect.signature(estimator).parameters
    assert [*estimator().get_params()] == sorted(parameters)
    assert not any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    model = estimator(C1=3.0, n_jobs=1)
    assert clone(model).get_params() == pickle.loads(pickle.dumps(model)).get_params()
    assert clone(model).C1 == 3.0


class WithC(BandedSVC):
    """A subclass that has one of these parameters."""

    def __init__(self, C=1.0):
        super().__init__(C1=C, C2=0)
        self.C = C


def test_a_subclass_may_have_such_a_parameter():
    assert WithC(C=2).C1 == 2
    assert WithC().set_params(C=3).C == 3
    with pytest.raises(ValueError, match="WithC has no parameter shrinking"):
        WithC().set_params(shrinking=True)


@pytest.mark.parametrize("name", INSTEAD)
def test_the_page_has_the_same_sentences(name):
    rows = [line.replace("`", "") for line in PAGE.read_text().splitlines()]
    assert f"| {name} | none: {INSTEAD[name]} |" in rows
