"""The Banded SVM: a kernel classifier with bounded, comparable, certified decision values."""

from importlib.metadata import version

from bandsvm.certificate import Certificate
from bandsvm.classifier import BandedSVC

__all__ = ["BandedSVC", "Certificate"]
__version__ = version("bandsvm")
