// Kernel values, in every storage and for every use, against double loops.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "compute_rows.hpp"
#include "matrices.hpp"

using namespace bandsvm;
using bandsvm_tests::Matrix;
using bandsvm_tests::packed;
using bandsvm_tests::random_matrix;
using bandsvm_tests::Storage;

namespace {

constexpr Kernel kKernels[] = {{KernelKind::linear, 0, 0, 0},
                               {KernelKind::rbf, 0.03, 0, 0},
                               {KernelKind::poly, 0.2, 1, 3},
                               {KernelKind::sigmoid, 0.1, -0.5, 0}};

double scale_of(const Kernel& kernel) {
  return kernel.kind == KernelKind::rbf ? std::sqrt(2 * kernel.gamma / std::log(2.0)) : 1.0;
}

double kernel_value(const Kernel& kernel, const double* x, const double* z,
                    std::size_t n_features) {
  double product = 0, distance = 0;
  for (std::size_t k = 0; k < n_features; ++k) {
    product += x[k] * z[k];
    distance += (x[k] - z[k]) * (x[k] - z[k]);
  }
  const double affine = kernel.gamma * product + kernel.coef0;
  switch (kernel.kind) {
    case KernelKind::linear:
      return product;
    case KernelKind::rbf:
      return std::exp(-kernel.gamma * distance);
    case KernelKind::poly:
      return std::pow(affine, kernel.degree);
    case KernelKind::sigmoid:
      return std::tanh(affine);
    default:
      return 0;  // they have no rows
  }
}

// Matrices and how they are stored; sparse ones of many features use compact groups of rows.
struct Case {
  std::size_t n_left, n_right, n_features;
  double density;
  Storage left, right;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (Storage left : {Storage::dense, Storage::csr})
    for (Storage right : {Storage::dense, Storage::csr}) {
      all.push_back({1, 1, 1, 1.0, left, right});
      all.push_back({13, 101, 7, 1.0, left, right});
      all.push_back({101, 250, 40, 0.1, left, right});
      all.push_back({60, 120, 3000, 0.01, left, right});
    }
  return all;
}

template <typename Real>
void check_case(const Case& c, const Kernel& kernel) {
  const Matrix A = random_matrix(c.n_left, c.n_features, c.density, 1);
  const Matrix B = random_matrix(c.n_right, c.n_features, c.density, 2);
  std::vector<double> origin(c.n_features);
  if (kernel.kind == KernelKind::rbf && c.right == Storage::dense && c.n_features < 100)
    for (std::size_t k = 0; k < c.n_features; k += 3) origin[k] = 0.5;
  const Samples<Real> left = packed<Real>(A, c.left, scale_of(kernel), origin);
  const Samples<Real> right = packed<Real>(B, c.right, scale_of(kernel), origin);
  std::vector<double> K(c.n_left * c.n_right);
  double largest = 1;
  for (std::size_t i = 0; i < c.n_left; ++i)
    for (std::size_t j = 0; j < c.n_right; ++j) {
      K[i * c.n_right + j] = kernel_value(kernel, A.row(i), B.row(j), c.n_features);
      largest = std::max(largest, std::abs(K[i * c.n_right + j]));
    }
  const double epsilon = double(std::numeric_limits<Real>::epsilon());
  const double tolerance = 200 * epsilon * largest;
  std::vector<std::int64_t> indices(c.n_left);
  std::iota(indices.begin(), indices.end(), 0);
  std::reverse(indices.begin(), indices.end());
  const std::vector<std::int64_t> nowhere(c.n_left, -1);

  std::vector<double> row_coefficients(c.n_left), f(c.n_right, 1.0), expected_f(c.n_right, 1.0);
  for (std::size_t r = 0; r < c.n_left; ++r) row_coefficients[r] = 0.1 + double(r % 3) - 1;
  constexpr std::size_t n_outputs = 2;
  std::vector<Real> coefficients(n_outputs * right.stride());
  std::vector<double> products(c.n_left * n_outputs), expected(c.n_left * n_outputs);
  double worst = 0;
  for (std::size_t o = 0; o < n_outputs; ++o)
    for (std::size_t j = 0; j < c.n_right; ++j)
      coefficients[o * right.stride() + j] = Real(0.25 * double((j + o) % 5) - 0.5);
  for (int n_threads : {1, 3}) {
    std::vector<Real> store(c.n_left * right.stride(), Real(-7));
    std::vector<Real*> rows(c.n_left);
    for (std::size_t r = 0; r < c.n_left; ++r) rows[r] = store.data() + r * right.stride();
    compute_rows(left, indices.data(), c.n_left, right, nowhere.data(), kernel, rows.data(),
                 n_threads);
    for (std::size_t r = 0; r < c.n_left; ++r)
      for (std::size_t j = 0; j < c.n_right; ++j)
        worst = std::max(worst,
                         std::abs(double(rows[r][j]) - K[std::size_t(indices[r]) * c.n_right + j]));
    CHECK(worst <= tolerance);

    f.assign(c.n_right, 1.0);
    accumulate_rows(left, indices.data(), c.n_left, right, nowhere.data(), kernel,
                    row_coefficients.data(), f.data(), n_threads);
    products.assign(products.size(), 0.0);
    multiply_rows(left, right, kernel, coefficients.data(), n_outputs, products.data(), n_threads);
    double worst_f = 0, worst_product = 0;
    for (std::size_t j = 0; j < c.n_right; ++j) {
      double sum = 1;
      for (std::size_t r = 0; r < c.n_left; ++r)
        sum += row_coefficients[r] * K[std::size_t(indices[r]) * c.n_right + j];
      worst_f = std::max(worst_f, std::abs(f[j] - sum));
    }
    for (std::size_t i = 0; i < c.n_left; ++i)
      for (std::size_t o = 0; o < n_outputs; ++o) {
        double sum = 0;
        for (std::size_t j = 0; j < c.n_right; ++j)
          sum += K[i * c.n_right + j] * double(coefficients[o * right.stride() + j]);
        worst_product = std::max(worst_product, std::abs(products[i * n_outputs + o] - sum));
      }
    CHECK(worst_f <= tolerance * double(c.n_left));
    CHECK(worst_product <= tolerance * double(c.n_right));
    if (n_threads == 1) expected_f = f, expected = products;
  }
  // Threads do not change a bit.
  CHECK(f == expected_f);
  CHECK(products == expected);
}

template <typename Real>
void check_exp2() {
  const Instructions<Real>& level = best_instructions<Real>();
  const double epsilon = double(std::numeric_limits<Real>::epsilon());
  const double smallest = sizeof(Real) == 4 ? -126 : -1022;
  std::vector<Real> x;
  for (int k = 0; k <= 100000; ++k) x.push_back(Real(smallest * std::pow(k / 100000.0, 2)));
  for (double value : {-0.5, -1.5, -0.0, -1e-30, 0.0}) x.push_back(Real(value));
  while (x.size() % level.lanes) x.push_back(0);
  std::vector<Real> powers = x;
  level.exp2_negative(powers.data(), powers.size());
  double worst = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double exact = std::exp2(double(x[k]));
    worst = std::max(worst, std::abs(double(powers[k]) - exact) / exact);
  }
  CHECK(worst <= 1.5 * epsilon);

  constexpr Real infinity = std::numeric_limits<Real>::infinity();
  std::vector<Real> beyond(level.lanes * ((4 + level.lanes - 1) / level.lanes), Real(3));
  beyond[0] = -infinity;
  beyond[1] = Real(10 * smallest);
  beyond[2 % beyond.size()] = std::numeric_limits<Real>::quiet_NaN();
  level.exp2_negative(beyond.data(), beyond.size());
  for (std::size_t k = 0; k < 3 && k < beyond.size(); ++k)
    CHECK(double(beyond[k]) == std::exp2(smallest));
  CHECK(double(beyond.back()) == 1.0);  // above zero counts as zero
}

}  // namespace

TEST_CASE_TEMPLATE("kernel rows equal double loops", Real, float, double) {
  for (const Case& c : cases())
    for (const Kernel& kernel : kKernels) {
      CAPTURE(c.n_left);
      CAPTURE(c.n_features);
      CAPTURE(int(c.left));
      CAPTURE(int(c.right));
      CAPTURE(int(kernel.kind));
      check_case<Real>(c, kernel);
    }
}

TEST_CASE_TEMPLATE("exp2 is right to the last bits over its range", Real, float, double) {
  check_exp2<Real>();
}

TEST_CASE_TEMPLATE("updates equal double loops", Real, float, double) {
  const std::size_t size = 2500, n_rows = 19;
  const Matrix K = random_matrix(n_rows, size, 1.0, 3);
  const std::vector<Real> store(K.values.begin(), K.values.end());
  std::vector<const Real*> rows;
  std::vector<double> coefficients, expected(size), one(size), three(size);
  for (std::size_t k = 0; k < n_rows; ++k) {
    rows.push_back(store.data() + k * size);
    coefficients.push_back(0.3 * double(k) - 2);
    for (std::size_t j = 0; j < size; ++j) expected[j] += coefficients[k] * K.row(k)[j];
  }
  update_gradient(rows.data(), coefficients.data(), n_rows, one.data(), size, 1);
  update_gradient(rows.data(), coefficients.data(), n_rows, three.data(), size, 3);
  double worst = 0;
  for (std::size_t j = 0; j < size; ++j) worst = std::max(worst, std::abs(one[j] - expected[j]));
  CHECK(worst <= 500 * double(std::numeric_limits<Real>::epsilon()));
  CHECK(one == three);
}

TEST_CASE_TEMPLATE("blocks take over what is known", Real, float, double) {
  const Kernel kernel = kKernels[1];
  for (Storage storage : {Storage::dense, Storage::csr}) {
    const Matrix X = random_matrix(80, 12, storage == Storage::csr ? 0.2 : 1.0, 4);
    const Samples<Real> samples = packed<Real>(X, storage, scale_of(kernel));
    const std::size_t stride = (50 + kPanel<Real> - 1) / kPanel<Real> * kPanel<Real>;
    std::vector<std::int64_t> first(50), second(50), places(50, -1), none(50, -1);
    std::vector<const Real*> stored(50, nullptr);
    for (std::size_t k = 0; k < 50; ++k)
      first[k] = std::int64_t(k), second[k] = std::int64_t(79 - k);
    for (std::size_t k = 0; k < 50; ++k)
      if (second[k] < 50) places[k] = second[k];
    std::vector<Real> known(50 * stride), values(50 * stride);
    compute_block(samples, first.data(), 50, kernel, known.data(), known.data(), stride,
                  none.data(), stored.data(), 2);
    compute_block(samples, second.data(), 50, kernel, values.data(), known.data(), stride,
                  places.data(), stored.data(), 2);
    double worst = 0;
    for (std::size_t i = 0; i < 50; ++i)
      for (std::size_t j = 0; j < 50; ++j)
        worst = std::max(worst, std::abs(double(values[i * stride + j]) -
                                         kernel_value(kernel, X.row(std::size_t(second[i])),
                                                      X.row(std::size_t(second[j])), 12)));
    CHECK(worst <= 100 * double(std::numeric_limits<Real>::epsilon()));
  }
}

TEST_CASE_TEMPLATE("samples have the rbf value 1 with themselves", Real, float, double) {
  // So far from the origin that distances are nothing but rounding errors.
  const Kernel kernel{KernelKind::rbf, 1e10, 0, 0};
  for (Storage storage : {Storage::dense, Storage::csr})
    for (std::size_t n_features : {2, 40, 3000}) {
      CAPTURE(int(storage));
      CAPTURE(n_features);
      const Matrix X = random_matrix(150, n_features, n_features == 3000 ? 0.01 : 0.6, 5);
      const Samples<Real> samples = packed<Real>(X, storage, scale_of(kernel));
      std::vector<std::int64_t> some, places;
      for (std::size_t i = 149; i < 150; i -= 2)
        some.push_back(std::int64_t(i)), places.push_back(std::int64_t(i));
      const std::size_t n = some.size();
      std::vector<Real> store(n * samples.stride());
      std::vector<Real*> rows(n);
      for (std::size_t r = 0; r < n; ++r) rows[r] = store.data() + r * samples.stride();
      for (int n_threads : {1, 3}) {
        compute_rows(samples, some.data(), n, samples, places.data(), kernel, rows.data(),
                     n_threads);
        for (std::size_t r = 0; r < n; ++r) CHECK(rows[r][some[r]] == Real(1));
        std::vector<double> coefficients(n, 0.0), f(150, 0.0);
        coefficients[3] = 2;
        accumulate_rows(samples, some.data(), n, samples, places.data(), kernel,
                        coefficients.data(), f.data(), n_threads);
        CHECK(f[std::size_t(some[3])] == 2.0);
      }
      std::vector<std::int64_t> none(n, -1);
      std::vector<const Real*> stored(n, nullptr);
      const std::size_t stride = (n + kPanel<Real> - 1) / kPanel<Real> * kPanel<Real>;
      std::vector<Real> block(n * stride);
      compute_block(samples, some.data(), n, kernel, block.data(), block.data(), stride,
                    none.data(), stored.data(), 2);
      for (std::size_t r = 0; r < n; ++r) CHECK(block[r * stride + r] == Real(1));
    }
}
