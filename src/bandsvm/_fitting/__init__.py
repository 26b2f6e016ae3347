"""A fit, from parameters and data to the fitted state.

- `model`: fits a BandedSVC and sets its attributes.
- `fit`: a fit from end to end: checks the input, builds problems and rows, solves.
- `training`: turns labels, weights and parameters into band problems, one for two classes, else one
  per class or per pair of classes.
- `rows`: kernel rows of the problems: who has which, and how many at the same time.
- `run`: solves and certifies the problems, and calls observers.
- `settings`: an estimator's parameters, frozen.
- `fitted`: turns outcomes into a fitted state, and a fitted model into a starting point.
- `training_set`: a fitted model together with the data that it was fitted to.
- `ending`: KeyboardInterrupt after Ctrl-C, or warnings if a model is not optimal.
- `limits`, `progress`, `callbacks`: observers for Ctrl-C and time limits, for ``verbose``, and for
  scikit-learn's callbacks.
"""
