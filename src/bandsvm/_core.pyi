from typing import Any, Self

from numpy.typing import NDArray

ROWS_OF_GROUP: int
MAX_SHARED: int
N_MEASURES: int
REFINEMENTS: int
MAX_STEPS_ON_FACE: int
MAX_WORK_OF_CLIMB: float
DAMPING_GROWTH: float
SUFFICIENT_SHARE: float
MAX_STEP: float
TRIED_SHARES: int
MAX_POLISHING_ROUNDS: int
ROUNDS_WITHOUT_GAIN: int
POLISHING_STEPS_PER_VARIABLE: int
MAX_WORK_OF_POLISHING: float
SNAP_SHARE: float
SMALL_SHARE_OF_TOL: float
STEPS_PER_VARIABLE: int
MIN_STEP_BUDGET: int
NEWTON_STEPS: int
ROUNDING_OF_LIMITS: float

class Kernel:
    def __init__(self, name: str, gamma: float, coef0: float, degree: int) -> None: ...

class Band:
    def __init__(
        self,
        lo: float,
        hi: float,
        below: float,
        above: float,
        ridge_below: float,
        ridge_above: float,
    ) -> None: ...

class Bands:
    def __init__(
        self,
        lo: NDArray,
        hi: NDArray,
        below: NDArray,
        above: NDArray,
        ridge_below: NDArray,
        ridge_above: NDArray,
    ) -> None: ...

class _Samples:
    count: int
    is_sparse: bool
    panel: int
    stride: int
    n_bytes: int
    n_products: float
    norms: NDArray
    def take(self, indices: NDArray, n_threads: int) -> Self: ...

class Samples32(_Samples): ...
class Samples64(_Samples): ...

class _Rows:
    def multiply(self, first: int, weights: NDArray, products: NDArray, n_threads: int) -> None: ...
    def add_to(self, first: int, factors: NDArray, sums: NDArray) -> None: ...

_Edges = tuple[NDArray, NDArray, NDArray, bool]

def newton_linearise(
    edges: _Edges, at: NDArray, g: NDArray, line: NDArray, D: NDArray, n_threads: int
) -> None: ...
def newton_begin(
    edges: _Edges,
    at: NDArray,
    g: NDArray,
    line: NDArray,
    step: NDArray | None,
    earlier: NDArray | None,
    goal: tuple[float, float, float, float],
    products: NDArray | None,
    dp: NDArray,
    aim: NDArray,
    n_threads: int,
) -> None: ...
def newton_turn(
    edges: _Edges,
    at: NDArray,
    g: NDArray,
    line: NDArray,
    dp: NDArray,
    dg: NDArray,
    aim: NDArray,
    n_threads: int,
) -> None: ...
def newton_complete(
    edges: _Edges,
    at: NDArray,
    g: NDArray,
    line: NDArray,
    products: NDArray | None,
    dp: NDArray,
    dg: NDArray,
    step: NDArray,
    n_threads: int,
) -> tuple[float, float, float]: ...
def newton_move(
    edges: _Edges,
    at: NDArray,
    g: NDArray,
    step: NDArray,
    dg: NDArray,
    length: float,
    new_at: NDArray,
    new_g: NDArray,
    n_threads: int,
) -> tuple[float, float]: ...

class _DenseRows(_Rows):
    def __init__(self, X: NDArray) -> None: ...
    def add_gram(
        self, first: int, factors: NDArray, centre: NDArray | None, gram: NDArray, n_threads: int
    ) -> None: ...

class DenseRows32(_DenseRows): ...
class DenseRows64(_DenseRows): ...

class _SparseRows(_Rows):
    def __init__(
        self, starts: NDArray, columns: NDArray, values: NDArray, n_features: int
    ) -> None: ...
    def add_gram(self, first: int, factors: NDArray, gram: NDArray, n_threads: int) -> None: ...

class SparseRows32(_SparseRows): ...
class SparseRows32Long(_SparseRows): ...
class SparseRows64(_SparseRows): ...
class SparseRows64Long(_SparseRows): ...

def pack_32(
    X: NDArray, origin: NDArray, scale: float, cost_of_sparse: float, n_threads: int
) -> Samples32: ...
def pack_64(
    X: NDArray, origin: NDArray, scale: float, cost_of_sparse: float, n_threads: int
) -> Samples64: ...
def compress_32(
    starts: NDArray,
    columns: NDArray,
    values: NDArray,
    n_features: int,
    scale: float,
    cost_of_sparse: float,
) -> Samples32: ...
def compress_64(
    starts: NDArray,
    columns: NDArray,
    values: NDArray,
    n_features: int,
    scale: float,
    cost_of_sparse: float,
) -> Samples64: ...
def compute_rows(
    left: Any,
    indices: NDArray,
    right: Any,
    places: NDArray,
    kernel: Kernel,
    store: NDArray,
    slots: NDArray,
    n_threads: int,
) -> None: ...
def compute_block(
    samples: Any,
    indices: NDArray,
    kernel: Kernel,
    values: NDArray,
    known: NDArray,
    places: NDArray,
    store: NDArray,
    slots: NDArray,
    n_threads: int,
) -> None: ...
def accumulate_rows(
    left: Any,
    indices: NDArray,
    right: Any,
    places: NDArray,
    kernel: Kernel,
    coefficients: NDArray,
    f: NDArray,
    n_threads: int,
) -> None: ...
def multiply_rows(
    left: Any,
    right: Any,
    kernel: Kernel,
    coefficients: NDArray,
    products: NDArray,
    n_threads: int,
) -> None: ...
def update_gradient(
    store: NDArray, slots: NDArray, coefficients: NDArray, f: NDArray, n_threads: int
) -> None: ...

class SelectionMemory:
    def __init__(self) -> None: ...

def select_variables(
    bands: Bands,
    c: NDArray,
    f: NDArray,
    has_intercept: bool,
    kept: NDArray,
    chosen: NDArray,
    memory: SelectionMemory,
    n_threads: int,
) -> tuple[float, int]: ...
def variables_in_play(
    bands: Bands,
    c: NDArray,
    f: NDArray,
    has_intercept: bool,
    margin: float,
    chosen: NDArray,
    memory: SelectionMemory,
    n_threads: int,
) -> int: ...
def solve_block(
    kernel: NDArray,
    bands: Bands,
    c: NDArray,
    f: NDArray,
    tol: float,
    max_steps: int,
    has_intercept: bool,
) -> tuple[int, float, bool]: ...
def pair_step(
    band_i: Band, c_i: float, band_j: Band, c_j: float, difference: float, curvature: float
) -> tuple[float, float]: ...
def single_step(band: Band, c: float, f: float, curvature: float) -> float: ...
def dual_value(bands: Bands, c: NDArray, f: NDArray, n_threads: int) -> float: ...
def variance(X: NDArray, weights: NDArray, n_threads: int) -> float: ...
def find_origin(X: NDArray, step: int, origin: NDArray) -> None: ...
def simd_level() -> str: ...
def exact_products(
    A: Any,
    targets: NDArray,
    B: Any,
    terms: NDArray,
    n_features: int,
    kernel: Kernel,
    coefficients: NDArray,
    products: NDArray,
    n_threads: int,
) -> None: ...

class PricedBands:
    def __init__(
        self,
        lo: NDArray,
        hi: NDArray,
        below: NDArray,
        above: NDArray,
        most: NDArray,
        least: NDArray,
        is_squared: bool,
        total: float,
    ) -> None: ...

def measure_optimality(
    bands: PricedBands,
    c: NDArray,
    f: NDArray,
    intercept: float,
    errors: NDArray | None,
    share_in_sums: float,
) -> tuple[float, ...]: ...
def measure_risks(
    bands: PricedBands,
    c: NDArray,
    f: NDArray,
    errors: NDArray,
    tol: float,
    has_intercept: bool,
    risks: NDArray,
) -> float: ...
def flat_interval(
    bands: PricedBands, c: NDArray, f: NDArray, intercept: float, room: float
) -> tuple[float, float]: ...
def solve_small(
    samples: Samples64,
    kernel: Kernel,
    starts: NDArray,
    members: NDArray,
    bands: Bands,
    has_intercept: bool,
    total: float,
    share_members: bool,
    tol: float,
    max_iter: int,
    c: NDArray,
    f: NDArray,
    counts: NDArray,
    measures: NDArray,
    n_threads: int,
    find_reason: Any,
) -> None: ...
def solve_small_given(
    matrix: NDArray,
    starts: NDArray,
    members: NDArray,
    bands: Bands,
    has_intercept: bool,
    total: float,
    share_members: bool,
    tol: float,
    max_iter: int,
    c: NDArray,
    f: NDArray,
    counts: NDArray,
    measures: NDArray,
    n_threads: int,
    find_reason: Any,
) -> None: ...

class ErrorEstimates:
    def __init__(
        self,
        sizes: NDArray,
        of_solver: NDArray,
        of_recomputed: float,
        negligible: float,
        share_in_sums: float,
    ) -> None: ...

class SpotCheckRules:
    def __init__(
        self,
        *,
        tol: float,
        n_checks: int,
        samples_per_check: int,
        times_mean: float,
        times_largest: float,
        min_factor: float,
        far_from_tol: float,
        max_rounds: int,
        draws: NDArray,
    ) -> None: ...

def certify_small(
    X: Any,
    n_features: int,
    kernel: Kernel,
    starts: NDArray,
    members: NDArray,
    bands: PricedBands,
    has_intercept: bool,
    c: NDArray,
    f: NDArray,
    errors: ErrorEstimates,
    rules: SpotCheckRules,
    is_wanted: NDArray,
    checks_all: NDArray,
    measures: NDArray,
    n_threads: int,
) -> None: ...
def certify_small_given(
    matrix: NDArray,
    starts: NDArray,
    members: NDArray,
    bands: PricedBands,
    has_intercept: bool,
    c: NDArray,
    f: NDArray,
    errors: ErrorEstimates,
    rules: SpotCheckRules,
    is_wanted: NDArray,
    checks_all: NDArray,
    measures: NDArray,
    n_threads: int,
) -> None: ...
