// Packed samples and their kernel rows, for Python.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "checks.hpp"
#include "compute_rows.hpp"

using namespace nb::literals;
using bandsvm::Kernel;
using bandsvm::require;

namespace {

// Any negative place is none.
constexpr std::int64_t kNoPlace = std::numeric_limits<std::int64_t>::min();

std::vector<std::int64_t> places_of(const Indices& places, std::size_t n_rows, std::size_t count) {
  bandsvm::check_length(places.shape(0), n_rows, "places", "indices");
  return bandsvm::as_indices(given(places), count, "places", kNoPlace);
}

// The addresses of rows of a matrix.
template <typename Real>
std::vector<Real*> rows_of(Real* matrix, std::size_t width,
                           const std::vector<std::int64_t>& slots) {
  std::vector<Real*> rows;
  rows.reserve(slots.size());
  for (std::int64_t slot : slots)
    rows.push_back(slot < 0 ? nullptr : matrix + std::size_t(slot) * width);
  return rows;
}

template <typename Real, typename Source>
bandsvm::Samples<Real> pack(Matrix<Source> X, Array<double> origin, double scale,
                            double cost_of_sparse, int n_threads) {
  require(X.shape(1) > 0, "X must have features.");
  const Source* const values = data_of(X, "X");
  const double* const origin_of = data_of(origin, X.shape(1), "origin", "features");
  bandsvm::as_finite(scale, "scale");
  bandsvm::as_finite(cost_of_sparse, "cost_of_sparse");
  n_threads = bandsvm::as_threads(n_threads);
  nb::gil_scoped_release release;
  return bandsvm::Samples<Real>::pack(values, X.shape(0), X.shape(1), origin_of, scale,
                                      cost_of_sparse, n_threads);
}

template <typename Real, typename Source>
bandsvm::Samples<Real> compress(Indices starts, Array<std::int64_t> columns, Array<Source> values,
                                std::size_t n_features, double scale, double cost_of_sparse) {
  require(n_features > 0, "X must have features.");
  const std::int64_t* const columns_of = data_of(columns, "columns");
  const Source* const values_of = data_of(values, columns.shape(0), "values", "columns");
  auto checked = bandsvm::as_starts(given(starts), values.shape(0));
  bandsvm::as_finite(scale, "scale");
  bandsvm::as_finite(cost_of_sparse, "cost_of_sparse");
  nb::gil_scoped_release release;
  return bandsvm::Samples<Real>::compress(std::move(checked), columns_of, values_of, n_features,
                                          scale, cost_of_sparse);
}

template <typename Real>
bandsvm::Samples<Real> take(const bandsvm::Samples<Real>& samples, Indices indices, int n_threads) {
  bandsvm::check_rows(samples);
  const auto checked = indices_of(indices, samples.count(), "indices");
  n_threads = bandsvm::as_threads(n_threads);
  nb::gil_scoped_release release;
  return samples.take(checked.data(), checked.size(), n_threads);
}

// Kernel values of samples left[indices] with all of right, into store[slots]. places[k] is where
// sample k lies in right, or negative.
template <typename Real>
void compute_rows(const bandsvm::Samples<Real>& left, Indices indices,
                  const bandsvm::Samples<Real>& right, Indices places, const Kernel& kernel,
                  MutableMatrix<Real> store, Indices slots, int n_threads) {
  bandsvm::check_pair(left, right);
  bandsvm::check_has_rows(kernel);
  const auto checked = indices_of(indices, left.count(), "indices");
  const auto in_right = places_of(places, checked.size(), right.count());
  bandsvm::check_length(slots.shape(0), checked.size(), "slots", "indices");
  require(store.shape(1) == right.stride(), "store must be as wide as the padded samples.");
  const auto rows =
      rows_of(data_of(store, "store"), store.shape(1), indices_of(slots, store.shape(0), "slots"));
  n_threads = bandsvm::as_threads(n_threads);
  nb::gil_scoped_release release;
  bandsvm::compute_rows(left, checked.data(), checked.size(), right, in_right.data(), kernel,
                        rows.data(), n_threads);
}

// Kernel values among samples. If places[k] is not negative, sample k has that place in an earlier
// block, `known`; if slots[k] is not negative, its row lies in the store.
template <typename Real>
void compute_block(const bandsvm::Samples<Real>& samples, Indices indices, const Kernel& kernel,
                   MutableMatrix<Real> values, Matrix<Real> known, Indices places,
                   Matrix<Real> store, Indices slots, int n_threads) {
  bandsvm::check_rows(samples);
  bandsvm::check_has_rows(kernel);
  const auto checked = indices_of(indices, samples.count(), "indices");
  const std::size_t number = checked.size();
  const std::size_t width = bandsvm::n_panels_of<Real>(number) * bandsvm::kPanel<Real>;
  require(values.shape(0) == number && values.shape(1) == width,
          "values must have one row, padded to whole panels, for each index.");
  bandsvm::check_length(places.shape(0), number, "places", "indices");
  bandsvm::check_length(slots.shape(0), number, "slots", "indices");
  require(store.shape(1) >= samples.count(), "store must have rows of one value for each sample.");
  const auto place_of = bandsvm::as_indices(given(places), std::min(known.shape(0), known.shape(1)),
                                            "places", kNoPlace);
  const auto stored = rows_of(data_of(store, "store"), store.shape(1),
                              bandsvm::as_indices(given(slots), store.shape(0), "slots", kNoPlace));
  Real* const to = data_of(values, "values");
  const Real* const from = data_of(known, "known");
  n_threads = bandsvm::as_threads(n_threads);
  nb::gil_scoped_release release;
  bandsvm::compute_block(samples, checked.data(), number, kernel, to, from, known.shape(1),
                         place_of.data(), stored.data(), n_threads);
}

// f += K(left[indices], right)' coefficients
template <typename Real>
void accumulate_rows(const bandsvm::Samples<Real>& left, Indices indices,
                     const bandsvm::Samples<Real>& right, Indices places, const Kernel& kernel,
                     Array<double> coefficients, MutableArray<double> f, int n_threads) {
  bandsvm::check_pair(left, right);
  bandsvm::check_has_rows(kernel);
  const auto checked = indices_of(indices, left.count(), "indices");
  const auto in_right = places_of(places, checked.size(), right.count());
  const double* const factors = data_of(coefficients, checked.size(), "coefficients", "indices");
  double* const sums = data_of(f, right.count(), "f");
  n_threads = bandsvm::as_threads(n_threads);
  nb::gil_scoped_release release;
  bandsvm::accumulate_rows(left, checked.data(), checked.size(), right, in_right.data(), kernel,
                           factors, sums, n_threads);
}

template <typename Real>
void multiply_rows(const bandsvm::Samples<Real>& left, const bandsvm::Samples<Real>& right,
                   const Kernel& kernel, Matrix<Real> coefficients, MutableMatrix<double> products,
                   int n_threads) {
  bandsvm::check_pair(left, right);
  bandsvm::check_has_rows(kernel);
  require(coefficients.shape(1) == right.stride(), "coefficients must be padded like the samples.");
  require(products.shape(0) == left.count() && products.shape(1) == coefficients.shape(0),
          "products must have one row for each sample and one column for each output.");
  const Real* const factors = data_of(coefficients, "coefficients");
  double* const sums = data_of(products, "products");
  n_threads = bandsvm::as_threads(n_threads);
  nb::gil_scoped_release release;
  bandsvm::multiply_rows(left, right, kernel, factors, coefficients.shape(0), sums, n_threads);
}

template <typename Real>
void update_gradient(Matrix<Real> store, Indices slots, Array<double> coefficients,
                     MutableArray<double> f, int n_threads) {
  const auto rows =
      rows_of(data_of(store, "store"), store.shape(1), indices_of(slots, store.shape(0), "slots"));
  require(f.shape(0) <= store.shape(1), "f must not be longer than the rows.");
  const double* const factors = data_of(coefficients, rows.size(), "coefficients", "slots");
  double* const sums = data_of(f, "f");
  n_threads = bandsvm::as_threads(n_threads);
  nb::gil_scoped_release release;
  bandsvm::update_gradient(rows.data(), factors, rows.size(), sums, f.shape(0), n_threads);
}

template <typename Real>
void bind(nb::module_& module, const char* samples_name, const char* suffix) {
  using Samples = bandsvm::Samples<Real>;
  nb::class_<Samples>(module, samples_name)
      .def_prop_ro("count", &Samples::count)
      .def_prop_ro("is_sparse", &Samples::is_sparse)
      .def_prop_ro("stride", &Samples::stride)
      .def_prop_ro_static("panel", [](nb::handle) { return bandsvm::kPanel<Real>; })
      .def_prop_ro("n_bytes", &Samples::n_bytes)
      .def_prop_ro("n_products", &Samples::n_products)
      .def_prop_ro(
          "norms",
          [](const Samples& samples) {
            return nb::ndarray<nb::numpy, const Real, nb::ndim<1>>(samples.norms().data(),
                                                                   {samples.count()});
          },
          nb::rv_policy::reference_internal)
      .def("take", &take<Real>, "indices"_a.noconvert(), "n_threads"_a);
  const std::string pack_name = std::string("pack_") + suffix;
  const std::string compress_name = std::string("compress_") + suffix;
  module.def(pack_name.c_str(), &pack<Real, float>, "X"_a.noconvert(), "origin"_a, "scale"_a,
             "cost_of_sparse"_a, "n_threads"_a, nb::keep_alive<0, 1>());
  module.def(pack_name.c_str(), &pack<Real, double>, "X"_a.noconvert(), "origin"_a, "scale"_a,
             "cost_of_sparse"_a, "n_threads"_a, nb::keep_alive<0, 1>());
  module.def(compress_name.c_str(), &compress<Real, float>, "starts"_a.noconvert(),
             "columns"_a.noconvert(), "values"_a.noconvert(), "n_features"_a, "scale"_a,
             "cost_of_sparse"_a);
  module.def(compress_name.c_str(), &compress<Real, double>, "starts"_a.noconvert(),
             "columns"_a.noconvert(), "values"_a.noconvert(), "n_features"_a, "scale"_a,
             "cost_of_sparse"_a);
  module.def("compute_rows", &compute_rows<Real>, "left"_a, "indices"_a.noconvert(), "right"_a,
             "places"_a.noconvert(), "kernel"_a, "store"_a.noconvert(), "slots"_a.noconvert(),
             "n_threads"_a);
  module.def("compute_block", &compute_block<Real>, "samples"_a, "indices"_a.noconvert(),
             "kernel"_a, "values"_a.noconvert(), "known"_a.noconvert(), "places"_a.noconvert(),
             "store"_a.noconvert(), "slots"_a.noconvert(), "n_threads"_a);
  module.def("accumulate_rows", &accumulate_rows<Real>, "left"_a, "indices"_a.noconvert(),
             "right"_a, "places"_a.noconvert(), "kernel"_a, "coefficients"_a, "f"_a.noconvert(),
             "n_threads"_a);
  module.def("multiply_rows", &multiply_rows<Real>, "left"_a, "right"_a, "kernel"_a,
             "coefficients"_a.noconvert(), "products"_a.noconvert(), "n_threads"_a);
  module.def("update_gradient", &update_gradient<Real>, "store"_a.noconvert(),
             "slots"_a.noconvert(), "coefficients"_a, "f"_a.noconvert(), "n_threads"_a);
}

}  // namespace

void bind_rows(nb::module_& module) {
  bind<double>(module, "Samples64", "64");
  bind<float>(module, "Samples32", "32");
  module.attr("ROWS_OF_GROUP") = bandsvm::kRowsOfGroup;
}
