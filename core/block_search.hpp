// The passes over a block that every pair step takes, with vector instructions.
#pragma once

#include <limits>

#include "kernel_rows.hpp"
#include "vector.hpp"

namespace bandsvm {
namespace BANDSVM_LEVEL {
namespace {

// Selection needs a positive curvature; a pair of duplicates has none and is worth a long step.
// Share of the first variable's own curvature, so that units do not matter.
constexpr double kMinCurvature = 1e-12;

template <typename Real>
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

template <typename Real>
struct Found {
  Real value;
  std::size_t index;
};

// The largest of a sequence of values and its first position, per lane.
template <typename Real>
struct Largest {
  Vector<Real> value = -kInfinity<Real> - Vector<Real>{};
  Vector<Real> where{};

  void see(Vector<Real> values, Vector<Real> indices) {
    where = values > value ? indices : where;
    value = values > value ? values : value;
  }

  // Over all lanes; ties go to the first position.
  Found<Real> best() const { return best_of_lanes<kLanes<Real> / 2>(value, where); }

 private:
  // Compares halves of the lanes, then halves of these.
  template <std::size_t width>
  static Found<Real> best_of_lanes(Vector<Real> value, Vector<Real> where) {
    if constexpr (width == 0) {
      return {value[0], std::size_t(where[0])};
    } else {
      const Vector<Real> others = swapped<width, Real>(value);
      const Vector<Real> others_where = swapped<width, Real>(where);
      const auto is_better = (others > value) | ((others == value) & (others_where < where));
      return best_of_lanes<width / 2>(is_better ? others : value, is_better ? others_where : where);
    }
  }
};

template <typename Real>
inline Vector<Real> first_indices() {
  Vector<Real> index;
  for (int lane = 0; lane < kLanes<Real>; ++lane) index[lane] = Real(lane);
  return index;
}

// Adds `change` of each vector, or of a last value, to f, in one pass with the search for m and M.
template <typename Real, typename Change, typename LastChange>
inline Extremes<Real> change_and_find(const BlockSlopes<Real>& s, const Change& change,
                                      const LastChange& last_change) {
  constexpr std::size_t lanes = kLanes<Real>;
  const std::size_t whole = s.size / lanes * lanes;
  Largest<Real> rises, falls;
  Vector<Real> index = first_indices<Real>();
  for (std::size_t k = 0; k < whole; k += lanes, index += Real(lanes)) {
    const Vector<Real> f = load(s.f + k) + change(k);
    store(s.f + k, f);
    rises.see(load(s.rising + k) - f, index);
    falls.see(f - load(s.falling + k), index);
  }
  auto [rise, riser] = rises.best();
  auto [fall, faller] = falls.best();
  for (std::size_t k = whole; k < s.size; ++k) {
    s.f[k] += last_change(k);
    if (s.rising[k] - s.f[k] > rise) rise = s.rising[k] - s.f[k], riser = k;
    if (s.f[k] - s.falling[k] > fall) fall = s.f[k] - s.falling[k], faller = k;
  }
  return {rise, -fall, riser, faller};
}

template <typename Real>
Extremes<Real> move_and_find(const BlockSlopes<Real>& s, const Real* row_i, Real change_i,
                             const Real* row_j, Real change_j) {
  return change_and_find(
      s, [=](std::size_t k) { return change_i * load(row_i + k) + change_j * load(row_j + k); },
      [=](std::size_t k) { return change_i * row_i[k] + change_j * row_j[k]; });
}

template <typename Real>
Extremes<Real> turn_and_find(const BlockSlopes<Real>& s, Real* image, Real turn, const Real* row_i,
                             const Real* row_j, Real length) {
  return change_and_find(
      s,
      [=](std::size_t k) {
        const Vector<Real> turned = load(row_i + k) - load(row_j + k) - turn * load(image + k);
        store(image + k, turned);
        return length * turned;
      },
      [=](std::size_t k) {
        image[k] = row_i[k] - row_j[k] - turn * image[k];
        return length * image[k];
      });
}

// argmax of violation^2 / curvature (Fan, Chen and Lin 2005). Fractions are compared without
// division, which would take longer than everything else.
template <typename Real>
std::size_t best_partner(const BlockSlopes<Real>& s, const Real* row_i, Real curvature_i,
                         Real rise) {
  constexpr std::size_t lanes = kLanes<Real>;
  const Real smallest = larger(Real(kMinCurvature) * curvature_i, std::numeric_limits<Real>::min());
  const std::size_t whole = s.size / lanes * lanes;
  const Vector<Real> zero{}, floor = smallest - Vector<Real>{};
  Vector<Real> squares = zero, curvatures = Real(1) - Vector<Real>{}, where{};
  Vector<Real> index = first_indices<Real>();
  for (std::size_t k = 0; k < whole; k += lanes, index += Real(lanes)) {
    Vector<Real> violation = rise - (load(s.falling + k) - load(s.f + k));
    violation = violation > zero ? violation : zero;
    Vector<Real> curvature = (load(s.curvatures + k) + curvature_i) - Real(2) * load(row_i + k);
    curvature = curvature > floor ? curvature : floor;
    const Vector<Real> square = violation * violation;
    const auto is_better = square * curvatures > squares * curvature;
    where = is_better ? index : where;
    squares = is_better ? square : squares;
    curvatures = is_better ? curvature : curvatures;
  }
  Real best_gain = 0;
  std::size_t partner = s.size;
  const auto consider = [&](Real gain, std::size_t k) {
    if (gain > best_gain || (gain == best_gain && gain > 0 && k < partner))
      best_gain = gain, partner = k;
  };
  const auto [gain, first] = Largest<Real>{squares / curvatures, where}.best();
  consider(gain, first);
  for (std::size_t k = whole; k < s.size; ++k) {
    const Real violation = larger(rise - (s.falling[k] - s.f[k]), Real(0));
    const Real curvature = larger(s.curvatures[k] + curvature_i - 2 * row_i[k], smallest);
    consider(violation * violation / curvature, k);
  }
  return partner;
}

}  // namespace
}  // namespace BANDSVM_LEVEL
}  // namespace bandsvm
