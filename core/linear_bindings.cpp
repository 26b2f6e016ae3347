// Rows of linear models, for Python.
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>

#include "arrays.hpp"
#include "coordinate_descent.hpp"
#include "linear_rows.hpp"

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
                                             const Array<Index>& columns,
                                             const Array<Real>& values, std::size_t n_features) {
  require(starts.shape(0) > 0, "starts must not be empty.");
  const std::size_t n_values = values.shape(0);
  return {data_of(starts, "starts"), data_of(columns, n_values, "columns", "values"),
          data_of(values, "values"), starts.shape(0) - 1, n_features, n_values};
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

template <typename Real, typename Index>
void add_gram(const bandsvm::SparseRows<Real, Index>& rows, std::size_t first,
              const Array<double>& factors, const MutableMatrix<double>& gram, int n_threads) {
  const double* const from = data_of(factors, "factors");
  const std::size_t number = factors.shape(0);
  require(first <= rows.n_rows && number <= rows.n_rows - first, "rows must be those of X.");
  require(gram.shape(0) == rows.n_columns && gram.shape(1) == rows.n_columns,
          "gram must have one row and one column for each feature.");
  double* const to = data_of(gram, "gram");
  n_threads = bandsvm::as_threads(n_threads);
  nb::gil_scoped_release release;
  bandsvm::add_gram(rows, first, first + number, from, to, n_threads);
}

// Edges, costs and ridges of the samples, and their squared norms.
using BandArrays = std::tuple<Array<double>, Array<double>, Array<double>, Array<double>,
                              Array<double>, Array<double>, Array<double>>;

template <typename Rows>
std::tuple<std::size_t, double, double> descend(const Rows& rows, const BandArrays& arrays,
                                                double multiplier, double penalty,
                                                const MutableArray<std::int64_t>& order,
                                                double slack, const MutableArray<double>& c,
                                                const MutableArray<double>& weights,
                                                double total) {
  const auto of = [&](const Array<double>& values) {
    return data_of(values, rows.n_rows, "every array of the band");
  };
  const bandsvm::DescentProblem problem = std::apply(
      [&](const auto&... values) {
        return bandsvm::DescentProblem{of(values)..., multiplier, penalty};
      },
      arrays);
  double* const coefficients = data_of(c, rows.n_rows, "c");
  double* const sums = data_of(weights, rows.n_columns, "weights", "features");
  std::int64_t* const to = data_of(order, "order");
  const std::size_t number = order.shape(0);
  auto checked = bandsvm::as_indices({to, number, 1}, rows.n_rows, "order");
  nb::gil_scoped_release release;
  const bandsvm::DescentReport report = bandsvm::descend(
      rows, problem, checked.data(), number, slack, coefficients, sums, total);
  std::copy(checked.begin(), checked.end(), to);
  return {report.n_active, report.violation, report.total};
}

template <typename Real>
void bind_dense_rows(nb::module_& module, const char* name) {
  using Rows = bandsvm::DenseRows<Real>;
  nb::class_<Rows>(module, name)
      .def("__init__", [](Rows* self, Matrix<Real> X) { new (self) Rows(dense_rows<Real>(X)); },
           "X"_a.noconvert(), nb::keep_alive<1, 2>())
      .def("multiply", &multiply_range<Rows>, "first"_a, "weights"_a, "products"_a.noconvert(),
           "n_threads"_a)
      .def("add_to", &sum_range<Rows>, "first"_a, "factors"_a, "sums"_a.noconvert())
      .def("descend", &descend<Rows>, "band"_a, "multiplier"_a, "penalty"_a, "order"_a.noconvert(),
           "slack"_a, "c"_a.noconvert(), "weights"_a.noconvert(), "total"_a);
}

template <typename Real, typename Index>
void bind_sparse_rows(nb::module_& module, const char* name) {
  using Rows = bandsvm::SparseRows<Real, Index>;
  nb::class_<Rows>(module, name)
      .def("__init__",
           [](Rows* self, Array<std::int64_t> starts, Array<Index> columns, Array<Real> values,
              std::size_t n_features) {
             new (self) Rows(sparse_rows<Real, Index>(starts, columns, values, n_features));
           },
           "starts"_a.noconvert(), "columns"_a.noconvert(), "values"_a.noconvert(), "n_features"_a,
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
      .def("multiply", &multiply_range<Rows>, "first"_a, "weights"_a, "products"_a.noconvert(),
           "n_threads"_a)
      .def("add_to", &sum_range<Rows>, "first"_a, "factors"_a, "sums"_a.noconvert())
      .def("add_gram", &add_gram<Real, Index>, "first"_a, "factors"_a, "gram"_a.noconvert(),
           "n_threads"_a)
      .def("descend", &descend<Rows>, "band"_a, "multiplier"_a, "penalty"_a, "order"_a.noconvert(),
           "slack"_a, "c"_a.noconvert(), "weights"_a.noconvert(), "total"_a);
}

}  // namespace

void bind_linear(nb::module_& module) {
  bind_dense_rows<double>(module, "DenseRows64");
  bind_dense_rows<float>(module, "DenseRows32");
  bind_sparse_rows<double, std::int32_t>(module, "SparseRows64");
  bind_sparse_rows<float, std::int32_t>(module, "SparseRows32");
  bind_sparse_rows<double, std::int64_t>(module, "SparseRows64Long");
  bind_sparse_rows<float, std::int64_t>(module, "SparseRows32Long");
}
