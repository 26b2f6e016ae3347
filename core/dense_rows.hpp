// Kernel values of some rows with dense samples: tiles of inner products that stay in registers.
#pragma once

#include "kernel_values.hpp"

namespace bandsvm {
namespace BANDSVM_LEVEL {
namespace {

template <typename Real>
constexpr int kTileWidth = kTileVectors * kLanes<Real>;
// Panels that all rows pass over before the next ones are loaded, and how much cache they may take:
// more save loads of rows, until the panels no longer stay in the second level of cache.
constexpr std::size_t kMaxPanels = 16, kPanelBytes = 1 << 18;
// Rows that are summed up in the precision of their values: more are faster and less precise.
constexpr std::size_t kRowsInSingle = 16;
static_assert(kRowsOfGroup % kRowsInSingle == 0 && kRowsInSingle % kTileRows == 0,
              "whole groups of rows must be whole sums of whole tiles");

// Turns the inner products of a tile into the result that the task asks for.
template <typename Real, KernelKind Kind, Use How>
struct Sink {
  const RowsTask<Real>& task;
  Vector<Real> totals[kTileVectors] = {};  // accumulate: over rows, until they are delivered

  explicit Sink(const RowsTask<Real>& t) : task(t) {
    if constexpr (How == Use::multiply)
      for (std::size_t i = 0; i < n_sums() * kLanes<Real>; ++i) task.sums[i] = 0;
  }

  // multiply: lanes for each row and output, in double precision: the sums are long
  std::size_t n_sums() const { return task.left.n_rows * task.n_outputs; }
  double* sum(std::size_t i) const { return task.sums + i * kLanes<Real>; }

  // Products of rows [first, first + n) with the samples from `column` on.
  void take(std::size_t first, std::size_t n, std::size_t column,
            const Vector<Real> (&products)[kTileRows][kTileVectors]) {
    const Real *norms = task.right.norms + column, *left_norms = task.left.norms;
    for (std::size_t r = 0; r < n; ++r) {
      Vector<Real> values[kTileVectors];
#pragma GCC unroll 6
      for (int v = 0; v < kTileVectors; ++v) {
        values[v] = kernel_value<Real, Kind>(
            products[r][v], load(norms + v * kLanes<Real>) + left_norms[first + r], task.kernel);
        if constexpr (How == Use::store)
          store(task.rows[first + r] + column + v * kLanes<Real>, values[v]);
        if constexpr (How == Use::accumulate)
          totals[v] += values[v] * task.row_coefficients[first + r];
      }
      if constexpr (How == Use::multiply) multiply(first + r, column, values);
    }
  }

  void deliver_totals(std::size_t column) {
    for (int v = 0; v < kTileVectors; ++v) {
      for (int lane = 0; lane < kLanes<Real>; ++lane) {
        const std::size_t j = column + v * kLanes<Real> + lane;
        if (j < task.right.count) task.f[j] += double(totals[v][lane]);
      }
      totals[v] = Vector<Real>{};
    }
  }

  // accumulate: what is missing where the value of a row with itself, of which the product is given,
  // is not 1.
  void correct_own(std::size_t row, std::size_t place, Vector<Real> product) {
    const Vector<Real> norms = task.right.norms[place] + task.left.norms[row] - Vector<Real>{};
    const Vector<Real> value = kernel_value<Real, Kind>(product, norms, task.kernel);
    const double missing = 1 - double(value[place % kLanes<Real>]);
    task.f[place] += missing * double(task.row_coefficients[row]);
  }

  void multiply(std::size_t row, std::size_t column, const Vector<Real> (&values)[kTileVectors]) {
    for (std::size_t o = 0; o < task.n_outputs; ++o) {
      const Real* coefficients = task.coefficients + o * task.right.stride + column;
      Vector<Real> total{};
#pragma GCC unroll 6
      for (int v = 0; v < kTileVectors; ++v)
        total += values[v] * load(coefficients + v * kLanes<Real>);
      add_lanes(sum(row * task.n_outputs + o), total);
    }
  }

  void deliver_sums() {
    for (std::size_t i = 0; i < n_sums(); ++i)
      for (int lane = 0; lane < kLanes<Real>; ++lane) task.products[i] += sum(i)[lane];
  }
};

// Accumulators are separate variables, because the compiler keeps an array of them in memory rather
// than in registers.
#if defined(__AVX512F__)
#define BANDSVM_EACH_VECTOR(do, r) do(r, 0) do(r, 1) do(r, 2) do(r, 3) do(r, 4) do(r, 5)
#else
#define BANDSVM_EACH_VECTOR(do, r) do(r, 0) do(r, 1) do(r, 2)
#endif
#define BANDSVM_EACH_ROW(do) do(0) do(1) do(2) do(3)
#define BANDSVM_CLEAR_ONE(r, v) Vector<Real> s##r##v{};
#define BANDSVM_CLEAR(r) BANDSVM_EACH_VECTOR(BANDSVM_CLEAR_ONE, r)
#define BANDSVM_LOAD(r, v) const Vector<Real> column##v = load(column + v * kLanes<Real>);
#define BANDSVM_PREFETCH(r, v) __builtin_prefetch(later + v * kLanes<Real>);
#define BANDSVM_ADD_ONE(r, v) s##r##v += x * column##v;
#define BANDSVM_ADD(r)                      \
  {                                         \
    const Real x = left[k * kTileRows + r]; \
    BANDSVM_EACH_VECTOR(BANDSVM_ADD_ONE, r) \
  }
#define BANDSVM_KEEP_ONE(r, v) sums[r][v] = s##r##v;
#define BANDSVM_KEEP(r) BANDSVM_EACH_VECTOR(BANDSVM_KEEP_ONE, r)

// Not inlined: with the caller's constants there would not be enough registers for the accumulators.
template <typename Real>
__attribute__((noinline)) void dense_tile(const Real* left, const std::size_t* offsets,
                                          std::size_t n_offsets, const Real* panel,
                                          Vector<Real> (&sums)[kTileRows][kTileVectors]) {
  BANDSVM_EACH_ROW(BANDSVM_CLEAR)
  for (std::size_t k = 0; k < n_offsets; ++k) {
    const Real *column = panel + offsets[k], *later = panel + offsets[k + kAhead];
    BANDSVM_EACH_VECTOR(BANDSVM_LOAD, )
    BANDSVM_EACH_VECTOR(BANDSVM_PREFETCH, )
    BANDSVM_EACH_ROW(BANDSVM_ADD)
  }
  BANDSVM_EACH_ROW(BANDSVM_KEEP)
}

template <typename Real, KernelKind Kind, Use How>
void dense_rows(const RowsTask<Real>& task) {
  const SamplesView<Real>& right = task.right;
  const RowsView<Real>& left = task.left;
  Sink<Real, Kind, How> sink(task);
  Vector<Real> sums[kTileRows][kTileVectors];
  const std::size_t panel_size = right.n_features * kPanel<Real>;
  const auto multiply_tile = [&](std::size_t row, std::size_t p, std::size_t part) {
    const RowGroup<Real>& group = left.groups[row / kTileRows];
    dense_tile<Real>(group.values, group.offsets, group.n_offsets,
                     right.panels + p * panel_size + part, sums);
  };
  const auto tile = [&](std::size_t first, std::size_t p, std::size_t part) {
    multiply_tile(first, p, part);
    sink.take(first, smaller<std::size_t>(kTileRows, left.n_rows - first),
              p * kPanel<Real> + part, sums);
  };
  if constexpr (How == Use::accumulate) {
    for (std::size_t p = task.first_panel; p < task.last_panel; ++p)
      for (std::size_t part = 0; part < kPanel<Real>; part += kTileWidth<Real>)
        for (std::size_t from = 0; from < left.n_rows; from += kRowsInSingle) {
          const std::size_t to = smaller(from + kRowsInSingle, left.n_rows);
          for (std::size_t first = from; first < to; first += kTileRows) tile(first, p, part);
          sink.deliver_totals(p * kPanel<Real> + part);
        }
    if constexpr (Kind == KernelKind::rbf) {
      const std::size_t begin = task.first_panel * kPanel<Real>;
      const std::size_t size = task.last_panel * kPanel<Real> - begin;
      for (std::size_t r = 0; r < left.n_rows; ++r) {
        const std::size_t place = std::size_t(task.places[r]);
        if (place - begin >= size || !(left.norms[r] > Real(kLongSample))) continue;
        const std::size_t lane = place % kTileWidth<Real>;
        multiply_tile(r, place / kPanel<Real>, place % kPanel<Real> - lane);
        sink.correct_own(r, place, sums[r % kTileRows][lane / kLanes<Real>]);
      }
    }
    return;
  }
  // A few panels at a time: they stay in cache for all rows, and rows are written in long runs.
  const std::size_t n_together =
      smaller(kMaxPanels, larger<std::size_t>(1, kPanelBytes / (panel_size * sizeof(Real))));
  for (std::size_t from = task.first_panel; from < task.last_panel; from += n_together)
    for (std::size_t first = 0; first < left.n_rows; first += kTileRows)
      for (std::size_t p = from; p < smaller(from + n_together, task.last_panel); ++p)
        for (std::size_t part = 0; part < kPanel<Real>; part += kTileWidth<Real>)
          tile(first, p, part);
  if constexpr (How == Use::multiply) sink.deliver_sums();
  if constexpr (How == Use::store && Kind == KernelKind::rbf) store_own(task);
}

}  // namespace
}  // namespace BANDSVM_LEVEL
}  // namespace bandsvm
