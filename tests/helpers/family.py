"""The tables of docs/family.md, and a QP that solves what their lines say."""

import re
from pathlib import Path

import numpy as np
import qpsolvers
import scipy.sparse as sp

PAGE = Path(__file__).parents[2] / "docs" / "family.md"


def family_table(first, parameters):
    """Return the lines of the page's table whose head begins with a word.

    They are models, and their parameters as they are written.
    """
    for found in re.findall(r"(?:^\|.+\|\n)+", PAGE.read_text(), re.MULTILINE):
        lines = re.findall(r"^\| (.+) \|$", found, re.MULTILINE)
        header, *rows = [[cell.strip("` ") for cell in line.split(" | ")] for line in lines]
        if header[0] == first:
            assert header[1:-1] == list(parameters)
            return {row[0]: dict(zip(parameters, row[1:], strict=False)) for row in rows}
    raise AssertionError(f"there is no table of {first}")


def family_cases(models):
    """Return models, with and without intercept as their lines say."""
    return [
        (model, has_intercept)
        for model, cells in models.items()
        for has_intercept in (True, False)
        if cells["fit_intercept"] in ("either", str(has_intercept))
    ]


def features_of(K):
    """Return vectors whose inner products are K."""
    values, vectors = np.linalg.eigh(K)
    kept = values > 1e-12 * values.max()
    return vectors[:, kept] * np.sqrt(values[kept])


def by_qp(K, y, has_intercept, *slacks):
    """Minimise |w|^2 / 2 plus the costs of slacks and return the decision values.

    A slack is a cost, a power (1 or 2) and pairs (slope, constant): it is at least slope z +
    constant for each of them, where z = y g(x).
    """
    features = features_of(K)
    n, d = features.shape
    z = y[:, None] * np.column_stack([features, np.ones(n)])
    curvature, price = [np.ones(d), [0.0]], [np.zeros(d + 1)]
    left, right = [], []
    for k, (cost, power, *limits) in enumerate(slacks):
        curvature.append(np.full(n, 2.0 * cost if power == 2 else 0.0))
        price.append(np.full(n, cost if power == 1 else 0.0))
        for slope, constant in limits:
            chosen = np.zeros((1, len(slacks)))
            chosen[0, k] = -1.0
            left.append(sp.hstack([sp.csc_matrix(slope * z), sp.kron(chosen, sp.identity(n))]))
            right.append(np.full(n, -constant))
    free = np.full(d + 1 + n * len(slacks), np.inf)
    if not has_intercept:
        free[d] = 0.0
    x = qpsolvers.solve_qp(
        sp.diags(np.concatenate(curvature), format="csc"),
        np.concatenate(price),
        sp.vstack(left, format="csc"),
        np.concatenate(right),
        lb=-free,
        ub=free,
        solver="clarabel",
        tol_gap_abs=1e-10,
        tol_gap_rel=1e-10,
        tol_feas=1e-10,
    )
    return y * (z @ x[: d + 1])
