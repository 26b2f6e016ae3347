// The functions that are compiled once per instruction set. Their files use plain pointers and sizes
// only: the linker could take an inline function or a container that they share with other files
// from the version for an instruction set that the machine does not have.
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
// Longer samples, measured by their halved squared lengths, have rbf values with themselves that miss
// 1 by more than a few rounding errors; in sums they are corrected.
constexpr double kLongSample = 4;
// How many features ahead a panel is fetched into the cache: fewer come too late, more push out
// what is still needed.
constexpr std::size_t kAhead = 6;

// What to do with kernel values: store them; multiply them by one coefficient per sample of right and
// sum them; or multiply them by one coefficient per row and add them to f.
enum class Use { store, multiply, accumulate };

// Samples packed by samples.hpp.
template <typename Real>
struct SamplesView {
  std::size_t count, n_features, stride;
  bool is_sparse;
  const Real* panels;          // dense
  const std::int64_t* starts;  // sparse: CSR
  const std::int32_t* columns;
  const Real* values;
  const Real* norms;
};

// Rows that are processed together, prepared by left_rows.hpp: value k of row r lies at
// values[k * size of the group + r]. Only features in which a row is not zero have values, unless
// rows for sparse samples are spread out over all features.
template <typename Real>
struct RowGroup {
  const Real* values;
  const std::size_t* offsets;  // for dense samples: where in a panel the features lie
  std::size_t n_offsets;
  const std::int32_t* features;  // for sparse samples: k = 0 holds zeros, k + 1 is features[k]
  std::size_t n_features;
};

template <typename Real>
struct RowsView {
  std::size_t n_rows, group;
  bool is_spread;  // for sparse samples: whether groups have values of all features
  const RowGroup<Real>* groups;
  const Real* norms;  // of whole groups
};

// Rows of left against samples of right, panels [first_panel, last_panel) of them.
template <typename Real>
struct RowsTask {
  RowsView<Real> left;
  SamplesView<Real> right;
  Kernel kernel;
  Use use;
  // store and accumulate: place of each row among the samples of right, or -1. The rbf value of a
  // sample with itself is 1, whatever rounding errors its distance from itself has.
  const std::int64_t* places = nullptr;
  Real* const* rows = nullptr;         // store: where each row begins
  const Real* coefficients = nullptr;  // multiply: n_outputs x right.stride
  std::size_t n_outputs = 0;
  double* products = nullptr;              // multiply: n_rows x n_outputs
  double* sums = nullptr;                  // multiply: lanes of n_outputs vectors per row
  const Real* row_coefficients = nullptr;  // accumulate: of whole groups
  double* f = nullptr;                     // accumulate: one value per sample of right
  // Rows that are not spread out: one zero per feature of right; zero again afterwards.
  std::int32_t* place_of = nullptr;
  std::size_t first_panel = 0, last_panel = 0;
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
  std::size_t tile_rows;  // rows in a group against dense samples
  // f += change_i row_i + change_j row_j, then m and M.
  Extremes<Real> (*move_and_find)(const BlockSlopes<Real>& slopes, const Real* row_i, Real change_i,
                                  const Real* row_j, Real change_j);
  // image = row_i - row_j - turn image and f += length image, then m and M.
  Extremes<Real> (*turn_and_find)(const BlockSlopes<Real>& slopes, Real* image, Real turn,
                                  const Real* row_i, const Real* row_j, Real length);
  // The j with the largest expected gain of a step with i; size if there is none.
  std::size_t (*best_partner)(const BlockSlopes<Real>& slopes, const Real* row_i,
                              Real curvature_i, Real rise);
  void (*compute_rows)(const RowsTask<Real>&);
  // f[j] += sum_k coefficients[k] rows[k][j] for first <= j < last
  void (*update)(const Real* const* rows, const double* coefficients, std::size_t n_rows, double* f,
                 std::size_t first, std::size_t last);
  // values[k] = 2^values[k] for values[k] <= 0; size is a multiple of the lanes
  void (*exp2_negative)(Real* values, std::size_t size);
};

#define BANDSVM_DECLARE_LEVEL(level)        \
  namespace level {                         \
  void get(Instructions<float>& offered);   \
  void get(Instructions<double>& offered);  \
  }
BANDSVM_DECLARE_LEVEL(baseline)
#ifdef BANDSVM_X86_LEVELS
BANDSVM_DECLARE_LEVEL(avx2)
BANDSVM_DECLARE_LEVEL(avx512)
#endif

}  // namespace bandsvm
