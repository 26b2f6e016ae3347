// Rows of linear models, for Python.
#include <nanobind/stl/optional.h>

#include <optional>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "coordinate_descent.hpp"
#include "newton.hpp"

using namespace nb::literals;
using bandsvm::require;

namespace {

// Samples of a linear model: a matrix, or the starts, columns and values of a CSR matrix.
template <typename Real>
bandsvm::DenseRows<Real> dense_rows(const Matrix<Real>& X) {
  return {data_of(X, "X"), X.shape(0), X.shape(1)};
}

template <typename Real, typename Index>
bandsvm::SparseRows<Real, Index> sparse_rows(const Array<std::int64_t>& starts,
                                             const Array<Index>& columns, const Array<Real>& values,
                                             std::size_t n_features) {
  require(starts.shape(0) > 0, "starts must not be empty.");
  const std::size_t n_values = values.shape(0);
  return {data_of(starts, "starts"),
          data_of(columns, n_values, "columns", "values"),
          data_of(values, "values"),
          starts.shape(0) - 1,
          n_features,
          n_values};
}

template <typename Rows>
void multiply_range(const Rows& rows, std::size_t first, const Array<double>& weights,
                    const MutableArray<double>& products, int n_threads) {
  const double* const from = data_of(weights, rows.n_columns, "weights", "features");
  double* const to = data_of(products, "products");
  const std::size_t number = products.shape(0);
  require(first <= rows.n_rows && number <= rows.n_rows - first, "rows must be those of X.");
  n_threads = bandsvm::as_threads(n_threads);
  nb::gil_scoped_release release;
  bandsvm::row_products(rows, first, first + number, from, to, n_threads);
}

template <typename Rows>
void sum_range(const Rows& rows, std::size_t first, const Array<double>& factors,
               const MutableArray<double>& sums) {
  const double* const from = data_of(factors, "factors");
  double* const to = data_of(sums, rows.n_columns, "sums", "features");
  const std::size_t number = factors.shape(0);
  require(first <= rows.n_rows && number <= rows.n_rows - first, "rows must be those of X.");
  nb::gil_scoped_release release;
  bandsvm::add_rows(rows, first, first + number, from, to);
}

template <typename Rows>
double* checked_gram(const Rows& rows, std::size_t first, std::size_t number,
                     const MutableMatrix<double>& gram) {
  require(first <= rows.n_rows && number <= rows.n_rows - first, "rows must be those of X.");
  require(gram.shape(0) == rows.n_columns && gram.shape(1) == rows.n_columns,
          "gram must have one row and one column for each feature.");
  return data_of(gram, "gram");
}

template <typename Real>
void add_dense_gram(const bandsvm::DenseRows<Real>& rows, std::size_t first,
                    const Array<double>& factors, const std::optional<Array<double>>& centre,
                    const MutableMatrix<double>& gram, int n_threads) {
  const double* const from = data_of(factors, "factors");
  const double* const middle =
      centre ? data_of(*centre, rows.n_columns, "centre", "features") : nullptr;
  double* const to = checked_gram(rows, first, factors.shape(0), gram);
  n_threads = bandsvm::as_threads(n_threads);
  nb::gil_scoped_release release;
  bandsvm::add_gram(rows, first, first + factors.shape(0), from, middle, to, n_threads);
}

template <typename Real, typename Index>
void add_sparse_gram(const bandsvm::SparseRows<Real, Index>& rows, std::size_t first,
                     const Array<double>& factors, const MutableMatrix<double>& gram,
                     int n_threads) {
  const double* const from = data_of(factors, "factors");
  double* const to = checked_gram(rows, first, factors.shape(0), gram);
  n_threads = bandsvm::as_threads(n_threads);
  nb::gil_scoped_release release;
  bandsvm::add_gram(rows, first, first + factors.shape(0), from, to, n_threads);
}

template <typename Rows>
bandsvm::Descent<Rows> descent(const Rows& rows, const BandArrays& bands, const Array<double>& c,
                               const Array<double>& weights, double multiplier, double penalty) {
  bandsvm::check_length(bands.view().size, rows.n_rows, "bands", "samples");
  const double* const at = data_of(c, rows.n_rows, "c");
  const double* const from = data_of(weights, rows.n_columns, "weights", "features");
  nb::gil_scoped_release release;
  std::vector<bandsvm::Variable> variables(rows.n_rows);
  for (std::size_t i = 0; i < rows.n_rows; ++i) variables[i] = {bands.view()[i], 0, at[i]};
  return {rows, std::move(variables), {from, from + rows.n_columns}, multiplier, penalty};
}

template <typename Rows>
void bind_descent(nb::module_& module, const char* name) {
  using Descent = bandsvm::Descent<Rows>;
  nb::class_<Descent>(module, name)
      .def(
          "__init__",
          [](Descent* self, const Rows& rows, const BandArrays& bands, const Array<double>& c,
             const Array<double>& weights, double multiplier, double penalty) {
            new (self) Descent(descent(rows, bands, c, weights, multiplier, penalty));
          },
          "rows"_a, "bands"_a, "c"_a, "weights"_a, "multiplier"_a, "penalty"_a,
          nb::keep_alive<1, 2>())
      .def("run", &Descent::run, "aim"_a, "max_passes"_a, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "coefficients",
          [](const Descent& self, const MutableArray<double>& c) {
            double* const to = data_of(c, self.variables().size(), "c");
            for (std::size_t i = 0; i < self.variables().size(); ++i) to[i] = self.variables()[i].c;
          },
          "c"_a.noconvert())
      .def_prop_ro("is_enough", &Descent::is_enough)
      .def_prop_ro("gap", &Descent::gap)
      .def_prop_ro("primal", &Descent::primal);
}

template <typename Real>
void bind_dense_rows(nb::module_& module, const char* name, const char* descent) {
  using Rows = bandsvm::DenseRows<Real>;
  nb::class_<Rows>(module, name)
      .def(
          "__init__", [](Rows* self, Matrix<Real> X) { new (self) Rows(dense_rows<Real>(X)); },
          "X"_a.noconvert(), nb::keep_alive<1, 2>())
      .def("multiply", &multiply_range<Rows>, "first"_a, "weights"_a, "products"_a.noconvert(),
           "n_threads"_a)
      .def("add_to", &sum_range<Rows>, "first"_a, "factors"_a, "sums"_a.noconvert())
      .def("add_gram", &add_dense_gram<Real>, "first"_a, "factors"_a, "centre"_a.none(),
           "gram"_a.noconvert(), "n_threads"_a);
  bind_descent<Rows>(module, descent);
}

template <typename Real, typename Index>
void bind_sparse_rows(nb::module_& module, const char* name, const char* descent) {
  using Rows = bandsvm::SparseRows<Real, Index>;
  nb::class_<Rows>(module, name)
      .def(
          "__init__",
          [](Rows* self, Array<std::int64_t> starts, Array<Index> columns, Array<Real> values,
             std::size_t n_features) {
            new (self) Rows(sparse_rows<Real, Index>(starts, columns, values, n_features));
          },
          "starts"_a.noconvert(), "columns"_a.noconvert(), "values"_a.noconvert(), "n_features"_a,
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
      .def("multiply", &multiply_range<Rows>, "first"_a, "weights"_a, "products"_a.noconvert(),
           "n_threads"_a)
      .def("add_to", &sum_range<Rows>, "first"_a, "factors"_a, "sums"_a.noconvert())
      .def("add_gram", &add_sparse_gram<Real, Index>, "first"_a, "factors"_a, "gram"_a.noconvert(),
           "n_threads"_a);
  bind_descent<Rows>(module, descent);
}

}  // namespace

void bind_linear(nb::module_& module) {
  bind_dense_rows<double>(module, "DenseRows64", "DenseDescent64");
  bind_dense_rows<float>(module, "DenseRows32", "DenseDescent32");
  bind_sparse_rows<double, std::int32_t>(module, "SparseRows64", "SparseDescent64");
  bind_sparse_rows<float, std::int32_t>(module, "SparseRows32", "SparseDescent32");
  bind_sparse_rows<double, std::int64_t>(module, "SparseRows64Long", "SparseDescent64Long");
  bind_sparse_rows<float, std::int64_t>(module, "SparseRows32Long", "SparseDescent32Long");
}
