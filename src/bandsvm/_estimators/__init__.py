"""The estimators: parameters, fitted attributes and methods that users call.

- `kernel_model`: what all estimators with a kernel have.
- `linear_model`: what all linear estimators have.
- `kernel`: `BandedSVC`; `linear`: `LinearBandedSVC`.
- `regression`: `BandedSVR`; `quantiles`: `BandedQuantileSVR`; `linear_regression`:
  `LinearBandedSVR`.
- `one_class`: `OneClassBandedSVM`.
- `banded`: models of `bandsvm.svm` as the banded estimators that they are.
- `calibration`: `calibrate`, probabilities for a fitted model.
- `selective`: `SelectiveClassifier`, which abstains when unsure; `selective_scores`: scores of
  held-out samples.
"""
