"""
Abstaining
==========

How much accuracy does a model gain by abstaining when unsure? The curves show the error among the
samples of highest score, on scikit-learn's breast cancer data; the dots mark the threshold chosen
on held-out folds for a given error.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from bandsvm import BandedSVC, SelectiveClassifier
from bandsvm.plotting import RiskCoverageDisplay

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)

ax = None
for name, estimator in {"C-SVM": SVC(), "B-SVM": BandedSVC()}.items():
    model = SelectiveClassifier(make_pipeline(StandardScaler(), estimator), max_error=0.015)
    model.fit(X_train, y_train)
    display = RiskCoverageDisplay.from_estimator(model, X_test, y_test, name=name, ax=ax)
    ax, colour = display.ax_, display.line_.get_color()
    accepted = model.accepts(X_test)
    error = (model.predict(X_test) != y_test)[accepted].mean()
    ax.plot(accepted.mean(), error, "o", color=colour, label=f"{name} at max_error=0.015")
ax.legend(frameon=False)
plt.show()
