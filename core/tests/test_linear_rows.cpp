// Rows of linear models: sums against double loops, and steps that stay in their box and climb.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "coordinate_descent.hpp"
#include "linear_rows.hpp"
#include "matrices.hpp"

using bandsvm_tests::Matrix;
using bandsvm_tests::random_matrix;

namespace {

// A CSR copy of a matrix.
template <typename Index>
struct Csr {
  std::vector<std::int64_t> starts{0};
  std::vector<Index> columns;
  std::vector<double> values;
  std::size_t n_columns;

  explicit Csr(const Matrix& matrix) : n_columns(matrix.n_columns) {
    for (std::size_t i = 0; i < matrix.n_rows; ++i) {
      for (std::size_t k = 0; k < matrix.n_columns; ++k)
        if (matrix.row(i)[k] != 0) {
          columns.push_back(Index(k));
          values.push_back(matrix.row(i)[k]);
        }
      starts.push_back(std::int64_t(values.size()));
    }
  }

  bandsvm::SparseRows<double, Index> rows() const {
    return {starts.data(),     columns.data(), values.data(),
            starts.size() - 1, n_columns,      values.size()};
  }
};

std::vector<double> spaced(std::size_t size) {
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = std::cos(double(3 * i));
  return values;
}

}  // namespace

TEST_CASE_TEMPLATE("sums are those of double loops", Index, std::int32_t, std::int64_t) {
  for (std::size_t n_columns : {std::size_t(1), std::size_t(7), std::size_t(19)}) {
    const Matrix X = random_matrix(50, n_columns, 0.4, int(n_columns));
    const Csr<Index> csr(X);
    const bandsvm::DenseRows<double> dense{X.values.data(), X.n_rows, n_columns};
    const std::vector<double> w = spaced(n_columns), v = spaced(40);
    std::vector<double> from_dense(40), from_sparse(40), sums(n_columns), sparse_sums(n_columns);
    bandsvm::row_products(dense, 10, 50, w.data(), from_dense.data(), 3);
    bandsvm::row_products(csr.rows(), 10, 50, w.data(), from_sparse.data(), 3);
    bandsvm::add_rows(dense, 10, 50, v.data(), sums.data());
    bandsvm::add_rows(csr.rows(), 10, 50, v.data(), sparse_sums.data());
    for (std::size_t i = 0; i < 40; ++i) {
      double expected = 0;
      for (std::size_t k = 0; k < n_columns; ++k) expected += X.row(10 + i)[k] * w[k];
      CHECK(from_dense[i] == doctest::Approx(expected));
      CHECK(from_sparse[i] == doctest::Approx(expected));
    }
    for (std::size_t k = 0; k < n_columns; ++k) {
      double expected = 0;
      for (std::size_t i = 0; i < 40; ++i) expected += X.row(10 + i)[k] * v[i];
      CHECK(sums[k] == doctest::Approx(expected));
      CHECK(sparse_sums[k] == doctest::Approx(expected));
    }
  }
}

TEST_CASE("the matrix of all pairs of columns is the same for any number of threads") {
  const Matrix X = random_matrix(60, 11, 0.5, 3);
  const Csr<std::int32_t> csr(X);
  const std::vector<double> factors = spaced(50);
  std::vector<double> first;
  for (int n_threads : {1, 2, 3, 11, 40}) {
    std::vector<double> gram(11 * 11);
    bandsvm::add_gram(csr.rows(), 5, 55, factors.data(), gram.data(), n_threads);
    if (first.empty()) first = gram;
    CHECK(gram == first);
  }
  for (std::size_t j = 0; j < 11; ++j)
    for (std::size_t k = j; k < 11; ++k) {
      double expected = 0;
      for (std::size_t i = 0; i < 50; ++i)
        expected += factors[i] * X.row(5 + i)[j] * X.row(5 + i)[k];
      CHECK(first[j * 11 + k] == doctest::Approx(expected));
    }
}

TEST_CASE("places outside of the arrays are refused") {
  Csr<std::int32_t> csr(random_matrix(5, 4, 1.0, 1));
  std::vector<double> w(4), g(5), gram(16);
  csr.columns[7] = 4;
  CHECK_THROWS_AS(bandsvm::row_products(csr.rows(), 0, 5, w.data(), g.data(), 2),
                  std::invalid_argument);
  csr.columns[7] = -1;
  CHECK_THROWS_AS(bandsvm::add_gram(csr.rows(), 0, 5, w.data(), gram.data(), 2),
                  std::invalid_argument);
}

TEST_CASE("steps stay in their box, climb, and end at the optimum") {
  const std::size_t n = 40;
  const Matrix X = random_matrix(n, 6, 0.6, 5);
  const Csr<std::int32_t> csr(X);
  for (const double ridge : {0.0, 0.3}) {
    const double below = ridge > 0 ? 100.0 : 0.5, above = ridge > 0 ? 50.0 : 0.2;
    for (const double penalty : {0.0, 2.0}) {
      std::vector<bandsvm::Variable> variables(n);
      for (std::size_t i = 0; i < n; ++i) {
        const bool is_positive = X.row(i)[0] > 0;
        variables[i].band = {
            is_positive ? 1.0 : -1.5, is_positive ? 1.5 : -1.0, below, above, ridge, ridge};
        variables[i].c = 0;
      }
      bandsvm::Descent descent(csr.rows(), variables, std::vector<double>(6), 0.0, penalty);
      double before = 0;
      for (int call = 0; call < 300; ++call) {
        descent.run(1e-14, 1.3);
        double value = 0;
        for (const auto& [band, norm, c] : descent.variables()) {
          CHECK((-above <= c && c <= below));
          value += ((c > 0 ? band.lo : band.hi) - 0.5 * ridge * c) * c;
        }
        for (double w : descent.weights()) value -= 0.5 * w * w;
        // With a penalty, sum c = 0 holds in the end only.
        if (penalty == 0) CHECK(value >= before - 1e-12);
        before = value;
      }
      for (std::size_t k = 0; k < 6; ++k) {
        double expected = 0;
        for (std::size_t i = 0; i < n; ++i) expected += descent.variables()[i].c * X.row(i)[k];
        CHECK(descent.weights()[k] == doctest::Approx(expected));
      }
      double total = 0;
      for (const auto& variable : descent.variables()) total += variable.c;
      if (penalty > 0) CHECK(std::abs(total) < 1e-9);
      CHECK(descent.gap() < 1e-9 * descent.primal());
    }
  }
}
