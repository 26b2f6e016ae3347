"""A sample of `make torture`: the same cases, in children with the same limits."""

import mmap
import os
import sys

import pytest

if sys.platform != "linux":
    pytest.skip("limits and /proc are those of Linux", allow_module_level=True)

import numpy as np

from bandsvm import BandedSVC, BandedSVR, OneClassBandedSVM
from torture import leaks
from torture.__main__ import SUITES, Tally, batches_of, table
from torture.children import run_cases
from torture.oracle import objections, one_class_objections
from torture.problems import problem
from torture.regressions import Regression
from torture.verdicts import Data

SAMPLE = {
    "problems": range(20_000, 20_060),
    "regressions": range(20_000, 20_060),
    "one_class": range(20_000, 20_040),
    "files": range(20_000, 20_060),
    "bindings": range(20_000, 20_010),
    "hostile": range(20_000, 20_024),
    "faults": range(0, 572, 90),
    "crowds": range(1, 2),
    "interrupts": range(3),
    "leaks": range(9, 10),
}
no_sanitizer = pytest.mark.skipif(
    "asan" in os.environ.get("LD_PRELOAD", ""),
    reason="the address sanitizer has memory of its own, and reports crashes itself",
)


@pytest.mark.heavy
@pytest.mark.parametrize(
    "suite", [pytest.param(name, marks=no_sanitizer if name == "leaks" else ()) for name in SAMPLE]
)
def test_sample_of_suite(suite):
    results = list(run_cases(suite, SAMPLE[suite]))
    assert [result.number for result in results] == list(SAMPLE[suite])
    assert [(r.number, r.what, r.fault) for r in results if r.fault] == []


def test_every_suite_has_a_sample():
    assert SAMPLE.keys() == SUITES.keys()


@no_sanitizer
def test_what_goes_wrong_is_reported():
    results = list(run_cases("rehearsal", range(5)))
    assert [result.outcome for result in results] == ["ended", "died", "raised", "ended", "ended"]
    assert [bool(result.fault) for result in results] == [False, True, True, True, False]
    assert "SIGSEGV" in results[1].fault
    assert results[1].what == "case 1"
    assert "surprise" in results[2].fault


@pytest.mark.parametrize("kernel", ["rbf", "linear", "chi2"])
def test_oracle_believes_a_right_model_and_no_other(kernel, rng):
    X = rng.random(size=(40, 3))
    y = (X[:, 0] + 0.3 * rng.normal(size=40) > 0.5).astype(int)
    weights = np.ones(40)
    model = BandedSVC(kernel=kernel).fit(X, y)
    assert objections(model, X, y, weights) == []
    assert objections(model, X, 1 - y, weights) != []
    model.intercept_ = model.intercept_ + 0.1
    assert any("violation" in objection for objection in objections(model, X, y, weights))


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_oracle_believes_a_right_model_of_one_class_and_no_other(kernel, rng):
    X, weights = 3.0 + rng.random(size=(40, 3)), rng.random(size=40)
    model = OneClassBandedSVM(kernel=kernel, nu=0.3).fit(X, sample_weight=weights)
    assert one_class_objections(model, X, weights) == []
    assert one_class_objections(model, X, 1.1 * weights) != []
    model.intercept_ = model.intercept_ + 0.1
    assert any("violation" in found for found in one_class_objections(model, X, weights))


@pytest.mark.heavy
@no_sanitizer
def test_leaks_are_noticed(monkeypatch):
    kept = []

    def leak():
        # Pages of their own: a heap may put new things where freed ones lay, and not grow.
        pages = mmap.mmap(-1, 2**16)
        pages.write(bytes(2**16))
        kept.append(pages)

    monkeypatch.setattr(leaks, "LOOPS", [("a leak", leak)])
    outcome, fault = leaks.case(0)
    assert outcome == "grown"
    assert "bytes" in fault


def test_wrong_regressions_are_noticed(rng):
    X = rng.normal(size=(30, 2))
    y = X[:, 0] + 0.3 * rng.normal(size=30)
    model = BandedSVR(kernel="linear").fit(X, y)
    data, ends = Data(X, y, X, None, lowered=False), np.stack([y, y])
    assert Regression(data, ends, BandedSVR, [], "").objections(model) == []
    other = Regression(data, -ends, BandedSVR, [], "").objections(model)
    assert any("violation" in objection for objection in other)
    model.alpha_ = 2.0 * model.alpha_
    doubled = Regression(data, ends, BandedSVR, [], "").objections(model)
    assert any("bounds" in objection for objection in doubled)


def test_table_counts_failures():
    tallies = {"problems": Tally(100), "files": Tally(20)}
    tallies["problems"].outcomes["certified"] = 100
    assert "100 problems run, 20 faults injected, 0 failures" in table(tallies)
    assert sum(map(len, batches_of("problems", 250))) == 250


def test_seeds_draw_other_cases():
    def numbers(suite, seed):
        return [k for batch in batches_of(suite, 150, seed) for k in batch]

    assert numbers("problems", 0) == list(range(150))
    assert numbers("problems", 3) == list(range(30_000, 30_150))
    assert numbers("faults", 3) == list(range(150))  # they are places in a list


def test_some_problems_take_the_ways_of_large_ones():
    drawn = [problem(number) for number in range(60)]
    assert 10 < sum(p.data.lowered for p in drawn) < 50
    assert any(len(p.labels) > 1000 for p in drawn)
