// Kernel rows, updates of f and searches in a block; compiled once per instruction set.
#include "kernel_rows.hpp"

#include "block_search.hpp"
#include "csr_rows.hpp"
#include "panel_rows.hpp"

namespace bandsvm {
namespace BANDSVM_LEVEL {
namespace {

template <typename Real, KernelKind Kind, typename Output>
void rows_of_kind(const PanelTask<Real, Output>& task) {
  panel_rows<Real, Kind>(task);
}

template <typename Real, KernelKind Kind, typename Output>
void rows_of_kind(const CsrTask<Real, Output>& task) {
  csr_rows<Real, Kind, Output>(task);
}

template <typename Real, typename Task>
void compute_rows(const Task& task) {
  switch (task.kernel.kind) {
    case KernelKind::linear:
      return rows_of_kind<Real, KernelKind::linear>(task);
    case KernelKind::rbf:
      return rows_of_kind<Real, KernelKind::rbf>(task);
    case KernelKind::poly:
      return rows_of_kind<Real, KernelKind::poly>(task);
    case KernelKind::sigmoid:
      return rows_of_kind<Real, KernelKind::sigmoid>(task);
    case KernelKind::laplacian:
    case KernelKind::chi2:
      return;  // they have no rows
  }
}

template <typename Real, typename Output>
constexpr RowsFunctions<Real, Output> rows_functions() {
  return {compute_rows<Real, PanelTask<Real, Output>>, compute_rows<Real, CsrTask<Real, Output>>};
}

// Eight rows at a time: sums in Real, as precise as the rows, are then added to f.
template <typename Real>
void update(const Real* const* rows, const double* coefficients, std::size_t n_rows, double* f,
            std::size_t first, std::size_t last) {
  constexpr std::size_t kGroup = 8, kChunk = 1024;
  for (std::size_t chunk = first; chunk < last; chunk += kChunk) {
    const std::size_t end = smaller(chunk + kChunk, last);
    std::size_t k = 0;
    for (; k + kGroup <= n_rows; k += kGroup) {
      const Real *r0 = rows[k], *r1 = rows[k + 1], *r2 = rows[k + 2], *r3 = rows[k + 3];
      const Real *r4 = rows[k + 4], *r5 = rows[k + 5], *r6 = rows[k + 6], *r7 = rows[k + 7];
      Real c[kGroup];
      for (std::size_t g = 0; g < kGroup; ++g) c[g] = Real(coefficients[k + g]);
      for (std::size_t j = chunk; j < end; ++j)
        f[j] += double(c[0] * r0[j] + c[1] * r1[j] + c[2] * r2[j] + c[3] * r3[j] + c[4] * r4[j] +
                       c[5] * r5[j] + c[6] * r6[j] + c[7] * r7[j]);
    }
    for (; k < n_rows; ++k) {
      const Real* row = rows[k];
      const double c = coefficients[k];
      for (std::size_t j = chunk; j < end; ++j) f[j] += c * double(row[j]);
    }
  }
}

template <typename Real>
void mirror(Real* values, std::size_t stride, std::size_t first, std::size_t last,
            std::size_t number) {
  constexpr std::size_t lanes = kLanes<Real>;
  for (std::size_t i = first; i < last; ++i)
    for (std::size_t j = first; j < i; ++j) values[i * stride + j] = values[j * stride + i];
  for (std::size_t i = last; i < number; i += lanes)
    for (std::size_t j = first; j < last; j += lanes) {
      Vector<Real> block[lanes];
      for (std::size_t k = 0; k < lanes; ++k) block[k] = load(values + (j + k) * stride + i);
      transpose<Real>(block);
      for (std::size_t k = 0; k < smaller(lanes, number - i); ++k)
        store(values + (i + k) * stride + j, block[k]);
    }
}

template <typename Real>
void exp2_of_all(Real* values, std::size_t size) {
  for (std::size_t k = 0; k < size; k += kLanes<Real>)
    store(values + k, exp2_negative<Real>(load(values + k)));
}

template <typename Real>
Instructions<Real> instructions() {
  return {BANDSVM_NAME(BANDSVM_LEVEL),
          kLanes<Real>,
          kTileRows,
          move_and_find<Real>,
          turn_and_find<Real>,
          best_partner<Real>,
          rows_functions<Real, Stored<Real>>(),
          rows_functions<Real, Multiplied<Real>>(),
          rows_functions<Real, Accumulated<Real>>(),
          update<Real>,
          mirror<Real>,
          exp2_of_all<Real>};
}

}  // namespace

void get(Instructions<float>& offered) { offered = instructions<float>(); }
void get(Instructions<double>& offered) { offered = instructions<double>(); }

}  // namespace BANDSVM_LEVEL
}  // namespace bandsvm
