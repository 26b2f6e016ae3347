"""Iris as data files of every kind."""

import bz2
import csv
import gzip
import io

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file, load_iris

X, Y = load_iris(return_X_y=True)


SPECIES = np.array(["setosa", "versicolor", "virginica"])


NAMES = ["sepal length", "sepal width", "petal length", "petal width"]


def svmlight(X, y):
    stream = io.BytesIO()
    dump_svmlight_file(X, y, stream, zero_based=False)
    return stream.getvalue()


def comma_separated(X, y, header=True, delimiter=","):
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter)
    if header:
        writer.writerow([*NAMES, "species"])
    writer.writerows([*row, label] for row, label in zip(X.tolist(), y, strict=True))
    return stream.getvalue().encode()


def npz(**arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def parquet(X, y):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    columns = dict(zip(NAMES, X.T, strict=True)) | {"species": y}
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue().to_pybytes()


FILES = {
    "iris.svm": lambda: svmlight(X, Y),
    "iris.svm.gz": lambda: gzip.compress(svmlight(X, Y)),
    "iris.svm.bz2": lambda: bz2.compress(svmlight(X, Y)),
    "iris": lambda: svmlight(X, Y),
    "iris.csv": lambda: comma_separated(X, SPECIES[Y]),
    "plain.csv": lambda: comma_separated(X, SPECIES[Y], header=False),
    "semicolons.csv": lambda: comma_separated(X, SPECIES[Y], delimiter=";"),
    "tabs.tsv": lambda: comma_separated(X, SPECIES[Y], delimiter="\t"),
    "iris.csv.gz": lambda: gzip.compress(comma_separated(X, Y)),
    "iris.npz": lambda: npz(X=X, y=Y),
    "single.npz": lambda: npz(X=X.astype(np.float32), y=SPECIES[Y]),
    "iris.parquet": lambda: parquet(X, SPECIES[Y]),
}
