"""How a data file is to be read: the options, and their defaults."""

from __future__ import annotations

from dataclasses import dataclass

# Formats that are read, by the names that `ReadOptions.format` takes.
FORMATS = ("svmlight", "csv", "arff", "parquet", "npz")
# Formats whose labels have a fixed place, and whose columns have no names.
WITHOUT_COLUMNS = ("svmlight", "npz")


@dataclass(frozen=True)
class ReadOptions:
    """How to read a data file.

    Columns are named or counted from 1, as text.

    Parameters
    ----------
    format : str or None
        One of `FORMATS`; None: by the file's name, else by its content.
    target : str or None
        The column of labels; None: the one whose name says so, else the last one.
    header : bool or None
        Whether a CSV file begins with names; None: if its first line looks like names.
    zero_based : bool
        Whether features in svmlight files count from 0.
    id : tuple of str
        Columns that predictions repeat; they are not features.
    drop : tuple of str
        Columns to leave out.
    keep : tuple of str
        Columns to use although they seem to number the rows.
    categorical : tuple of str
        Columns whose numbers are categories.
    skip_unlabelled : bool
        Whether to leave out samples without a label.
    on_disk : bool
        Whether to read the file in blocks, however small it is.
    groups : str or None
        The column of groups that a search keeps together.
    """

    format: str | None = None
    target: str | None = None
    header: bool | None = None
    zero_based: bool = False
    id: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    skip_unlabelled: bool = False
    on_disk: bool = False
    groups: str | None = None
