"""Checks of parameters and data before any work begins.

- `parameters`: parameters of estimators, and costs and edges per class.
- `tube_parameters`: parameters of regression: costs, tube and quantiles.
- `one_class_parameters`: parameters of the one-class SVM.
- `data`: samples, labels and weights.
- `numbers`: targets of regression, numbers or intervals.
- `device_arrays`: arrays on CUDA devices.
- `objects`: samples that are not numbers, for callable kernels.
- `svc_arguments`: parameters of scikit-learn's SVMs, and what to use instead.
"""
