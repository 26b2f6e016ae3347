// Passes over matrices that steps of small problems take, Cholesky factors above all: compiled once
// per instruction set, as kernel_rows.hpp describes.
#pragma once

#include <cstddef>

namespace bandsvm {

struct FaceInstructions {
  const char* name;
  // Replaces the lower triangle of a row-major matrix by its Cholesky factor L; what is above the
  // diagonal stays. Returns false if the matrix is not positive definite, or not finite.
  bool (*factorise)(double* matrix, std::size_t size);
  // Replaces x by the solution of L L' y = x.
  void (*solve)(const double* factor, std::size_t size, double* x);
  // The largest absolute value; infinite if one is NaN.
  double (*largest)(const double* values, std::size_t size);
  float (*largest_of_single)(const float* values, std::size_t size);
  // The same values in single precision.
  void (*round)(const double* values, std::size_t size, float* rounded);
};

}  // namespace bandsvm
