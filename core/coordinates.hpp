// The coordinates in which packed samples are written: which features they number, and what they
// are measured from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "columns.hpp"

namespace bandsvm {

template <typename Real>
class Coordinates {
 public:
  // All features, measured from an origin, in units of the values: scale * origin.
  Coordinates(std::size_t n_features, const double* origin, double scale)
      : n_features_(n_features) {
    if (std::any_of(origin, origin + n_features, [](double value) { return value != 0; }))
      for (std::size_t k = 0; k < n_features; ++k) origin_.push_back(Real(scale * origin[k]));
  }

  // Some of the features, in order, measured from zero.
  Coordinates(std::size_t n_features, std::vector<std::int64_t> in_use)
      : n_features_(n_features),
        in_use_(std::make_shared<const std::vector<std::int64_t>>(std::move(in_use))) {}

  // The same in another precision.
  template <typename Other>
  Coordinates<Other> rounded() const {
    Coordinates<Other> others(n_features_, in_use_);
    others.origin_.assign(origin_.begin(), origin_.end());
    return others;
  }

  std::size_t n_features() const { return n_features_; }
  bool has_all() const { return !in_use_; }
  // Number of features, as far as they are in use.
  std::size_t n_places() const { return has_all() ? n_features_ : in_use_->size(); }
  // Features that are listed one by one.
  std::size_t n_listed() const { return has_all() ? 0 : in_use_->size(); }
  // The column of X at this position among the features.
  std::int64_t column(std::size_t place) const {
    return has_all() ? std::int64_t(place) : (*in_use_)[place];
  }
  // The inverse; -1 for columns that are not in use.
  std::int64_t place_of_column(std::int64_t column) const {
    if (has_all()) return column;
    const auto found = std::lower_bound(in_use_->begin(), in_use_->end(), column);
    const bool is_there = found != in_use_->end() && *found == column;
    return is_there ? found - in_use_->begin() : -1;
  }
  Real origin_of(std::size_t column) const { return origin_.empty() ? Real(0) : origin_[column]; }

  // Whether both number features alike: as copies of each other, or because they have all.
  bool numbers_like(const Coordinates& other) const { return in_use_ == other.in_use_; }
  bool has_origin_of(const Coordinates& other) const { return origin_ == other.origin_; }

 private:
  template <typename Other>
  friend class Coordinates;

  Coordinates(std::size_t n_features, std::shared_ptr<const std::vector<std::int64_t>> in_use)
      : n_features_(n_features), in_use_(std::move(in_use)) {}

  std::size_t n_features_;
  std::shared_ptr<const std::vector<std::int64_t>> in_use_;  // none: all
  std::vector<Real> origin_;                                 // empty: zero
};

}  // namespace bandsvm
