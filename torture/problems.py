"""Random and adversarial fits: each ends in time, certified, or warned of, or refused.

A number names a problem: ``python -m torture problems 17`` runs the 17th in this process.
"""

from __future__ import annotations

import linecache
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

from bandsvm import BandedSVC
from torture import storages
from torture.lowered import lowered_limits
from torture.oracle import objections

OURS = ("bandsvm", "sklearn", "torture")
REFUSALS = (ValueError, TypeError, NotImplementedError)


def my_kernel(A: Any, B: Any) -> NDArray:
    """Return the values of a kernel that the user wrote."""
    try:
        A, B = (np.asarray(M.toarray() if hasattr(M, "toarray") else M, float) for M in (A, B))
        with np.errstate(over="ignore", invalid="ignore"):
            return (1.0 + A @ B.T) ** 2
    except (TypeError, ValueError) as error:
        raise ValueError(f"my_kernel takes matrices of numbers: {error}") from error


# Seconds; what takes longer keeps its best model and warns.
MAX_FIT_SECONDS = 5.0
# Share of the problems that are stored and solved like large ones.
LOWERED_SHARE = 0.4
# Of more classes, pairs would take too long.
MAX_CLASSES_IN_PAIRS = 8
KERNELS = ("linear", "rbf", "rbf", "poly", "sigmoid", "laplacian", "chi2", "precomputed", my_kernel)
JUNK = (
    "scale",
    None,
    -1,
    0,
    float("nan"),
    float("inf"),
    "1",
    [1.0],
    {},
    10**400,
    True,
    1j,
    2.5,
    object(),
)


@dataclass(frozen=True)
class Problem:
    """A data set, what it stands for, and the parameters of one or more fits to it.

    With `lowered` limits it takes the ways of large ones.
    """

    X: Any
    y: Any
    meant: NDArray | None
    labels: NDArray
    weights: Any
    solver: list[dict[str, Any]]
    lowered: bool
    what: str


def problem(number: int) -> Problem:
    """Return the problem of a number."""
    rng = np.random.default_rng(number)
    kernel = KERNELS[rng.integers(len(KERNELS))]
    samples, shape = _samples(rng)
    y, labels, kind = _labels(rng, samples)
    samples, scale = _scaled(rng, samples)
    if kernel == "chi2":
        samples = np.abs(samples)
    if kernel == "precomputed":
        with np.errstate(over="ignore", invalid="ignore"):
            samples = samples @ samples.T
    pool = storages.ODD if rng.random() < 0.4 else storages.SENSIBLE
    store = pool[rng.integers(len(pool))]
    samples, poison = _poisoned(rng, samples)
    with np.errstate(all="ignore"):
        X, meant = store(samples, rng)
    weights = _weights(rng, len(samples))
    if meant is not None and not np.isfinite(meant).all():
        meant = None
    solver = _chain(rng, kernel, labels)
    heavy = "no" if weights is None else f"min {np.min(weights):.3g} max {np.max(weights):.3g}"
    lowered = bool(rng.random() < LOWERED_SHARE)
    few_classes = len(np.unique(labels)) <= MAX_CLASSES_IN_PAIRS
    multi_class = "ovo" if rng.random() < 0.5 and few_classes else "ovr"
    solver = [{**settings, "multi_class": multi_class} for settings in solver]
    named = [{**settings, "kernel": getattr(kernel, "__name__", kernel)} for settings in solver]
    limits = "lowered limits" if lowered else ""
    what = f"{shape} {scale} {store.__name__} {poison} y={kind} weights={heavy} {limits} {named}"
    return Problem(X, y, meant, labels, weights, solver, lowered, what)


def _samples(rng: Generator) -> tuple[NDArray, str]:
    """Return a matrix of samples and what it is."""
    n = int(
        rng.choice(
            [1, 2, 3, 7, 20, 50, 120, 250, 1100],
            p=[0.02, 0.05, 0.05, 0.1, 0.28, 0.28, 0.14, 0.03, 0.05],
        )
    )
    d = int(rng.choice([1, 2, 3, 8, 40, 300], p=[0.2, 0.3, 0.2, 0.15, 0.1, 0.05]))
    if n > 1000:
        d = min(d, 8)  # the oracle takes long enough
    X = rng.normal(size=(n, d))
    kind = rng.choice(
        [
            "normal",
            "clusters",
            "repeated",
            "constant",
            "same",
            "grid",
            "outlier",
            "collinear",
            "far",
            "mostly zero",
        ]
    )
    if kind == "clusters":
        X += 5.0 * rng.integers(0, 3, size=(n, 1))
    elif kind == "repeated":
        X = X[rng.integers(0, max(1, n // 4), size=n)]
    elif kind == "constant":
        X[:, : d // 2 + 1] = rng.normal()
    elif kind == "same":
        X[:] = X[0]
    elif kind == "grid":
        X = np.rint(X)
    elif kind == "outlier":
        X[0] *= 1e6
    elif kind == "collinear":
        X = X[:, :1] * rng.normal(size=d)
    elif kind == "far":
        X += 10.0 ** rng.integers(2, 9)
    elif kind == "mostly zero":
        X *= rng.random(X.shape) < 0.1
    return X, f"{kind} {n}x{d}"


def _scaled(rng: Generator, X: NDArray) -> tuple[NDArray, str]:
    """Return samples in other units."""
    if rng.random() < 0.5:
        return X, ""
    if rng.random() < 0.3:
        powers = rng.integers(-8, 9, size=X.shape[1])
        return X * 10.0**powers, f"columns 1e{powers.min()} to 1e{powers.max()}"
    power = int(rng.choice([-300, -200, -160, -100, -30, -8, -3, 3, 8, 30, 75, 100, 153, 200, 300]))
    return X * 10.0**power, f"1e{power}"


def _poisoned(rng: Generator, X: NDArray) -> tuple[NDArray, str]:
    """Return samples with an entry that is no finite number, now and then."""
    if rng.random() > 0.05:
        return X, ""
    bits = int(
        rng.choice(
            [
                0x7FF8000000000001,
                0x7FF0000000000001,
                0xFFF8DEADBEEF0000,
                0x7FF0000000000000,
                0xFFF0000000000000,
            ]
        )
    )
    X = X.copy()
    X.reshape(-1).view(np.uint64)[rng.integers(X.size)] = np.uint64(bits)
    return X, f"with bits {bits:x}"


def _labels(rng: Generator, X: NDArray) -> tuple[Any, NDArray, str]:
    """Return labels as the user gives them, as an array, and what they are."""
    n = len(X)
    kind = str(
        rng.choice(
            [
                "signs",
                "noise",
                "lonely",
                "three",
                "many",
                "text",
                "objects",
                "floats",
                "truths",
                "one",
                "list",
                "missing",
                "column",
                "int8",
            ],
            p=[0.3, 0.1, 0.08, 0.12, 0.05, 0.06, 0.05, 0.05, 0.04, 0.02, 0.04, 0.02, 0.03, 0.04],
        )
    )
    signs = (X @ rng.normal(size=X.shape[1]) + 0.3 * rng.normal(size=n) > 0).astype(int)
    if n > 1 and len(np.unique(signs)) == 1 and kind != "one":
        signs[0] = 1 - signs[0]
    y: Any = signs
    if kind == "noise":
        y = rng.integers(0, 2, size=n)
    elif kind == "lonely":
        y = (np.arange(n) == n // 2).astype(int)
    elif kind in ("three", "many"):
        y = rng.integers(0, 3 if kind == "three" else max(2, n // 2), size=n)
    elif kind == "text":
        y = np.array(["no", "yés"])[signs]
    elif kind == "objects":
        y = np.array(["no", "yes"], dtype=object)[signs]
    elif kind == "floats":
        y = np.array([-1.0, 1e6])[signs]
    elif kind == "truths":
        y = signs.astype(bool)
    elif kind == "one":
        y = np.zeros(n)
    elif kind == "missing":
        y = np.where(signs == 1, np.nan, 0.0)
    elif kind == "int8":
        y = (signs * 255 - 128).astype(np.int8)
    labels = np.asarray(y)
    if kind == "list":
        y = y.tolist()
    elif kind == "column":
        y = y[:, None]
    return y, labels, kind


def _weights(rng: Generator, n: int) -> Any:
    """Return weights of samples, mostly none."""
    if rng.random() < 0.6:
        return None
    kind = rng.choice(
        ["even", "zeros", "ratios", "negative", "nan", "short", "huge", "tiny"],
        p=[0.3, 0.3, 0.2, 0.04, 0.04, 0.04, 0.04, 0.04],
    )
    if kind == "zeros":
        return rng.integers(0, 2, size=n)
    if kind == "ratios":
        return 10.0 ** rng.integers(-8, 9, size=n)
    if kind == "negative":
        return np.where(np.arange(n) == 0, -1.0, 1.0)
    if kind == "nan":
        return np.where(np.arange(n) == 0, np.nan, 1.0)
    if kind == "short":
        return np.ones(n + 1)
    if kind == "huge":
        return np.full(n, 1e300)
    return np.full(n, 1e-300) if kind == "tiny" else rng.random(n) + 0.1


def _chain(rng: Generator, kernel: Any, labels: NDArray) -> list[dict[str, Any]]:
    """Return the parameters of one fit, or of a solver of warm starts."""
    first = _parameters(rng, kernel, labels)
    if rng.random() < 0.8:
        return [first]
    first["warm_start"] = True
    others = [_parameters(rng, kernel, labels) for _ in range(rng.integers(1, 4))]
    return [first, *({**other, "warm_start": True} for other in others)]


def _parameters(rng: Generator, kernel: Any, labels: NDArray) -> dict[str, Any]:
    """Return parameters from the whole range that is allowed, and junk now and then."""

    def maybe(share: float, value: Any) -> Any:
        return value if rng.random() < share else None

    classes = np.unique(labels).tolist()
    settings = {
        "kernel": kernel,
        "C1": maybe(0.7, 10.0 ** rng.integers(-10, 11)),
        "C2": maybe(0.7, rng.choice([0.0, 10.0 ** rng.integers(-10, 11)])),
        "rho1": maybe(0.3, rng.choice([1e-6, 0.5, 1.0, 1e3])),
        "gamma": maybe(0.4, rng.choice([0.0, 1e-10, 0.1, 1.0, 100.0, 1e10])),
        "degree": maybe(0.3, int(rng.choice([0, 1, 2, 4, 9]))),
        "coef0": maybe(0.3, rng.choice([-1.0, 1.0, 1e3])),
        "fit_intercept": maybe(0.25, False),
        "class_weight": maybe(
            0.2, "balanced" if rng.random() < 0.5 else dict.fromkeys(classes[:1], 50.0)
        ),
        "tol": maybe(0.4, 10.0 ** rng.integers(-12, 1)),
        "solver": maybe(0.5, str(rng.choice(["smo", "pcg", "reference"], p=[0.4, 0.4, 0.2]))),
        "max_iter": maybe(0.15, int(rng.choice([1, 3, 50]))),
        "time_limit": maybe(0.1, rng.choice([1e-9, 1e-3, 0.1])),
        "cache_size": maybe(0.2, rng.choice([1e-9, 1e-3, 0.1])),
        "n_jobs": maybe(0.3, int(rng.choice([1, 2, 3, -1]))),
    }
    settings = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in settings.items()
        if value is not None
    }
    if settings.get("solver") == "reference":
        # A thousand steps of Python each.
        settings["max_iter"] = 5
    settings.setdefault("time_limit", MAX_FIT_SECONDS)
    rho1 = settings.get("rho1", 1.0)
    settings["rho2"] = rho1 * float(rng.choice([1.0, 1.0 + 1e-9, 1.5, 3.0, 1e6]))
    if rng.random() < 0.1 and len(classes) > 1:
        settings["C1"] = {label: 10.0**k for k, label in enumerate(classes[:9])}
    if rng.random() < 0.05:
        settings[rng.choice([*settings])] = JUNK[rng.integers(len(JUNK))]
    return settings


def describe(number: int) -> str:
    """Return what a problem is."""
    return problem(number).what


def as_classifier(model: BandedSVC, given: Problem, weights: NDArray) -> list[str]:
    """Return what is wrong with a classifier."""
    return objections(model, given.meant, given.labels, weights)


def case(number: int) -> tuple[str, str]:
    """Run a problem; return how it ended and what is wrong with that."""
    given = problem(number)
    model = BandedSVC()
    outcomes, faults = [], []
    for settings in given.solver:
        outcome, fault = one_fit(model, settings, given)
        outcomes.append(outcome)
        faults += [fault] if fault else []
    return outcomes[-1], "; ".join(faults)


def one_fit(
    model: Any,
    settings: dict[str, Any],
    given: Problem,
    judge: Callable[[Any, Problem, NDArray], list[str]] = as_classifier,
) -> tuple[str, str]:
    """Fit a model and return how that ended and what is wrong with it.

    ``judge`` objects to models that say that they are optimal, given a problem and its weights.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.set_params(**{**type(model)().get_params(), **settings})
            with lowered_limits() if given.lowered else nullcontext():
                model.fit(given.X, given.y, given.weights)
        except REFUSALS as error:
            return "refused", _leaks(caught) or bad_refusal(error)
        except MemoryError:
            return "refused", "MemoryError"
    unsure = [w for w in caught if issubclass(w.category, ConvergenceWarning)]
    if fault := _leaks(caught):
        return "fitted", fault
    if given.meant is None:
        # A callable kernel takes anything; what it makes of it is not ours to judge.
        if callable(model.kernel) and not hasattr(model, "n_features_in_"):
            return "fitted", ""
        return "fitted", "it was fitted to what are no numbers"
    if bool(unsure) == bool(model.certificate_.is_optimal):
        return "fitted", f"is_optimal, but warned: {[str(w.message) for w in unsure]}"
    if unsure:
        return "warned", _not_finite(model, given.meant)
    n = len(given.labels)
    weights = np.ones(n) if given.weights is None else np.asarray(given.weights, dtype=np.float64)
    with np.errstate(all="ignore"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        wrong = judge(model, given, weights)
    return "certified", "; ".join([*wrong, *([_leaks(caught)] if _leaks(caught) else [])])


def _not_finite(model: Any, X: NDArray) -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        finite = np.isfinite(model.decision_function(X)).all()
    return _leaks(caught) if finite else "decision values are not finite"


def _leaks(caught: list[warnings.WarningMessage]) -> str:
    """Return the warnings that are not meant for the user."""
    known = (ConvergenceWarning, DataConversionWarning)
    # Names of features, where a frame was fitted and an array is predicted; classes that no rule
    # tells apart.
    meant = ("feature names", "found no rule that tells these classes")
    strange = [
        w
        for w in caught
        if w.category not in known and not any(words in str(w.message) for words in meant)
    ]
    return "; ".join(
        f"{w.category.__name__}: {w.message} ({w.filename}:{w.lineno})" for w in strange
    )


def bad_refusal(error: Exception) -> str:
    """Return what is wrong with a refusal: a message that nobody wrote for the user, say."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    assert trace is not None
    module = trace.tb_frame.f_globals.get("__name__", "")
    line = linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno).strip()
    where = f"{type(error).__name__} of {module}, line {trace.tb_lineno}: {error}"
    if module.split(".")[0] not in OURS or not line.startswith("raise"):
        return f"not our own message: {where}"
    return "" if len(str(error).split()) >= 4 else f"not a sentence: {where}"
