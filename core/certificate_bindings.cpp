// What certificates are made of, for Python: sums of kernel values by their definitions, and how far
// a point is from optimal.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "exact_products.hpp"
#include "optimality.hpp"

using namespace nb::literals;
using bandsvm::require;

namespace {

using Indices = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::device::cpu>;
// Starts, columns and values of a CSR matrix.
template <typename Real, typename Index>
using CsrArrays = std::tuple<Indices, Array<Index>, Array<Real>>;
using KernelValues = std::tuple<std::string, double, double, int>;

bandsvm::ExactKernel exact_kernel(const KernelValues& values) {
  using bandsvm::Definition;
  const auto& [name, gamma, coef0, degree] = values;
  const std::pair<const char*, Definition> known[] = {{"rbf", Definition::rbf},
                                                      {"poly", Definition::poly},
                                                      {"sigmoid", Definition::sigmoid},
                                                      {"laplacian", Definition::laplacian},
                                                      {"chi2", Definition::chi2}};
  require(degree >= 0, "degree", "must be at least 0", degree);
  for (const auto& [word, kind] : known)
    if (name == word)
      return {kind, bandsvm::as_finite(gamma, "gamma"), bandsvm::as_finite(coef0, "coef0"), degree};
  throw std::invalid_argument("kernel must be 'rbf', 'poly', 'sigmoid', 'laplacian' or 'chi2', "
                              "got '" + name + "'.");
}

std::vector<std::int64_t> checked_rows(const Indices& indices, std::size_t n_rows,
                                       const char* name) {
  return bandsvm::as_indices({indices.data(), indices.shape(0), indices.stride(0)}, n_rows, name);
}

template <typename Real>
bandsvm::DenseMatrix<Real> matrix_of(const Matrix<Real>& X, std::size_t n_features,
                                     const char* name) {
  require(X.shape(1) == n_features, "matrices must have n_features columns.");
  return {data_of(X, name), X.shape(0), X.shape(1)};
}

template <typename Real, typename Index>
bandsvm::CsrMatrix<Real, Index> matrix_of(const CsrArrays<Real, Index>& X, std::size_t n_features,
                                          const char* name) {
  const auto& [starts, columns, values] = X;
  auto checked =
      bandsvm::as_starts({starts.data(), starts.shape(0), starts.stride(0)}, values.shape(0));
  return {std::move(checked), data_of(columns, values.shape(0), name, "values"),
          data_of(values, name), n_features};
}

template <typename Real>
std::size_t rows_of(const Matrix<Real>& X) {
  return X.shape(0);
}

template <typename Real, typename Index>
std::size_t rows_of(const CsrArrays<Real, Index>& X) {
  const std::size_t n_starts = std::get<0>(X).shape(0);
  return n_starts == 0 ? 0 : n_starts - 1;
}

// products = K(A[targets], B[terms]) coefficients'
template <typename Left, typename Right>
void exact_products(const Left& A, const Indices& targets, const Right& B,
                    const Indices& terms, std::size_t n_features, const KernelValues& kernel,
                    const Matrix<double>& coefficients, const MutableMatrix<double>& products,
                    int n_threads) {
  const bandsvm::ExactKernel function = exact_kernel(kernel);
  const auto left = matrix_of(A, n_features, "A"), right = matrix_of(B, n_features, "B");
  const auto rows = checked_rows(targets, rows_of(A), "targets");
  const auto others = checked_rows(terms, rows_of(B), "terms");
  const std::size_t n_outputs = coefficients.shape(0);
  require(coefficients.shape(1) == others.size(), "coefficients must have a column for each term.");
  require(products.shape(0) == rows.size() && products.shape(1) == n_outputs,
          "products must have one row for each target and one column for each output.");
  const double* const factors = data_of(coefficients, "coefficients");
  double* const to = data_of(products, "products");
  n_threads = bandsvm::as_threads(n_threads);
  nb::gil_scoped_release release;
  bandsvm::exact_products(function, left, {rows.data(), rows.size()}, right,
                          {others.data(), others.size()}, factors, n_outputs, to, n_threads);
}

// lo, hi, costs below and above, bounds of c and of -c
using BandArrays = std::tuple<Array<double>, Array<double>, Array<double>, Array<double>,
                              Array<double>, Array<double>>;

bandsvm::JudgedPoint judged_point(const BandArrays& band, bool is_squared, const Array<double>& c,
                                  const Array<double>& f) {
  const std::size_t size = c.shape(0);
  const auto of = [&](const Array<double>& values) {
    return data_of(values, size, "every array of the band");
  };
  const auto& [lo, hi, below, above, most, least] = band;
  return {of(lo),   of(hi),          of(below),           of(above),          of(most),
          of(least), data_of(c, "c"), data_of(f, size, "f"), size, is_squared};
}

using Measures = std::tuple<double, double, double, double, double, double, double, double, double,
                            double, double, double, double, double>;

Measures measure_optimality(const BandArrays& band, bool is_squared, const Array<double>& c,
                            const Array<double>& f, double intercept,
                            const std::optional<Array<double>>& errors, double share_in_sums) {
  const bandsvm::JudgedPoint point = judged_point(band, is_squared, c, f);
  const double* const off = errors ? data_of(*errors, point.size, "errors") : nullptr;
  nb::gil_scoped_release release;
  const bandsvm::Optimality found =
      bandsvm::optimality_of(point, intercept, off, share_in_sums);
  return {found.primal,         found.dual,           found.gap,
          found.gap_with_errors, found.product_error, found.total, found.total_size,
          found.outside,        found.interval.lower, found.interval.upper,
          found.with_errors.lower, found.with_errors.upper,
          found.values.lower, found.values.upper};
}

std::tuple<double, double> flat_interval(const BandArrays& band, const Array<double>& c,
                                         const Array<double>& f, double intercept, double room) {
  const bandsvm::JudgedPoint point = judged_point(band, false, c, f);
  nb::gil_scoped_release release;
  const bandsvm::Limits found = bandsvm::flat_interval(point, intercept, room);
  return {found.lower, found.upper};
}

double measure_risks(const BandArrays& band, bool is_squared, const Array<double>& c,
                     const Array<double>& f, const Array<double>& errors, double tol,
                     bool has_intercept, const MutableArray<double>& risks) {
  const bandsvm::JudgedPoint point = judged_point(band, is_squared, c, f);
  const double* const off = data_of(errors, point.size, "errors");
  double* const to = data_of(risks, point.size, "risks");
  nb::gil_scoped_release release;
  return bandsvm::risks_of(point, off, tol, has_intercept, to);
}

template <typename Left, typename Right = Left>
void bind(nb::module_& module) {
  module.def("exact_products", &exact_products<Left, Right>, "A"_a.noconvert(), "targets"_a.noconvert(),
             "B"_a.noconvert(), "terms"_a.noconvert(), "n_features"_a, "kernel"_a,
             "coefficients"_a.noconvert(), "products"_a.noconvert(), "n_threads"_a);
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
  module.def("measure_optimality", &measure_optimality, "band"_a, "is_squared"_a, "c"_a, "f"_a,
             "intercept"_a, "errors"_a.none(), "share_in_sums"_a);
  module.def("flat_interval", &flat_interval, "band"_a, "c"_a, "f"_a, "intercept"_a, "room"_a);
  module.def("measure_risks", &measure_risks, "band"_a, "is_squared"_a, "c"_a, "f"_a, "errors"_a,
             "tol"_a, "has_intercept"_a, "risks"_a.noconvert());
}
