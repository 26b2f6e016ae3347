// Which of the functions that are compiled once per instruction set this machine can run.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "exact_values.hpp"
#include "face_algebra.hpp"
#include "kernel_rows.hpp"
#include "newton_edges.hpp"

namespace bandsvm {

// What the files of each level offer.
namespace baseline {
void get(Instructions<float>& offered);
void get(Instructions<double>& offered);
void get(NewtonInstructions& offered);
void get(ExactInstructions& offered);
void get(FaceInstructions& offered);
}  // namespace baseline
#ifdef BANDSVM_X86_LEVELS
namespace avx2 {
void get(Instructions<float>& offered);
void get(Instructions<double>& offered);
void get(NewtonInstructions& offered);
void get(ExactInstructions& offered);
void get(FaceInstructions& offered);
}  // namespace avx2
namespace avx512 {
void get(Instructions<float>& offered);
void get(Instructions<double>& offered);
void get(NewtonInstructions& offered);
void get(ExactInstructions& offered);
void get(FaceInstructions& offered);
}  // namespace avx512
#endif

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
                                            "have: ") +
                                wanted + ".");
  }();
  return chosen;
}

}  // namespace bandsvm
