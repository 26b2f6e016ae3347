// Selects the variables of the next block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "threads.hpp"

namespace bandsvm {

struct Selection {
  double violation;
  std::vector<std::int64_t> variables;
};

// Indices of the `count` largest values among those greater than `above`.
inline void append_largest(const std::vector<double>& values, std::size_t count, double above,
                           std::vector<std::int64_t>& indices) {
  thread_local std::vector<double> candidates;  // allocating memory would cost more than the search
  candidates.clear();
  for (double value : values)
    if (value > above) candidates.push_back(value);
  std::size_t n_ties = 0;  // values equal to the smallest that is taken
  if (candidates.size() > count) {
    const auto smallest = candidates.begin() + std::ptrdiff_t(count);
    std::nth_element(candidates.begin(), smallest, candidates.end(), std::greater<double>());
    above = *smallest;
    n_ties = count - std::size_t(std::count_if(candidates.begin(), smallest,
                                               [&](double value) { return value > above; }));
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] > above || (values[i] == above && n_ties > 0 && n_ties--))
      indices.push_back(std::int64_t(i));
}

// The worst violators outside of `kept`, at most `number` of them: half can rise, half can fall.
// With b free a variable takes part in a violating pair if it can rise above M or fall below m.
inline Selection select_variables(const double* lo, const double* hi, const double* below,
                                  const double* above, const double* c, const double* f,
                                  std::size_t size, bool has_intercept, const std::int64_t* kept,
                                  std::size_t n_kept, std::size_t number, int n_threads) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr std::size_t kChunk = 4096;
  thread_local std::vector<double> rises, falls;
  rises.resize(size);
  falls.resize(size);
  struct Extent {
    double rise = -infinity, fall = infinity, not_finite = 0;
  };
  std::vector<Extent> extents((size + kChunk - 1) / kChunk);
  double *const rise_of = rises.data(), *const fall_of = falls.data();
  in_parallel(extents.size(), n_threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first * kChunk; i < std::min(last * kChunk, size); ++i) {
      Extent& extent = extents[i / kChunk];
      const double rise = c[i] < below[i] ? (c[i] >= 0 ? lo[i] : hi[i]) - f[i] : -infinity;
      const double fall = c[i] > -above[i] ? (c[i] > 0 ? lo[i] : hi[i]) - f[i] : infinity;
      extent.rise = std::max(extent.rise, rise);
      extent.fall = std::min(extent.fall, fall);
      extent.not_finite += 0 * f[i];  // NaN if f is infinite or NaN
      rise_of[i] = rise;
      fall_of[i] = -fall;
    }
  });
  Extent whole;
  for (const Extent& extent : extents) {
    whole.rise = std::max(whole.rise, extent.rise);
    whole.fall = std::min(whole.fall, extent.fall);
    whole.not_finite += extent.not_finite;
  }
  for (std::size_t k = 0; k < n_kept; ++k) rises[kept[k]] = falls[kept[k]] = -infinity;
  Selection found;
  found.violation = whole.not_finite + (has_intercept ? whole.rise - whole.fall
                                                      : std::max({whole.rise, -whole.fall, 0.0}));
  append_largest(rises, number / 2, has_intercept ? whole.fall : 0.0, found.variables);
  // A variable at its kink can both rise and fall: skip those already chosen.
  for (std::int64_t i : found.variables) falls[i] = -infinity;
  append_largest(falls, number / 2, has_intercept ? -whole.rise : 0.0, found.variables);
  return found;
}

// sum_i h_i(c_i) - c'f / 2
inline double dual_value(const double* lo, const double* hi, const double* c, const double* f,
                         std::size_t size) {
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += c[i] * ((c[i] > 0 ? lo[i] : hi[i]) - 0.5 * f[i]);
  return sum;
}

}  // namespace bandsvm
