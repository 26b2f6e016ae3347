"""A fit, from parameters and data to the fitted state.

- `model`: a BandedSVC is fitted and gets its attributes.
- `fit`: a fit from end to end: check, make problems and rows, solve.
- `training`: labels, weights and parameters become band problems, one for two classes, else one per
  class.
- `run`: one problem after the other, solved and certified, watched by observers.
- `settings`: an estimator's parameters, frozen.
- `fitted`: outcomes become a fitted state; a fitted model becomes a starting point.
- `training_set`: a fitted model together with the data that it was fitted to.
- `limits`, `progress`, `callbacks`: observers for Ctrl-C and time limits, for ``verbose``, and for
  scikit-learn's callbacks.
"""
