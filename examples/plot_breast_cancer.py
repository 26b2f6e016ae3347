"""
Does the band help on real data?
================================

Decision values, accuracy and sensitivity with and without the band, on scikit-learn's breast cancer
data. docs/study.md compares tuned models on many data sets.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedSVC
from bandsvm.metrics import band_coverage
from bandsvm.plotting import DecisionValuesDisplay, SensitivityCurveDisplay

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
scaler = StandardScaler().fit(X_train)
X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)

figure, axes = plt.subplots(1, 3, figsize=(15, 4.5), layout="constrained")
for ax, C2, name in zip(axes, (0.0, 1.0), ("C-SVM", "B-SVM"), strict=False):
    model = BandedSVC(C1=1.0, C2=C2).fit(X_train, y_train)
    DecisionValuesDisplay.from_estimator(model, X_test, y_test, ax=ax)
    inside = band_coverage(y_test, model.decision_function(X_test)).inside
    accuracy = model.score(X_test, y_test)
    ax.set_title(f"{name}: accuracy {accuracy:.3f}, {100 * inside:.0f} % in the band")
    SensitivityCurveDisplay.from_estimator(model, X_test, y_test, name=name, ax=axes[2])
plt.show()
