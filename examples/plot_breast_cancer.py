"""
Does the band help on real data?
================================

Decision values of held-out samples with and without the band, on scikit-learn's breast cancer data.
The band acts: it draws most decision values between its edges, so that more samples reach half of
the largest value (right). That does not make the model more accurate here: the numbers of errors,
above the pictures, hardly differ, and more samples lie below the band than without it.

Parameters are the defaults but for rho2 = 1.5: with the default, rho2 = 3, no training sample lies
above the band, and both models are the same. It was chosen for the picture, not for its errors;
the :doc:`study </study>` compares tuned models on many data sets.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedSVC
from bandsvm.metrics import band_coverage
from bandsvm.plotting import DecisionValuesDisplay, SensitivityCurveDisplay

RHO2 = 1.5
X, y = load_breast_cancer(return_X_y=True)
folds = StratifiedKFold(5, shuffle=True, random_state=0)

figure, axes = plt.subplots(1, 3, figsize=(15, 4.8), layout="constrained")
figure.get_layout_engine().set(w_pad=0.1)
errors = []
for ax, C2, name in zip(axes, (0.0, 1.0), ("C-SVM", "B-SVM"), strict=False):
    model = make_pipeline(StandardScaler(), BandedSVC(C2=C2, rho2=RHO2))
    values = cross_val_predict(model, X, y, cv=folds, method="decision_function")
    errors.append(f"{name} {((values > 0) != y).sum()}")
    DecisionValuesDisplay.from_predictions(y, values, rho2=RHO2, ax=ax)
    shares = band_coverage(y, values, rho2=RHO2)
    ax.set_title(
        f"{name}: {shares.below:.0%} below, {shares.inside:.0%} inside, {shares.above:.0%} above"
    )
    SensitivityCurveDisplay.from_predictions(y, values, name=name, ax=axes[2])
reach = max(abs(limit) for ax in axes[:2] for limit in ax.get_ylim())
for ax in axes[:2]:
    ax.set_ylim(-reach, reach)
axes[2].set_title("Sensitivity")
figure.suptitle(f"Errors among {len(y)} held-out samples: {', '.join(errors)}")
plt.show()
