// Small problems as a whole: Cholesky factors, projections, exact ends and certificates.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "matrices.hpp"
#include "small_certificate.hpp"
#include "small_problems.hpp"

using namespace bandsvm;
using bandsvm_tests::random_matrix;

namespace {

// Z Z' / n, plus a multiple of the identity.
std::vector<double> gram(const bandsvm_tests::Matrix& Z, double ridge) {
  const std::size_t n = Z.n_rows;
  std::vector<double> K(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < Z.n_columns; ++k) K[i * n + j] += Z.row(i)[k] * Z.row(j)[k];
      K[i * n + j] = K[i * n + j] / double(n) + (i == j ? ridge : 0);
    }
  return K;
}

struct RandomBands {
  std::vector<double> lo, hi, below, above, ridge;

  RandomBands(std::size_t size, double cost, double ridge_of_all, int seed)
      : ridge(size, ridge_of_all) {
    std::mt19937 random{std::uint32_t(seed)};
    std::uniform_real_distribution<double> uniform(0.2, 1.0);
    for (std::size_t i = 0; i < size; ++i) {
      const bool is_positive = i % 2 == 0;
      lo.push_back(is_positive ? 1.0 : -1.5);
      hi.push_back(is_positive ? 1.5 : -1.0);
      below.push_back(cost * uniform(random));
      above.push_back(cost * uniform(random));
    }
  }
  Bands bands() const {
    return {lo.data(),    hi.data(),    below.data(), above.data(),
            ridge.data(), ridge.data(), lo.size()};
  }
};

SmallReport solve(const std::vector<double>& K, const RandomBands& edges, bool has_intercept,
                  std::vector<double>& c, std::vector<double>& f, StopSignal& stop,
                  double total = 0) {
  WholeMatrix kernel({K.data(), c.size()}, c.size());
  const SmallPoint point(kernel, edges.bands(), has_intercept, total, c.data(), f.data());
  return SmallSolver(point, 1e-3, 1000, stop).run();
}

bool never() { return false; }

}  // namespace

TEST_CASE("factors of matrices are those of the definition") {
  const auto& level = best_of_levels<FaceInstructions>();
  for (std::size_t size = 1; size < 70; ++size) {
    const auto K = gram(random_matrix(size, size + 3, 1.0, int(size)), 0.1);
    std::vector<double> L = K;
    REQUIRE(level.factorise(L.data(), size));
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j) {
        double product = 0;
        for (std::size_t k = 0; k <= std::min(i, j); ++k)
          product += L[i * size + k] * L[j * size + k];
        CHECK(product == doctest::Approx(K[i * size + j]).epsilon(1e-12));
        if (j > i) CHECK(L[i * size + j] == K[i * size + j]);  // what is above stays
      }
    std::vector<double> x(size), y(size);
    for (std::size_t i = 0; i < size; ++i) x[i] = double(i) - 3.5;
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j) y[i] += K[i * size + j] * x[j];
    level.solve(L.data(), size, y.data());
    for (std::size_t i = 0; i < size; ++i) CHECK(y[i] == doctest::Approx(x[i]).epsilon(1e-8));
  }
}

TEST_CASE("matrices that have no factor are refused") {
  const auto& level = best_of_levels<FaceInstructions>();
  for (std::size_t size : {1, 5, 8, 9, 30})
    for (double spoiled : {-1.0, 0.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
      auto K = gram(random_matrix(size, size + 3, 1.0, 1), 0.1);
      K[size * size - 1] = spoiled;
      CHECK_FALSE(level.factorise(K.data(), size));
    }
}

TEST_CASE("the largest value is found, and what is not finite") {
  const auto& level = best_of_levels<FaceInstructions>();
  for (std::size_t size = 1; size < 40; ++size)
    for (std::size_t where = 0; where < size; ++where) {
      std::vector<double> values(size, 0.5);
      values[where] = -3;
      CHECK(level.largest(values.data(), size) == 3);
      for (double spoiled : {std::nan(""), -std::numeric_limits<double>::infinity()}) {
        values[where] = spoiled;
        CHECK(std::isinf(level.largest(values.data(), size)));
      }
    }
}

TEST_CASE("projections lie in the box and have the sum") {
  std::mt19937 random{7};
  std::normal_distribution<double> normal;
  for (std::size_t size : {1, 2, 7, 40})
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::vector<double> point(size), lower(size), upper(size);
      double middle = 0;
      for (std::size_t k = 0; k < size; ++k) {
        point[k] = 10 * normal(random);
        lower[k] = -std::abs(normal(random));
        upper[k] = std::abs(normal(random));
        middle += 0.3 * lower[k] + 0.7 * upper[k];
      }
      for (double total : {middle, sum_of(lower), sum_of(upper)}) {
        const auto moved = BoxProjection(point, lower, upper).nearest_of_sum(total);
        CHECK(sum_of(moved) == doctest::Approx(total).epsilon(1e-12));
        for (std::size_t k = 0; k < size; ++k)
          CHECK((lower[k] <= moved[k] && moved[k] <= upper[k]));
      }
    }
  const std::vector<double> spoiled{std::nan(""), 1.0}, lower{0, 0}, upper{1, 1};
  CHECK(BoxProjection(spoiled, lower, upper).nearest_of_sum(0.5).size() == 2);  // it ends
}

TEST_CASE("kernel matrices of symmetric halves are whole") {
  for (std::size_t size : {1, 47, 48, 49, 130})
    for (auto storage : {bandsvm_tests::Storage::dense, bandsvm_tests::Storage::csr}) {
      const auto X = random_matrix(size, 6, 0.6, int(size));
      const auto samples = bandsvm_tests::packed<double>(X, storage, 1.0);
      const Kernel kernel{KernelKind::rbf, 0.5, 0, 3};
      std::vector<std::int64_t> indices(size);
      std::iota(indices.begin(), indices.end(), 0);
      const std::size_t stride = samples.stride();
      std::vector<double> half(size * stride), whole(size * stride);
      std::vector<double*> rows;
      for (std::size_t k = 0; k < size; ++k) rows.push_back(whole.data() + k * stride);
      compute_rows(samples, indices.data(), size, samples, indices.data(), kernel, rows.data(), 1);
      for (int n_threads : {1, 3}) {
        std::fill(half.begin(), half.end(), -1.0);
        compute_symmetric(samples, indices.data(), size, samples, kernel, half.data(), n_threads);
        for (std::size_t i = 0; i < size; ++i)
          for (std::size_t j = 0; j < size; ++j) {
            CHECK(half[i * stride + j] == doctest::Approx(whole[i * stride + j]).epsilon(1e-13));
            CHECK(half[i * stride + j] == half[j * stride + i]);
          }
      }
    }
}

TEST_CASE("samples in another precision are those packed in it") {
  const std::size_t size = 100;
  const Kernel kernel{KernelKind::rbf, 0.5, 0, 3};
  std::vector<std::int64_t> indices(size);
  std::iota(indices.begin(), indices.end(), 0);
  for (double density : {1.0, 0.1})  // sparse ones are stored as differences
    for (auto storage : {bandsvm_tests::Storage::dense, bandsvm_tests::Storage::csr}) {
      const auto X = random_matrix(size, 7, density, 3);
      const std::vector<double> origin(X.n_columns, 0.25);
      const auto expected = bandsvm_tests::packed<float>(X, storage, 0.7, origin);
      const auto found = bandsvm_tests::packed<double>(X, storage, 0.7, origin).rounded<float>();
      CHECK(found.is_sparse() == expected.is_sparse());
      CHECK(found.norms() == expected.norms());
      std::vector<float> values(size * found.stride()), others(values.size());
      compute_symmetric(found, indices.data(), size, found, kernel, values.data(), 1);
      compute_symmetric(expected, indices.data(), size, expected, kernel, others.data(), 1);
      CHECK(values == others);
    }
}

TEST_CASE("rows of a matrix are computed when they are needed") {
  const auto X = random_matrix(260, 5, 1.0, 3);
  const auto samples = bandsvm_tests::packed<double>(X, bandsvm_tests::Storage::dense, 1.0);
  const auto in_single = samples.rounded<float>();
  for (auto kind : {KernelKind::rbf, KernelKind::linear, KernelKind::poly})
    for (std::size_t step : {1, 2}) {  // all samples, and some of them
      const Kernel kernel{kind, 0.5, 1, 3};
      std::vector<std::int64_t> members;
      for (std::size_t i = 0; i < X.n_rows; i += step) members.push_back(std::int64_t(i));
      const std::size_t n = members.size();
      LargeBuffer<double> memory;
      const PackedKernelMatrix matrices{{samples, in_single}, kernel};
      const SquareMatrix<double> whole = matrices.whole(members.data(), n, memory, 1);
      for (std::size_t many : {n / 4, n - 1}) {
        ComputedMatrix matrix(matrices.packed, kernel, members.data(), n);
        std::vector<std::size_t> wanted;
        for (std::size_t k = 0; k < many; ++k) wanted.push_back(n - 1 - k);
        CHECK(matrix.row(5)[7] == doctest::Approx(whole.row(5)[7]).epsilon(1e-13));
        matrix.prepare(wanted);
        float largest = 0;
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j) {
            CHECK(matrix.row(i)[j] == doctest::Approx(whole.row(i)[j]).epsilon(1e-12));
            CHECK(double(matrix.single().row(i)[j]) ==
                  doctest::Approx(whole.row(i)[j]).epsilon(1e-4));
            largest = std::max(largest, std::abs(matrix.single().row(i)[j]));
          }
        CHECK(matrix.largest_in_single() >= largest * 0.9999f);
      }
    }
}

TEST_CASE("memory of large pages is used again, and some of it kept") {
#ifdef __linux__
  const void* before = nullptr;
  {
    LargeBuffer<double> buffer(300000);  // two pages
    before = buffer.data();
  }
  const LargeBuffer<double> again(300000);
  CHECK(again.data() == before);
#endif
  LargeBuffer<float> large(20000000);  // more than is kept
  large.back() = 1;
  for (std::size_t size : {std::size_t{1}, std::size_t{262143}, std::size_t{262144}}) {
    LargeBuffer<double> buffer(size);
    buffer.back() = 1;
    CHECK(buffer.size() == size);
  }
}

TEST_CASE("solutions are optimal to rounding error") {
  for (std::size_t size : {2, 9, 60, 200, 400})
    for (double cost : {0.1, 10.0, 1000.0})
      for (double ridge : {0.0, 0.3})
        for (bool has_intercept : {true, false}) {
          const auto K = gram(random_matrix(size, 5, 1.0, int(size)), 0.0);
          const RandomBands edges(size, cost, ridge, 3);
          std::vector<double> c(size), f(size);
          StopSignal stop(never);
          const SmallReport report = solve(K, edges, has_intercept, c, f, stop);
          CAPTURE(size);
          CAPTURE(cost);
          REQUIRE(report.is_solved);
          CHECK(report.violation <= 1e-9);
          double total = 0, scale = 0;
          for (std::size_t i = 0; i < size; ++i) {
            CHECK((-edges.above[i] <= c[i] && c[i] <= edges.below[i]));
            double exact = 0;
            for (std::size_t j = 0; j < size; ++j) exact += K[i * size + j] * c[j];
            CHECK(f[i] == doctest::Approx(exact).epsilon(1e-9));
            total += c[i];
            scale += std::abs(c[i]);
          }
          if (has_intercept) CHECK(std::abs(total) <= 1e-12 * scale);
        }
}

TEST_CASE("sums that are not 0 are kept, and counted in the primal") {
  for (std::size_t size : {1, 2, 9, 60, 200, 400})
    for (double nu : {0.02, 0.5, 0.77, 1.0}) {
      const auto K = gram(random_matrix(size, 5, 1.0, int(size)), 0.1);
      RandomBands edges(size, 1.0, 0.0, 3);
      std::fill(edges.lo.begin(), edges.lo.end(), 0.0);
      std::fill(edges.hi.begin(), edges.hi.end(), 0.0);
      std::fill(edges.above.begin(), edges.above.end(), 0.0);
      const double total = nu * sum_of(edges.below);
      std::vector<double> c(size), f(size);
      double missing = total;
      for (std::size_t i = 0; i < size; ++i) {
        c[i] = std::min(missing, edges.below[i]);
        missing -= c[i];
      }
      StopSignal stop(never);
      const SmallReport report = solve(K, edges, true, c, f, stop, total);
      CAPTURE(size);
      CAPTURE(nu);
      REQUIRE(report.is_solved);
      CHECK(report.violation <= 1e-10);
      CHECK(sum_of(c) == doctest::Approx(total).epsilon(1e-13));
      for (std::size_t i = 0; i < size; ++i) CHECK((0 <= c[i] && c[i] <= edges.below[i]));

      const JudgedPoint point{
          {edges.lo.data(), edges.hi.data(), edges.below.data(), edges.above.data(),
           edges.below.data(), edges.above.data(), size, false, total},
          c.data(),
          f.data()};
      const double b = choose_intercept(point);
      const Optimality found = optimality_of(point, b, nullptr, 0);
      double primal = total * b, dual = 0;
      for (std::size_t i = 0; i < size; ++i) {
        primal += 0.5 * c[i] * f[i] + edges.below[i] * std::max(-f[i] - b, 0.0);
        dual -= 0.5 * c[i] * f[i];
      }
      CHECK(found.primal == doctest::Approx(primal).epsilon(1e-12));
      CHECK(found.dual == doctest::Approx(dual).epsilon(1e-12));
      CHECK(found.primal == doctest::Approx(dual).epsilon(1e-10));
      CHECK(found.gap <= 1e-10);
      CHECK(std::abs(found.excess) <= 1e-12 * total);
      CHECK(found.interval.lower - found.interval.upper <= 1e-10);
    }
}

TEST_CASE("the interval of equal losses counts a sum that is not 0") {
  // Losses of 1 - b, 2 - b and 3 - b, and b or 2 b: flat between 2 and 3, and between 1 and 2.
  const std::vector<double> zeros(3), ones(3, 1.0), f{-1, -2, -3}, c(3);
  const auto flat = [&](double total, double b) {
    const JudgedPoint point{{zeros.data(), zeros.data(), ones.data(), zeros.data(), ones.data(),
                             zeros.data(), 3, false, total},
                            c.data(),
                            f.data()};
    return flat_interval(point, b, 1e-9);
  };
  for (double total : {1.0, 2.0}) {
    const Limits found = flat(total, 3.4 - total);
    CHECK(found.lower == doctest::Approx(3 - total));
    CHECK(found.upper == doctest::Approx(4 - total));
  }
  const Limits none = flat(1.5, 2.0);
  CHECK(none.lower == 2.0);
  CHECK(none.upper == 2.0);
}

TEST_CASE("what is not finite or extreme, and what must end, is left unsolved") {
  const std::size_t size = 20;
  auto K = gram(random_matrix(size, 5, 1.0, 1), 0.0);
  const RandomBands edges(size, 1.0, 0.0, 3);
  std::vector<double> c(size), f(size);
  StopSignal stop(never), stopped([] { return true; });
  CHECK(solve(K, edges, true, c, f, stop).is_solved);
  for (double spoiled : {std::nan(""), 1e150}) {
    auto wrong = K;
    wrong[3] = spoiled;
    CHECK_FALSE(solve(wrong, edges, true, c, f, stop).is_solved);
  }
  while (!stopped.is_set()) std::this_thread::yield();
  std::fill(c.begin(), c.end(), 0.0);
  CHECK_FALSE(solve(K, edges, true, c, f, stopped).is_solved);
}

TEST_CASE("many problems have the same solutions on any number of threads") {
  const auto X = random_matrix(400, 4, 1.0, 5);
  const auto samples = bandsvm_tests::packed<double>(X, bandsvm_tests::Storage::dense, 1.0);
  const auto in_single = samples.rounded<float>();
  const Kernel kernel{KernelKind::rbf, 0.5, 0, 3};
  std::vector<std::int64_t> starts{0}, members;
  for (std::size_t k = 0; k < 8; ++k) {  // from 300 samples on, in single precision first
    for (std::int64_t i = std::int64_t(k); i < 400; i += k % 2 ? 1 : 5) members.push_back(i);
    starts.push_back(std::int64_t(members.size()));
  }
  const RandomBands edges(members.size(), 1.0, 0.0, 3);
  const SmallProblems problems{starts.data(), 8,   members.data(), edges.bands(), true, 0, false,
                               1e-3,          1000};
  std::vector<std::vector<double>> found;
  for (int n_threads : {1, 2, 5}) {
    std::vector<double> c(members.size()), f(members.size());
    std::vector<SmallReport> reports(8);
    StopSignal stop(never);
    solve_small_problems(PackedKernelMatrix{{samples, in_single}, kernel}, problems, c.data(),
                         f.data(), reports.data(), n_threads, stop);
    for (const SmallReport& report : reports) CHECK(report.is_solved);
    found.push_back(c);
  }
  CHECK(found[0] == found[1]);
  CHECK(found[0] == found[2]);
}

TEST_CASE("certificates recompute decision values") {
  const std::size_t size = 30;
  const auto X = random_matrix(size, 4, 1.0, 5);
  const DenseMatrix<double> samples{X.values.data(), size, X.n_columns};
  const RandomBands edges(size, 1.0, 0.0, 3);
  std::vector<std::int64_t> starts{0, std::int64_t(size)}, members(size);
  std::iota(members.begin(), members.end(), 0);
  std::vector<double> c(size), f(size, 0.5), sizes(size, 1.0);
  c[0] = 0.1;
  c[1] = -0.1;
  const JudgedProblems problems{
      starts.data(),
      1,
      members.data(),
      {edges.lo.data(), edges.hi.data(), edges.below.data(), edges.above.data(), edges.below.data(),
       edges.above.data(), size, false},
      true,
      c.data()};
  const bool is_wanted[] = {true};
  const SpotCheckRules rules{1e-3, 128, 1000, 8, 2, 0.5, 2, 4, {0.5}};
  for (auto kind : {KernelKind::rbf, KernelKind::linear}) {
    const Kernel kernel{kind, 0.5, 0, 3};
    SmallCertificate found;
    std::fill(f.begin(), f.end(), 0.5);
    const std::vector<double> none(size);
    const ErrorEstimates estimates{sizes.data(), none.data(), 1e-16, 1e-9, 0.25};
    const DefinedValues<DenseMatrix<double>> values{samples, kernel};
    const SmallCertifier<decltype(values)> certifier(values, problems, estimates, rules);
    certify_small_problems(certifier, 1, is_wanted, is_wanted, f.data(), &found, 2);
    CHECK(found.n_checked == size);
    double drift = 0;
    for (std::size_t i = 0; i < size; ++i) {
      double exact = 0;
      for (std::size_t j : {0, 1}) {
        double value = 0;
        for (std::size_t k = 0; k < X.n_columns; ++k) {
          const double x = X.row(i)[k], z = X.row(j)[k];
          value += kind == KernelKind::rbf ? (x - z) * (x - z) : x * z;
        }
        exact += c[j] * (kind == KernelKind::rbf ? std::exp(-0.5 * value) : value);
      }
      CHECK(f[i] == doctest::Approx(exact).epsilon(1e-12));
      drift = std::max(drift, std::abs(exact - 0.5));
    }
    CHECK(found.drift == doctest::Approx(drift));
    CHECK(found.measured.gap >= 0);
    CHECK(found.measured.primal - found.measured.dual == doctest::Approx(found.measured.gap));
  }
}
