"""
The penalty of a sample
=======================

Below the band the penalty is that of a C-SVM; inside it is zero; above it has its own slope, C2.
"""

import matplotlib.pyplot as plt

from bandsvm import BandedSVC
from bandsvm.plotting import PenaltyDisplay

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
PenaltyDisplay.from_estimator(BandedSVC(C1=1.0, C2=0.3), ax=left)
left.set_title("C2 < C1: milder above the band")
PenaltyDisplay.from_estimator(BandedSVC(C1=1.0, C2=0.0), ax=right)
right.set_title("C2 = 0: the C-SVM")
plt.show()
