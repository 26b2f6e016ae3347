// Threads, and the level of instructions, for the work on kernel rows.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "kernel_rows.hpp"

namespace bandsvm {

// The best level that this machine has, or the one that BANDSVM_SIMD names.
template <typename Real>
const Instructions<Real>& best_instructions() {
  static const Instructions<Real> chosen = [] {
    std::vector<Instructions<Real>> levels{baseline::instructions<Real>()};
#ifdef BANDSVM_X86_LEVELS
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
      levels.push_back(avx2::instructions<Real>());
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
      levels.push_back(avx512::instructions<Real>());
#endif
    const char* wanted = std::getenv("BANDSVM_SIMD");
    if (!wanted) return levels.back();
    for (const auto& level : levels)
      if (std::string(wanted) == level.name) return level;
    throw std::invalid_argument(std::string("BANDSVM_SIMD names a level that this machine does not "
                                            "have: ") + wanted + ".");
  }();
  return chosen;
}

// Calls work(first, last) on equal parts of [0, size), one a thread. Parts are independent, so
// results do not depend on the number of threads.
template <typename Work>
void in_parallel(std::size_t size, int n_threads, const Work& work) {
  const std::size_t n = std::max<std::size_t>(1, std::min<std::size_t>(n_threads, size));
  std::vector<std::thread> threads;
  for (std::size_t t = 1; t < n; ++t)
    threads.emplace_back(work, t * size / n, (t + 1) * size / n);
  work(0, size / n);
  for (std::thread& thread : threads) thread.join();
}

// Kernel values of some samples of left with all of right, each row where `rows` says.
template <typename Real>
void compute_rows(const Samples<Real>& left, const std::int64_t* indices, std::size_t n_rows,
                  const Samples<Real>& right, const KernelFunction& kernel, Real* const* rows,
                  int n_threads) {
  in_parallel(right.n_panels(), n_threads, [&](std::size_t first, std::size_t last) {
    RowsTask<Real> task{&left, indices, n_rows, &right, kernel, Use::store};
    task.rows = rows;
    task.first_panel = first;
    task.last_panel = last;
    best_instructions<Real>().compute_rows(task);
  });
}

// f += sum_r coefficients[r] K(left[indices[r]], right), without keeping the kernel values.
template <typename Real>
void accumulate_rows(const Samples<Real>& left, const std::int64_t* indices, std::size_t n_rows,
                     const Samples<Real>& right, const KernelFunction& kernel,
                     const double* coefficients, double* f, int n_threads) {
  in_parallel(right.n_panels(), n_threads, [&](std::size_t first, std::size_t last) {
    RowsTask<Real> task{&left, indices, n_rows, &right, kernel, Use::accumulate};
    task.row_coefficients = coefficients;
    task.f = f;
    task.first_panel = first;
    task.last_panel = last;
    best_instructions<Real>().compute_rows(task);
  });
}

// Products of the same kernel values with coefficients, without keeping the values.
template <typename Real>
void multiply_rows(const Samples<Real>& left, const Samples<Real>& right,
                   const KernelFunction& kernel, const Real* coefficients, std::size_t n_outputs,
                   double* products, int n_threads) {
  constexpr std::size_t kRowsAtOnce = 256;
  in_parallel((left.count + 7) / 8, n_threads, [&](std::size_t first, std::size_t last) {
    std::vector<std::int64_t> indices(kRowsAtOnce);
    const std::size_t end = std::min(8 * last, left.count);
    for (std::size_t from = 8 * first; from < end; from += kRowsAtOnce) {
      const std::size_t n = std::min(kRowsAtOnce, end - from);
      for (std::size_t r = 0; r < n; ++r) indices[r] = std::int64_t(from + r);
      RowsTask<Real> task{&left, indices.data(), n, &right, kernel, Use::multiply};
      task.coefficients = coefficients;
      task.n_outputs = n_outputs;
      task.products = products + from * n_outputs;
      task.last_panel = right.n_panels();
      best_instructions<Real>().compute_rows(task);
    }
  });
}

template <typename Real>
void update_gradient(const Real* const* rows, const double* coefficients, std::size_t n_rows,
                     double* f, std::size_t size, int n_threads) {
  in_parallel(size, n_threads, [&](std::size_t first, std::size_t last) {
    best_instructions<Real>().update(rows, coefficients, n_rows, f, first, last);
  });
}

}  // namespace bandsvm
