// Small band problems, solved exactly: pair steps, then Newton steps on the face, until only
// rounding errors are left. The same steps as those of bandsvm._solvers.driver, block and polish,
// where their reasons are given. What is unusual stays unsolved, for those to take over: values of
// extreme sizes, no convergence, no more time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <utility>
#include <vector>

#include "block_solver.hpp"
#include "face.hpp"
#include "kernel_matrix.hpp"
#include "small_point.hpp"
#include "stop_signal.hpp"

namespace bandsvm {

constexpr double kSmallShareOfTol = 0.1;
constexpr std::int64_t kStepsPerVariable = 30, kMinStepBudget = 1000;
constexpr int kMaxPolishingRounds = 50, kRoundsWithoutGain = 5;
constexpr std::int64_t kPolishingStepsPerVariable = 10;
constexpr double kMaxWorkOfPolishing = 1e10;
constexpr double kSnapShare = 1e-13;
// More outer steps than this and larger or smaller values are left to the general solver.
constexpr std::int64_t kMaxOuterSteps = 50;
constexpr double kMaxWorkOfSteps = 2e9;
constexpr double kLargestUsual = 1e100, kSmallestUsual = 1e-100;

// Smaller problems gain nothing from single precision, and neither do steps that could only bring
// the violation down by less: aims are no closer than so many rounding errors. Rows that tell
// these, and the values of matrices for which single precision has room.
constexpr std::size_t kMinForSingle = 128, kRowsCompared = 4;
constexpr double kTimesRounding = 2, kMaxAimInSingle = 0.1;
constexpr float kLargestInSingle = 1e30f, kSmallestInSingle = 1e-20f;
// After so many pair steps per variable, variables that no longer move are left out: those that
// would not move if the violation grew by a share, where a share of the variables remains.
constexpr double kStepsPerLook = 1, kMarginOfPart = 0.5, kMaxShareInPlay = 0.7;

inline std::vector<double> values_of(const double* values, const std::vector<std::size_t>& which) {
  std::vector<double> found(which.size());
  for (std::size_t k = 0; k < which.size(); ++k) found[k] = values[which[k]];
  return found;
}

// The bands of some samples.
class OwnBands {
 public:
  OwnBands(const Bands& all, const std::vector<std::size_t>& which)
      : lo_(values_of(all.lo, which)),
        hi_(values_of(all.hi, which)),
        below_(values_of(all.below, which)),
        above_(values_of(all.above, which)),
        ridge_below_(values_of(all.ridge_below, which)),
        ridge_above_(values_of(all.ridge_above, which)) {}

  Bands view() const {
    return {lo_.data(),          hi_.data(),          below_.data(), above_.data(),
            ridge_below_.data(), ridge_above_.data(), lo_.size()};
  }

 private:
  const std::vector<double> lo_, hi_, below_, above_, ridge_below_, ridge_above_;
};

struct SmallReport {
  std::int64_t n_iter = 0, n_pair_steps = 0;
  double violation = 0, seconds = 0;
  bool is_solved = false;
};

class SmallSolver {
 public:
  SmallSolver(const SmallPoint& point, double tol, std::int64_t max_iter, StopSignal& stop)
      : point_(point), tol_(tol), max_iter_(std::min(max_iter, kMaxOuterSteps)), stop_(stop) {}

  SmallReport run() {
    const auto began = std::chrono::steady_clock::now();
    works_in_single_ = point_.size() >= kMinForSingle && has_room_in_single();
    if (works_in_single_ || has_usual_values()) {
      // A start is feasible, and its f is not known.
      point_.refresh();
      report_.is_solved = take_steps() && polish() <= tol_;
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began;
    report_.seconds = spent.count();
    return report_;
  }

 private:
  // Whether the values of the matrix and of the bands are of a size for which steps are made.
  bool has_usual_values() {
    prepare_all();
    double largest = 0;
    for (std::size_t i = 0; i < point_.size(); ++i)
      largest = std::fmax(largest, level_.largest(point_.kernel.row(i), point_.size()));
    measure([&](std::size_t i) { return point_.kernel.row(i)[i]; });
    return largest_edge_ <= kLargestUsual && largest_bound_ <= kLargestUsual &&
           kSmallestUsual <= largest && largest <= kLargestUsual;
  }

  // The same for steps in single precision.
  bool has_room_in_single() {
    const SquareMatrix<float> kernel = point_.kernel.single();
    const float largest = point_.kernel.largest_in_single();
    measure([&](std::size_t i) { return double(kernel.row(i)[i]); });
    return largest_edge_ <= kLargestInSingle && largest_bound_ <= kLargestInSingle &&
           kSmallestInSingle <= largest && largest <= kLargestInSingle;
  }

  template <typename Diagonal>
  void measure(const Diagonal& diagonal) {
    roots_.clear();
    roots_.reserve(point_.size());
    largest_root_ = largest_edge_ = largest_bound_ = 0;
    const auto include = [](double& largest, std::initializer_list<double> values) {
      for (double value : values)
        largest = std::abs(value) <= largest ? largest : std::abs(value);  // NaN stays
    };
    for (std::size_t i = 0; i < point_.size(); ++i) {
      const Band band = point_.bands[i];
      roots_.push_back(std::sqrt(std::abs(diagonal(i))));
      include(largest_root_, {roots_[i]});
      include(largest_edge_, {band.lo, band.hi});
      include(largest_bound_, {band.below, band.above, band.ridge_below, band.ridge_above});
    }
  }

  void prepare_all() {
    if (everything_.empty()) {
      everything_.resize(point_.size());
      std::iota(everything_.begin(), everything_.end(), 0);
    }
    point_.kernel.prepare(everything_);
  }

  // The size of rounding errors in f; smaller violations are meaningless.
  double rounding_error() const {
    double reach = 0;
    for (std::size_t i = 0; i < point_.size(); ++i) reach += roots_[i] * std::abs(point_.c[i]);
    return kEpsilon * (largest_root_ * reach + largest_edge_);
  }

  // Block steps on all variables; returns whether they have ended by themselves.
  bool take_steps() {
    take_steps_in_single();
    while (true) {
      report_.violation = point_.violation();
      if (report_.violation <= tol_) return true;
      if (!std::isfinite(report_.violation) || report_.n_iter >= max_iter_ || stop_.is_set())
        return false;
      if (work_of_steps() > kMaxWorkOfSteps) return false;
      ++report_.n_iter;
      const std::int64_t budget = step_budget();
      const BlockReport steps = take_pair_steps(kSmallShareOfTol * tol_, budget);
      if (steps.n_steps < budget && !steps.stalled) continue;
      if (!climb() && steps.n_steps == 0) return true;
    }
  }

  // The first steps of larger problems in single precision, which takes half the time, as far as
  // its rounding errors allow. Variables that no longer move are left out.
  void take_steps_in_single() {
    if (!works_in_single_ || max_iter_ < 1) return;
    const SquareMatrix<float> kernel = point_.kernel.single();
    const double aim =
        std::max(kSmallShareOfTol * tol_, kTimesRounding * rounding_in_single(kernel));
    if (!(aim <= kMaxAimInSingle * point_.violation())) return;
    ++report_.n_iter;
    Part<float> part(kernel, point_.size());
    const std::int64_t look = std::int64_t(kStepsPerLook * double(point_.size()));
    for (std::int64_t left = step_budget(); left > 0 && !stop_.is_set();) {
      const BlockReport steps = take_pair_steps(part, aim, std::min(left, look));
      left -= steps.n_steps;
      // Rounding errors may leave less of the violation to a part than to the whole: then no step
      // is left.
      if (steps.stalled || steps.n_steps == 0 || !(point_.violation() > aim)) break;
      const bool is_solved = !(steps.violation > aim);
      std::vector<std::size_t> in_play = point_.in_play(kMarginOfPart);
      if (is_solved || double(in_play.size()) <= kMaxShareInPlay * double(part.size()))
        part.choose(std::move(in_play));
    }
    point_.refresh();
  }

  // What rounding errors of single precision may add to f.
  double rounding_in_single(const SquareMatrix<float>& kernel) {
    const std::size_t n = point_.size();
    double squares = 0, unit = std::numeric_limits<float>::epsilon() * largest_root_;
    std::vector<std::size_t> compared;
    for (std::size_t k = 0; k < kRowsCompared; ++k) compared.push_back(k * n / kRowsCompared);
    point_.kernel.prepare(compared);
    for (std::size_t i : compared) {
      const double* const row = point_.kernel.row(i);
      for (std::size_t j = 0; j < n; ++j)
        if (roots_[j] > 0) unit = std::max(unit, std::abs(row[j] - kernel.row(i)[j]) / roots_[j]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double bound = std::max(point_.bands.below[i], point_.bands.above[i]);
      squares += roots_[i] * bound * roots_[i] * bound;
    }
    return unit * std::sqrt(squares);
  }

  // Multiplications so far; a pass over a block waits for memory.
  double work_of_steps() const {
    constexpr double kPerValue = 10;
    return kPerValue * double(point_.size()) * double(report_.n_pair_steps) + face_work_;
  }

  std::int64_t step_budget() const {
    return std::max(kMinStepBudget, kStepsPerVariable * std::int64_t(point_.size()));
  }

  // Some variables, and their part of the matrix: all of them at first.
  template <typename Real>
  class Part {
   public:
    Part(const SquareMatrix<Real>& whole, std::size_t size)
        : whole_(whole), matrix_(whole), variables_(size) {
      std::iota(variables_.begin(), variables_.end(), 0);
    }

    std::size_t size() const { return variables_.size(); }
    const std::vector<std::size_t>& variables() const { return variables_; }
    const SquareMatrix<Real>& matrix() const { return matrix_; }
    const Real* whole_row(std::size_t k) const { return whole_.row(variables_[k]); }

    void choose(std::vector<std::size_t> variables) {
      variables_ = std::move(variables);
      values_.resize(std::max(values_.size(), size() * size()));
      for (std::size_t k = 0; k < size(); ++k)
        for (std::size_t q = 0; q < size(); ++q)
          values_[k * size() + q] = whole_row(k)[variables_[q]];
      matrix_ = {values_.data(), size()};
    }

   private:
    const SquareMatrix<Real> whole_;
    SquareMatrix<Real> matrix_;
    std::vector<std::size_t> variables_;
    LargeBuffer<Real> values_;
  };

  // Pair steps of some variables; f of all samples follows in single precision.
  BlockReport take_pair_steps(const Part<float>& part, double tol, std::int64_t max_steps) {
    const std::vector<double> before = values_of(point_.c, part.variables());
    std::vector<double> c = before;
    const BlockReport report = solve_block(part.variables(), part.matrix(), c, tol, max_steps);
    std::vector<const float*> rows;
    std::vector<double> changes;
    for (std::size_t k = 0; k < part.size(); ++k) {
      if (c[k] == before[k]) continue;
      point_.c[part.variables()[k]] = c[k];
      rows.push_back(part.whole_row(k));
      changes.push_back(c[k] - before[k]);
    }
    best_instructions<float>().update(rows.data(), changes.data(), rows.size(), point_.f, 0,
                                      point_.size());
    return report;
  }

  // Pair steps of the variables that could move.
  BlockReport take_pair_steps(double tol, std::int64_t max_steps) {
    const std::vector<std::size_t> variables =
        works_in_single_ ? point_.in_play(kMarginOfPart) : everything_;
    const std::size_t n = variables.size();
    std::vector<double> c = values_of(point_.c, variables);
    point_.kernel.prepare(variables);
    LargeBuffer<double> kernel(n * n);
    for (std::size_t k = 0; k < n; ++k) {
      const double* const row = point_.kernel.row(variables[k]);
      for (std::size_t q = 0; q < n; ++q) kernel[k * n + q] = row[variables[q]];
    }
    const BlockReport report =
        solve_block(variables, SquareMatrix<double>{kernel.data(), n}, c, tol, max_steps);
    point_.move(variables, c);
    return report;
  }

  template <typename Real>
  BlockReport solve_block(const std::vector<std::size_t>& variables,
                          const SquareMatrix<Real>& kernel, std::vector<double>& c, double tol,
                          std::int64_t max_steps) {
    const OwnBands bands(point_.bands, variables);
    const std::vector<double> f = values_of(point_.f, variables);
    const Block<Real> block{kernel.values, kernel.stride, bands.view(), c.data(), f.data()};
    const BlockReport report = bandsvm::solve_block(block, tol, max_steps, point_.has_intercept);
    report_.n_pair_steps += report.n_steps;
    return report;
  }

  bool climb() {
    bool has_moved = false;
    face_work_ += FaceClimb(point_).run(has_moved);
    return has_moved;
  }

  // Brings the violation down to rounding error and returns it; keeps the best point seen.
  double polish() {
    const std::size_t n = point_.size();
    double best = point_.violation();
    std::vector<double> best_c(point_.c, point_.c + n), best_f(point_.f, point_.f + n);
    int waited = 0;
    const double max_work = face_work_ + kMaxWorkOfPolishing;
    for (int round = 0; round < kMaxPolishingRounds && !stop_.is_set(); ++round) {
      snap_to_bounds();
      climb();
      point_.refresh();
      const double current = point_.violation();
      waited = current < 0.5 * best ? 0 : waited + 1;
      if (current < best) {
        best = current;
        best_c.assign(point_.c, point_.c + n);
        best_f.assign(point_.f, point_.f + n);
      }
      if (current <= rounding_error() || waited >= kRoundsWithoutGain || face_work_ > max_work)
        break;
      take_pair_steps(rounding_error(), kPolishingStepsPerVariable * std::int64_t(n));
    }
    std::copy(best_c.begin(), best_c.end(), point_.c);
    std::copy(best_f.begin(), best_f.end(), point_.f);
    report_.violation = best;
    return stop_.is_set() ? std::numeric_limits<double>::infinity() : best;
  }

  // Removes accumulated rounding errors: variables next to the end of a piece, a sum that is off.
  void snap_to_bounds() {
    std::vector<std::size_t> free = point_.free();
    std::vector<double> c, bounds;
    double size = 0, pull = 0;
    for (std::size_t i = 0; i < point_.size(); ++i) {
      size += std::abs(point_.c[i]);
      pull += std::abs(point_.c[i]) * roots_[i];
    }
    c.reserve(free.size());
    bounds.reserve(free.size());
    for (std::size_t i : free) {
      c.push_back(point_.c[i]);
      bounds.push_back(c.back() > 0 ? point_.bands.below[i] : -point_.bands.above[i]);
    }
    for (std::size_t k = 0; k < free.size(); ++k) {
      const double of_sample = std::abs(c[k]) * roots_[free[k]];
      if (std::abs(bounds[k] - c[k]) <= kSnapShare * std::abs(bounds[k]))
        c[k] = bounds[k];
      else if (of_sample <= kSnapShare * pull && std::abs(c[k]) <= kSnapShare * size)
        c[k] = 0;
    }
    point_.move(free, c);
    if (point_.has_intercept) spread_sum(free, c, bounds);
  }

  // Divides what the sum is off by among the free variables, in proportion to their size.
  void spread_sum(const std::vector<std::size_t>& free, const std::vector<double>& c,
                  const std::vector<double>& bounds) {
    const double excess = point_.excess();
    std::vector<std::size_t> inside;
    std::vector<double> moved;
    inside.reserve(free.size());
    moved.reserve(free.size());
    double size = 0;
    for (std::size_t k = 0; k < free.size(); ++k)
      if (c[k] != 0 && c[k] != bounds[k]) size += std::abs(c[k]);
    for (std::size_t k = 0; k < free.size(); ++k) {
      if (c[k] == 0 || c[k] == bounds[k]) continue;
      inside.push_back(free[k]);
      moved.push_back(within(c[k] - excess * (std::abs(c[k]) / size), std::fmin(0, bounds[k]),
                             std::fmax(0, bounds[k])));
    }
    point_.move(inside, moved);
  }

  const FaceInstructions& level_ = best_of_levels<FaceInstructions>();
  SmallPoint point_;
  const double tol_;
  const std::int64_t max_iter_;
  StopSignal& stop_;
  SmallReport report_;
  bool works_in_single_ = false;
  std::vector<double> roots_;
  std::vector<std::size_t> everything_;
  double largest_root_ = 0, largest_edge_ = 0, largest_bound_ = 0, face_work_ = 0;
};

}  // namespace bandsvm
