"""A fit, from parameters and data to the fitted state.

- `fit`: a fit of a BandedSVC from end to end.
- `training`: labels, weights and parameters become band problems, one for two classes, else one per
  class.
- `run`: one problem after the other, solved and certified, watched by observers.
- `fitted`: outcomes become fitted attributes; attributes become starting points.
- `training_set`: a fitted model together with the data that it was fitted to.
- `limits`, `progress`: the observers for Ctrl-C and time limits, and for ``verbose``.
"""
