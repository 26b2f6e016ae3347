// Steps along single dual variables of the linear band problem, weights kept up to date.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "linear_rows.hpp"
#include "pair_step.hpp"

namespace bandsvm {

// The problem without its constraint sum c = 0. That is replaced by a multiplier and a quadratic
// penalty: the decision value of a sample is x'w + multiplier + penalty * sum c.
struct DescentProblem {
  const double *lo, *hi, *below, *above, *ridge_below, *ridge_above, *norms;
  double multiplier, penalty;

  Band band(std::size_t i) const {
    return {lo[i], hi[i], below[i], above[i], ridge_below[i], ridge_above[i]};
  }
};

struct DescentReport {
  std::size_t n_active;  // variables of the order that still take part, in front
  double violation;      // largest one that was met
  double total;          // sum c
};

// How far the slopes of the dual at c are from allowing an optimum at c with decision value g; less
// than 0 where c is at a bound or at its kink, by the distance to the slopes that would move it.
inline double slope_violation(const Band& band, double c, double g) {
  const double to_rise = c < band.below ? right_slope(band, c) - g
                                        : -std::numeric_limits<double>::infinity();
  const double to_fall = c > -band.above ? g - left_slope(band, c)
                                         : -std::numeric_limits<double>::infinity();
  return std::max(to_rise, to_fall);
}

// One step for each of the variables order[0 .. n_active), in this order; weights = X'c. Variables
// that would have to be pushed by more than `slack` to move at all are put behind the others.
template <typename Rows>
DescentReport descend(const Rows& rows, const DescentProblem& problem, std::int64_t* order,
                      std::size_t n_active, double slack, double* c, double* weights,
                      double total) {
  double worst = 0;
  for (std::size_t k = 0; k < n_active;) {
    const std::size_t i = std::size_t(order[k]);
    const Band band = problem.band(i);
    const double g =
        rows.dot(i, weights) + problem.multiplier + problem.penalty * total;
    const double violation = slope_violation(band, c[i], g);
    if (violation < -slack) {
      std::swap(order[k], order[--n_active]);
      continue;
    }
    if (violation > 0) {
      worst = std::max(worst, violation);
      const double before = c[i];
      single_step(band, c[i], g, problem.norms[i] + problem.penalty);
      const double change = c[i] - before;
      if (change != 0) {
        rows.add_to(weights, i, change);
        total += change;
      }
    }
    ++k;
  }
  return {n_active, worst, total};
}

}  // namespace bandsvm
