// Kernel values of some rows with CSR samples: the lanes of a vector are rows, and each value of
// a sample is read once for all of them.
#pragma once

#include "kernel_values.hpp"

namespace bandsvm {
namespace BANDSVM_LEVEL {
namespace {

// Samples that are worked on together; what is summed over rows stays in cache meanwhile.
constexpr std::size_t kSparseChunk = 96;
// Terms of a product that are summed in the precision of kernel values: more are faster and less
// precise.
constexpr std::size_t kSumInSingle = 6;
// Values of a sample whose features are looked up together; a multiple of all kChains.
constexpr std::int64_t kLookups = 128;

template <typename Real, KernelKind Kind, typename Output, int NVectors>
class CsrRows {
  static constexpr std::size_t kLane = kLanes<Real>, kGroup = NVectors * kLane;
  static constexpr int kChains = NVectors == 1 ? 4 : 2;
  static constexpr Use kUse = Output::kUse;

 public:
  explicit CsrRows(const CsrTask<Real, Output>& task)
      : task_(task), left_(task.left), right_(task.right), to_(task.output) {}

  void run() {
    if (!left_.place_of) {
      take_groups(0, n_groups());
    } else {
      for (std::size_t g = 0; g < n_groups(); ++g) {
        const CsrGroup<Real>& group = left_.groups[g];
        for (std::size_t k = 0; k < group.n_features; ++k)
          left_.place_of[group.features[k]] = std::int32_t(k + 1);
        take_groups(g, g + 1);
        for (std::size_t k = 0; k < group.n_features; ++k) left_.place_of[group.features[k]] = 0;
      }
    }
  }

 private:
  std::size_t n_groups() const { return (left_.n_rows + kGroup - 1) / kGroup; }

  // Kernel values of some groups with all samples.
  void take_groups(std::size_t first, std::size_t last) {
    const std::size_t begin = task_.first_panel * kPanel<Real>;
    const std::size_t end = smaller(task_.last_panel * kPanel<Real>, right_.count);
    if constexpr (kUse == Use::multiply) {
      const std::size_t per_group = kGroup * to_.n_outputs;
      for (std::size_t i = first * per_group; i < last * per_group; ++i) to_.sums[i] = 0;
    }
    for (std::size_t from = begin; from < end; from += kSparseChunk) {
      const std::size_t to = smaller(from + kSparseChunk, end);
      if constexpr (kUse == Use::accumulate)
        for (std::size_t j = from; j < to; ++j) totals_[j - from] = Vector<Real>{};
      for (std::size_t g = first; g < last; ++g) {
        for (std::size_t j = from; j < to; ++j) take(g, j, from);
        if constexpr (kUse == Use::store) write_rows(g * kGroup, from, to);
        if constexpr (kUse == Use::multiply) multiply_tile(g * kGroup, from, to);
      }
      if constexpr (kUse == Use::accumulate)
        for (std::size_t j = from; j < to; ++j) to_.f[j] += sum_of_lanes<Real>(totals_[j - from]);
    }
    if constexpr (kUse == Use::multiply) deliver_sums(first, last);
    if constexpr (kUse == Use::accumulate && Kind == KernelKind::rbf)
      correct_own(first, last, begin, end);
  }

  // Adds what is missing where the values of rows with themselves are not 1.
  void correct_own(std::size_t first, std::size_t last, std::size_t begin, std::size_t end) {
    for (std::size_t r = first * kGroup; r < smaller(last * kGroup, left_.n_rows); ++r) {
      const std::size_t place = std::size_t(to_.places[r]);
      if (place - begin >= end - begin || !(left_.norms[r] > Real(kLongSample))) continue;
      Vector<Real> products[NVectors];
      multiply(r / kGroup, place, products);
      const Vector<Real> norms = right_.norms[place] + left_.norms[r] - Vector<Real>{};
      const Vector<Real> value =
          kernel_value<Real, Kind>(products[r % kGroup / kLane], norms, task_.kernel);
      const double missing = 1 - double(value[r % kLane]);
      to_.f[place] += missing * double(to_.coefficients[r]);
    }
  }

  // Kernel values of the rows of group g with sample j.
  void take(std::size_t g, std::size_t j, std::size_t from) {
    Vector<Real> products[NVectors];
    multiply(g, j, products);
#pragma GCC unroll 3
    for (int v = 0; v < NVectors; ++v) {
      const std::size_t row = g * kGroup + v * kLane;
      const Vector<Real> values = kernel_value<Real, Kind>(
          products[v], load(left_.norms + row) + right_.norms[j], task_.kernel);
      if constexpr (kUse == Use::accumulate)
        totals_[j - from] += values * load(to_.coefficients + row);
      if constexpr (kUse != Use::accumulate) store(tile_ + (j - from) * kGroup + v * kLane, values);
    }
  }

  // Inner products of the rows of group g with sample j. The order of summation is that of the
  // sample's values, whatever the other rows of the group are.
  void multiply(std::size_t g, std::size_t j, Vector<Real> (&products)[NVectors]) {
    const Real* rows = left_.groups[g].values;
    // Independent sums, because each addition waits for the previous one.
    Vector<Real> partial[kChains][NVectors] = {};
    const auto add = [&](int chain, Real value, std::int32_t place) {
      const Real* of_rows = rows + std::size_t(place) * kGroup;
#pragma GCC unroll 3
      for (int v = 0; v < NVectors; ++v) partial[chain][v] += value * load(of_rows + v * kLane);
    };
    const auto add_all = [&](const Real* value, const std::int32_t* place, std::int64_t n) {
      std::int64_t k = 0;
      for (; k + kChains <= n; k += kChains)
#pragma GCC unroll 4
        for (int chain = 0; chain < kChains; ++chain)
          add(chain, value[k + chain], place[k + chain]);
      for (; k < n; ++k) add(0, value[k], place[k]);
    };
    const std::int64_t begin = right_.starts[j], end = right_.starts[j + 1];
    if (!left_.place_of) {
      add_all(right_.values + begin, right_.columns + begin, end - begin);
    } else {
      std::int32_t places[kLookups];
      for (std::int64_t at = begin; at < end; at += kLookups) {
        const std::int64_t n = smaller(kLookups, end - at);
        for (std::int64_t k = 0; k < n; ++k) places[k] = left_.place_of[right_.columns[at + k]];
        add_all(right_.values + at, places, n);
      }
    }
#pragma GCC unroll 3
    for (int v = 0; v < NVectors; ++v) {
      products[v] = partial[0][v];
#pragma GCC unroll 4
      for (int chain = 1; chain < kChains; ++chain) products[v] += partial[chain][v];
    }
  }

  // Adds the kernel values of a tile, times coefficients, to the sums: a few in their own
  // precision.
  void multiply_tile(std::size_t first, std::size_t from, std::size_t to) {
    for (std::size_t o = 0; o < to_.n_outputs; ++o) {
      const Real* coefficients = to_.coefficients + o * right_.stride;
      for (std::size_t j = from; j < to; j += kSumInSingle) {
        Vector<Real> totals[NVectors] = {};
        for (std::size_t k = j; k < smaller(j + kSumInSingle, to); ++k)
#pragma GCC unroll 3
          for (int v = 0; v < NVectors; ++v)
            totals[v] += load(tile_ + (k - from) * kGroup + v * kLane) * coefficients[k];
        for (int v = 0; v < NVectors; ++v)
          add_lanes(to_.sums + (first + v * kLane) * to_.n_outputs + o * kLane, totals[v]);
      }
    }
  }

  void write_rows(std::size_t first, std::size_t from, std::size_t to) {
    const std::size_t n = smaller(kGroup, left_.n_rows - first);
    for (std::size_t r = 0; r < n; ++r) {
      Real* row = to_.rows[first + r];
      for (std::size_t j = from; j < to; ++j) row[j] = tile_[(j - from) * kGroup + r];
    }
  }

  void deliver_sums(std::size_t first, std::size_t last) {
    for (std::size_t r = first * kGroup; r < smaller(last * kGroup, left_.n_rows); ++r)
      for (std::size_t o = 0; o < to_.n_outputs; ++o)
        to_.products[r * to_.n_outputs + o] +=
            to_.sums[(r / kLane * to_.n_outputs + o) * kLane + r % kLane];
  }

  const CsrTask<Real, Output>& task_;
  const RowsOfCsr<Real>& left_;
  const CsrView<Real>& right_;
  const Output& to_;
  Real tile_[kUse == Use::accumulate ? 1 : kSparseChunk * kGroup];
  Vector<Real> totals_[kUse == Use::accumulate ? kSparseChunk : 1];
};

template <typename Real, KernelKind Kind, typename Output>
void csr_rows(const CsrTask<Real, Output>& task) {
  switch (task.left.group / kLanes<Real>) {
    case 3:
      CsrRows<Real, Kind, Output, 3>(task).run();
      break;
    case 2:
      CsrRows<Real, Kind, Output, 2>(task).run();
      break;
    default:
      CsrRows<Real, Kind, Output, 1>(task).run();
  }
  if constexpr (Output::kUse == Use::store && Kind == KernelKind::rbf) store_own<Real>(task);
}

}  // namespace
}  // namespace BANDSVM_LEVEL
}  // namespace bandsvm
