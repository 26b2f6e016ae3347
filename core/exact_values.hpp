// Kernel values by their definitions: compiled once per instruction set, as kernel_rows.hpp
// describes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel.hpp"

namespace bandsvm {

constexpr bool is_distance(KernelKind kind) {
  return kind == KernelKind::rbf || kind == KernelKind::laplacian || kind == KernelKind::chi2;
}

// What a feature in which one of two samples is zero adds to their distance; 0 to a product.
inline double distance_from_zero(KernelKind kind, double x) {
  switch (kind) {
    case KernelKind::rbf:
      return x * x;
    case KernelKind::laplacian:
      return x < 0 ? -x : x;
    case KernelKind::chi2:
      return x;
    default:
      return 0;
  }
}

// Some targets side by side: value k of target t lies at table[k * width + t]; place 0 holds zeros.
struct SparseTargets {
  const double* table;
  const double* own;      // distances from zero
  unsigned char* is_met;  // zeros, one per place; zeros again afterwards
  std::size_t n_places;
};

// Terms like the rows of a CSR matrix, with places among the columns of the targets.
struct SparseTerms {
  const std::int64_t* starts;
  const std::int32_t* places;
  const double* values;
  const double* coefficients;  // n_outputs x number
  std::size_t number;
};

struct ExactInstructions {
  const char* name;
  std::size_t width;  // dense: terms side by side; sparse: targets
  // sums[t][o][j] += coefficients[o][j] K(targets[t], term j); feature k of term j lies at
  // terms[k * width + j]. Terms from `n_terms` on are padding.
  void (*add_dense)(const Kernel&, const double* targets, std::size_t n_targets,
                    std::size_t n_features, const double* terms, const double* coefficients,
                    std::size_t n_outputs, std::size_t n_terms, double* sums);
  // sums[o][t] += sum_k coefficients[o][k] K(target t, term k)
  void (*add_sparse)(const Kernel&, const SparseTargets&, const SparseTerms&, std::size_t n_outputs,
                     double* sums);
  // The same where distances are much shorter than samples.
  void (*add_sparse_carefully)(const Kernel&, const SparseTargets&, const SparseTerms&,
                               std::size_t n_outputs, double* sums);
};

}  // namespace bandsvm
