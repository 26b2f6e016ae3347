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
constexpr std::size_t kMaxPanels = 16, kPanelBytes = 1 << 18;
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

// Turns the inner products of tiles into the result that the task asks for.
template <typename Real, KernelKind Kind, typename Output>
class PanelRows {
 public:
  explicit PanelRows(const PanelTask<Real, Output>& task)
      : task_(task), left_(task.left), right_(task.right), to_(task.output) {}

  void run() {
    if constexpr (kUse == Use::multiply)
      for (std::size_t i = 0; i < n_sums() * kLanes<Real>; ++i) to_.sums[i] = 0;
    if constexpr (kUse == Use::accumulate)
      accumulate();
    else
      pass_over_panels();
    if constexpr (kUse == Use::accumulate && Kind == KernelKind::rbf) correct_own();
    if constexpr (kUse == Use::multiply) deliver_sums();
    if constexpr (kUse == Use::store && Kind == KernelKind::rbf) store_own<Real>(task_);
  }

 private:
  static constexpr Use kUse = Output::kUse;

  std::size_t panel_size() const { return right_.n_features * kPanel<Real>; }
  // multiply: lanes for each row and output, in double precision: the sums are long
  std::size_t n_sums() const { return left_.n_rows * to_.n_outputs; }
  double* sum(std::size_t i) const { return to_.sums + i * kLanes<Real>; }

  void multiply(std::size_t row, std::size_t p, std::size_t part) {
    multiply_tile<Real>(left_.groups[row / kTileRows], right_.panels + p * panel_size() + part,
                        products_);
  }

  // Kernel values of the rows of a group with a tile's width of samples of panel p.
  void tile(std::size_t first, std::size_t p, std::size_t part) {
    multiply(first, p, part);
    const std::size_t n = smaller<std::size_t>(kTileRows, left_.n_rows - first);
    const std::size_t column = p * kPanel<Real> + part;
    const Real* const norms = right_.norms + column;
    for (std::size_t r = 0; r < n; ++r) {
      Vector<Real> values[kTileVectors];
#pragma GCC unroll 6
      for (int v = 0; v < kTileVectors; ++v) {
        values[v] = kernel_value<Real, Kind>(
            products_[r][v], load(norms + v * kLanes<Real>) + left_.norms[first + r], task_.kernel);
        if constexpr (kUse == Use::store)
          store(to_.rows[first + r] + column + v * kLanes<Real>, values[v]);
        if constexpr (kUse == Use::accumulate)
          totals_[v] += values[v] * to_.coefficients[first + r];
      }
      if constexpr (kUse == Use::multiply) add_products(first + r, column, values);
    }
  }

  // A few panels at a time: they stay in cache for all rows, and rows are written in long runs.
  void pass_over_panels() {
    const std::size_t n_together =
        smaller(kMaxPanels, larger<std::size_t>(1, kPanelBytes / (panel_size() * sizeof(Real))));
    for (std::size_t from = task_.first_panel; from < task_.last_panel; from += n_together)
      for (std::size_t first = 0; first < left_.n_rows; first += kTileRows)
        for (std::size_t p = from; p < smaller(from + n_together, task_.last_panel); ++p)
          for (std::size_t part = 0; part < kPanel<Real>; part += kTileWidth<Real>)
            tile(first, p, part);
  }

  void add_products(std::size_t row, std::size_t column,
                    const Vector<Real> (&values)[kTileVectors]) {
    for (std::size_t o = 0; o < to_.n_outputs; ++o) {
      const Real* coefficients = to_.coefficients + o * right_.stride + column;
      Vector<Real> total{};
#pragma GCC unroll 6
      for (int v = 0; v < kTileVectors; ++v)
        total += values[v] * load(coefficients + v * kLanes<Real>);
      add_lanes(sum(row * to_.n_outputs + o), total);
    }
  }

  void deliver_sums() {
    for (std::size_t i = 0; i < n_sums(); ++i)
      for (int lane = 0; lane < kLanes<Real>; ++lane) to_.products[i] += sum(i)[lane];
  }

  void accumulate() {
    for (std::size_t p = task_.first_panel; p < task_.last_panel; ++p)
      for (std::size_t part = 0; part < kPanel<Real>; part += kTileWidth<Real>)
        for (std::size_t from = 0; from < left_.n_rows; from += kRowsInSingle) {
          const std::size_t to = smaller(from + kRowsInSingle, left_.n_rows);
          for (std::size_t first = from; first < to; first += kTileRows) tile(first, p, part);
          deliver_totals(p * kPanel<Real> + part);
        }
  }

  void deliver_totals(std::size_t column) {
    for (int v = 0; v < kTileVectors; ++v) {
      for (int lane = 0; lane < kLanes<Real>; ++lane) {
        const std::size_t j = column + v * kLanes<Real> + lane;
        if (j < right_.count) to_.f[j] += double(totals_[v][lane]);
      }
      totals_[v] = Vector<Real>{};
    }
  }

  // accumulate: adds what is missing where the value of a row with itself is not 1.
  void correct_own() {
    const std::size_t begin = task_.first_panel * kPanel<Real>;
    const std::size_t size = task_.last_panel * kPanel<Real> - begin;
    for (std::size_t r = 0; r < left_.n_rows; ++r) {
      const std::size_t place = std::size_t(to_.places[r]);
      if (place - begin >= size || !(left_.norms[r] > Real(kLongSample))) continue;
      const std::size_t lane = place % kTileWidth<Real>;
      multiply(r, place / kPanel<Real>, place % kPanel<Real> - lane);
      const Vector<Real> norms = right_.norms[place] + left_.norms[r] - Vector<Real>{};
      const Vector<Real> value = kernel_value<Real, Kind>(
          products_[r % kTileRows][lane / kLanes<Real>], norms, task_.kernel);
      const double missing = 1 - double(value[place % kLanes<Real>]);
      to_.f[place] += missing * double(to_.coefficients[r]);
    }
  }

  const PanelTask<Real, Output>& task_;
  const RowsOfPanels<Real>& left_;
  const PanelView<Real>& right_;
  const Output& to_;
  Tile<Real> products_;
  Vector<Real> totals_[kTileVectors] = {};  // accumulate: over rows, until they are delivered
};

}  // namespace
}  // namespace BANDSVM_LEVEL
}  // namespace bandsvm
