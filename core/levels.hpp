// Which of the functions that are compiled once per instruction set this machine can run.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "exact_values.hpp"
#include "kernel_rows.hpp"
#include "newton_edges.hpp"

namespace bandsvm {

// The functions for the best instruction set of this machine, or the one that BANDSVM_SIMD names.
template <typename Table>
const Table& best_of_levels() {
  static const Table chosen = [] {
    std::vector<Table> levels(1);
    baseline::get(levels[0]);
#ifdef BANDSVM_X86_LEVELS
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
      avx2::get(levels.emplace_back());
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
      avx512::get(levels.emplace_back());
#endif
    const char* wanted = std::getenv("BANDSVM_SIMD");
    if (!wanted) return levels.back();
    for (const auto& level : levels)
      if (std::string(wanted) == level.name) return level;
    throw std::invalid_argument(std::string("BANDSVM_SIMD names a level that this machine does not "
                                            "have: ") + wanted + ".");
  }();
  return chosen;
}

}  // namespace bandsvm
