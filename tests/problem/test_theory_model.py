"""docs/theory.md, sections 1 to 3, 7 and 9: the model, its dual, the band problem."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC, SVR

from bandsvm import BandedSVC
from bandsvm._problem.band_problem import slacks, split_coefficients
from bandsvm.metrics import sensitivity_area, sensitivity_curve
from bandsvm.multipliers import slack_multipliers
from tests.helpers.problems import dual_by_qp, primal_by_clarabel
from tests.helpers.statements import (
    LOSSES,
    at_most,
    dual,
    equal,
    h,
    losses_at,
    positive_part,
    primal,
    states,
)

HINGE = ("hinge",)


@states("1", "2", "5", "6", "26", losses=HINGE)
def test_objective_in_all_its_forms(one, k):
    """Rule, penalty, slacks and the four vectors make one objective."""
    for c in one.points():
        for b in one.intercepts():
            beta = one.features.T @ c
            g = k("1") * one.features @ beta + b
            equal(g, one.K @ c + b)
            z = one.y * g
            penalty = one.C1 * positive_part(one.rho1 - z) + one.C2 * positive_part(z - one.rho2)
            value = 0.5 * beta @ beta + (one.weights * penalty).sum()
            equal(k("2") * (one.weights * penalty).sum(), losses_at(one.problem, g).sum())
            equal(k("5") * value, primal(one, c, b))
            xi, eta = slacks(one.y, g, one.rho1, one.rho2)
            costs = one.C1 * (one.weights * xi).sum() + one.C2 * (one.weights * eta).sum()
            equal(0.5 * beta @ beta + k("6") * costs, value)
            equal(k("26") * losses_at(one.problem, g), one.weights * penalty)


@states("3", "4", losses=HINGE)
def test_chebyshev(one, k):
    """Any distribution obeys it, that of the samples among them; for three masses it is tight."""
    for c in one.points():
        z = one.y * (one.K @ c)
        away = np.abs(z - z.mean())
        for t in (0.5, 1.0, 1.5):
            if away.max() > 0:
                far = (away >= t * away.max()).mean()
                at_most(far, k("3", 0.9) * z.var() / (t * away.max()) ** 2)
    z = np.array([-1.0, 0.0, 0.0, 1.0])
    at_most((np.abs(z) >= 1).mean(), k("3", 0.9) * z.var())
    for edge in (0.5, 1.0):
        outside = ((z <= -edge) | (z >= edge)).mean()
        at_most(outside, k("4", 0.9) * z.var() / edge**2)


@states("7", losses=HINGE)
def test_kernel_is_an_inner_product(one, k):
    """A kernel matrix has features, hence no negative eigenvalue; the rbf kernel is one."""
    equal(k("7") * one.features @ one.features.T, one.K)
    assert np.linalg.eigvalsh(one.K)[0] >= -1e-12
    x = one.case.X
    squares = ((x[:, None] - x[None]) ** 2).sum(-1)
    equal(np.exp(-0.7 * k("7 rbf") * squares), rbf_kernel(x, gamma=0.7))


@states("9", "10", "11", "12", "13", "14", "15", "16", losses=HINGE, intercept=(True,))
def test_lagrangian_leaves_the_dual(one, k):
    """The Lagrangian's derivatives vanish where the page says, and what is left is the dual."""
    rng, n, y = one.rng(), len(one.y), one.y
    alpha = rng.random(n) * one.C1 * one.weights
    theta = rng.random(n) * one.C2 * one.weights
    pull = float((alpha - theta) @ y)
    lighter = y == -np.sign(pull)
    alpha = alpha + np.where(lighter, abs(pull) / lighter.sum(), 0.0)
    equal((k("11") * alpha - theta) @ y, 0.0)
    cost1 = np.maximum(one.C1 * one.weights, alpha)  # a box that holds them
    cost2 = one.C2 * one.weights
    mu, psi = k("12") * cost1 - alpha, k("12 psi") * cost2 - theta

    def lagrangian(beta, b, xi, eta):
        z = y * (one.features @ beta + b)
        value = 0.5 * beta @ beta + (cost1 * xi).sum() + (cost2 * eta).sum()
        value -= k("9") * (alpha * (xi - one.rho1 + z)).sum()
        value -= (theta * (eta + one.rho2 - z)).sum()
        return value - (mu * xi).sum() - (psi * eta).sum()

    beta = k("10") * one.features.T @ ((alpha - theta) * y)
    b, xi, eta = rng.normal(), rng.random(n), rng.random(n)
    value = lagrangian(beta, b, xi, eta)
    # Linear in b, xi and eta, with coefficients that vanish; a minimum in beta.
    equal(lagrangian(beta, b + 1.0, xi, eta), value)
    for i in range(n):
        equal(lagrangian(beta, b, xi + np.eye(n)[i], eta), value)
        equal(lagrangian(beta, b, xi, eta + np.eye(n)[i]), value)
        for step in (-1e-3, 1e-3):
            at_most(value, lagrangian(beta + step * np.eye(n)[i], b, xi, eta), 1e-12)
    B = np.outer(y, y) * one.K
    quadratic = 0.5 * (alpha - theta) @ B @ (alpha - theta)
    left = one.rho1 * alpha.sum() - one.rho2 * theta.sum()
    equal(value, left - k("14") * 0.5 * beta @ beta)
    equal(value, left - k("15") * quadratic)
    equal(one.features @ beta, k("16") * one.K @ ((alpha - theta) * y))
    at_most(alpha, k("13", 0.5) * cost1)
    at_most(theta, k("13 theta", 0.1) * cost2)


@states("17", losses=HINGE)
def test_dual_is_concave(one, k):
    B = np.outer(one.y, one.y) * one.K
    H = np.block([[-B, B], [B, -B]])
    for _ in range(5):
        alpha, theta = one.rng().normal(size=(2, len(one.y)))
        both = np.concatenate([alpha, theta])
        s = one.y * (alpha - theta)
        equal(both @ H @ both, -k("17") * s @ one.K @ s)
        at_most(both @ H @ both, 0.0)


@states("18", "19", losses=HINGE, intercept=(True,))
def test_strong_duality_and_complementarity(one, k):
    """Two QP solvers agree on primal and dual; every multiplier or its constraint vanishes."""
    value, _ = dual_by_qp(one.case, "piqp")
    equal(k("18") * primal_by_clarabel(one.case), value, atol=1e-6)
    model = BandedSVC(one.C1, one.C2, one.rho1, one.rho2, kernel="precomputed", tol=1e-10)
    model.fit(one.K, one.y, one.weights)
    mu, psi = slack_multipliers(model, one.y, one.weights)
    z = one.y * model.decision_function(one.K)
    xi, eta = model.xi_, model.eta_
    small = 1e-6
    equal(model.alpha_ * (xi - k("19") * one.rho1 + z), 0.0, small)
    equal(model.theta_ * (eta + k("19 theta") * one.rho2 - z), 0.0, small)
    equal((k("19 mu") * one.C1 * one.weights - model.alpha_) * xi, 0.0, small)
    equal((k("19 psi", -1.0) * one.C2 * one.weights - model.theta_) * eta, 0.0, small)
    equal(mu * xi, 0.0, small)
    equal(psi * eta, 0.0, small)


@states("20", "21", "22", "23", "24", "25", "27", "28", losses=HINGE)
def test_one_signed_variable_loses_nothing(one, k):
    """Proposition 1, and the labels' way into four vectors and back."""
    rng, n, y = one.rng(), len(one.y), one.y
    alpha, theta = rng.random((2, n))
    both = np.minimum(alpha, theta)

    def linear(alpha, theta):
        return one.rho1 * alpha.sum() - one.rho2 * theta.sum()

    change = linear(alpha - both, theta - both) - linear(alpha, theta)
    equal(change, k("20") * (one.rho2 - one.rho1) * both.sum())
    lam = alpha - theta
    best = one.rho1 * positive_part(lam) - one.rho2 * positive_part(-lam)
    shifts = np.linspace(0.0, 2.0, 50)
    tried = one.rho1 * (positive_part(lam) + shifts[:, None])
    tried -= one.rho2 * (positive_part(-lam) + shifts[:, None])
    equal(tried.max(axis=0), k("21") * best)
    c = k("22", -1.0) * y * lam
    equal(np.where(c >= 0, one.problem.lo, one.problem.hi) * c, best)
    positive = y > 0
    equal(k("23") * np.where(positive, one.rho1, -one.rho2), one.problem.lo)
    equal(np.where(positive, one.rho2, -one.rho1), one.problem.hi)
    equal(one.weights * np.where(positive, one.C1, one.C2), one.problem.below)
    equal(one.weights * np.where(positive, one.C2, one.C1), one.problem.above)
    for c in one.points():
        equal(h(one.problem, c), np.minimum(one.problem.lo * c, k("24", 0.9) * one.problem.hi * c))
        alpha, theta = split_coefficients(y, c)
        B = np.outer(y, y) * one.K
        value = linear(alpha, theta) - 0.5 * k("25") * (alpha - theta) @ B @ (alpha - theta)
        equal(value, dual(one, c))
        equal(k("27") * y * (alpha - theta), c)
        assert not (alpha * theta).any()
        xi, eta = slacks(y, one.K @ c + 0.3, one.rho1, one.rho2)
        z = y * (k("28") * one.K @ c + 0.3)
        equal(xi, positive_part(one.rho1 - z))
        equal(eta, positive_part(z - one.rho2))


@states("8", "65", kernels=("rbf", "linear"), losses=HINGE, intercept=(True,))
def test_csvm_and_svr_are_band_problems(one, k):
    """Independent solvers of the C-SVM and of SVR say the same."""
    K = one.K.astype(np.float32).astype(float)
    settings = {"kernel": "precomputed", "tol": 1e-10}
    csvm = BandedSVC(2.0, 0.0, 1.0, 1.0, **settings).fit(K, one.y, one.weights)
    svc = SVC(C=k("8") * 2.0, **settings).fit(K, one.y, one.weights)
    equal(csvm.decision_function(K), svc.decision_function(K), 1e-5)
    banded = BandedSVC(2.0, 2.0, 0.7, 1.2, **settings).fit(K, one.y, one.weights)
    svr = SVR(C=2.0, epsilon=0.25, **settings)
    svr.fit(K, k("65") * one.y * 0.95, one.weights)
    equal(banded.decision_function(K), svr.predict(K), 1e-5)


@states("74", "75", "76", "77", losses=HINGE)
def test_sensitivity_curve(one, k):
    for c in one.points()[1:]:
        g = one.K @ c + 0.1
        z, largest = one.y * g, np.abs(g).max()
        thresholds = k("75", 0.5) * np.linspace(0, largest, 50)
        percentages, reached = sensitivity_curve(one.y, g)
        equal(percentages, 100 * thresholds / largest)
        equal(reached, k("74") * (z[None] >= thresholds[:, None]).mean(axis=1))
        assert (np.diff(reached) <= 0).all()
        equal(sensitivity_curve(one.y, 3 * g)[1], reached)
        fine = np.linspace(0, largest, 20_001)
        area = np.mean((z[None] >= fine[:, None]).mean(axis=1))
        equal(area, k("76") * (positive_part(z) / largest).mean(), 1e-3)
        equal(sensitivity_area(one.y, g), (positive_part(z) / largest).mean())
        rho1, rho2 = 0.4 * largest, largest
        at_edge = (z >= k("77", 0.5) * rho1).mean()
        assert (reached[thresholds <= rho1 / rho2 * largest] >= at_edge).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_slack_multipliers(rng, loss):
    X = rng.normal(size=(40, 2))
    y = rng.integers(0, 3, size=40)
    weights = rng.integers(0, 3, size=40).astype(float)
    model = BandedSVC(C1={0: 1.0, 1: 2.0, 2: 3.0}, C2=0.5, loss=loss, class_weight={0: 2.0})
    model.set_params(multi_class="ovr").fit(X, y, weights)
    mu, psi = slack_multipliers(model, y, weights)
    assert mu.shape == psi.shape == model.alpha_.shape
    if loss == "squared_hinge":
        assert not mu.any()
        assert not psi.any()
        return
    cost = weights * np.array([2.0, 2.0, 3.0])[y]
    np.testing.assert_allclose(mu, cost[:, None] - model.alpha_, atol=1e-12)
    upper = weights * np.array([1.0, 0.5, 0.5])[y]
    np.testing.assert_allclose(psi, upper[:, None] - model.theta_, atol=1e-12)
    assert (mu >= 0).all()
    assert (psi >= 0).all()


def test_slack_multipliers_of_other_labels(rng):
    X, y = rng.normal(size=(20, 2)), np.arange(20) % 2
    model = BandedSVC(C1=np.inf, kernel="rbf", gamma=10.0).fit(X, y)
    assert np.isinf(slack_multipliers(model, y).mu).all()
    with pytest.raises(ValueError, match="20 training samples, got 19"):
        slack_multipliers(model, y[1:])
    with pytest.raises(ValueError, match=r"classes \[0, 1\], got \[1, 2\]"):
        slack_multipliers(model, y + 1)
