"""Parameters and data are checked before any work begins.

- `parameters`: parameters of estimators, and the numbers of the band by class.
- `data`: samples, labels and weights.
- `objects`: samples that are not numbers, for callable kernels.
- `svc_arguments`: parameters of scikit-learn's SVC, and what to use instead.
"""
