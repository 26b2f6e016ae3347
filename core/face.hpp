// Steps on a face of a small problem: all free variables move together. The same steps as those of
// bandsvm._solvers.face, where their reasons are given.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "large_memory.hpp"
#include "levels.hpp"
#include "piecewise.hpp"
#include "small_point.hpp"

namespace bandsvm {

constexpr int kRefinements = 2;
constexpr int kMaxStepsOnFace = 100;
constexpr double kMaxWorkOfClimb = 4e9;
constexpr double kDampingGrowth = 100, kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kMinDamping = std::numeric_limits<double>::min() / kEpsilon;
constexpr double kSufficientShare = 0.25, kMaxStep = 100;
constexpr int kTriedShares = 8;

// Free variables: a block of K with ridges on its diagonal, the dual's gradient, and the pieces in
// which they lie. With an intercept the gradient is centred.
struct Face {
  const double* kernel;  // row-major
  std::vector<double> gradient, c, lower, upper;
  bool has_intercept;

  std::size_t size() const { return c.size(); }
  const double* row(std::size_t k) const { return kernel + k * size(); }

  // K times a vector.
  std::vector<double> times(const std::vector<double>& factors) const {
    std::vector<double> product(size());
    std::vector<const double*> rows(size());
    for (std::size_t k = 0; k < size(); ++k) rows[k] = row(k);
    best_instructions<double>().update(rows.data(), factors.data(), size(), product.data(), 0,
                                       size());
    return product;
  }
};

inline double dot_of(const std::vector<double>& a, const std::vector<double>& b) {
  double total = 0;
  for (std::size_t k = 0; k < a.size(); ++k) total += a[k] * b[k];
  return total;
}

inline double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (double value : values) largest = std::fmax(largest, std::abs(value));
  return largest;
}

inline void centre(std::vector<double>& values) {
  const double mean = sum_of(values) / double(values.size());
  for (double& value : values) value -= mean;
}

// The damped curvature of a face, factorised: as long as the face stays the same, its directions
// share the factor.
class FaceFactor {
 public:
  explicit FaceFactor(const Face& face) : size_(face.size()), has_intercept_(face.has_intercept) {
    measure(face);
    factor_.resize(size_ * size_);
    const double largest = fill(face);
    double trace = raise_ * double(size_);
    for (std::size_t i = 0; i < size_; ++i) trace += centred(face, i, i);
    double damping = std::max(kEpsilon * std::max(std::abs(trace), largest), kMinDamping);
    const double most = std::max(kDampingGrowth * double(size_) * largest, kMinDamping);
    for (bool is_filled = true; damping <= most && std::isfinite(most); is_filled = false) {
      if (!is_filled) fill(face);
      for (std::size_t i = 0; i < size_; ++i) factor_[i * size_ + i] += damping;
      if (best_of_levels<FaceInstructions>().factorise(factor_.data(), size_)) return;
      damping *= kDampingGrowth;
    }
    factor_.clear();
  }

  // argmax g'd - d'(K + delta I)d / 2, within sum d = 0 if there is an intercept; zero if K is not
  // finite.
  std::vector<double> direction(std::vector<double> gradient) const {
    if (factor_.empty()) return std::vector<double>(size_);
    best_of_levels<FaceInstructions>().solve(factor_.data(), size_, gradient.data());
    if (has_intercept_) centre(gradient);
    return gradient;
  }

 private:
  // With sum d = 0 only the centred kernel matters. It maps the all-ones direction to zero, so that
  // direction gets a curvature, `raise_`; d has no part in it, since the gradient is centred.
  void measure(const Face& face) {
    means_.assign(size_, 0);
    if (!has_intercept_) return;
    const std::vector<double> shares(size_, 1 / double(size_));
    means_ = face.times(shares);
    mean_ = sum_of(means_) / double(size_);
    double trace = 0;
    for (std::size_t i = 0; i < size_; ++i) trace += centred(face, i, i);
    raise_ = std::abs(trace) / (double(size_) * double(size_));
  }

  double centred(const Face& face, std::size_t i, std::size_t j) const {
    return face.row(i)[j] + ((mean_ - means_[i]) - means_[j]);
  }

  // Writes the lower triangle; returns its largest value.
  double fill(const Face& face) {
    double largest = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      const double* const from = face.row(i);
      double* const to = factor_.data() + i * size_;
      const double shift = (mean_ - means_[i]) + raise_;
      for (std::size_t j = 0; j <= i; ++j) to[j] = from[j] + (shift - means_[j]);
      largest = std::max(largest, best_of_levels<FaceInstructions>().largest(to, i + 1));
    }
    return largest;
  }

  std::size_t size_;
  bool has_intercept_;
  std::vector<double> means_;
  double mean_ = 0, raise_ = 0;
  LargeBuffer<double> factor_;
};

// Shares of a direction to try, from the widest piece and the largest variable.
inline std::vector<double> step_shares(double width, double size) {
  std::vector<double> shares;
  shares.reserve(2 * kTriedShares);
  for (int k = 0; k < kTriedShares; ++k)
    shares.push_back(std::fmin(1, kMaxStep * width) * std::ldexp(1.0, -k));
  // If boxes are much wider than any variable needs, all of the first shares may be too long.
  if (kMaxStep * size < shares.back())
    for (int k = 0; k < kTriedShares; k += 2)
      shares.push_back(kMaxStep * size * std::ldexp(1.0, -k));
  return shares;
}

// The point reached along a direction; empty if it does not lead up.
inline std::vector<double> ascend(const Face& face, const std::vector<double>& direction) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::size_t n = face.size();
  const double reach = largest_of(direction), total = sum_of(face.c);
  if (!(reach > 0) || !std::isfinite(sum_of(direction))) return {};
  double width = 0;
  for (std::size_t k = 0; k < n; ++k) width = std::fmax(width, face.upper[k] - face.lower[k]);
  // On the path bent at the ends of the pieces, many variables can land at once.
  std::vector<double> end(n), step(n);
  for (double share : step_shares(width / reach, largest_of(face.c) / reach)) {
    bool is_outside = false;
    for (std::size_t k = 0; k < n; ++k) {
      end[k] = face.c[k] + share * direction[k];
      is_outside |= end[k] < face.lower[k] || end[k] > face.upper[k];
    }
    if (is_outside) {
      BoxProjection projection(end, face.lower, face.upper);
      std::vector<double> moved = face.has_intercept ? std::move(projection).nearest_of_sum(total)
                                                     : std::move(projection).nearest();
      end = std::move(moved);
    }
    for (std::size_t k = 0; k < n; ++k) step[k] = end[k] - face.c[k];
    const double ascent = dot_of(face.gradient, step);
    if (ascent > 0 && ascent - 0.5 * dot_of(step, face.times(step)) >= kSufficientShare * ascent)
      return end;
  }
  // Otherwise go straight, to the maximum or until the first variable lands.
  const double ascent = dot_of(face.gradient, direction);
  const double curvature = dot_of(direction, face.times(direction));
  if (!(ascent > 0)) return {};
  double length = curvature > 0 ? ascent / curvature : infinity;
  std::vector<double> room(n, infinity), moved(n);
  for (std::size_t k = 0; k < n; ++k) {
    const double end = direction[k] > 0 ? face.upper[k] : face.lower[k];
    if (direction[k] != 0) room[k] = (end - face.c[k]) / direction[k];
    length = std::fmin(length, room[k]);
  }
  if (!std::isfinite(length)) return {};
  for (std::size_t k = 0; k < n; ++k) {
    const double end = direction[k] > 0 ? face.upper[k] : face.lower[k];
    moved[k] = room[k] <= length
                   ? end
                   : within(face.c[k] + length * direction[k], face.lower[k], face.upper[k]);
  }
  return moved;
}

// Maximises the dual over the face of a point.
class FaceClimb {
 public:
  explicit FaceClimb(SmallPoint& point) : point_(point), free_(point.free()) {
    const std::size_t n = free_.size();
    kernel_.resize(n * n);
    point.kernel.prepare(free_);
    for (std::vector<double>* values : {&c_, &gradient_, &lower_, &upper_}) values->reserve(n);
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = free_[k];
      const double* const row = point.kernel.row(i);
      const Band band = point.bands[i];
      const double c = point.c[i], ridge = c > 0 ? band.ridge_below : band.ridge_above;
      const double slope = c > 0 ? band.lo : band.hi;
      for (std::size_t q = 0; q < n; ++q) kernel_[k * n + q] = row[free_[q]];
      kernel_[k * n + k] += ridge;
      c_.push_back(c);
      gradient_.push_back(slope - (point.f[i] + ridge * c));
      lower_.push_back(c > 0 ? 0 : -band.above);
      upper_.push_back(c > 0 ? band.below : 0);
      flat_ = std::fmax(flat_, kEpsilon * std::abs(slope));
    }
  }

  // Returns the number of multiplications; `has_moved` says whether anything did. Variables that
  // reach the end of their piece stay there, and the climb continues with the rest.
  double run(bool& has_moved) {
    has_moved = false;
    const std::size_t n = free_.size();
    if (n == 0) return 0;
    const double cube = double(n) * double(n) * double(n);
    const int affordable = std::max(kRefinements, int(std::min(1e3, kMaxWorkOfClimb / cube)));
    std::vector<std::size_t> active(n);
    for (std::size_t k = 0; k < n; ++k) active[k] = k;
    Face face = face_of(active);
    std::vector<FaceFactor> factor;  // of the face, once it is known
    double work = 0;
    int refinements = 0;
    for (int step = 0; step < std::min(kMaxStepsOnFace, affordable); ++step) {
      if (active.empty() || refinements == kRefinements) break;
      for (std::size_t k = 0; k < active.size(); ++k) face.gradient[k] = gradient_[active[k]];
      // With sum d = 0 the mean has no effect, but multiplied by a sum of 1e-17 it could.
      if (point_.has_intercept) centre(face.gradient);
      if (!(largest_of(face.gradient) > flat_)) break;
      const double m = double(active.size());
      work += m * m * (kTriedShares + (factor.empty() ? m / 3 : 0));
      if (factor.empty()) factor.emplace_back(face);
      const std::vector<double> moved = ascend(face, factor[0].direction(face.gradient));
      if (moved.empty()) break;
      advance(active, moved);
      std::vector<std::size_t> inside;
      inside.reserve(active.size());
      for (std::size_t k = 0; k < active.size(); ++k) {
        face.c[k] = moved[k];
        if (face.lower[k] < moved[k] && moved[k] < face.upper[k]) inside.push_back(active[k]);
      }
      if (inside.size() == active.size()) {
        ++refinements;
      } else {
        active = std::move(inside);
        face = face_of(active);
        factor.clear();
      }
    }
    for (std::size_t k = 0; k < n; ++k) has_moved |= c_[k] != point_.c[free_[k]];
    point_.move(free_, c_);
    return work;
  }

 private:
  Face face_of(const std::vector<std::size_t>& active) {
    const std::size_t m = active.size(), n = free_.size();
    Face face{kernel_.data(), std::vector<double>(m), {}, {}, {}, point_.has_intercept};
    if (m < n) {
      part_.resize(m * m);
      for (std::size_t k = 0; k < m; ++k)
        for (std::size_t q = 0; q < m; ++q) part_[k * m + q] = kernel_[active[k] * n + active[q]];
      face.kernel = part_.data();
    }
    for (std::vector<double>* values : {&face.c, &face.lower, &face.upper}) values->reserve(m);
    for (std::size_t k = 0; k < m; ++k) {
      face.c.push_back(c_[active[k]]);
      face.lower.push_back(lower_[active[k]]);
      face.upper.push_back(upper_[active[k]]);
    }
    return face;
  }

  void advance(const std::vector<std::size_t>& active, const std::vector<double>& moved) {
    const std::size_t n = free_.size();
    std::vector<const double*> rows;
    std::vector<double> changes;
    rows.reserve(active.size());
    changes.reserve(active.size());
    for (std::size_t k = 0; k < active.size(); ++k) {
      rows.push_back(kernel_.data() + active[k] * n);
      changes.push_back(c_[active[k]] - moved[k]);
      c_[active[k]] = moved[k];
    }
    best_instructions<double>().update(rows.data(), changes.data(), rows.size(), gradient_.data(),
                                       0, n);
  }

  SmallPoint& point_;
  const std::vector<std::size_t> free_;
  LargeBuffer<double> kernel_, part_;  // blocks of all free variables, and of those that still move
  std::vector<double> gradient_, c_, lower_, upper_;
  double flat_ = 0;  // slopes of this size are only rounding errors of the decision values
};

}  // namespace bandsvm
