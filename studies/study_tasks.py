"""One task of the study: all rivals on one split of one data set."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from sklearn.base import clone
from sklearn.metrics import make_scorer
from threadpoolctl import threadpool_limits

import study_data
from bandsvm.metrics import risk_coverage_area, sensitivity_area_scorer
from study_data import BINARY, MULTI_CLASS, Split
from study_measures import MEASURES, NOISES_TUNED, measures, noisy_labels, quality
from study_models import RIVALS, Chosen, folds, quiet, rivals_on, tune_band, tune_csvm, untuned

HAVE_PROBABILITIES = ("logistic", "boosting")
# Largest training sets on which rivals are tuned again with wrong labels: samples, and samples times
# classes.
MAX_FOR_NOISE, MAX_WORK_FOR_NOISE = 1000, 10_000
# Largest training sets on which searches try other measures than accuracy.
MAX_FOR_SCORING = 300
DIGITS = 5


@dataclass(frozen=True)
class Settings:
    """How large the study is."""

    binary_sizes: tuple[int, ...] = (300, 1000, 5000)
    multi_class_sizes: tuple[int, ...] = (2000,)
    n_splits: int = 5
    most_test: int = 2000
    binary: tuple[str, ...] = BINARY
    multi_class: tuple[str, ...] = MULTI_CLASS


QUICK = Settings(
    binary_sizes=(60, 120),
    multi_class_sizes=(120,),
    n_splits=2,
    most_test=100,
    binary=("wdbc",),
    multi_class=("iris", "digits"),
)


@dataclass(frozen=True)
class Task:
    """A split of a data set; `group` is the size that was asked for, or 'multi-class'."""

    name: str
    group: str
    most_train: int
    most_test: int
    seed: int

    @property
    def key(self) -> tuple[str, str, int]:
        """Return what identifies the task in a file of results."""
        return self.name, self.group, self.seed


def all_tasks(settings: Settings) -> list[Task]:
    """Return the tasks of a study, the longest first."""
    tasks = []
    for name in settings.binary:
        found = study_data.sizes(name, settings.binary_sizes, study_data.n_samples_of(name))
        for wanted, size in zip(settings.binary_sizes, found, strict=False):
            tasks += _splits(name, f"binary, {wanted}", size, settings)
    for name in settings.multi_class:
        wanted = settings.multi_class_sizes
        size = study_data.sizes(name, wanted, study_data.n_samples_of(name))[-1]
        tasks += _splits(name, "multi-class", size, settings)
    return sorted(tasks, key=_cost, reverse=True)


def _splits(name: str, group: str, size: int, settings: Settings) -> Iterable[Task]:
    return [Task(name, group, size, settings.most_test, k) for k in range(settings.n_splits)]


def _cost(task: Task) -> float:
    """Return a rough measure of the time of a task, so that long ones start first."""
    is_slow = task.name in study_data.SLOW
    return task.most_train * (1 + 9 * is_slow) * (1 + 2 * (task.group == "multi-class"))


def run(task: Task) -> dict[str, Any]:
    """Return all that was found in a task."""
    start = time.process_time()
    data = study_data.load(task.name, task.most_train)
    n_train = min(task.most_train, int(study_data.TRAIN_SHARE * len(data.y)))
    split = study_data.split(data, n_train, task.most_test, task.seed)
    # Tasks run side by side, one thread each.
    with quiet(), threadpool_limits(1):
        found = outcome(split)
    return {
        **asdict(task),
        "kind": study_data.kind_of(task.name),
        "n_samples": len(data.y),
        "n_features": data.X.shape[1],
        "n_classes": data.n_classes,
        "n_classes_left_out": data.n_classes_left_out,
        "n_train": n_train,
        "n_test": len(split.y_test),
        **found,
        "seconds": round(time.process_time() - start, 1),
    }


def outcome(split: Split) -> dict[str, Any]:
    """Tune all rivals and return what they chose, and all measures."""
    cv = folds(len(split.y), split.seed)
    chosen: dict[str, Chosen] = {}
    seconds: dict[str, float] = {}
    found: dict[str, dict[str, float]] = {}
    for name in rivals_on(split.n_classes, split.X.shape[1]):
        start = time.process_time()
        chosen[name] = RIVALS[name](split.X, split.y, cv)
        seconds[name] = round(time.process_time() - start, 2)
        found[name] = {
            **measures(chosen[name].model, split, name in HAVE_PROBABILITIES),
            **tuned_with_noise(name, split, cv),
        }
    others = untuned()
    if chosen["band"].parameters["C2"] > 0.0:
        others["without band"] = clone(chosen["band"].model).set_params(C2=0.0)
    for name, model in others.items():
        found[name] = measures(model, split, has_probabilities=False)
    return {
        "chosen": {name: rounded(one.parameters) for name, one in chosen.items()},
        "scores": rounded({name: one.score for name, one in chosen.items()}),
        "n_candidates": {name: one.n_candidates for name, one in chosen.items()},
        "search_seconds": seconds,
        "measures": {name: in_order(values) for name, values in found.items()},
        "scoring": other_scoring(split, cv),
    }


def tuned_with_noise(name: str, split: Split, cv: Any) -> dict[str, float]:
    """Return accuracies of a rival that was tuned and fitted with wrong labels."""
    n_samples = len(split.y)
    if n_samples > MAX_FOR_NOISE or n_samples * split.n_classes > MAX_WORK_FOR_NOISE:
        return {}
    found = {}
    for measure, share in NOISES_TUNED.items():
        labels = noisy_labels(split, share)
        model = clone(RIVALS[name](split.X, labels, cv).model).fit(split.X, labels)
        found[measure] = model.score(split.X_test, split.y_test)
    return found


def negative_risk(y: Any, decision: Any) -> float:
    """Return minus the risk-coverage area of decision values of two classes."""
    return -risk_coverage_area(y, decision > 0.0, abs(decision))


SCORINGS = {
    "accuracy": None,
    "AUC": "roc_auc",
    "risk-coverage area": make_scorer(negative_risk, response_method="decision_function"),
    "sensitivity area": sensitivity_area_scorer,
}


def other_scoring(split: Split, cv: Any) -> dict[str, dict[str, dict[str, float]]]:
    """Return what searches for other measures than accuracy find, on small sets of two classes."""
    if split.n_classes > 2 or len(split.y) > MAX_FOR_SCORING:
        return {}
    found: dict[str, dict[str, dict[str, float]]] = {}
    for aim, scoring in SCORINGS.items():
        for name, tune in (("C-SVM", tune_csvm), ("band", tune_band)):
            chosen = tune(split.X, split.y, cv, scoring)
            fitted = clone(chosen.model).fit(split.X, split.y)
            values = quality(
                split.y_test, fitted.predict(split.X_test), fitted.decision_function(split.X_test)
            )
            kept = {measure: values[measure] for measure in SCORINGS}
            found.setdefault(aim, {})[name] = rounded({**kept, "C2": chosen.parameters["C2"]})
    return found


def in_order(values: dict[str, float]) -> list[float | None]:
    """Return measures in the order of their table; None where one is not defined."""
    numbers = rounded(values)
    return [numbers.get(name) for name in MEASURES]


def rounded(values: dict[str, Any]) -> dict[str, float]:
    """Return numbers as a result file has them."""
    return {name: float(f"{float(value):.{DIGITS}g}") for name, value in values.items()}
