"""
Abstaining
==========

How much accuracy does a model gain by abstaining when unsure? The curves show the error among the
samples of highest score, on scikit-learn's breast cancer data; the dots mark the threshold chosen
on held-out folds for a given error.

Abstaining helps both models: there are far fewer errors among the samples that they accept. The
band does not help here: the area under its curve, the mean risk, is larger. Few errors make up that
difference, as each step of a curve is one. Parameters are the defaults but for rho2 = 1.5: with the
default, rho2 = 3, no training sample lies above the band, and both models are the same.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedSVC, SelectiveClassifier
from bandsvm.plotting import RiskCoverageDisplay

MAX_ERROR = 0.015
X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)

figure, ax = plt.subplots(figsize=(7.5, 5), layout="constrained")
for C2, name, marker in ((0.0, "C-SVM", "o"), (1.0, "B-SVM", "s")):
    banded = make_pipeline(StandardScaler(), BandedSVC(C2=C2, rho2=1.5))
    model = SelectiveClassifier(banded, max_error=MAX_ERROR).fit(X_train, y_train)
    display = RiskCoverageDisplay.from_estimator(model, X_test, y_test, name=name, ax=ax)
    accepted, is_wrong = model.accepts(X_test), model.predict(X_test) != y_test
    ax.plot(
        accepted.mean(),
        is_wrong[accepted].mean(),
        marker,
        color=display.line_.get_color(),
        linestyle="none",
        label=f"{name} at max_error: {is_wrong[accepted].sum()} of {accepted.sum()} accepted are "
        f"wrong, {is_wrong.sum()} of all {len(y_test)}",
    )
ax.axhline(MAX_ERROR, color="0.6", linestyle=":", linewidth=1, label=f"max_error={MAX_ERROR}")
ax.set_title("Errors on breast cancer data, by coverage")
ax.legend(frameon=False, loc="upper left", fontsize="small")
plt.show()
