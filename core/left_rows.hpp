// Rows prepared for products with all samples: groups of rows, interleaved by feature.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel_rows.hpp"
#include "samples.hpp"

namespace bandsvm {

// Reads rows of left in the coordinates of right: its numbering of features and its origin.
template <typename Real>
class RowReader {
 public:
  RowReader(const Samples<Real>& left, const Samples<Real>& right)
      : left_(left), right_(right), is_shifted_(left.origin != right.origin) {
    if (!left.is_sparse || is_shifted_ || left.features == right.features) return;
    is_renumbered_ = true;
    for (std::size_t place = 0; place < left.n_places(); ++place)
      place_in_right_.push_back(right.place_of_column(left.column(place)));
  }

  // Calls entry(place, value) for values of row i; others are zero. Returns its norm, to which
  // features that right lacks belong too.
  template <typename Entry>
  Real read(std::size_t i, const Entry& entry) const {
    if (is_shifted_) return read_shifted(i, entry);
    if (left_.is_sparse) {
      for (std::int64_t at = left_.starts[i]; at < left_.starts[i + 1]; ++at) {
        const std::int32_t column = left_.columns[at];
        const std::int64_t place = is_renumbered_ ? place_in_right_[column] : column;
        if (place >= 0) entry(std::size_t(place), left_.values[at]);
      }
    } else if (right_.features) {
      for (std::size_t place = 0; place < right_.n_places(); ++place)
        entry(place, left_.value(i, std::size_t(right_.column(place))));
    } else {
      left_.each_value(i, entry);
    }
    return left_.norms[i];
  }

 private:
  // Only samples that were dense have an origin, so one side has all features in memory.
  template <typename Entry>
  Real read_shifted(std::size_t i, const Entry& entry) const {
    std::vector<Real> row(right_.n_features);
    left_.each_value(i, [&](std::size_t k, Real value) { row[k] = value; });
    double norm = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const Real value = row[k] + (left_.origin_of(k) - right_.origin_of(k));
      norm += double(value) * double(value);
      const std::int64_t place = right_.place_of_column(std::int64_t(k));
      if (place >= 0) entry(std::size_t(place), value);
    }
    return Real(norm / 2);
  }

  const Samples<Real>& left_;
  const Samples<Real>& right_;
  bool is_shifted_, is_renumbered_ = false;
  std::vector<std::int64_t> place_in_right_;
};

// The layout of rows for products with some samples.
struct RowLayout {
  std::size_t group;  // rows in a group
  bool is_spread;     // for sparse samples: over all features
  std::size_t group_bytes;
};

template <typename Real>
class LeftRows {
 public:
  LeftRows(const RowReader<Real>& reader, const std::int64_t* indices, std::size_t number,
           const Samples<Real>& right, const RowLayout& layout, int n_threads)
      : n_rows(number), layout_(layout), n_places_(right.n_places()) {
    const std::size_t n_groups = (n_rows + layout.group - 1) / layout.group;
    norms.resize(n_groups * layout.group);
    groups_.resize(n_groups);
    if (layout.is_spread) spread_.resize(n_groups * n_places_ * layout.group);
    if (!right.is_sparse) offsets_.resize(n_groups * n_places_ + kAhead);
    if (!layout.is_spread) compact_.resize(n_groups);
    in_parallel(n_groups, n_threads, [&](std::size_t first, std::size_t last) {
      std::vector<std::int32_t> place_of(layout.is_spread ? 0 : n_places_);
      for (std::size_t g = first; g < last; ++g) {
        if (layout.is_spread)
          spread(reader, indices, g);
        else
          gather(reader, indices, g, place_of);
        if (!right.is_sparse) drop_zeros(g);
      }
    });
  }

  RowsView<Real> view() const {
    return {n_rows, layout_.group, layout_.is_spread, groups_.data(), norms.data()};
  }

  std::size_t n_rows;
  std::vector<Real> norms;  // of whole groups

 private:
  struct Compact {
    std::vector<Real> values;
    std::vector<std::int32_t> features;
  };

  template <typename Entry>
  void read_group(const RowReader<Real>& reader, const std::int64_t* indices, std::size_t g,
                  const Entry& entry) {
    const std::size_t group = layout_.group;
    for (std::size_t r = g * group; r < std::min((g + 1) * group, n_rows); ++r)
      norms[r] = reader.read(std::size_t(indices[r]), [&](std::size_t place, Real value) {
        entry(r % group, place, value);
      });
  }

  void spread(const RowReader<Real>& reader, const std::int64_t* indices, std::size_t g) {
    Real* const values = spread_.data() + g * n_places_ * layout_.group;
    read_group(reader, indices, g, [&](std::size_t r, std::size_t place, Real value) {
      values[place * layout_.group + r] = value;
    });
    groups_[g] = {values, nullptr, 0, nullptr, 0};
  }

  // `place_of` has a zero for each feature, before and after.
  void gather(const RowReader<Real>& reader, const std::int64_t* indices, std::size_t g,
              std::vector<std::int32_t>& place_of) {
    Compact& compact = compact_[g];
    compact.values.resize(layout_.group);
    read_group(reader, indices, g, [&](std::size_t r, std::size_t place, Real value) {
      if (value == Real(0)) return;
      if (place_of[place] == 0) {
        compact.features.push_back(std::int32_t(place));
        place_of[place] = std::int32_t(compact.features.size());
        compact.values.resize(compact.values.size() + layout_.group);
      }
      compact.values[std::size_t(place_of[place]) * layout_.group + r] = value;
    });
    for (std::int32_t feature : compact.features) place_of[std::size_t(feature)] = 0;
    groups_[g] = {compact.values.data(), nullptr, 0, compact.features.data(),
                  compact.features.size()};
  }

  void drop_zeros(std::size_t g) {
    const std::size_t group = layout_.group;
    Real* kept = spread_.data() + g * n_places_ * group;
    const Real* from = kept;
    std::size_t* const offsets = offsets_.data() + g * n_places_;
    std::size_t n_offsets = 0;
    for (std::size_t k = 0; k < n_places_; ++k, from += group) {
      bool any = false;
      for (std::size_t r = 0; r < group; ++r) any |= from[r] != Real(0);
      if (!any) continue;
      if (kept != from) std::copy(from, from + group, kept);
      kept += group;
      offsets[n_offsets++] = k * kPanel<Real>;
    }
    groups_[g].offsets = offsets;
    groups_[g].n_offsets = n_offsets;
  }

  RowLayout layout_;
  std::size_t n_places_;
  std::vector<Real> spread_;  // groups with values of all features, one after the other
  std::vector<std::size_t> offsets_;
  std::vector<Compact> compact_;
  std::vector<RowGroup<Real>> groups_;
};

}  // namespace bandsvm
