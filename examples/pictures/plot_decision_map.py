"""
Balanced scores
===============

The C-SVM gives the central cluster lower scores than the rest of its class; the B-SVM gives all
clusters comparable scores.
"""

import matplotlib.pyplot as plt

from bandsvm import BandedSVC
from bandsvm.datasets import make_paper_clusters
from bandsvm.metrics import cluster_balance
from bandsvm.plotting import DecisionMapDisplay

X, y, clusters = make_paper_clusters(random_state=0, return_clusters=True)
figure, axes = plt.subplots(1, 2, figsize=(13, 5), layout="constrained")
for ax, C2, name in zip(axes, (0, 100), ("C-SVM", "B-SVM"), strict=True):
    model = BandedSVC(C1=10, C2=C2, rho1=1, rho2=1.5, gamma=1).fit(X, y)
    DecisionMapDisplay.from_estimator(model, X, y, ax=ax)
    scores = model.decision_function(X)[y > 0]
    ratio = cluster_balance(scores, clusters[y > 0]).ratio
    ax.set_title(f"{name}: lowest over highest mean score in class +1: {ratio:.2f}")
plt.show()
