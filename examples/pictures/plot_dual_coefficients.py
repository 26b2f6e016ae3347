"""
Coefficients of every sample
============================

Bars upwards are alpha, which pushes samples up to the band; bars downwards are theta, which pulls
them back into it.
"""

import matplotlib.pyplot as plt

from bandsvm import BandedSVC
from bandsvm.datasets import make_paper_clusters
from bandsvm.plotting import DualCoefficientsDisplay

X, y = make_paper_clusters(random_state=0)
figure, axes = plt.subplots(2, 1, figsize=(9, 6), layout="constrained", sharex=True)
for ax, C2, name in zip(axes, (0, 100), ("C-SVM", "B-SVM"), strict=True):
    model = BandedSVC(C1=10, C2=C2, rho1=1, rho2=1.5, gamma=1).fit(X, y)
    DualCoefficientsDisplay.from_estimator(model, ax=ax)
    ax.set_title(name)
plt.show()
