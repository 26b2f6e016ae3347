// Coordinate descent on the dual of the linear band problem: one exact step along each variable in
// turn, weights kept up to date.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "linear_rows.hpp"
#include "pair_step.hpp"

namespace bandsvm {

// All that a step along one variable needs, in one line of the cache.
struct alignas(64) Variable {
  Band band;
  double norm, c;
};

// How far the slopes of the dual at c are from allowing an optimum at c with decision value g; less
// than 0 where c is at a bound or at its kink, by the distance to the slopes that would move it.
inline double slope_violation(const Band& band, double c, double g) {
  constexpr double never = -std::numeric_limits<double>::infinity();
  const double to_rise = c < band.below ? right_slope(band, c) - g : never;
  const double to_fall = c > -band.above ? g - left_slope(band, c) : never;
  return std::max(to_rise, to_fall);
}

// The c that maximises the dual along one variable, without branches: they would be unpredictable.
// With g(c) = g + curvature (c - from), the slope is 0 on one side of the kink at most.
inline double best_coefficient(const Band& band, double from, double g, double curvature) {
  const double at_lo = (band.lo - g + curvature * from) / (curvature + band.ridge_below);
  const double at_hi = (band.hi - g + curvature * from) / (curvature + band.ridge_above);
  const double best = std::max(at_lo, 0.0) + std::min(at_hi, 0.0);
  return std::min(std::max(best, -band.above), band.below);
}

// What being outside its band costs a sample: the distance times the cost, which is the bound of c,
// or its square times half of 1 / ridge.
inline double loss_at(const Band& band, double g) {
  const double under = std::max(band.lo - g, 0.0), over = std::max(g - band.hi, 0.0);
  const double linear = band.below * under + band.above * over;
  if (band.ridge_below + band.ridge_above == 0) return linear;
  return (under > 0 && band.below > 0 ? 0.5 * under * under / band.ridge_below : 0.0) +
         (over > 0 && band.above > 0 ? 0.5 * over * over / band.ridge_above : 0.0);
}

// What a sample adds to the duality gap where sum c = 0.
inline double gap_at(const Band& band, double c, double g, double loss) {
  const double edge = c > 0 ? band.lo : band.hi;
  return loss + c * (g - edge) + 0.5 * left_ridge(band, c) * c * c;
}

// A generator of random numbers (Marsaglia's xorshift): the same on every machine.
class Shuffler {
 public:
  template <typename T>
  void shuffle(T* first, std::size_t number) {
    for (std::size_t k = number; k > 1; --k) std::swap(first[k - 1], first[below(k)]);
  }

 private:
  std::size_t below(std::size_t end) {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return std::size_t(((state_ >> 32U) * std::uint64_t(end)) >> 32U);
  }

  std::uint64_t state_ = 0x9e3779b97f4a7c15;
};

// After how many passes' worth of steps all variables take part again, at the latest, and at which
// share of the gap that all of them had.
constexpr double kPassesBeforeAll = 10;
constexpr double kFallBeforeAll = 0.01;
// Variables and rows that will be needed so many steps later are fetched into the cache.
constexpr std::size_t kStepsAhead = 4;
// Passes after which a leap along what they changed is tried.
constexpr std::size_t kPassesPerLeap = 8;
// What a step costs besides the values that it reads, in values.
constexpr double kStepCost = 8;

// A point of the dual, and the passes that move it. The constraint sum c = 0 is replaced by a
// multiplier and a quadratic penalty, both 0 without intercept: the decision value of a sample is
// x'w + multiplier + penalty * sum c. After every pass the multiplier takes over the penalty's part
// (method of multipliers).
//
// Variables that would have to be pushed to move at all, by more than what any variable was off in
// the last pass, take no part until the others are settled.
template <typename Rows>
class Descent {
 public:
  Descent(const Rows& rows, std::vector<Variable> variables, std::vector<double> weights,
          double multiplier, double penalty)
      : rows_(rows),
        variables_(std::move(variables)),
        weights_(std::move(weights)),
        multiplier_(multiplier),
        penalty_(penalty) {
    if (variables_.size() > std::numeric_limits<std::uint32_t>::max())
      throw std::invalid_argument("there may be at most 2^32 - 1 samples.");
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      Variable& variable = variables_[i];
      if (!(variable.band.below > 0 || variable.band.above > 0)) continue;
      order_.push_back(std::uint32_t(i));
      variable.norm = std::max(rows_.squared_norm(i), std::numeric_limits<double>::min());
      values_ += double(rows_.row_size(i)) + kStepCost;
      total_ += variable.c;
    }
    begin_with_all();
    shuffler_.shuffle(order_.data(), n_active_);
  }

  // Takes steps that cost about as much as so many passes over all variables, or until the gap
  // seems to be at most `aim` times the objective after such a pass; returns how many passes these
  // were.
  double run(double aim, double max_passes) {
    const double most = max_passes * values_;
    double spent = 0;
    is_enough_ = order_.empty();
    while (spent < most && !is_enough_) {
      if (at_ < n_active_)
        spent += step();
      else
        is_enough_ = end_pass(aim);
    }
    return spent / values_;
  }

  // Whether the last run ended because the gap seems small enough.
  bool is_enough() const { return is_enough_; }

  const std::vector<Variable>& variables() const { return variables_; }
  const std::vector<double>& weights() const { return weights_; }
  // Estimates of the last pass over all variables; infinite before.
  double gap() const { return gap_of_all_; }
  double primal() const { return primal_; }

 private:
  double step() {
    if (at_ + 2 * kStepsAhead < n_active_) prefetch(at_);
    const std::size_t i = order_[at_];
    Variable& variable = variables_[i];
    const Band& band = variable.band;
    const double g = rows_.dot(i, weights_.data()) + multiplier_ + penalty_ * total_;
    const double values = double(rows_.row_size(i)) + kStepCost;
    since_all_ += values;
    since_leap_ += values;
    const double loss = loss_at(band, g);
    loss_ += loss;
    const double violation = slope_violation(band, variable.c, g);
    if (violation < -slack_) {
      std::swap(order_[at_], order_[--n_active_]);
      return values;
    }
    gap_ += gap_at(band, variable.c, g, loss);
    if (violation > 0) {
      worst_ = std::max(worst_, violation);
      const double before = variable.c;
      variable.c = best_coefficient(band, before, g, variable.norm + penalty_);
      const double change = variable.c - before;
      if (change != 0) {
        rows_.add_to(weights_.data(), i, change);
        total_ += change;
      }
    }
    ++at_;
    return values;
  }

  void prefetch(std::size_t at) const {
    const std::size_t near = order_[at + kStepsAhead], far = order_[at + 2 * kStepsAhead];
    prefetch_line(&variables_[far]);
    rows_.prefetch_start(far);
    rows_.prefetch(near);
  }

  // Ends a pass and begins the next one; returns whether the gap seems small enough.
  bool end_pass(double aim) {
    multiplier_ += penalty_ * total_;
    const double gap = gap_;
    if (has_all_) {
      gap_of_all_ = gap;
      primal_ = loss_;
      for (double w : weights_) primal_ += 0.5 * w * w;
    }
    const bool is_enough = has_all_ && gap <= aim * primal_;
    const bool is_settled = gap <= std::max(0.5 * aim * primal_, kFallBeforeAll * gap_of_all_) ||
                            since_all_ >= kPassesBeforeAll * values_ || n_active_ == 0;
    // A leap costs some products of the size of the weights.
    if (++n_passes_ >= kPassesPerLeap && since_leap_ >= double(weights_.size())) {
      if (n_remembered_ > 0) leap();
      remember();
    }
    const bool was_all = has_all_;
    const double worst = worst_;
    gap_ = loss_ = worst_ = 0;
    at_ = 0;
    if (is_enough || (!was_all && is_settled)) {
      begin_with_all();
    } else {
      if (was_all) since_all_ = 0;
      slack_ = worst;
      has_all_ = n_active_ == order_.size();
    }
    shuffler_.shuffle(order_.data(), n_active_);
    return is_enough;
  }

  // Variables that depend on each other move together, by little in every pass. A leap goes on in
  // the direction of the last passes, as far as the dual grows and no variable meets a bound or
  // kink.
  void leap() {
    // Of differences of weights little but rounding would be left, which long leaps magnify.
    direction_.assign(weights_.size(), 0.0);
    double slope = 0, curvature = 0, sum = 0, longest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < n_remembered_; ++k) {
      const std::size_t i = order_[k];
      const auto& [band, norm, c] = variables_[i];
      const double change = c - last_c_[i];
      if (change == 0) continue;
      const double end = end_of(band, c, change);
      if (c == 0 || c == end) {  // it stays
        last_c_[i] = c;
        continue;
      }
      rows_.add_to(direction_.data(), i, change);
      slope += change * left_slope(band, c);
      curvature += left_ridge(band, c) * change * change;
      sum += change;
      longest = std::min(longest, (end - c) / change);
    }
    slope -= sum * (multiplier_ + penalty_ * total_);
    curvature += penalty_ * sum * sum;
    for (std::size_t k = 0; k < direction_.size(); ++k) {
      slope -= direction_[k] * weights_[k];
      curvature += direction_[k] * direction_[k];
    }
    if (slope > 0 && curvature > 0) move(std::min(longest, slope / curvature), sum);
  }

  void move(double length, double sum) {
    for (std::size_t k = 0; k < n_remembered_; ++k) {
      const std::size_t i = order_[k];
      Variable& variable = variables_[i];
      const double c = variable.c, change = c - last_c_[i];
      if (change == 0) continue;
      const double end = end_of(variable.band, c, change), to = c + length * change;
      // Rounding must not carry it past the end.
      variable.c = change > 0 ? std::min(to, end) : std::max(to, end);
    }
    for (std::size_t k = 0; k < direction_.size(); ++k) weights_[k] += length * direction_[k];
    total_ += length * sum;
  }

  // Where a variable that changes in some direction meets its bound, or its kink at 0.
  static double end_of(const Band& band, double c, double change) {
    return change > 0 ? (c < 0 ? 0.0 : band.below) : (c > 0 ? 0.0 : -band.above);
  }

  // Keeps what a leap starts from. Until all variables take part again, those that move are among
  // the first of the order.
  void remember() {
    last_c_.resize(variables_.size());
    for (std::size_t k = 0; k < n_active_; ++k) last_c_[order_[k]] = variables_[order_[k]].c;
    n_remembered_ = n_active_;
    n_passes_ = 0;
    since_leap_ = 0;
  }

  void begin_with_all() {
    n_active_ = order_.size();
    slack_ = std::numeric_limits<double>::infinity();
    since_all_ = 0;
    has_all_ = true;
    n_remembered_ = 0;
  }

  const Rows rows_;
  std::vector<Variable> variables_;
  std::vector<double> weights_;
  double multiplier_, penalty_, total_ = 0;
  std::vector<std::uint32_t> order_;
  Shuffler shuffler_;
  std::size_t n_passes_ = 0, n_remembered_ = 0;
  std::vector<double> last_c_, direction_;
  std::size_t at_ = 0, n_active_ = 0;
  bool has_all_ = true, is_enough_ = false;
  double values_ = kStepCost, slack_ = 0, since_all_ = 0, since_leap_ = 0, worst_ = 0, gap_ = 0,
         loss_ = 0;
  double gap_of_all_ = std::numeric_limits<double>::infinity();
  double primal_ = std::numeric_limits<double>::infinity();
};

}  // namespace bandsvm
