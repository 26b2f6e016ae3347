// A point of the dual of a small band problem, whose kernel matrix lies in memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "compute_rows.hpp"
#include "pair_step.hpp"

namespace bandsvm {

// Rows of a symmetric matrix.
struct KernelMatrix {
  const double* values;
  std::size_t stride;

  const double* row(std::size_t i) const { return values + i * stride; }
};

// Coefficients c and f = K c, in the caller's memory.
class SmallPoint {
 public:
  SmallPoint(const KernelMatrix& kernel, const Bands& bands, bool has_intercept, double* c,
             double* f)
      : kernel(kernel), bands(bands), has_intercept(has_intercept), c(c), f(f) {}

  const KernelMatrix kernel;
  const Bands bands;
  const bool has_intercept;
  double* const c;
  double* const f;

  std::size_t size() const { return bands.size; }

  // At no bound and not at the kink.
  bool is_free(std::size_t i) const {
    return c[i] != 0 && -bands.above[i] < c[i] && c[i] < bands.below[i];
  }

  std::vector<std::size_t> free() const {
    std::vector<std::size_t> found;
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

  // Sets some coefficients and updates f.
  void move(const std::vector<std::size_t>& indices, const std::vector<double>& values) {
    std::vector<const double*> rows;
    std::vector<double> changes;
    for (std::size_t k = 0; k < indices.size(); ++k) {
      const double change = values[k] - c[indices[k]];
      if (change == 0) continue;
      rows.push_back(kernel.row(indices[k]));
      changes.push_back(change);
      c[indices[k]] = values[k];
    }
    add(rows, changes);
  }

  // Computes f as a whole, which removes rounding errors of moves.
  void refresh() {
    std::vector<const double*> rows;
    std::vector<double> values;
    for (std::size_t i = 0; i < size(); ++i)
      if (c[i] != 0) rows.push_back(kernel.row(i)), values.push_back(c[i]);
    std::fill(f, f + size(), 0.0);
    add(rows, values);
  }

  double sum() const {
    double total = 0;
    for (std::size_t i = 0; i < size(); ++i) total += c[i];
    return total;
  }

 private:
  void add(const std::vector<const double*>& rows, const std::vector<double>& factors) {
    best_instructions<double>().update(rows.data(), factors.data(), rows.size(), f, 0, size());
  }
};

}  // namespace bandsvm
