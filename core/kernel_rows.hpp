// What each level of instructions offers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "left_rows.hpp"

namespace bandsvm {

enum class KernelKind { linear, rbf, poly, sigmoid };

struct KernelFunction {
  KernelKind kind;
  double gamma, coef0;
  int degree;
};

// What becomes of kernel values: stored; multiplied by one coefficient a sample of right and summed;
// or multiplied by one coefficient a row and added to f.
enum class Use { store, multiply, accumulate };

// Rows of left against samples of right, panels [first_panel, last_panel) of them.
template <typename Real>
struct RowsTask {
  const LeftRows<Real>* left;
  const Samples<Real>* right;
  KernelFunction kernel;
  Use use;
  Real* const* rows = nullptr;         // store: where each row begins
  const Real* coefficients = nullptr;  // multiply: n_outputs x right->stride()
  std::size_t n_outputs = 0;
  double* products = nullptr;                // multiply: n_rows x n_outputs
  const double* row_coefficients = nullptr;  // accumulate
  double* f = nullptr;                       // accumulate: one value a sample of right
  std::size_t first_panel = 0, last_panel = 0;
};

// Slopes of a block's variables; infinite where a bound forbids the move.
template <typename Real>
struct BlockSlopes {
  Real* f;
  const Real* rising;      // of h_k, for a rise of c_k; -infinity at the upper bound
  const Real* falling;     // for a fall; +infinity at the lower bound
  const Real* curvatures;  // for a fall: K_kk and the bend of a squared loss
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
  // f += change_i row_i + change_j row_j, then m and M.
  Extremes<Real> (*move_and_find)(const BlockSlopes<Real>& slopes, const Real* row_i, Real change_i,
                                  const Real* row_j, Real change_j);
  // image = row_i - row_j - turn image and f += length image, then m and M.
  Extremes<Real> (*turn_and_find)(const BlockSlopes<Real>& slopes, Real* image, Real turn,
                                  const Real* row_i, const Real* row_j, Real length);
  // The j that promises the largest gain of a step with i; size where none promises any.
  std::size_t (*best_partner)(const BlockSlopes<Real>& slopes, const Real* row_i,
                              Real curvature_i, Real rise);
  // How many rows a group of LeftRows holds.
  std::size_t (*group_size)(const Samples<Real>& right);
  void (*compute_rows)(const RowsTask<Real>&);
  // f[j] += sum_k coefficients[k] rows[k][j] for first <= j < last
  void (*update)(const Real* const* rows, const double* coefficients, std::size_t n_rows, double* f,
                 std::size_t first, std::size_t last);
};

#define BANDSVM_DECLARE_LEVEL(level)                \
  namespace level {                                 \
  template <typename Real>                          \
  Instructions<Real> instructions();                \
  extern template Instructions<float> instructions<float>();   \
  extern template Instructions<double> instructions<double>(); \
  }
BANDSVM_DECLARE_LEVEL(baseline)
#ifdef BANDSVM_X86_LEVELS
BANDSVM_DECLARE_LEVEL(avx2)
BANDSVM_DECLARE_LEVEL(avx512)
#endif

}  // namespace bandsvm
