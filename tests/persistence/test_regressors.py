"""Regressors in model files: round trips, stored files, and parts that do not fit together."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import bandsvm
from bandsvm import BandedQuantileSVR, BandedSVR, BandedSVRCV
from bandsvm.persistence._container import pack, unpack
from tests.helpers.model_files import (
    assert_equal_values,
    refused,
    saved_and_loaded,
    set_attribute,
    set_parameter,
)
from tests.helpers.regression import noisy_curve

X, Y = noisy_curve(80, n_features=3)
INTERVALS = np.column_stack([Y - 0.1, np.where(Y > 0.0, np.inf, Y + 0.1)])
THREE = (0.1, 0.5, 0.9)


def table():
    """Return a data frame with a gap and text."""
    pd = pytest.importorskip("pandas")
    towns = np.where(X[:, 0] > 0.0, "Bern", "Rome")
    return pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0.9, np.nan, X[:, 1]), "t": towns})


def by_column(model):
    """Return a model behind what fills in, scales and encodes columns."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    return make_pipeline(
        make_column_transformer((numbers, ["a", "b"]), (OneHotEncoder(), ["t"])), model
    )


CASES = {
    "usual": lambda: (BandedSVR(), X, Y),
    "two sides": lambda: (BandedSVR(2.0, 0.5, epsilon=(0.1, 0.3)), X, Y),
    "epsilon as a list": lambda: (BandedSVR(epsilon=[0.1, 0.3]), X, Y),
    "epsilon as an array": lambda: (BandedSVR(epsilon=np.array([0.1, 0.3])), X, Y),
    "squared": lambda: (BandedSVR(loss="squared_epsilon_insensitive"), X, Y),
    "intervals": lambda: (BandedSVR(epsilon=0.0), X, INTERVALS),
    "far from 0": lambda: (BandedSVR(epsilon=1e4), X, 1e6 * Y - 1e9),
    "tiny": lambda: (BandedSVR(epsilon=1e-7), X, 1e-6 * Y),
    "sparse": lambda: (BandedSVR(kernel="poly"), sp.csr_array(np.where(X > 0.0, X, 0.0)), Y),
    "precomputed": lambda: (BandedSVR(kernel="precomputed"), X @ X.T, Y),
    "linear in float32": lambda: (BandedSVR(kernel="linear"), X.astype(np.float32), Y),
    "no intercept": lambda: (BandedSVR(fit_intercept=False), X, Y),
    "scaled": lambda: (make_pipeline(StandardScaler(), BandedSVR()), X, Y),
    "by column": lambda: (by_column(BandedSVR()), table(), Y),
    "a quantile": lambda: (BandedQuantileSVR(0.7), X, Y),
    "a list of one quantile": lambda: (BandedQuantileSVR([0.7]), X, Y),
    "quantiles": lambda: (BandedQuantileSVR(THREE, C=10.0), X, Y),
    "an array of quantiles": lambda: (BandedQuantileSVR(np.array(THREE)), X, Y),
    "quantiles by column": lambda: (by_column(BandedQuantileSVR([0.9, 0.1])), table(), Y),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_loaded_is_what_was_saved(case, tmp_path):
    model, samples, targets = CASES[case]()
    model.fit(samples, targets)
    loaded = saved_and_loaded(model, tmp_path)
    assert_equal_values(model.predict(samples), loaded.predict(samples))
    assert_equal_values(model, loaded)


def test_loaded_model_goes_on_where_the_saved_one_stopped(tmp_path):
    samples, targets = noisy_curve(1500)
    model = BandedSVR(warm_start=True).fit(samples, targets)
    loaded = saved_and_loaded(model, tmp_path).fit(samples, targets)
    assert model.certificate_.n_pair_steps > 0
    assert loaded.certificate_.n_pair_steps == 0
    np.testing.assert_array_equal(loaded.dual_coef_, model.dual_coef_)
    assert loaded.certify(samples, targets).is_optimal


def test_models_that_no_file_can_hold(tmp_path):
    model = BandedSVR(kernel=lambda a, b: a @ b.T).fit(X, Y)
    with pytest.raises(TypeError, match="kernel=<function"):
        bandsvm.save(model, tmp_path / "model.bsvm")
    with pytest.raises(TypeError, match="or BandedSVRCV, or a pipeline that ends with one"):
        bandsvm.save(StandardScaler().fit(X), tmp_path / "model.bsvm")


def searched(**parameters):
    """Return a small search."""
    return BandedSVRCV(C1=[1.0, 10.0], gamma=[0.5], epsilon=[0.1, 0.3], cv=2, **parameters)


@pytest.mark.filterwarnings("ignore:BandedSVRCV found its best:UserWarning")
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"refit": False},
        {"cost_ratio": [0.5, 1.0], "scoring": "neg_mean_absolute_error", "kernel": ["rbf"]},
        {"cv": KFold(3, shuffle=True, random_state=0)},
    ],
    ids=str,
)
def test_searches_are_what_was_saved(parameters, tmp_path):
    search = searched().set_params(**parameters).fit(X, Y)
    loaded = saved_and_loaded(search, tmp_path)
    assert_equal_values(
        {k: v for k, v in vars(search).items() if k != "cv"},
        {k: v for k, v in vars(loaded).items() if k != "cv"},
    )
    if search.refit:
        assert_equal_values(search.predict(X), loaded.predict(X))


@pytest.mark.filterwarnings("ignore:BandedSVRCV found its best:UserWarning")
@pytest.mark.parametrize(
    "change",
    [
        set_parameter("cost_ratio", {"mapping": [[0, 1]]}),
        set_parameter("epsilon", True),
        set_parameter("cv", 1),
        set_parameter("rho1", 1.0),
        set_attribute("best_index_", 10**6),
        set_attribute("classes_", 1),
        set_attribute("best_params_", "C1"),
        lambda step, arrays: step["attributes"]["best_estimator_"]["estimator"].update(
            {"class": "StandardScaler"}
        ),
    ],
)
def test_searches_whose_parts_do_not_fit_are_refused(change, tmp_path):
    path = tmp_path / "model.bsvm"
    bandsvm.save(searched().fit(X, Y), path)
    header, arrays = unpack(path.read_bytes())
    change(header["steps"][-1], arrays)
    refused(pack(header, arrays), tmp_path, "do not fit together|does not know")


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    """Files of a model of each kind."""
    path = tmp_path_factory.mktemp("models") / "model.bsvm"
    found = {}
    for name, model in {"tube": BandedSVR(), "quantiles": BandedQuantileSVR(THREE)}.items():
        bandsvm.save(make_pipeline(StandardScaler(), model).fit(X, Y), path)
        found[name] = path.read_bytes()
    return found


def set_array(name, value):
    """Return a change of an estimator in a file: one of its arrays."""

    def change(step, arrays):
        step["attributes"][name] = {"array": "changed"}
        arrays["changed"] = np.asarray(value)

    return change


def set_scale(value):
    """Return a change of the size of decision values."""
    return lambda step, arrays: step["attributes"]["certificate_"]["certificate"].update(
        scale=value
    )


OF_BOTH = {
    "no matrix": set_array("dual_coef_", np.zeros(3)),
    "too few": set_array("dual_coef_", np.zeros((3, 2))),
    "text": set_array("dual_coef_", [["a"]] * 3),
    "nan": set_array("intercept_", [np.nan]),
    "too many": set_array("intercept_", np.zeros(4)),
    "vectors": set_array("support_vectors_", np.zeros((1, 3))),
    "places": set_array("support_", np.arange(3)),
    "multipliers": set_array("alpha_", np.zeros(2)),
    "features": set_attribute("n_features_in_", 10**12),
    "unknown": set_attribute("predict", 1),
    "classes": set_array("classes_", [0, 1]),
    "gamma": set_attribute("gamma_", -1.0),
    "kernel": set_parameter("kernel", {"function": "chi2"}),
    "no number of steps": set_attribute("n_iter_", "many"),
    "tol": set_parameter("tol", 0.0),
    "warm start": set_parameter("warm_start", "yes"),
    "no scale": set_scale(0.0),
    "a scale that overflows": set_scale({"float": "inf"}),
    "a negative scale": set_scale(-1.0),
    "none": lambda step, arrays: step["attributes"].pop("gamma_"),
}
OF_TUBES = {
    "C1": set_parameter("C1", -1),
    "no costs": lambda step, arrays: step["parameters"].update(C1=0.0, C2=0.0),
    "cost by class": set_parameter("C1", {"mapping": [[0, 1]]}),
    "epsilon": set_parameter("epsilon", -0.1),
    "three epsilons": set_parameter("epsilon", {"tuple": [0.1, 0.2, 0.3]}),
    "epsilon as text": set_parameter("epsilon", "wide"),
    "loss": set_parameter("loss", "hinge"),
}
OF_QUANTILES = {
    "C": set_parameter("C", 0.0),
    "quantile": set_parameter("quantile", 0.5),
    "two of three": set_parameter("quantile", {"tuple": [0.1, 0.9]}),
    "above 1": set_parameter("quantile", {"tuple": [0.1, 0.5, 1.5]}),
    "nan": set_parameter("quantile", {"tuple": [0.1, 0.5, {"float": "nan"}]}),
    "text": set_parameter("quantile", "abc"),
    "none": set_parameter("quantile", {"tuple": []}),
    "mapping": set_parameter("quantile", {"mapping": [[0, 0.5]]}),
}
CHANGES = [
    *(("tube", name, change) for name, change in (OF_BOTH | OF_TUBES).items()),
    *(("quantiles", name, change) for name, change in (OF_BOTH | OF_QUANTILES).items()),
]


@pytest.mark.parametrize(
    ("kind", "change"),
    [(kind, change) for kind, _, change in CHANGES],
    ids=[f"{kind}-{name}" for kind, name, _ in CHANGES],
)
def test_sealed_models_whose_parts_do_not_fit_are_refused(kind, change, contents, tmp_path):
    header, arrays = unpack(contents[kind])
    change(header["steps"][-1], arrays)
    refused(pack(header, arrays), tmp_path, "do not fit together|differ in their number")


def test_a_regressor_must_be_the_last_step(contents, tmp_path):
    header, arrays = unpack(contents["tube"])
    header["steps"] = header["steps"][::-1]
    refused(pack(header, arrays), tmp_path, "does not end with a model of bandsvm")


def test_a_classifier_cannot_pass_for_a_regressor(contents, tmp_path):
    header, arrays = unpack(contents["tube"])
    header["steps"][-1]["class"] = "BandedSVC"
    refused(pack(header, arrays), tmp_path, "does not know|do not fit together")
