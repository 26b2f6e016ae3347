// Pair steps on one block of the dual until its own violation is small (docs/theory.md, section 5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine.hpp"
#include "pair_step.hpp"

namespace bandsvm {

// The variables of a block. `kernel` is a row-major block of K; `c` is updated in place.
template <typename Real>
struct Block {
  const Real* kernel;
  const double* lo;
  const double* hi;
  const double* below;
  const double* above;
  const double* bend_below;
  const double* bend_above;
  double* c;
  const double* f;
  std::size_t size;
  std::size_t stride;  // of the kernel's rows

  const Real* row(std::size_t i) const { return kernel + i * stride; }
  Band band(std::size_t i) const {
    return {lo[i], hi[i], below[i], above[i], bend_below[i], bend_above[i]};
  }
};

struct BlockReport {
  std::int64_t n_steps = 0;
  double violation = 0;
  bool stalled = false;  // the best step left every variable where it was
};

// Keeps f, within the block, in the precision of the kernel's values; the caller updates the f of
// all samples from the changes of c.
template <typename Real>
class BlockSolver {
 public:
  explicit BlockSolver(const Block<Real>& block)
      : block_(block),
        instructions_(best_instructions<Real>()),
        f_(block.f, block.f + block.size),
        rising_(block.size),
        falling_(block.size),
        curvatures_(block.size),
        diagonal_(block.size) {
    for (std::size_t k = 0; k < block.size; ++k) {
      diagonal_[k] = double(block.row(k)[k]);
      refresh(k);
    }
  }

  BlockReport solve(double tol, std::int64_t max_steps, bool has_intercept) {
    BlockReport report;
    if (block_.size == 0) return report;
    Extremes<Real> extremes = move(0, 0, 0, 0);
    while (true) {
      report.violation = has_intercept ? double(extremes.rise) - double(extremes.fall)
                                       : std::max({double(extremes.rise), -double(extremes.fall), 0.0});
      if (!(report.violation > tol) || report.n_steps >= max_steps) return report;
      const bool moved = has_intercept ? move_pair(extremes) : move_single(extremes);
      if (!moved) {
        report.stalled = true;
        return report;
      }
      ++report.n_steps;
    }
  }

 private:
  BlockSlopes<Real> slopes() {
    return {f_.data(), rising_.data(), falling_.data(), curvatures_.data(), block_.size};
  }

  void refresh(std::size_t k) {
    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    const Band band = block_.band(k);
    const double c = block_.c[k];
    rising_[k] = c < band.below ? Real(right_slope(band, c)) : -infinity;
    falling_[k] = c > -band.above ? Real(left_slope(band, c)) : infinity;
    curvatures_[k] = Real(diagonal_[k] + left_bend(band, c));
  }

  Extremes<Real> move(std::size_t i, double change_i, std::size_t j, double change_j) {
    return instructions_.move_and_find(slopes(), block_.row(i), Real(change_i), block_.row(j),
                                       Real(change_j));
  }

  bool move_pair(Extremes<Real>& extremes) {
    const std::size_t i = extremes.riser;
    const Real curvature = Real(diagonal_[i] + right_bend(block_.band(i), block_.c[i]));
    const std::size_t partner =
        instructions_.best_partner(slopes(), block_.row(i), curvature, extremes.rise);
    if (partner < block_.size && step_pair(i, partner, extremes)) return true;
    // Rounding can swallow the promising step; the most violating pair gets a last try.
    return partner != extremes.faller && step_pair(i, extremes.faller, extremes);
  }

  bool step_pair(std::size_t i, std::size_t j, Extremes<Real>& extremes) {
    double c_i = block_.c[i], c_j = block_.c[j];
    const double curvature = diagonal_[i] + diagonal_[j] - 2 * double(block_.row(i)[j]);
    pair_step(block_.band(i), c_i, block_.band(j), c_j, double(f_[i]) - double(f_[j]), curvature);
    const double change_i = c_i - block_.c[i], change_j = c_j - block_.c[j];
    if (change_i == 0 && change_j == 0) return false;
    block_.c[i] = c_i;
    block_.c[j] = c_j;
    refresh(i);
    refresh(j);
    extremes = move(i, change_i, j, change_j);
    return true;
  }

  // Without intercept: the variable that can rise or fall by the largest slope moves alone.
  bool move_single(Extremes<Real>& extremes) {
    const std::size_t i = extremes.rise > -extremes.fall ? extremes.riser : extremes.faller;
    double c = block_.c[i];
    single_step(block_.band(i), c, double(f_[i]), diagonal_[i]);
    const double change = c - block_.c[i];
    if (change == 0) return false;
    block_.c[i] = c;
    refresh(i);
    extremes = move(i, change, i, 0);
    return true;
  }

  const Block<Real> block_;
  const Instructions<Real>& instructions_;
  std::vector<Real> f_, rising_, falling_, curvatures_;
  std::vector<double> diagonal_;
};

template <typename Real>
BlockReport solve_block(const Block<Real>& block, double tol, std::int64_t max_steps,
                        bool has_intercept) {
  return BlockSolver<Real>(block).solve(tol, max_steps, has_intercept);
}

}  // namespace bandsvm
