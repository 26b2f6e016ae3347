"""Fitted models and transformers over collections: chunk by chunk and lazily."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np

import dask
from bandsvm.dask._collections import check_rows_only, is_collection


def lazily(function: Callable, model: Any, X: Any, dtype: Any, n_columns: int | None) -> da.Array:
    """Return ``function(model, chunk)`` of all chunks of X, as an array.

    The function returns an array with a row for every row of a chunk, of ``n_columns`` columns, or
    a vector if that is None. The model is sent to the workers once.
    """
    # Delayed chunks would be fused once here and once more in what they become part of: two tasks
    # of one name, which a scheduler takes for the same.
    of_chunk = {"function": function, "model": dask.delayed(model, traverse=False)}
    columns = () if n_columns is None else (n_columns,)
    meta = np.empty((0, *columns), dtype=dtype)
    if isinstance(X, dd.DataFrame):
        return X.map_partitions(_on_chunk, **of_chunk, meta=meta)
    chunks = X.chunks[0], *((n,) for n in columns)
    dropped = None if columns else 1
    return X.map_blocks(
        _on_chunk, **of_chunk, dtype=dtype, chunks=chunks, drop_axis=dropped, meta=meta
    )


def _on_chunk(chunk: Any, *, function: Callable, model: Any) -> Any:
    return function(model, chunk)


def float_type(X: Any) -> np.dtype:
    """Return the type of decision values: float32 for samples in float32, else float64."""
    types = set(X.dtypes) if isinstance(X, dd.DataFrame) else {X.dtype}
    return np.dtype(np.float32 if types == {np.dtype(np.float32)} else np.float64)


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
