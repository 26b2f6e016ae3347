// Rows of samples as linear models use them: products with weights, and weighted sums of rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "threads.hpp"

namespace bandsvm {

// Partial sums that the compiler may keep in vector registers.
constexpr std::size_t kSums = 8;
// Bytes of a row that are fetched ahead of time; the processor itself goes on from there.
constexpr std::size_t kMaxAhead = 512;

inline void prefetch_line(const void* address) { __builtin_prefetch(address); }

template <typename Real>
struct DenseRows {
  const Real* values;
  std::size_t n_rows, n_columns;

  std::size_t row_size(std::size_t) const { return n_columns; }

  double squared_norm(std::size_t i) const {
    const Real* const x = values + i * n_columns;
    double sum = 0;
    for (std::size_t k = 0; k < n_columns; ++k) sum += double(x[k]) * double(x[k]);
    return sum;
  }

  // Asks for the values of a row ahead of time.
  void prefetch(std::size_t i) const {
    const char* const x = reinterpret_cast<const char*>(values + i * n_columns);
    for (std::size_t at = 0; at < std::min(n_columns * sizeof(Real), kMaxAhead); at += 64)
      prefetch_line(x + at);
  }
  void prefetch_start(std::size_t) const {}

  double dot(std::size_t i, const double* weights) const {
    const Real* const x = values + i * n_columns;
    double sums[kSums] = {};
    std::size_t k = 0;
    for (; k + kSums <= n_columns; k += kSums)
      for (std::size_t lane = 0; lane < kSums; ++lane)
        sums[lane] += double(x[k + lane]) * weights[k + lane];
    double sum = 0;
    for (; k < n_columns; ++k) sum += double(x[k]) * weights[k];
    for (double part : sums) sum += part;
    return sum;
  }

  void add_to(double* weights, std::size_t i, double factor) const {
    const Real* const x = values + i * n_columns;
    for (std::size_t k = 0; k < n_columns; ++k) weights[k] += factor * double(x[k]);
  }
};

// CSR. Other threads may change the arrays meanwhile: every place is checked where it is used.
template <typename Real, typename Index>
struct SparseRows {
  const std::int64_t* starts;
  const Index* columns;
  const Real* values;
  std::size_t n_rows, n_columns, n_values;

  struct Row {
    const Index* columns;
    const Real* values;
    std::size_t size;
  };

  Row row(std::size_t i) const {
    const std::int64_t first = starts[i], last = starts[i + 1];
    if (first < 0 || last < first || std::size_t(last) > n_values)
      throw std::invalid_argument("starts must not fall, and lie among the values.");
    return {columns + first, values + first, std::size_t(last - first)};
  }

  std::size_t place(Index column) const {
    const std::size_t at = std::size_t(column);  // negative ones are too large
    if (at >= n_columns) throw std::invalid_argument("columns must be less than n_features.");
    return at;
  }

  std::size_t row_size(std::size_t i) const { return row(i).size; }

  double squared_norm(std::size_t i) const {
    const Row x = row(i);
    double sum = 0;
    for (std::size_t k = 0; k < x.size; ++k) sum += double(x.values[k]) * double(x.values[k]);
    return sum;
  }

  // Ask for where a row begins, and for its values, ahead of time; wrong addresses do no harm.
  void prefetch_start(std::size_t i) const { prefetch_line(starts + i); }
  void prefetch(std::size_t i) const {
    const std::int64_t first = starts[i];
    const char* const from_columns = reinterpret_cast<const char*>(columns + first);
    const char* const from_values = reinterpret_cast<const char*>(values + first);
    prefetch_line(from_columns);
    for (std::size_t at = 0; at < 256; at += 64) prefetch_line(from_values + at);
  }

  double dot(std::size_t i, const double* weights) const {
    const Row x = row(i);
    double even = 0, odd = 0;  // one sum would wait for its own last addition
    std::size_t k = 0;
    for (; k + 2 <= x.size; k += 2) {
      even += double(x.values[k]) * weights[place(x.columns[k])];
      odd += double(x.values[k + 1]) * weights[place(x.columns[k + 1])];
    }
    if (k < x.size) even += double(x.values[k]) * weights[place(x.columns[k])];
    return even + odd;
  }

  void add_to(double* weights, std::size_t i, double factor) const {
    const Row x = row(i);
    for (std::size_t k = 0; k < x.size; ++k)
      weights[place(x.columns[k])] += factor * double(x.values[k]);
  }
};

// products[i - first] = x_i' weights
template <typename Rows>
void row_products(const Rows& rows, std::size_t first, std::size_t last, const double* weights,
                  double* products, int n_threads) {
  in_parallel(last - first, n_threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) products[i] = rows.dot(first + i, weights);
  });
}

// sums += sum_i factors[i - first] x_i, in the order of the rows.
template <typename Rows>
void add_rows(const Rows& rows, std::size_t first, std::size_t last, const double* factors,
              double* sums) {
  for (std::size_t i = first; i < last; ++i)
    if (factors[i - first] != 0) rows.add_to(sums, i, factors[i - first]);
}

// The upper triangle of gram += sum_i factors[i - first] x_i x_i'. Threads share out the rows of
// gram, and each of them reads all samples in their order: an entry is the same sum for any number
// of threads. Columns of a sample are sorted.
template <typename Real, typename Index>
void add_gram(const SparseRows<Real, Index>& rows, std::size_t first, std::size_t last,
              const double* factors, double* gram, int n_threads) {
  const std::size_t width = rows.n_columns;
  std::vector<double> n_products(width + 1);  // of the rows of gram so far
  for (std::size_t i = first; i < last; ++i) {
    const auto x = rows.row(i);
    for (std::size_t k = 0; k < x.size; ++k)
      n_products[rows.place(x.columns[k]) + 1] += double(x.size - k);
  }
  for (std::size_t j = 0; j < width; ++j) n_products[j + 1] += n_products[j];
  const std::size_t n_parts = std::size_t(n_threads);
  const auto part_end = [&](std::size_t t) {
    const double share = n_products[width] * double(t) / double(n_parts);
    return t == n_parts
               ? width
               : std::size_t(std::lower_bound(n_products.begin(), n_products.end() - 1, share) -
                             n_products.begin());
  };
  in_parallel(n_parts, n_threads, [&](std::size_t begin, std::size_t end) {
    const std::size_t top = part_end(begin), bottom = part_end(end);
    if (top >= bottom) return;
    for (std::size_t i = first; i < last; ++i) {
      const auto x = rows.row(i);
      const double factor = factors[i - first];
      if (factor == 0) continue;
      std::size_t k = std::size_t(
          std::lower_bound(x.columns, x.columns + x.size, top,
                           [](Index column, std::size_t at) { return std::size_t(column) < at; }) -
          x.columns);
      for (; k < x.size; ++k) {
        const std::size_t j = rows.place(x.columns[k]);
        if (j >= bottom) break;
        double* const to = gram + j * width;
        const double scaled = factor * double(x.values[k]);
        for (std::size_t l = k; l < x.size; ++l)
          to[rows.place(x.columns[l])] += scaled * double(x.values[l]);
      }
    }
  });
}

}  // namespace bandsvm
