"""
Regression with a tube
======================

Predictions within epsilon of their target cost nothing. Only samples on the edge of the tube or
outside it are support vectors: alpha-SVs pull the curve up, theta-SVs pull it down. With C1 four
times C2, predictions that are too low cost four times as much, and the curve rises until about a
fifth of what is outside lies above it.
"""

import matplotlib.pyplot as plt
import numpy as np

from bandsvm import BandedSVR
from bandsvm.plotting import ResidualsDisplay, TubeDisplay

rng = np.random.default_rng(0)
X = np.sort(rng.uniform(0.0, 10.0, size=(120, 1)), axis=0)
y = np.sin(X[:, 0]) + 0.3 * X[:, 0] + 0.35 * rng.normal(size=len(X))

figure, axes = plt.subplots(2, 2, figsize=(11, 9), layout="constrained")
titles = {1.0: "C1 = C2: ordinary regression", 4.0: "C1 = 4 C2: low predictions cost more"}
for (top, bottom), (C1, title) in zip(axes.T, titles.items(), strict=True):
    model = BandedSVR(C1=C1, C2=1.0, epsilon=0.3, gamma=0.5).fit(X, y)
    TubeDisplay.from_estimator(model, X, y, ax=top)
    top.set_title(title)
    ResidualsDisplay.from_estimator(model, X, y, ax=bottom)
plt.show()
