"""Classification as a task: labels become band problems of classes or of pairs of classes."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from bandsvm._certificate import COLLAPSED
from bandsvm._certificate.not_optimal import PYTHON
from bandsvm._checks import data
from bandsvm._checks.parameters import check_parameters
from bandsvm._decisions.multiclass import MultiClass, OneVsRest, strategy_of
from bandsvm._fitting.labels import ClassTraining, Labels, band_problems, labels_of
from bandsvm._fitting.settings import BandSettings
from bandsvm._fitting.task import Blocks, Diagonal
from bandsvm._problem.units import PLAIN, DecisionUnits

MAX_CLASSES_SHOWN = 5


class Classification:
    """The task of classifiers with a band; see `bandsvm._fitting.task`."""

    keeps_single, cures = True, PYTHON

    check_parameters = staticmethod(check_parameters)
    check_samples = staticmethod(data.check_samples)
    band = staticmethod(BandSettings.of)

    def units(self, model: Any, y: NDArray, weights: NDArray) -> DecisionUnits:
        """Return none: decision values are near 1 by the choice of the band."""
        return PLAIN

    def known(self, model: Any, y: NDArray, weights: NDArray, units: DecisionUnits) -> Labels:
        """Return labels and weights of samples and classes."""
        return labels_of(model.class_weight, y, weights, MultiClass.of(model))

    def problems(
        self, band: BandSettings, known: Labels, *, keep_all: bool = False
    ) -> ClassTraining:
        """Return the band problems of labels for some costs and a band; they share samples."""
        return band_problems(band, known, keep_all=keep_all)

    def training(
        self,
        model: Any,
        y: NDArray,
        weights: NDArray,
        diagonal: Diagonal | None = None,
        *,
        share_samples: bool = False,
    ) -> ClassTraining:
        """Return the band problems that a model with a kernel makes of labels and weights."""
        labels, band = self.known(model, y, weights, PLAIN), BandSettings.of(model)
        return band_problems(band, labels, share_samples=share_samples, allows_hard=True)

    def blocks(self, model: Any) -> Blocks:
        """Return those of the model's strategy."""
        return strategy_of(model).blocks

    def advice(self, model: Any) -> str:
        """Return what to do about classes that a one-vs-rest model cannot tell from the others.

        An empty string if there are none. Where the best rule for a class is a constant, whether
        the class is predicted does not depend on the sample.
        """
        if len(model.classes_) == 2 or not isinstance(strategy_of(model), OneVsRest):
            return ""
        certificate = model.certificate_
        if certificate.decision_range > COLLAPSED * certificate.scale:  # that of parts is the least
            return ""
        flat = [
            label
            for label, part in zip(model.classes_.tolist(), certificate.parts, strict=True)
            if part.has_collapsed
        ]
        if not flat:
            return ""
        pairs = "multi_class='ovo'"
        if not hasattr(model, "multi_class"):
            pairs = f"BandedSVC(kernel='linear', {pairs})"
        shown = ", ".join(repr(label) for label in flat[:MAX_CLASSES_SHOWN])
        more = (
            f" and {len(flat) - MAX_CLASSES_SHOWN} others" if len(flat) > MAX_CLASSES_SHOWN else ""
        )
        return (
            f"found no rule that tells these classes from the rest: {shown}{more}. Their decision "
            f"values are the same for all samples, so that labels are ties. Use {pairs}, "
            "class_weight='balanced', another kernel, or a larger C1."
        )


CLASSIFICATION = Classification()
