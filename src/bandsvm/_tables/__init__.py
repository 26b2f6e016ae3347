"""Tables: a file in, samples and labels with a schema out.

- `options`: how to read a file; `expected`: what a model expects of it.
- `reading`: data files, over `bytes` (unpacking within limits), `sniff` (formats by content),
  `svmlight`, `npz` and `frames`, tables of columns: `csv` over `csv_lines` and `csv_head`,
  `arff`, `parquet`; `cells`: what cells of text tell; `columns`: text as codes;
  `labels`: numbers or text.
- `large`: files larger than memory; `blocks`: readers of these, a block at a time; `scratch`:
  matrices in temporary files.
- `choice`: which columns are what; `useless`: columns that are left out; `unlabelled`: samples
  without a label.
"""
