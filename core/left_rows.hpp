// Rows prepared for products with all samples: groups of rows, interleaved by feature.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernel_rows.hpp"
#include "samples.hpp"

namespace bandsvm {

// Reads rows of left in other coordinates, those of right.
template <typename Real>
class RowReader {
 public:
  RowReader(const Samples<Real>& left, const Coordinates<Real>& right)
      : left_(left), right_(right), is_shifted_(!left.coordinates().has_origin_of(right)) {
    const Coordinates<Real>& own = left.coordinates();
    if (!left.is_sparse() || is_shifted_ || own.numbers_like(right)) return;
    is_renumbered_ = true;
    for (std::size_t place = 0; place < own.n_places(); ++place)
      place_in_right_.push_back(right.place_of_column(own.column(place)));
  }

  std::size_t n_places() const { return right_.n_places(); }

  // Calls entry(place, value) for values of row i; others are zero. Returns its norm, to which
  // features that right lacks belong too.
  template <typename Entry>
  Real read(std::size_t i, const Entry& entry) const {
    if (is_shifted_) return read_shifted(i, entry);
    if (left_.is_sparse()) {
      const CsrStorage<Real>& rows = left_.csr();
      for (std::int64_t at = rows.starts[i]; at < rows.starts[i + 1]; ++at) {
        const std::int32_t column = rows.columns[at];
        const std::int64_t place = is_renumbered_ ? place_in_right_[column] : column;
        if (place >= 0) entry(std::size_t(place), rows.values[at]);
      }
    } else if (right_.has_all()) {
      left_.each_value(i, entry);
    } else {
      left_.with_dense_row(i, [&](const auto& value) {
        for (std::size_t place = 0; place < n_places(); ++place)
          entry(place, value(std::size_t(right_.column(place))));
      });
    }
    return left_.norms()[i];
  }

 private:
  // Only samples that were dense have an origin, so one side has all features in memory.
  template <typename Entry>
  Real read_shifted(std::size_t i, const Entry& entry) const {
    std::vector<Real> row(right_.n_features());
    left_.each_value(i, [&](std::size_t k, Real value) { row[k] = value; });
    double norm = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const Real value = row[k] + (left_.coordinates().origin_of(k) - right_.origin_of(k));
      norm += double(value) * double(value);
      const std::int64_t place = right_.place_of_column(std::int64_t(k));
      if (place >= 0) entry(std::size_t(place), value);
    }
    return Real(norm / 2);
  }

  const Samples<Real>& left_;
  const Coordinates<Real>& right_;
  bool is_shifted_, is_renumbered_ = false;
  std::vector<std::int64_t> place_in_right_;
};

// Some rows of a reader, in groups.
template <typename Real>
class GroupedRows {
 public:
  GroupedRows(const RowReader<Real>& reader, const std::int64_t* indices, std::size_t n_rows,
              std::size_t group)
      : reader_(reader),
        indices_(indices),
        n_rows_(n_rows),
        group_(group),
        norms_((n_rows + group - 1) / group * group) {}

  std::size_t n_rows() const { return n_rows_; }
  std::size_t group() const { return group_; }
  std::size_t n_groups() const { return norms_.size() / group_; }
  std::size_t n_places() const { return reader_.n_places(); }
  const std::vector<Real>& norms() const { return norms_; }  // of whole groups

  // Calls entry(row in the group, place, value) for the values of group g.
  template <typename Entry>
  void read(std::size_t g, const Entry& entry) {
    for (std::size_t r = g * group_; r < std::min((g + 1) * group_, n_rows_); ++r)
      norms_[r] = reader_.read(std::size_t(indices_[r]), [&](std::size_t place, Real value) {
        entry(r % group_, place, value);
      });
  }

  // Writes group g with values of all features; `values` are zero before.
  void spread(std::size_t g, Real* values) {
    read(g,
         [&](std::size_t r, std::size_t place, Real value) { values[place * group_ + r] = value; });
  }

 private:
  const RowReader<Real>& reader_;
  const std::int64_t* indices_;
  std::size_t n_rows_, group_;
  std::vector<Real> norms_;
};

// Rows for products with samples in panels: features in which no row of a group has a value are
// left out.
template <typename Real>
class LeftOfPanels {
 public:
  struct Layout {
    std::size_t group, group_bytes;
  };
  struct Lookup {};  // they need none

  LeftOfPanels(const RowReader<Real>& reader, const std::int64_t* indices, std::size_t n_rows,
               const Layout& layout, int n_threads)
      : rows_(reader, indices, n_rows, layout.group),
        values_(rows_.norms().size() * rows_.n_places()),
        offsets_(rows_.n_groups() * rows_.n_places() + kAhead),
        groups_(rows_.n_groups()) {
    in_parallel(rows_.n_groups(), n_threads, [&](std::size_t first, std::size_t last) {
      for (std::size_t g = first; g < last; ++g) {
        rows_.spread(g, values_of(g));
        groups_[g] = without_zeros(g);
      }
    });
  }

  const GroupedRows<Real>& rows() const { return rows_; }
  static Lookup lookup(const Layout&, std::size_t) { return {}; }
  RowsOfPanels<Real> view(Lookup&) const {
    return {rows_.n_rows(), groups_.data(), rows_.norms().data()};
  }

 private:
  Real* values_of(std::size_t g) { return values_.data() + g * rows_.n_places() * rows_.group(); }

  PanelGroup<Real> without_zeros(std::size_t g) {
    const std::size_t group = rows_.group();
    Real* kept = values_of(g);
    const Real* from = kept;
    std::size_t* const offsets = offsets_.data() + g * rows_.n_places();
    std::size_t n_offsets = 0;
    for (std::size_t k = 0; k < rows_.n_places(); ++k, from += group) {
      bool any = false;
      for (std::size_t r = 0; r < group; ++r) any |= from[r] != Real(0);
      if (!any) continue;
      if (kept != from) std::copy(from, from + group, kept);
      kept += group;
      offsets[n_offsets++] = k * kPanel<Real>;
    }
    return {values_of(g), offsets, n_offsets};
  }

  GroupedRows<Real> rows_;
  std::vector<Real> values_;  // groups one after the other
  std::vector<std::size_t> offsets_;
  std::vector<PanelGroup<Real>> groups_;
};

// Rows for products with CSR samples: spread out over all features, or compact.
template <typename Real>
class LeftOfCsr {
 public:
  struct Layout {
    std::size_t group, group_bytes;
    bool is_compact;
  };
  // A zero for each feature; of compact rows alone.
  using Lookup = std::vector<std::int32_t>;

  LeftOfCsr(const RowReader<Real>& reader, const std::int64_t* indices, std::size_t n_rows,
            const Layout& layout, int n_threads)
      : rows_(reader, indices, n_rows, layout.group), groups_(rows_.n_groups()) {
    if (layout.is_compact)
      compact_.resize(rows_.n_groups());
    else
      spread_.resize(rows_.norms().size() * rows_.n_places());
    in_parallel(rows_.n_groups(), n_threads, [&](std::size_t first, std::size_t last) {
      Lookup place_of = lookup(layout, rows_.n_places());
      for (std::size_t g = first; g < last; ++g)
        groups_[g] = layout.is_compact ? gathered(g, place_of) : spread(g);
    });
  }

  const GroupedRows<Real>& rows() const { return rows_; }
  static Lookup lookup(const Layout& layout, std::size_t n_places) {
    return Lookup(layout.is_compact ? std::max<std::size_t>(1, n_places) : 0);
  }
  RowsOfCsr<Real> view(Lookup& place_of) const {
    return {rows_.n_rows(), rows_.group(), groups_.data(), rows_.norms().data(),
            place_of.empty() ? nullptr : place_of.data()};
  }

 private:
  struct Compact {
    std::vector<Real> values;
    std::vector<std::int32_t> features;
  };

  CsrGroup<Real> spread(std::size_t g) {
    Real* const values = spread_.data() + g * rows_.n_places() * rows_.group();
    rows_.spread(g, values);
    return {values, nullptr, 0};
  }

  // `place_of` has a zero for each feature, before and after.
  CsrGroup<Real> gathered(std::size_t g, Lookup& place_of) {
    Compact& compact = compact_[g];
    const std::size_t group = rows_.group();
    compact.values.resize(group);
    rows_.read(g, [&](std::size_t r, std::size_t place, Real value) {
      if (value == Real(0)) return;
      if (place_of[place] == 0) {
        compact.features.push_back(std::int32_t(place));
        place_of[place] = std::int32_t(compact.features.size());
        compact.values.resize(compact.values.size() + group);
      }
      compact.values[std::size_t(place_of[place]) * group + r] = value;
    });
    for (std::int32_t feature : compact.features) place_of[std::size_t(feature)] = 0;
    return {compact.values.data(), compact.features.data(), compact.features.size()};
  }

  GroupedRows<Real> rows_;
  std::vector<Real> spread_;  // groups with values of all features, one after the other
  std::vector<Compact> compact_;
  std::vector<CsrGroup<Real>> groups_;
};

// Which rows the samples of a view are multiplied by.
template <typename Real>
LeftOfPanels<Real> left_type(const PanelView<Real>&);
template <typename Real>
LeftOfCsr<Real> left_type(const CsrView<Real>&);
template <typename View>
using LeftOf = decltype(left_type(std::declval<View>()));

}  // namespace bandsvm
