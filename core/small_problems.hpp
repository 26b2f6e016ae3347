// Many small problems, shared out to threads. Where they have some of a few samples, their kernel
// matrices are parts of one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "kernel_matrix.hpp"
#include "small_problem.hpp"
#include "stop_signal.hpp"
#include "threads.hpp"

namespace bandsvm {

// Samples of the largest kernel matrix that problems share parts of: it takes 32 MB. Nanoseconds
// per value: of fresh memory, of packing samples once more, and per feature.
constexpr std::size_t kMaxShared = 2000;
constexpr double kCostOfFresh = 1.5, kCostOfPacking = 0.5, kCostOfMultiplication = 0.0115;

// Some problems over samples that they may share. Arrays hold the values of one problem after the
// other: those of problem k lie in [starts[k], starts[k + 1]).
struct SmallProblems {
  const std::int64_t* starts;
  std::size_t number;
  const std::int64_t* members;  // which samples
  Bands bands;
  bool has_intercept;
  double total;        // of the coefficients of each problem, with an intercept
  bool share_members;  // all problems have the same ones
  double tol;
  std::int64_t max_iter;

  std::size_t begin(std::size_t k) const { return std::size_t(starts[k]); }
  std::size_t size(std::size_t k) const { return std::size_t(starts[k + 1] - starts[k]); }
  Bands bands_of(std::size_t k) const {
    const std::size_t at = begin(k);
    return {bands.lo + at,          bands.hi + at,          bands.below + at, bands.above + at,
            bands.ridge_below + at, bands.ridge_above + at, size(k)};
  }
};

// Kernel matrices of some samples, computed from packed ones.
struct PackedKernelMatrix {
  const PackedSamples packed;
  const Kernel& kernel;

  std::unique_ptr<KernelMatrix> of(const std::int64_t* members, std::size_t number,
                                   LargeBuffer<double>& memory) const {
    if (number >= kMinForSingle)
      return std::make_unique<ComputedMatrix>(packed, kernel, members, number);
    return std::make_unique<WholeMatrix>(whole(members, number, memory, 1), number);
  }

  SquareMatrix<double> whole(const std::int64_t* members, std::size_t number,
                             LargeBuffer<double>& memory, int n_threads) const {
    const Samples<double>& samples = packed.samples;
    const std::size_t stride = n_panels_of<double>(number) * kPanel<double>;
    memory.resize(std::max(memory.size(), number * stride));
    const auto compute = [&](const Samples<double>& right) {
      compute_symmetric(samples, members, number, right, kernel, memory.data(), n_threads);
    };
    if (number == samples.count())
      compute(samples);  // members are in order
    else
      compute(samples.take(members, number, n_threads));
    return {memory.data(), stride};
  }
};

// The same out of a matrix of all samples.
struct GivenKernelMatrix {
  const SquareMatrix<double> matrix;
  std::size_t n_samples;

  std::unique_ptr<KernelMatrix> of(const std::int64_t* members, std::size_t number,
                                   LargeBuffer<double>& memory) const {
    return std::make_unique<WholeMatrix>(whole(members, number, memory, 1), number);
  }

  SquareMatrix<double> whole(const std::int64_t* members, std::size_t number,
                             LargeBuffer<double>& memory, int) const {
    if (number == n_samples) return matrix;
    memory.resize(std::max(memory.size(), number * number));
    for (std::size_t k = 0; k < number; ++k) {
      const double* const row = matrix.row(std::size_t(members[k]));
      for (std::size_t q = 0; q < number; ++q) memory[k * number + q] = row[members[q]];
    }
    return {memory.data(), number};
  }
};

// Solves problems from feasible coefficients c, which are replaced; f becomes K c. Problems are
// shared out to threads; each is solved by one of them, in the same way whoever it is.
template <typename Matrices>
void solve_small_problems(const Matrices& matrices, const SmallProblems& problems, double* c,
                          double* f, SmallReport* reports, int n_threads, StopSignal& stop) {
  const bool shares = problems.share_members && problems.number > 1;
  LargeBuffer<double> shared_memory;
  LargeBuffer<float> shared_in_single;
  SquareMatrix<double> shared{};
  if (shares) {
    const std::size_t size = problems.size(0);
    shared = matrices.whole(problems.members, size, shared_memory, n_threads);
    if (size >= kMinForSingle) shared_in_single = rounded(shared, size);
  }
  in_parallel(problems.number, n_threads, [&](std::size_t first, std::size_t last) {
    LargeBuffer<double> memory;
    for (std::size_t k = first; k < last && !stop.is_set(); ++k) {
      const std::size_t at = problems.begin(k), size = problems.size(k);
      const std::unique_ptr<KernelMatrix> kernel =
          shares ? std::make_unique<WholeMatrix>(shared, size, shared_in_single.data())
                 : matrices.of(problems.members + at, size, memory);
      const SmallPoint point(*kernel, problems.bands_of(k), problems.has_intercept, problems.total,
                             c + at, f + at);
      reports[k] = SmallSolver(point, problems.tol, problems.max_iter, stop).run();
    }
  });
}

// The same for packed samples: where many problems have some of a few samples, their kernel
// matrices are parts of one.
inline void solve_small_problems(const PackedKernelMatrix& matrices, const SmallProblems& problems,
                                 double* c, double* f, SmallReport* reports, int n_threads,
                                 StopSignal& stop) {
  const std::size_t n_samples = matrices.packed.samples.count();
  double n_values = 0;
  for (std::size_t k = 0; k < problems.number; ++k)
    n_values += double(problems.size(k)) * double(problems.size(k));
  const double per_value = kCostOfMultiplication * matrices.packed.samples.n_products();
  const bool is_worth_it = !problems.share_members && n_samples <= kMaxShared &&
                           double(n_samples * n_samples) * (per_value + kCostOfFresh) <=
                               n_values * (per_value + kCostOfPacking);
  if (!is_worth_it) {
    solve_small_problems<PackedKernelMatrix>(matrices, problems, c, f, reports, n_threads, stop);
    return;
  }
  LargeBuffer<double> memory;
  std::vector<std::int64_t> everything(n_samples);
  std::iota(everything.begin(), everything.end(), 0);
  const SquareMatrix<double> whole =
      matrices.whole(everything.data(), n_samples, memory, n_threads);
  solve_small_problems(GivenKernelMatrix{whole, n_samples}, problems, c, f, reports, n_threads,
                       stop);
}

}  // namespace bandsvm
