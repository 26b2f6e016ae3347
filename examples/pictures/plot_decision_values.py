"""
Scores drawn into a band
========================

The C-SVM does not limit decision values. With an upper edge that costs ten times as much as the
lower one, the B-SVM draws those of both classes into the band; a few training samples remain
outside, and of new samples a few more.
"""

import matplotlib.pyplot as plt

from bandsvm import BandedSVC
from bandsvm.datasets import make_paper_clusters
from bandsvm.plotting import DecisionValuesDisplay

X, y = make_paper_clusters(random_state=0)
figure, axes = plt.subplots(1, 2, figsize=(12, 4.5), layout="constrained", sharey=True)
for ax, C2, name in zip(axes, (0, 100), ("C-SVM", "B-SVM"), strict=True):
    model = BandedSVC(C1=10, C2=C2, rho1=1, rho2=1.5, gamma=1).fit(X, y)
    DecisionValuesDisplay.from_estimator(model, X, y, ax=ax)
    ax.set_title(name)
plt.show()
