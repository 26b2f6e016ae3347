// Runs the tests with the instruction set that BANDSVM_SIMD names, else with the best one.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <stdexcept>

#include "compute_rows.hpp"

// What automake and others understand as skipped.
constexpr int kSkipped = 77;

int main(int argc, char** argv) {
  try {
    std::printf("level: %s\n", bandsvm::best_instructions<float>().name);
  } catch (const std::invalid_argument& error) {
    std::printf("skipped: %s\n", error.what());
    return kSkipped;
  }
  return doctest::Context(argc, argv).run();
}
