"""Data files whose targets are numbers."""

import csv
import io

import numpy as np

from tests.helpers.regression import noisy_curve

X, Y = noisy_curve(120, n_features=2)
TOWNS = np.where(X[:, 0] > 0.3, "Bern", np.where(X[:, 0] < -0.3, "Rome", "Oslo"))
NAMES = ("a", "b", "town", "price")


def houses(price=lambda value: f"{value:.6g}", n_samples=120, names=NAMES):
    """Return a CSV file of two numbers, a town and a price, as the latter is written."""
    stream = io.StringIO()
    prices = map(price, 200.0 + 50.0 * Y)
    rows = zip(X[:, 0], X[:, 1], TOWNS, prices, strict=True)
    csv.writer(stream).writerows([names, *list(rows)[:n_samples]])
    return stream.getvalue().encode()


def numbers(n_samples=120, has_targets=True):
    """Return a CSV file of numbers alone."""
    stream = io.StringIO()
    values = np.column_stack([X, 200.0 + 50.0 * Y])[:n_samples, : 3 if has_targets else 2]
    csv.writer(stream).writerows([("a", "b", "price")[: values.shape[1]], *values.tolist()])
    return stream.getvalue().encode()
