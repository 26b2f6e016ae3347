"""
From the C-SVM to the Banded SVM
================================

At C2 = 0 nothing is charged above the band: the model is the C-SVM. As soon as C2 is positive, all
samples above the band are support vectors at the upper edge, with coefficients up to C2. As C2
grows, it draws more and more of them into the band: there are fewer at the upper edge, and more at
the lower one.

The band is narrow, rho2 = 1.5, and C1 is large, so that many samples lie above the band at first.
"""

import matplotlib.pyplot as plt
import numpy as np

from bandsvm import BandedSVC
from bandsvm.datasets import make_paper_clusters
from bandsvm.model_selection import band_path
from bandsvm.plotting import BandPathDisplay

X, y = make_paper_clusters(30, random_state=0)
model = BandedSVC(C1=10.0, rho2=1.5, gamma=1.0)
path = band_path(X, y, vary="C2", values=[0.0, *np.geomspace(0.01, 10.0, 25)], model=model)

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
BandPathDisplay.from_path(path, ax=left)
left.set_title("Coefficients that change most")
handles, labels = left.get_legend_handles_labels()
for numbers, handle, label in zip((path.n_alpha, path.n_theta), handles, labels, strict=True):
    right.plot(path.values[1:], numbers[1:], color=handle.get_color(), label=label)
    # Apart from the line: any C2 above 0 makes all samples above the band support vectors.
    right.plot(path.values[0], numbers[0], "o", color=handle.get_color())
right.set_xscale("symlog", linthresh=0.01)
right.set(xlabel="C2", ylabel=f"support vectors among {len(y)} samples", ylim=(-3, None))
right.set_title(
    f"Upper edge: {path.n_theta[0]} at C2 = 0, {path.n_theta[1]} at {path.values[1]:g}, "
    f"{path.n_theta[-1]} at {path.values[-1]:g}"
)
right.legend(frameon=False, loc="lower center")
plt.show()
