"""Fitted linear models: certified again, stored sparsely, in any units."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_classification

import bandsvm
from bandsvm import LinearBandedSVC
from bandsvm._linear.units import Units


@pytest.fixture
def data():
    return make_classification(300, 8, flip_y=0.1, random_state=0)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_certify_recomputes_the_certificate(storage, loss):
    X, y = load_iris(return_X_y=True)
    X = storage(X)
    weights = np.arange(len(y)) % 3
    model = LinearBandedSVC(C2=0.5, rho2=1.5, loss=loss, store_multipliers=True).fit(X, y, weights)
    again = model.certify(X, y, weights)
    assert again.is_optimal
    assert again.primal == pytest.approx(model.certificate_.primal, rel=1e-9)
    assert again.gap == pytest.approx(model.certificate_.gap, abs=1e-9 * again.primal)
    assert [part.n_checked for part in again.parts] == [150, 150, 150]
    # Weights that are not those of the multipliers show in decision values.
    model.coef_ = 1.01 * model.coef_
    assert model.certify(X, y, weights).gradient_drift > 1e-3
    # Other costs, another problem.
    assert not model.set_params(C1=5.0).certify(X, y, weights).is_optimal


def test_certify_needs_multipliers_and_the_training_set(data):
    X, y = data
    with pytest.raises(ValueError, match=r"needs the multipliers.*store_multipliers=True"):
        LinearBandedSVC().fit(X, y).certify(X, y)
    model = LinearBandedSVC(store_multipliers=True).fit(X, y)
    with pytest.raises(ValueError, match=r"needs the training set: 300 samples.*got 200 samples"):
        model.certify(X[:200], y[:200])


def test_only_what_counts_is_shown(data):
    """The gap decides, and a violation beside it would only raise questions."""
    model = LinearBandedSVC().fit(*data)
    text = str(model.certificate_)
    assert "tol 1.0e-06" in text
    assert "optimal to tol" in text
    assert "KKT" not in text


def test_weights_can_be_stored_sparsely(data, tmp_path):
    X, y = data
    X[:, 3:] = 0.0
    model = LinearBandedSVC(warm_start=True).fit(X, y)
    values, weights = model.decision_function(X), model.coef_.copy()
    assert model.sparsify() is model
    assert sp.issparse(model.coef_)
    assert model.coef_.nnz == 3
    np.testing.assert_array_equal(model.decision_function(X), values)
    bandsvm.save(model, tmp_path / "model.bsvm")
    for copy in (pickle.loads(pickle.dumps(model)), bandsvm.load(tmp_path / "model.bsvm")):
        assert sp.issparse(copy.coef_)
        np.testing.assert_array_equal(copy.predict(X), model.predict(X))
    bandsvm.export_liblinear(model, tmp_path / "model.txt")
    assert model.fit(X, y).coef_.shape == (1, 8)  # a warm start, and an array again
    model.sparsify().sparsify().densify()
    np.testing.assert_allclose(model.coef_, weights, rtol=1e-6)
    model.densify()
    assert isinstance(model.coef_, np.ndarray)


@pytest.mark.parametrize("solver", ["newton", "cd"])
@pytest.mark.parametrize("power", [-150, -100, 100, 150])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_units_of_samples_do_not_matter(data, solver, power, storage):
    """Samples times s and costs over s^2 are the same problem."""
    X, y = data
    plain = LinearBandedSVC(C1=0.1, C2=0.1, solver=solver, tol=1e-8).fit(storage(X), y)
    unit = 10.0**power
    costs = {"C1": 0.1 / unit / unit, "C2": 0.1 / unit / unit}
    model = LinearBandedSVC(**costs, solver=solver, tol=1e-8, warm_start=True)
    model.fit(storage(X * unit), y)
    assert model.certificate_.is_optimal
    assert model.certify(storage(X * unit), y).is_optimal
    expected = plain.decision_function(X)
    np.testing.assert_allclose(model.decision_function(X * unit), expected, atol=1e-3)
    again = model.fit(storage(X * unit), y)
    np.testing.assert_allclose(again.decision_function(X * unit), expected, atol=1e-3)


def test_usual_samples_are_not_copied(data):
    X, _ = data
    for cost in (1e-9, 1.0, 1e9):
        units = Units.of(X, cost)
        assert units.samples(X) is X
    # Costs that would be extreme in their turn leave samples as they are.
    assert Units.of(X * 1e100, 1.0).size == 1.0
    assert Units.of(np.zeros((3, 2)), 1.0).size == 1.0


UNDERFLOW = """
import warnings
import numpy as np
from bandsvm import LinearBandedSVC
from sklearn.exceptions import ConvergenceWarning
warnings.simplefilter("error")
warnings.simplefilter("ignore", ConvergenceWarning)
LinearBandedSVC().fit(np.random.default_rng(0).normal(size=(4, 40)) * 1e150, [0, 1, 2, 0])
for seed in range(5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 8)) * 10.0 ** rng.integers(-8, 9, size=8)
    LinearBandedSVC(C2=1e9).fit(X, rng.integers(0, 2, size=60))
"""


@pytest.mark.heavy
@pytest.mark.parametrize("level", ["baseline", ""])
def test_products_that_underflow_end_a_fit(level):
    """Whether they do depends on the instruction set."""
    environment = {**os.environ, **({"BANDSVM_SIMD": level} if level else {})}
    run = subprocess.run(
        [sys.executable, "-c", UNDERFLOW], env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
