"""Checks of parameters and data before any work begins.

- `parameters`: parameters of estimators, and costs and edges per class.
- `data`: samples, labels and weights.
- `objects`: samples that are not numbers, for callable kernels.
- `svc_arguments`: parameters of scikit-learn's SVC, and what to use instead.
"""
