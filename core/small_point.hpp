// A point of the dual of a small band problem.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "kernel_matrix.hpp"
#include "pair_step.hpp"

namespace bandsvm {

// Coefficients c and f = K c, in the caller's memory.
class SmallPoint {
 public:
  SmallPoint(KernelMatrix& kernel, const Bands& bands, bool has_intercept, double total, double* c,
             double* f)
      : kernel(kernel), bands(bands), has_intercept(has_intercept), total(total), c(c), f(f) {}

  KernelMatrix& kernel;
  const Bands bands;
  const bool has_intercept;
  const double total;  // of c, with an intercept
  double* const c;
  double* const f;

  std::size_t size() const { return bands.size; }

  // At no bound and not at the kink.
  bool is_free(std::size_t i) const {
    return c[i] != 0 && -bands.above[i] < c[i] && c[i] < bands.below[i];
  }

  std::vector<std::size_t> free() const {
    std::vector<std::size_t> found;
    found.reserve(size());
    for (std::size_t i = 0; i < size(); ++i)
      if (is_free(i)) found.push_back(i);
    return found;
  }

  // How far the slopes are from optimality; NaN if f is.
  double violation() const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double rise = -infinity, fall = infinity, check = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      const Band band = bands[i];
      if (c[i] < band.below) rise = std::max(rise, right_slope(band, c[i]) - f[i]);
      if (c[i] > -band.above) fall = std::min(fall, left_slope(band, c[i]) - f[i]);
      check += 0 * f[i];
    }
    return (has_intercept ? rise - fall : std::max({rise, -fall, 0.0})) + check;
  }

  // The variables that could move if the violation grew by the share `margin`.
  std::vector<std::size_t> in_play(double margin) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> rises(size()), falls(size());
    double rise = -infinity, fall = -infinity;
    for (std::size_t i = 0; i < size(); ++i) {
      const Band band = bands[i];
      rises[i] = c[i] < band.below ? right_slope(band, c[i]) - f[i] : -infinity;
      falls[i] = c[i] > -band.above ? f[i] - left_slope(band, c[i]) : -infinity;
      rise = std::max(rise, rises[i]);
      fall = std::max(fall, falls[i]);
    }
    const double room = margin * (has_intercept ? rise + fall : std::max({rise, fall, 0.0}));
    const double above_rises = (has_intercept ? -fall : 0.0) - room;
    const double above_falls = (has_intercept ? -rise : 0.0) - room;
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < size(); ++i)
      if (rises[i] > above_rises || falls[i] > above_falls) found.push_back(i);
    return found;
  }

  // Sets some coefficients and updates f.
  void move(const std::vector<std::size_t>& indices, const std::vector<double>& values) {
    std::vector<std::size_t> moved;
    std::vector<double> changes;
    moved.reserve(indices.size());
    changes.reserve(indices.size());
    for (std::size_t k = 0; k < indices.size(); ++k) {
      const double change = values[k] - c[indices[k]];
      if (change == 0) continue;
      moved.push_back(indices[k]);
      changes.push_back(change);
      c[indices[k]] = values[k];
    }
    add(moved, changes);
  }

  // Computes f as a whole, which removes rounding errors of moves.
  void refresh() {
    std::vector<std::size_t> terms;
    std::vector<double> values;
    terms.reserve(size());
    values.reserve(size());
    for (std::size_t i = 0; i < size(); ++i)
      if (c[i] != 0) terms.push_back(i), values.push_back(c[i]);
    std::fill(f, f + size(), 0.0);
    add(terms, values);
  }

  // How far the sum of c exceeds its total.
  double excess() const {
    double sum = 0;
    for (std::size_t i = 0; i < size(); ++i) sum += c[i];
    return sum - total;
  }

 private:
  void add(const std::vector<std::size_t>& indices, const std::vector<double>& factors) {
    kernel.prepare(indices);
    std::vector<const double*> rows;
    rows.reserve(indices.size());
    for (std::size_t i : indices) rows.push_back(kernel.row(i));
    best_instructions<double>().update(rows.data(), factors.data(), rows.size(), f, 0, size());
  }
};

}  // namespace bandsvm
