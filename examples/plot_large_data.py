"""
Many rows: how many are enough?
===============================

`LinearBandedSVC` takes time in proportion to the rows, and its certificate says that each fit is
the optimum. That makes a learning curve cheap: here up to 200 000 rows of 20 features, a fifth of
them with wrong labels. When the curve is flat, more rows bring nothing, however fast the solver.
"""

from time import perf_counter

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification

from bandsvm import LinearBandedSVC

X, y = make_classification(220_000, 20, n_informative=10, flip_y=0.2, random_state=0)
X_test, y_test = X[200_000:], y[200_000:]
sizes, accuracies, seconds = [100, 300, 1000, 3000, 10_000, 50_000, 200_000], [], []
for n in sizes:
    start = perf_counter()
    model = LinearBandedSVC(C1=0.1, C2=0.0, tol=1e-4).fit(X[:n], y[:n])
    seconds.append(perf_counter() - start)
    accuracies.append(model.score(X_test, y_test))
    assert model.certificate_.is_optimal

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
left.semilogx(sizes, accuracies, "o-")
left.set(xlabel="rows to train on", ylabel="accuracy on 20 000 new rows")
left.set_title(f"{accuracies[-3]:.3f} with {sizes[-3]} rows, {accuracies[-1]:.3f} with {sizes[-1]}")
right.loglog(sizes, seconds, "o-", color="tab:green")
right.set(xlabel="rows to train on", ylabel="seconds of a fit")
right.set_title("Every point is certified to be optimal")
plt.show()
