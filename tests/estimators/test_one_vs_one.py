"""One-vs-one: SVC's labels and values without a band, and pairs of classes fitted on their own."""

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from bandsvm import BandedSVC
from bandsvm._decisions.multiclass import OneVsOne
from bandsvm._problem.band_problem import band_problem
from bandsvm.multipliers import slack_multipliers
from tests.helpers.many_classes import FOUR, IRIS, NAMES, SETS
from tests.helpers.problems import Case, dual_by_qp


@pytest.mark.parametrize("shape", ["ovr", "ovo"])
@pytest.mark.parametrize("name", SETS)
def test_without_a_band_it_is_svc(name, shape):
    X, y = SETS[name]()
    theirs = SVC(tol=1e-6, decision_function_shape=shape).fit(X, y)
    ours = BandedSVC(C2=0, tol=1e-6, multi_class="ovo", decision_function_shape=shape).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    expected = theirs.decision_function(X)
    assert ours.decision_function(X).shape == expected.shape
    np.testing.assert_allclose(ours.decision_function(X), expected, atol=1e-3)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-3)


@pytest.mark.parametrize(
    "parameters",
    [
        {"kernel": "linear"},
        {"kernel": "poly", "degree": 2, "coef0": 1.0},
        {"class_weight": "balanced"},
        {"class_weight": {0: 1.0, 1: 3.0, 2: 0.5, 3: 1.0}},
    ],
)
def test_it_is_svc_with_other_parameters(parameters):
    X, y = FOUR
    theirs = SVC(tol=1e-6, decision_function_shape="ovo", **parameters).fit(X, y)
    ours = BandedSVC(
        C2=0, tol=1e-6, multi_class="ovo", decision_function_shape="ovo", **parameters
    ).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    if "kernel" in parameters and parameters["kernel"] == "linear":
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)


def test_ties_are_broken_as_in_svc():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 5, size=60)
    new = rng.uniform(-4, 4, size=(2000, 2))
    options = {"kernel": "linear", "tol": 1e-6}
    labels = {}
    for break_ties in (False, True):
        theirs = SVC(break_ties=break_ties, **options).fit(X, y)
        ours = BandedSVC(C2=0, multi_class="ovo", break_ties=break_ties, **options).fit(X, y)
        labels[break_ties] = ours.predict(new)
        np.testing.assert_array_equal(labels[break_ties], theirs.predict(new))
    assert (labels[False] != labels[True]).sum() > 10  # there are ties to break


def test_values_of_zero_count_as_in_svc():
    # Every vector is equally far from both classes of each pair: all decision values are 0.
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]]), [0, 1, 2]
    options = {"kernel": "linear", "tol": 1e-6}
    values = np.zeros((1, 3))
    theirs = SVC(**options).fit(X, y)
    theirs._intercept_ = theirs._intercept_ * 0.0
    strategy = OneVsOne(3)
    assert strategy.predicted(values).tolist() == theirs.predict([[0.0, 0.0]]).tolist()
    np.testing.assert_allclose(strategy.shaped(values), theirs.decision_function([[0.0, 0.0]]))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_two_classes_are_one_problem(n_classes):
    X, y = IRIS[0][IRIS[1] < n_classes], IRIS[1][IRIS[1] < n_classes]
    model = BandedSVC(multi_class="ovo").fit(X, y)
    other = BandedSVC().fit(X, y)
    assert len(model.intercept_) == (1 if n_classes == 2 else 3)
    if n_classes == 2:
        assert model.alpha_.shape == (len(y),)
        np.testing.assert_array_equal(model.decision_function(X), other.decision_function(X))


BANDS = {
    "band": {},
    "narrow band": {"rho2": 1.0, "C2": 10.0},
    "squares": {"loss": "squared_hinge"},
    "without intercept": {"fit_intercept": False},
    "hard margin": {"C1": np.inf, "gamma": 5.0},
    "by class": {
        "C1": {"ant": 1.0, "bee": 0.3, "cat": 3.0, "dog": 1.0},
        "rho2": {"ant": 1.2, "bee": 1.5, "cat": 2.0, "dog": 3.0},
    },
}


def pairs_of(y):
    """Return, per pair, its samples and their labels, with the first class as the second label."""
    for first, second in combinations(np.unique(y), 2):
        chosen = np.flatnonzero((y == first) | (y == second))
        yield chosen, (first, second)


@pytest.mark.parametrize("band", BANDS)
def test_every_pair_is_a_model_of_two_classes(band):
    X, y = FOUR[0], NAMES[FOUR[1]]
    parameters = {"gamma": 0.2, "tol": 1e-8} | BANDS[band]
    model = BandedSVC(multi_class="ovo", decision_function_shape="ovo", **parameters).fit(X, y)
    values = model.decision_function(X)
    primal = 0.0
    for k, (chosen, pair) in enumerate(pairs_of(y)):
        of_pair = {
            name: {label: value[label] for label in pair} if isinstance(value, dict) else value
            for name, value in parameters.items()
        }
        alone = BandedSVC(**of_pair).fit(X[chosen], y[chosen])
        # Two classes on their own have positive values for the second.
        np.testing.assert_allclose(values[:, k], -alone.decision_function(X), atol=1e-6)
        for name in ("alpha_", "theta_", "xi_", "eta_"):
            of_samples = getattr(model, name)
            assert of_samples.shape == (len(y), 6)
            np.testing.assert_allclose(of_samples[chosen, k], getattr(alone, name), atol=1e-5)
            others = np.delete(of_samples[:, k], chosen)
            assert np.isnan(others).all() if name in ("xi_", "eta_") else not others.any()
        primal += alone.certificate_.primal
    certificate = model.certificate_
    assert certificate.is_optimal
    assert len(certificate.parts) == 6
    assert certificate.primal == pytest.approx(primal, rel=1e-6)
    assert certificate.kkt_violation == max(part.kkt_violation for part in certificate.parts)
    recomputed = model.certify(X, y)
    assert recomputed.is_optimal
    assert recomputed.gap == pytest.approx(certificate.gap, abs=1e-6 * certificate.primal)


def test_a_pair_is_what_a_qp_solver_finds():
    X, y = IRIS
    model = BandedSVC(multi_class="ovo", C1=2.0, C2=0.5, rho2=1.5, gamma=0.3).fit(X, y)
    for part, (chosen, (first, _)) in zip(model.certificate_.parts, pairs_of(y), strict=True):
        signs = np.where(y[chosen] == first, 1.0, -1.0)
        K = rbf_kernel(X[chosen], gamma=0.3)
        case = Case(band_problem(signs, 1.0, 1.5, 2.0, 0.5), X[chosen], K, "pair")
        dual, _ = dual_by_qp(case, "piqp")
        assert part.dual == pytest.approx(dual, rel=1e-7)


def test_weights_are_repeated_rows():
    X, y = FOUR
    weights = np.random.default_rng(1).integers(0, 3, size=len(y))
    options = {"multi_class": "ovo", "gamma": 0.2, "decision_function_shape": "ovo"}
    weighted = BandedSVC(**options).fit(X, y, sample_weight=weights)
    repeated = BandedSVC(**options).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), atol=1e-6
    )
    # Samples of weight 0 have slacks in the pairs of their own class.
    is_other = np.isnan(weighted.xi_)
    np.testing.assert_array_equal(is_other.sum(axis=1), 3)
    assert not weighted.alpha_[weights == 0].any()


def test_weights_of_0_take_a_class_out():
    X, y = FOUR
    options = {"multi_class": "ovo", "gamma": 0.2}
    weighted = BandedSVC(**options).fit(X, y, sample_weight=(y != 2).astype(float))
    alone = BandedSVC(**options).fit(X[y != 2], y[y != 2])
    assert weighted.classes_.tolist() == [0, 1, 3]
    np.testing.assert_allclose(weighted.decision_function(X), alone.decision_function(X), atol=1e-6)


class CountedKernel:
    """An rbf kernel that keeps the shapes of its calls, and the largest number of classes."""

    def __init__(self, y):
        self.class_of, self.n_values, self.most_classes = y, 0, 0

    def __call__(self, A, B):
        self.n_values += len(A) * len(B)
        together = np.concatenate([A[:, 0], B[:, 0]]).astype(int)
        self.most_classes = max(self.most_classes, len(np.unique(self.class_of[together])))
        return rbf_kernel(A[:, 1:], B[:, 1:], gamma=0.2)


def test_pairs_need_no_kernel_values_of_others(one_by_one):
    X, y = FOUR
    kernel = CountedKernel(y)
    numbered = np.column_stack([np.arange(len(y)), X])
    order = np.concatenate([np.flatnonzero(y == k) for k in range(4)])
    kernel.class_of = np.sort(y)
    model = BandedSVC(multi_class="ovo", kernel=kernel)
    # The first few samples, which are checked for symmetry, are of one class.
    model.fit(np.column_stack([np.arange(len(y)), X[order]]), y[order])
    assert kernel.most_classes == 2
    kernel.n_values = 0
    kernel.class_of = np.zeros(len(y), dtype=int)
    plain = BandedSVC(multi_class="ovo", gamma=0.2).fit(X, y)
    np.testing.assert_allclose(
        model.decision_function(numbered), plain.decision_function(X), atol=1e-6
    )
    assert kernel.n_values == len(y) * len(model.support_)


def test_a_few_samples_need_each_kernel_value_once():
    X, y = FOUR
    kernel = CountedKernel(y)
    numbered = np.column_stack([np.arange(len(y)), X])
    BandedSVC(multi_class="ovo", kernel=kernel).fit(numbered, y)
    assert kernel.n_values == len(y) ** 2 + 20**2  # the first are checked for symmetry


@pytest.mark.parametrize("form", ["sparse", "precomputed", "float32"])
def test_forms_of_samples(form):
    X, y = FOUR
    X = np.where(np.abs(X) > 0.7, X, 0.0).astype(np.float32).astype(np.float64)
    options = {"multi_class": "ovo", "gamma": 0.2, "tol": 1e-6}
    plain = BandedSVC(**options).fit(X, y)
    if form == "precomputed":
        options["kernel"] = "precomputed"
    given = {
        "sparse": sp.csr_array,
        "precomputed": lambda X: rbf_kernel(X, gamma=0.2),
        "float32": lambda X: X.astype(np.float32),
    }[form](X)
    model = BandedSVC(**options).fit(given, y)
    np.testing.assert_allclose(
        model.decision_function(given), plain.decision_function(X), atol=1e-5
    )
    np.testing.assert_array_equal(model.predict(given), plain.predict(X))
    assert model.certify(given, y).is_optimal


def test_position_in_the_band_is_that_of_the_pairs():
    X, y = SETS["seven classes"]()
    model = BandedSVC(multi_class="ovo", decision_function_shape="ovo", rho2=1.2).fit(X, y)
    values, predicted = model.decision_function(X), model.predict(X)
    expected = []
    for row, label in zip(values, predicted, strict=True):
        own = [
            value if label == i else -value
            for value, (i, j) in zip(row, combinations(range(7), 2), strict=True)
            if label in (i, j)
        ]
        is_below, is_above = min(own) < 1.0 - 1e-9, max(own) > 1.2 + 1e-9
        expected.append("below" if is_below else "above" if is_above else "inside")
    found = model.band_position(X)
    assert found.tolist() == expected
    assert {"below", "above"} <= set(found)
    shaped = model.set_params(decision_function_shape="ovr")
    np.testing.assert_array_equal(shaped.band_position(X), found)


def test_slack_multipliers_of_pairs():
    X, y = IRIS
    model = BandedSVC(multi_class="ovo", C1=2.0, C2=0.5).fit(X, y)
    mu, psi = slack_multipliers(model, y)
    takes_part = ~np.isnan(model.xi_)
    np.testing.assert_allclose((mu + model.alpha_)[takes_part], 2.0)
    np.testing.assert_allclose((psi + model.theta_)[takes_part], 0.5)
    assert not mu[~takes_part].any()
    assert not psi[~takes_part].any()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"multi_class": "auto"}, "multi_class must be 'ovr' or 'ovo', got 'auto'"),
        ({"decision_function_shape": None}, "decision_function_shape must be 'ovr' or 'ovo'"),
        ({"decision_function_shape": "ovo", "multi_class": "ovr"}, "needs multi_class='ovo'"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        BandedSVC(**parameters).fit(*IRIS)


def test_break_ties_must_be_a_bool():
    with pytest.raises(TypeError, match="break_ties must be a bool, got 'yes'"):
        BandedSVC(break_ties="yes").fit(*IRIS)


def test_pair_values_do_not_break_ties():
    model = BandedSVC(multi_class="ovo", decision_function_shape="ovo", break_ties=True)
    assert model.fit(*IRIS).decision_function(IRIS[0]).shape == (150, 3)
    message = "break_ties must be False when decision_function_shape is 'ovo', got True"
    with pytest.raises(ValueError, match=message):
        model.predict(IRIS[0])


def test_warm_start_continues():
    X, y = FOUR
    model = BandedSVC(multi_class="ovo", warm_start=True).fit(X, y)
    before = model.certificate_.n_pair_steps
    model.fit(X, y)
    assert model.certificate_.n_pair_steps < before / 2
    # Three classes make as many pairs as classes; four do not.
    for data in (IRIS, FOUR):
        for first, second in (("ovr", "ovo"), ("ovo", "ovr")):
            started = BandedSVC(multi_class=first, warm_start=True).fit(*data)
            started.set_params(multi_class=second).fit(*data)
            afresh = BandedSVC(multi_class=second).fit(*data)
            np.testing.assert_allclose(
                started.decision_function(data[0]), afresh.decision_function(data[0]), atol=1e-6
            )


def test_blocks_hold_all_coefficients_once():
    model = BandedSVC(multi_class="ovo").fit(*SETS["seven classes"]())
    blocks = OneVsOne(7).blocks(model.dual_coef_)
    rebuilt = np.zeros_like(model.dual_coef_)
    for problems, samples in blocks:
        rebuilt[np.ix_(problems, samples)] = model.dual_coef_[np.ix_(problems, samples)]
    np.testing.assert_array_equal(rebuilt, model.dual_coef_)
    samples = np.concatenate([samples for _, samples in blocks])
    assert len(np.unique(samples)) == len(samples) == len(model.support_)


def test_tables_that_exceed_the_memory_are_refused(monkeypatch):
    monkeypatch.setattr("bandsvm._fitting.labels.available_bytes", lambda: 2.0**30)
    y = np.arange(3000) % 300
    X = np.random.default_rng(0).normal(size=(3000, 2))
    message = r"300 classes make 44850 pairs; for 3000 samples.* take 6.0 GiB; 1.0 GiB are free"
    with pytest.raises(ValueError, match=message):
        BandedSVC(multi_class="ovo").fit(X, y)
