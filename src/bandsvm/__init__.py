"""The Banded SVM: a kernel classifier with bounded, comparable, certified decision values."""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bandsvm._certificate import Certificate
    from bandsvm._estimators.calibration import calibrate
    from bandsvm._estimators.kernel import BandedSVC
    from bandsvm._estimators.linear import LinearBandedSVC
    from bandsvm._estimators.quantiles import BandedQuantileSVR
    from bandsvm._estimators.regression import BandedSVR
    from bandsvm._estimators.selective import SelectiveClassifier
    from bandsvm.model_selection import BandedSVCCV, BandedSVRCV
    from bandsvm.persistence import load, save
    from bandsvm.persistence.liblinear import export_liblinear
    from bandsvm.persistence.libsvm import export_libsvm, load_libsvm
    from bandsvm.persistence.onnx import to_onnx

__all__ = [
    "BandedQuantileSVR",
    "BandedSVC",
    "BandedSVCCV",
    "BandedSVR",
    "BandedSVRCV",
    "Certificate",
    "LinearBandedSVC",
    "SelectiveClassifier",
    "calibrate",
    "export_liblinear",
    "export_libsvm",
    "load",
    "load_libsvm",
    "save",
    "to_onnx",
]
__version__ = version("bandsvm")

_HOMES = {
    "BandedQuantileSVR": "bandsvm._estimators.quantiles",
    "BandedSVR": "bandsvm._estimators.regression",
    "BandedSVC": "bandsvm._estimators.kernel",
    "BandedSVCCV": "bandsvm.model_selection",
    "BandedSVRCV": "bandsvm.model_selection",
    "Certificate": "bandsvm._certificate",
    "LinearBandedSVC": "bandsvm._estimators.linear",
    "load": "bandsvm.persistence",
    "save": "bandsvm.persistence",
    "export_liblinear": "bandsvm.persistence.liblinear",
    "export_libsvm": "bandsvm.persistence.libsvm",
    "load_libsvm": "bandsvm.persistence.libsvm",
    "to_onnx": "bandsvm.persistence.onnx",
    "SelectiveClassifier": "bandsvm._estimators.selective",
    "calibrate": "bandsvm._estimators.calibration",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use; the command's --help need not wait for scikit-learn."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """Return the public names."""
    return [*__all__, "__version__"]
