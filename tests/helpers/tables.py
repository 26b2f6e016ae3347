"""Tables as the readers make them."""

from bandsvm._tables.options import ReadOptions
from bandsvm._tables.reading import read_table


def read(path, **options):
    """Return the table that training makes of a file."""
    return read_table(str(path), ReadOptions(**options))
