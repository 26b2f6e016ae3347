"""What classes and decision values mean.

- `multiclass`: which band problems classes make, one-vs-rest or one-vs-one, and how the decision
  values of these problems become votes and predictions.
- `values`: how decision values are computed, and where a sample lies in its band.
- `probabilities`: sigmoids of decision values.
"""
