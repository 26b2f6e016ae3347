// Pair steps, blocks of them and the selection of blocks, against brute force.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "block_solver.hpp"
#include "matrices.hpp"
#include "selection.hpp"

using namespace bandsvm;

namespace {

struct Problem {
  std::size_t size;
  std::vector<double> K, lo, hi, below, above, ridge_below, ridge_above;

  Bands bands() const {
    return {lo.data(),          hi.data(),          below.data(), above.data(),
            ridge_below.data(), ridge_above.data(), size};
  }
  Band band(std::size_t i) const { return bands()[i]; }

  // sum_i h_i(c_i) - c'Kc / 2
  double dual(const std::vector<double>& c) const {
    double value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const double ridge = c[i] > 0 ? ridge_below[i] : ridge_above[i];
      value += c[i] * ((c[i] > 0 ? lo[i] : hi[i]) - ridge * c[i] / 2);
      for (std::size_t j = 0; j < size; ++j) value -= c[i] * c[j] * K[i * size + j] / 2;
    }
    return value;
  }

  std::vector<double> gradient(const std::vector<double>& c) const {
    std::vector<double> f(size);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j) f[i] += K[i * size + j] * c[j];
    return f;
  }

  bool is_inside(const std::vector<double>& c) const {
    for (std::size_t i = 0; i < size; ++i)
      if (c[i] < -above[i] || c[i] > below[i]) return false;
    return true;
  }
};

Problem random_problem(std::size_t size, int seed, double ridge) {
  const auto Z = bandsvm_tests::random_matrix(size, size + 2, 1.0, seed);
  std::mt19937 random{std::uint32_t(seed)};
  std::uniform_real_distribution<double> uniform(0.3, 2.0);
  Problem p{size, std::vector<double>(size * size), {}, {}, {}, {}, {}, {}};
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j)
      for (std::size_t k = 0; k < Z.n_columns; ++k)
        p.K[i * size + j] += Z.row(i)[k] * Z.row(j)[k] / double(size);
    const bool is_positive = i % 2 == 0;
    p.lo.push_back(is_positive ? 1.0 : -1.5);
    p.hi.push_back(is_positive ? 1.5 : -1.0);
    p.below.push_back(uniform(random));
    p.above.push_back(uniform(random));
    p.ridge_below.push_back(ridge);
    p.ridge_above.push_back(2 * ridge);
  }
  return p;
}

template <typename Real>
BlockReport solve(const Problem& p, std::vector<double>& c, double tol, bool has_intercept) {
  const std::vector<Real> kernel(p.K.begin(), p.K.end());
  const std::vector<double> f = p.gradient(c);
  return solve_block(Block<Real>{kernel.data(), p.size, p.bands(), c.data(), f.data()}, tol, 100000,
                     has_intercept);
}

}  // namespace

TEST_CASE("pair steps stay in the box, keep the sum and gain all there is") {
  std::mt19937 random{7};
  for (int seed = 0; seed < 300; ++seed) {
    const Problem p = random_problem(2, seed, seed % 3 == 0 ? 0.5 : 0.0);
    std::vector<double> c(2);
    for (std::size_t i = 0; i < 2; ++i)
      c[i] = seed % 4 == 0
                 ? 0.0
                 : std::uniform_real_distribution<double>(-p.above[i], p.below[i])(random);
    const double curvature = seed % 5 == 0 ? 0.0 : p.K[0] + p.K[3] - 2 * p.K[1];
    Problem flat = p;
    if (seed % 5 == 0) flat.K.assign(4, 0.0);
    const std::vector<double> f = flat.gradient(c);
    std::vector<double> moved = c;
    pair_step(p.band(0), moved[0], p.band(1), moved[1], f[0] - f[1], curvature);
    CHECK(p.is_inside(moved));
    CHECK(moved[0] + moved[1] == doctest::Approx(c[0] + c[1]).epsilon(1e-12));
    CHECK(moved[0] >= c[0]);
    double best = flat.dual(c);
    for (int k = 0; k <= 4000; ++k) {
      const double step = k / 1000.0;
      const std::vector<double> other{c[0] + step, c[1] - step};
      if (p.is_inside(other)) best = std::max(best, flat.dual(other));
    }
    CHECK(flat.dual(moved) >= best - 1e-12);
  }
}

TEST_CASE("single steps gain all there is") {
  for (int seed = 0; seed < 100; ++seed) {
    const Problem p = random_problem(1, seed, seed % 2 ? 0.3 : 0.0);
    for (double start : {-p.above[0], 0.0, p.below[0], 0.2}) {
      double c = start;
      single_step(p.band(0), c, p.K[0] * start, p.K[0]);
      CHECK(p.is_inside({c}));
      double best = p.dual({start});
      for (int k = 0; k <= 4000; ++k) {
        const double other = -p.above[0] + (p.below[0] + p.above[0]) * k / 4000.0;
        best = std::max(best, p.dual({other}));
      }
      CHECK(p.dual({c}) >= best - 1e-12);
    }
  }
}

TEST_CASE_TEMPLATE("blocks of three equal a search over all of them", Real, float, double) {
  for (int seed = 0; seed < 10; ++seed) {
    const Problem p = random_problem(3, seed, seed % 2 ? 0.4 : 0.0);
    std::vector<double> c(3);
    const double tol = sizeof(Real) == 4 ? 1e-4 : 1e-10;
    const BlockReport report = solve<Real>(p, c, tol, true);
    CHECK(report.violation <= tol);
    CHECK(p.is_inside(c));
    CHECK(std::abs(c[0] + c[1] + c[2]) < 1e-12);
    double best = 0;
    for (int i = 0; i <= 300; ++i)
      for (int j = 0; j <= 300; ++j) {
        const double a = -p.above[0] + (p.below[0] + p.above[0]) * i / 300;
        const double b = -p.above[1] + (p.below[1] + p.above[1]) * j / 300;
        const std::vector<double> other{a, b, -a - b};
        if (p.is_inside(other)) best = std::max(best, p.dual(other));
      }
    CHECK(p.dual(c) >= best - 1e-3 * tol - 1e-9);
  }
}

TEST_CASE_TEMPLATE("blocks end where no pair, or variable, violates", Real, float, double) {
  const double tol = sizeof(Real) == 4 ? 1e-3 : 1e-9;
  for (std::size_t size : {1, 2, 17, 130})
    for (bool has_intercept : {true, false})
      for (double ridge : {0.0, 0.3}) {
        const Problem p = random_problem(size, int(size), ridge);
        std::vector<double> c(size);
        const BlockReport report = solve<Real>(p, c, tol, has_intercept);
        CHECK(!report.stalled);
        CHECK(p.is_inside(c));
        const std::vector<double> f = p.gradient(c);
        double rise = -1e300, fall = 1e300, sum = 0;
        for (std::size_t i = 0; i < size; ++i) {
          if (c[i] < p.below[i]) rise = std::max(rise, right_slope(p.band(i), c[i]) - f[i]);
          if (c[i] > -p.above[i]) fall = std::min(fall, left_slope(p.band(i), c[i]) - f[i]);
          sum += c[i];
        }
        if (has_intercept) CHECK(std::abs(sum) < 1e-10);
        CHECK((has_intercept ? rise - fall : std::max(rise, -fall)) <= 2 * tol);
      }
}

TEST_CASE("selection finds the worst violators") {
  const std::size_t size = 9001;
  const auto random = bandsvm_tests::random_matrix(2, size, 1.0, 11);
  std::vector<double> lo(size), hi(size), below(size, 1.0), above(size, 0.5), c(size), f(size);
  for (std::size_t i = 0; i < size; ++i) {
    lo[i] = i % 2 ? 1.0 : -1.5;
    hi[i] = lo[i] + 0.5;
    f[i] = random.row(0)[i];
    c[i] = i % 7 == 0 ? 1.0 : i % 7 == 1 ? -0.5 : i % 7 < 4 ? 0.0 : 0.1 * random.row(1)[i];
    c[i] = std::clamp(c[i], -0.5, 1.0);
  }
  std::vector<double> rises(size, -1e300), falls(size, 1e300);
  for (std::size_t i = 0; i < size; ++i) {
    if (c[i] < below[i]) rises[i] = (c[i] >= 0 ? lo[i] : hi[i]) - f[i];
    if (c[i] > -above[i]) falls[i] = (c[i] > 0 ? lo[i] : hi[i]) - f[i];
  }
  const double m = *std::max_element(rises.begin(), rises.end());
  const double M = *std::min_element(falls.begin(), falls.end());
  const std::vector<std::int64_t> kept{std::max_element(rises.begin(), rises.end()) -
                                       rises.begin()};
  const std::vector<double> none(size);
  const Bands bands{lo.data(),   hi.data(),   below.data(), above.data(),
                    none.data(), none.data(), size};
  SelectionMemory memory;
  for (int n_threads : {1, 4}) {
    const Selection found =
        select_variables({bands, c.data(), f.data(), true}, kept.data(), 1, 40, n_threads, memory);
    CHECK(found.violation == m - M);
    REQUIRE(found.variables.size() == 40);
    std::vector<double> sorted = rises;
    std::sort(sorted.begin(), sorted.end(), std::greater<double>());
    for (std::size_t k = 0; k < 20; ++k) {
      const double rise = rises[std::size_t(found.variables[k])];
      CHECK(rise >= sorted[20]);  // the largest is kept anyway
      CHECK(rise < m);
    }
    std::vector<std::int64_t> unique = found.variables;
    std::sort(unique.begin(), unique.end());
    CHECK(std::unique(unique.begin(), unique.end()) == unique.end());
  }
}

TEST_CASE("the largest values, of equal ones the first") {
  std::mt19937 random{5};
  std::normal_distribution<double> normal;
  for (std::size_t size : {1, 7, 3000, 9000})
    for (double steps : {0.0, 3.0, 1000.0}) {  // values on a grid have many ties
      std::vector<double> values(size);
      for (double& value : values) {
        value = normal(random);
        if (steps > 0) value = std::round(value * steps) / steps;
      }
      const double top = *std::max_element(values.begin(), values.end());
      for (double above : {-10.0, 0.0, top})
        for (std::size_t count : {0, 1, 2, 5, 20, 500, 2500, 10000}) {
          CAPTURE(size);
          CAPTURE(steps);
          CAPTURE(above);
          CAPTURE(count);
          std::vector<std::int64_t> expected;
          for (std::size_t i = 0; i < size; ++i)
            if (values[i] > above) expected.push_back(std::int64_t(i));
          std::stable_sort(expected.begin(), expected.end(), [&](std::int64_t i, std::int64_t j) {
            return values[std::size_t(i)] > values[std::size_t(j)];
          });
          expected.resize(std::min(expected.size(), count));
          std::sort(expected.begin(), expected.end());
          for (int n_threads : {1, 4}) {
            std::vector<std::int64_t> found;
            Chosen chosen;
            append_largest(values, count, above, top, n_threads, chosen, found);
            CHECK(found == expected);
          }
        }
    }
}

TEST_CASE("variables in play, and the dual, are those of loops over all samples") {
  std::mt19937 random{9};
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  for (std::size_t size : {50, 7000})
    for (bool has_intercept : {true, false}) {
      std::vector<double> lo(size), hi(size), below(size), above(size), c(size), f(size);
      for (std::size_t i = 0; i < size; ++i) {
        lo[i] = normal(random);
        hi[i] = lo[i] + uniform(random);
        below[i] = uniform(random);
        above[i] = uniform(random);
        const double values[] = {0, below[i], -above[i], below[i] / 2};
        c[i] = values[random() % 4];
        f[i] = normal(random);
      }
      std::vector<double> rises, falls;
      double dual = 0;
      for (std::size_t i = 0; i < size; ++i) {
        rises.push_back(c[i] < below[i] ? (c[i] >= 0 ? lo[i] : hi[i]) - f[i] : -1e300);
        falls.push_back(c[i] > -above[i] ? (c[i] > 0 ? lo[i] : hi[i]) - f[i] : 1e300);
        dual += c[i] * ((c[i] > 0 ? lo[i] : hi[i]) - f[i] / 2);
      }
      double m = *std::max_element(rises.begin(), rises.end());
      double M = *std::min_element(falls.begin(), falls.end());
      const double violation = has_intercept ? m - M : std::max({m, -M, 0.0});
      if (!has_intercept) m = M = 0;
      std::vector<std::int64_t> expected;
      for (std::size_t i = 0; i < size; ++i)
        if (rises[i] > M - 0.3 * violation || falls[i] < m + 0.3 * violation)
          expected.push_back(std::int64_t(i));
      const std::vector<double> none(size);
      const Bands bands{lo.data(),   hi.data(),   below.data(), above.data(),
                        none.data(), none.data(), size};
      const Point point{bands, c.data(), f.data(), has_intercept};
      SelectionMemory memory;
      for (int n_threads : {1, 4}) {
        const Selection found = variables_in_play(point, 0.3, n_threads, memory);
        CHECK(found.violation == doctest::Approx(violation));
        CHECK(found.variables == expected);
        CHECK(dual_value(bands, c.data(), f.data(), n_threads) == doctest::Approx(dual));
      }
    }
}
