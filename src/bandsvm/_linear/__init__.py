"""Linear models of more samples than a kernel matrix can hold.

- `fit`: a fit from end to end; `choice`: which solver suits the samples; `showing`: what
  ``verbose`` shows.
- `solving`: the loop that drives both solvers; `point`: a model and its duality gap; `exact`: few
  samples without rounding errors.
- `interior_point`: ``"newton"``, with `newton_system` (its equations), `edges` (its unknowns),
  `chunk` (some samples and what it knows of them), `team` (who works on chunks) and `largest`
  (what is not added up).
- `coordinate_descent`: ``"cd"``; `trial`: ``"cd"`` first, ``"newton"`` where it is too slow.
- `samples`: all that a solver asks of samples, added up chunk by chunk; `units`: samples of extreme
  sizes.
"""
