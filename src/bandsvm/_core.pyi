from numpy.typing import NDArray

Band = tuple[float, float, float, float]

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
