"""Every compiled function refuses nonsense, before it works and in a sentence."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_classification

from bandsvm import BandedSVC, _core
from bandsvm._certificate.gradient import spot_check_rules
from bandsvm._kernels.distances import Rbf

ONE, TWO, NONE = np.array([0]), np.array([0, 1]), np.array([-1])
KERNEL = _core.Kernel("rbf", 1.0, 0.0, 3)
VALUES = np.linspace(0.0, 1.0, 30).reshape(10, 3) + 1.0
PACKED = _core.pack_64(VALUES, np.zeros(3), 1.0, 3.0, 1)
WIDE = _core.pack_64(np.ones((4, 5)), np.zeros(5), 1.0, 3.0, 1)
TAKEN = PACKED.take(TWO, 1)


def misaligned(values):
    """Return a copy at an odd address."""
    values = np.asarray(values)
    copy = np.zeros(values.nbytes + 1, dtype=np.uint8)[1:].view(values.dtype).reshape(values.shape)
    copy[...] = values
    assert copy.size == 0 or not copy.flags.aligned
    return copy


def bands_of_small():
    """Return the bands of two problems of two samples each, one on either side."""
    signs = np.array([1.0, -1.0, 1.0, -1.0])
    lo, hi = np.where(signs > 0.0, 1.0, -3.0), np.where(signs > 0.0, 3.0, -1.0)
    return _core.Bands(lo, hi, np.ones(4), np.ones(4), np.zeros(4), np.zeros(4))


def arguments():
    """Return arguments that each function takes, by the names of both."""
    stride, panel = PACKED.stride, PACKED.panel
    kernel = {"kernel": KERNEL}
    store = np.zeros((2, stride))
    edges_and_bounds = ("lo", "hi", "below", "above")
    bands = {name: np.zeros(3) for name in (*edges_and_bounds, "ridge_below", "ridge_above")}
    three = {"bands": _core.Bands(**bands), "c": np.zeros(3), "f": np.zeros(3)}
    prices = {name: np.ones(4) for name in (*edges_and_bounds, "most", "least")}
    four = {"bands": _core.PricedBands(**prices, is_squared=False, total=0.0), "f": np.zeros(4)}
    csr = {"starts": np.array([0, 1, 2]), "columns": np.array([0, 2]), "values": np.ones(2)}
    units = {"scale": 1.0, "cost_of_sparse": 3.0}
    block = np.zeros((1, panel))
    edges = np.ones(4), np.ones((1, 4)), np.ones((1, 4)), False
    place = {"edges": edges, "at": np.ones((4, 1, 4)), "g": np.zeros(4)}
    line, dp = {"line": np.ones((3, 1, 4))}, {"dp": np.zeros((1, 4))}
    step = {"step": np.ones((4, 1, 4)), "dg": np.zeros(4)}
    small = {"starts": np.array([0, 2, 4]), "members": np.array([0, 1, 2, 3])}
    small |= {"has_intercept": True, "c": np.zeros(4), "f": np.zeros(4), "n_threads": 1}
    solving = {
        "bands": bands_of_small(),
        "total": 0.0,
        "share_members": False,
        "tol": 1e-3,
        "max_iter": 9,
    }
    solving |= {"counts": np.zeros((2, 3), dtype=int), "measures": np.zeros((2, 2))}
    solving["find_reason"] = None
    four_of_each = _core.PricedBands(**prices, is_squared=False, total=0.0)
    certifying = {
        **{"errors": _core.ErrorEstimates(np.ones(10), np.ones(10), 1e-16, 1e-6, 0.25)},
        **{"rules": spot_check_rules(1e-3), "is_wanted": np.ones(2, dtype=bool)},
        **{"checks_all": np.ones(2, dtype=bool), "measures": np.zeros((2, 17))},
    }
    goal = {"step": None, "earlier": None, "goal": (0.0, 0.0, 0.0, 0.0), "products": None}
    return {
        "Kernel": {"name": "rbf", "gamma": 1.0, "coef0": 0.0, "degree": 3},
        "Bands": bands,
        "PricedBands": {**prices, "is_squared": False, "total": 0.0},
        "pack_64": {"X": VALUES, "origin": np.zeros(3), **units, "n_threads": 1},
        "compress_64": {**csr, "n_features": 3, **units},
        "variance": {"X": VALUES, "weights": np.ones(10), "n_threads": 1},
        "compute_rows": {
            **{"left": PACKED, "indices": ONE, "right": PACKED, "places": ONE, **kernel},
            **{"store": store, "slots": ONE, "n_threads": 1},
        },
        "compute_block": {
            **{"samples": PACKED, "indices": ONE, **kernel, "values": block, "known": block.copy()},
            **{"places": NONE, "store": store, "slots": NONE, "n_threads": 1},
        },
        "accumulate_rows": {
            **{"left": PACKED, "indices": ONE, "right": PACKED, "places": ONE, **kernel},
            **{"coefficients": np.ones(1), "f": np.zeros(10), "n_threads": 1},
        },
        "exact_products": {
            **{"A": VALUES, "targets": ONE, "B": VALUES, "terms": TWO, "n_features": 3},
            **{"kernel": KERNEL, "coefficients": np.ones((1, 2)), "products": np.zeros((1, 1))},
            "n_threads": 1,
        },
        "multiply_rows": {
            **{"left": PACKED, "right": PACKED, **kernel, "coefficients": np.zeros((1, stride))},
            **{"products": np.zeros((10, 1)), "n_threads": 1},
        },
        "measure_optimality": {
            **{**four, "c": np.ones(4), "intercept": 0.0, "errors": np.zeros(4)},
            "share_in_sums": 0.5,
        },
        "flat_interval": {**four, "c": np.zeros(4), "intercept": 1.0, "room": 0.1},
        "measure_risks": {
            **{**four, "c": np.zeros(4), "errors": np.zeros(4), "tol": 0.1},
            **{"has_intercept": True, "risks": np.zeros(4)},
        },
        "update_gradient": {
            **{"store": store, "slots": ONE, "coefficients": np.ones(1), "f": np.zeros(10)},
            "n_threads": 1,
        },
        "solve_block": {
            **{"kernel": np.eye(3), **three},
            **{"tol": 1e-3, "max_steps": 9, "has_intercept": True},
        },
        "select_variables": {
            **three,
            **{"has_intercept": True, "kept": ONE, "chosen": np.zeros(4, dtype=int)},
            **{"memory": _core.SelectionMemory(), "n_threads": 1},
        },
        "newton_linearise": {**place, **line, "D": np.zeros(4), "n_threads": 1},
        "newton_begin": {**place, **line, **goal, **dp, "aim": np.zeros(4), "n_threads": 1},
        "newton_turn": {
            **{**place, **line, **dp, "dg": np.zeros(4), "aim": np.zeros(4), "n_threads": 1},
        },
        "newton_complete": {**place, **line, "products": None, **dp, **step, "n_threads": 1},
        "newton_move": {
            **{**place, **step, "length": 0.5, "new_at": np.ones((4, 1, 4))},
            **{"new_g": np.zeros(4), "n_threads": 1},
        },
        "variables_in_play": {
            **three,
            **{"has_intercept": True, "margin": 0.5, "chosen": np.zeros(3, dtype=int)},
            **{"memory": _core.SelectionMemory(), "n_threads": 1},
        },
        "dual_value": {**three, "n_threads": 1},
        "find_origin": {"X": VALUES, "step": 2, "origin": np.zeros(3)},
        "solve_small": {"samples": PACKED, **kernel, **small, **solving},
        "solve_small_given": {"matrix": VALUES @ VALUES.T, **small, **solving},
        "certify_small": {
            **{"X": VALUES, "n_features": 3, **kernel, **small, "bands": four_of_each},
            **certifying,
        },
        "certify_small_given": {
            **{"matrix": VALUES @ VALUES.T, **small, "bands": four_of_each},
            **certifying,
        },
    }


FUNCTIONS = tuple(arguments())
ARRAYS = [
    (function, name)
    for function, given in arguments().items()
    for name, value in given.items()
    if isinstance(value, np.ndarray)
]


def call(function, **changed):
    return getattr(_core, function)(**{**arguments()[function], **changed})


@pytest.mark.parametrize("function", FUNCTIONS)
def test_sensible_arguments_give_finite_numbers(function):
    given = arguments()[function]
    result = getattr(_core, function)(**given)
    arrays = [value for value in given.values() if isinstance(value, np.ndarray)]
    numbers = [result] if isinstance(result, float) else arrays
    assert all(np.isfinite(values).all() for values in numbers)


def test_every_function_is_here():
    public = {name for name in dir(_core) if not name.startswith("_") and name.islower()}
    scalars = {"pair_step", "single_step", "simd_level"}
    functions = {name for name in FUNCTIONS if name.islower()}
    assert public == {*functions, *scalars, "pack_32", "compress_32"}


@pytest.mark.parametrize("n_threads", [1, 4])
def test_rows_of_no_samples(n_threads):
    none = PACKED.take(np.empty(0, dtype=int), 1)
    store, slots = np.empty((1, none.stride)), np.zeros(1, dtype=int)
    _core.compute_rows(PACKED, ONE, none, -1 - ONE, KERNEL, store, slots, n_threads)
    assert store.shape == (1, 0)  # it came back, with nothing to compute


@pytest.mark.parametrize(("function", "name"), ARRAYS)
def test_misaligned_arrays(function, name):
    if arguments()[function][name].itemsize == 1:
        pytest.skip("any address will do")
    with pytest.raises(ValueError, match=f"{name} must be aligned"):
        call(function, **{name: misaligned(arguments()[function][name])})


@pytest.mark.parametrize(("function", "name"), ARRAYS)
def test_other_types_and_dimensions(function, name):
    value = arguments()[function][name]
    wrong = [value[None], value.astype("S8"), value.astype(complex), "text"]
    if (function, name) != ("measure_optimality", "errors"):  # they may be missing
        wrong.append(None)
    if value.dtype.kind == "i":
        wrong += [value.astype(float), value.astype(np.int32)]
    for changed in wrong:
        with pytest.raises(TypeError, match=f"{function}"):
            call(function, **{name: changed})


@pytest.mark.parametrize(("function", "name"), ARRAYS)
def test_other_lengths(function, name):
    value = arguments()[function][name]
    if (function, name) in {
        ("pack_64", "X"),
        ("update_gradient", "store"),
        ("select_variables", "chosen"),
        ("select_variables", "kept"),
        ("compute_block", "known"),
        ("exact_products", "A"),
        ("exact_products", "B"),
        ("find_origin", "X"),
    }:
        pytest.skip("any length will do")
    longer = np.concatenate([value, value])
    if name == "store":
        longer = value[:, :5].copy()
    if name == "starts":
        longer = longer[:0]
    if (function, name) == ("update_gradient", "f"):
        longer = np.zeros(PACKED.stride + 1)
    with pytest.raises(ValueError, match="must"):
        call(function, **{name: longer})


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if "n_threads" in arguments()[f]])
def test_numbers_of_threads(function):
    for n_threads in (0, -1, -(2**31)):
        with pytest.raises(ValueError, match=f"n_threads must be at least 1, got {n_threads}"):
            call(function, n_threads=n_threads)
    call(function, n_threads=2**31 - 1)  # no more are started than there is work for


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if "kernel" in arguments()[f]])
def test_kernels_that_a_function_does_not_know(function):
    if function == "solve_block":
        pytest.skip("its kernel is a matrix")
    if function == "certify_small":
        pytest.skip("it knows all kernels")
    others = ("'rbf', .* or 'chi2'", "linear"), ("'linear', .* or 'sigmoid'", "laplacian")
    known, name = others[function != "exact_products"]
    with pytest.raises(ValueError, match=f"kernel must be {known}, got '{name}'"):
        call(function, kernel=_core.Kernel(name, 1.0, 0.0, 3))


def test_parameters_of_kernels():
    with pytest.raises(ValueError, match=r"kernel must be 'linear', .* or 'chi2', got 'cosine'"):
        call("Kernel", name="cosine")
    with pytest.raises(ValueError, match="degree must be at least 0, got -1"):
        call("Kernel", degree=-1)
    for name in ("gamma", "coef0"):
        with pytest.raises(ValueError, match=f"{name} must be finite, got nan"):
            call("Kernel", **{name: np.nan})


@pytest.mark.parametrize(
    ("function", "name", "count"),
    [
        *[("compute_rows", "indices", 10), ("compute_rows", "slots", 2)],
        *[("compute_block", "indices", 10), ("accumulate_rows", "indices", 10)],
        *[("update_gradient", "slots", 2), ("select_variables", "kept", 3)],
        *[("solve_small", "members", 10), ("certify_small", "members", 10)],
    ],
)
def test_indices(function, name, count):
    others = arguments()[function][name][:-1]
    for index in (-1, count, 2**62, -(2**63)):
        with pytest.raises(ValueError, match=rf"{name} must lie in \[0, {count}\), got {index}"):
            call(function, **{name: np.append(others, index)})


def test_indices_may_be_strided():
    everything = np.arange(10)
    forth, back = (np.zeros((10, PACKED.stride)) for _ in range(2))
    _core.compute_rows(PACKED, everything, PACKED, everything, KERNEL, forth, everything, 1)
    order = everything[::-1]
    _core.compute_rows(PACKED, order, PACKED, order, KERNEL, back, order, 1)
    np.testing.assert_array_equal(forth, back)
    with pytest.raises(ValueError, match="indices must not be one value repeated"):
        call("compute_rows", indices=np.broadcast_to(ONE[0], 2**40))


@pytest.mark.parametrize("function", ["solve_small", "certify_small_given"])
def test_where_small_problems_begin(function):
    for starts in ([1, 2, 4], [0, 2, 3]):
        with pytest.raises(ValueError, match="begin at 0 and end at the number of members"):
            call(function, starts=np.array(starts))
    with pytest.raises(ValueError, match="problems must have samples"):
        call(function, starts=np.array([0, 4, 4]))
    with pytest.raises(ValueError, match="starts must not fall"):
        call(function, starts=np.array([0, 3, 2, 4]))


def test_sizes_that_no_memory_holds():
    with pytest.raises(ValueError, match="samples with features"):
        call("find_origin", X=np.empty((2**50, 0)), origin=np.empty(0))
    linear = _core.Kernel("linear", 1.0, 0.0, 3)
    samples = np.array([0, 1, 2]), np.array([0, 2]), np.ones(2)
    with pytest.raises(ValueError, match="n_features must not exceed the number of values"):
        call("certify_small", X=samples, n_features=2**50, kernel=linear)


def test_small_problems_that_do_not_share_samples():
    with pytest.raises(ValueError, match="members must be the same for all problems"):
        call("solve_small", share_members=True)


def test_places_and_slots_of_blocks():
    for name, count in (("places", 1), ("slots", 2)):
        with pytest.raises(ValueError, match=rf"{name} must lie in .* {count}\), got {count}"):
            call("compute_block", **{name: np.array([count])})


def test_samples_that_do_not_fit():
    for function in ("compute_rows", "accumulate_rows", "multiply_rows"):
        with pytest.raises(ValueError, match="the same features, got 5 and 3"):
            call(function, left=WIDE)
        with pytest.raises(ValueError, match="no rows"):
            call(function, left=TAKEN)
    with pytest.raises(ValueError, match="no rows"):
        call("compute_block", samples=TAKEN)
    with pytest.raises(ValueError, match="no rows"):
        TAKEN.take(ONE, 1)
    with pytest.raises(ValueError, match="X must have features"):
        call("pack_64", X=np.zeros((4, 0)), origin=np.zeros(0))
    with pytest.raises(ValueError, match="X must have features"):
        call("compress_64", n_features=0)


def test_numbers_that_no_sample_survives():
    for function in ("pack_64", "compress_64"):
        with pytest.raises(ValueError, match="scale must be finite"):
            call(function, scale=np.inf)
        with pytest.raises(ValueError, match="cost_of_sparse must be finite"):
            call(function, cost_of_sparse=np.nan)
    with pytest.raises(ValueError, match="max_steps must be at least 0, got -1"):
        call("solve_block", max_steps=-1)


def test_rows_of_kernel_blocks():
    for kernel in (np.eye(3)[::-1], np.broadcast_to(np.ones(3), (3, 3)), np.eye(6)[::2, ::2]):
        with pytest.raises(ValueError, match="contiguous rows"):
            call("solve_block", kernel=kernel)
    call("solve_block", kernel=np.eye(8)[:3, :3])


def test_dense_samples_with_an_origin_against_csr_ones(rng):
    """Of CSR samples only the columns in use are numbered, and there may be fewer."""
    X, origin = rng.normal(size=(10, 6)), np.ones(6)
    Z = sp.csr_array(([1.0, 2.0], ([0, 1], [5, 2])), shape=(2, 6))
    left = _core.pack_64(X, origin, 1.0, 3.0, 1)
    right = _core.compress_64(
        Z.indptr.astype(np.int64), Z.indices.astype(np.int64), Z.data, Z.shape[1], 1.0, 3.0
    )
    store = np.zeros((10, right.stride))
    everything = np.arange(10)
    _core.compute_rows(left, everything, right, -1 - everything, KERNEL, store, everything, 1)
    distances = ((X[:, None] - Z.toarray()) ** 2).sum(axis=2)
    np.testing.assert_allclose(store[:, :2], 2.0 ** (-0.5 * distances), rtol=1e-12)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "laplacian", "precomputed"])
def test_estimators_take_misaligned_arrays(kernel):
    X, y = make_classification(60, random_state=0)
    X = X @ X.T / 10 if kernel == "precomputed" else X
    weights = np.linspace(0.5, 1.0, 60)
    expected = BandedSVC(kernel=kernel).fit(X, y, weights)
    model = BandedSVC(kernel=kernel).fit(misaligned(X), y, misaligned(weights))
    np.testing.assert_array_equal(model.dual_coef_, expected.dual_coef_)
    model.support_vectors_ = misaligned(model.support_vectors_)  # as from a file in memory
    np.testing.assert_allclose(
        model.decision_function(misaligned(X)), expected.decision_function(X), atol=1e-12
    )


@pytest.mark.parametrize("store", [misaligned, lambda values: np.repeat(values, 2)[::2]])
def test_estimators_take_csr_matrices_in_any_memory(store):
    X, y = make_classification(60, random_state=0)
    X = sp.csr_array(np.maximum(X, 0.0))
    expected = BandedSVC().fit(X, y)
    other = X.copy()
    other.data, other.indices, other.indptr = map(store, (X.data, X.indices, X.indptr))
    model = BandedSVC().fit(other, y)
    np.testing.assert_array_equal(model.dual_coef_, expected.dual_coef_)
    np.testing.assert_array_equal(model.decision_function(other), expected.decision_function(X))


def test_callable_kernels_may_return_any_memory():
    X, y = make_classification(60, random_state=0)
    expected = BandedSVC(kernel=lambda A, B: A @ B.T).fit(X, y)
    model = BandedSVC(kernel=lambda A, B: misaligned(A @ B.T)).fit(X, y)
    np.testing.assert_array_equal(model.dual_coef_, expected.dual_coef_)


def test_degrees_that_the_compiled_kernel_cannot_count():
    X, y = make_classification(60, random_state=0)
    with pytest.raises(ValueError, match="degree must be at most 2147483647, got 2147483648"):
        BandedSVC(kernel="poly", degree=2**31).fit(X, y)
    BandedSVC(kernel="rbf", degree=1e300).fit(X, y)  # which has no degree


def test_scale_of_the_largest_gamma():
    for gamma in (0.0, 0.3, 1.0, 1e307):
        assert Rbf(gamma).scale() == np.sqrt(2.0 * gamma / np.log(2.0))
    assert np.isfinite(Rbf(np.finfo(float).max).scale())
