// Sums of kernel values by their definitions, against loops in extended precision.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "exact_products.hpp"
#include "matrices.hpp"

using namespace bandsvm;
using bandsvm_tests::Matrix;
using bandsvm_tests::random_matrix;

namespace {

using Long = long double;

constexpr Kernel kKernels[] = {
    {KernelKind::rbf, 0.1, 0, 0},        {KernelKind::poly, 0.2, 1, 3},
    {KernelKind::sigmoid, 0.1, -0.5, 0}, {KernelKind::laplacian, 0.1, 0, 0},
    {KernelKind::chi2, 0.2, 0, 0},       {KernelKind::rbf, 1e10, 0, 0},
    {KernelKind::rbf, 0, 0, 0}};

Long value(const Kernel& kernel, const double* x, const double* z, std::size_t n_features) {
  Long sum = 0;
  for (std::size_t k = 0; k < n_features; ++k) {
    const Long a = x[k], b = z[k], difference = a - b;
    switch (kernel.kind) {
      case KernelKind::rbf:
        sum += difference * difference;
        break;
      case KernelKind::laplacian:
        sum += std::abs(difference);
        break;
      case KernelKind::chi2:
        sum += a + b > 0 ? difference * difference / (a + b) : 0;
        break;
      default:
        sum += a * b;
    }
  }
  if (is_distance(kernel.kind)) return std::exp(-Long(kernel.gamma) * sum);
  const Long affine = Long(kernel.gamma) * sum + Long(kernel.coef0);
  return kernel.kind == KernelKind::poly ? std::pow(affine, Long(kernel.degree))
                                         : std::tanh(affine);
}

template <typename Real>
struct Csr {
  std::vector<std::int64_t> starts{0};
  std::vector<std::int32_t> columns;
  std::vector<Real> values;
  std::size_t n_columns;

  explicit Csr(const Matrix& X) : n_columns(X.n_columns) {
    for (std::size_t i = 0; i < X.n_rows; ++i) {
      for (std::size_t k = 0; k < X.n_columns; ++k)
        if (X.row(i)[k] != 0)
          columns.push_back(std::int32_t(k)), values.push_back(Real(X.row(i)[k]));
      starts.push_back(std::int64_t(values.size()));
    }
  }

  CsrMatrix<Real, std::int32_t> view() const {
    return {starts, columns.data(), values.data(), n_columns};
  }
};

// Rows 0 and 1 are equal, and differ from row 2 in the last digits of a feature.
Matrix samples(std::size_t n_features, double density, bool is_positive, int seed) {
  Matrix X = random_matrix(90, n_features, density, seed);
  for (std::size_t k = 0; k < n_features; ++k) X.values[n_features + k] = X.values[k];
  for (std::size_t k = 0; k < n_features; ++k) X.values[2 * n_features + k] = X.values[k];
  X.values[2 * n_features] = X.values[0] = X.values[n_features] = 1;
  X.values[2 * n_features] += 1e-6;
  for (double& v : X.values) v = double(float(is_positive ? std::abs(v) : v));
  return X;
}

}  // namespace

TEST_CASE_TEMPLATE("exact products equal loops in extended precision", Real, float, double) {
  for (const Kernel& kernel : kKernels)
    for (const auto& [n_features, density] :
         {std::pair<std::size_t, double>{1, 1.0}, {8, 1.0}, {41, 0.3}, {2000, 0.01}}) {
      CAPTURE(int(kernel.kind));
      CAPTURE(n_features);
      const Matrix X = samples(n_features, density, kernel.kind == KernelKind::chi2, 7);
      const std::vector<Real> values(X.values.begin(), X.values.end());
      const DenseMatrix<Real> dense{values.data(), X.n_rows, n_features};
      const Csr<Real> csr(X);
      for (std::size_t n_targets : {1, 37, 90}) {
        std::vector<std::int64_t> targets, terms;
        for (std::size_t t = 0; t < n_targets; ++t) targets.push_back(std::int64_t(89 - t));
        for (std::size_t k = 0; k < 53; ++k) terms.push_back(std::int64_t(k));
        std::vector<double> coefficients(2 * 53);
        for (std::size_t k = 0; k < coefficients.size(); ++k) coefficients[k] = double(k % 7) - 2.5;
        std::vector<double> of_dense(2 * n_targets), of_csr(2 * n_targets), threaded(2 * n_targets);
        const Selected rows{targets.data(), n_targets}, others{terms.data(), terms.size()};
        exact_products(kernel, dense, rows, dense, others, coefficients.data(), 2, of_dense.data(),
                       1);
        exact_products(kernel, dense, rows, dense, others, coefficients.data(), 2, threaded.data(),
                       3);
        CHECK(of_dense == threaded);
        exact_products(kernel, csr.view(), rows, csr.view(), others, coefficients.data(), 2,
                       of_csr.data(), 1);
        exact_products(kernel, csr.view(), rows, csr.view(), others, coefficients.data(), 2,
                       threaded.data(), 3);
        CHECK(of_csr == threaded);
        double worst = 0;
        for (std::size_t t = 0; t < n_targets; ++t)
          for (std::size_t o = 0; o < 2; ++o) {
            Long sum = 0, size = 0;
            for (std::size_t k = 0; k < 53; ++k) {
              const Long term = Long(coefficients[o * 53 + k]) *
                                value(kernel, X.row(std::size_t(targets[t])), X.row(k), n_features);
              sum += term;
              size += std::abs(term);
            }
            const Long allowed = 1e-14L * (size + 1e-300L) * (1 + std::sqrt(Long(n_features)));
            for (double got : {of_dense[t * 2 + o], of_csr[t * 2 + o]})
              worst = std::max(worst, double(std::abs(got - sum) / allowed));
          }
        CHECK(worst <= 1);
      }
    }
}

TEST_CASE("columns of sparse terms are checked") {
  const Csr<double> csr(random_matrix(5, 4, 1.0, 1));
  CsrMatrix<double, std::int32_t> narrow = csr.view();
  narrow.n_columns = 3;
  const std::int64_t zero = 0;
  const double one = 1;
  double product = 0;
  CHECK_THROWS_AS(exact_products({KernelKind::rbf, 1, 0, 0}, narrow, {&zero, 1}, narrow, {&zero, 1},
                                 &one, 1, &product, 1),
                  std::invalid_argument);
}

TEST_CASE("infinite distances and huge powers are what they are") {
  const std::vector<double> far{1e200, 2e200};
  const DenseMatrix<double> X{far.data(), 2, 1};
  const std::int64_t both[] = {0, 1};
  const double ones[] = {1, 1};
  double sums[2];
  exact_products({KernelKind::rbf, 1, 0, 0}, X, {both, 2}, X, {both, 2}, ones, 1, sums, 1);
  CHECK(sums[0] == 1.0);
  CHECK(sums[1] == 1.0);
  exact_products({KernelKind::poly, 1, 0, 3}, X, {both, 2}, X, {both, 1}, ones, 1, sums, 1);
  CHECK(std::isinf(sums[0]));
}
