// Newton steps of linear models: the equations that they solve, and the same bits for all threads.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "matrices.hpp"
#include "newton.hpp"

using bandsvm_tests::Matrix;
using bandsvm_tests::random_matrix;

namespace {

std::vector<double> positive(std::size_t size, double phase) {
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = 1.1 + std::sin(phase + double(7 * i));
  return values;
}

// A point with bands of one or two edges, some without cost, and room for a step.
struct Problem {
  std::size_t n, n_sides;
  bool is_squared;
  std::vector<double> signs, values, costs, at, g, line, D, products, dp, aim, dg, step;

  Problem(std::size_t n_samples, std::size_t sides, bool squared)
      : n(n_samples),
        n_sides(sides),
        is_squared(squared),
        signs(n),
        values(n * sides),
        costs(positive(n * sides, 1)),
        at(positive(4 * n * sides, 2)),
        g(n),
        line(3 * n * sides),
        D(n),
        products(2 * n * sides),
        dp(n * sides),
        aim(n),
        dg(n),
        step(4 * n * sides) {
    for (std::size_t i = 0; i < n; ++i) {
      signs[i] = i % 3 == 0 ? 1 : -1;
      g[i] = std::cos(double(i));
      dg[i] = std::cos(double(5 * i));
    }
    for (std::size_t e = 0; e < values.size(); ++e) values[e] = std::sin(double(2 * e));
    if (sides == 2)
      for (std::size_t i = 0; i < n; i += 4) costs[n + i] = 0;
  }

  bandsvm::Edges edges() const {
    return {n, n_sides, signs.data(), values.data(), costs.data(), is_squared};
  }
  bandsvm::NewtonPoint point() const { return {at.data(), g.data()}; }
  template <typename Line = bandsvm::NewtonLine>
  Line lines() {
    const std::size_t size = n * n_sides;
    return {line.data(), line.data() + size, line.data() + 2 * size};
  }
  void linearise(int n_threads) {
    bandsvm::linearise(edges(), point(), lines<bandsvm::NewLine>(), D.data(), n_threads);
  }

  // One step; the products that it aims at are what `goal` makes of the last one.
  bandsvm::StepSums take(bandsvm::Goal goal, int n_threads) {
    const std::vector<double> last = step, earlier = products;
    const bandsvm::NewtonAim to{goal,           0.7, 0.2, 0.3, 10, last.data(), earlier.data(),
                                products.data()};
    bandsvm::begin_step(edges(), point(), lines(), to, dp.data(), aim.data(), n_threads);
    return bandsvm::complete_step(edges(), point(), lines(),
                                  goal == bandsvm::Goal::zero ? nullptr : products.data(),
                                  dp.data(), dg.data(), step.data(), n_threads);
  }
};

// What is left of the equations of a step at one edge.
double largest_error(const Problem& problem, bool has_goal) {
  const std::size_t size = problem.n * problem.n_sides;
  double largest = 0;
  for (std::size_t e = 0; e < size; ++e) {
    const double *at = problem.at.data() + e, *step = problem.step.data() + e;
    const double p = at[0], s = at[size], u = at[2 * size], xi = at[3 * size];
    const double dp = step[0], ds = step[size], du = step[2 * size], dxi = step[3 * size];
    if (problem.costs[e] == 0) {
      largest = std::max({largest, std::abs(dp), std::abs(ds), std::abs(du), std::abs(dxi)});
      continue;
    }
    const std::size_t i = e % problem.n;
    const double sign = (e < problem.n ? 1 : -1) * problem.signs[i];
    const double margin = sign * problem.g[i] - problem.values[e];
    const double of_edge = has_goal ? problem.products[e] : 0;
    const double of_slack = has_goal ? problem.products[size + e] : 0;
    const double errors[] = {s * dp + p * ds - (of_edge - s * p),
                             s + ds - (margin + sign * problem.dg[i] + xi + dxi),
                             problem.is_squared ? xi + dxi - (p + dp) * 0.5 / problem.costs[e]
                                                : u * dxi + xi * du - (of_slack - u * xi),
                             problem.is_squared ? 0 : du + dp};
    for (double error : errors) largest = std::max(largest, std::abs(error));
  }
  return largest;
}

}  // namespace

TEST_CASE("a step solves the equations of every edge") {
  for (bool is_squared : {false, true})
    for (std::size_t n_sides : {std::size_t(1), std::size_t(2)})
      for (std::size_t n : {std::size_t(1), std::size_t(13), std::size_t(2500)}) {
        Problem problem(n, n_sides, is_squared);
        problem.linearise(1);
        for (bandsvm::Goal goal :
             {bandsvm::Goal::zero, bandsvm::Goal::target, bandsvm::Goal::centred}) {
          const bandsvm::StepSums sums = problem.take(goal, 1);
          CHECK(largest_error(problem, goal != bandsvm::Goal::zero) < 1e-9);
          std::vector<double> at(problem.at.size()), g(n);
          const double none =
              bandsvm::move_point(problem.edges(), problem.point(), problem.step.data(),
                                  problem.dg.data(), 0, at.data(), g.data(), 1)
                  .products;
          const double some =
              bandsvm::move_point(problem.edges(), problem.point(), problem.step.data(),
                                  problem.dg.data(), 0.25, at.data(), g.data(), 1)
                  .products;
          CHECK(some - none ==
                doctest::Approx(0.25 * (sums.linear + 0.25 * sums.quadratic)).epsilon(1e-9));
          double steepest = 0;
          for (std::size_t k = 0; k < at.size(); ++k)
            if (!is_squared || k < at.size() / 2)
              steepest = std::max(steepest, -problem.step[k] / problem.at[k]);
          CHECK(sums.steepest == doctest::Approx(steepest).epsilon(1e-12));
        }
      }
}

TEST_CASE("steps and matrices are the same bits for any number of threads") {
  const std::size_t n = 50'000, d = 7;
  Problem one(n, 2, false), three(n, 2, false);
  one.linearise(1);
  three.linearise(3);
  const bandsvm::StepSums a = one.take(bandsvm::Goal::zero, 1);
  const bandsvm::StepSums b = three.take(bandsvm::Goal::zero, 3);
  CHECK(one.step == three.step);
  CHECK(a.steepest == b.steepest);
  CHECK(a.linear == b.linear);
  CHECK(a.quadratic == b.quadratic);
  const Matrix X = random_matrix(n, d, 1.0, 3);
  const bandsvm::DenseRows<double> rows{X.values.data(), n, d};
  std::vector<double> first(d * d), second(d * d);
  bandsvm::add_gram(rows, 0, n, one.D.data(), nullptr, first.data(), 1);
  bandsvm::add_gram(rows, 0, n, one.D.data(), nullptr, second.data(), 3);
  CHECK(first == second);
}

TEST_CASE("matrices of tiles are those of double loops") {
  for (std::size_t d : {std::size_t(1), std::size_t(8), std::size_t(23), std::size_t(70)}) {
    const std::size_t n = 300, first = 17;
    const Matrix X = random_matrix(n, d, 1.0, int(d));
    const bandsvm::DenseRows<double> rows{X.values.data(), n, d};
    std::vector<double> factors = positive(n - first, 4), centre = positive(d, 5), gram(d * d, 1.0);
    factors[2] = 0;
    bandsvm::add_gram(rows, first, n, factors.data(), centre.data(), gram.data(), 2);
    for (std::size_t j = 0; j < d; ++j)
      for (std::size_t k = j; k < d; ++k) {
        double expected = 1.0;
        for (std::size_t i = first; i < n; ++i)
          expected += factors[i - first] * (X.row(i)[j] - centre[j]) * (X.row(i)[k] - centre[k]);
        CHECK(gram[j * d + k] == doctest::Approx(expected).epsilon(1e-10));
      }
  }
}
