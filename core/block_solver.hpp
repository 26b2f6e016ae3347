// Pair steps on one block of the dual until its own violation is small (docs/algorithms.md, section
// 1).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "compute_rows.hpp"
#include "pair_step.hpp"

namespace bandsvm {

// The variables of a block. `kernel` is a row-major block of K; `c` is updated in place.
template <typename Real>
struct Block {
  const Real* kernel;
  std::size_t stride;  // of the kernel's rows
  Bands bands;
  double* c;
  const double* f;

  std::size_t size() const { return bands.size; }
  const Real* row(std::size_t i) const { return kernel + i * stride; }
};

struct BlockReport {
  std::int64_t n_steps = 0;
  double violation = 0;
  bool stalled = false;  // the best step left every variable where it was
};

// Directions of more variables get no further pair: they forget their first ones in a few steps
// anyway, and only cost more.
constexpr std::size_t kMaxInDirection = 8;
// Share of a pair's curvature that must be left of it: what is less is rounding.
constexpr double kMinTurnedCurvature = 0.01;

// Keeps f, within the block, in the precision of the kernel's values; the caller updates the f of
// all samples from the changes of c.
template <typename Real>
class BlockSolver {
 public:
  explicit BlockSolver(const Block<Real>& block)
      : block_(block),
        instructions_(best_instructions<Real>()),
        f_(block.f, block.f + block.size()),
        rising_(block.size()),
        falling_(block.size()),
        curvatures_(block.size()),
        diagonal_(block.size()),
        image_(block.size()),
        direction_(block.size()) {
    for (std::size_t k = 0; k < block.size(); ++k) {
      diagonal_[k] = double(block.row(k)[k]);
      has_ridges_ |= block.bands.ridge_below[k] != 0 || block.bands.ridge_above[k] != 0;
      refresh(k);
    }
  }

  BlockReport solve(double tol, std::int64_t max_steps, bool has_intercept) {
    BlockReport report;
    if (block_.size() == 0) return report;
    Extremes<Real> extremes = move(0, 0, 0, 0);
    while (true) {
      report.violation = has_intercept
                             ? double(extremes.rise) - double(extremes.fall)
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
    return {f_.data(), rising_.data(), falling_.data(), curvatures_.data(), block_.size()};
  }

  void refresh(std::size_t k) {
    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    const Band band = block_.bands[k];
    const double c = block_.c[k];
    rising_[k] = c < band.below ? Real(right_slope(band, c)) : -infinity;
    falling_[k] = c > -band.above ? Real(left_slope(band, c)) : infinity;
    curvatures_[k] = Real(diagonal_[k] + left_ridge(band, c));
  }

  Extremes<Real> move(std::size_t i, double change_i, std::size_t j, double change_j) {
    return instructions_.move_and_find(slopes(), block_.row(i), Real(change_i), block_.row(j),
                                       Real(change_j));
  }

  bool move_pair(Extremes<Real>& extremes) {
    const std::size_t i = extremes.riser;
    const Real curvature = Real(diagonal_[i] + right_ridge(block_.bands[i], block_.c[i]));
    const std::size_t partner =
        instructions_.best_partner(slopes(), block_.row(i), curvature, extremes.rise);
    if (partner < block_.size() && step_pair(i, partner, extremes)) return true;
    // Rounding can cancel the most promising step; then try the most violating pair.
    return partner != extremes.faller && step_pair(i, extremes.faller, extremes);
  }

  bool step_pair(std::size_t i, std::size_t j, Extremes<Real>& extremes) {
    if (!in_direction_.empty() && step_conjugate(i, j, extremes)) return true;
    double c_i = block_.c[i], c_j = block_.c[j];
    const double curvature = diagonal_[i] + diagonal_[j] - 2 * double(block_.row(i)[j]);
    pair_step(block_.bands[i], c_i, block_.bands[j], c_j, double(f_[i]) - double(f_[j]), curvature);
    const double change_i = c_i - block_.c[i], change_j = c_j - block_.c[j];
    if (change_i == 0 && change_j == 0) return false;
    block_.c[i] = c_i;
    block_.c[j] = c_j;
    refresh(i);
    refresh(j);
    forget_direction();
    const double curved =
        curvature + left_ridge(block_.bands[i], c_i) + left_ridge(block_.bands[j], c_j);
    if (is_inside(i, c_i) && is_inside(j, c_j) && curved > 0) {
      direction_[i] = 1;
      direction_[j] = -1;
      in_direction_ = {i, j};
      curvature_ = curved;
      extremes = turn(0, i, j, change_i);
    } else {
      extremes = move(i, change_i, j, change_j);
    }
    return true;
  }

  // A step along e_i - e_j, made conjugate to the last ones, so that it keeps their gain
  // (Torres-Barran, Alaiz and Dorronsoro 2021). Only if all variables stay inside their pieces.
  bool step_conjugate(std::size_t i, std::size_t j, Extremes<Real>& extremes) {
    if (in_direction_.size() > kMaxInDirection) return false;
    const Band band_i = block_.bands[i], band_j = block_.bands[j];
    const double c_i = block_.c[i], c_j = block_.c[j];
    const double bend_i = right_ridge(band_i, c_i), bend_j = left_ridge(band_j, c_j);
    const double gain =
        right_slope(band_i, c_i) - left_slope(band_j, c_j) - (double(f_[i]) - double(f_[j]));
    const double of_pair =
        diagonal_[i] + diagonal_[j] - 2 * double(block_.row(i)[j]) + bend_i + bend_j;
    const double overlap =
        double(image_[i]) - double(image_[j]) + bend_i * direction_[i] - bend_j * direction_[j];
    const double turned = overlap / curvature_, curvature = of_pair - overlap * turned;
    if (!(curvature > kMinTurnedCurvature * of_pair) || !(gain > 0)) return false;
    const double length = gain / curvature;

    const double along_i = 1 - turned * direction_[i], along_j = -1 - turned * direction_[j];
    const double new_i = c_i + length * along_i, new_j = c_j + length * along_j;
    if (!(c_i < 0 ? -band_i.above < new_i && new_i < 0 : 0 < new_i && new_i < band_i.below) ||
        !(c_j > 0 ? 0 < new_j && new_j < band_j.below : -band_j.above < new_j && new_j < 0))
      return false;
    for (std::size_t k : in_direction_) {
      const double c = block_.c[k], moved = c - length * turned * direction_[k];
      if (k != i && k != j && (!is_inside(k, moved) || (moved > 0) != (c > 0))) return false;
    }

    for (std::size_t k : in_direction_) {
      block_.c[k] -= length * turned * direction_[k];
      direction_[k] *= -turned;
    }
    for (std::size_t k : {i, j})
      if (std::find(in_direction_.begin(), in_direction_.end(), k) == in_direction_.end())
        in_direction_.push_back(k);
    direction_[i] = along_i;
    direction_[j] = along_j;
    block_.c[i] = new_i;
    block_.c[j] = new_j;
    // Inside their pieces, slopes without ridges stay the same.
    if (has_ridges_)
      for (std::size_t k : in_direction_) refresh(k);
    refresh(i);
    refresh(j);
    curvature_ = curvature;
    extremes = turn(turned, i, j, length);
    return true;
  }

  Extremes<Real> turn(double turned, std::size_t i, std::size_t j, double length) {
    return instructions_.turn_and_find(slopes(), image_.data(), Real(turned), block_.row(i),
                                       block_.row(j), Real(length));
  }

  void forget_direction() {
    for (std::size_t k : in_direction_) direction_[k] = 0;
    in_direction_.clear();
  }

  bool is_inside(std::size_t k, double c) const {
    return c != 0 && -block_.bands.above[k] < c && c < block_.bands.below[k];
  }

  // Without intercept: moves the single variable with the largest slope.
  bool move_single(Extremes<Real>& extremes) {
    const std::size_t i = extremes.rise > -extremes.fall ? extremes.riser : extremes.faller;
    double c = block_.c[i];
    single_step(block_.bands[i], c, double(f_[i]), diagonal_[i]);
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
  // The last direction that met no bound and no kink, its image under K, and its curvature.
  std::vector<Real> image_;
  std::vector<double> direction_;
  std::vector<std::size_t> in_direction_;
  double curvature_ = 0;
  bool has_ridges_ = false;
};

template <typename Real>
BlockReport solve_block(const Block<Real>& block, double tol, std::int64_t max_steps,
                        bool has_intercept) {
  return BlockSolver<Real>(block).solve(tol, max_steps, has_intercept);
}

}  // namespace bandsvm
