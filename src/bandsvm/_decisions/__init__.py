"""What classes and decision values mean.

- `multiclass`: which band problems classes make, one-vs-rest or one-vs-one, and how the decision
  values of these problems become votes and predictions.
- `position`: where a sample lies in its band.
- `values`: how decision values are computed, and what they say of samples.
- `tubes`: predictions of regressions: where they lie in tubes, quantiles without crossing.
- `probabilities`: sigmoids of decision values.
"""
