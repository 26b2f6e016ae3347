"""
From the C-SVM to the Banded SVM
================================

As C2 grows from 0, samples in the interior of the classes become support vectors at the upper
edge.
"""

import matplotlib.pyplot as plt

from bandsvm import BandedSVC
from bandsvm.datasets import make_paper_clusters
from bandsvm.plotting import BandPathDisplay

X, y = make_paper_clusters(30, random_state=0)
BandPathDisplay.from_estimator(BandedSVC(gamma=1.0), X, y, vary="C2")
plt.show()
