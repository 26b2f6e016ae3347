"""The estimators: parameters, fitted attributes and methods that users call.

- `kernel`: `BandedSVC`; `linear`: `LinearBandedSVC`.
- `calibration`: `calibrate`, probabilities for a fitted model.
- `selective`: `SelectiveClassifier`, which abstains when unsure; `selective_scores`: scores of
  held-out samples.
"""
