"""A second opinion on fitted models, from the definitions alone and in extended precision."""

from __future__ import annotations

import copy
import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Long = np.longdouble
# Rounding of float64 in one kernel value, and in sums of a hundred of them.
ROUNDING = 1e-14
# Sums of n numbers, whatever their order, are off by at most n of these per unit of their sizes.
UNIT_ROUNDOFF = 2.0**-53
# How much more than it says a violation may be: the certificate's own arithmetic is float64.
SLACK = 1.001


def kernel_matrix(kernel: Any, A: NDArray, B: NDArray, gamma: float, coef0: float, degree: int):
    """Return K(A, B) by the formulas of the documentation, in extended precision."""
    if callable(kernel):
        return np.asarray(kernel(A, B), dtype=Long)
    if kernel == "precomputed":
        return A.astype(Long)
    A, B, gamma, coef0 = A.astype(Long), B.astype(Long), Long(gamma), Long(coef0)
    if kernel in ("linear", "poly", "sigmoid"):
        products = A @ B.T
        if kernel == "linear":
            return products
        values = gamma * products + coef0
        return values ** int(degree) if kernel == "poly" else np.tanh(values)
    return np.exp(-gamma * np.array([_distances(kernel, a, B) for a in A]).reshape(len(A), len(B)))


def _distances(kernel: str, a: NDArray, B: NDArray) -> NDArray:
    """Return what the kernel calls the distance of a sample from many."""
    difference = a - B
    if kernel == "rbf":
        return (difference**2).sum(axis=1)
    if kernel == "laplacian":
        return np.abs(difference).sum(axis=1)
    total = a + B
    return (np.divide(difference**2, total, out=np.zeros_like(total), where=total > 0)).sum(axis=1)


def rounding_matrix(model: Any, X: NDArray, K: NDArray) -> NDArray:
    """Return how much of each kernel value rounding may have made up, in extended precision."""
    size = np.abs(K)
    if callable(model.kernel) or model.kernel == "precomputed":
        return ROUNDING * size
    lengths = np.sqrt((X.astype(Long) ** 2).sum(axis=1))
    if model.kernel in ("rbf", "laplacian", "chi2"):
        # Distances are differences of squares, whose digits they lose.
        return ROUNDING * size * (1 + Long(model.gamma_) * (lengths[:, None] + lengths) ** 2)
    products = lengths[:, None] * lengths
    if model.kernel == "linear":
        return ROUNDING * products
    inner = Long(abs(model.gamma_)) * products + abs(model.coef0)
    if model.kernel == "sigmoid":
        return ROUNDING * (1 + inner)
    return ROUNDING * (1 + model.degree) * inner ** int(model.degree)


def objections(model: Any, X: NDArray, y: NDArray, weights: NDArray) -> list[str]:
    """Return what is wrong with a model that says that it is optimal, and with its predictions.

    X and y are what the user meant, whatever they were stored in.
    """
    K = kernel_matrix(model.kernel, X, X, model.gamma_, model.coef0, model.degree)
    counted = weights > 0
    classes = np.unique(y[counted])
    if not np.array_equal(classes, model.classes_):
        return [f"classes_ are {model.classes_!r}, not {classes!r}"]
    wrong = [] if gamma_is_right(model, X, weights) else [f"gamma_ is {model.gamma_}"]
    binary = len(classes) == 2
    parts = [model.certificate_] if binary else model.certificate_.parts
    problems = _signs(model, classes, y)
    if len(parts) != len(problems):
        return [f"there are {len(parts)} certificates of {len(problems)} problems"]
    rounding = rounding_matrix(model, X, K)
    reach = 0.0
    for k, (part, signs) in enumerate(zip(parts, problems, strict=True)):
        alpha, theta = (v if binary else v[:, k] for v in (model.alpha_, model.theta_))
        if alpha[signs == 0].any() or theta[signs == 0].any():
            wrong.append("a sample has a multiplier in a pair of other classes")
        band = Band.of_classes(model, classes, y, signs, weights)
        c = signs * (alpha - theta)
        f, noise = decision_values(K, rounding, c, band, model.intercept_[k])
        reach = max(reach, noise)
        wrong += band.objections(c, f, model.intercept_[k], part, noise)
    return wrong + _wrong_predictions(model, X, K, reach)


def one_class_objections(model: Any, X: NDArray, weights: NDArray) -> list[str]:
    """Return what is wrong with a one-class model that says that it is optimal."""
    K = kernel_matrix(model.kernel, X, X, model.gamma_, model.coef0, model.degree)
    wrong = [] if gamma_is_right(model, X, weights) else [f"gamma_ is {model.gamma_}"]
    zeros, certificate = np.zeros(len(X)), model.certificate_
    total, c = model.nu * float(weights.sum()), model.alpha_
    band = Band(zeros, zeros, weights, zeros, True, weights > 0, total=total)
    intercept = model.intercept_[0]
    f, noise = decision_values(K, rounding_matrix(model, X, K), c, band, intercept)
    wrong += band.objections(c, f, intercept, certificate, noise)
    outside = float(weights[model.predict(X) == -1].sum())
    if outside > total * (1 + 1e-9) and noise <= certificate.tol:
        wrong.append(f"a weight of {outside} is outside, more than {total}")
    # What a fit leaves open is taken for 0.
    return wrong + _wrong_predictions(model, X, K, noise + certificate.tol)


def decision_values(
    K: NDArray, rounding: NDArray, c: NDArray, band: Band, intercept: float
) -> tuple[NDArray, float]:
    """Return decision values without intercept, and how much rounding may have added to them."""
    f, sizes = K @ c.astype(Long), np.abs(c.astype(Long))
    lost = rounding @ sizes + UNIT_ROUNDOFF * np.count_nonzero(c) * (np.abs(K) @ sizes)
    edges = float(np.maximum(np.abs(band.lo), np.abs(band.hi)).max())
    return f, float(lost.max(initial=0.0)) + ROUNDING * (edges + abs(intercept))


def _signs(model: Any, classes: NDArray, y: NDArray) -> list[NDArray]:
    """Return the signs of samples in every problem; 0 for those that take no part."""
    if len(classes) == 2:
        return [np.where(y == classes[1], 1.0, -1.0)]
    if model.multi_class == "ovr":
        return [np.where(y == label, 1.0, -1.0) for label in classes]
    return [
        (y == first).astype(float) - (y == second).astype(float)
        for first, second in itertools.combinations(classes, 2)
    ]


@dataclass(frozen=True)
class Band:
    """Edges and costs of one problem, per sample; a side without cost may have any edge."""

    lo: NDArray
    hi: NDArray
    below: NDArray
    above: NDArray
    has_intercept: bool
    counted: NDArray  # which samples take part
    grain: float = 0.0  # costs that differ by less are the same to a solver
    total: float = 0.0  # the sum of the coefficients

    @classmethod
    def of_classes(
        cls, model: Any, classes: NDArray, y: NDArray, signs: NDArray, weights: NDArray
    ) -> Band:
        """Return the band of a classifier's problem."""

        def of_sample(value: Any) -> NDArray:
            if not isinstance(value, dict):
                return np.full(len(y), float(value))
            return np.array([float(value.get(label, np.nan)) for label in y.tolist()])

        rho1, rho2, C1, C2 = map(of_sample, (model.rho1, model.rho2, model.C1, model.C2))
        costs = weights * _class_weights(model.class_weight, classes, y, weights)
        positive = signs > 0
        return cls(
            np.where(positive, rho1, -rho2),
            np.where(positive, rho2, -rho1),
            costs * np.where(positive, C1, C2),
            costs * np.where(positive, C2, C1),
            bool(model.fit_intercept),
            (weights > 0) & (signs != 0),
        )

    def objections(
        self, c: NDArray, f: NDArray, intercept: float, part: Any, noise: float
    ) -> list[str]:
        """Return what is wrong with coefficients, intercept and certificate."""
        wrong = []
        # A bound may be the product of the same factors in another order.
        room = 1e-12
        below, above = (cost * (1 + room) + self.grain for cost in (self.below, self.above))
        if (c > below).any() or (c < -above).any():
            wrong.append("a multiplier is outside its bounds")
        if self.has_intercept and abs(c.sum() - self.total) > 2e-9 * np.abs(c).sum():
            wrong.append(f"multipliers sum to {c.sum()}")
        if not self.has_intercept and intercept != 0.0:
            wrong.append(f"the intercept is {intercept}")
        violation = self._violation(c, f, Long(intercept), room)
        if violation > SLACK * part.tol + noise:
            wrong.append(f"the violation is {float(violation):.3e} for tol={part.tol:.1e}")
        primal, dual = self._values(c, f, Long(intercept))
        largest = float(max(abs(primal), abs(dual), 1e-300))
        # The certificate rests on decision values that are off by as much as it says.
        noise += 2.0 * part.gradient_drift
        costs = self._finite(self.below, c) + self._finite(self.above, c)
        spread = noise * float(np.abs(c).sum() + costs[self.counted].sum())
        off = 1e-6 * largest + spread + part.tol * np.abs(c).sum()
        # Both are bounds, which include what rounding errors may add to the gap.
        for name, value, less, more in (
            ("primal", primal, 0.0, part.gap),
            ("dual", dual, part.gap, 0.0),
        ):
            given = getattr(part, name)
            if not value - off - less <= given <= value + off + more:
                wrong.append(f"the {name} value is {float(value):.10g}, not {given:.10g}")
        if part.gap < -spread - 1e-9 * largest:
            wrong.append(f"the gap is {part.gap}")
        return wrong

    def _violation(self, c: NDArray, f: NDArray, intercept: Any, room: float) -> Any:
        """Return by how much the optimality conditions are violated."""
        can_rise = (c < self.below * (1 - room) - self.grain) & self.counted
        can_fall = (c > -self.above * (1 - room) + self.grain) & self.counted
        rise = np.where(c >= 0, self.lo, self.hi) - f  # limits from below to the intercept
        fall = np.where(c > 0, self.lo, self.hi) - f  # and from above
        lower = np.max(rise[can_rise], initial=-np.inf)
        upper = np.min(fall[can_fall], initial=np.inf)
        missed = max(lower - intercept, intercept - upper, Long(0))
        return max(lower - upper, missed) if self.has_intercept else missed

    @staticmethod
    def _finite(costs: NDArray, c: NDArray) -> NDArray:
        """Return costs; infinite ones become large enough to leave the solution as it is."""
        return np.where(np.isinf(costs), 2.0 * np.abs(c).max(initial=0.5), costs)

    def _values(self, c: NDArray, f: NDArray, intercept: Any) -> tuple[Any, Any]:
        """Return the primal and the dual objective."""
        c = c.astype(Long)  # products with targets of 1e300 overflow double precision
        g, quadratic = f + intercept, (c * f).sum() / 2
        below, above = self._finite(self.below, c), self._finite(self.above, c)
        loss = below * np.maximum(self.lo - g, 0) + above * np.maximum(g - self.hi, 0)
        edges = self.lo * np.maximum(c, 0) + self.hi * np.minimum(c, 0)
        primal = quadratic + loss[self.counted].sum() + self.total * intercept
        return primal, edges[self.counted].sum() - quadratic


def _class_weights(class_weight: Any, classes: NDArray, y: NDArray, weights: NDArray) -> NDArray:
    """Return the factor that each sample's class has."""
    if class_weight is None:
        return np.ones(len(y))
    if isinstance(class_weight, dict):
        return np.array([float(class_weight.get(label, 1.0)) for label in y.tolist()])
    totals = {label: weights[y == label].sum() for label in classes.tolist()}
    return np.array(
        [weights.sum() / (len(classes) * totals[k]) if k in totals else 1.0 for k in y.tolist()]
    )


def gamma_is_right(model: Any, X: NDArray, weights: NDArray) -> bool:
    """Return whether ``gamma_`` is what ``gamma`` stands for."""
    if callable(model.kernel) or model.kernel in ("linear", "precomputed"):
        return bool(np.isnan(model.gamma_))
    if model.gamma == "auto":
        return model.gamma_ == 1.0 / X.shape[1]
    if model.gamma != "scale":
        return model.gamma_ == float(model.gamma)
    shares = (weights.astype(Long) / weights.astype(Long).sum())[:, None] / X.shape[1]
    X = X.astype(Long)
    spread = (shares * (X - (shares * X).sum()) ** 2).sum()
    rounding = Long(1e-15) * np.abs(X).max() ** 2
    if spread <= rounding:  # nothing but rounding, or nothing
        return model.gamma_ > 0
    return bool(
        abs(Long(model.gamma_) * X.shape[1] * spread - 1) <= 1e-6 + 1e-3 * rounding / spread
    )


def _wrong_predictions(model: Any, X: NDArray, K: NDArray, noise: float) -> list[str]:
    """Return what is wrong with predictions of the training samples."""
    of_pairs = copy.copy(model)
    if getattr(model, "multi_class", "") == "ovo":
        of_pairs.decision_function_shape, of_pairs.break_ties = "ovo", False
    values = np.asarray(of_pairs.decision_function(X))
    if not np.isfinite(values).all():
        return ["decision values are not finite"]
    return wrong_values(model, K, values, noise)


def wrong_values(
    model: Any, K: NDArray, values: NDArray, noise: float, unit: float = 1.0
) -> list[str]:
    """Return what is wrong with decision values of the training samples."""
    expected = K[:, model.support_] @ model.dual_coef_.T.astype(Long) + model.intercept_
    expected = expected[:, 0] if values.ndim == 1 else expected
    error = float(np.abs(values - expected).max(initial=0.0))
    if error > noise + 1e-9 * (unit + float(np.abs(expected).max(initial=0.0))):
        return [f"decision values are wrong by {error:.3e}"]
    return []
