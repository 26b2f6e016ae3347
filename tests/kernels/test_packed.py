"""The compiled engine: kernel rows, products and updates with every instruction set."""

import os
import subprocess
import sys
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp

from bandsvm import BandedSVC, _core
from bandsvm._kernels import KernelSettings, PackedRows
from bandsvm._kernels.prediction import PackedProduct

KERNELS = {
    "linear": (0.0, 0.0, 3),
    "rbf": (0.03, 0.0, 3),
    "poly": (0.2, 1.0, 3),
    "sigmoid": (0.1, -0.5, 3),
}
# Relative to the largest kernel value: rounding of squared distances of some hundreds.
PRECISION = {np.float32: 2e-5, np.float64: 1e-13}


def make_rows(X, name, dtype=np.float32, cache_bytes=None, n_jobs=2):
    function = KernelSettings(name, *KERNELS[name]).function()
    return PackedRows(function, X, cache_bytes, n_jobs, dtype)


def samples(rng, n_samples, n_features, kind):
    X = rng.normal(size=(n_samples, n_features))
    if kind == "sparse":
        X *= rng.random(size=X.shape) < 0.2
    return X if kind == "dense" else sp.csr_array(X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize(("n_samples", "n_features"), [(1, 1), (47, 3), (49, 17), (200, 130)])
def test_rows_equal_numpy(rng, dtype, kind, name, n_samples, n_features):
    X = samples(rng, n_samples, n_features, kind)
    rows = make_rows(X, name, dtype)
    everything = np.arange(n_samples)
    exact = rows.exact_product(everything, everything, np.eye(n_samples))
    tolerance = PRECISION[dtype] * max(1.0, np.abs(exact).max())
    np.testing.assert_allclose(rows.block(everything), exact, atol=tolerance)
    some = rng.permutation(n_samples)[: max(1, n_samples // 3)]
    np.testing.assert_allclose(rows.block(some), exact[np.ix_(some, some)], atol=tolerance)
    values = rng.normal(size=len(some))
    np.testing.assert_allclose(
        rows.product(some, values), exact[:, some] @ values, atol=20 * tolerance
    )
    assert rows.n_computed == len(some)


@pytest.mark.parametrize("left_kind", ["dense", "sparse"])
@pytest.mark.parametrize("right_kind", ["dense", "sparse"])
@pytest.mark.parametrize("name", KERNELS)
def test_products_equal_numpy(rng, left_kind, right_kind, name):
    A, B = samples(rng, 101, 9, left_kind), samples(rng, 60, 9, right_kind)
    coefficients = rng.normal(size=(60, 2))
    function = KernelSettings(name, *KERNELS[name]).function()
    rows = make_rows(B, name)
    expected = function(type(rows.samples)(A), rows.samples) @ coefficients
    got = PackedProduct(function, B, coefficients, 2).exact(A)
    np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-11)


def test_many_rows_of_many_features_go_in_batches(rng):
    X = sp.random_array((300, 60_000), density=1e-3, format="csr", rng=rng)
    rows = make_rows(X, "linear", np.float64)
    np.testing.assert_allclose(rows.block(np.arange(300)), (X @ X.T).toarray(), atol=1e-12)
    values = rng.normal(size=300)
    np.testing.assert_allclose(rows.product(np.arange(300), values), X @ (X.T @ values), atol=1e-10)


@pytest.mark.parametrize("n_features", [3, 300])
def test_blocks_take_over_what_they_share(rng, n_features):
    rows = make_rows(rng.normal(size=(300, n_features)), "rbf", np.float64)
    rows.product(np.arange(0, 300, 2), rng.normal(size=150))  # half of the rows may be stored now
    K = rows.kernel(rows.samples, rows.samples)
    block = rng.permutation(300)[:100]
    for n_kept, in_order in product((0, 40, 97, 100, 1), (True, False)):
        others = np.setdiff1d(rng.permutation(300), block[:n_kept])
        block = np.concatenate([rng.permutation(others)[: 110 - n_kept], block[:n_kept]])
        block = block if in_order else rng.permutation(block)
        np.testing.assert_allclose(rows.block(block), K[np.ix_(block, block)], atol=1e-12)


def test_common_values_cost_nothing(rng):
    """The origin is each feature's commonest value: few differences from it are left."""
    X = rng.normal(size=(400, 30)) * (rng.random((400, 30)) < 0.05) + 7.0
    rows = make_rows(X, "rbf", np.float64)
    assert rows._packed.n_products < 10
    dense = make_rows(rng.normal(size=(400, 30)), "rbf", np.float64)
    assert dense._packed.n_products == 30
    np.testing.assert_allclose(
        rows.block(np.arange(50)), rows.kernel(rows.samples, rows.samples)[:50, :50], atol=1e-12
    )


def test_small_store_gives_the_same_products(rng):
    X = rng.normal(size=(300, 4))
    roomy, tight = make_rows(X, "rbf"), make_rows(X, "rbf", cache_bytes=1)
    assert tight.capacity < 20
    indices, values = rng.permutation(300)[:100], rng.normal(size=100)
    np.testing.assert_allclose(
        tight.product(indices, values), roomy.product(indices, values), atol=1e-5
    )
    assert roomy.n_computed == 100


def test_rows_are_kept_once_they_are_worth_it(rng):
    indices, values = np.arange(30), rng.normal(size=30)
    wide, narrow = (
        make_rows(rng.normal(size=(300, 800)), "rbf"),
        make_rows(rng.normal(size=(300, 2)), "rbf"),
    )
    for rows, computed in ((wide, [30, 30, 30]), (narrow, [30, 60, 90])):
        for n_computed in computed:
            product = rows.product(indices, values)
            assert rows.n_computed == n_computed
        exact = rows.exact_product(np.arange(300), indices, values)
        np.testing.assert_allclose(product, exact, atol=1e-4)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_threads_do_not_change_a_bit(rng, kind):
    X = samples(rng, 2000, 5, kind)
    y = (X[:, [0]].sum(axis=1) + 0.3 * rng.normal(size=2000) > 0).astype(int)
    one, two = (BandedSVC(n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.dual_coef_, two.dual_coef_)
    np.testing.assert_array_equal(one.intercept_, two.intercept_)
    again = BandedSVC(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(again.dual_coef_, two.dual_coef_)


def test_precision_follows_the_tolerance(rng):
    X = rng.normal(size=(1500, 4))
    y = (X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=1500) > 0).astype(int)
    loose, tight = BandedSVC(tol=1e-3).fit(X, y), BandedSVC(tol=1e-8).fit(X, y)
    assert loose.certificate_.is_optimal
    assert tight.certificate_.is_optimal
    # Rows in float32 leave their mark on the decision values, rows in float64 do not.
    assert 1e-8 < loose.certificate_.gradient_drift < 1e-4
    assert tight.certificate_.gradient_drift < 1e-11
    assert tight.certificate_.primal == pytest.approx(loose.certificate_.primal, rel=1e-4)


@pytest.mark.usefixtures("rows_in_single_precision")
def test_rows_that_are_not_sharp_enough_are_replaced(rng):
    """A rule of thumb may choose float32 in vain: the certificate notices, float64 goes on."""
    X = rng.normal(size=(1500, 4))
    y = (X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=1500) > 0).astype(int)
    model = BandedSVC(tol=1e-8).fit(X, y)
    assert model.certificate_.is_optimal
    assert model.certificate_.gradient_drift < 1e-11


@pytest.mark.heavy
@pytest.mark.parametrize("level", ["baseline", "avx2", "avx512", "nonsense"])
def test_every_level_of_instructions(level):
    """Levels are chosen once in a process, so each gets its own."""
    code = (
        "import numpy as np, bandsvm._core as core\n"
        "from bandsvm import BandedSVC\n"
        "print(core.simd_level())\n"
        "rng = np.random.default_rng(0)\n"
        "X = rng.normal(size=(1200, 7)); y = X[:, 0] + 0.3 * rng.normal(size=1200) > 0\n"
        "model = BandedSVC().fit(X, y)\n"
        "assert model.certificate_.is_optimal and model.certify(X, y).gap < 1e-2\n"
        "print(f'{model.certificate_.primal:.3f}')\n"
    )
    process = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "BANDSVM_SIMD": level},
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode:
        assert "BANDSVM_SIMD" in process.stderr
        assert level not in ("baseline", _core.simd_level())
        return
    found, primal = process.stdout.split()
    assert found == level
    assert float(primal) == pytest.approx(reference_primal(), rel=1e-3)


def reference_primal():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 7))
    y = X[:, 0] + 0.3 * rng.normal(size=1200) > 0
    return BandedSVC(tol=1e-6).fit(X, y).certificate_.primal


def test_kernels_that_overflow_say_so(rng):
    X = 1e200 * rng.normal(size=(1100, 3))
    y = np.arange(1100) % 2
    with pytest.raises(ValueError, match=r"not finite.*scale X"):
        BandedSVC(kernel="linear").fit(X, y)
    with pytest.raises(ValueError, match=r"not finite|overflow"):
        BandedSVC(kernel="poly", gamma=1.0).fit(X, y)
    # All distances are infinite, and those of samples from themselves are 0.
    model = BandedSVC(kernel="rbf", gamma=1.0).fit(X, y)
    assert model.certify(X, y).is_optimal
    assert (model.predict(X) == y).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n_samples", [60, 1100])
@pytest.mark.parametrize("power", [-30, -10, 10, 16])
def test_units_of_samples_do_not_matter(rng, power, n_samples, dtype):
    """gamma='scale' follows the units, whatever its size."""
    X = rng.normal(size=(n_samples, 2)).astype(dtype)
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    scaled = (X * 10.0**power).astype(dtype)
    values = BandedSVC().fit(X, y).decision_function(X)
    other = BandedSVC().fit(scaled, y)
    assert other.certificate_.is_optimal
    np.testing.assert_allclose(other.decision_function(scaled), values, rtol=1e-3, atol=2e-3)


WITHOUT_THREADS = """
import resource
import numpy as np
from sklearn.datasets import make_classification
from bandsvm import BandedSVC

X, y = make_classification(1500, random_state=0)
alone = BandedSVC(n_jobs=1).fit(X, y).dual_coef_
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + 2**29
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
for _ in range(2):
    assert np.array_equal(BandedSVC(n_jobs=4).fit(X, y).dual_coef_, alone)
"""


@pytest.mark.heavy
@pytest.mark.skipif(sys.platform != "linux", reason="limits are those of Linux")
def test_fits_where_no_thread_can_be_started():
    """The stack of a thread is larger than all that the process may have."""
    import resource

    def large_stacks():
        resource.setrlimit(resource.RLIMIT_STACK, (2**30, resource.RLIM_INFINITY))

    command = [sys.executable, "-c", WITHOUT_THREADS]
    subprocess.run(command, preexec_fn=large_stacks, check=True, timeout=100)


def test_rows_that_could_not_be_computed_are_not_taken_for_computed(rng, monkeypatch):
    X = rng.normal(size=(60, 5))
    function = KernelSettings("rbf", *KERNELS["rbf"]).function()
    rows = PackedRows(function, X, None, 1, np.float64, n_uses=1e9)
    some, values = np.arange(10, 30), rng.normal(size=20)
    with monkeypatch.context() as broken:

        def fail(*_):
            raise MemoryError

        broken.setattr(_core, "compute_rows", fail)
        with pytest.raises(MemoryError):
            rows.product(some, values)
    assert rows.n_computed == 0
    expected = rows.exact_product(np.arange(60), some, values)
    np.testing.assert_allclose(rows.product(some, values), expected, atol=1e-12)
    assert rows.n_computed == 20
