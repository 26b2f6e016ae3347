// The only file that knows both Python and C++.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "block_solver.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using MutableVector = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename Real>
using Matrix = nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using BandValues = std::tuple<double, double, double, double>;

bandsvm::Band to_band(const BandValues& values) {
  return {std::get<0>(values), std::get<1>(values), std::get<2>(values), std::get<3>(values)};
}

template <typename Real>
std::tuple<std::int64_t, double, bool> solve_block(Matrix<Real> kernel, Vector lo, Vector hi,
                                                   Vector below, Vector above, MutableVector c,
                                                   MutableVector f, double tol,
                                                   std::int64_t max_steps, bool has_intercept) {
  const std::size_t size = c.shape(0);
  for (std::size_t length : {kernel.shape(0), kernel.shape(1), lo.shape(0), hi.shape(0),
                             below.shape(0), above.shape(0), f.shape(0)})
    if (length != size) throw nb::value_error("solve_block: all arrays must have one length.");
  const bandsvm::Block<Real> block{kernel.data(), lo.data(),    hi.data(), below.data(),
                                   above.data(),  c.data(), f.data(),  size};
  nb::gil_scoped_release release;
  const bandsvm::BlockReport report = bandsvm::solve_block(block, tol, max_steps, has_intercept);
  return {report.n_steps, report.violation, report.stalled};
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

template <typename Real>
void bind_solve_block(nb::module_& module) {
  module.def("solve_block", &solve_block<Real>, "kernel"_a.noconvert(), "lo"_a, "hi"_a, "below"_a,
             "above"_a, "c"_a.noconvert(), "f"_a.noconvert(), "tol"_a, "max_steps"_a,
             "has_intercept"_a);
}

}  // namespace

NB_MODULE(_core, module) {
  module.doc() = "Compiled steps of the band problem's solvers.";
  bind_solve_block<double>(module);
  bind_solve_block<float>(module);
  module.def("pair_step", &pair_step, "band_i"_a, "c_i"_a, "band_j"_a, "c_j"_a, "difference"_a,
             "curvature"_a);
  module.def("single_step", &single_step, "band"_a, "c"_a, "f"_a, "curvature"_a);
}
