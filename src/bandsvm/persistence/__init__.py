"""Models in files: our own format, and those of others.

- `native`: `save` and `load`. A model passes through `_steps` (estimators as JSON), `_encoder`
  (values as JSON and arrays) and `_container` (header, arrays, checksum) into a file, and through
  `_container`, `_decoder` and `_steps` back. What a file may hold is in tables of `_rules`:
  `_models`, which `_classifier` and `_regressor` share, `_searches`, `_transformers`,
  `_categories`, `_vectorizers` and `_composites`.
- `libsvm`: LIBSVM's text format. A model passes through `_libsvm_layout` (LIBSVM's order of vectors
  and coefficients) and `_libsvm_text` (text, whose reader trusts nothing) into a file, and back.
  `liblinear`: export to LIBLINEAR's. `_text_formats`: what both lack, labels and scaling.
- `onnx`: export to ONNX. `_onnx_classes` and `_onnx_regression` make the graphs of classifiers and
  regressors of what they share, `_onnx_nodes`; `_onnx_columns`: what skl2onnx leaves out.
"""

from bandsvm.persistence._container import ModelFileError
from bandsvm.persistence.native import load, save

__all__ = ["ModelFileError", "load", "save"]
