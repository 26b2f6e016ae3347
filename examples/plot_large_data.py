"""
Many rows: how many are enough?
===============================

Two photographs hold half a million patches of 3 x 3 pixels. From which of the two is a patch?
`LinearBandedSVC` takes time in proportion to the rows, and its certificate says that each fit is
the optimum. So a learning curve up to 200 000 rows is cheap, and it tells whether more rows are
worth their time: a linear rule has learned all it can from some hundred patches. Features of an
approximate rbf kernel are worth far more than rows, and with them more rows help, too.

Training and test patches are drawn at random from the same photographs.
"""

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from sklearn.datasets import load_sample_images
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bandsvm import LinearBandedSVC

rows, labels = [], []
for label, image in enumerate(load_sample_images().images):
    patches = sliding_window_view(image, (3, 3), axis=(0, 1)).reshape(-1, 27)
    rows.append(patches.astype(np.float32))
    labels.append(np.full(len(patches), label))
X, y = np.vstack(rows), np.concatenate(labels)
order = np.random.default_rng(0).permutation(len(y))
test, train = order[:20_000], order[20_000:]

models = {
    "linear": lambda: make_pipeline(StandardScaler(), LinearBandedSVC(C2=0.0, tol=1e-4)),
    "80 Nystroem features": lambda: make_pipeline(
        StandardScaler(),
        Nystroem(gamma=0.05, n_components=80, random_state=0),
        LinearBandedSVC(C2=0.0, tol=1e-4),
    ),
}
sizes = {
    "linear": [100, 300, 1000, 3000, 10_000, 50_000, 200_000],
    "80 Nystroem features": [100, 300, 1000, 3000, 10_000, 30_000],
}
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
for name, make in models.items():
    accuracies, seconds = [], []
    for n in sizes[name]:
        start = perf_counter()
        model = make().fit(X[train[:n]], y[train[:n]])
        seconds.append(perf_counter() - start)
        accuracies.append(model.score(X[test], y[test]))
        assert model[-1].certificate_.is_optimal
    left.semilogx(sizes[name], accuracies, "o-", label=name)
    right.loglog(sizes[name], seconds, "o-", label=name)
left.set(xlabel="patches to train on", ylabel=f"accuracy on {len(test)} others")
left.set_title("Which photograph is a patch from?")
right.set(xlabel="patches to train on", ylabel="seconds of a fit")
right.set_title("Every point is certified to be optimal")
left.legend(frameon=False)
plt.show()
