"""
The same model without Python
=============================

`to_onnx` writes a pipeline, scaling included, as a graph that runs in C, Java, JavaScript or on a
phone. Its numbers are single precision. The picture shows what that costs on iris: the decision
values differ in the sixth digit at most, and every prediction is the same.
"""

import matplotlib.pyplot as plt
import numpy as np
import onnxruntime
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedSVC, to_onnx

X, y = load_iris(return_X_y=True)
model = make_pipeline(StandardScaler(), BandedSVC(C1=10, C2=0)).fit(X, y)
graph = to_onnx(model, X[:1].astype(np.float32))
session = onnxruntime.InferenceSession(graph.SerializeToString())
names = [output.name for output in session.get_outputs()]
found = session.run(names, {session.get_inputs()[0].name: X.astype(np.float32)})
labels, values = found[0].ravel(), np.asarray(found[1])
expected = model.decision_function(X)

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
for k in range(3):
    left.plot(expected[:, k], values[:, k], ".", label=f"class {k}")
left.set(xlabel="decision values in Python", ylabel=f"output {names[1]!r} of the graph")
size = len(graph.SerializeToString()) / 1000
same = (labels == model.predict(X)).sum()
left.set_title(f"A graph of {size:.0f} kB names {same} of {len(y)} classes as the model does")
left.legend(frameon=False)
differences = np.abs(values - expected).ravel()
right.hist(np.log10(differences.clip(1e-9)), bins=25)
right.set(xlabel="difference, power of ten", ylabel="decision values")
right.set_title(f"Decision values differ by at most {differences.max():.0e}")
plt.show()
