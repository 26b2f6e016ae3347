"""A fit, from parameters and data to the fitted state.

- `settings`: an estimator's parameters, frozen.
- `task`: the seam between estimators: what one does unlike another.
- `training`: a training set as band problems, whatever its targets are.
- `classification`: the task of classifiers; `labels`: how labels become band problems, one for two
  classes, else one per class or per pair of classes.
- `regression`: the tasks of regressors; `tubes`: how numbers and intervals become band problems;
  `spread`: the units in which solvers see them, `sources` and `weighted_numbers`: what is asked of
  targets for that, wherever they are.
- `one_class`: the task of the one-class SVM: samples alone become a band problem.
- `lifecycle`: what surrounds every fit, kernel or linear: observers, limits, rollback, and how it
  ends: KeyboardInterrupt after Ctrl-C, or warnings; `run`: a fit's problems and their observers.
- `limits`, `progress`, `callbacks`: observers for Ctrl-C and time limits, for ``verbose``, and for
  scikit-learn's callbacks.
- `fit`: a fit with a kernel from end to end, and its certificate; `rows`: kernel rows of its
  problems: who has which, and how many at the same time; `kernel_run`: problems are solved and
  certified; `small_problems`: the small ones, all together; `outcomes`: what problems end with.
- `fitted`: turns outcomes into a fitted state, and a fitted model with its training set into a
  starting point; `tables`: multipliers and slacks, put into tables when they are read.
"""
