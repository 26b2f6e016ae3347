// What certificates are made of, for Python: sums of kernel values by their definitions, and how
// far a point is from optimal.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <array>
#include <optional>
#include <tuple>
#include <vector>

#include "exact_products.hpp"
#include "judged_arrays.hpp"
#include "optimality.hpp"

using namespace nb::literals;
using bandsvm::require;

namespace {

// products = K(A[targets], B[terms]) coefficients'
template <typename Left, typename Right>
void exact_products(const Left& A, const Indices& targets, const Right& B, const Indices& terms,
                    std::size_t n_features, const bandsvm::Kernel& kernel,
                    const Matrix<double>& coefficients, const MutableMatrix<double>& products,
                    int n_threads) {
  bandsvm::check_has_definition(kernel);
  const auto left = matrix_of(A, n_features, "A");
  const auto right = matrix_of(B, n_features, "B");
  const auto rows = indices_of(targets, rows_of(A), "targets");
  const auto others = indices_of(terms, rows_of(B), "terms");
  const std::size_t n_outputs = coefficients.shape(0);
  require(coefficients.shape(1) == others.size(), "coefficients must have a column for each term.");
  require(products.shape(0) == rows.size() && products.shape(1) == n_outputs,
          "products must have one row for each target and one column for each output.");
  const double* const factors = data_of(coefficients, "coefficients");
  double* const to = data_of(products, "products");
  n_threads = bandsvm::as_threads(n_threads);
  nb::gil_scoped_release release;
  bandsvm::exact_products(kernel, left, {rows.data(), rows.size()}, right,
                          {others.data(), others.size()}, factors, n_outputs, to, n_threads);
}

using Measures = std::tuple<double, double, double, double, double, double, double, double, double,
                            double, double, double, double, double>;

Measures measure_optimality(const PricedBandArrays& bands, const Array<double>& c,
                            const Array<double>& f, double intercept,
                            const std::optional<Array<double>>& errors, double share_in_sums) {
  const bandsvm::JudgedPoint point = bands.at(c, f);
  const double* const off = errors ? data_of(*errors, point.size, "errors") : nullptr;
  nb::gil_scoped_release release;
  const bandsvm::Optimality found = bandsvm::optimality_of(point, intercept, off, share_in_sums);
  return {found.primal,
          found.dual,
          found.gap,
          found.gap_with_errors,
          found.product_error,
          found.excess,
          found.total_size,
          found.outside,
          found.interval.lower,
          found.interval.upper,
          found.with_errors.lower,
          found.with_errors.upper,
          found.values.lower,
          found.values.upper};
}

std::tuple<double, double> flat_interval(const PricedBandArrays& bands, const Array<double>& c,
                                         const Array<double>& f, double intercept, double room) {
  const bandsvm::JudgedPoint point = bands.at(c, f);
  nb::gil_scoped_release release;
  const bandsvm::Limits found = bandsvm::flat_interval(point, intercept, room);
  return {found.lower, found.upper};
}

double measure_risks(const PricedBandArrays& bands, const Array<double>& c, const Array<double>& f,
                     const Array<double>& errors, double tol, bool has_intercept,
                     const MutableArray<double>& risks) {
  const bandsvm::JudgedPoint point = bands.at(c, f);
  const double* const off = data_of(errors, point.size, "errors");
  double* const to = data_of(risks, point.size, "risks");
  nb::gil_scoped_release release;
  return bandsvm::risks_of(point, off, tol, has_intercept, to);
}

template <typename Left, typename Right = Left>
void bind(nb::module_& module) {
  module.def("exact_products", &exact_products<Left, Right>, "A"_a.noconvert(),
             "targets"_a.noconvert(), "B"_a.noconvert(), "terms"_a.noconvert(), "n_features"_a,
             "kernel"_a, "coefficients"_a.noconvert(), "products"_a.noconvert(), "n_threads"_a);
}

}  // namespace

void bind_certificate(nb::module_& module) {
  bind<Matrix<float>>(module);
  bind<Matrix<double>>(module);
  bind<Matrix<float>, Matrix<double>>(module);
  bind<Matrix<double>, Matrix<float>>(module);
  bind<CsrArrays<float, std::int32_t>>(module);
  bind<CsrArrays<double, std::int32_t>>(module);
  bind<CsrArrays<float, std::int64_t>>(module);
  bind<CsrArrays<double, std::int64_t>>(module);
  nb::class_<PricedBandArrays>(module, "PricedBands")
      .def(nb::init<const Array<double>&, const Array<double>&, const Array<double>&,
                    const Array<double>&, const Array<double>&, const Array<double>&, bool,
                    double>(),
           "lo"_a, "hi"_a, "below"_a, "above"_a, "most"_a, "least"_a, "is_squared"_a, "total"_a);
  module.def("measure_optimality", &measure_optimality, "bands"_a, "c"_a, "f"_a, "intercept"_a,
             "errors"_a.none(), "share_in_sums"_a);
  module.def("flat_interval", &flat_interval, "bands"_a, "c"_a, "f"_a, "intercept"_a, "room"_a);
  module.def("measure_risks", &measure_risks, "bands"_a, "c"_a, "f"_a, "errors"_a, "tol"_a,
             "has_intercept"_a, "risks"_a.noconvert());
}
