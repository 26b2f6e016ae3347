// Pair steps on one block of the dual until its own violation is small (docs/theory.md, section 5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "pair_step.hpp"

namespace bandsvm {

// The variables of a block. `kernel` is the row-major block of K; `c` and `f` are
// updated in place, `f` within the block alone.
template <typename Real>
struct Block {
  const Real* kernel;
  const double* lo;
  const double* hi;
  const double* below;
  const double* above;
  double* c;
  double* f;
  std::size_t size;
  std::size_t stride;  // of the kernel's rows

  const Real* row(std::size_t i) const { return kernel + i * stride; }
  Band band(std::size_t i) const { return {lo[i], hi[i], below[i], above[i]}; }
};

struct BlockReport {
  std::int64_t n_steps = 0;
  double violation = 0;
  bool stalled = false;  // the best step left every variable where it was
};

// Selection needs a positive curvature; a pair of duplicates has none and is worth a long step.
constexpr double kSmallestCurvature = 1e-12;

template <typename Real>
class BlockSolver {
 public:
  explicit BlockSolver(const Block<Real>& block)
      : block_(block), rising_(block.size), falling_(block.size) {
    for (std::size_t k = 0; k < block.size; ++k) refresh(k);
  }

  BlockReport solve(double tol, std::int64_t max_steps, bool has_intercept) {
    BlockReport report;
    while (true) {
      const Extremes extremes = find_extremes();
      report.violation = has_intercept ? extremes.rise - extremes.fall
                                       : std::max({extremes.rise, -extremes.fall, 0.0});
      if (!(report.violation > tol) || report.n_steps >= max_steps) return report;
      const bool moved = has_intercept ? move_pair(extremes) : move_single();
      if (!moved) {
        report.stalled = true;
        return report;
      }
      ++report.n_steps;
    }
  }

 private:
  struct Extremes {
    double rise = -std::numeric_limits<double>::infinity();  // m, at `riser`
    double fall = std::numeric_limits<double>::infinity();   // M, at `faller`
    std::size_t riser = 0, faller = 0;
  };

  // Slope of h_k for a rise (or fall) of c_k, infinite where a bound forbids it.
  void refresh(std::size_t k) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Band band = block_.band(k);
    const double c = block_.c[k];
    rising_[k] = c < band.below ? right_slope(band, c) : -infinity;
    falling_[k] = c > -band.above ? left_slope(band, c) : infinity;
  }

  Extremes find_extremes() const {
    Extremes found;
    for (std::size_t k = 0; k < block_.size; ++k) {
      const double rise = rising_[k] - block_.f[k];
      const double fall = falling_[k] - block_.f[k];
      if (rise > found.rise) found.rise = rise, found.riser = k;
      if (fall < found.fall) found.fall = fall, found.faller = k;
    }
    return found;
  }

  double curvature(std::size_t i, std::size_t j) const {
    return double(block_.row(i)[i]) + double(block_.row(j)[j]) - 2 * double(block_.row(i)[j]);
  }

  // The partner that promises the largest gain of a step with i (Fan, Chen and Lin 2005).
  std::size_t best_partner(const Extremes& extremes) const {
    const std::size_t i = extremes.riser;
    const Real* row_i = block_.row(i);
    const double k_ii = row_i[i];
    double best_gain = -1;
    std::size_t best = extremes.faller;
    for (std::size_t j = 0; j < block_.size; ++j) {
      const double violation = extremes.rise - (falling_[j] - block_.f[j]);
      if (!(violation > 0)) continue;
      const double a = k_ii + double(block_.row(j)[j]) - 2 * double(row_i[j]);
      const double gain = violation * violation / std::max(a, kSmallestCurvature);
      if (gain > best_gain) best_gain = gain, best = j;
    }
    return best;
  }

  bool move_pair(const Extremes& extremes) {
    const std::size_t partner = best_partner(extremes);
    if (step_pair(extremes.riser, partner)) return true;
    // Rounding can swallow the promising step; the most violating pair gets a last try.
    return partner != extremes.faller && step_pair(extremes.riser, extremes.faller);
  }

  bool step_pair(std::size_t i, std::size_t j) {
    double c_i = block_.c[i], c_j = block_.c[j];
    pair_step(block_.band(i), c_i, block_.band(j), c_j, block_.f[i] - block_.f[j],
              curvature(i, j));
    const double change_i = c_i - block_.c[i], change_j = c_j - block_.c[j];
    if (change_i == 0 && change_j == 0) return false;
    const Real *row_i = block_.row(i), *row_j = block_.row(j);
    for (std::size_t k = 0; k < block_.size; ++k)
      block_.f[k] += change_i * double(row_i[k]) + change_j * double(row_j[k]);
    block_.c[i] = c_i;
    block_.c[j] = c_j;
    refresh(i);
    refresh(j);
    return true;
  }

  // Without intercept: the variable whose own step promises the largest gain.
  bool move_single() {
    double best_gain = 0;
    std::size_t best = block_.size;
    for (std::size_t k = 0; k < block_.size; ++k) {
      const double violation =
          std::max(rising_[k] - block_.f[k], block_.f[k] - falling_[k]);
      if (!(violation > 0)) continue;
      const double a = std::max(double(block_.row(k)[k]), kSmallestCurvature);
      const double gain = violation * violation / a;
      if (gain > best_gain) best_gain = gain, best = k;
    }
    return best < block_.size && step_single(best);
  }

  bool step_single(std::size_t i) {
    double c = block_.c[i];
    const Real* row = block_.row(i);
    single_step(block_.band(i), c, block_.f[i], double(row[i]));
    const double change = c - block_.c[i];
    if (change == 0) return false;
    for (std::size_t k = 0; k < block_.size; ++k) block_.f[k] += change * double(row[k]);
    block_.c[i] = c;
    refresh(i);
    return true;
  }

  Block<Real> block_;
  std::vector<double> rising_, falling_;
};

template <typename Real>
BlockReport solve_block(const Block<Real>& block, double tol, std::int64_t max_steps,
                        bool has_intercept) {
  return BlockSolver<Real>(block).solve(tol, max_steps, has_intercept);
}

}  // namespace bandsvm
