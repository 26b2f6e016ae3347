// The variance of all entries of a matrix, with weighted rows.
#pragma once

#include <numeric>

#include "threads.hpp"

namespace bandsvm {

// Sum of weight * (x - shift)^power over all entries; summed chunk by chunk, so that the result
// does not depend on the number of threads.
template <int Power, typename Source>
double weighted_sum(const Source* X, std::size_t n_rows, std::size_t n_columns,
                    const double* weights, double shift, int n_threads) {
  constexpr std::size_t kChunk = 256, kLanes = 16;
  std::vector<double> sums((n_rows + kChunk - 1) / kChunk);
  in_parallel(sums.size(), n_threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first * kChunk; i < std::min(last * kChunk, n_rows); ++i) {
      const Source* x = X + i * n_columns;
      double lanes[kLanes] = {};
      const auto term = [&](std::size_t k) {
        const double value = double(x[k]) - shift;
        return Power == 1 ? value : value * value;
      };
      std::size_t k = 0;
      for (; k + kLanes <= n_columns; k += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += term(k + lane);
      for (; k < n_columns; ++k) lanes[0] += term(k);
      sums[i / kChunk] += weights[i] * std::accumulate(lanes, lanes + kLanes, 0.0);
    }
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

template <typename Source>
double variance(const Source* X, std::size_t n_rows, std::size_t n_columns, const double* weights,
                int n_threads) {
  const double total = double(n_columns) * std::accumulate(weights, weights + n_rows, 0.0);
  const double mean = weighted_sum<1>(X, n_rows, n_columns, weights, 0.0, n_threads) / total;
  return weighted_sum<2>(X, n_rows, n_columns, weights, mean, n_threads) / total;
}

}  // namespace bandsvm
