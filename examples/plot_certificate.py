"""
A certificate catches a model that is far from optimal
======================================================

Features in raw units, a linear kernel and a large `C`: `SVC` does not end in reasonable time, so
its iterations are limited. What comes out is a model like any other. Is it any good? The dual
value of our certificate is a lower bound on the objective of every solver, so it can tell: after a
hundred thousand iterations the objective is far above the optimum, and more iterations do not even
make it better steadily. `BandedSVC` ends at the optimum of the same problem, and says so.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.svm import SVC

from bandsvm import BandedSVC

X, y = load_breast_cancer(return_X_y=True)
signs, C = np.where(y, 1.0, -1.0), 100.0
ours = BandedSVC(C1=C, C2=0.0, kernel="linear").fit(X, y)
limits = np.geomspace(1000, 200_000, 16).astype(int)
objectives, accuracies = [], []
for limit in limits:
    with warnings.catch_warnings(action="ignore"):  # that the limit was reached
        theirs = SVC(C=C, kernel="linear", max_iter=limit).fit(X, y)
    losses = (1.0 - signs * theirs.decision_function(X)).clip(0.0)
    objectives.append(0.5 * (theirs.coef_**2).sum() + C * losses.sum())
    accuracies.append(theirs.score(X, y))

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
left.loglog(limits, objectives, "s-", color="tab:orange", label="SVC, stopped there")
bound = ours.certificate_.dual
left.axhline(bound, color="tab:blue", label="lower bound, reached by BandedSVC")
left.set(xlabel="limit on iterations", ylabel="objective")
left.set_title(f"{min(objectives) / bound:.0f} to {max(objectives) / bound:.0f} times the optimum")
left.set_ylim(top=5 * max(objectives))
left.legend(frameon=False, loc="upper right")
right.semilogx(limits, accuracies, "s-", color="tab:orange", label="SVC, stopped there")
right.axhline(ours.score(X, y), color="tab:blue", label="BandedSVC")
right.set(xlabel="limit on iterations", ylabel="accuracy on the training samples")
right.set_title("Accuracy alone would often look fine")
right.legend(frameon=False)
plt.show()
