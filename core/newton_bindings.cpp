// Newton steps of linear models, for Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "arrays.hpp"
#include "newton.hpp"

using namespace nb::literals;
using bandsvm::require;

namespace {

// Arrays of edges: one matrix of sides and samples for each of some quantities.
using Quantities = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using MutableQuantities = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
// Signs, values, costs, and whether the hinge is squared.
using EdgeArrays = std::tuple<Array<double>, Matrix<double>, Matrix<double>, bool>;

bandsvm::Edges edges_of(const EdgeArrays& arrays) {
  const auto& [signs, values, costs, is_squared] = arrays;
  const std::size_t n_samples = signs.shape(0), n_sides = costs.shape(0);
  require(n_sides == 1 || n_sides == 2, "edges must have one side or two.");
  require(values.shape(0) == n_sides && values.shape(1) == n_samples && costs.shape(1) == n_samples,
          "values and costs must have one row for each side and one column for each sample.");
  return {n_samples,
          n_sides,
          data_of(signs, "signs"),
          data_of(values, "values"),
          data_of(costs, "costs"),
          is_squared};
}

template <typename Values>
auto* quantities(const Values& values, const bandsvm::Edges& edges, std::size_t number,
                 const char* name) {
  if (values.shape(0) != number || values.shape(1) != edges.n_sides ||
      values.shape(2) != edges.n_samples)
    throw std::invalid_argument(std::string(name) + " must have one value for each edge, " +
                                std::to_string(number) + " times.");
  return data_of(values, name);
}

template <typename Values>
auto* of_edges(const Values& values, const bandsvm::Edges& edges, const char* name) {
  if (values.shape(0) != edges.n_sides || values.shape(1) != edges.n_samples)
    throw std::invalid_argument(std::string(name) + " must have one value for each edge.");
  return data_of(values, name);
}

bandsvm::NewtonPoint point_of(const Quantities& at, const Array<double>& g,
                              const bandsvm::Edges& edges) {
  return {quantities(at, edges, 4, "at"), data_of(g, edges.n_samples, "g")};
}

// The three parts of a line, in arrays to read or to write.
template <typename Line, typename Values>
Line line_of(const Values& line, const bandsvm::Edges& edges) {
  auto* const first = quantities(line, edges, 3, "line");
  return {first, first + edges.size(), first + 2 * edges.size()};
}

void linearise(const EdgeArrays& arrays, const Quantities& at, const Array<double>& g,
               const MutableQuantities& line, const MutableArray<double>& D, int n_threads) {
  const auto edges = edges_of(arrays);
  const auto point = point_of(at, g, edges);
  const auto to = line_of<bandsvm::NewLine>(line, edges);
  double* const sums = data_of(D, edges.n_samples, "D");
  n_threads = bandsvm::as_threads(n_threads);
  nb::gil_scoped_release release;
  bandsvm::linearise(edges, point, to, sums, n_threads);
}

// `goal` holds the target of products, the share of the last step after which they are looked at,
// and the shares of the target between which they are brought. Without `step` they are to be 0,
// without `earlier` the target.
void begin(const EdgeArrays& arrays, const Quantities& at, const Array<double>& g,
           const Quantities& line, const std::optional<Quantities>& step,
           const std::optional<Quantities>& earlier,
           std::tuple<double, double, double, double> goal,
           const std::optional<MutableQuantities>& products, const MutableMatrix<double>& dp,
           const MutableArray<double>& aim, int n_threads) {
  const auto edges = edges_of(arrays);
  const auto point = point_of(at, g, edges);
  const auto from = line_of<bandsvm::NewtonLine>(line, edges);
  const auto [target, trial, least, most] = goal;
  require(step.has_value() == products.has_value() && (step || !earlier),
          "a step that is corrected needs products, and one that is centred both.");
  const bandsvm::Goal kind = !step     ? bandsvm::Goal::zero
                             : earlier ? bandsvm::Goal::centred
                                       : bandsvm::Goal::target;
  const bandsvm::NewtonAim to{kind,
                              trial,
                              target,
                              least,
                              most,
                              step ? quantities(*step, edges, 4, "step") : nullptr,
                              earlier ? quantities(*earlier, edges, 2, "earlier") : nullptr,
                              products ? quantities(*products, edges, 2, "products") : nullptr};
  double *const begun = of_edges(dp, edges, "dp"), *const sums =
                                                       data_of(aim, edges.n_samples, "aim");
  n_threads = bandsvm::as_threads(n_threads);
  nb::gil_scoped_release release;
  bandsvm::begin_step(edges, point, from, to, begun, sums, n_threads);
}

void turn(const EdgeArrays& arrays, const Quantities& at, const Array<double>& g,
          const Quantities& line, const Matrix<double>& dp, const Array<double>& dg,
          const MutableArray<double>& aim, int n_threads) {
  const auto edges = edges_of(arrays);
  const auto point = point_of(at, g, edges);
  const auto from = line_of<bandsvm::NewtonLine>(line, edges);
  const double *const begun = of_edges(dp, edges, "dp"), *const change =
                                                             data_of(dg, edges.n_samples, "dg");
  double* const sums = data_of(aim, edges.n_samples, "aim");
  n_threads = bandsvm::as_threads(n_threads);
  nb::gil_scoped_release release;
  bandsvm::turn_step(edges, point, from, begun, change, sums, n_threads);
}

std::tuple<double, double, double> complete(const EdgeArrays& arrays, const Quantities& at,
                                            const Array<double>& g, const Quantities& line,
                                            const std::optional<Quantities>& products,
                                            const Matrix<double>& dp, const Array<double>& dg,
                                            const MutableQuantities& step, int n_threads) {
  const auto edges = edges_of(arrays);
  const auto point = point_of(at, g, edges);
  const auto from = line_of<bandsvm::NewtonLine>(line, edges);
  const double* const goal = products ? quantities(*products, edges, 2, "products") : nullptr;
  const double *const begun = of_edges(dp, edges, "dp"), *const change =
                                                             data_of(dg, edges.n_samples, "dg");
  double* const to = quantities(step, edges, 4, "step");
  n_threads = bandsvm::as_threads(n_threads);
  nb::gil_scoped_release release;
  const bandsvm::StepSums sums =
      bandsvm::complete_step(edges, point, from, goal, begun, change, to, n_threads);
  return {sums.steepest, sums.linear, sums.quadratic};
}

std::tuple<double, double> move(const EdgeArrays& arrays, const Quantities& at,
                                const Array<double>& g, const Quantities& step,
                                const Array<double>& dg, double length,
                                const MutableQuantities& new_at, const MutableArray<double>& new_g,
                                int n_threads) {
  const auto edges = edges_of(arrays);
  const auto point = point_of(at, g, edges);
  const double *const along = quantities(step, edges, 4, "step"), *const change = data_of(
                                                                      dg, edges.n_samples, "dg");
  double *const to = quantities(new_at, edges, 4, "new_at"), *const to_g = data_of(
                                                                 new_g, edges.n_samples, "new_g");
  n_threads = bandsvm::as_threads(n_threads);
  nb::gil_scoped_release release;
  const bandsvm::PointSums sums =
      bandsvm::move_point(edges, point, along, change, length, to, to_g, n_threads);
  return {sums.products, sums.loss};
}

}  // namespace

void bind_newton(nb::module_& module) {
  module.def("newton_linearise", &linearise, "edges"_a, "at"_a, "g"_a, "line"_a.noconvert(),
             "D"_a.noconvert(), "n_threads"_a);
  module.def("newton_begin", &begin, "edges"_a, "at"_a, "g"_a, "line"_a, "step"_a.none(),
             "earlier"_a.none(), "goal"_a, "products"_a.none(), "dp"_a.noconvert(),
             "aim"_a.noconvert(), "n_threads"_a);
  module.def("newton_turn", &turn, "edges"_a, "at"_a, "g"_a, "line"_a, "dp"_a, "dg"_a,
             "aim"_a.noconvert(), "n_threads"_a);
  module.def("newton_complete", &complete, "edges"_a, "at"_a, "g"_a, "line"_a, "products"_a.none(),
             "dp"_a, "dg"_a, "step"_a.noconvert(), "n_threads"_a);
  module.def("newton_move", &move, "edges"_a, "at"_a, "g"_a, "step"_a, "dg"_a, "length"_a,
             "new_at"_a.noconvert(), "new_g"_a.noconvert(), "n_threads"_a);
}
