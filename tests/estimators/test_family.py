"""docs/family.md is true: every line of its first table against a solver that knows no bands."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.kernel_ridge import KernelRidge
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR

from bandsvm import BandedSVC
from tests.helpers.family import by_qp, family_cases, family_table, features_of

PARAMETERS = ("loss", "C1", "C2", "rho1", "rho2", "fit_intercept")
N_SAMPLES = 70
# Values for the letters of the table.
LETTERS = {
    "inf": np.inf,
    **{"C": 0.8, "tau": 0.4, "eps": 0.3, "gamma": 3.0, "alpha": 0.7, "mu": 0.5, "D": 0.2},
    **{"lam": 40.0, "n": N_SAMPLES, "p": 0.7},
    **{"C1": 0.9, "C2": 0.6, "rho1": 0.7, "rho2": 1.2},
}


MODELS = family_table("model", PARAMETERS)
CASES = family_cases(MODELS)


def c_svm(K, y, has_intercept, *, C, **_):
    if not has_intercept:
        return by_qp(K, y, False, (C, 1, (0, 0), (-1, 1)))
    return SVC(C=C, kernel="precomputed", tol=1e-10).fit(K, y).decision_function(K)


def hard_margin_svm(K, y, has_intercept, **_):
    return SVC(C=1e6, kernel="precomputed", tol=1e-10).fit(K, y).decision_function(K)


def l2_svm(K, y, has_intercept, *, C, **_):
    if has_intercept:  # LinearSVC shrinks its intercept
        return by_qp(K, y, True, (C, 2, (0, 0), (-1, 1)))
    model = LinearSVC(C=C, loss="squared_hinge", dual=False, fit_intercept=False, tol=1e-12)
    features = features_of(K)
    return model.fit(features, y).decision_function(features)


def pinball_svm(K, y, has_intercept, *, C, tau, **_):
    return by_qp(K, y, has_intercept, (C, 1, (-1, 1), (tau, -tau)))


def insensitive_pinball_svm(K, y, has_intercept, *, C, tau, eps, **_):
    return by_qp(K, y, has_intercept, (C, 1, (0, 0), (-1, 1 - eps), (tau, -tau - eps)))


def svr(K, y, has_intercept, *, C, eps, **_):
    if not has_intercept:
        return by_qp(K, y, False, (C, 1, (0, 0), (-1, 1 - eps), (1, -1 - eps)))
    return SVR(C=C, epsilon=eps, kernel="precomputed", tol=1e-10).fit(K, y).predict(K)


def squared_svr(K, y, has_intercept, *, C, eps, **_):
    if has_intercept:  # LinearSVR shrinks its intercept
        return by_qp(K, y, True, (C, 2, (0, 0), (-1, 1 - eps), (1, -1 - eps)))
    squared = {"loss": "squared_epsilon_insensitive", "dual": False, "fit_intercept": False}
    features = features_of(K)
    model = LinearSVR(C=C, epsilon=eps, tol=1e-12, max_iter=100_000, **squared)
    return model.fit(features, y).predict(features)


def ls_svm(K, y, has_intercept, *, gamma, **_):
    """Solve (0, y'; y, YKY + I / gamma) (b; a) = (0; 1)."""
    n = len(y)
    system = np.block([[np.zeros((1, 1)), y[None]], [y[:, None], np.outer(y, y) * K]])
    system[1:, 1:] += np.identity(n) / gamma
    right = np.concatenate([[0.0], np.ones(n)])
    if not has_intercept:
        return K @ (y * np.linalg.solve(system[1:, 1:], right[1:]))
    b, *a = np.linalg.solve(system, right)
    return K @ (y * a) + b


def kernel_ridge(K, y, has_intercept, *, alpha, **_):
    return KernelRidge(alpha=alpha, kernel="precomputed").fit(K, y).predict(K)


def odm(K, y, has_intercept, *, lam, mu, D, **_):
    """Minimise |w|^2 / 2 + lam / n sum (xi^2 + mu eta^2) / (1 - D)^2."""
    unit = lam / len(y) / (1 - D) ** 2
    below, above = (unit, 2, (-1, 1 - D)), (mu * unit, 2, (1, -1 - D))
    return by_qp(K, y, has_intercept, (*below, (0, 0)), (*above, (0, 0)))


def asymmetric_least_squares_svm(K, y, has_intercept, *, C, p, **_):
    below, above = (p * C, 2, (0, 0), (-1, 1)), ((1 - p) * C, 2, (0, 0), (1, -1))
    return by_qp(K, y, has_intercept, below, above)


def b_svm(K, y, has_intercept, *, power=1, C1, C2, rho1, rho2, **_):
    below, above = (C1, power, (0, 0), (-1, rho1)), (C2, power, (0, 0), (1, -rho2))
    return by_qp(K, y, has_intercept, below, above)


def squared_b_svm(K, y, has_intercept, **letters):
    return b_svm(K, y, has_intercept, power=2, **letters)


ORACLES = {
    "C-SVM": c_svm,
    "hard-margin SVM": hard_margin_svm,
    "L2-SVM": l2_svm,
    "pinball SVM": pinball_svm,
    "insensitive pinball SVM": insensitive_pinball_svm,
    "SVR on the labels": svr,
    "squared SVR on the labels": squared_svr,
    "LS-SVM": ls_svm,
    "kernel ridge regression on the labels": kernel_ridge,
    "ODM": odm,
    "asymmetric least squares SVM": asymmetric_least_squares_svm,
    "B-SVM": b_svm,
    "squared B-SVM": squared_b_svm,
}


def test_every_line_has_an_oracle():
    assert set(MODELS) == set(ORACLES)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize(
    ("model", "has_intercept"),
    CASES,
    ids=[f"{model}, {'with' if b else 'no'} intercept" for model, b in CASES],
)
def test_numbers_of_the_table_make_the_model(rng, model, has_intercept, kernel):
    X = np.round(8 * rng.normal(size=(N_SAMPLES, 3))) / 8  # exact in the float32 of LIBSVM's rows
    noise = 0.0 if model == "hard-margin SVM" else 0.7
    y = np.where(X[:, 0] + noise * rng.normal(size=N_SAMPLES) > 0.3, 1.0, -1.0)
    K = X @ X.T
    if kernel == "rbf":
        K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(-1)).astype(np.float32).astype(float)
    cells = MODELS[model]
    numbers = {name: eval(cells[name], {}, LETTERS) for name in ("C1", "C2", "rho1", "rho2")}
    settings = {"loss": cells["loss"], "fit_intercept": has_intercept, "tol": 1e-9}
    ours = BandedSVC(**numbers, **settings, kernel="precomputed").fit(K, y)
    theirs = ORACLES[model](K, y, has_intercept, **LETTERS)
    np.testing.assert_allclose(ours.decision_function(K), theirs, atol=2e-6)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("cost", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("seed", range(3))
def test_squares_trade_the_mean_departure_for_the_largest(seed, cost, kernel):
    """What the page says of squares at equal costs."""
    X, y = make_classification(200, 5, flip_y=0.1, class_sep=0.8, random_state=seed)
    settings = {"C1": cost, "C2": cost, "kernel": kernel, "gamma": 0.2}
    outside = {}
    for loss in ("hinge", "squared_hinge"):
        model = BandedSVC(loss=loss, **settings).fit(X, y)
        outside[loss] = model.xi_ + model.eta_
    assert outside["squared_hinge"].mean() > outside["hinge"].mean()
    assert outside["squared_hinge"].max() < outside["hinge"].max()


@pytest.mark.parametrize(("name", "model"), [("eps", "SVR on the labels"), ("D", "ODM")])
def test_lower_edge_must_stay_positive(name, model):
    """Conditions of the page: at 1 the band's lower edge would be 0, which fit refuses."""
    rho1 = eval(MODELS[model]["rho1"], {}, {**LETTERS, name: 1.0})
    with pytest.raises(ValueError, match="rho1"):
        BandedSVC(rho1=rho1).fit([[0.0], [1.0]], [0, 1])
