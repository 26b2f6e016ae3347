"""Tables: a file in, samples and labels with a schema out.

In the order in which data pass through them:

- `options`: how to read a file; `remarks`: what readers say about it, errors included.
- `reading`: from a path to a table; `data_file`: the bytes of a file, unpacked within limits;
  `formats`: what a file is, by its name or content; `large`: files larger than memory, in blocks;
  `scratch`: matrices in temporary files.
- Readers of formats: `svmlight`, `npz`; `csv_columns` over `csv_lines`, `arff`, `parquet`. `cells`:
  what cells of text tell; `columns`: text as codes.
- `frames`: from columns to a table; `roles`: which columns are what; `targets`: whether targets are
  classes or numbers, and what that means; `labels`: of samples, or that these have none;
  `uninformative`: columns that are left out.
- `table`: the result, and what a model expects of it; `checks`: whether it can be used.
"""
