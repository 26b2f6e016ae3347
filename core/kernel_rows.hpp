// What the levels of instructions offer, and the choice between them at run time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "samples.hpp"

namespace bandsvm {

enum class KernelKind { linear, rbf, poly, sigmoid };

struct KernelFunction {
  KernelKind kind;
  double gamma, coef0;
  int degree;
};

// Some rows of left against all samples of right, panels [first_panel, last_panel) of them.
template <typename Real>
struct RowsTask {
  const Samples<Real>* left;
  const std::int64_t* indices;
  std::size_t n_rows;
  const Samples<Real>* right;
  KernelFunction kernel;
  Real* const* rows;              // where each row begins; null to multiply instead of store
  const Real* coefficients;       // n_outputs x right->stride()
  std::size_t n_outputs;
  double* products;               // n_rows x n_outputs
  std::size_t first_panel, last_panel;
};

template <typename Real>
struct Instructions {
  const char* name;
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
