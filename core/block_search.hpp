// The two passes over a block that every pair step takes, with vector instructions.
#pragma once

#include <limits>

#include "kernel_rows.hpp"
#include "vector.hpp"

namespace bandsvm {
namespace BANDSVM_LEVEL {

// Selection needs a positive curvature; a pair of duplicates has none and is worth a long step.
constexpr double kSmallestCurvature = 1e-12;

template <typename Real>
inline Real largest_lane(Vector<Real> v) {
  Real best = v[0];
  for (int lane = 1; lane < kLanes<Real>; ++lane) best = v[lane] > best ? v[lane] : best;
  return best;
}

// Branch-free maxima first; where they are is found by a second, short scan.
template <typename Real>
Extremes<Real> move_and_find(const BlockSlopes<Real>& s, const Real* row_i, Real change_i,
                             const Real* row_j, Real change_j) {
  constexpr Real infinity = std::numeric_limits<Real>::infinity();
  constexpr std::size_t lanes = kLanes<Real>;
  const std::size_t whole = s.size / lanes * lanes;
  Vector<Real> rises = -infinity - Vector<Real>{}, falls = -infinity - Vector<Real>{};
  for (std::size_t k = 0; k < whole; k += lanes) {
    const Vector<Real> f =
        load(s.f + k) + (change_i * load(row_i + k) + change_j * load(row_j + k));
    store(s.f + k, f);
    const Vector<Real> rise = load(s.rising + k) - f, fall = f - load(s.falling + k);
    rises = rise > rises ? rise : rises;
    falls = fall > falls ? fall : falls;
  }
  Real rise = largest_lane<Real>(rises), fall = largest_lane<Real>(falls);
  for (std::size_t k = whole; k < s.size; ++k) {
    s.f[k] += change_i * row_i[k] + change_j * row_j[k];
    rise = std::max(rise, s.rising[k] - s.f[k]);
    fall = std::max(fall, s.f[k] - s.falling[k]);
  }
  Extremes<Real> found{rise, -fall, 0, 0};
  for (std::size_t k = 0; k < s.size; ++k)
    if (s.rising[k] - s.f[k] == rise) {
      found.riser = k;
      break;
    }
  for (std::size_t k = 0; k < s.size; ++k)
    if (s.f[k] - s.falling[k] == fall) {
      found.faller = k;
      break;
    }
  return found;
}

// argmax of violation^2 / curvature (Fan, Chen and Lin 2005).
template <typename Real>
std::size_t best_partner(const BlockSlopes<Real>& s, const Real* row_i, Real k_ii, Real rise) {
  constexpr std::size_t lanes = kLanes<Real>;
  const Real smallest = Real(kSmallestCurvature);
  const std::size_t whole = s.size / lanes * lanes;
  const Vector<Real> zero{}, floor = smallest - Vector<Real>{};
  Vector<Real> best = zero, where = Real(-1) - Vector<Real>{}, index;
  for (std::size_t lane = 0; lane < lanes; ++lane) index[lane] = Real(lane);
  for (std::size_t k = 0; k < whole; k += lanes) {
    Vector<Real> violation = rise - (load(s.falling + k) - load(s.f + k));
    violation = violation > zero ? violation : zero;
    Vector<Real> curvature = (load(s.diagonal + k) + k_ii) - Real(2) * load(row_i + k);
    curvature = curvature > floor ? curvature : floor;
    const Vector<Real> gain = violation * violation / curvature;
    where = gain > best ? index : where;
    best = gain > best ? gain : best;
    index += Real(lanes);
  }
  Real best_gain = 0;
  std::size_t partner = s.size;
  for (std::size_t lane = 0; lane < lanes; ++lane)
    if (best[lane] > best_gain) best_gain = best[lane], partner = std::size_t(where[lane]);
  for (std::size_t k = whole; k < s.size; ++k) {
    const Real violation = std::max(rise - (s.falling[k] - s.f[k]), Real(0));
    const Real curvature = std::max(s.diagonal[k] + k_ii - 2 * row_i[k], smallest);
    const Real gain = violation * violation / curvature;
    if (gain > best_gain) best_gain = gain, partner = k;
  }
  return partner;
}

}  // namespace BANDSVM_LEVEL
}  // namespace bandsvm
