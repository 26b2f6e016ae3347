"""
Quantiles instead of one number
===============================

How much does body mass tell about the progress of diabetes? One predicted number hides how
uncertain it is. `BandedQuantileSVR` fits several quantiles over the same kernel rows: the band
between the outer ones holds about four fifths of new patients, and is wider where progress varies
more. The curves never cross, and each is certified.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

from bandsvm import BandedQuantileSVR

data, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
X = data[["bmi"]].to_numpy()
X_train, X_test, y_train, y_test = train_test_split(X, y.to_numpy(), test_size=0.4, random_state=0)
model = BandedQuantileSVR([0.1, 0.5, 0.9], C=300.0, gamma=0.005).fit(X_train, y_train)

grid = np.linspace(X.min(), X.max(), 200)[:, None]
low, middle, high = model.predict(grid).T
at_test = model.predict(X_test)
inside = ((at_test[:, 0] <= y_test) & (y_test <= at_test[:, 2])).mean()

figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
ax.fill_between(grid[:, 0], low, high, alpha=0.2, label="10 % to 90 %")
ax.plot(grid[:, 0], middle, label="median")
ax.plot(X_test[:, 0], y_test, ".", color="0.4", label="new patients")
ax.set(xlabel="body mass index", ylabel="progress of the disease after a year")
ax.set_title(f"{inside:.0%} of {len(y_test)} new patients lie in the band; 80 % were aimed at")
ax.legend(frameon=False, loc="upper left")
plt.show()
