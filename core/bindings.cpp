// The only file that knows both Python and C++.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "block_solver.hpp"
#include "engine.hpp"
#include "selection.hpp"
#include "variance.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <typename T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using MutableArray = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using MutableMatrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using PaddedMatrix = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
using Indices = Array<std::int64_t>;
using BandValues = std::tuple<double, double, double, double, double, double>;

bandsvm::Band to_band(const BandValues& values) {
  return std::apply([](auto... value) { return bandsvm::Band{value...}; }, values);
}

void require(bool holds, const char* message) {
  if (!holds) throw nb::value_error(message);
}

void check_indices(const Indices& indices, std::size_t count) {
  for (std::size_t i = 0; i < indices.shape(0); ++i)
    require(indices.data()[i] >= 0 && std::size_t(indices.data()[i]) < count,
            "an index is out of range.");
}

// Rows of the kernel may be padded.
template <typename Real>
std::tuple<std::int64_t, double, bool> solve_block(PaddedMatrix<Real> kernel, Array<double> lo,
                                                   Array<double> hi, Array<double> below,
                                                   Array<double> above,
                                                   Array<double> bend_below,
                                                   Array<double> bend_above,
                                                   MutableArray<double> c, Array<double> f,
                                                   double tol, std::int64_t max_steps,
                                                   bool has_intercept) {
  const std::size_t size = c.shape(0);
  for (std::size_t length :
       {kernel.shape(0), lo.shape(0), hi.shape(0), below.shape(0), above.shape(0),
        bend_below.shape(0), bend_above.shape(0), f.shape(0)})
    require(length == size, "solve_block: all arrays must have one length.");
  require(kernel.shape(1) == size && (size <= 1 || kernel.stride(1) == 1),
          "solve_block: the kernel must be a square matrix of contiguous rows.");
  const bandsvm::Block<Real> block{kernel.data(),     lo.data(),         hi.data(),
                                   below.data(),      above.data(),      bend_below.data(),
                                   bend_above.data(), c.data(),          f.data(),
                                   size,              std::size_t(kernel.stride(0))};
  nb::gil_scoped_release release;
  const bandsvm::BlockReport report = bandsvm::solve_block(block, tol, max_steps, has_intercept);
  return {report.n_steps, report.violation, report.stalled};
}

// Violation, and how many variables for the next block, besides `kept`, were put into `chosen`.
std::tuple<double, std::size_t> select_variables(Array<double> lo, Array<double> hi,
                                                 Array<double> below, Array<double> above,
                                                 Array<double> c, Array<double> f,
                                                 bool has_intercept, Indices kept,
                                                 MutableArray<std::int64_t> chosen,
                                                 int n_threads) {
  const std::size_t size = c.shape(0);
  for (std::size_t length :
       {lo.shape(0), hi.shape(0), below.shape(0), above.shape(0), f.shape(0)})
    require(length == size, "select_variables: all arrays must have one length.");
  check_indices(kept, size);
  nb::gil_scoped_release release;
  const bandsvm::Selection found = bandsvm::select_variables(
      lo.data(), hi.data(), below.data(), above.data(), c.data(), f.data(), size, has_intercept,
      kept.data(), kept.shape(0), chosen.shape(0), n_threads);
  std::copy(found.variables.begin(), found.variables.end(), chosen.data());
  return {found.violation, found.variables.size()};
}

double dual_value(Array<double> lo, Array<double> hi, Array<double> c, Array<double> f) {
  const std::size_t size = c.shape(0);
  for (std::size_t length : {lo.shape(0), hi.shape(0), f.shape(0)})
    require(length == size, "dual_value: all arrays must have one length.");
  return bandsvm::dual_value(lo.data(), hi.data(), c.data(), f.data(), size);
}

std::tuple<double, double> pair_step(BandValues band_i, double c_i, BandValues band_j, double c_j,
                                     double difference, double curvature) {
  bandsvm::pair_step(to_band(band_i), c_i, to_band(band_j), c_j, difference, curvature);
  return {c_i, c_j};
}

double single_step(BandValues band, double c, double f, double curvature) {
  bandsvm::single_step(to_band(band), c, f, curvature);
  return c;
}

bandsvm::KernelFunction kernel_function(const std::string& name, double gamma, double coef0,
                                        int degree) {
  using bandsvm::KernelKind;
  const KernelKind kind = name == "linear" ? KernelKind::linear
                          : name == "rbf"  ? KernelKind::rbf
                          : name == "poly" ? KernelKind::poly
                                           : KernelKind::sigmoid;
  return {kind, gamma, coef0, degree};
}

template <typename Source>
double variance(Matrix<Source> X, Array<double> weights, int n_threads) {
  require(weights.shape(0) == X.shape(0), "weights must have one value a row.");
  nb::gil_scoped_release release;
  return bandsvm::variance(X.data(), X.shape(0), X.shape(1), weights.data(), n_threads);
}

template <typename Real, typename Source>
bandsvm::Samples<Real> pack(Matrix<Source> X, Array<double> origin, double scale, int n_threads) {
  require(origin.shape(0) == X.shape(1), "origin must have one value a feature.");
  nb::gil_scoped_release release;
  return bandsvm::Samples<Real>::pack(X.data(), X.shape(0), X.shape(1), origin.data(), scale,
                                      n_threads);
}

template <typename Real, typename Source>
bandsvm::Samples<Real> compress(Array<std::int64_t> starts, Array<std::int64_t> columns,
                                Array<Source> values, std::size_t n_features, double scale) {
  require(starts.shape(0) > 0, "starts must not be empty.");
  // A copy, which nobody changes once it is checked.
  std::vector<std::int64_t> checked(starts.data(), starts.data() + starts.shape(0));
  require(columns.shape(0) == values.shape(0), "columns and values must have one length.");
  require(checked.front() >= 0 && std::size_t(checked.back()) <= values.shape(0),
          "starts must lie within the values.");
  require(std::is_sorted(checked.begin(), checked.end()), "starts must not fall.");
  nb::gil_scoped_release release;
  return bandsvm::Samples<Real>::compress(std::move(checked), columns.data(), values.data(),
                                          n_features, scale);
}

// Kernel values of samples left[indices] with all of right, into store[slots].
template <typename Real>
void compute_rows(const bandsvm::Samples<Real>& left, Indices indices,
                  const bandsvm::Samples<Real>& right, const std::string& kernel, double gamma,
                  double coef0, int degree, MutableMatrix<Real> store, Indices slots,
                  int n_threads) {
  check_indices(indices, left.count);
  check_indices(slots, store.shape(0));
  require(indices.shape(0) == slots.shape(0), "indices and slots must have one length.");
  require(store.shape(1) == right.stride(), "the store must be as wide as the padded samples.");
  require(left.n_features == right.n_features, "samples must have the same features.");
  std::vector<Real*> rows(indices.shape(0));
  for (std::size_t r = 0; r < rows.size(); ++r)
    rows[r] = store.data() + std::size_t(slots.data()[r]) * store.shape(1);
  nb::gil_scoped_release release;
  bandsvm::compute_rows(left, indices.data(), rows.size(), right,
                        kernel_function(kernel, gamma, coef0, degree), rows.data(), n_threads);
}

// Kernel values of samples with each other. Where places is not negative, a sample has that place
// in an earlier block, `known`; where slots is not negative, its row lies in the store.
template <typename Real>
void compute_block(const bandsvm::Samples<Real>& samples, Indices indices,
                   const std::string& kernel, double gamma, double coef0, int degree,
                   MutableMatrix<Real> values, Matrix<Real> known, Indices places,
                   Matrix<Real> store, Indices slots, int n_threads) {
  check_indices(indices, samples.count);
  const std::size_t number = indices.shape(0), width = bandsvm::kPanel<Real>;
  require(values.shape(0) == number && values.shape(1) == (number + width - 1) / width * width,
          "values must have one row, padded to whole panels, a sample.");
  require(places.shape(0) == number && slots.shape(0) == number,
          "places and slots must have one value a sample.");
  require(store.shape(1) >= samples.count, "stored rows are too short.");
  std::vector<const Real*> stored(number, nullptr);
  for (std::size_t r = 0; r < number; ++r) {
    const std::int64_t slot = slots.data()[r], place = places.data()[r];
    require(slot < std::int64_t(store.shape(0)), "a slot is out of range.");
    require(place < std::int64_t(std::min(known.shape(0), known.shape(1))),
            "a place is out of range.");
    if (slot >= 0) stored[r] = store.data() + std::size_t(slot) * store.shape(1);
  }
  nb::gil_scoped_release release;
  bandsvm::compute_block(samples, indices.data(), number,
                         kernel_function(kernel, gamma, coef0, degree), values.data(),
                         known.data(), known.shape(1), places.data(), stored.data(), n_threads);
}

// f += K(left[indices], right)' coefficients
template <typename Real>
void accumulate_rows(const bandsvm::Samples<Real>& left, Indices indices,
                     const bandsvm::Samples<Real>& right, const std::string& kernel, double gamma,
                     double coef0, int degree, Array<double> coefficients, MutableArray<double> f,
                     int n_threads) {
  check_indices(indices, left.count);
  require(indices.shape(0) == coefficients.shape(0),
          "indices and coefficients must have one length.");
  require(f.shape(0) == right.count, "f must have one value a sample.");
  require(left.n_features == right.n_features, "samples must have the same features.");
  require(left.has_rows(), "samples that were taken from others have no rows.");
  nb::gil_scoped_release release;
  bandsvm::accumulate_rows(left, indices.data(), indices.shape(0), right,
                           kernel_function(kernel, gamma, coef0, degree), coefficients.data(),
                           f.data(), n_threads);
}

template <typename Real>
void multiply_rows(const bandsvm::Samples<Real>& left, const bandsvm::Samples<Real>& right,
                   const std::string& kernel, double gamma, double coef0, int degree,
                   Matrix<Real> coefficients, MutableMatrix<double> products, int n_threads) {
  require(coefficients.shape(1) == right.stride(), "coefficients must be padded like the samples.");
  require(products.shape(0) == left.count && products.shape(1) == coefficients.shape(0),
          "products must have one row a sample and one column an output.");
  require(left.n_features == right.n_features, "samples must have the same features.");
  nb::gil_scoped_release release;
  bandsvm::multiply_rows(left, right, kernel_function(kernel, gamma, coef0, degree),
                         coefficients.data(), coefficients.shape(0), products.data(), n_threads);
}

template <typename Real>
void update_gradient(Matrix<Real> store, Indices slots, Array<double> coefficients,
                     MutableArray<double> f, int n_threads) {
  check_indices(slots, store.shape(0));
  require(slots.shape(0) == coefficients.shape(0), "slots and coefficients must have one length.");
  require(f.shape(0) <= store.shape(1), "f is longer than the rows.");
  std::vector<const Real*> rows(slots.shape(0));
  for (std::size_t r = 0; r < rows.size(); ++r)
    rows[r] = store.data() + std::size_t(slots.data()[r]) * store.shape(1);
  nb::gil_scoped_release release;
  bandsvm::update_gradient(rows.data(), coefficients.data(), rows.size(), f.data(), f.shape(0),
                           n_threads);
}

template <typename Real>
void bind(nb::module_& module, const char* samples_name, const char* suffix) {
  using Samples = bandsvm::Samples<Real>;
  nb::class_<Samples>(module, samples_name)
      .def_ro("count", &Samples::count)
      .def_ro("is_sparse", &Samples::is_sparse)
      .def_prop_ro("stride", &Samples::stride)
      .def_prop_ro_static("panel", [](nb::handle) { return bandsvm::kPanel<Real>; })
      .def_prop_ro("n_bytes", &Samples::n_bytes)
      .def_ro("n_products", &Samples::n_products)
      .def_prop_ro(
          "norms",
          [](Samples& samples) {
            return nb::ndarray<nb::numpy, const Real, nb::ndim<1>>(samples.norms.data(),
                                                                   {samples.count});
          },
          nb::rv_policy::reference_internal)
      .def(
          "take",
          [](const Samples& samples, Indices indices, int n_threads) {
            check_indices(indices, samples.count);
            nb::gil_scoped_release release;
            return samples.take(indices.data(), indices.shape(0), n_threads);
          },
          "indices"_a, "n_threads"_a);
  const std::string pack_name = std::string("pack_") + suffix;
  const std::string compress_name = std::string("compress_") + suffix;
  module.def(pack_name.c_str(), &pack<Real, float>, "X"_a.noconvert(), "origin"_a,
             "scale"_a, "n_threads"_a, nb::keep_alive<0, 1>());
  module.def(pack_name.c_str(), &pack<Real, double>, "X"_a.noconvert(), "origin"_a,
             "scale"_a, "n_threads"_a, nb::keep_alive<0, 1>());
  module.def(compress_name.c_str(), &compress<Real, float>, "starts"_a, "columns"_a,
             "values"_a.noconvert(), "n_features"_a, "scale"_a);
  module.def(compress_name.c_str(), &compress<Real, double>, "starts"_a, "columns"_a,
             "values"_a.noconvert(), "n_features"_a, "scale"_a);
  module.def("compute_rows", &compute_rows<Real>, "left"_a, "indices"_a, "right"_a, "kernel"_a,
             "gamma"_a, "coef0"_a, "degree"_a, "store"_a.noconvert(), "slots"_a, "n_threads"_a);
  module.def("compute_block", &compute_block<Real>, "samples"_a, "indices"_a, "kernel"_a,
             "gamma"_a, "coef0"_a, "degree"_a, "values"_a.noconvert(), "known"_a.noconvert(),
             "places"_a, "store"_a.noconvert(), "slots"_a, "n_threads"_a);
  module.def("accumulate_rows", &accumulate_rows<Real>, "left"_a, "indices"_a, "right"_a,
             "kernel"_a, "gamma"_a, "coef0"_a, "degree"_a, "coefficients"_a, "f"_a.noconvert(),
             "n_threads"_a);
  module.def("multiply_rows", &multiply_rows<Real>, "left"_a, "right"_a, "kernel"_a, "gamma"_a,
             "coef0"_a, "degree"_a, "coefficients"_a.noconvert(), "products"_a.noconvert(),
             "n_threads"_a);
  module.def("update_gradient", &update_gradient<Real>, "store"_a.noconvert(), "slots"_a,
             "coefficients"_a, "f"_a.noconvert(), "n_threads"_a);
  module.def("solve_block", &solve_block<Real>, "kernel"_a.noconvert(), "lo"_a, "hi"_a, "below"_a,
             "above"_a, "bend_below"_a, "bend_above"_a, "c"_a.noconvert(), "f"_a, "tol"_a,
             "max_steps"_a, "has_intercept"_a);
}

}  // namespace

NB_MODULE(_core, module) {
  module.doc() = "Compiled steps and kernel rows of the band problem's solvers.";
  bind<double>(module, "Samples64", "64");
  bind<float>(module, "Samples32", "32");
  module.def("simd_level", [] { return std::string(bandsvm::best_instructions<float>().name); });
  module.def("variance", &variance<float>, "X"_a.noconvert(), "weights"_a, "n_threads"_a);
  module.def("variance", &variance<double>, "X"_a.noconvert(), "weights"_a, "n_threads"_a);
  module.def("select_variables", &select_variables, "lo"_a, "hi"_a, "below"_a, "above"_a, "c"_a,
             "f"_a, "has_intercept"_a, "kept"_a, "chosen"_a.noconvert(),
             "n_threads"_a);
  module.def("dual_value", &dual_value, "lo"_a, "hi"_a, "c"_a, "f"_a);
  module.def("pair_step", &pair_step, "band_i"_a, "c_i"_a, "band_j"_a, "c_j"_a, "difference"_a,
             "curvature"_a);
  module.def("single_step", &single_step, "band"_a, "c"_a, "f"_a, "curvature"_a);
}
