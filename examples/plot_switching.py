"""
Switching from SVC
==================

Two lines change: the import, and `C` becomes `C1` with `C2=0`. The decision values stay: on wine
data, for all pairs of three classes, every point lies on the diagonal. What comes on top is the
certificate, printed in the picture.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from bandsvm import BandedSVC

X, y = load_wine(return_X_y=True)
before = make_pipeline(StandardScaler(), SVC(C=10, decision_function_shape="ovo"))
after = make_pipeline(StandardScaler(), BandedSVC(C1=10, C2=0, decision_function_shape="ovo"))
old, new = (model.fit(X, y).decision_function(X) for model in (before, after))

figure, ax = plt.subplots(figsize=(11, 4.5), layout="constrained")
for k, pair in enumerate(("0 or 1", "0 or 2", "1 or 2")):
    ax.plot(old[:, k], new[:, k], ".", label=f"class {pair}")
reach = np.abs(old).max()
ax.plot([-reach, reach], [-reach, reach], color="0.6", linewidth=1, zorder=0)
ax.set(xlabel="decision values of SVC", ylabel="decision values of BandedSVC")
same = (before.predict(X) == after.predict(X)).sum()
figure.suptitle(
    f"{same} of {len(y)} predictions are the same; "
    f"decision values differ by at most {np.abs(old - new).max():.0e}"
)
ax.legend(frameon=False)
text = "print(model[-1].certificate_)\n\n" + str(after[-1].certificate_)
ax.text(1.03, 0.95, text, transform=ax.transAxes, family="monospace", fontsize=7, va="top")
plt.show()
