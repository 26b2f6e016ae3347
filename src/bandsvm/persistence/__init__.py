"""Models in files: our own format, and those of others."""

from bandsvm.persistence._container import ModelFileError
from bandsvm.persistence.native import load, save

__all__ = ["ModelFileError", "load", "save"]
