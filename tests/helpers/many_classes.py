"""Samples of three to ten classes."""

import numpy as np
from sklearn.datasets import (
    load_digits,
    load_iris,
    load_wine,
    make_blobs,
    make_classification,
    make_gaussian_quantiles,
)
from sklearn.preprocessing import scale


def bundled(load, step=1):
    X, y = load(return_X_y=True)
    return scale(X)[::step], y[::step]


def generated(n_classes, seed, **options):
    settings = {"n_samples": 300, "n_features": 8, "n_informative": 6, "flip_y": 0.1} | options
    return make_classification(n_classes=n_classes, random_state=seed, **settings)


SETS = {
    "iris": lambda: bundled(load_iris),
    "wine": lambda: bundled(load_wine),
    "digits": lambda: bundled(load_digits, 3),
    "three overlapping classes": lambda: generated(3, 0),
    "four classes": lambda: generated(4, 1),
    "seven classes": lambda: generated(7, 2),
    "ten classes, few samples": lambda: generated(10, 3, n_samples=120, n_features=10),
    "unbalanced": lambda: generated(4, 4, weights=[0.6, 0.3, 0.05, 0.05]),
    "blobs": lambda: make_blobs(200, centers=6, cluster_std=3.0, random_state=5),
    "shells": lambda: make_gaussian_quantiles(n_samples=240, n_classes=5, random_state=6),
    "beyond exact solutions": lambda: generated(3, 7, n_samples=3600),
}
IRIS = bundled(load_iris)
FOUR = generated(4, 8, n_samples=160)
NAMES = np.array(["ant", "bee", "cat", "dog"])
