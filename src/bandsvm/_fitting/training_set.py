"""A fitted model together with its training set, which the model itself does not store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bandsvm._checks import data
from bandsvm._fitting.fitted import last_fit
from bandsvm._fitting.settings import FitSettings
from bandsvm._fitting.training import Training, training_problems


@dataclass(frozen=True)
class TrainingSet:
    """A model with its training samples, their band problems and coefficients.

    Parameters
    ----------
    model : BandedSVC
        The fitted model.
    settings : FitSettings
        Its parameters, gamma included.
    X : ndarray or CSR of shape (n_samples, n_features)
        All training samples, or their kernel matrix.
    y : ndarray of shape (n_samples,)
        Their labels.
    training : Training
        Classes, signs and band problems.
    coefficients : ndarray of shape (n_problems, n_samples)
        The model's coefficients c.
    """

    model: Any
    settings: FitSettings
    X: Any
    y: NDArray
    training: Training
    coefficients: NDArray[np.float64]

    @property
    def kept_coefficients(self) -> NDArray[np.float64]:
        """Coefficients of the samples of positive weight."""
        return self.coefficients[:, self.training.kept]


def training_set(
    model: Any, X: Any, y: Any, sample_weight: Any, caller: str, *, share_samples: bool = False
) -> TrainingSet:
    """Return a fitted model's training set, checked as far as the model allows.

    With ``share_samples`` all problems have all samples of positive weight; see `band_problems`.
    """
    check_is_fitted(model, "alpha_", msg="%(name)s is not fitted yet: no training set is known.")
    X, y = data.check_samples(model, X, y, reset=False)
    weights = data.check_weights(sample_weight, X.shape[0])
    settings = FitSettings.of(model, model.gamma_)
    training = training_problems(
        settings.band, settings.multi_class, y, weights, share_samples=share_samples
    )
    n_samples = len(model.alpha_)
    if X.shape[0] != n_samples or not np.array_equal(training.classes, model.classes_):
        raise ValueError(
            f"{caller} needs the training set: {n_samples} samples and the classes "
            f"{model.classes_.tolist()}, got {X.shape[0]} samples and the classes "
            f"{training.classes.tolist()}."
        )
    return TrainingSet(
        model,
        settings,
        X,
        y,
        training,
        last_fit(model).coefficients,
    )
