"""What linear models on a cluster have in common: copies, local models, lazy predictions."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from bandsvm.dask._collections import check_rows_only, is_collection
from bandsvm.dask._lazy import float_type, lazily

# Fitted attributes that are as long as the training set.
MULTIPLIERS = ("alpha_", "theta_")


class ClusterModelMixin:
    """A linear model that is fitted on a cluster, and is like ``local_class`` otherwise."""

    local_class: type[Any]
    client: Any
    n_features_in_: int

    def __sklearn_clone__(self: Any) -> Any:
        """Return an unfitted copy with the same client, which cannot be copied."""
        copy = clone(self._unfitted())
        return type(self)(**copy.get_params(deep=False), client=self.client)

    def __getstate__(self) -> dict[str, Any]:
        """Return what can be saved: all but the client."""
        return {**super().__getstate__(), "client": None}  # type: ignore[dict-item]

    def to_local(self) -> Any:
        """Return the fitted model as a local one, which can be saved and exported.

        Returns
        -------
        bandsvm.LinearBandedSVC or bandsvm.LinearBandedSVR
            A model with the same parameters and attributes; `alpha_` and `theta_` are brought into
            the memory of this process.
        """
        check_is_fitted(self)
        local = self._rule()
        for name in MULTIPLIERS:
            if hasattr(self, name):
                setattr(local, name, getattr(self, name).compute())
        return local

    def _unfitted(self: Any) -> Any:
        """Return a local model with the same parameters."""
        parameters = self.get_params(deep=False)
        parameters.pop("client")
        return self.local_class(**parameters)

    def _rule(self) -> Any:
        """Return the fitted model without multipliers."""
        local = self._unfitted()
        fitted = {name: value for name, value in vars(self).items() if name.endswith("_")}
        local.__dict__.update(fitted)
        for name in MULTIPLIERS:
            local.__dict__.pop(name, None)
        return local

    def _of_chunks(self, function: Any, X: Any, dtype: Any, n_columns: int | None = None) -> Any:
        """Return what a function of the model and of a chunk makes of X."""
        check_is_fitted(self)
        local = self._rule()
        if not is_collection(X):
            return function(local, X)
        check_rows_only(X)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )
        dtype = float_type(X) if dtype is None else dtype
        return lazily(function, local.set_params(n_jobs=1), X, dtype, n_columns)
