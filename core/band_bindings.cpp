// Bands, steps of the dual and the selection of variables, for Python.
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <mutex>
#include <tuple>

#include "arrays.hpp"
#include "block_solver.hpp"
#include "checks.hpp"
#include "selection.hpp"

using namespace nb::literals;
using bandsvm::Band;
using bandsvm::require;

namespace {

template <typename T>
using PaddedMatrix = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

// Rows of the kernel may be padded.
template <typename Real>
std::tuple<std::int64_t, double, bool> solve_block(PaddedMatrix<Real> kernel,
                                                   const BandArrays& bands, MutableArray<double> c,
                                                   Array<double> f, double tol,
                                                   std::int64_t max_steps, bool has_intercept) {
  const std::size_t size = bands.view().size;
  require(kernel.shape(0) == size && kernel.shape(1) == size,
          "kernel must be a square matrix with one row for each band.");
  require(size <= 1 || (kernel.stride(1) == 1 && kernel.stride(0) >= std::int64_t(size)),
          "kernel must have contiguous rows, one after the other.");
  bandsvm::check_block_size<Real>(size);
  require(max_steps >= 0, "max_steps", "must be at least 0", max_steps);
  const bandsvm::Block<Real> block{data_of(kernel, "kernel"),
                                   size <= 1 ? 1 : std::size_t(kernel.stride(0)), bands.view(),
                                   data_of(c, size, "c"), data_of(f, size, "f")};
  nb::gil_scoped_release release;
  const bandsvm::BlockReport report = bandsvm::solve_block(block, tol, max_steps, has_intercept);
  return {report.n_steps, report.violation, report.stalled};
}

bandsvm::Point to_point(const BandArrays& bands, const Array<double>& c, const Array<double>& f,
                        bool has_intercept) {
  const std::size_t size = bands.view().size;
  return {bands.view(), data_of(c, size, "c"), data_of(f, size, "f"), has_intercept};
}

// Memory for one selection at a time: calls that share it wait for each other.
struct SharedMemory {
  bandsvm::SelectionMemory memory;
  std::mutex in_use;
};

// Returns the violation and the number of variables, besides `kept`, written to `chosen`.
std::tuple<double, std::size_t> select_variables(const BandArrays& bands, Array<double> c,
                                                 Array<double> f, bool has_intercept, Indices kept,
                                                 MutableArray<std::int64_t> chosen,
                                                 SharedMemory& memory, int n_threads) {
  const bandsvm::Point point = to_point(bands, c, f, has_intercept);
  const auto checked = indices_of(kept, point.size(), "kept");
  std::int64_t* const to = data_of(chosen, "chosen");
  n_threads = bandsvm::as_threads(n_threads);
  nb::gil_scoped_release release;
  const std::lock_guard<std::mutex> only(memory.in_use);
  const bandsvm::Selection found = bandsvm::select_variables(
      point, checked.data(), checked.size(), chosen.shape(0), n_threads, memory.memory);
  std::copy(found.variables.begin(), found.variables.end(), to);
  return {found.violation, found.variables.size()};
}

// Returns the number of variables written to `chosen`.
std::size_t variables_in_play(const BandArrays& bands, Array<double> c, Array<double> f,
                              bool has_intercept, double margin, MutableArray<std::int64_t> chosen,
                              SharedMemory& memory, int n_threads) {
  const bandsvm::Point point = to_point(bands, c, f, has_intercept);
  bandsvm::as_finite(margin, "margin");
  std::int64_t* const to = data_of(chosen, point.size(), "chosen");
  n_threads = bandsvm::as_threads(n_threads);
  nb::gil_scoped_release release;
  const std::lock_guard<std::mutex> only(memory.in_use);
  const bandsvm::Selection found =
      bandsvm::variables_in_play(point, margin, n_threads, memory.memory);
  std::copy(found.variables.begin(), found.variables.end(), to);
  return found.variables.size();
}

double dual_value(const BandArrays& bands, Array<double> c, Array<double> f, int n_threads) {
  const std::size_t size = bands.view().size;
  const double *c_of = data_of(c, size, "c"), *f_of = data_of(f, size, "f");
  n_threads = bandsvm::as_threads(n_threads);
  nb::gil_scoped_release release;
  return bandsvm::dual_value(bands.view(), c_of, f_of, n_threads);
}

std::tuple<double, double> pair_step(const Band& band_i, double c_i, const Band& band_j, double c_j,
                                     double difference, double curvature) {
  bandsvm::pair_step(band_i, c_i, band_j, c_j, difference, curvature);
  return {c_i, c_j};
}

double single_step(const Band& band, double c, double f, double curvature) {
  bandsvm::single_step(band, c, f, curvature);
  return c;
}

template <typename Real>
void bind_solve_block(nb::module_& module) {
  module.def("solve_block", &solve_block<Real>, "kernel"_a.noconvert(), "bands"_a,
             "c"_a.noconvert(), "f"_a, "tol"_a, "max_steps"_a, "has_intercept"_a);
}

}  // namespace

void bind_bands(nb::module_& module) {
  nb::class_<Band>(module, "Band")
      .def(
          "__init__",
          [](Band* self, double lo, double hi, double below, double above, double ridge_below,
             double ridge_above) {
            new (self) Band{lo, hi, below, above, ridge_below, ridge_above};
          },
          "lo"_a, "hi"_a, "below"_a, "above"_a, "ridge_below"_a, "ridge_above"_a);
  nb::class_<BandArrays>(module, "Bands")
      .def(nb::init<const Array<double>&, const Array<double>&, const Array<double>&,
                    const Array<double>&, const Array<double>&, const Array<double>&>(),
           "lo"_a, "hi"_a, "below"_a, "above"_a, "ridge_below"_a, "ridge_above"_a);
  nb::class_<SharedMemory>(module, "SelectionMemory").def(nb::init<>());
  bind_solve_block<double>(module);
  bind_solve_block<float>(module);
  module.def("select_variables", &select_variables, "bands"_a, "c"_a, "f"_a, "has_intercept"_a,
             "kept"_a.noconvert(), "chosen"_a.noconvert(), "memory"_a, "n_threads"_a);
  module.def("variables_in_play", &variables_in_play, "bands"_a, "c"_a, "f"_a, "has_intercept"_a,
             "margin"_a, "chosen"_a.noconvert(), "memory"_a, "n_threads"_a);
  module.def("dual_value", &dual_value, "bands"_a, "c"_a, "f"_a, "n_threads"_a);
  module.def("pair_step", &pair_step, "band_i"_a, "c_i"_a, "band_j"_a, "c_j"_a, "difference"_a,
             "curvature"_a);
  module.def("single_step", &single_step, "band"_a, "c"_a, "f"_a, "curvature"_a);
}
