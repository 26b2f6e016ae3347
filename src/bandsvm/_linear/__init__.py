"""Linear models of more samples than a kernel matrix can hold.

- `fit`: a fit on one machine from end to end; `samples`: all that solvers ask of samples, added up
  chunk by chunk; `units`: samples of extreme sizes.
- `tasks`: classification and regression, whose targets may lie in chunks.
- `solver_choice`: which solver suits the samples, ``"cd"`` first and ``"newton"`` where that is too
  slow, or all steps at once; `run`: problems are solved and certified, with observers; `solving`:
  the loop that drives all solvers.
- `executor`: the operations on the samples of a problem that solvers ask for, here on one machine;
  `point`: a model and its duality gap, and few samples without rounding errors.
- `few_samples`: all steps at once, over the weights or over the kernel matrix.
- `interior_point`: ``"newton"``, with `newton_system` (the equations of a step), `newton_sums` (who
  executes its operations on samples) and `chunk` (some samples, the edges of their bands, and their
  state).
- `coordinate_descent`: ``"cd"``.
"""
