// Elementwise work of a Newton step of the interior point method, and tiles of X'DX: compiled once
// per instruction set, as kernel_rows.hpp describes.
#pragma once

#include <cstddef>

namespace bandsvm {

// One edge for each side and sample, or two; side 1 holds the edges on the other side of the bands.
// The margin of an edge is v = sign g - value, with minus the sign on side 1. An edge without cost
// does not count. Arrays of edges hold side 0 of all samples, then side 1.
struct Edges {
  std::size_t n_samples, n_sides;
  const double *signs, *values, *costs;
  bool is_squared;

  std::size_t size() const { return n_samples * n_sides; }
};

// What the next products are to be: zero; `target`, corrected by what the last step bent; or what
// they were to be, with those that are far from `target` after `trial` of the last step brought
// nearer (Gondzio's multiple centrality correctors).
enum class Goal { zero, target, centred };

// Arrays of edges, four for a point or a step: p, s, u and xi.
struct NewtonPoint {
  const double *at, *g;
};

// dp = (goal - p (s + offset + residual)) / stiffness - flexibility dv
struct NewtonLine {
  const double *flexibility, *stiffness, *residual;
};

// Where a line is to be written.
struct NewLine {
  double *flexibility, *stiffness, *residual;
};

struct NewtonAim {
  Goal goal;
  double trial, target, least, most;  // centred: shares of the target between which products may be
  const double* step;                 // the last one
  const double* earlier;              // centred: what the products were to be, of s p and of xi u
  double* products;                   // what they are to be now; none if zero
};

struct StepSums {
  double steepest;  // largest share that a step of length 1 takes away from anything positive
  double linear, quadratic;  // change of the sum of products by the length of a step
};

struct PointSums {
  double products, loss;
};

struct NewtonInstructions {
  const char* name;
  // All work on samples [first, last).
  void (*linearise)(const Edges&, const NewtonPoint&, const NewLine&, double* D, std::size_t first,
                    std::size_t last);
  // Begins a step: dp without dv, and aim = c + dc.
  void (*begin)(const Edges&, const NewtonPoint&, const NewtonLine&, const NewtonAim&, double* dp,
                double* aim, std::size_t first, std::size_t last);
  // aim = c + dc where decision values change by dg.
  void (*turn)(const Edges&, const NewtonPoint&, const NewtonLine&, const double* dp,
               const double* dg, double* aim, std::size_t first, std::size_t last);
  StepSums (*complete)(const Edges&, const NewtonPoint&, const NewtonLine&, const double* products,
                       const double* dp, const double* dg, double* step, std::size_t first,
                       std::size_t last);
  PointSums (*move)(const Edges&, const NewtonPoint&, const double* step, const double* dg,
                    double length, double* at, double* g, std::size_t first, std::size_t last);
  std::size_t lanes;  // values in a vector
  // The upper triangle of sums += tile' tile. Rows of both are `width` long, a multiple of lanes.
  void (*add_products)(const double* tile, std::size_t n_rows, std::size_t width, double* sums);
};

}  // namespace bandsvm
