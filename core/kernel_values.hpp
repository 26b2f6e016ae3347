// From inner products to kernel values.
#pragma once

#include "kernel_rows.hpp"
#include "vector.hpp"

namespace bandsvm {
namespace BANDSVM_LEVEL {
namespace {

template <typename Real>
Vector<Real> power(Vector<Real> base, unsigned exponent) {
  Vector<Real> result = Real(1) - Vector<Real>{};
  for (; exponent > 0; exponent >>= 1U) {
    if (exponent & 1U) result *= base;
    base *= base;
  }
  return result;
}

template <typename Real>
Vector<Real> tanh_of(Vector<Real> x) {
  constexpr Real kLog2E = Real(1.4426950408889634074);
  const Vector<Real> zero{};
  const Vector<Real> size = x < zero ? -x : x;
  const Vector<Real> e = exp2_negative<Real>(size * (-2 * kLog2E));
  const Vector<Real> t = (Real(1) - e) / (Real(1) + e);
  return x < zero ? -t : t;
}

// `norms` is the sum of both samples' halved squared lengths. For rbf samples are packed times
// sqrt(2 gamma / log 2), so that exp(-gamma |x - z|^2) = 2^(x'z - norms).
template <typename Real, KernelKind Kind>
inline Vector<Real> kernel_value(Vector<Real> product, Vector<Real> norms, const Kernel& kernel) {
  const Real gamma = Real(kernel.gamma), coef0 = Real(kernel.coef0);
  if constexpr (Kind == KernelKind::linear) return product;
  if constexpr (Kind == KernelKind::rbf) return exp2_negative<Real>(product - norms);
  if constexpr (Kind == KernelKind::poly)
    return power<Real>(product * gamma + coef0, unsigned(kernel.degree));
  if constexpr (Kind == KernelKind::sigmoid) return tanh_of<Real>(product * gamma + coef0);
}

// Writes the rbf values of stored rows with themselves.
template <typename Real, typename Task>
void store_own(const Task& task) {
  const std::size_t begin = task.first_panel * kPanel<Real>;
  const std::size_t size = smaller(task.last_panel * kPanel<Real>, task.right.count) - begin;
  const Stored<Real>& to = task.output;
  for (std::size_t r = 0; r < task.left.n_rows; ++r)
    if (std::size_t(to.places[r]) - begin < size) to.rows[r][to.places[r]] = 1;
}

}  // namespace
}  // namespace BANDSVM_LEVEL
}  // namespace bandsvm
