"""How scikit-learn arranges support vectors and coefficients: by class, a row per other class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm._compat import sparse_matrix
from bandsvm._decisions.multiclass import OneVsOne, strategy_of


@dataclass(frozen=True)
class Layout:
    """Support vectors sorted by class, and within a class by their index."""

    support: NDArray[np.int32]
    support_vectors: Any
    n_support: NDArray[np.int32]
    # (1, n_support), or (n_classes - 1, n_support): a coefficient for each other class, in order.
    dual_coef: NDArray[np.float64]

    @classmethod
    def of(cls, banded: Any) -> Layout:
        """Return the layout of a fitted banded model with a kernel."""
        coefficients = banded.dual_coef_
        if not hasattr(banded, "classes_"):
            order = np.arange(coefficients.shape[1])
            counts = np.array([len(order)], dtype=np.int32)
        else:
            class_of = _class_of(banded)
            order = np.argsort(class_of, kind="stable")
            counts = np.bincount(class_of, minlength=len(banded.classes_)).astype(np.int32)
            strategy = strategy_of(banded)
            if isinstance(strategy, OneVsOne):
                everything = np.arange(len(class_of))[:, None]
                coefficients = coefficients[strategy.problems_of[class_of], everything].T
        vectors = banded.support_vectors_
        if banded.kernel != "precomputed":
            vectors = vectors[order]
        if sp.issparse(vectors):
            vectors = aligned(vectors)
        return cls(banded.support_[order].astype(np.int32), vectors, counts, coefficients[:, order])


def _class_of(banded: Any) -> NDArray[np.intp]:
    """Return the class of every support vector: with ``C2=0`` signs of coefficients say it."""
    coefficients, strategy = banded.dual_coef_, strategy_of(banded)
    if not isinstance(strategy, OneVsOne):
        return (coefficients[0] > 0.0).astype(np.intp)
    # Every support vector has a coefficient in some pair, on the side of its class.
    pair = np.argmax(coefficients != 0.0, axis=0)
    is_second = coefficients[pair, np.arange(len(pair))] < 0.0
    return strategy.pairs[pair, is_second.astype(np.intp)]


def aligned(values: Any) -> Any:
    """Return values as CSR of the type that scikit-learn is set to return."""
    if not sp.issparse(values) and values.size == 0:
        values = np.empty((1, 0))
    return sparse_matrix(sp.csr_array(values))
