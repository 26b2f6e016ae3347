// Kernel values of some rows with samples in panels: tiles of inner products that stay in
// registers.
#pragma once

#include "kernel_values.hpp"

namespace bandsvm {
namespace BANDSVM_LEVEL {
namespace {

template <typename Real>
constexpr int kTileWidth = kTileVectors * kLanes<Real>;
// Panels that all rows pass over before the next ones are loaded, and how much cache they may take:
// more save loads of rows, until the panels no longer stay in the second level of cache.
constexpr std::size_t kMaxPanels = 16, kPanelBytes = 256 * 1024;
// Rows that are summed up in the precision of their values: more are faster and less precise.
constexpr std::size_t kRowsInSingle = 16;
static_assert(kRowsOfGroup % kRowsInSingle == 0 && kRowsInSingle % kTileRows == 0,
              "whole groups of rows must be whole sums of whole tiles");

template <typename Real>
using Tile = Vector<Real>[kTileRows][kTileVectors];

// Inner products of a group of rows with the samples of some vectors of a panel. Not inlined: with
// the caller's constants there would not be enough registers for the sums.
template <typename Real>
__attribute__((noinline)) void multiply_tile(const PanelGroup<Real>& group, const Real* panel,
                                             Tile<Real>& products) {
  const Real* const left = group.values;
  const std::size_t *const offsets = group.offsets, n_offsets = group.n_offsets;
  Tile<Real> sums = {};
  for (std::size_t k = 0; k < n_offsets; ++k) {
    const Real *column = panel + offsets[k], *later = panel + offsets[k + kAhead];
    Vector<Real> columns[kTileVectors];
#pragma GCC unroll 6
    for (int v = 0; v < kTileVectors; ++v) columns[v] = load(column + v * kLanes<Real>);
#pragma GCC unroll 6
    for (int v = 0; v < kTileVectors; ++v) __builtin_prefetch(later + v * kLanes<Real>);
#pragma GCC unroll 4
    for (int r = 0; r < kTileRows; ++r) {
      const Real x = left[k * kTileRows + r];
#pragma GCC unroll 6
      for (int v = 0; v < kTileVectors; ++v) sums[r][v] += x * columns[v];
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < kTileRows; ++r)
#pragma GCC unroll 6
    for (int v = 0; v < kTileVectors; ++v) products[r][v] = sums[r][v];
}

// Turns the inner products of a tile into the result that the task asks for.
template <typename Real, KernelKind Kind, typename Output>
struct Sink {
  static constexpr Use kUse = Output::kUse;
  const PanelTask<Real, Output>& task;
  const Output& to;
  Vector<Real> totals[kTileVectors] = {};  // accumulate: over rows, until they are delivered

  explicit Sink(const PanelTask<Real, Output>& t) : task(t), to(t.output) {
    if constexpr (kUse == Use::multiply)
      for (std::size_t i = 0; i < n_sums() * kLanes<Real>; ++i) to.sums[i] = 0;
  }

  // multiply: lanes for each row and output, in double precision: the sums are long
  std::size_t n_sums() const { return task.left.n_rows * to.n_outputs; }
  double* sum(std::size_t i) const { return to.sums + i * kLanes<Real>; }

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
        if constexpr (kUse == Use::store)
          store(to.rows[first + r] + column + v * kLanes<Real>, values[v]);
        if constexpr (kUse == Use::accumulate) totals[v] += values[v] * to.coefficients[first + r];
      }
      if constexpr (kUse == Use::multiply) multiply(first + r, column, values);
    }
  }

  void deliver_totals(std::size_t column) {
    for (int v = 0; v < kTileVectors; ++v) {
      for (int lane = 0; lane < kLanes<Real>; ++lane) {
        const std::size_t j = column + v * kLanes<Real> + lane;
        if (j < task.right.count) to.f[j] += double(totals[v][lane]);
      }
      totals[v] = Vector<Real>{};
    }
  }

  // accumulate: what is missing where the value of a row with itself, of which the product is
  // given, is not 1.
  void correct_own(std::size_t row, std::size_t place, Vector<Real> product) {
    const Vector<Real> norms = task.right.norms[place] + task.left.norms[row] - Vector<Real>{};
    const Vector<Real> value = kernel_value<Real, Kind>(product, norms, task.kernel);
    const double missing = 1 - double(value[place % kLanes<Real>]);
    to.f[place] += missing * double(to.coefficients[row]);
  }

  void multiply(std::size_t row, std::size_t column, const Vector<Real> (&values)[kTileVectors]) {
    for (std::size_t o = 0; o < to.n_outputs; ++o) {
      const Real* coefficients = to.coefficients + o * task.right.stride + column;
      Vector<Real> total{};
#pragma GCC unroll 6
      for (int v = 0; v < kTileVectors; ++v)
        total += values[v] * load(coefficients + v * kLanes<Real>);
      add_lanes(sum(row * to.n_outputs + o), total);
    }
  }

  void deliver_sums() {
    for (std::size_t i = 0; i < n_sums(); ++i)
      for (int lane = 0; lane < kLanes<Real>; ++lane) to.products[i] += sum(i)[lane];
  }
};

template <typename Real, KernelKind Kind, typename Output>
void panel_rows(const PanelTask<Real, Output>& task) {
  constexpr Use kUse = Output::kUse;
  const PanelView<Real>& right = task.right;
  const RowsOfPanels<Real>& left = task.left;
  Sink<Real, Kind, Output> sink(task);
  Tile<Real> sums;
  const std::size_t panel_size = right.n_features * kPanel<Real>;
  const auto multiply = [&](std::size_t row, std::size_t p, std::size_t part) {
    multiply_tile<Real>(left.groups[row / kTileRows], right.panels + p * panel_size + part, sums);
  };
  const auto tile = [&](std::size_t first, std::size_t p, std::size_t part) {
    multiply(first, p, part);
    sink.take(first, smaller<std::size_t>(kTileRows, left.n_rows - first), p * kPanel<Real> + part,
              sums);
  };
  if constexpr (kUse == Use::accumulate) {
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
        const std::size_t place = std::size_t(task.output.places[r]);
        if (place - begin >= size || !(left.norms[r] > Real(kLongSample))) continue;
        const std::size_t lane = place % kTileWidth<Real>;
        multiply(r, place / kPanel<Real>, place % kPanel<Real> - lane);
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
  if constexpr (kUse == Use::multiply) sink.deliver_sums();
  if constexpr (kUse == Use::store && Kind == KernelKind::rbf) store_own<Real>(task);
}

}  // namespace
}  // namespace BANDSVM_LEVEL
}  // namespace bandsvm
