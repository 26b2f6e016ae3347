"""Models in LIBLINEAR's format: LIBLINEAR itself predicts with ours."""

import numpy as np
import pytest
import scipy.sparse as sp
from liblinear.liblinearutil import load_model, predict
from sklearn.datasets import dump_svmlight_file, load_breast_cancer, load_digits, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, PowerTransformer, StandardScaler
from sklearn.svm import LinearSVC

from bandsvm import BandedSVC, LinearBandedSVC, export_liblinear, load
from bandsvm.cli import main
from tests.helpers.model_files import labels_beside

EXACT = 1e-12
MODELS = {
    "LinearBandedSVC": LinearBandedSVC(),
    "squared": LinearBandedSVC(loss="squared_hinge"),
    "without intercept": LinearBandedSVC(fit_intercept=False),
    "BandedSVC": BandedSVC(kernel="linear", multi_class="ovr"),
}


def judge(file, X):
    """Return labels and decision values that LIBLINEAR computes from a model file."""
    labels, _, values = predict([], X, load_model(str(file)), "-q")
    return np.array(labels), np.array(values)


def assert_same(file, model, X):
    """LIBLINEAR gives the labels of the model and, up to rounding, its decision values."""
    assert export_liblinear(model, file) == file
    labels, values = judge(file, X)
    expected = model.decision_function(X)
    values = values[:, 0] if expected.ndim == 1 else values
    # Rounding errors are relative to the terms of a sum, not to the sum.
    bound = EXACT * max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(values, expected, rtol=0, atol=bound)
    np.testing.assert_array_equal(labels, model.predict(X))


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
@pytest.mark.parametrize("loader", [load_breast_cancer, load_iris, load_digits])
def test_liblinear_predicts_the_same(model, loader, file):
    X, y = loader(return_X_y=True)
    X = StandardScaler().fit_transform(X)[:600]
    assert_same(file, model.fit(X, y[:600]), X)


@pytest.mark.parametrize("storage", [sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize(
    "kind", [LinearBandedSVC, lambda: BandedSVC(kernel="linear", multi_class="ovr")]
)
def test_model_fitted_to_sparse_samples(storage, kind, file):
    X, y = load_digits(return_X_y=True)
    X = X[:500] / 16.0
    model = kind().fit(storage(X), y[:500])
    assert_same(file, model, X)


@pytest.mark.parametrize(
    "steps",
    [
        [StandardScaler()],
        [MaxAbsScaler()],
        [StandardScaler(with_mean=False)],
        [StandardScaler(with_std=False)],
        [StandardScaler(), "passthrough", MaxAbsScaler()],
    ],
    ids=str,
)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_scaling_becomes_part_of_the_weights(steps, fit_intercept, file):
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(*steps, LinearBandedSVC(fit_intercept=fit_intercept)).fit(X, y)
    assert_same(file, model, X)


def test_two_classes_of_any_order(file):
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    for classes in ([-1, 1], [7, 3], [1.0, 2.0], [False, True]):
        assert_same(file, LinearBandedSVC().fit(X, np.asarray(classes)[y]), X)
    assert "\nlabel 1 0\n" in file.read_text()


@pytest.mark.parametrize("classes", [["no", "yes"], [0, 2**40], ["a", "b,c", 'say "d"']])
def test_labels_that_liblinear_lacks_are_numbers(classes, file):
    loader = load_breast_cancer if len(classes) == 2 else load_iris
    X, y = loader(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model = LinearBandedSVC().fit(X, np.asarray(classes)[y])
    assert export_liblinear(model, file) == file
    numbers, values = judge(file, X)
    names = labels_beside(file)
    assert list(names) == list(range(len(classes)))
    assert [names[number] for number in numbers] == list(map(str, model.predict(X)))
    expected = model.decision_function(X)
    np.testing.assert_allclose(values.reshape(expected.shape), expected, rtol=0, atol=1e-10)


def test_numbers_of_an_earlier_model_are_removed(file):
    X, y = load_iris(return_X_y=True)
    export_liblinear(LinearBandedSVC().fit(X, np.array(["a", "b", "c"])[y]), file)
    assert labels_beside(file)
    model = LinearBandedSVC().fit(X, y)
    export_liblinear(model, file)
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    foreign = file.with_name(f"{file.name}.labels")
    foreign.write_text("mine")
    export_liblinear(model, file)
    assert foreign.read_text() == "mine"


def test_models_that_are_not_linear_are_refused(file):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="kernel='rbf'; use export_libsvm"):
        export_liblinear(BandedSVC().fit(X, y), file)
    with pytest.raises(TypeError, match="got a LinearSVC"):
        export_liblinear(LinearSVC().fit(X, y), file)
    with pytest.raises(NotFittedError):
        export_liblinear(LinearBandedSVC(), file)
    bent = make_pipeline(PowerTransformer(), LinearBandedSVC()).fit(X, y)
    with pytest.raises(TypeError, match=r"not PowerTransformer. Export the last step"):
        export_liblinear(bent, file)
    assert_same(file, bent[-1], bent[:-1].transform(X))
    clipped = make_pipeline(MaxAbsScaler(), LinearBandedSVC()).fit(X, y)
    clipped[0].clip = True  # a parameter in newer versions of scikit-learn
    with pytest.raises(ValueError, match="clip=False"):
        export_liblinear(clipped, file)


def test_weights_that_overflow_are_refused(file):
    X, y = load_iris(return_X_y=True)
    model = make_pipeline(StandardScaler(), LinearBandedSVC()).fit(X, y)
    model[0].scale_ = np.full(4, 1e-320)
    with pytest.raises(ValueError, match="weights overflow"):
        export_liblinear(model, file)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("cost", ["1", "0.1"])
def test_fit_at_the_shell_is_that_of_liblinear(loss, cost, folder):
    """The table for users of LIBLINEAR says which options mean the same."""
    X, y = load_breast_cancer(return_X_y=True)
    X, y = StandardScaler().fit_transform(X), 2 * y - 1
    # LIBLINEAR inside scikit-learn, where the bound on its passes can be raised.
    judge = LinearSVC(loss=loss, C=float(cost), fit_intercept=False, tol=1e-10, max_iter=20_000)
    dump_svmlight_file(X, y, "data.svm", zero_based=False)
    options = ["--C1", cost, "--C2", "0", "--no-intercept", "--scale", "none", "--loss", loss]
    assert main(["fit", "data.svm", "--linear", "--model", "m.bsvm", "--quiet", *options]) == 0

    def objective(w):
        missed = np.maximum(1.0 - y * (X @ w), 0.0)
        losses = missed if loss == "hinge" else missed**2
        return 0.5 * w @ w + float(cost) * losses.sum()

    expected = objective(judge.fit(X, y).coef_[0])
    assert objective(load("m.bsvm").coef_[0]) == pytest.approx(expected, rel=1e-8)
