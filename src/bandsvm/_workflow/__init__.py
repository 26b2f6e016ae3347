"""Working with models: what the command line and the page share.

- `models`: the models that they make; `preparation`: steps before the classifier; `in_blocks`:
  these steps on files larger than memory; `cluster`: fits on Dask; `checkpoint`: the file beside a
  model that is not finished; `trained`: what a model knows of its training data.
- `summary`: what came of a training set; `quality`: what a model says of samples; `report`: a page
  about it; `reliability`: what it says of probabilities; `weights`: the largest weights of linear
  models.
- `after_search`: what follows a search, within the time of `clock`: `held_out` predictions, the
  page `search_report`, the picture `tune_plot`.
- `advice`: how the shell and the page word what may help a fit that is not optimal.
- `source`: a data file, within a size that a page can handle, as a table; `parameters`: those
  of a model, checked; `work`: long work that reports its progress and can be stopped; `noted`:
  warnings of one thread.
- `trial`: samples held out, a model fitted to the rest; `trial_search`, `trial_path`: many models;
  `findings`: what a model says of samples; `abstaining`, `projection`, `trial_samples`,
  `trial_weights`: parts of it; `trial_report`: a page to keep; `code`: Python code that repeats a
  trial; `card`: a model file, as ``bandsvm inspect`` describes it.
"""
