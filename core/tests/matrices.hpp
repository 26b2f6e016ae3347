// Random matrices, and samples packed from them in every way there is.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "samples.hpp"

namespace bandsvm_tests {

struct Matrix {
  std::size_t n_rows, n_columns;
  std::vector<double> values;

  const double* row(std::size_t i) const { return values.data() + i * n_columns; }
};

// Normal values; `density` is the share that is not zero.
inline Matrix random_matrix(std::size_t n_rows, std::size_t n_columns, double density, int seed) {
  std::mt19937 random{std::uint32_t(seed)};
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Matrix matrix{n_rows, n_columns, std::vector<double>(n_rows * n_columns)};
  for (double& value : matrix.values)
    if (uniform(random) < density) value = double(float(normal(random)));
  return matrix;
}

enum class Storage { dense, csr };

// With this cost of single values both storages of dense samples occur.
constexpr double kCostOfSparse = 3.0;

// Dense matrices must outlive their samples.
template <typename Real>
bandsvm::Samples<Real> packed(const Matrix& matrix, Storage storage, double scale,
                              const std::vector<double>& origin = {}) {
  using Samples = bandsvm::Samples<Real>;
  std::vector<double> from = origin;
  from.resize(matrix.n_columns);
  if (storage == Storage::dense)
    return Samples::pack(matrix.values.data(), matrix.n_rows, matrix.n_columns, from.data(), scale,
                         kCostOfSparse, 2);
  std::vector<std::int64_t> starts{0}, columns;
  std::vector<double> values;
  for (std::size_t i = 0; i < matrix.n_rows; ++i) {
    for (std::size_t k = 0; k < matrix.n_columns; ++k)
      if (matrix.row(i)[k] != 0) {
        columns.push_back(std::int64_t(k));
        values.push_back(matrix.row(i)[k]);
      }
    starts.push_back(std::int64_t(values.size()));
  }
  return Samples::compress(starts, columns.data(), values.data(), matrix.n_columns, scale,
                           kCostOfSparse);
}

}  // namespace bandsvm_tests
