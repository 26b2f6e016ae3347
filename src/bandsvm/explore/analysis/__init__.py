"""What the views "Your data" and "A model" show, as plain values; nothing here knows the server.

- `source`: a data file, within a size that a page can handle, as a table; `parameters`: those
  of a model, checked.
- `work`: long work that reports its progress and can be stopped; `noted`: warnings of one thread.
- `trial`: samples held out, a model fitted to the rest; `search`, `path`: many models.
- `findings`: what a model says of samples; `abstaining`, `projection`, `samples`, `weights`: the
  parts of it that have a tab of their own.
- `report`: a page to keep, as ``--report`` writes it; `code`: Python code that repeats a trial;
  `card`: a model file, as ``bandsvm inspect`` describes it.
"""
