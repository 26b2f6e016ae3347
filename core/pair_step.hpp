// Steps along one or two dual variables of the band problem (docs/algorithms.md, sections 1 and 2).
// No Python, no allocation, no state: every solver of the core uses this header.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

namespace bandsvm {

// Band of one sample; its variable c lives in [-above, below] and has a kink at 0. Squared losses
// curve the dual by ridge_below where c > 0 and by ridge_above where c < 0; hinge losses do not.
struct Band {
  double lo, hi, below, above, ridge_below, ridge_above;
};

// The bands of some samples, in arrays that must outlive it.
struct Bands {
  const double *lo, *hi, *below, *above, *ridge_below, *ridge_above;
  std::size_t size;

  Band operator[](std::size_t i) const {
    return {lo[i], hi[i], below[i], above[i], ridge_below[i], ridge_above[i]};
  }
};

// The curvature at the start of a rise of c, and of a fall.
inline double right_ridge(const Band& band, double c) {
  return c >= 0 ? band.ridge_below : band.ridge_above;
}
inline double left_ridge(const Band& band, double c) {
  return c > 0 ? band.ridge_below : band.ridge_above;
}

inline double right_slope(const Band& band, double c) {
  return (c >= 0 ? band.lo : band.hi) - right_ridge(band, c) * c;
}
inline double left_slope(const Band& band, double c) {
  return (c > 0 ? band.lo : band.hi) - left_ridge(band, c) * c;
}

// Distance within a piece at which the gain falls to zero. A curvature of zero (duplicated
// rows) or below (indefinite kernels) never brings it there: the piece's end comes first.
inline double distance_to_zero_gain(double gain, double curvature) {
  return curvature > 0 ? gain / curvature : std::numeric_limits<double>::infinity();
}

// Raises c_i and lowers c_j by the same amount, as far as the dual grows. `difference` is
// f_i - f_j and `curvature` K_ii + K_jj - 2 K_ij; ridges come on top of it, piece by piece. Walks
// over at most three pieces, because each variable passes its kink at most once, and lands on kinks
// and bounds exactly.
inline void pair_step(const Band& band_i, double& c_i, const Band& band_j, double& c_j,
                      double difference, double curvature) {
  double walked = 0;
  for (int piece = 0; piece < 3; ++piece) {
    const double gain =
        right_slope(band_i, c_i) - left_slope(band_j, c_j) - difference - curvature * walked;
    if (!(gain > 0)) return;
    const double end_i = c_i < 0 ? 0.0 : band_i.below;
    const double end_j = c_j > 0 ? 0.0 : -band_j.above;
    const double room_i = end_i - c_i;
    const double room_j = c_j - end_j;
    const double room = std::min(room_i, room_j);
    const double step =
        distance_to_zero_gain(gain, curvature + right_ridge(band_i, c_i) + left_ridge(band_j, c_j));
    if (step < room) {
      c_i += step;
      c_j -= step;
      return;
    }
    c_i = room_i <= room ? end_i : c_i + room;
    c_j = room_j <= room ? end_j : c_j - room;
    walked += room;
  }
}

// Raises c as far as the dual grows: at most two pieces. `curvature` is K_ii.
inline void raise_step(const Band& band, double& c, double f, double curvature) {
  double walked = 0;
  for (int piece = 0; piece < 2; ++piece) {
    const double gain = right_slope(band, c) - f - curvature * walked;
    if (!(gain > 0)) return;
    const double end = c < 0 ? 0.0 : band.below;
    const double room = end - c;
    const double step = distance_to_zero_gain(gain, curvature + right_ridge(band, c));
    if (step < room) {
      c += step;
      return;
    }
    c = end;
    walked += room;
  }
}

// Without intercept a variable moves alone. Lowering c is raising -c in the mirrored band.
inline void single_step(const Band& band, double& c, double f, double curvature) {
  if (left_slope(band, c) < f) {
    double mirrored = -c;
    const Band mirror{-band.hi,   -band.lo,         band.above,
                      band.below, band.ridge_above, band.ridge_below};
    raise_step(mirror, mirrored, -f, curvature);
    c = mirrored == 0 ? 0.0 : -mirrored;
  } else {
    raise_step(band, c, f, curvature);
  }
}

}  // namespace bandsvm
