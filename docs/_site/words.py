"""What readers look for: words of the search beside those of the pages, and terms of the glossary.

The search ranks entries of the index first, so that a word such as *anomaly* leads to the page on
outliers, which does not use it.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any

WORDS = {
    "start/speed": (
        *("speed", "how fast", "how much faster", "faster than SVC", "beat SVC"),
        *("30000 x 50", "30 000 x 50", "SVC 30000 samples", "SVC 30 000 x 50", "performance"),
    ),
    "benchmarks": ("benchmark",),
    "switching": ("drop-in replacement", "migrate from SVC", "switch from SVC"),
    "guide/choosing_parameters": (
        *("choose C2 and rho2", "hyperparameters", "tuning", "GridSearchCV", "svc__C"),
        *("rho2", "C2"),
    ),
    "model_selection": ("cross-validation", "leave-one-out", "grid search"),
    "guide/imbalanced": ("imbalanced classes", "class weights", "balanced accuracy"),
    "guide/many_classes": ("multiclass", "one-vs-one", "one-vs-rest"),
    "guide/probabilities": ("predict_proba", "calibration", "Platt scaling"),
    "guide/abstaining": ("reject option", "confidence"),
    "guide/outliers": ("anomaly detection", "novelty detection", "one-class SVM"),
    "guide/tables": ("pandas", "categorical features", "missing values"),
    "guide/text": ("documents", "TF-IDF"),
    "guide/fifty_million": ("million rows", "big data", "out of core", "larger than memory"),
    "large_data": ("large data", "approximate kernel", "cluster", "Dask"),
    "guide/slow_fits": ("slow fit", "time limit", "speed up"),
    "guide/certificates": ("duality gap", "convergence", "proof of optimality"),
    "guide/deploying": ("deployment", "production", "C++", "without Python", "Java", "phone"),
    "exchange": ("export", "joblib", "pickle"),
    "cli": ("command line", "terminal", "bash"),
    "explore": ("web page", "browser", "sliders"),
}
HEADING = re.compile(r"^# .*\n", re.MULTILINE)


def with_words(text: str, words: tuple[str, ...]) -> str:
    """Return a page whose heading is followed by entries of the index."""
    entries = ", ".join(f"! {word}" for word in words)
    return HEADING.sub(lambda found: f"{found[0]}\n```{{index}} {entries}\n```\n", text, count=1)


def with_terms(text: str) -> str:
    """Return the glossary with its definition lists as Sphinx's, which the search knows."""
    head, terms = text.split("\n\n", 1)
    lines = []
    for line in terms.strip().split("\n"):
        if line and not line.startswith((":", " ")):
            lines += line.split(", ")
        else:
            lines.append(re.sub(r"^:", " ", line))
    return "\n".join([head, "", "````{glossary}", *lines, "````", ""])


def read(app: Any, name: str, source: list[str]) -> None:
    """Add to a page what the search needs."""
    if name == "glossary":
        source[0] = with_terms(source[0])
    if name in WORDS:
        source[0] = with_words(source[0], WORDS[name])


def check(app: Any, env: Any) -> None:
    """Fail if a page of the list is gone."""
    gone = [name for name in WORDS if name not in env.found_docs]
    if gone:
        raise ValueError(f"{PurePosixPath(__file__).name} names pages that do not exist: {gone}.")


def outdated(app: Any, env: Any, added: set, changed: set, removed: set) -> list[str]:
    """Return the pages to read in every build: Sphinx forgets entries of pages left unread."""
    return [name for name in (*WORDS, "glossary") if name in env.found_docs]


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx, after links were mended."""
    app.connect("source-read", read, priority=600)
    app.connect("env-updated", check)
    app.connect("env-get-outdated", outdated)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
