// The functions that are compiled once per instruction set. Their files use plain pointers and
// sizes only: the linker could take an inline function or a container that they share with other
// files from the version for an instruction set that the machine does not have.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel.hpp"

namespace bandsvm {

// A panel is as wide as six of the widest vectors, whatever the level of instructions.
template <typename Real>
constexpr std::size_t kPanel = 6 * 64 / sizeof(Real);
// Tiles of few rows: features in which all of them are zero cost nothing. More rows would use each
// loaded sample more often, but skip fewer features.
constexpr int kTileRows = 4;
// Rows of the largest group at any level of instructions: three of the widest vectors.
constexpr std::size_t kRowsOfGroup = 3 * 64 / sizeof(float);
// Longer samples, measured by their halved squared lengths, have rbf values with themselves that
// miss 1 by more than a few rounding errors; in sums they are corrected.
constexpr double kLongSample = 4;
// How many features ahead a panel is fetched into the cache: fewer come too late, more push out
// what is still needed.
constexpr std::size_t kAhead = 6;

// Samples packed by samples.hpp: in panels of n_features x kPanel values.
template <typename Real>
struct PanelView {
  std::size_t count, stride;
  const Real* norms;
  std::size_t n_features;
  const Real* panels;
};

// The same as rows of a CSR matrix.
template <typename Real>
struct CsrView {
  std::size_t count, stride;
  const Real* norms;
  const std::int64_t* starts;
  const std::int32_t* columns;
  const Real* values;
};

// Rows that are processed together, prepared by left_rows.hpp: value k of row r lies at
// values[k * size of the group + r]. Against panels only features in which a row is not zero have
// values; offsets say where in a panel these features lie.
template <typename Real>
struct PanelGroup {
  const Real* values;
  const std::size_t* offsets;
  std::size_t n_offsets;
};

// Against CSR samples groups have values of all features; or, if they are compact, of features in
// which a row is not zero: k = 0 holds zeros, k + 1 is features[k].
template <typename Real>
struct CsrGroup {
  const Real* values;
  const std::int32_t* features;
  std::size_t n_features;
};

template <typename Real>
struct RowsOfPanels {
  std::size_t n_rows;
  const PanelGroup<Real>* groups;
  const Real* norms;  // of whole groups
};

template <typename Real>
struct RowsOfCsr {
  std::size_t n_rows, group;  // rows in a group
  const CsrGroup<Real>* groups;
  const Real* norms;
  // If groups are compact, a table for their features: one zero per feature of the samples, zero
  // again afterwards. Otherwise none.
  std::int32_t* place_of;
};

// What to do with kernel values of rows: store them; multiply them by one coefficient per sample
// and sum them; or multiply them by one coefficient per row and add them to f.
enum class Use { store, multiply, accumulate };

// `places` are those of the rows among the samples, or -1. The rbf value of a sample with itself is
// 1, whatever rounding errors its distance from itself has.
template <typename Real>
struct Stored {
  static constexpr Use kUse = Use::store;
  const std::int64_t* places;
  Real* const* rows;  // where each row begins
};

template <typename Real>
struct Multiplied {
  static constexpr Use kUse = Use::multiply;
  const Real* coefficients;  // n_outputs x stride of the samples
  std::size_t n_outputs;
  double* products;  // n_rows x n_outputs
  double* sums;      // lanes of n_outputs vectors per row
};

template <typename Real>
struct Accumulated {
  static constexpr Use kUse = Use::accumulate;
  const std::int64_t* places;
  const Real* coefficients;  // of whole groups
  double* f;                 // one value per sample
};

// Kernel values of rows with samples, panels [first_panel, last_panel) of them.
template <typename Rows, typename Samples, typename Output>
struct RowsTask {
  Rows left;
  Samples right;
  Kernel kernel;
  Output output;
  std::size_t first_panel, last_panel;
};
template <typename Real, typename Output>
using PanelTask = RowsTask<RowsOfPanels<Real>, PanelView<Real>, Output>;
template <typename Real, typename Output>
using CsrTask = RowsTask<RowsOfCsr<Real>, CsrView<Real>, Output>;

template <typename Real, typename Output>
struct RowsFunctions {
  void (*of_panels)(const PanelTask<Real, Output>&);
  void (*of_csr)(const CsrTask<Real, Output>&);
};

// Slopes of a block's variables; infinite where a bound forbids the move.
template <typename Real>
struct BlockSlopes {
  Real* f;
  const Real* rising;      // of h_k, for a rise of c_k; -infinity at the upper bound
  const Real* falling;     // for a fall; +infinity at the lower bound
  const Real* curvatures;  // for a fall: K_kk and the ridge of a squared loss
  std::size_t size;
};

template <typename Real>
struct Extremes {
  Real rise, fall;  // m and M
  std::size_t riser, faller;
};

template <typename Real>
struct Instructions {
  const char* name;
  std::size_t lanes;      // values in a vector
  std::size_t tile_rows;  // rows in a group against panels
  // f += change_i row_i + change_j row_j, then m and M.
  Extremes<Real> (*move_and_find)(const BlockSlopes<Real>& slopes, const Real* row_i, Real change_i,
                                  const Real* row_j, Real change_j);
  // image = row_i - row_j - turn image and f += length image, then m and M.
  Extremes<Real> (*turn_and_find)(const BlockSlopes<Real>& slopes, Real* image, Real turn,
                                  const Real* row_i, const Real* row_j, Real length);
  // The j with the largest expected gain of a step with i; size if there is none.
  std::size_t (*best_partner)(const BlockSlopes<Real>& slopes, const Real* row_i, Real curvature_i,
                              Real rise);
  RowsFunctions<Real, Stored<Real>> store;
  RowsFunctions<Real, Multiplied<Real>> multiply;
  RowsFunctions<Real, Accumulated<Real>> accumulate;
  // f[j] += sum_k coefficients[k] rows[k][j] for first <= j < last
  void (*update)(const Real* const* rows, const double* coefficients, std::size_t n_rows, double* f,
                 std::size_t first, std::size_t last);
  // Copies rows [first, last), a panel, of a symmetric matrix to the columns below the diagonal;
  // rows are as wide as whole panels.
  void (*mirror)(Real* values, std::size_t stride, std::size_t first, std::size_t last,
                 std::size_t number);
  // values[k] = 2^values[k] for values[k] <= 0; size is a multiple of the lanes
  void (*exp2_negative)(Real* values, std::size_t size);
};

}  // namespace bandsvm
