"""Fitted estimators in notebooks: scikit-learn's diagram, and the certificate below it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class NotebookMixin:
    """An estimator whose representation in notebooks ends with its certificate."""

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Return the representations that IPython chooses from."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += _certificate_of(self)
        return bundle

    @property
    def _repr_html_(self) -> Callable[[], str]:
        """Return what other notebooks call; scikit-learn's settings may switch it off."""
        diagram: Callable[[], str] = super()._repr_html_  # type: ignore[misc]
        return lambda: diagram() + _certificate_of(self)


def _certificate_of(estimator: Any) -> str:
    """Return the certificate of a fitted estimator as HTML; nothing before the fit."""
    certificate = vars(estimator).get("certificate_")
    return "" if certificate is None else certificate._repr_html_()
