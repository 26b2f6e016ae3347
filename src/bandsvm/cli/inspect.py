"""``bandsvm inspect``: what a model file holds."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bandsvm._system.text import short_text
from bandsvm.cli._options import add_output_options
from bandsvm.cli._output import Output

N_BINS = 8
# What is shown of labels, and of names of features.
MAX_CLASSES, MAX_FEATURES_NAMED = 20, 6
BAR_WIDTH = 40


def add_parser(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "inspect",
        help="describe a model file",
        usage="bandsvm inspect FILE [options]",
        description="Describe a model file and plot where the training samples lie "
        "against the band.",
    )
    parser.add_argument("model", type=Path, metavar="FILE", help="a model file")
    add_output_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, output: Any = None) -> int:
    """Load, describe, draw; ``output`` may be another that takes what an `Output` takes."""
    from bandsvm import load
    from bandsvm._workflow.models import classifier_of
    from bandsvm._workflow.summary import describe_certificate
    from bandsvm._workflow.weights import is_linear, largest_weights, scale_of_weights

    output = output or Output(options)
    model = load(options.model)
    classifier = classifier_of(model)
    steps = [type(step).__name__ for step in getattr(model, "named_steps", {"": model}).values()]
    changed = {
        name: value
        for name, value in classifier.get_params().items()
        if value != type(classifier)().get_params()[name]
    }
    names = getattr(model, "feature_names_in_", None)
    certificate = getattr(classifier, "certificate_", None)
    output.report(f"{options.model}: {' and '.join(steps)}, {options.model.stat().st_size} bytes")
    output.report(f"  classes         {_some(classifier.classes_, MAX_CLASSES)}")
    of_names = "" if names is None else f" ({_some(names, MAX_FEATURES_NAMED)})"
    encoded = classifier.n_features_in_
    # Models of texts do not count their input.
    given = getattr(model, "n_features_in_", encoded)
    of_encoded = "" if encoded == given else f", encoded as {encoded}"
    output.report(f"  features        {given}{of_names}{of_encoded}")
    settings = ", ".join(f"{name}={short_text(repr(value))}" for name, value in changed.items())
    output.report(f"  parameters      {settings or 'all as by default'}")
    output.report(f"  band            {classifier.rho1} to {classifier.rho2}")
    has_kernel = hasattr(classifier, "dual_coef_")
    # Kernels without gamma have NaN.
    gamma = classifier.gamma_ if has_kernel and classifier.gamma_ == classifier.gamma_ else None
    if gamma is not None:
        output.report(f"  gamma           {gamma:.6g}")
    if has_kernel:
        output.report(f"  support vectors {_support(classifier)}")
    has_probabilities = hasattr(classifier, "sigmoids_")
    told = "calibrated (predict --proba)" if has_probabilities else "none (fit with --calibrate)"
    output.report(f"  probabilities   {told}")
    weights = largest_weights(model, classifier) if is_linear(classifier) else []
    units = scale_of_weights(model) if weights else None
    bars = histogram(classifier) if hasattr(classifier, "xi_") else []
    if certificate is not None:
        output.report(repr(certificate))
    if weights:
        output.report(f"Largest weights, {units}; those above 0 speak for the class:")
        for line in _weight_lines(weights):
            output.report(line)
    if bars:
        output.report("Signed decision values of the training samples, y g(x), against the band:")
        largest = max(n for _, n in bars)
        for label, n in bars:
            output.report(f"  {label:>20} {n:>8} {'#' * round(BAR_WIDTH * n / largest)}".rstrip())
    output.result(
        {
            "model": str(options.model),
            "steps": steps,
            "classes": classifier.classes_,
            "n_features": classifier.n_features_in_,
            "feature_names": names,
            "parameters": classifier.get_params(),
            "gamma": gamma,
            "has_probabilities": has_probabilities,
            "n_support": classifier.dual_coef_.shape[1] if has_kernel else None,
            "weights": [of_class.values() for of_class in weights],
            "weights_are": units,
            "certificate": None if certificate is None else describe_certificate(certificate),
            "histogram": [{"values": label, "n_samples": n} for label, n in bars],
        }
    )
    return 0


def _support(classifier: Any) -> str:
    """Return the number of support vectors, by edge of the band and by class."""
    parts = []
    if hasattr(classifier, "alpha_support_"):
        n_lower, n_upper = len(classifier.alpha_support_), len(classifier.theta_support_)
        parts.append(f"{n_lower} at the lower, {n_upper} at the upper edge")
    if len(classifier.classes_) <= MAX_CLASSES:
        pairs = zip(classifier.classes_.tolist(), classifier.n_support_.tolist(), strict=True)
        parts.append("by class " + ", ".join(f"{short_text(label)}: {n}" for label, n in pairs))
    total = str(classifier.dual_coef_.shape[1])
    return f"{total} ({'; '.join(parts)})" if parts else total


def _weight_lines(weights: list[Any]) -> Iterator[str]:
    """Yield lines about the weights of each class."""
    width = max(len(short_text(of_class.label)) for of_class in weights)
    for of_class in weights:
        label = short_text(of_class.label)
        for pairs in (of_class.positive, of_class.negative):
            if pairs:
                text = ", ".join(f"{short_text(name)} {weight:+.4g}" for name, weight in pairs)
                yield f"  {label:<{width}}  {text}"
                label = ""


def _some(values: Any, most: int) -> str:
    """Return the first of some labels or names."""
    first = ", ".join(map(short_text, values[:most].tolist()))
    return first + (", ..." if len(values) > most else "")


def histogram(classifier: Any) -> list[tuple[str, int]]:
    """Return numbers of training samples by how far they lie from the band.

    A file knows by how much samples miss the band, not where in it they lie: the band is one bar.
    """
    import numpy as np

    xi, eta = np.ravel(classifier.xi_), np.ravel(classifier.eta_)
    is_known = ~np.isnan(xi)  # samples have no place in pairs of other classes
    xi, eta = xi[is_known], eta[is_known]
    missed = np.where(xi > classifier.tol, -xi, np.where(eta > classifier.tol, eta, 0.0))
    bars = [("in the band", int(np.sum(missed == 0.0)))]
    for sign, words in ((-1.0, "below"), (1.0, "above")):
        distances = sign * missed[sign * missed > 0.0]
        if not len(distances):
            continue
        counts, edges = np.histogram(distances, bins=N_BINS, range=(0.0, distances.max()))
        rows = [
            (f"{low:.3g} to {high:.3g} {words}", int(n))
            for n, low, high in zip(counts, edges[:-1], edges[1:], strict=True)
        ]
        bars = [*reversed(rows), *bars] if sign < 0.0 else [*bars, *rows]
    return bars
