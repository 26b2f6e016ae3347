"""
Samples unlike any class
========================

A model that tells threes from fives is shown other digits. It names one of its two classes for
each of them, but with a smaller decision value: an rbf kernel has little to say about what lies far
from all that it has seen. A threshold that keeps nineteen of twenty known digits turns away
most strangers, though not those that resemble a three or a five.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from bandsvm import BandedSVC

X, y = load_digits(return_X_y=True)
known = np.flatnonzero(np.isin(y, [3, 5]))
train, test = known[::2], known[1::2]
strange = np.flatnonzero(~np.isin(y, [3, 5]))
model = BandedSVC(C1=10.0, C2=0.0).fit(X[train], y[train])
scores = {name: np.abs(model.decision_function(X[rows])) for name, rows in
          (("threes and fives, new", test), ("other digits", strange))}  # fmt: skip
threshold = np.quantile(scores["threes and fives, new"], 0.05)
turned_away = (scores["other digits"] < threshold).mean()

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
bins = np.linspace(0.0, 2.0, 40)
for name, values in scores.items():
    left.hist(values, bins=bins, density=True, alpha=0.6, label=name)
left.axvline(threshold, color="0.3", linestyle=":", label="95 % of the known lie above")
left.set(xlabel="|g(x)|", ylabel="density")
left.set_title(f"{turned_away:.0%} of the other digits are turned away")
left.legend(frameon=False)
others = [digit for digit in range(10) if digit not in (3, 5)]
shares = [(scores["other digits"][y[strange] == digit] < threshold).mean() for digit in others]
right.bar([str(digit) for digit in others], np.array(shares) * 100)
right.set(xlabel="digit", ylabel="turned away, per cent")
right.set_title("Ones, twos and sevens often pass")
plt.show()
