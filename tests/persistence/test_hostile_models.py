"""Model files that somebody damaged or tampered with: they are refused, in little memory."""

import hashlib
import json
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import bandsvm
from bandsvm import BandedSVC
from bandsvm.persistence import ModelFileError
from bandsvm.persistence._container import MAGIC, pack, unpack
from tests.helpers.model_files import refused, set_attribute, set_parameter

X, Y = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model.bsvm"
    bandsvm.save(
        make_pipeline(StandardScaler(), BandedSVC()).fit(sp.csr_array(X).toarray(), Y), path
    )
    return path.read_bytes()


@pytest.fixture(scope="module")
def sparse_content(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model.bsvm"
    bandsvm.save(BandedSVC().fit(sp.csr_array(X), Y), path)
    return path.read_bytes()


def test_foreign_files_are_refused(tmp_path):
    for foreign in (b"", b"BANDSVM", b"svm_type c_svc\n", b"\x80\x04pickle", b"PK\x03\x04"):
        refused(foreign, tmp_path, "not a model file of bandsvm")


def test_every_truncation_is_refused(content, tmp_path):
    for length in [len(MAGIC), 20, 100, len(content) // 2, len(content) - 1]:
        refused(content[:length], tmp_path, "damaged or incomplete")


def test_every_flipped_bit_is_refused(content, tmp_path):
    for position in np.linspace(len(MAGIC), len(content) - 1, 50).astype(int):
        changed = bytearray(content)
        changed[position] ^= 4
        refused(bytes(changed), tmp_path, "checksum")


def test_newer_files_are_refused_with_a_cure(tmp_path):
    newer = pack({"format": 2, "writer": "bandsvm 7.0"}, {})
    refused(newer, tmp_path, "format 2 by bandsvm 7.0.*formats up to 1.*upgrade")


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        bandsvm.load(tmp_path / "none.bsvm")


def sealed(header):
    """Return a file with a right checksum around whatever header."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    body = MAGIC + len(text).to_bytes(8, "little") + text
    return body + hashlib.sha256(body).digest()


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"{",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"\xff\xfe",
        [],
        {},
        {"format": True},
        {"format": "1"},
        {"format": 0},
        {"format": 1},
        {"format": 1, "arrays": []},
        {"format": 1, "arrays": {}},
        {"format": 1, "arrays": {}, "steps": []},
        {"format": 1, "arrays": {}, "steps": [{}]},
        {"format": 1, "arrays": {}, "steps": [{"class": "Pipeline"}]},
        {"format": 1, "arrays": {}, "steps": [{"class": "BandedSVC"}]},
        {"format": 1, "arrays": {}, "steps": [{"class": {}}]},
        {"format": 1, "arrays": {"x": 1}},
        {"format": 1, "arrays": {"x": {"dtype": "O", "shape": [1], "offset": 0}}},
        {"format": 1, "arrays": {"x": {"dtype": "<f8", "shape": [10**15], "offset": 0}}},
        {"format": 1, "arrays": {"x": {"dtype": "<f8", "shape": [-1], "offset": 0}}},
        {"format": 1, "arrays": {"x": {"dtype": "<f8", "shape": [1], "offset": -8}}},
        {"format": 1, "arrays": {"x": {"dtype": "<f8", "shape": [2**32, 2**32], "offset": 0}}},
    ],
)
def test_sealed_nonsense_is_refused(header, tmp_path):
    refused(sealed(header), tmp_path, "damaged")


@pytest.mark.parametrize(
    "value",
    [
        {"_init__": []},
        {"array": "none"},
        {"array": []},
        {"csr": {}},
        {"certificate": {"status": "FINE"}},
        {"certificate": []},
        {"certificate": {"status": "CONVERGED", "parts": {"tuple": [1]}}},
        {"tuple": [{"float": "nan"}] * 2},
        {"mapping": [1]},
        {"mapping": [[{"mapping": []}, 1]]},
        {"float": "x"},
        {"tuple": 1},
        {},
        [],
    ],
)
def test_values_of_no_known_kind_are_refused(value, content, tmp_path):
    header, arrays = unpack(content)
    header["steps"][1]["attributes"]["gamma_"] = value
    refused(pack(header, arrays), tmp_path, "damaged")


def tampered(content, change):
    """Return a file with the checksum of its changed header and arrays."""
    header, arrays = unpack(content)
    change(header["steps"][-1], arrays)
    return pack(header, arrays)


def set_array(name, value):
    def change(step, arrays):
        step["attributes"][name] = {"array": "changed"}
        arrays["changed"] = np.asarray(value)

    return change


@pytest.mark.parametrize(
    "change",
    [
        set_array("dual_coef_", np.zeros((3, 2))),
        set_array("dual_coef_", np.zeros(3)),
        set_array("dual_coef_", np.array([["a"]] * 3)),
        set_array("intercept_", np.full(3, np.nan)),
        set_array("support_vectors_", np.zeros((1, 4))),
        set_array("support_", np.arange(3)),
        set_array("alpha_", np.zeros(2)),
        set_array("classes_", np.zeros(3, dtype=np.int64)),
        set_array("classes_", np.arange(2)),
        set_attribute("n_features_in_", 10**12),
        set_attribute("n_features_in_", "4"),
        set_attribute("predict", 1),
        set_attribute("gamma_", "scale"),
        set_attribute("gamma_", 10**30),
        set_attribute("gamma_", {"float": "inf"}),
        set_attribute("gamma_", {"float": "nan"}),
        set_attribute("gamma_", -1.0),
        set_attribute("certificate_", 1),
        set_parameter("kernel", "cosine"),
        set_parameter("kernel", {"type": "numpy.float64"}),
        set_parameter("kernel", {"function": "chi2"}),
        set_parameter("C1", -1),
        set_parameter("C1", {"mapping": [[0, 1]]}),
        set_parameter("solver", None),
        set_parameter("class_weight", {"tuple": [1, 2]}),
        set_parameter("class_weight", "heavy"),
        set_parameter("warm_start", "yes"),
        set_attribute("n_iter_", "many"),
        set_array("n_support_", [-1, 50, 50]),
        set_array("n_support_", [50, 50]),
        set_array("classes_", ["a", "b", "c" * 1001]),
        lambda step, arrays: step["attributes"].pop("dual_coef_"),
    ],
)
def test_sealed_models_whose_parts_do_not_fit_are_refused(change, content, tmp_path):
    refused(tampered(content, change), tmp_path, "do not fit together|differ in their number")


@pytest.mark.parametrize("feature_range", [[], [0], [1, 0], [0, 1, 2], ["a", "b"], [0, True]])
def test_scalers_with_a_range_that_is_none_are_refused(feature_range, tmp_path):
    path = tmp_path / "model.bsvm"
    bandsvm.save(make_pipeline(MinMaxScaler((0, 2)), BandedSVC()).fit(X, Y), path)
    header, arrays = unpack(path.read_bytes())
    assert header["steps"][0]["parameters"]["feature_range"] == {"tuple": [0, 2]}
    header["steps"][0]["parameters"]["feature_range"] = {"tuple": feature_range}
    refused(pack(header, arrays), tmp_path, "parts of its MinMaxScaler do not fit together")


@pytest.mark.parametrize("code_point", [0x110000, 0xFFFFFFFF, 0xD800])
def test_text_that_is_not_unicode_is_refused(code_point, content, tmp_path):
    header, arrays = unpack(content)
    arrays["odd"] = np.array([code_point, 65, 66], dtype="<u4")
    header["steps"][1]["attributes"]["classes_"] = {"array": "odd"}
    packed = pack(header, arrays).replace(b'"odd": {"dtype": "<u4"', b'"odd": {"dtype": "<U1"')[
        : -hashlib.sha256().digest_size
    ]
    refused(packed + hashlib.sha256(packed).digest(), tmp_path, "no array as 'odd' is described")


@pytest.mark.parametrize(
    "change",
    [
        lambda certificate: certificate.__setitem__("parts", {"tuple": [1, 2, 3]}),
        lambda certificate: certificate.__setitem__("parts", {"tuple": []}),
        lambda certificate: certificate.__setitem__("primal", "much"),
        lambda certificate: certificate.__setitem__("n_iter", None),
        lambda certificate: certificate.__setitem__("intercept_interval", {"tuple": [1.0]}),
        lambda certificate: certificate.__setitem__("intercept_interval", {"tuple": ["a", "b"]}),
        lambda certificate: certificate.pop("status"),
    ],
)
def test_certificates_of_nonsense_are_refused(change, content, tmp_path):
    header, arrays = unpack(content)
    change(header["steps"][1]["attributes"]["certificate_"]["certificate"])
    refused(pack(header, arrays), tmp_path, "damaged")


@pytest.mark.parametrize("kind", ["array", "strings", "csr"])
def test_an_array_that_is_mentioned_again_and_again_is_decoded_once(kind, content, tmp_path):
    header, arrays = unpack(content)
    arrays["big"] = np.array(["ab"] * 20_000) if kind == "strings" else np.arange(20_000)
    value = {kind: "big"}
    if kind == "csr":
        parts = {name: {"array": "big"} for name in ("data", "indices", "indptr")}
        value = {"csr": parts, "shape": [1, 20_000], "is_array": True}
    header["steps"][1]["parameters"]["class_weight"] = {"tuple": [value] * 2000}
    changed = pack(header, arrays)
    tracemalloc.start()
    try:
        refused(changed, tmp_path, "damaged")
        assert tracemalloc.get_traced_memory()[1] < 16 * len(changed)
    finally:
        tracemalloc.stop()


def test_what_a_file_says_is_shown_in_one_short_line(tmp_path):
    newer = pack({"format": 2, "writer": "\x1b[2J\u202eevil\n" + "x" * 10_000}, {})
    path = tmp_path / "model.bsvm"
    path.write_bytes(newer)
    with pytest.raises(ModelFileError) as caught:
        bandsvm.load(path)
    said = str(caught.value).removeprefix(str(path))
    assert said.isprintable()
    assert len(said) < 300


def test_precomputed_kernels_need_to_know_their_support(tmp_path):
    path = tmp_path / "model.bsvm"
    bandsvm.save(BandedSVC(kernel="precomputed").fit(X @ X.T, Y), path)
    header, arrays = unpack(path.read_bytes())
    for name in ("alpha_", "theta_", "xi_", "eta_", "support_"):
        del header["steps"][0]["attributes"][name]
    refused(pack(header, arrays), tmp_path, "do not fit together")


def test_unknown_parameters_are_refused(content, tmp_path):
    changed = tampered(content, set_parameter("bandwidth", 1))
    refused(changed, tmp_path, r"does not know: \['bandwidth'\]")


@pytest.mark.parametrize("part", ["indices", "indptr"])
def test_indices_outside_a_sparse_matrix_are_refused(part, sparse_content, tmp_path):
    def change(step, arrays):
        name = step["attributes"]["support_vectors_"]["csr"][part]["array"]
        arrays[name] = arrays[name] + 10**6

    refused(tampered(sparse_content, change), tmp_path, "damaged")


def test_rows_of_a_sparse_matrix_that_end_before_they_begin_are_refused(sparse_content, tmp_path):
    def change(step, arrays):
        name = step["attributes"]["support_vectors_"]["csr"]["indptr"]["array"]
        arrays[name] = np.where(np.arange(len(arrays[name])) > 5, 0, arrays[name])

    refused(tampered(sparse_content, change), tmp_path, "damaged")


def test_arrays_may_not_share_bytes(content, tmp_path):
    body = content[: -hashlib.sha256().digest_size]
    length = int.from_bytes(body[8:16], "little")
    text = json.loads(body[16 : 16 + length])
    largest = max(text["arrays"].values(), key=lambda entry: np.prod(entry["shape"]))
    text["arrays"] = {str(i): largest for i in range(30)}
    encoded = json.dumps(text).encode()
    changed = MAGIC + len(encoded).to_bytes(8, "little") + encoded + body[16 + length :]
    changed += hashlib.sha256(changed).digest()
    refused(changed, tmp_path, "larger than the file")


@pytest.mark.heavy
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_sealed_files_with_fuzzed_headers_load_or_are_refused(data, content, tmp_path_factory):
    header, _ = unpack(content)
    text = json.dumps(header)
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(start + 40, len(text))))
    text = text[:start] + data.draw(st.text(max_size=20)) + text[stop:]
    body = content[: -hashlib.sha256().digest_size]
    length = int.from_bytes(body[8:16], "little")
    encoded = text.encode("utf-8", "surrogatepass")
    changed = MAGIC + len(encoded).to_bytes(8, "little") + encoded + body[16 + length :]
    path = tmp_path_factory.getbasetemp() / "fuzzed.bsvm"
    path.write_bytes(changed + hashlib.sha256(changed).digest())
    try:
        model = bandsvm.load(path)
    except ModelFileError:
        return
    assert model.decision_function(X).shape == (150, 3)
