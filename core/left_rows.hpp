// Rows prepared for products with all samples: groups of them interleaved feature by feature.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel_rows.hpp"
#include "samples.hpp"

namespace bandsvm {

// Value k of row r of group g lies at values[(g * n_features + k) * group + r]. Rows are measured
// from the origin of the samples they are for. For dense ones a group holds only the features in
// which one of its rows differs from the origin: `offsets` says where those lie in a panel.
template <typename Real>
struct LeftRows {
  std::size_t n_rows, n_features, group;
  std::vector<Real> values, norms;
  std::vector<std::size_t> offsets;
  std::vector<RowGroup<Real>> groups;

  LeftRows(const Samples<Real>& left, const std::int64_t* indices, std::size_t number,
           const Samples<Real>& right, std::size_t group_size, int n_threads)
      : n_rows(number), n_features(right.n_features), group(group_size) {
    const std::size_t n_groups = (n_rows + group - 1) / group;
    const bool is_shifted = left.origin != right.origin;
    values.resize(n_groups * n_features * group);
    norms.resize(n_groups * group);
    if (!right.is_sparse) offsets.resize(n_groups * n_features + kAhead);
    for (std::size_t g = 0; g < n_groups; ++g)
      groups.push_back({values.data() + g * n_features * group,
                        offsets.data() + (right.is_sparse ? 0 : g * n_features), 0});
    in_parallel(n_groups, n_threads, [&](std::size_t first, std::size_t last) {
      for (std::size_t g = first; g < last; ++g) {
        for (std::size_t r = g * group; r < std::min((g + 1) * group, n_rows); ++r) {
          const std::size_t i = std::size_t(indices[r]);
          Real* row = values.data() + g * n_features * group + r % group;
          left.scatter(i, row, group);
          norms[r] = is_shifted ? shift(row, left, right) : left.norms[i];
        }
        if (!right.is_sparse) compact(g);
      }
    });
  }

  RowsView<Real> view() const { return {n_rows, group, groups.data(), norms.data()}; }

 private:
  Real shift(Real* row, const Samples<Real>& left, const Samples<Real>& right) {
    double norm = 0;
    for (std::size_t k = 0; k < n_features; ++k) {
      row[k * group] += left.origin[k] - right.origin[k];
      norm += double(row[k * group]) * double(row[k * group]);
    }
    return Real(norm / 2);
  }

  void compact(std::size_t g) {
    Real* kept = values.data() + g * n_features * group;
    const Real* from = kept;
    std::size_t* offset = offsets.data() + g * n_features;
    for (std::size_t k = 0; k < n_features; ++k, from += group) {
      bool any = false;
      for (std::size_t r = 0; r < group; ++r) any |= from[r] != Real(0);
      if (!any) continue;
      if (kept != from) std::copy(from, from + group, kept);
      kept += group;
      *offset++ = k * kPanel<Real>;
    }
    groups[g].n_offsets = std::size_t(offset - (offsets.data() + g * n_features));
  }
};

}  // namespace bandsvm
