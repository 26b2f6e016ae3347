"""What all searches are as estimators: fit by searching, refit the best, predict with it."""

from __future__ import annotations

import time
import warnings
from functools import partial
from typing import Any, TypeVar

from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from bandsvm._checks.device_arrays import brought, is_computed_there
from bandsvm._problem import Status
from bandsvm.model_selection._grid import kernels_of
from bandsvm.model_selection._reporting import SearchObserver
from bandsvm.model_selection._search import Search
from bandsvm.model_selection._search_kinds import SearchKind

# The refit gets the rest of the time limit, or this share of the limit if that is more.
MIN_REFIT_SHARE = 0.05
# Longest refit after Ctrl-C.
SECONDS_AFTER_INTERRUPT = 0.25

Estimator = TypeVar("Estimator", bound="SearchMixin")


class SearchMixin:
    """An estimator that searches the parameters of another."""

    _kind: SearchKind  # what it does unlike other searches
    _model: Any  # the class of the estimator whose parameters it searches
    _passed_on: tuple[str, ...]  # parameters of every candidate that are not searched
    refit: bool
    verbose: int
    device: str | None
    time_limit: float | None

    def __sklearn_tags__(self) -> Any:
        """Return the estimator's scikit-learn tags."""
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        kernels = kernels_of(self)
        if kernels:
            tags.input_tags = self._template(kernels[0]).__sklearn_tags__().input_tags
        return tags

    def _keep(self, search: Search, best: int) -> None:
        """Store the results of a search."""
        self.n_splits_ = len(search.folds.splits)
        self.cv_results_ = search.standings.results(search.verdict.compared())
        self.best_index_ = best
        self.best_score_ = search.standings.mean_so_far(best)
        self.best_params_ = search.standings.candidates[best].parameters()

    def _fit_best(
        self, X: Any, y: Any, sample_weight: Any, began: float, is_interrupted: bool, device: Any
    ) -> None:
        """Fit the best candidate to all samples; keep the model even if the fit is interrupted."""
        seconds: float | None = None
        if is_interrupted:
            seconds = SECONDS_AFTER_INTERRUPT
        elif self.time_limit is not None:
            left = self.time_limit - (time.monotonic() - began)
            seconds = max(left, MIN_REFIT_SHARE * self.time_limit)
        model = self._template(self.best_params_["kernel"], device)
        model.set_params(**self.best_params_, verbose=self.verbose, time_limit=seconds)
        try:
            with warnings.catch_warnings():
                if is_interrupted:
                    # KeyboardInterrupt follows; a warning raised as an error must not replace it.
                    warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(X, y, sample_weight)
        finally:
            if hasattr(model, "certificate_"):
                self.best_estimator_ = model.set_params(time_limit=None, device=self.device)
                self.n_iter_, self.certificate_ = model.n_iter_, model.certificate_

    def _best(self) -> Any:
        """Return the best model."""
        check_is_fitted(self, "cv_results_")
        if not hasattr(self, "best_estimator_"):
            name = type(self).__name__
            raise AttributeError(f"{name} can predict only if it was fitted with refit=True.")
        return self.best_estimator_

    def _template(self, kernel: Any, device: str | None = None) -> Any:
        """Return a model with all parameters that are not searched; ``device`` is where X is."""
        passed = {name: getattr(self, name) for name in self._passed_on}
        if self.device is not None or not is_computed_there(kernel):
            device = self.device
        return self._model(kernel=kernel, device=device, **passed)


def fit_search(
    estimator: Estimator,
    X: Any,
    y: Any,
    observer: SearchObserver | None = None,
    by_fold: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
) -> Estimator:
    """Search, watched by an observer, and fit the best candidate to all samples.

    ``by_fold`` has all samples once per fold, as steps that were fitted to its training part make
    them; candidates are scored on these.
    """
    before, began = dict(vars(estimator)), time.monotonic()
    try:
        for name in [name for name in vars(estimator) if name.endswith("_")]:
            delattr(estimator, name)
        device, X, y, sample_weight = brought(estimator, X, y, sample_weight)
        template = partial(estimator._template, device=device)
        search = Search(estimator, template, X, y, sample_weight, groups, observer, by_fold)
        estimator._keep(search, search.run())
        is_interrupted = search.verdict.ended_by is Status.INTERRUPTED
        if estimator.refit:
            estimator._fit_best(X, y, sample_weight, began, is_interrupted, device)
    except BaseException as error:
        if not (isinstance(error, KeyboardInterrupt) and hasattr(estimator, "cv_results_")):
            estimator.__dict__.clear()
            estimator.__dict__.update(before)
        raise
    if is_interrupted:
        raise KeyboardInterrupt(
            f"{type(estimator).__name__} was interrupted after "
            f"{len(estimator.cv_results_['params'])} candidates; it keeps the best so far, "
            f"{estimator.best_params_}."
        )
    return estimator
