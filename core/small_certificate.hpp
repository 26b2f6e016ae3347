// Certificates of small problems: decision values from the definition of the kernel, the intercept,
// and how far both are from optimal. Like optimality.hpp, it shares no code with solvers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
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
  Optimality measured;
};

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
             bands.least + at, std::size_t(starts[k + 1]) - at, bands.is_squared},
            c + at,
            f + at};
  }
};

// Rounding errors of decision values: `unit` times the size of the sample and that of all terms.
struct ErrorEstimates {
  const double* sizes;  // of all samples: kernel values are at most their products
  double unit, negligible, share_in_sums;

  // Empty if they are negligible.
  std::vector<double> of(const Selected& targets, const JudgedPoint& p) const {
    double squares = 0, largest = 0;
    std::vector<double> errors(targets.number);
    for (std::size_t i = 0; i < targets.number; ++i) {
      const double term = sizes[targets.rows[i]] * p.c[i];
      squares += term * term;
    }
    const double scale = unit * std::sqrt(squares);
    for (std::size_t i = 0; i < targets.number; ++i) {
      errors[i] = scale * sizes[targets.rows[i]];
      largest = errors[i] <= largest ? largest : errors[i];
    }
    if (largest <= negligible) errors.clear();
    return errors;
  }
};

// Certifies the problems that are wanted. On entry f holds the solver's decision values, less the
// intercept; on return, recomputed ones.
template <typename Values>
void certify_small_problems(const Values& values, const JudgedProblems& problems,
                            const ErrorEstimates& estimates, const bool* is_wanted, double* f,
                            SmallCertificate* certificates, int n_threads) {
  in_parallel(problems.number, n_threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      if (!is_wanted[k]) continue;
      const JudgedPoint point = problems.problem(k, f);
      const std::size_t at = std::size_t(problems.starts[k]);
      const Selected targets{problems.members + at, point.size};
      Terms terms;
      for (std::size_t i = 0; i < point.size; ++i)
        if (point.c[i] != 0) {
          terms.rows.push_back(targets.rows[i]);
          terms.coefficients.push_back(point.c[i]);
        }
      std::vector<double> exact(point.size);
      if (!terms.rows.empty()) values.sums(targets, terms, exact.data());
      SmallCertificate& found = certificates[k];
      found.drift = 0;
      for (std::size_t i = 0; i < point.size; ++i) {
        const double off = std::abs(exact[i] - f[at + i]);
        if (!(off <= found.drift))
          found.drift = std::isnan(off) ? std::numeric_limits<double>::infinity() : off;
        f[at + i] = exact[i];
      }
      const std::vector<double> errors = estimates.of(targets, point);
      found.intercept = problems.has_intercept ? choose_intercept(point) : 0;
      found.measured =
          optimality_of(point, found.intercept, errors.empty() ? nullptr : errors.data(),
                        estimates.share_in_sums);
    }
  });
}

}  // namespace bandsvm
