"""
Switching a search from SVC
===========================

One import changes. The pipeline, the grid over `svc__C` and the search stay as they are: on wine
data, the scores of all candidates and the chosen one are the same, and so are the decision values
of the best model, up to the tolerance of both (right). What comes on top is the certificate, which
the picture prints.
"""

import matplotlib.pyplot as plt
import numpy as np
import sklearn.svm
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bandsvm.svm

X, y = load_wine(return_X_y=True)
grid = {"svc__C": np.geomspace(0.001, 10.0, 9)}


def search(SVC):
    """Return a search as it was written for scikit-learn."""
    model = make_pipeline(StandardScaler(), SVC(decision_function_shape="ovo"))
    return GridSearchCV(model, grid, cv=5).fit(X, y)


before, after = search(sklearn.svm.SVC), search(bandsvm.svm.SVC)

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
for name, found, style in (("sklearn.svm", before, "s-"), ("bandsvm.svm", after, "o--")):
    label = f"{name}, best svc__C={found.best_params_['svc__C']:.2g}"
    left.semilogx(grid["svc__C"], found.cv_results_["mean_test_score"], style, label=label)
left.set(xlabel="svc__C", ylabel="accuracy in five folds")
left.legend(frameon=False)
old, new = (found.decision_function(X) for found in (before, after))
for k, pair in enumerate(("0 or 1", "0 or 2", "1 or 2")):
    right.plot(old[:, k], new[:, k], ".", label=f"class {pair}")
right.set(xlabel="decision values of sklearn.svm", ylabel="decision values of bandsvm.svm")
right.set_title(f"They differ by at most {np.abs(old - new).max():.0e}")
right.legend(frameon=False)
certificate = str(after.best_estimator_[-1].certificate_)
figure.supxlabel(certificate, family="monospace", fontsize=8, x=0.02, ha="left")
plt.show()
