"""LIBSVM model files that are damaged or built to do harm are refused in a sentence."""

import re
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from bandsvm import BandedSVC, load_libsvm
from bandsvm._kernels import prediction
from bandsvm.persistence._libsvm_layout import read_rule
from bandsvm.persistence._libsvm_text import read_model

VALID = """svm_type c_svc
kernel_type rbf
gamma 0.5
nr_class 2
total_sv 3
rho -0.25
label 1 -1
nr_sv 1 2
SV
1 1:0.5 3:-2
-0.75 2:1e-3
-0.25 1:1
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("c_svc", "two_class", "line 1: svm_type must be one of c_svc, nu_svc, epsilon_svr"),
        ("c_svc", "epsilon_svr", "line 9: a model of type epsilon_svr has no label, nr_sv"),
        (
            "c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2",
            "nu_svr\nkernel_type rbf\ngamma 0.5\nnr_class 3",
            "line 6: rho must have 3",
        ),
        ("svm_type c_svc\n", "", "line 8: the header ends here without svm_type"),
        ("svm_type c_svc", "svm_type", r"line 1: svm_type must have 1 value\(s\), got 0"),
        ("gamma 0.5\n", "", "line 8: the header ends here without gamma"),
        ("gamma 0.5", "gamma -0.5", "line 3: gamma must be at least 0"),
        ("gamma 0.5", "gamma nan", "line 3: gamma must be a finite number, got 'nan'"),
        ("gamma 0.5", "gamma 1e999", "line 3: gamma must be a finite number"),
        ("gamma 0.5", "gamma 0_5", "line 3: gamma must be a finite number"),
        ("gamma 0.5", "gamma 1\ngamma 1", "line 4: gamma occurs twice"),
        ("rbf", "wavelet", "line 2: kernel_type must be one of linear, polynomial"),
        ("rbf", "polynomial", "line 9: the header ends here without degree, coef0"),
        ("nr_class 2", "nr_class 3", r"line 6: rho must have 3 value\(s\), got 1"),
        ("nr_class 2", "nr_class 1", "line 4: nr_class must be from 2 to 1000, got 1"),
        (
            "nr_class 2",
            f"nr_class {10**9}",
            f"line 4: nr_class must be from 2 to 1000, got {10**9}",
        ),
        ("nr_class 2\n", "", "line 5: nr_class must come before rho"),
        ("total_sv 3", f"total_sv {10**12}", "line 5: total_sv must be a whole number"),
        ("total_sv 3", "total_sv -3", "line 5: total_sv must be a whole number"),
        ("total_sv 3", f"total_sv {'9' * 5000}", "line 5: the line has no end"),
        ("total_sv 3", "total_sv 4", "line 9: nr_sv counts 3 support vectors and total_sv 4"),
        ("rho -0.25", "rho -0.25 1 2", r"line 6: rho must have 1 value\(s\), got 3"),
        ("label 1 -1", "label 1 1", "line 7: the labels must differ, got 1 twice"),
        ("label 1 -1", "label 1 0.5", "line 7: label must be a whole number"),
        ("label 1 -1", "label 1 -1 2", r"line 7: label must have 2 value\(s\), got 3"),
        ("nr_sv 1 2", "nr_sv 1 2\n\n", "line 9: the line is empty"),
        ("nr_sv 1 2", "nr_sv 1 2\nprob 3", "line 9: 'prob' is not a field"),
        ("nr_sv 1 2", "nr_sv -1 4", "line 8: nr_sv must be a whole number"),
        ("SV\n", "", "line 9: '1' is not a field"),
        ("3:-2", f"{10**15}:-2", "line 10: the index of a feature must be a whole number"),
        ("3:-2", f"{2**31}:-2", "line 10: the index of a feature must be a whole number"),
        ("3:-2", "1:-2", "line 10: indices must increase from 1, got 1 after 1"),
        ("1:0.5", "0:0.5", "line 10: indices must increase from 1, got 0 after 0"),
        ("1:0.5", "-1:0.5", "line 10: the index of a feature must be a whole number"),
        ("3:-2", "3:inf", "line 10: the value of a feature must be a finite number"),
        ("3:-2", "3:0x12", "line 10: the value of a feature must be a finite number"),
        ("3:-2", "3", "line 10: features are written index:value, got '3'"),
        ("-0.75 2", "x 2", "line 11: the coefficient must be a finite number, got 'x'"),
        ("-0.75 2:1e-3\n", "\n", "line 11: the line is empty"),
        ("-0.75 2:1e-3\n", "", "line 11: the file ends after 2 of 3 support vectors"),
        ("-0.25 1:1\n", "-0.25 1:1\n1 1:1\n", "line 13: more support vectors than the 3"),
        ("-0.25 1:1\n", "-0.25 1:1", "line 12: the line has no end; the file was cut off"),
    ],
)
def test_bad_file(old, new, message, file):
    assert old in VALID
    file.write_text(VALID.replace(old, new, 1))
    with pytest.raises(ValueError, match=f"{re.escape(str(file))}, {message}"):
        load_libsvm(file)


THREE = """svm_type c_svc
kernel_type linear
nr_class 3
total_sv 3
rho 0.5 -0.25 1
label 7 -1 3
nr_sv 1 1 1
SV
1 0.5 1:1
-1 0.25 1:2
-0.5 -0.25 2:1
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rho 0.5 -0.25 1", "rho 0.5 -0.25", r"line 5: rho must have 3 value\(s\), got 2"),
        ("label 7 -1 3", "label 7 -1 7", "line 6: the labels must differ, got 7 twice"),
        ("label 7 -1 3", "label 7 -1", r"line 6: label must have 3 value\(s\), got 2"),
        ("nr_sv 1 1 1", "nr_sv 2 1", r"line 7: nr_sv must have 3 value\(s\), got 2"),
        ("1 0.5 1:1", "1 1:1", "line 9: the coefficient must be a finite number, got '1:1'"),
        ("1 0.5 1:1", "1", "line 9: a support vector starts with 2 coefficients, got 1 word"),
    ],
)
def test_bad_file_of_three_classes(old, new, message, file):
    file.write_text(THREE)
    assert load_libsvm(file).classes_.tolist() == [-1, 3, 7]
    file.write_text(THREE.replace(old, new, 1))
    with pytest.raises(ValueError, match=f"{re.escape(str(file))}, {message}"):
        load_libsvm(file)


def test_tables_of_too_many_pairs_are_refused(file):
    file.write_text(THREE)
    text = read_model(file)
    read_rule(BandedSVC(), text, max_coefficients=9)
    with pytest.raises(ValueError, match=r"3 support vectors and 3 pairs of classes.* at most 8"):
        read_rule(BandedSVC(), text, max_coefficients=8)


@pytest.mark.parametrize(
    ("vector", "message"),
    [
        ("0:0", "the number of a training sample must be a whole number from 1"),
        ("0:1.5", "the number of a training sample must be a whole number from 1"),
        (f"0:{10**12}", "the number of a training sample must be a whole number from 1"),
        ("1:4", "the only index is 0, got 1"),
        ("", "a support vector is 0:number"),
        ("0:1 1:2", "a support vector is 0:number"),
    ],
)
def test_bad_file_of_a_precomputed_kernel(vector, message, file):
    header = VALID[: VALID.index("SV\n")].replace("rbf", "precomputed").replace("gamma 0.5\n", "")
    file.write_text(f"{header}SV\n1 0:2\n-0.5 {vector}\n-0.5 0:7\n")
    with pytest.raises(ValueError, match=f"line 10: .*{message}"):
        load_libsvm(file)


def test_what_is_no_text_at_all(file):
    for content in (b"", b"\n", b"\0" * 10**6, b"\xff\xfe\n", b"\x80\x04\x95.\n" * 100):
        file.write_bytes(content)
        with pytest.raises(ValueError, match="line 1: "):
            load_libsvm(file)
    with pytest.raises(FileNotFoundError):
        load_libsvm(file.with_name("nothing"))


def test_largest_promises_take_no_memory(file):
    largest = 2**31 - 1
    file.write_text(
        VALID.replace("total_sv 3", f"total_sv {largest}")
        .replace("nr_sv 1 2", f"nr_sv 1 {largest - 1}")
        .replace("3:-2", f"{largest}:-2")
    )
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=f"ends after 3 of {largest} support vectors"):
            load_libsvm(file, n_features=largest)
        file.write_text(VALID.replace("3:-2", f"{largest}:-2"))
        with pytest.raises(ValueError, match=r"feature is 2147483647, more than.*give n_features"):
            load_libsvm(file)
        model = load_libsvm(file, n_features=largest)
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()
    assert model.support_vectors_.shape == (3, largest)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "laplacian", "chi2"])
def test_predictions_cost_what_a_model_holds_and_not_what_it_declares(kernel, file, monkeypatch):
    n_features, packed = 2**20, []
    file.write_text(VALID.replace("3:-2", f"{n_features}:2"))
    model = load_libsvm(file).set_params(kernel=kernel)
    model.support_vectors_.data = np.abs(model.support_vectors_.data)
    sample = np.zeros((1, n_features))
    sample[0, [0, 5, n_features - 1]] = 1.0, 2.0, 3.0
    pack = prediction.pack

    def recorded(kernel, X, *others):
        packed.append(X.nnz if sp.issparse(X) else X.size)
        return pack(kernel, X, *others)

    monkeypatch.setattr(prediction, "pack", recorded)
    tracemalloc.start()
    try:
        value = model.decision_function(sample)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert sum(packed) <= sample.nonzero()[0].size + model.support_vectors_.nnz
    assert peak < sample.nbytes
    np.testing.assert_allclose(value, model.decision_function(sp.csr_array(sample)), rtol=1e-12)
    used = [0, 1, 2, 5, n_features - 1]
    model.support_vectors_, model.n_features_in_ = model.support_vectors_[:, used].toarray(), 5
    np.testing.assert_allclose(value, model.decision_function(sample[:, used]), rtol=1e-12)


@pytest.mark.heavy
def test_reading_takes_a_small_multiple_of_the_file(file, rng):
    n_support, n_features = 300, 400
    lines = [
        "1 " + " ".join(f"{j}:{v:.17g}" for j, v in enumerate(rng.normal(size=n_features), 1))
        for _ in range(n_support)
    ]
    header = VALID[: VALID.index("SV\n")].replace("total_sv 3", f"total_sv {n_support}")
    header = header.replace("nr_sv 1 2", f"nr_sv 0 {n_support}")
    file.write_text(header + "SV\n" + "\n".join(lines) + "\n")
    tracemalloc.start()
    try:
        load_libsvm(file)
        assert tracemalloc.get_traced_memory()[1] < 3 * file.stat().st_size
    finally:
        tracemalloc.stop()


def test_model_without_support_vectors(file):
    text = VALID[: VALID.index("1 1:0.5")].replace("total_sv 3", "total_sv 0")
    file.write_text(text.replace("nr_sv 1 2", "nr_sv 0 0"))
    model = load_libsvm(file, n_features=2)
    np.testing.assert_array_equal(model.decision_function(np.ones((4, 2))), 0.25)


@st.composite
def spoilt_files(draw):
    """Return the bytes of a valid file, cut off, changed or mixed up."""
    content = bytearray(draw(st.sampled_from([VALID, VALID.replace("rbf", "linear")])).encode())
    place = st.integers(0, len(content) - 1)
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["cut", "flip", "digit", "insert", "splice"]))
        start = min(draw(place), max(0, len(content) - 1))
        if kind == "cut":
            del content[start:]
        elif kind == "flip" and content:
            content[start] ^= 1 << draw(st.integers(0, 7))
        elif kind == "digit" and content:
            content[start] = draw(st.sampled_from(b"0123456789:.e+- \n"))
        elif kind == "insert":
            content[start:start] = draw(st.binary(max_size=12))
        else:
            end = draw(place)
            content[start:start] = content[end : end + draw(st.integers(1, 60))]
    return bytes(content)


@given(spoilt_files())
def test_spoilt_file_is_refused_or_a_model(tmp_path_factory, content):
    file = tmp_path_factory.getbasetemp() / "spoilt.model"
    file.write_bytes(content)
    try:
        model = load_libsvm(file)
    except ValueError as error:
        complaint = str(error)
    else:
        complaint = ""
    if complaint:
        assert re.match(rf"{re.escape(str(file))}, line \d+: .*\.$", complaint, re.DOTALL)
        return
    assert np.isfinite(model.dual_coef_).all()
    assert np.isfinite(model.intercept_).all()
    if model.n_features_in_ < 1000 and np.abs(model.support_vectors_).max() < 1e100:
        assert model.predict(np.zeros((2, model.n_features_in_))).shape == (2,)


@pytest.mark.parametrize("end", range(0, len(VALID), 7))
def test_every_beginning_of_a_file_is_refused(end, file):
    file.write_text(VALID[:end])
    with pytest.raises(ValueError, match=re.escape(str(file))):
        load_libsvm(file)
