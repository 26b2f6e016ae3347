// A Newton step of the interior point method on the samples of a linear model: elementwise work and
// X'DX, shared out to threads. Samples are worked on in blocks whose sums are added up in order, so
// that no bit depends on the number of threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "levels.hpp"
#include "linear_rows.hpp"

namespace bandsvm {

// Samples of a block: what is computed of them stays in the first levels of cache.
constexpr std::size_t kBlockSamples = 1024;
// Fewer samples are not worth a thread.
constexpr std::size_t kSamplesOfThread = 8 * kBlockSamples;
// Values of a tile of scaled samples, which the first level of cache holds.
constexpr std::size_t kTileValues = 2048;
// Matrices X'DX that are summed up apart, and samples that are worth one.
constexpr std::size_t kMaxMatrices = 32, kSamplesOfMatrix = 4096;

inline const NewtonInstructions& newton_instructions() {
  return best_of_levels<NewtonInstructions>();
}

// Calls work(block, first, last) for every block of samples.
template <typename Work>
void in_blocks(std::size_t n_samples, int n_threads, const Work& work) {
  const std::size_t n_blocks = (n_samples + kBlockSamples - 1) / kBlockSamples;
  const std::size_t n_worth = std::max<std::size_t>(1, n_samples / kSamplesOfThread);
  const int n = int(std::min<std::size_t>(std::size_t(n_threads), n_worth));
  in_parallel(n_blocks, n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t block = begin; block < end; ++block)
      work(block, block * kBlockSamples, std::min(n_samples, (block + 1) * kBlockSamples));
  });
}

inline void linearise(const Edges& edges, const NewtonPoint& point, const NewLine& line, double* D,
                      int n_threads) {
  const auto& level = newton_instructions();
  in_blocks(edges.n_samples, n_threads, [&](std::size_t, std::size_t first, std::size_t last) {
    level.linearise(edges, point, line, D, first, last);
  });
}

inline void begin_step(const Edges& edges, const NewtonPoint& point, const NewtonLine& line,
                       const NewtonAim& to, double* dp, double* aim, int n_threads) {
  const auto& level = newton_instructions();
  in_blocks(edges.n_samples, n_threads, [&](std::size_t, std::size_t first, std::size_t last) {
    level.begin(edges, point, line, to, dp, aim, first, last);
  });
}

inline void turn_step(const Edges& edges, const NewtonPoint& point, const NewtonLine& line,
                      const double* dp, const double* dg, double* aim, int n_threads) {
  const auto& level = newton_instructions();
  in_blocks(edges.n_samples, n_threads, [&](std::size_t, std::size_t first, std::size_t last) {
    level.turn(edges, point, line, dp, dg, aim, first, last);
  });
}

inline StepSums complete_step(const Edges& edges, const NewtonPoint& point, const NewtonLine& line,
                              const double* products, const double* dp, const double* dg,
                              double* step, int n_threads) {
  const auto& level = newton_instructions();
  std::vector<StepSums> found(edges.n_samples / kBlockSamples + 1, StepSums{});
  in_blocks(
      edges.n_samples, n_threads, [&](std::size_t block, std::size_t first, std::size_t last) {
        found[block] = level.complete(edges, point, line, products, dp, dg, step, first, last);
      });
  StepSums total{};
  for (const StepSums& some : found) {
    total.steepest = std::max(total.steepest, some.steepest);
    total.linear += some.linear;
    total.quadratic += some.quadratic;
  }
  return total;
}

inline PointSums move_point(const Edges& edges, const NewtonPoint& point, const double* step,
                            const double* dg, double length, double* at, double* g, int n_threads) {
  const auto& level = newton_instructions();
  std::vector<PointSums> found(edges.n_samples / kBlockSamples + 1, PointSums{});
  in_blocks(edges.n_samples, n_threads,
            [&](std::size_t block, std::size_t first, std::size_t last) {
              found[block] = level.move(edges, point, step, dg, length, at, g, first, last);
            });
  PointSums total{};
  for (const PointSums& some : found) {
    total.products += some.products;
    total.loss += some.loss;
  }
  return total;
}

// to[k] = factor (x_ik - centre_k); `to` is as long as a row.
template <typename Real>
void scale(const DenseRows<Real>& rows, std::size_t i, const double* centre, double factor,
           double* to) {
  const Real* const x = rows.values + i * rows.n_columns;
  if (centre)
    for (std::size_t k = 0; k < rows.n_columns; ++k) to[k] = factor * (double(x[k]) - centre[k]);
  else
    for (std::size_t k = 0; k < rows.n_columns; ++k) to[k] = factor * double(x[k]);
}

// The upper triangle of gram += sum_i factors[i - first] (x_i - centre) (x_i - centre)', by tiles
// of scaled samples.
template <typename Real>
void add_gram(const DenseRows<Real>& rows, std::size_t first, std::size_t last,
              const double* factors, const double* centre, double* gram, int n_threads) {
  const auto& level = newton_instructions();
  const std::size_t d = rows.n_columns, n = last - first;
  const std::size_t width = (d + level.lanes - 1) / level.lanes * level.lanes;
  const std::size_t n_tile =
      std::max<std::size_t>(8, kTileValues / std::max<std::size_t>(1, width));
  const std::size_t n_matrices = std::min(kMaxMatrices, n / kSamplesOfMatrix + 1);
  std::vector<double> sums(n_matrices * width * width);
  in_parallel(n_matrices, n_threads, [&](std::size_t begin, std::size_t end) {
    std::vector<double> tile(n_tile * width);
    for (std::size_t m = begin; m < end; ++m) {
      const std::size_t stop = (m + 1) * n / n_matrices;
      std::size_t n_scaled = 0;
      for (std::size_t i = m * n / n_matrices; i < stop; ++i) {
        if (factors[i] != 0)
          scale(rows, first + i, centre, std::sqrt(factors[i]), tile.data() + n_scaled++ * width);
        if (n_scaled == n_tile || i + 1 == stop) {
          level.add_products(tile.data(), n_scaled, width, sums.data() + m * width * width);
          n_scaled = 0;
        }
      }
    }
  });
  for (std::size_t m = 0; m < n_matrices; ++m)
    for (std::size_t j = 0; j < d; ++j)
      for (std::size_t k = j; k < d; ++k) gram[j * d + k] += sums[(m * width + j) * width + k];
}

}  // namespace bandsvm
