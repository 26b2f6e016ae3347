// The module of the core: kernels, the variance and origin of samples, and what the other files
// named *bindings.cpp add. They and arrays.hpp alone know both Python and C++.
#include <nanobind/stl/string.h>

#include <string>

#include "arrays.hpp"
#include "checks.hpp"
#include "compute_rows.hpp"
#include "origin.hpp"
#include "variance.hpp"

using namespace nb::literals;
using bandsvm::Kernel;

namespace {

template <typename Source>
double variance(Matrix<Source> X, Array<double> weights, int n_threads) {
  const Source* const values = data_of(X, "X");
  const double* const weights_of = data_of(weights, X.shape(0), "weights");
  n_threads = bandsvm::as_threads(n_threads);
  nb::gil_scoped_release release;
  return bandsvm::variance(values, X.shape(0), X.shape(1), weights_of, n_threads);
}

template <typename Source>
void find_origin(Matrix<Source> X, std::size_t step, MutableArray<double> origin) {
  bandsvm::require(X.size() > 0 && step > 0,
                   "X must have samples with features, and step must not be 0.");
  const Source* const values = data_of(X, "X");
  double* const to = data_of(origin, X.shape(1), "origin", "features");
  nb::gil_scoped_release release;
  bandsvm::find_origin(values, X.shape(0), X.shape(1), step, to);
}

}  // namespace

NB_MODULE(_core, module) {  // NOLINT(bugprone-signed-bitwise): in the macro of nanobind
  module.doc() = "Compiled steps and kernel rows of the band problem's solvers.";
  nb::class_<Kernel>(module, "Kernel")
      .def(
          "__init__",
          [](Kernel* self, const std::string& name, double gamma, double coef0, int degree) {
            new (self) Kernel(bandsvm::as_kernel(name, gamma, coef0, degree));
          },
          "name"_a, "gamma"_a, "coef0"_a, "degree"_a);
  bind_rows(module);
  bind_bands(module);
  bind_linear(module);
  bind_newton(module);
  bind_certificate(module);
  bind_small(module);
  module.def("simd_level", [] { return std::string(bandsvm::best_instructions<float>().name); });
  module.def("variance", &variance<float>, "X"_a.noconvert(), "weights"_a, "n_threads"_a);
  module.def("variance", &variance<double>, "X"_a.noconvert(), "weights"_a, "n_threads"_a);
  module.def("find_origin", &find_origin<float>, "X"_a.noconvert(), "step"_a,
             "origin"_a.noconvert());
  module.def("find_origin", &find_origin<double>, "X"_a.noconvert(), "step"_a,
             "origin"_a.noconvert());
}
