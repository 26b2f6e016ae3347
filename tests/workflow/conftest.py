"""Two tables with models: iris of three classes and a linear kernel, breast cancer of two."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from bandsvm._workflow.source import Choices
from tests.helpers.iris_files import FILES
from tests.helpers.workflow_tables import fitted, holdout_of, text_table


@pytest.fixture(scope="session")
def iris():
    holdout = holdout_of("iris.csv", FILES["iris.csv"](), Choices(target=4))
    return fitted(holdout, kernel="linear")


@pytest.fixture(scope="session")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    names = [f"f{k}" for k in range(5)]
    content = text_table([*names, "target"], np.column_stack([X[:, :5], y]).tolist())
    return fitted(holdout_of("cancer.csv", content))
