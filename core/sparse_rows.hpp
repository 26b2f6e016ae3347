// Kernel values of some rows with sparse samples: the lanes of a vector are rows, and every value
// of a sample that is read serves all of them.
#pragma once

#include "kernel_values.hpp"

namespace bandsvm {
namespace BANDSVM_LEVEL {
namespace {

// Samples that are worked on together; what is summed over rows stays in cache meanwhile.
constexpr std::size_t kSparseChunk = 96;

template <typename Real, KernelKind Kind, Use How, int NVectors>
class SparseRows {
  static constexpr std::size_t kLane = kLanes<Real>, kGroup = NVectors * kLane;
  static constexpr int kChains = NVectors == 1 ? 4 : 2;

 public:
  explicit SparseRows(const RowsTask<Real>& task)
      : task_(task), right_(task.right), left_(task.left) {}

  void run() {
    const std::size_t begin = task_.first_panel * kPanel<Real>;
    const std::size_t end = smaller(task_.last_panel * kPanel<Real>, right_.count);
    const std::size_t n_sums = n_groups() * NVectors * task_.n_outputs;
    if constexpr (How == Use::multiply)
      for (std::size_t i = 0; i < n_sums; ++i) store(task_.sums + i * kLane, Vector<Real>{});
    for (std::size_t from = begin; from < end; from += kSparseChunk) {
      const std::size_t to = smaller(from + kSparseChunk, end);
      if constexpr (How == Use::accumulate)
        for (std::size_t j = from; j < to; ++j) totals_[j - from] = Vector<Real>{};
      for (std::size_t g = 0; g < n_groups(); ++g) {
        for (std::size_t j = from; j < to; ++j) take(g, j, from);
        if constexpr (How == Use::store) write_rows(g * kGroup, from, to);
      }
      if constexpr (How == Use::accumulate)
        for (std::size_t j = from; j < to; ++j)
          task_.f[j] += sum_of_lanes<Real>(totals_[j - from]);
    }
    if constexpr (How == Use::multiply) deliver();
  }

 private:
  std::size_t n_groups() const { return (left_.n_rows + kGroup - 1) / kGroup; }

  // Kernel values of the rows of group g with sample j.
  void take(std::size_t g, std::size_t j, std::size_t from) {
    const Real* rows = left_.groups[g].values;
    // Independent sums, because each addition waits for the one before.
    Vector<Real> partial[kChains][NVectors] = {};
    const Real* value = right_.values;
    const std::int32_t* column = right_.columns;
    std::int64_t at = right_.starts[j];
    const std::int64_t end = right_.starts[j + 1];
    const auto add = [&](int chain, std::int64_t k) {
      const Real* of_rows = rows + std::size_t(column[k]) * kGroup;
#pragma GCC unroll 3
      for (int v = 0; v < NVectors; ++v)
        partial[chain][v] += value[k] * load(of_rows + v * kLane);
    };
    for (; at + kChains <= end; at += kChains)
#pragma GCC unroll 4
      for (int chain = 0; chain < kChains; ++chain) add(chain, at + chain);
    for (; at < end; ++at) add(0, at);
    Vector<Real> products[NVectors];
#pragma GCC unroll 3
    for (int v = 0; v < NVectors; ++v) {
      products[v] = partial[0][v];
#pragma GCC unroll 4
      for (int chain = 1; chain < kChains; ++chain) products[v] += partial[chain][v];
    }
#pragma GCC unroll 3
    for (int v = 0; v < NVectors; ++v) {
      const std::size_t row = g * kGroup + v * kLane;
      const Vector<Real> values = kernel_value<Real, Kind>(
          products[v], load(left_.norms + row) + right_.norms[j], task_.kernel);
      if constexpr (How == Use::accumulate)
        totals_[j - from] += values * load(task_.row_coefficients + row);
      if constexpr (How == Use::multiply)
        for (std::size_t o = 0; o < task_.n_outputs; ++o) {
          Real* const sum = task_.sums + row * task_.n_outputs + o * kLane;
          store(sum, load(sum) + values * task_.coefficients[o * right_.stride + j]);
        }
      if constexpr (How == Use::store)
        store(tile_ + (j - from) * kGroup + v * kLane, values);
    }
  }

  void write_rows(std::size_t first, std::size_t from, std::size_t to) {
    const std::size_t n = smaller(kGroup, left_.n_rows - first);
    for (std::size_t r = 0; r < n; ++r) {
      Real* row = task_.rows[first + r];
      for (std::size_t j = from; j < to; ++j) row[j] = tile_[(j - from) * kGroup + r];
    }
  }

  void deliver() {
    for (std::size_t r = 0; r < left_.n_rows; ++r)
      for (std::size_t o = 0; o < task_.n_outputs; ++o)
        task_.products[r * task_.n_outputs + o] +=
            double(task_.sums[(r / kLane * task_.n_outputs + o) * kLane + r % kLane]);
  }

  const RowsTask<Real>& task_;
  const SamplesView<Real>& right_;
  const RowsView<Real>& left_;
  Real tile_[How == Use::store ? kSparseChunk * kGroup : 1];
  Vector<Real> totals_[How == Use::accumulate ? kSparseChunk : 1];
};

template <typename Real, KernelKind Kind, Use How>
void sparse_rows(const RowsTask<Real>& task) {
  switch (task.left.group / kLanes<Real>) {
    case 3:
      return SparseRows<Real, Kind, How, 3>(task).run();
    case 2:
      return SparseRows<Real, Kind, How, 2>(task).run();
    default:
      return SparseRows<Real, Kind, How, 1>(task).run();
  }
}

}  // namespace
}  // namespace BANDSVM_LEVEL
}  // namespace bandsvm
