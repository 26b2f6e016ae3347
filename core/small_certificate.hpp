// Certificates of small problems: decision values from the definition of the kernel, of all samples
// or where errors matter most, the intercept, and how far both are from optimal. Like
// optimality.hpp, it shares no code with solvers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "exact_products.hpp"
#include "optimality.hpp"
#include "threads.hpp"

namespace bandsvm {

// Samples of which products with kernel values are wanted, and their coefficients.
struct Terms {
  std::vector<std::int64_t> rows;
  std::vector<double> coefficients;
};

// Sums of kernel values by their definition.
template <typename MatrixOfSamples>
struct DefinedValues {
  const MatrixOfSamples& X;
  const Kernel& kernel;

  void sums(const Selected& targets, const Terms& terms, double* f) const {
    if (kernel.kind == KernelKind::linear) return linear_sums(X, targets, terms, f);
    exact_products(kernel, X, targets, X, {terms.rows.data(), terms.rows.size()},
                   terms.coefficients.data(), 1, f, 1);
  }

 private:
  // By the weights of the features.
  template <typename Real>
  static void linear_sums(const DenseMatrix<Real>& X, const Selected& targets, const Terms& terms,
                          double* f) {
    std::vector<double> weights(X.n_columns);
    for (std::size_t k = 0; k < terms.rows.size(); ++k) {
      const Real* const z = X.values + std::size_t(terms.rows[k]) * X.n_columns;
      for (std::size_t j = 0; j < X.n_columns; ++j)
        weights[j] += terms.coefficients[k] * double(z[j]);
    }
    for (std::size_t t = 0; t < targets.number; ++t) {
      const Real* const x = X.values + std::size_t(targets.rows[t]) * X.n_columns;
      f[t] = 0;
      for (std::size_t j = 0; j < X.n_columns; ++j) f[t] += weights[j] * double(x[j]);
    }
  }

  template <typename Real, typename Index>
  static void linear_sums(const CsrMatrix<Real, Index>& X, const Selected& targets,
                          const Terms& terms, double* f) {
    std::vector<double> weights(X.n_columns);
    // Columns may change while they are read, so that every use checks the range.
    const auto weight = [&](std::int64_t at) -> double& {
      const Index column = X.columns[at];
      if (column < 0 || std::size_t(column) >= X.n_columns)
        throw std::invalid_argument("a column is out of range.");
      return weights[std::size_t(column)];
    };
    for (std::size_t k = 0; k < terms.rows.size(); ++k)
      for (std::int64_t at = X.starts[terms.rows[k]]; at < X.starts[terms.rows[k] + 1]; ++at)
        weight(at) += terms.coefficients[k] * double(X.values[at]);
    for (std::size_t t = 0; t < targets.number; ++t) {
      const std::size_t row = std::size_t(targets.rows[t]);
      f[t] = 0;
      for (std::int64_t at = X.starts[row]; at < X.starts[row + 1]; ++at)
        f[t] += weight(at) * double(X.values[at]);
    }
  }
};

// The same with a matrix of kernel values.
struct GivenValues {
  const double* values;
  std::size_t n_samples;

  void sums(const Selected& targets, const Terms& terms, double* f) const {
    for (std::size_t t = 0; t < targets.number; ++t) {
      const double* const row = values + std::size_t(targets.rows[t]) * n_samples;
      ExactSum sum;
      for (std::size_t k = 0; k < terms.rows.size(); ++k)
        sum.add(terms.coefficients[k] * row[terms.rows[k]]);
      f[t] = sum.value();
    }
  }
};

// Limits of the intercept that differ by less, relative to its size, are equal.
constexpr double kRoundingOfLimits = 1e-9;

// The intercept: the mean over free variables, or else the middle of its interval. If losses leave
// an interval open, its middle counts in any case.
inline double choose_intercept(const JudgedPoint& p) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto middle = [](double lower, double upper, double otherwise) {
    if (std::isfinite(lower) && std::isfinite(upper)) return 0.5 * lower + 0.5 * upper;
    if (std::isfinite(lower)) return lower;
    return std::isfinite(upper) ? upper : otherwise;
  };
  ExactSum sum;
  std::size_t n_free = 0;
  Limits interval{-infinity, infinity};
  for (std::size_t i = 0; i < p.size; ++i) {
    const double c = p.c[i];
    const Limits limits = limits_of(p, i);
    interval.lower = std::fmax(interval.lower, limits.lower);
    interval.upper = std::fmin(interval.upper, limits.upper);
    const bool is_free = c > 0 ? c < p.largest(i) : (c < 0 && c > p.smallest(i));
    if (!is_free) continue;
    sum.add((c > 0 ? p.lo[i] : p.hi[i]) - (p.f[i] + p.bought(i)));
    ++n_free;
  }
  const double b =
      n_free > 0 ? sum.value() / double(n_free) : middle(interval.lower, interval.upper, 0);
  if (p.is_squared || !std::isfinite(b)) return b;
  const double room =
      std::fmax(interval.lower - interval.upper, 0) + kRoundingOfLimits * (1 + std::abs(b));
  const Limits flat = flat_interval(p, b, room);
  return middle(flat.lower, flat.upper, b);
}

struct SmallCertificate {
  double intercept, drift;  // of the solver's decision values
  std::size_t n_checked;
  Optimality measured;
};

// The size of a difference; infinite if it is not a number.
inline double difference_of(double a, double b) {
  const double difference = std::abs(a - b);
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

// What certificates need to know of problems; arrays hold one problem after the other.
struct JudgedProblems {
  const std::int64_t* starts;
  std::size_t number;
  const std::int64_t* members;
  PricedBands bands;
  bool has_intercept;
  const double* c;

  // Problem k, with decision values f of all problems.
  JudgedPoint problem(std::size_t k, const double* f) const {
    const std::size_t at = std::size_t(starts[k]);
    return {{bands.lo + at, bands.hi + at, bands.below + at, bands.above + at, bands.most + at,
             bands.least + at, std::size_t(starts[k + 1]) - at, bands.is_squared, bands.total},
            c + at,
            f + at};
  }
};

// Rounding errors of decision values, in units of the size of all terms together: the root of the
// sum of squares of size times coefficient. Arrays have one value for each sample.
struct ErrorEstimates {
  const double* sizes;      // kernel values are at most their products
  const double* of_solver;  // errors of the solver's decision values
  double of_recomputed;     // errors of recomputed ones, in units of `sizes` too
  double negligible, share_in_sums;

  double size_of_terms(const std::int64_t* members, const JudgedPoint& p) const {
    double squares = 0;
    for (std::size_t i = 0; i < p.size; ++i) {
      const double term = sizes[members[i]] * p.c[i];
      squares += term * term;
    }
    return std::sqrt(squares);
  }

  // Errors of recomputed values; empty if they are negligible.
  std::vector<double> recomputed(const std::int64_t* members, const JudgedPoint& p) const {
    std::vector<double> errors(p.size);
    const double scale = of_recomputed * size_of_terms(members, p);
    double largest = 0;
    for (std::size_t i = 0; i < p.size; ++i) {
      errors[i] = scale * sizes[members[i]];
      largest = errors[i] <= largest ? largest : errors[i];
    }
    if (largest <= negligible) errors.clear();
    return errors;
  }
};

// Which samples are recomputed where not all are; bandsvm._certificate.gradient has the reasons.
struct SpotCheckRules {
  double tol;
  std::size_t n_checks, samples_per_check;
  double times_mean, times_largest, min_factor, far_from_tol;
  int max_rounds;
  std::vector<double> draws;  // numbers between 0 and 1
};

// The decision values of a solution, recomputed where errors could matter, and what errors may be
// left: `sums(samples, values)` recomputes some of them. The same as bandsvm._certificate.gradient
// does for larger problems.
template <typename Sums>
class SpotChecks {
 public:
  // `estimates` are errors of the solver's decision values `f`.
  SpotChecks(const SpotCheckRules& rules, const JudgedPoint& point, bool has_intercept,
             std::vector<double> estimates, double* f, const Sums& sums)
      : rules_(rules),
        point_(point),
        has_intercept_(has_intercept),
        estimates_(std::move(estimates)),
        f_(f),
        sums_(sums),
        risks_(point.size),
        is_checked_(point.size),
        factor_(rules.min_factor) {}

  void run() {
    calibrate();
    for (int round = 0; round < rules_.max_rounds; ++round) {
      const double violation = find_risks();
      if (!(violation <= rules_.far_from_tol * rules_.tol)) return;  // no error can hide that
      std::vector<std::size_t> risky;
      for (std::size_t i = 0; i < point_.size; ++i)
        if (risks_[i] > 1 / factor_ && !is_checked_[i]) risky.push_back(i);
      if (risky.empty()) return;
      check(risky);
    }
  }

  double drift() const { return drift_; }
  std::size_t n_checked() const {
    return std::size_t(std::count(is_checked_.begin(), is_checked_.end(), true));
  }

  // Bounds of errors; `of_recomputed` is empty if these are negligible.
  std::vector<double> errors(const std::vector<double>& of_recomputed) const {
    std::vector<double> found(point_.size);
    for (std::size_t i = 0; i < point_.size; ++i) {
      if (is_checked_[i])
        found[i] = of_recomputed.empty() ? 0 : of_recomputed[i];
      else
        found[i] = estimates_[i] == 0 ? 0 : factor_ * estimates_[i];
    }
    return found;
  }

 private:
  double find_risks() {
    return risks_of(point_, estimates_.data(), rules_.tol, has_intercept_, risks_.data());
  }

  // Recomputes the samples at the highest risk, some drawn by risk and some drawn uniformly, and
  // compares the errors of the former with the estimates.
  void calibrate() {
    find_risks();
    const std::size_t n = point_.size, n_worst = 3 * rules_.n_checks / 8;
    const std::size_t n_by_risk = rules_.n_checks / 8;
    const std::size_t n_uniform = rules_.n_checks / 2 + n / rules_.samples_per_check;
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::nth_element(order.begin(), order.begin() + std::ptrdiff_t(n_worst), order.end(),
                     [&](std::size_t i, std::size_t j) { return risks_[i] > risks_[j]; });
    std::vector<bool> is_critical(n), is_chosen(n);
    for (std::size_t k = 0; k < n_worst; ++k) is_critical[order[k]] = true;
    const double highest = *std::max_element(risks_.begin(), risks_.end());
    std::vector<double> ends(n);
    for (std::size_t i = 0; i < n; ++i)
      ends[i] = (i > 0 ? ends[i - 1] : 0) + (highest > 0 ? risks_[i] / highest : 0);
    for (std::size_t k = 0; k < n_by_risk && highest > 0; ++k) {
      const auto end = std::upper_bound(ends.begin(), ends.end(), draw(k) * ends.back());
      is_critical[std::min(std::size_t(end - ends.begin()), n - 1)] = true;
    }
    is_chosen = is_critical;
    for (std::size_t k = 0; k < n_uniform; ++k)
      is_chosen[std::min(std::size_t(draw(n_by_risk + k) * double(n)), n - 1)] = true;
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < n; ++i)
      if (is_chosen[i]) chosen.push_back(i);
    const std::vector<double> ratios = check(chosen);
    double squares = 0, n_critical = 0;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      if (!is_critical[chosen[k]]) continue;
      squares += ratios[k] * ratios[k];
      ++n_critical;
    }
    raise_factor(rules_.times_mean * std::sqrt(squares / n_critical));
  }

  double draw(std::size_t k) const { return rules_.draws[k % rules_.draws.size()]; }

  // Recomputes some samples; returns their errors in units of the estimates.
  std::vector<double> check(const std::vector<std::size_t>& samples) {
    std::vector<double> exact(samples.size()), ratios(samples.size());
    sums_(samples, exact.data());
    for (std::size_t k = 0; k < samples.size(); ++k) {
      const std::size_t i = samples[k];
      const double difference = difference_of(exact[k], f_[i]);
      ratios[k] = difference == 0 ? 0 : difference / estimates_[i];
      drift_ = std::fmax(drift_, difference);
      raise_factor(rules_.times_largest * ratios[k]);
      f_[i] = exact[k];
      is_checked_[i] = true;
    }
    return ratios;
  }

  void raise_factor(double factor) {
    if (!(factor <= factor_))
      factor_ = std::isnan(factor) ? std::numeric_limits<double>::infinity() : factor;
  }

  const SpotCheckRules& rules_;
  const JudgedPoint point_;
  const bool has_intercept_;
  const std::vector<double> estimates_;
  double* const f_;
  const Sums& sums_;
  std::vector<double> risks_;
  std::vector<bool> is_checked_;
  double factor_, drift_ = 0;
};

// Certifies problems.
template <typename Values>
class SmallCertifier {
 public:
  SmallCertifier(const Values& values, const JudgedProblems& problems,
                 const ErrorEstimates& estimates, const SpotCheckRules& rules)
      : values_(values), problems_(problems), estimates_(estimates), rules_(rules) {}

  // Problem k. On entry f holds the solver's decision values, less the intercept, of all problems;
  // on return, recomputed ones of this problem: of all samples, or where errors matter.
  SmallCertificate of(std::size_t k, bool checks_all, double* f) const {
    const JudgedPoint point = problems_.problem(k, f);
    const std::size_t at = std::size_t(problems_.starts[k]);
    const std::int64_t* const members = problems_.members + at;
    Terms terms;
    for (std::size_t i = 0; i < point.size; ++i)
      if (point.c[i] != 0) {
        terms.rows.push_back(members[i]);
        terms.coefficients.push_back(point.c[i]);
      }
    std::vector<double> errors = estimates_.recomputed(members, point);
    SmallCertificate found{};
    if (checks_all || point.size <= rules_.n_checks) {
      std::vector<double> exact(point.size);
      if (!terms.rows.empty()) values_.sums({members, point.size}, terms, exact.data());
      for (std::size_t i = 0; i < point.size; ++i) {
        found.drift = std::fmax(found.drift, difference_of(exact[i], f[at + i]));
        f[at + i] = exact[i];
      }
      found.n_checked = point.size;
    } else {
      const auto sums = [&](const std::vector<std::size_t>& samples, double* exact) {
        std::vector<std::int64_t> rows(samples.size());
        for (std::size_t i = 0; i < samples.size(); ++i) rows[i] = members[samples[i]];
        if (!terms.rows.empty()) values_.sums({rows.data(), rows.size()}, terms, exact);
      };
      const double scale = estimates_.size_of_terms(members, point);
      std::vector<double> of_solver(point.size);
      for (std::size_t i = 0; i < point.size; ++i)
        of_solver[i] = scale * estimates_.of_solver[members[i]];
      SpotChecks<decltype(sums)> checks(rules_, point, problems_.has_intercept,
                                        std::move(of_solver), f + at, sums);
      checks.run();
      errors = checks.errors(errors);
      found.drift = checks.drift();
      found.n_checked = checks.n_checked();
    }
    found.intercept = problems_.has_intercept ? choose_intercept(point) : 0;
    found.measured = optimality_of(point, found.intercept, errors.empty() ? nullptr : errors.data(),
                                   estimates_.share_in_sums);
    return found;
  }

 private:
  const Values& values_;
  const JudgedProblems& problems_;
  const ErrorEstimates& estimates_;
  const SpotCheckRules& rules_;
};

// Certifies the problems that are wanted; see `SmallCertifier`.
template <typename Values>
void certify_small_problems(const SmallCertifier<Values>& certifier, std::size_t number,
                            const bool* is_wanted, const bool* checks_all, double* f,
                            SmallCertificate* certificates, int n_threads) {
  in_parallel(number, n_threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k)
      if (is_wanted[k]) certificates[k] = certifier.of(k, checks_all[k], f);
  });
}

}  // namespace bandsvm
