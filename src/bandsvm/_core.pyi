from typing import Any

from numpy.typing import NDArray

Band = tuple[float, float, float, float]

class Samples32:
    count: int
    stride: int
    def take(self, indices: NDArray) -> Samples32: ...

class Samples64:
    count: int
    stride: int
    def take(self, indices: NDArray) -> Samples64: ...

def pack_32(X: NDArray, centre: NDArray) -> Samples32: ...
def pack_64(X: NDArray, centre: NDArray) -> Samples64: ...
def compress_32(
    starts: NDArray, columns: NDArray, values: NDArray, n_features: int
) -> Samples32: ...
def compress_64(
    starts: NDArray, columns: NDArray, values: NDArray, n_features: int
) -> Samples64: ...
def compute_rows(
    left: Any,
    indices: NDArray,
    right: Any,
    kernel: str,
    gamma: float,
    coef0: float,
    degree: int,
    store: NDArray,
    slots: NDArray,
    n_threads: int,
) -> None: ...
def accumulate_rows(
    left: Any,
    indices: NDArray,
    right: Any,
    kernel: str,
    gamma: float,
    coef0: float,
    degree: int,
    coefficients: NDArray,
    f: NDArray,
    n_threads: int,
) -> None: ...
def multiply_rows(
    left: Any,
    right: Any,
    kernel: str,
    gamma: float,
    coef0: float,
    degree: int,
    coefficients: NDArray,
    products: NDArray,
    n_threads: int,
) -> None: ...
def update_gradient(
    store: NDArray, slots: NDArray, coefficients: NDArray, f: NDArray, n_threads: int
) -> None: ...
def solve_block(
    kernel: NDArray,
    lo: NDArray,
    hi: NDArray,
    below: NDArray,
    above: NDArray,
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
def simd_level() -> str: ...
