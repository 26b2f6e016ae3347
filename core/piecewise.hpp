// The projection onto a box in which sums are fixed; the same as bandsvm._problem.piecewise.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace bandsvm {

// Newton's method usually finds the root of a piecewise linear function in a few steps.
constexpr int kNewtonSteps = 6;
constexpr double kRoundingOfSums = 1e-15;

inline double sum_of(const std::vector<double>& values) {
  double total = 0;
  for (double value : values) total += value;
  return total;
}

inline double size_of(const std::vector<double>& values) {
  double total = 0;
  for (double value : values) total += std::abs(value);
  return total;
}

// Values between bounds; NaN becomes a bound.
inline double within(double value, double lower, double upper) {
  return std::fmin(std::fmax(value, lower), upper);
}

// A box, and a point to be brought into it.
class BoxProjection {
 public:
  BoxProjection(const std::vector<double>& point, const std::vector<double>& lower,
                const std::vector<double>& upper)
      : point_(point), lower_(lower), upper_(upper), moved_(point.size()) {}

  // The nearest point of the box.
  std::vector<double> nearest() && {
    shift(0);
    return std::move(moved_);
  }

  // The nearest point of the box among those of sum `total`.
  std::vector<double> nearest_of_sum(double total) && {
    shift(0);
    if (sum_of(moved_) == total) return std::move(moved_);
    // A corner of the box is returned exactly; a shift would only come close.
    if (total <= sum_of(lower_)) return lower_;
    if (total >= sum_of(upper_)) return upper_;
    double by = 0;
    for (int step = 0; step < kNewtonSteps; ++step) {
      std::size_t n_inside = 0;
      for (std::size_t k = 0; k < moved_.size(); ++k) n_inside += is_inside(k);
      if (n_inside == 0) break;
      by += (sum_of(moved_) - total) / double(n_inside);
      shift(by);
      if (std::abs(sum_of(moved_) - total) <= kRoundingOfSums * size_of(moved_))
        return std::move(moved_);
    }
    shift(root(total));
    spread(total - sum_of(moved_));
    return std::move(moved_);
  }

 private:
  bool is_inside(std::size_t k) const { return lower_[k] < moved_[k] && moved_[k] < upper_[k]; }

  void shift(double by) {
    for (std::size_t k = 0; k < moved_.size(); ++k)
      moved_[k] = within(point_[k] - by, lower_[k], upper_[k]);
  }

  double excess(double by, double total) const {
    double sum = 0;
    for (std::size_t k = 0; k < point_.size(); ++k)
      sum += within(point_[k] - by, lower_[k], upper_[k]);
    return sum - total;
  }

  // The shift at which the sum is `total`. Values are computed where they are needed: accumulated
  // from breakpoint to breakpoint, they would have the rounding errors of the largest one.
  double root(double total) const {
    std::vector<double> points;
    for (std::size_t k = 0; k < point_.size(); ++k)
      for (double end : {upper_[k], lower_[k]}) {
        if (std::isnan(point_[k] - end)) return 0;  // NaN has no place in an order
        points.push_back(point_[k] - end);
      }
    std::sort(points.begin(), points.end());
    std::size_t first = 0, last = points.size() - 1;
    double before = excess(points[first], total), after = excess(points[last], total);
    // The root lies outside only by rounding, or if the function is constant.
    if (before <= 0 || after > 0) return before <= 0 ? points[first] : points[last];
    while (last - first > 1) {
      const std::size_t middle = (first + last) / 2;
      const double at_middle = excess(points[middle], total);
      if (at_middle > 0)
        first = middle, before = at_middle;
      else
        last = middle, after = at_middle;
    }
    const double run = points[last] - points[first], fall = before - after;
    return before < -after ? points[first] + run * (before / fall)
                           : points[last] + run * (after / fall);
  }

  // Divides the missing part of the sum among what is inside, in proportion to its size.
  void spread(double missing) {
    double size = 0;
    std::size_t n_inside = 0;
    for (std::size_t k = 0; k < moved_.size(); ++k)
      if (is_inside(k)) size += std::abs(moved_[k]), ++n_inside;
    for (std::size_t k = 0; k < moved_.size(); ++k) {
      if (!is_inside(k)) continue;
      const double share = size > 0 ? std::abs(moved_[k]) / size : 1 / double(n_inside);
      moved_[k] = within(moved_[k] + missing * share, lower_[k], upper_[k]);
    }
  }

  const std::vector<double>&point_, &lower_, &upper_;
  std::vector<double> moved_;
};

}  // namespace bandsvm
