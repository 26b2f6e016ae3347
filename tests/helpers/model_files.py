"""What tests of model files share."""

import csv

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator

import bandsvm
from bandsvm.persistence import ModelFileError

# Private attributes that are of no use to predictions.
NOT_STORED = ("_stop_words_id", "_metadata_request")


def saved_and_loaded(model, folder):
    """Return a model that went through a file."""
    bandsvm.save(model, folder / "model.bsvm")
    return bandsvm.load(folder / "model.bsvm")


def refused(content, folder, words):
    """Load a file and expect a sentence about it."""
    path = folder / "model.bsvm"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=words) as caught:
        bandsvm.load(path)
    assert str(path) in str(caught.value)


def set_parameter(name, value):
    """Return a change of an estimator in a file: one of its parameters."""
    return lambda step, arrays: step["parameters"].__setitem__(name, value)


def set_attribute(name, value):
    """Return a change of an estimator in a file: one of its attributes."""
    return lambda step, arrays: step["attributes"].__setitem__(name, value)


def labels_beside(file):
    """Return the label of each number, from the file beside a model of LIBSVM or LIBLINEAR."""
    with open(f"{file}.labels", newline="") as stream:
        return {int(row["number"]): row["label"] for row in csv.DictReader(stream)}


def assert_equal_values(a, b):
    """Equal in kind and in every bit; estimators in all that they hold."""
    if isinstance(a, np.generic):
        a = a.item()
    assert type(a) is type(b)
    if isinstance(a, BaseEstimator):
        kept, others = ({k: v for k, v in vars(m).items() if k not in NOT_STORED} for m in (a, b))
        assert_equal_values(kept, others)
    elif sp.issparse(a):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a.toarray(), b.toarray())
    elif isinstance(a, np.ndarray):
        assert a.dtype == b.dtype
        if a.dtype == object:
            assert_equal_values(a.tolist(), b.tolist())
        else:
            np.testing.assert_array_equal(a, b)
    elif isinstance(a, dict):
        assert list(a) == list(b)
        for key in a:
            assert_equal_values(a[key], b[key])
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for item, other in zip(a, b, strict=True):
            assert_equal_values(item, other)
    else:
        assert a == b or (a != a and b != b)
