"""BandedSVC behind the signature of SVC, and scikit-learn's own tests with it in SVC's place."""

import importlib.util
from types import ModuleType

import scipy.sparse as sp
import sklearn.svm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from bandsvm import BandedSVC


class SVC(ClassifierMixin, BaseEstimator):
    """A C-SVM by BandedSVC; parameters that it does not know have no effect."""

    def __init__(
        self,
        *,
        C=1.0,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        shrinking=True,
        probability="deprecated",
        tol=1e-3,
        cache_size=200,
        class_weight=None,
        verbose=False,
        max_iter=-1,
        decision_function_shape="ovr",
        break_ties=False,
        random_state=None,
    ):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        same = ("kernel", "degree", "gamma", "coef0", "tol", "cache_size", "class_weight")
        same += ("decision_function_shape", "break_ties")
        settings = {name: getattr(self, name) for name in same}
        if self.max_iter >= 0:
            settings["max_iter"] = self.max_iter
        model = BandedSVC(C1=self.C, C2=0.0, multi_class="ovo", **settings)
        self.model_ = model.fit(X, y, sample_weight)
        self._is_sparse = sp.issparse(X)
        return self

    def predict(self, X):
        check_is_fitted(self, "model_")
        return self.model_.predict(X)

    def decision_function(self, X):
        check_is_fitted(self, "model_")
        return self.model_.decision_function(X)

    @property
    def coef_(self):
        """Not to be set, as in SVC and BandedSVC."""
        return self.__getattr__("coef_")

    def __getattr__(self, name):
        if not name.endswith("_") or name.startswith("_") or "model_" not in vars(self):
            raise AttributeError(name)
        value = getattr(self.model_, name)
        # SVC's are sparse for sparse samples; their numbers can be compared all the same.
        return sp.csr_array(value) if self._is_sparse and name in ("dual_coef_", "coef_") else value


# What differs from SVC by design: the first column of the table in docs/from_svc.md, and those of
# scikit-learn's tests (by how their names begin) that expect SVC's way.
DIFFERENCES = {
    "more than two classes": (),
    "`dual_coef_` of more than two classes": (),
    "`probability=True`, `predict_proba`": (
        "test_probability",
        "test_hasattr_predict_proba",
        "test_probability_raises_futurewarning[True-SVC",
        "test_probability_raises_futurewarning[False-SVC",
        "test_svc_nusvc_probA_probB_deprecated[SVC]",
        "test_unsorted_indices",
        "test_sparse_svc_clone_with_callable_kernel",
    ),
    "negative sample weights": (
        "test_negative_sample_weights_mask_all_samples[weights-are-negative-SVC]",
        "test_negative_weights_svc_leave_just_one_label[mask-label-1-SVC]",
        "test_negative_weights_svc_leave_just_one_label[mask-label-2-SVC]",
        "test_negative_weights_svc_leave_two_labels[partial-mask-label-1-SVC]",
        "test_negative_weight_equal_coeffs[partial-mask-label-1-SVC]",
    ),
    "`max_iter`, `n_iter_`": (
        "test_libsvm_convergence_warnings",
        "test_timeout",
        "test_n_iter_libsvm[2-SVC",
        "test_n_iter_libsvm[3-SVC",
        "test_n_iter_libsvm[4-SVC",
    ),
    "sparse samples": ("test_bad_input",),
    "which samples are support vectors": (),
    "callable kernels": ("test_custom_kernel_not_array_input[SVC]",),
    "private attributes": (
        "test_tweak_params",
        "test_gamma_scale",
        "test_svc_raises_error_internal_representation",
    ),
    "error messages": (
        "test_negative_sample_weights_mask_all_samples[weights-are-zero-SVC]",
        "test_svc_nonfinite_params",
        "test_sparse_precomputed",
    ),
    "`class_weight='balanced'`": (),
    "`gamma='scale'`": (),
    "`random_state`, `shrinking`": (),
    "`dual_coef_`, `coef_` of sparse samples": (),
}


def tests_of_sklearn(name):
    """Return a module of scikit-learn's tests in which ``svm.SVC`` is ours."""
    found = importlib.util.find_spec(f"sklearn.svm.tests.{name}")
    spec = importlib.util.spec_from_file_location(f"svc_{name}", found.origin)
    module = importlib.util.module_from_spec(spec)
    theirs = sklearn.svm.SVC
    sklearn.svm.SVC = SVC  # parameters of tests name it while the module is loaded
    try:
        spec.loader.exec_module(module)
    finally:
        sklearn.svm.SVC = theirs
    module.svm = ModuleType("svm")
    vars(module.svm).update({**vars(sklearn.svm), "SVC": SVC})
    return module
