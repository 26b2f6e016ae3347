"""Working with models: what the command line and the page share, from a table to a report.

- `source`: a data file of the page, within a size that it can handle, as a table.
- `pipeline`: steps that suit a table, then an estimator: made, fitted in memory or in blocks,
  described, written.
- `training`: fits on this machine or on a cluster, and what came of them; `checkpoint`: the file
  beside a model that is not finished; `work`: long work that reports its progress and its
  warnings, and can be stopped.
- `evaluation`: predictions, and how they compare with labels; `numbers`: the same for regressors.
- `holdout`: a table of which some samples are held out, a model of the rest, and what it says of
  each part.
- `folds`: each prepares samples by its training part, and predicts the others; `search`:
  candidates, their scores and what follows; `path`: models along a parameter.
- `description`: what a model is, with its largest `weights`; `kinds`: where that of classifiers and
  regressors differs; `views`: what the page shows of samples, and `samples`: their table.
- `report`, `search_report`: pages and pictures to keep, of parts from `class_report` and
  `number_report`; `code`: Python code and commands that repeat a fit.
- `tasks`: the seam between classification and regression, which the surfaces ask; `page_tasks`:
  that of the page, with `class_views` and `number_views`; `drawn`: what both draw alike.
- `advice`: how the shell and the page word what may help; `naming`: what they call parameters.
"""
