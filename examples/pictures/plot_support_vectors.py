"""
Two kinds of support vectors
============================

alpha-SVs lie near the class boundary; theta-SVs, in the interior of a class, bound its scores from
above.
"""

import matplotlib.pyplot as plt

from bandsvm import BandedSVC
from bandsvm.datasets import make_paper_clusters
from bandsvm.plotting import SupportVectorsDisplay

X, y = make_paper_clusters(random_state=0)
figure, axes = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
for ax, C2, name in zip(axes, (0, 100), ("C-SVM", "B-SVM"), strict=True):
    model = BandedSVC(C1=10, C2=C2, rho1=1, rho2=1.5, gamma=1).fit(X, y)
    SupportVectorsDisplay.from_estimator(model, X, y, ax=ax)
    ax.set_title(name)
plt.show()
