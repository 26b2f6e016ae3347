"""A fit, from parameters and data to the fitted state.

- `fit`: a fit of a BandedSVC from end to end.
- `training`: turns labels, weights and parameters into band problems, one for two classes, else one
  per class.
- `run`: solves and certifies one problem after the other, and calls observers.
- `fitted`: turns outcomes into fitted attributes, and attributes into starting points.
- `training_set`: a fitted model together with the data that it was fitted to.
- `limits`, `progress`: the observers for Ctrl-C and time limits, and for ``verbose``.
"""
