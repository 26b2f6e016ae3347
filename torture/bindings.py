"""Random calls of every compiled function: right ones are answered, wrong ones refused, none crash.

Arguments begin as sensible ones; some are then replaced by others of wrong shapes, types, places in
memory and values. A call may return or raise ValueError or TypeError. Arrays that it writes lie
between guards, which must stay as they are.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.random import Generator
from numpy.typing import NDArray

from bandsvm import _core
from bandsvm._certificate.gradient import spot_check_rules
from torture.wrong_arguments import disturb

CALLS_PER_CASE = 200
GUARD, N_GUARDS = 77, 64
KERNELS = ("linear", "rbf", "poly", "sigmoid")
Arguments = dict[str, Any]


def describe(number: int) -> str:
    """Return what a case does."""
    return f"{CALLS_PER_CASE} calls of compiled functions, seed {number}"


def case(number: int) -> tuple[str, str]:
    """Call functions at random; return how many calls were answered and what is wrong."""
    rng = np.random.default_rng(number)
    pool = [samples(rng, real) for real in (np.float32, np.float64) for _ in range(6)]
    n_answered = 0
    for call in range(CALLS_PER_CASE):
        name = str(rng.choice(list(FUNCTIONS)))
        arguments, guarded = FUNCTIONS[name](rng, pool)
        changed = disturb(rng, arguments, pool) if rng.random() < 0.8 else []
        complaint = attempt(name, arguments)
        fault = judge(complaint, changed, guarded)
        if fault:
            return "called", f"call {call}, {name} with another {', '.join(changed)}: {fault}"
        n_answered += complaint is None
    return "called", "" if n_answered >= CALLS_PER_CASE // 10 else f"{n_answered} calls answered"


def attempt(name: str, arguments: Arguments) -> Exception | None:
    """Call a function, or a method of its samples; return what it raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if name == "take":
                arguments = dict(arguments)
                arguments.pop("samples").take(**arguments)
            else:
                getattr(_core, name)(**arguments)
        except Exception as error:
            return error
    return None


def judge(complaint: Exception | None, changed: list[str], guarded: list[Any]) -> str:
    """Return what is wrong with the outcome of a call."""
    if complaint is not None and not changed:
        return f"a sensible call was refused: {complaint}"
    if not isinstance(complaint, (type(None), ValueError, TypeError, AttributeError)):
        return f"{type(complaint).__name__}: {complaint}"
    if isinstance(complaint, (ValueError, TypeError)) and not str(complaint).strip():
        return "refused without a word"
    for buffer in guarded:
        if (buffer[:N_GUARDS] != GUARD).any() or (buffer[-N_GUARDS:] != GUARD).any():
            return "memory beyond an array was written"
    return ""


def samples(rng: Generator, real: type) -> Any:
    """Return packed samples: dense, mostly zero, CSR or taken from others."""
    count, n_features = int(rng.integers(1, 120)), int(rng.choice([1, 3, 8, 40]))
    suffix = "32" if real is np.float32 else "64"
    density = rng.choice([0.03, 0.3, 1.0])
    X = np.where(rng.random((count, n_features)) < density, rng.normal(size=(count, n_features)), 0)
    kind = rng.integers(4)
    if kind == 0:
        rows, columns = map(np.ascontiguousarray, X.nonzero())
        starts = np.searchsorted(rows, np.arange(count + 1))
        compress = getattr(_core, f"compress_{suffix}")
        return compress(starts, columns, X[rows, columns], n_features, 0.5, 3.0)
    origin = np.zeros(n_features) if kind == 1 else np.median(X, axis=0)
    packed = getattr(_core, f"pack_{suffix}")(X, origin, 0.5, 3.0, 1)
    return packed.take(rng.integers(0, count, size=count), 1) if kind == 3 else packed


def real_of(packed: Any) -> type:
    """Return the type of numbers of samples."""
    return np.float32 if isinstance(packed, _core.Samples32) else np.float64


def chosen_pair(rng: Generator, pool: list[Any]) -> tuple[Any, Any]:
    """Return fresh samples with rows, and samples of as many features."""
    real = rng.choice([np.float32, np.float64])
    suffix = "32" if real is np.float32 else "64"
    n_features = int(rng.choice([1, 5, 30]))
    pair = []
    for _ in range(2):
        X = rng.normal(size=(int(rng.integers(1, 130)), n_features))
        X[rng.random(X.shape) < rng.choice([0.0, 0.95])] = 0.0
        if rng.random() < 0.3:
            rows, columns = map(np.ascontiguousarray, X.nonzero())
            starts = np.searchsorted(rows, np.arange(len(X) + 1))
            compress = getattr(_core, f"compress_{suffix}")
            pair.append(compress(starts, columns, X[rows, columns], n_features, 1.0, 3.0))
        else:
            origin = rng.choice([0.0, 1.0]) * np.ones(n_features)
            pair.append(getattr(_core, f"pack_{suffix}")(X, origin, 1.0, 3.0, 1))
    return pair[0], pair[1]


def kernel(rng: Generator) -> Arguments:
    """Return a kernel that has rows."""
    return {"kernel": _core.Kernel(str(rng.choice(KERNELS)), 0.5, 1.0, 3)}


def of_kernel(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return a kernel's name and parameters."""
    return {"name": str(rng.choice(KERNELS)), "gamma": 0.5, "coef0": 1.0, "degree": 3}, []


def threads(rng: Generator) -> Arguments:
    """Return a number of threads."""
    return {"n_threads": int(rng.integers(1, 4))}


def guard(shape: tuple[int, ...], dtype: Any, guarded: list[Any]) -> Any:
    """Return zeros between guards."""
    size = int(np.prod(shape))
    buffer = np.full(size + 2 * N_GUARDS, GUARD, dtype=dtype)
    guarded.append(buffer)
    inside = buffer[N_GUARDS : N_GUARDS + size].reshape(shape)
    inside[...] = 0
    return inside


def indices(rng: Generator, count: int, number: int | None = None) -> Any:
    """Return some indices below count."""
    return rng.integers(0, count, size=rng.integers(0, 70) if number is None else number)


def of_pack(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of pack_32 and pack_64."""
    X = rng.normal(size=(int(rng.integers(0, 40)), int(rng.integers(1, 9))))
    X = X.astype(rng.choice([np.float32, np.float64]))
    origin, cost = np.zeros(X.shape[1]), float(rng.choice([0.0, 3.0, 1e9]))
    return {"X": X, "origin": origin, "scale": 1.0, "cost_of_sparse": cost, **threads(rng)}, []


def of_compress(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of compress_32 and compress_64."""
    n_values, n_features = int(rng.integers(0, 60)), int(rng.choice([5, 40, 10**12]))
    starts = np.sort(rng.integers(0, n_values + 1, size=int(rng.integers(1, 20))))
    columns = rng.integers(0, n_features, size=n_values)
    values = rng.normal(size=n_values)
    return {
        **{"starts": starts, "columns": columns, "values": values},
        **{"n_features": n_features, "scale": 1.0, "cost_of_sparse": 3.0},
    }, []


def of_take(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of take."""
    left, _ = chosen_pair(rng, pool)
    return {"samples": left, "indices": indices(rng, left.count), **threads(rng)}, []


def of_variance(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of variance."""
    X = rng.normal(size=(int(rng.integers(1, 600)), int(rng.integers(1, 20))))
    return {"X": X, "weights": rng.random(len(X)), **threads(rng)}, []


def places(rng: Generator, some: NDArray, count: int) -> NDArray:
    """Return places of samples among ``count`` others, or -1."""
    return rng.integers(-1, count, size=len(some))


def of_compute_rows(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of compute_rows."""
    (left, right), guarded = chosen_pair(rng, pool), []
    some, n_slots = indices(rng, left.count), int(rng.integers(1, 20))
    store = guard((n_slots, right.stride), real_of(right), guarded)
    slots = indices(rng, n_slots, len(some))
    return {
        **{"left": left, "indices": some, "right": right, "places": places(rng, some, right.count)},
        **{**kernel(rng), "store": store, "slots": slots, **threads(rng)},
    }, guarded


def of_compute_block(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of compute_block."""
    (packed, _), guarded = chosen_pair(rng, pool), []
    some, real = indices(rng, packed.count), real_of(packed)
    width = -(-len(some) // packed.panel) * packed.panel
    known, store = np.zeros((5, 7), dtype=real), np.zeros((4, packed.stride), dtype=real)
    return {
        **{"samples": packed, "indices": some, **kernel(rng)},
        **{"values": guard((len(some), width), real, guarded), "known": known},
        **{"places": rng.integers(-1, 5, size=len(some)), "store": store},
        **{"slots": rng.integers(-1, 4, size=len(some)), **threads(rng)},
    }, guarded


def of_accumulate_rows(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of accumulate_rows."""
    (left, right), guarded = chosen_pair(rng, pool), []
    some = indices(rng, left.count)
    return {
        **{"left": left, "indices": some, "right": right, "places": places(rng, some, right.count)},
        **{**kernel(rng), "coefficients": rng.normal(size=len(some))},
        **{"f": guard((right.count,), np.float64, guarded), **threads(rng)},
    }, guarded


def of_multiply_rows(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of multiply_rows."""
    (left, right), guarded = chosen_pair(rng, pool), []
    n_outputs = int(rng.integers(1, 5))
    coefficients = rng.normal(size=(n_outputs, right.stride)).astype(real_of(right))
    products = guard((left.count, n_outputs), np.float64, guarded)
    return {
        **{"left": left, "right": right, **kernel(rng)},
        **{"coefficients": coefficients, "products": products, **threads(rng)},
    }, guarded


def of_exact_products(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of exact_products, for dense or CSR matrices."""
    guarded: list[Any] = []
    n_features, real = int(rng.integers(1, 40)), rng.choice([np.float32, np.float64])
    A, B = (rng.normal(size=(int(rng.integers(1, 60)), n_features)).astype(real) for _ in range(2))
    targets, terms = indices(rng, len(A)), indices(rng, len(B))
    n_outputs = int(rng.integers(1, 4))
    left, right = (A, B) if rng.random() < 0.5 else (csr_parts(A), csr_parts(B))
    names = ("rbf", "poly", "sigmoid", "laplacian", "chi2")
    return {
        **{"A": left, "targets": targets, "B": right, "terms": terms, "n_features": n_features},
        "kernel": _core.Kernel(str(rng.choice(names)), float(rng.choice([0.1, 1e10])), 0.5, 3),
        "coefficients": rng.normal(size=(n_outputs, len(terms))),
        "products": guard((len(targets), n_outputs), np.float64, guarded),
        **threads(rng),
    }, guarded


def csr_parts(X: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Return starts, columns and values of what is positive in a matrix."""
    matrix = sp.csr_array(np.maximum(X, 0.0))
    return matrix.indptr.astype(np.int64), matrix.indices, matrix.data


def of_update_gradient(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of update_gradient."""
    guarded: list[Any] = []
    store = rng.normal(size=(6, int(rng.integers(1, 200))))
    store = store.astype(rng.choice([np.float32, np.float64]))
    slots = indices(rng, len(store))
    f = guard((int(rng.integers(0, store.shape[1] + 1)),), np.float64, guarded)
    coefficients = rng.normal(size=len(slots))
    given = {"store": store, "slots": slots, "coefficients": coefficients, "f": f}
    return {**given, **threads(rng)}, guarded


def edges_and_costs(rng: Generator, size: int) -> Arguments:
    """Return arguments that all kinds of bands take."""
    lo = rng.normal(size=size)
    costs = {"below": rng.random(size), "above": rng.random(size)}
    return {"lo": lo, "hi": lo + rng.random(size), **costs}


def of_bands(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of Bands."""
    size = int(rng.integers(0, 90))
    ridges = {"ridge_below": np.zeros(size), "ridge_above": np.zeros(size)}
    return {**edges_and_costs(rng, size), **ridges}, []


def of_priced_bands(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of PricedBands."""
    given = edges_and_costs(rng, int(rng.integers(0, 90)))
    bounds = {"most": given["below"], "least": given["above"]}
    return {**given, **bounds, "is_squared": bool(rng.integers(2)), "total": some_total(rng)}, []


def some_total(rng: Generator) -> float:
    """Return a sum of coefficients."""
    return float(rng.choice([0.0, 0.5, -3.0]))


def bands(rng: Generator, size: int, guarded: list[Any]) -> Arguments:
    """Return bands and variables."""
    c, f = guard((size,), np.float64, guarded), rng.normal(size=size)
    ridges = np.zeros((2, size))
    return {"bands": _core.Bands(*edges_and_costs(rng, size).values(), *ridges), "c": c, "f": f}


def of_solve_block(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of solve_block."""
    size, guarded = int(rng.integers(0, 70)), []
    X = rng.normal(size=(size, 3))
    padded = np.zeros((size, size + int(rng.integers(0, 9))))
    padded[:, :size] = X @ X.T
    padded = padded.astype(rng.choice([np.float32, np.float64]))
    return {
        **{"kernel": padded[:, :size], **bands(rng, size, guarded)},
        **{"tol": 1e-3, "max_steps": 200, "has_intercept": bool(rng.integers(2))},
    }, guarded


def of_select_variables(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of select_variables."""
    size, guarded = int(rng.integers(1, 9000)), []
    given = bands(rng, size, guarded)
    chosen = guard((int(rng.integers(0, 90)),), np.int64, guarded)
    return {
        **{**given, "has_intercept": bool(rng.integers(2)), "kept": indices(rng, size)},
        **{"chosen": chosen, "memory": _core.SelectionMemory(), **threads(rng)},
    }, guarded


def of_variables_in_play(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of variables_in_play."""
    size, guarded = int(rng.integers(0, 9000)), []
    given = bands(rng, size, guarded)
    chosen = guard((size,), np.int64, guarded)
    return {
        **{**given, "has_intercept": bool(rng.integers(2)), "margin": float(rng.random())},
        **{"chosen": chosen, "memory": _core.SelectionMemory(), **threads(rng)},
    }, guarded


def of_dual_value(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of dual_value."""
    given = bands(rng, int(rng.integers(0, 9000)), [])
    return {**given, **threads(rng)}, []


def judged(rng: Generator, guarded: list[Any]) -> Arguments:
    """Return a point of a band problem, as certificates take it."""
    size = int(rng.integers(0, 900))
    lo, hi, *sides = edges_and_costs(rng, size).values()
    priced = _core.PricedBands(lo, hi, *sides, *sides, bool(rng.integers(2)), some_total(rng))
    c, f = guard((size,), np.float64, guarded), rng.normal(size=size)
    return {"bands": priced, "c": c, "f": f, "errors": rng.random(size)}


def of_measure_optimality(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of measure_optimality."""
    guarded: list[Any] = []
    return {**judged(rng, guarded), "intercept": 0.1, "share_in_sums": 0.5}, guarded


def of_flat_interval(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of flat_interval."""
    guarded: list[Any] = []
    given = judged(rng, guarded)
    point = {name: given[name] for name in ("bands", "c", "f")}
    return {**point, "intercept": 0.1, "room": 0.01}, guarded


def of_measure_risks(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of measure_risks."""
    guarded: list[Any] = []
    given = judged(rng, guarded)
    risks = guard((len(given["c"]),), np.float64, guarded)
    return {**given, "tol": 0.1, "has_intercept": bool(rng.integers(2)), "risks": risks}, guarded


def of_find_origin(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of find_origin."""
    X, guarded = rng.normal(size=(int(rng.integers(1, 300)), int(rng.integers(1, 9)))), []
    X[rng.random(X.shape) < 0.3] = rng.choice([0.0, 1.0, np.nan])
    X = X.astype(rng.choice([np.float32, np.float64]))
    origin = guard((X.shape[1],), np.float64, guarded)
    return {"X": X, "step": int(rng.integers(1, 9)), "origin": origin}, guarded


def small_problems(rng: Generator, guarded: list[Any]) -> tuple[Arguments, NDArray]:
    """Return what solving and certifying small problems have in common, and all samples."""
    # Of 128 samples and more some are solved and certified in other ways.
    n_samples = rng.integers(2, 90) if rng.random() < 0.7 else rng.integers(120, 300)
    X = rng.normal(size=(int(n_samples), int(rng.integers(1, 6))))
    sizes = rng.integers(1, len(X) + 1, size=int(rng.integers(1, 7)))
    members = np.concatenate([np.sort(rng.permutation(len(X))[:size]) for size in sizes])
    c, f = (guard((len(members),), np.float64, guarded) for _ in range(2))
    return {
        **{"starts": np.concatenate([[0], np.cumsum(sizes)]), "members": members},
        **{"has_intercept": bool(rng.integers(2)), "c": c, "f": f, **threads(rng)},
    }, X


def solving(rng: Generator, guarded: list[Any]) -> tuple[Arguments, NDArray]:
    """Return what solving small problems takes besides a kernel, and all samples."""
    given, X = small_problems(rng, guarded)
    number, size = len(given["starts"]) - 1, len(given["members"])
    ridges = rng.choice([0.0, 0.5]) * np.ones((2, size))
    counts = guard((number, 3), np.int64, guarded)
    return {
        **{**given, "bands": _core.Bands(*edges_and_costs(rng, size).values(), *ridges)},
        **{
            "total": some_total(rng),
            "share_members": False,
            "tol": 1e-3,
            "max_iter": int(rng.integers(1, 20)),
        },
        **{"counts": counts, "measures": guard((number, 2), np.float64, guarded)},
        "find_reason": None,
    }, X


def of_solve_small(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of solve_small."""
    guarded: list[Any] = []
    given, X = solving(rng, guarded)
    packed = _core.pack_64(X, np.zeros(X.shape[1]), 0.5, 3.0, 1)
    return {"samples": packed, **kernel(rng), **given}, guarded


def of_solve_small_given(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of solve_small_given."""
    guarded: list[Any] = []
    given, X = solving(rng, guarded)
    return {"matrix": X @ X.T, **given}, guarded


def certifying(rng: Generator, guarded: list[Any]) -> tuple[Arguments, NDArray]:
    """Return what certifying small problems takes besides a kernel, and all samples."""
    given, X = small_problems(rng, guarded)
    number = len(given["starts"]) - 1
    lo, hi, *sides = edges_and_costs(rng, len(given["members"])).values()
    sizes, of_solver = rng.choice([0.0, 1.0, 1e-8, np.inf], size=(2, len(X)))
    given["c"][:] = rng.choice([0.0, 1.0], size=len(given["c"]))
    return {
        **{
            **given,
            "bands": _core.PricedBands(
                lo, hi, *sides, *sides, bool(rng.integers(2)), some_total(rng)
            ),
        },
        "errors": _core.ErrorEstimates(
            sizes, of_solver, 1e-16, float(rng.choice([0.0, 1.0])), 0.25
        ),
        **{"rules": spot_check_rules(float(rng.choice([1e-3, np.inf, np.nan])))},
        **{"is_wanted": rng.random(number) < 0.7, "checks_all": rng.random(number) < 0.5},
        "measures": guard((number, 17), np.float64, guarded),
    }, X


def of_certify_small(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of certify_small."""
    guarded: list[Any] = []
    given, X = certifying(rng, guarded)
    n_features = X.shape[1]
    parts = csr_parts(X)
    # With a linear kernel a function refuses more features than values.
    samples = X if rng.random() < 0.5 or len(parts[2]) < n_features else parts
    return {"X": samples, "n_features": n_features, **kernel(rng), **given}, guarded


def of_certify_small_given(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of certify_small_given."""
    guarded: list[Any] = []
    given, X = certifying(rng, guarded)
    return {"matrix": X @ X.T, **given}, guarded


def of_pair_step(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of pair_step."""
    band = _core.Band(0.0, 1.0, 1.0, 1.0, 0.0, 0.0)
    return {
        **{"band_i": band, "c_i": 0.0, "band_j": band, "c_j": 0.0},
        **{"difference": float(rng.normal()), "curvature": 1.0},
    }, []


def of_single_step(rng: Generator, pool: list[Any]) -> tuple[Arguments, list[Any]]:
    """Return arguments of single_step."""
    band = _core.Band(0.0, 1.0, 1.0, 1.0, 0.0, 0.0)
    return {"band": band, "c": 0.0, "f": float(rng.normal()), "curvature": 1.0}, []


FUNCTIONS: dict[str, Callable[[Generator, list[Any]], tuple[Arguments, list[Any]]]] = {
    **{"Kernel": of_kernel, "Bands": of_bands, "PricedBands": of_priced_bands},
    **{"pack_32": of_pack, "pack_64": of_pack},
    **{"compress_32": of_compress, "compress_64": of_compress, "take": of_take},
    **{"compute_rows": of_compute_rows, "compute_block": of_compute_block},
    **{"accumulate_rows": of_accumulate_rows, "multiply_rows": of_multiply_rows},
    **{"update_gradient": of_update_gradient, "solve_block": of_solve_block},
    **{"select_variables": of_select_variables, "variables_in_play": of_variables_in_play},
    **{"dual_value": of_dual_value, "exact_products": of_exact_products},
    **{"measure_optimality": of_measure_optimality, "measure_risks": of_measure_risks},
    **{"flat_interval": of_flat_interval, "find_origin": of_find_origin},
    **{"solve_small": of_solve_small, "solve_small_given": of_solve_small_given},
    **{"certify_small": of_certify_small, "certify_small_given": of_certify_small_given},
    **{"variance": of_variance, "pair_step": of_pair_step, "single_step": of_single_step},
}
