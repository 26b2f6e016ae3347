"""
Quantiles where the noise grows
===============================

The spread of the targets grows with the feature. One `BandedQuantileSVR` predicts seven quantiles,
which do not cross; on the right, the same for new samples. Each area should hold as many of them as
its quantiles say.
"""

import matplotlib.pyplot as plt
import numpy as np

from bandsvm import BandedQuantileSVR
from bandsvm.plotting import QuantileFanDisplay


def samples(n_samples, seed):
    """Return samples and targets whose spread grows with the feature."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(0.0, 10.0, size=(n_samples, 1))
    spread = 0.1 + 0.12 * X[:, 0]
    return X, np.sin(X[:, 0]) + 0.3 * X[:, 0] + spread * rng.normal(size=n_samples)


X, y = samples(600, seed=0)
quantiles = [0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975]
model = BandedQuantileSVR(quantiles, C=10.0, gamma=0.1).fit(X, y)

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5), sharey=True, layout="constrained")
QuantileFanDisplay.from_estimator(model, X, y, ax=left)
left.set_title("Training samples")
QuantileFanDisplay.from_estimator(model, *samples(600, seed=1), ax=right)
right.set(title="New samples", ylabel="")
plt.show()
