// How far a point of a band problem is from optimal, for certificates: they share no code with
// solvers. docs/theory.md, sections 4 and 5, has the formulas.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

namespace bandsvm {

// Bands with what it costs to lie outside. Costs are finite; bounds of c, which lies in [-least,
// most], need not be. With an intercept the sum of c is `total`.
struct PricedBands {
  const double *lo, *hi, *below, *above, *most, *least;
  std::size_t size;
  bool is_squared;
  double total = 0;
};

// Coefficients c and decision values f, less the intercept.
struct JudgedPoint : PricedBands {
  const double *c, *f;

  // What a coefficient buys: how far outside the band it puts its sample, below it if positive.
  double bought(std::size_t i) const {
    if (!is_squared || c[i] == 0) return 0;
    const double cost = c[i] > 0 ? below[i] : above[i];
    return cost > 0 ? 0.5 * c[i] / cost : 0;
  }
  // Squared losses have no bounds where they have a cost.
  bool can_rise(std::size_t i) const { return is_squared ? below[i] > 0 : c[i] < most[i]; }
  bool can_fall(std::size_t i) const { return is_squared ? above[i] > 0 : c[i] > -least[i]; }
  double largest(std::size_t i) const { return bound(below[i], most[i]); }
  double smallest(std::size_t i) const { return -bound(above[i], least[i]); }

 private:
  double bound(double cost, double bound) const {
    if (!is_squared) return bound;
    return cost > 0 ? std::numeric_limits<double>::infinity() : 0;
  }
};

// A sum that keeps what additions round off (Neumaier 1974).
class ExactSum {
 public:
  void add(double term) {
    const double sum = sum_ + term;
    lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - sum) + term : (term - sum) + sum_;
    sum_ = sum;
  }
  // Where the sum is infinite or NaN, what was lost says nothing.
  double value() const { return std::isfinite(sum_) ? sum_ + lost_ : sum_; }

 private:
  double sum_ = 0, lost_ = 0;
};

// Positive part; NaN stays.
inline double positive_part(double x) { return x <= 0 ? 0 : x; }

// The loss of sample i at decision value g, Eq. (26) or (50).
inline double loss_of(const JudgedPoint& p, std::size_t i, double g) {
  const double under = positive_part(p.lo[i] - g), over = positive_part(g - p.hi[i]);
  if (p.is_squared) return p.below[i] * under * under + p.above[i] * over * over;
  return p.below[i] * under + p.above[i] * over;
}

// What sample i adds to the duality gap at decision value g, as a sum of nonnegative terms.
inline double gap_of(const JudgedPoint& p, std::size_t i, double g) {
  const double to_lo = p.lo[i] - g, to_hi = g - p.hi[i], c = p.c[i];
  if (!p.is_squared) {
    const double at_lo = p.below[i] * positive_part(to_lo) - positive_part(c) * to_lo;
    return at_lo + p.above[i] * positive_part(to_hi) - positive_part(-c) * to_hi;
  }
  const double bought = p.bought(i);
  const double under = positive_part(to_lo) - positive_part(bought);
  const double over = positive_part(to_hi) - positive_part(-bought);
  return p.below[i] * under * under + p.above[i] * over * over +
         positive_part(c) * positive_part(-to_lo) + positive_part(-c) * positive_part(-to_hi);
}

// The least and the largest intercept that sample i allows, for decision values f.
struct Limits {
  double lower, upper;
};

inline Limits limits_of(const JudgedPoint& p, std::size_t i) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double g = p.f[i] + p.bought(i), at_lo = p.lo[i] - g, at_hi = p.hi[i] - g, c = p.c[i];
  return {c < 0 ? at_hi : (p.can_rise(i) ? at_lo : -infinity),
          c > 0 ? at_lo : (p.can_fall(i) ? at_hi : infinity)};
}

struct Optimality {
  double primal, dual, gap;
  double gap_with_errors;     // the largest, if decision values are off by a share of their errors
  double product_error;       // what errors of f are likely to add to c'f, or to take away
  double excess, total_size;  // of the sum of c over its total; the sum of its sizes
  double outside;             // how far c is out of bounds
  Limits interval;            // of the intercept: the largest lower and the smallest upper limit
  Limits with_errors;         // the same, if decision values are off by their errors
  Limits values;              // the least and the largest f of samples that have a cost
};

// `errors` bound what rounding may have added to f or taken away; null if that is nothing.
inline Optimality optimality_of(const JudgedPoint& p, double intercept, const double* errors,
                                double share_in_sums) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  ExactSum loss, edges, product, ridge, gap, gap_with_errors, squares, excess, total_size;
  Optimality found{};
  found.interval = found.with_errors = {-infinity, infinity};
  found.values = {infinity, -infinity};
  for (std::size_t i = 0; i < p.size; ++i) {
    const double c = p.c[i], g = p.f[i] + intercept;
    loss.add(loss_of(p, i, g));
    if (c != 0) {
      edges.add(c > 0 ? p.lo[i] * c : p.hi[i] * c);
      product.add(c * p.f[i]);
      if (p.is_squared) ridge.add(c * p.bought(i));
      excess.add(c);
      total_size.add(std::abs(c));
    }
    if (p.below[i] > 0 || p.above[i] > 0)
      found.values = {std::fmin(found.values.lower, p.f[i]), std::fmax(found.values.upper, p.f[i])};
    const double of_sample = gap_of(p, i, g);
    gap.add(of_sample);
    const Limits limits = limits_of(p, i);
    found.interval.lower = std::fmax(found.interval.lower, limits.lower);
    found.interval.upper = std::fmin(found.interval.upper, limits.upper);
    found.outside = std::fmax(found.outside, std::fmax(c - p.largest(i), p.smallest(i) - c));
    if (!errors) continue;
    // Terms of the gap are convex functions of decision values.
    const double off = share_in_sums * errors[i];
    squares.add((c * off) * (c * off));
    gap_with_errors.add(off == 0 ? of_sample
                                 : std::fmax(gap_of(p, i, g + off), gap_of(p, i, g - off)));
    found.with_errors.lower = std::fmax(found.with_errors.lower, limits.lower + errors[i]);
    found.with_errors.upper = std::fmin(found.with_errors.upper, limits.upper - errors[i]);
  }
  if (p.total != 0) {
    loss.add(p.total * intercept);
    excess.add(-p.total);
  }
  found.primal = 0.5 * product.value() + loss.value();
  found.dual = edges.value() - 0.5 * product.value() - 0.5 * ridge.value();
  found.gap = gap.value();
  found.gap_with_errors = errors ? gap_with_errors.value() : found.gap;
  found.product_error = std::sqrt(squares.value());
  found.excess = excess.value();
  found.total_size = total_size.value();
  if (!errors) found.with_errors = found.interval;
  return found;
}

// The interval around b on which the hinge losses of all samples, with `total` times the intercept,
// have the same sum as at b, up to `room` on either side: it ends at b where they grow at once.
// Slopes below a share of all costs are rounding errors.
inline Limits flat_interval(const JudgedPoint& p, double b, double room) {
  constexpr double infinity = std::numeric_limits<double>::infinity(), kFlat = 1e-10;
  ExactSum to_right, to_left, costs;
  Limits next{-infinity, infinity};  // where the slope changes beyond the room
  to_right.add(p.total);
  to_left.add(p.total);
  costs.add(std::abs(p.total));
  for (std::size_t i = 0; i < p.size; ++i) {
    const double at_lo = p.lo[i] - p.f[i], at_hi = p.hi[i] - p.f[i];
    // The loss falls with b below at_lo and rises above at_hi.
    to_right.add((at_hi < b + room ? p.above[i] : 0) - (at_lo > b + room ? p.below[i] : 0));
    to_left.add((at_hi < b - room ? p.above[i] : 0) - (at_lo > b - room ? p.below[i] : 0));
    costs.add(p.below[i] + p.above[i]);
    const auto meet = [&](double at, double cost) {
      if (cost <= 0) return;
      if (at > b + room) next.upper = std::fmin(next.upper, at);
      if (at < b - room) next.lower = std::fmax(next.lower, at);
    };
    meet(at_lo, p.below[i]);
    meet(at_hi, p.above[i]);
  }
  const double flat = kFlat * costs.value();
  return {std::abs(to_left.value()) <= flat ? next.lower : b,
          std::abs(to_right.value()) <= flat ? next.upper : b};
}

// Fills risks with errors in units of margins: of the errors from which on a sample would violate
// optimality by more than `tol`. Samples without a margin have the largest of all numbers. Returns
// the violation.
inline double risks_of(const JudgedPoint& p, const double* errors, double tol, bool has_intercept,
                       double* risks) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double largest = std::numeric_limits<double>::max();
  Limits interval{-infinity, infinity};
  bool is_finite = true;
  for (std::size_t i = 0; i < p.size; ++i) {
    const Limits limits = limits_of(p, i);
    interval.lower = std::fmax(interval.lower, limits.lower);
    interval.upper = std::fmin(interval.upper, limits.upper);
    is_finite = is_finite && std::isfinite(p.f[i]);
  }
  double middle = 0, room = tol;
  if (has_intercept) {
    middle = 0.5 * (interval.lower + interval.upper);
    if (!std::isfinite(middle)) middle = 0;
    room = 0.5 * tol;
  }
  for (std::size_t i = 0; i < p.size; ++i) {
    const Limits limits = limits_of(p, i);
    const double margin = std::fmin(middle + room - limits.lower, limits.upper - (middle - room));
    const double risk = errors[i] / margin;
    // Also where an error is infinite or NaN.
    risks[i] = margin > 0 && risk <= largest ? risk : (margin == infinity ? 0 : largest);
  }
  if (!is_finite) return infinity;
  return has_intercept ? interval.lower - interval.upper
                       : std::fmax(std::fmax(interval.lower, -interval.upper), 0);
}

}  // namespace bandsvm
