"""How a data file is to be read: the options, and their defaults."""

from __future__ import annotations

from dataclasses import dataclass

# Formats that are read, by the names that `ReadOptions.format` takes.
FORMATS = ("svmlight", "csv", "arff", "parquet", "npz")
# What targets are: labels of classes, or numbers to predict.
CLASSIFY, REGRESS = "classify", "regress"
# Formats whose labels have a fixed place, and whose columns have no names.
WITHOUT_COLUMNS = ("svmlight", "npz")


@dataclass(frozen=True)
class ReadOptions:
    """How to read a data file.

    Columns are named or counted from 1, as text.
    """

    format: str | None = None  # one of `FORMATS`; None: by the file's name, else by its content
    # The column of targets; None: the one whose name says so, else the last one.
    target: str | None = None
    # What these are, `CLASSIFY` or `REGRESS`; None: classes, unless they look like measurements.
    task: str | None = None
    # Whether a CSV file begins with names; None: if its first line looks like names.
    header: bool | None = None
    zero_based: bool = False  # whether features in svmlight files count from 0
    id: tuple[str, ...] = ()  # columns that predictions repeat; they are not features
    drop: tuple[str, ...] = ()  # columns to leave out
    keep: tuple[str, ...] = ()  # columns to use although they seem to number the rows
    categorical: tuple[str, ...] = ()  # columns whose numbers are categories
    skip_unlabelled: bool = False  # whether to leave out samples without a label
    on_disk: bool = False  # whether to read the file in blocks, however small it is
    groups: str | None = None  # the column of groups that a search keeps together
