"""What follows a search: probabilities, a report, a picture."""

from __future__ import annotations

import argparse
import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from bandsvm import BandedSVCCV
from bandsvm._decisions.probabilities import probabilities
from bandsvm._estimators.calibration import fit_sigmoids
from bandsvm._tables.table import Table
from bandsvm._workflow.clock import Clock
from bandsvm._workflow.held_out import NotHeldOut, held_out
from bandsvm._workflow.models import write_model
from bandsvm._workflow.quality import Judged
from bandsvm._workflow.tune_plot import Risk
from bandsvm.cli._output import Output


@dataclass
class AfterSearch:
    """A search that has ended, and what else is wanted of it.

    Parameters
    ----------
    options : argparse.Namespace
        The options of the command.
    output : Output
        What is said.
    search : BandedSVCCV
        The search.
    model : Pipeline
        Its best model, with all steps.
    table : Table
        The samples.
    X : array-like
        The samples as the classifier takes them.
    clock : Clock
        How long everything may take.
    """

    options: argparse.Namespace
    output: Output
    search: BandedSVCCV
    model: Pipeline
    table: Table
    X: Any
    clock: Clock

    @cached_property
    def unseen(self) -> Judged | str:
        """What models of the best parameters say of the folds that they were not trained on.

        Or why that is unknown.
        """
        try:
            return self._held_out(self.search.best_estimator_)
        except NotHeldOut as reason:
            return str(reason)

    def calibrate(self) -> None:
        """Write the model again, with probabilities, if they are wanted."""
        options, output = self.options, self.output
        if not options.calibrate:
            return
        output.report(f"Calibrating probabilities on {self.search.n_splits_} folds.")
        if isinstance(self.unseen, str):
            go_on = f"bandsvm fit {options.train} --model {options.model} --resume --calibrate"
            output.warn(f"there are no probabilities, because {self.unseen}; try {go_on}.")
            return
        values = self.unseen.values.reshape(len(self.table.y), -1)
        self.search.best_estimator_.sigmoids_ = fit_sigmoids(values, self.table.y)
        write_model(self.model, self.table, options.model)

    def show(self, findings: list[str]) -> None:
        """Write the report and the picture that are wanted."""
        if self.options.report is not None:
            self._write_report(self.unseen, findings)
        if self.options.plot is not None:
            self._write_plot(self.unseen)

    def _held_out(self, model: Any) -> Judged:
        with warnings.catch_warnings():
            # The search has said which fits do not converge.
            warnings.simplefilter("ignore", ConvergenceWarning)
            return held_out(model, self.X, self.table.y, self.search.cv, self.clock.when_over)

    def _write_report(self, unseen: Judged | str, findings: list[str]) -> None:
        from bandsvm._workflow.reliability import HELD_OUT, reliability_parts
        from bandsvm._workflow.search_report import write_search_report

        path = self.options.report
        trained = Judged(self.search.best_estimator_, self.X, self.table.y)
        sigmoids = getattr(self.search.best_estimator_, "sigmoids_", None)
        said = None
        if sigmoids is not None and not isinstance(unseen, str):
            said = probabilities(sigmoids, unseen.values)
        parts = reliability_parts(said, trained.true, self.search.classes_, HELD_OUT)
        write_search_report(
            path, self.search, self.model, self.table, trained, unseen, findings, parts
        )
        self.output.wrote(path)
        self.output.report(f"The report is in {path}.")

    def _write_plot(self, unseen: Judged | str) -> None:
        from bandsvm._workflow.tune_plot import write_plot

        path, best = self.options.plot, self.search.best_estimator_
        risk: Risk = unseen if isinstance(unseen, str) else {"best": unseen}
        if best.C2 > 0.0 and not isinstance(risk, str):
            with suppress(NotHeldOut):
                without = self._held_out(clone(best).set_params(C2=0.0))
                risk["the same without a band"] = without
        write_plot(self.search, self.X, self.table.y, risk, self.clock.when_over, path)
        self.output.wrote(path)
        self.output.report(f"The picture is in {path}.")
