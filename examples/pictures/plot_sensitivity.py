"""
Sensitivity at every threshold
==============================

How many samples are still classified correctly as the threshold rises?
"""

import matplotlib.pyplot as plt
from sklearn.svm import SVC

from bandsvm import BandedSVC
from bandsvm.datasets import make_paper_clusters
from bandsvm.plotting import SensitivityCurveDisplay

X, y = make_paper_clusters(random_state=0)
X_test, y_test = make_paper_clusters(random_state=1)
models = {"C-SVM": SVC(C=10, gamma=1), "B-SVM": BandedSVC(C1=10, C2=100, gamma=1)}
ax = None
for name, model in models.items():
    model.fit(X, y)
    ax = SensitivityCurveDisplay.from_estimator(model, X_test, y_test, name=name, ax=ax).ax_
plt.show()
