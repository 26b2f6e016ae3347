"""Fitted scikit-learn transformers over collections, chunk by chunk."""

from __future__ import annotations

from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np

from bandsvm.dask._collections import check_rows_only, is_collection
from bandsvm.dask._lazy import lazily


def transform(transformer: Any, X: Any) -> da.Array:
    """Return what a fitted scikit-learn transformer makes of a Dask collection, lazily.

    Parameters
    ----------
    transformer : object
        A fitted transformer whose `transform` treats each row by itself, such as
        `~sklearn.preprocessing.StandardScaler`, `~sklearn.kernel_approximation.Nystroem` or a
        pipeline of them. Fit it to a sample of the data that fits into memory.
    X : dask array of shape (n_samples, n_features) or dask DataFrame
        The samples, chunked by rows.

    Returns
    -------
    dask array of shape (n_samples, n_features_out)
        The transformed samples, in the same chunks. Shape and dtype are those of a sample of zeros
        or, of a DataFrame, of made-up values.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.kernel_approximation import RBFSampler
    >>> from bandsvm.dask import transform
    >>> X = da.ones((1000, 4), chunks=(250, 4))
    >>> sampler = RBFSampler(n_components=50, random_state=0).fit(X[:10].compute())
    >>> transform(sampler, X).chunks
    ((250, 250, 250, 250), (50,))
    """
    if not is_collection(X) or isinstance(X, dd.Series):
        raise TypeError(
            f"X must be a Dask array or a Dask DataFrame, got {type(X).__name__}; for data in "
            "memory call the transformer itself."
        )
    if not hasattr(transformer, "transform"):
        raise TypeError(
            f"transformer must have a method `transform`, got {type(transformer).__name__}."
        )
    check_rows_only(X)
    if isinstance(X, dd.DataFrame):
        sample = X._meta_nonempty
    else:
        sample = np.zeros((1, X.shape[1]), dtype=X.dtype)
    made = transformer.transform(sample)
    return lazily(_transformed, transformer, X, made.dtype, made.shape[1])


def _transformed(transformer: Any, X: Any) -> Any:
    """Transform a chunk; scikit-learn refuses those without samples."""
    if X.shape[0] == 0:
        return np.empty((0, transformer.transform(np.zeros((1, X.shape[1]))).shape[1]))
    return transformer.transform(X)
