"""What notebooks show of estimators and certificates."""

import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_iris

from bandsvm import BandedSVC, BandedSVR, LinearBandedSVC

X, y = load_iris(return_X_y=True)


@pytest.mark.parametrize("kind", [BandedSVC, BandedSVR, LinearBandedSVC])
def test_fitted_estimators_end_with_their_certificate(kind):
    model = kind()
    assert "Certificate" not in model._repr_html_()
    model.fit(X, y)
    table = model.certificate_._repr_html_()
    assert model._repr_html_().endswith(table)
    bundle = model._repr_mimebundle_()
    assert bundle["text/html"].endswith(table)
    assert bundle["text/plain"] == repr(model)


def test_settings_of_scikit_learn_switch_it_off():
    model = BandedSVC().fit(X, y)
    with sklearn.config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert "text/html" not in model._repr_mimebundle_()


def test_certificate_says_the_same_as_text_and_as_table():
    certificate = BandedSVC().fit(X, y).certificate_
    table = certificate._repr_html_()
    for line in str(certificate).splitlines():
        for part in line.strip().split("  "):
            assert part.strip() in table
    assert table.count("<tr>") == 6
    assert np.isfinite(certificate.gap)
