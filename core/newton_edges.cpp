// Elementwise work of a Newton step, and tiles of X'DX; compiled once per instruction set.
#include "newton_edges.hpp"

#include "vector.hpp"

namespace bandsvm {
namespace BANDSVM_LEVEL {
namespace {

// The four values of an edge, of a point or of a step.
struct Parts {
  const double *p, *s, *u, *xi;

  Parts(const double* all, std::size_t size)
      : p(all), s(all + size), u(all + 2 * size), xi(all + 3 * size) {}
};

// 1 for an edge, 0 where there is none.
inline double presence(double cost) { return cost > 0 ? 1.0 : 0.0; }

// xi = ridge p with the squared hinge.
inline double ridge(double cost) { return cost > 0 ? 0.5 / cost : 0.0; }

inline double side_sign(std::size_t side) { return side == 0 ? 1.0 : -1.0; }

// Calls work(sample, edge, sign of its margin) for the edges of samples [first, last), side by
// side. No call may depend on another one of the same side.
template <typename Work>
inline void for_edges(const Edges& edges, std::size_t first, std::size_t last, const Work& work) {
  for (std::size_t side = 0; side < edges.n_sides; ++side) {
    const std::size_t shift = side * edges.n_samples;
    const double turned = side_sign(side);
#pragma GCC ivdep
    for (std::size_t i = first; i < last; ++i) work(i, shift + i, turned * edges.signs[i]);
  }
}

template <bool kSquared>
void linearise(const Edges& edges, const NewtonPoint& point, const NewLine& line,
               double* __restrict D, std::size_t first, std::size_t last) {
  const Parts at(point.at, edges.size());
  for (std::size_t i = first; i < last; ++i) D[i] = 0;
  for_edges(edges, first, last, [&](std::size_t i, std::size_t e, double sign) {
    const double p = at.p[e], s = at.s[e], xi = at.xi[e];
    const double rate = kSquared ? ridge(edges.costs[e]) : xi / at.u[e];
    const double stiff = s + p * rate;
    const double flexible = presence(edges.costs[e]) * p / stiff;
    line.stiffness[e] = stiff;
    line.flexibility[e] = flexible;
    line.residual[e] = sign * point.g[i] - edges.values[e] + xi - s;
    D[i] += flexible;
  });
}

// How much a product should change: back to between `low` and `high`, but not down by more than
// that.
inline double nearer(double product, double low, double high) {
  const double raised = product < low ? low : product;
  const double change = (raised > high ? high : raised) - product;
  return change < -high ? -high : change;
}

template <bool kSquared, Goal kGoal>
void begin(const Edges& edges, const NewtonPoint& point, const NewtonLine& line,
           const NewtonAim& to, double* __restrict dp, double* __restrict aim, std::size_t first,
           std::size_t last) {
  const std::size_t size = edges.size();
  const Parts at(point.at, size);
  const Parts step(kGoal == Goal::zero ? point.at : to.step, size);
  const double low = to.least * to.target, high = to.most * to.target;
  for (std::size_t i = first; i < last; ++i) aim[i] = 0;
  for_edges(edges, first, last, [&](std::size_t i, std::size_t e, double sign) {
    const double p = at.p[e], s = at.s[e], u = at.u[e], xi = at.xi[e];
    double of_edge = 0, of_slack = 0;
    if constexpr (kGoal == Goal::target) {
      of_edge = to.target - step.p[e] * step.s[e];
      of_slack = to.target - step.u[e] * step.xi[e];
    }
    if constexpr (kGoal == Goal::centred) {
      const double t = to.trial;
      of_edge = to.earlier[e] + nearer((p + t * step.p[e]) * (s + t * step.s[e]), low, high);
      of_slack =
          to.earlier[size + e] + nearer((u + t * step.u[e]) * (xi + t * step.xi[e]), low, high);
    }
    if constexpr (kGoal != Goal::zero) {
      to.products[e] = of_edge;
      to.products[size + e] = of_slack;
    }
    const double is_there = presence(edges.costs[e]);
    const double slack = kSquared ? ridge(edges.costs[e]) * p : of_slack / u;
    const double begun =
        is_there * (of_edge - p * (s + (slack - xi) + line.residual[e])) / line.stiffness[e];
    dp[e] = begun;
    aim[i] += sign * (is_there * p + begun);
  });
}

void turn(const Edges& edges, const NewtonPoint& point, const NewtonLine& line,
          const double* __restrict dp, const double* __restrict dg, double* __restrict aim,
          std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) aim[i] = 0;
  for_edges(edges, first, last, [&](std::size_t i, std::size_t e, double sign) {
    aim[i] += sign *
              (presence(edges.costs[e]) * point.at[e] + dp[e] - line.flexibility[e] * sign * dg[i]);
  });
}

using Doubles = Vector<double>;
constexpr std::size_t kWidth = kLanes<double>;

// A vector, or a single value.
template <typename Values>
inline Values read(const double* from) {
  Values values;
  std::memcpy(&values, from, sizeof values);
  return values;
}

template <typename Values>
struct StepTotals {
  Values linear{}, quadratic{}, steepest{};

  static Values more(Values a, Values b) { return a > b ? a : b; }
  void note(Values share) { steepest = more(share, steepest); }

  template <bool kSquared>
  void add(const Parts& at, const Parts& step, std::size_t e) {
    const Values p = read<Values>(at.p + e), s = read<Values>(at.s + e);
    const Values dp = read<Values>(step.p + e), ds = read<Values>(step.s + e);
    linear += s * dp + p * ds;
    quadratic += dp * ds;
    note(more(-dp * s, -ds * p) / (p * s));  // divisions take long
    if constexpr (!kSquared) {
      const Values u = read<Values>(at.u + e), xi = read<Values>(at.xi + e);
      const Values dxi = read<Values>(step.xi + e);
      linear += u * dxi - xi * dp;
      quadratic -= dp * dxi;
      note(more(dp * xi, -dxi * u) / (u * xi));
    }
  }
};

template <bool kSquared>
StepSums complete(const Edges& edges, const NewtonPoint& point, const NewtonLine& line,
                  const double* products, const double* __restrict dp_begun,
                  const double* __restrict dg, double* __restrict to, std::size_t first,
                  std::size_t last) {
  const std::size_t size = edges.size();
  const Parts at(point.at, size), step(to, size);
  // Products are zero if there are none. Compilers would make masked loads from a null pointer of a
  // condition, which processors allow and some emulators do not.
  const double counted = products ? 1.0 : 0.0;
  const double* const goal = products ? products + size : at.xi;
  for_edges(edges, first, last, [&](std::size_t i, std::size_t e, double sign) {
    const double is_there = presence(edges.costs[e]);
    const double dv = sign * dg[i];
    const double dp = dp_begun[e] - line.flexibility[e] * dv;
    const double xi = at.xi[e], of_slack = counted * goal[e];
    const double dxi = is_there * (kSquared ? ridge(edges.costs[e]) * (at.p[e] + dp) - xi
                                            : (xi * dp + of_slack) / at.u[e] - xi);
    to[e] = dp;
    to[size + e] = is_there * (dv + dxi + line.residual[e]);
    to[2 * size + e] = -dp;
    to[3 * size + e] = dxi;
  });
  StepTotals<Doubles> vectors;
  StepTotals<double> rest;
  for (std::size_t shift = 0; shift < size; shift += edges.n_samples) {
    std::size_t e = shift + first;
    for (; e + kWidth <= shift + last; e += kWidth) vectors.template add<kSquared>(at, step, e);
    for (; e < shift + last; ++e) rest.template add<kSquared>(at, step, e);
  }
  for (std::size_t lane = 0; lane < kWidth; ++lane) rest.note(vectors.steepest[lane]);
  return {rest.steepest, rest.linear + sum_of_lanes<double>(vectors.linear),
          rest.quadratic + sum_of_lanes<double>(vectors.quadratic)};
}

template <bool kSquared>
PointSums move(const Edges& edges, const NewtonPoint& point, const double* __restrict step,
               const double* __restrict dg, double length, double* __restrict to,
               double* __restrict g, std::size_t first, std::size_t last) {
  const std::size_t size = edges.size();
  for (std::size_t i = first; i < last; ++i) g[i] = point.g[i] + length * dg[i];
  double products = 0, loss = 0;
  for (std::size_t side = 0; side < edges.n_sides; ++side) {
    const std::size_t shift = side * edges.n_samples;
    const double turned = side_sign(side);
    for (std::size_t part = 0; part < 4; ++part) {
      const std::size_t from = part * size + shift;
#pragma GCC ivdep
      for (std::size_t i = first; i < last; ++i)
        to[from + i] = point.at[from + i] + length * step[from + i];
    }
    const Parts now(to, size);
    // Four sums, so that none waits for its own last addition.
    double some_products[4] = {}, some_loss[4] = {};
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t e = shift + i;
      const double margin = turned * edges.signs[i] * g[i] - edges.values[e];
      const double outside = margin < 0 ? -margin : 0.0;
      const double of_slack = kSquared ? 0.0 : now.u[e] * now.xi[e];
      some_products[i % 4] += presence(edges.costs[e]) * (now.p[e] * now.s[e] + of_slack);
      some_loss[i % 4] += edges.costs[e] * (kSquared ? outside * outside : outside);
    }
    for (double some : some_products) products += some;
    for (double some : some_loss) loss += some;
  }
  return {products, loss};
}

// Vectors of a row of sums that stay in registers, for four rows of it.
constexpr std::size_t kSumRows = 4, kSumVectors = kVectorBytes < 64 ? 2 : 5;

template <std::size_t kRows, std::size_t kVectors>
inline void add_block(const double* tile, std::size_t n_rows, std::size_t width, std::size_t top,
                      std::size_t left, double* sums) {
  Doubles totals[kRows][kVectors];
  for (std::size_t j = 0; j < kRows; ++j)
    for (std::size_t v = 0; v < kVectors; ++v)
      totals[j][v] = load(sums + (top + j) * width + left + v * kWidth);
  for (std::size_t r = 0; r < n_rows; ++r) {
    const double* const row = tile + r * width;
    Doubles values[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) values[v] = load(row + left + v * kWidth);
    for (std::size_t j = 0; j < kRows; ++j)
      for (std::size_t v = 0; v < kVectors; ++v) totals[j][v] += row[top + j] * values[v];
  }
  for (std::size_t j = 0; j < kRows; ++j)
    for (std::size_t v = 0; v < kVectors; ++v)
      store(sums + (top + j) * width + left + v * kWidth, totals[j][v]);
}

// As many vectors at a time as there are registers for, then the rest.
template <std::size_t kRows, std::size_t kVectors>
void add_rows_of_sums(const double* tile, std::size_t n_rows, std::size_t width, std::size_t top,
                      std::size_t left, double* sums) {
  for (; left + kVectors * kWidth <= width; left += kVectors * kWidth)
    add_block<kRows, kVectors>(tile, n_rows, width, top, left, sums);
  if constexpr (kVectors > 1)
    add_rows_of_sums<kRows, kVectors - 1>(tile, n_rows, width, top, left, sums);
}

void add_products(const double* tile, std::size_t n_rows, std::size_t width, double* sums) {
  std::size_t top = 0;
  for (; top + kSumRows <= width; top += kSumRows)
    add_rows_of_sums<kSumRows, kSumVectors>(tile, n_rows, width, top, top / kWidth * kWidth, sums);
  for (; top < width; ++top)
    add_rows_of_sums<1, kSumVectors>(tile, n_rows, width, top, top / kWidth * kWidth, sums);
}

// The function for the loss of the edges.
template <auto kOfSquares, auto kOfHinges, typename Result, typename... Others>
Result of_loss(const Edges& edges, Others... others) {
  return (edges.is_squared ? kOfSquares : kOfHinges)(edges, others...);
}

template <bool kSquared>
void begin_any(const Edges& edges, const NewtonPoint& point, const NewtonLine& line,
               const NewtonAim& to, double* dp, double* aim, std::size_t first, std::size_t last) {
  switch (to.goal) {
    case Goal::zero:
      return begin<kSquared, Goal::zero>(edges, point, line, to, dp, aim, first, last);
    case Goal::target:
      return begin<kSquared, Goal::target>(edges, point, line, to, dp, aim, first, last);
    case Goal::centred:
      return begin<kSquared, Goal::centred>(edges, point, line, to, dp, aim, first, last);
  }
}

}  // namespace

void get(NewtonInstructions& offered) {
  offered = {BANDSVM_NAME(BANDSVM_LEVEL),
             of_loss<linearise<true>, linearise<false>>,
             of_loss<begin_any<true>, begin_any<false>>,
             turn,
             of_loss<complete<true>, complete<false>>,
             of_loss<move<true>, move<false>>,
             kWidth,
             add_products};
}

}  // namespace BANDSVM_LEVEL
}  // namespace bandsvm
