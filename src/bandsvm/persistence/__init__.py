"""Models in files: our own format, and those of others.

- `native`: `save` and `load`, over `_container` (header, arrays, checksum), `_encoder` and
  `_values` (values as JSON, and back) and `_steps` (estimators). What a file may hold is said in
  tables by `_rules`: `_classifier`, `_linear`, `_search`, `_transformers`, `_categories`, `_text`
  and `_composites`.
- `libsvm`: LIBSVM's text format, with `_libsvm_text`, a reader that trusts nothing, and
  `_libsvm_rules`, its layout of coefficients; `liblinear`: export to LIBLINEAR's; `onnx`: export
  to ONNX, with `_onnx_columns` for what skl2onnx leaves out. `_label_numbers`: numbers instead of
  labels, where a format has numbers only; `_scaling`: scaling in formats without pipelines.
"""

from bandsvm.persistence._container import ModelFileError
from bandsvm.persistence.native import load, save

__all__ = ["ModelFileError", "load", "save"]
