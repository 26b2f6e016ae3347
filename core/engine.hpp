// Computes kernel rows with threads and the best instruction set.
#pragma once

#include <numeric>
#include <vector>

#include "left_rows.hpp"
#include "levels.hpp"

namespace bandsvm {

template <typename Real>
const Instructions<Real>& best_instructions() {
  return best_of_levels<Instructions<Real>>();
}

// Bytes that a group of rows may take. Spread out over all features, three vectors of rows should
// stay in the first level of cache and two in the second; where not even those do, or not with the
// features of the rows alone, fewer are worked on at a time.
constexpr std::size_t kBytesOfThree = 40 * 1024, kBytesOfTwo = 256 * 1024;
constexpr std::size_t kBytesOfCompact = 512 * 1024;

// The layout of rows of left for products with right: as many at once as the cache allows.
template <typename Real>
RowLayout row_layout(const Samples<Real>& left, const Samples<Real>& right) {
  const Instructions<Real>& level = best_instructions<Real>();
  const std::size_t n_places = std::max<std::size_t>(1, right.n_places());
  if (!right.is_sparse) return {level.tile_rows, true, level.tile_rows * n_places * sizeof(Real)};
  const auto bytes = [&](std::size_t n_vectors, double n_features) {
    return std::size_t(n_features * double(n_vectors * level.lanes * sizeof(Real)));
  };
  const std::size_t n_spread = bytes(3, double(n_places)) <= kBytesOfThree ? 3
                               : bytes(2, double(n_places)) <= kBytesOfTwo ? 2
                                                                           : 1;
  if (n_spread > 1 || !left.is_sparse)
    return {n_spread * level.lanes, true, bytes(n_spread, double(n_places))};
  const auto compact_bytes = [&](std::size_t n_vectors) {
    const double of_rows = left.n_values_per_sample() * double(n_vectors * level.lanes);
    return bytes(n_vectors, 1 + std::min(of_rows, double(n_places)));
  };
  const std::size_t n_compact = compact_bytes(3) <= kBytesOfCompact ? 3 : 2;
  return {n_compact * level.lanes, false, compact_bytes(n_compact)};
}

// Rows are laid out in batches of bounded size: larger ones pass over the samples less often, but
// leave the cache.
constexpr std::size_t kBatchBytes = 1 << 22;

// Prepares batch after batch of rows and calls work(first row, prepared rows).
template <typename Real, typename Work>
void in_batches(const Samples<Real>& left, const std::int64_t* indices, std::size_t n_rows,
                const Samples<Real>& right, int n_threads, const Work& work) {
  const RowLayout layout = row_layout(left, right);
  const RowReader<Real> reader(left, right);
  const std::size_t batch =
      layout.group * std::max<std::size_t>(1, kBatchBytes / layout.group_bytes);
  for (std::size_t from = 0; from < n_rows; from += batch)
    work(from, LeftRows<Real>(reader, indices + from, std::min(batch, n_rows - from), right,
                              layout, n_threads));
}

// Zeros, the table in which rows that are not spread out look up features.
template <typename Real>
std::vector<std::int32_t> lookup_table(const RowsTask<Real>& task, const Samples<Real>& right) {
  return std::vector<std::int32_t>(task.left.is_spread ? 0 : right.n_places());
}

// One share of the rows of a task: of their groups, [begin, end).
template <typename Real>
RowsTask<Real> some_rows(const RowsTask<Real>& task, std::size_t begin, std::size_t end) {
  const std::size_t group = task.left.group;
  RowsTask<Real> part = task;
  part.left.groups += begin;
  part.left.norms += begin * group;
  part.left.n_rows = std::min(task.left.n_rows, end * group) - begin * group;
  part.places = task.places + begin * group;
  part.rows = task.rows + begin * group;
  return part;
}

// The samples of right are divided among threads. Where they fill few panels, rows that are stored
// are divided as well.
template <typename Real>
void run(const RowsTask<Real>& task, const Samples<Real>& right, int n_threads) {
  const std::size_t n_panels = right.n_panels();
  const std::size_t n_groups = (task.left.n_rows + task.left.group - 1) / task.left.group;
  const std::size_t n_wanted = n_threads > 1 ? kPieces * std::size_t(n_threads) : 1;
  if (n_panels == 0 || n_groups == 0) return;
  if (task.use != Use::store || n_panels >= n_wanted) {
    in_parallel(n_panels, n_threads, [&](std::size_t first, std::size_t last) {
      std::vector<std::int32_t> place_of = lookup_table(task, right);
      RowsTask<Real> part = task;
      part.place_of = place_of.data();
      part.first_panel = first;
      part.last_panel = last;
      best_instructions<Real>().compute_rows(part);
    });
    return;
  }
  const std::size_t n_shares = std::min(n_groups, (n_wanted + n_panels - 1) / n_panels);
  in_parallel(n_panels * n_shares, n_threads, [&](std::size_t first, std::size_t last) {
    std::vector<std::int32_t> place_of = lookup_table(task, right);
    for (std::size_t k = first; k < last; ++k) {
      const std::size_t panel = k / n_shares, share = k % n_shares;
      RowsTask<Real> part = some_rows(task, share * n_groups / n_shares,
                                      (share + 1) * n_groups / n_shares);
      part.place_of = place_of.data();
      part.first_panel = panel;
      part.last_panel = panel + 1;
      best_instructions<Real>().compute_rows(part);
    }
  });
}

// Kernel values of some samples of left with all of right; row r is written to rows[r]. `places`
// are those of the rows in right, or -1.
template <typename Real>
void compute_rows(const Samples<Real>& left, const std::int64_t* indices, std::size_t n_rows,
                  const Samples<Real>& right, const std::int64_t* places,
                  const Kernel& kernel, Real* const* rows, int n_threads) {
  in_batches(left, indices, n_rows, right, n_threads,
             [&](std::size_t from, const LeftRows<Real>& batch) {
               RowsTask<Real> task{batch.view(), right.view(), kernel, Use::store};
               task.places = places + from;
               task.rows = rows + from;
               run(task, right, n_threads);
             });
}

// Kernel values among some samples, in rows of whole panels. Values among samples with a place in an
// earlier block, `known`, are copied from it; for other samples whose rows are stored, values are
// copied from these rows.
template <typename Real>
void compute_block(const Samples<Real>& samples, const std::int64_t* indices, std::size_t number,
                   const Kernel& kernel, Real* values, const Real* known,
                   std::size_t known_stride, const std::int64_t* places,
                   const Real* const* stored, int n_threads) {
  constexpr std::size_t kTile = 16;
  const std::size_t stride = (number + kPanel<Real> - 1) / kPanel<Real> * kPanel<Real>;
  std::vector<std::size_t> fresh, old;
  std::vector<std::int64_t> missing, places_of_missing;
  std::vector<Real*> rows;
  for (std::size_t r = 0; r < number; ++r) {
    (places[r] < 0 ? fresh : old).push_back(r);
    if (places[r] < 0 && !stored[r]) {
      missing.push_back(indices[r]);
      places_of_missing.push_back(std::int64_t(r));
      rows.push_back(values + r * stride);
    }
  }
  if (!missing.empty())
    compute_rows(samples, missing.data(), missing.size(), samples.take(indices, number, n_threads),
                 places_of_missing.data(), kernel, rows.data(), n_threads);
  in_parallel(fresh.size(), n_threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      const Real* const row = stored[fresh[k]];
      if (!row) continue;
      // Rows come from main memory: fetch the next one meanwhile.
      const Real* const next = k + 1 < last && stored[fresh[k + 1]] ? stored[fresh[k + 1]] : row;
      for (std::size_t j = 0; j < number; ++j) {
        __builtin_prefetch(next + indices[j], 0, 2);
        values[fresh[k] * stride + j] = row[indices[j]];
      }
    }
  });
  in_parallel((old.size() + kTile - 1) / kTile, n_threads, [&](std::size_t first,
                                                               std::size_t last) {
    for (std::size_t begin = first * kTile; begin < std::min(last * kTile, old.size());
         begin += kTile) {
      const std::size_t end = std::min(begin + kTile, old.size());
      for (std::size_t k = begin; k < end; ++k) {
        const Real* const from = known + std::size_t(places[old[k]]) * known_stride;
        Real* const to = values + old[k] * stride;
        for (std::size_t j : old) to[j] = from[places[j]];
      }
      for (std::size_t i : fresh)
        for (std::size_t k = begin; k < end; ++k)
          values[old[k] * stride + i] = values[i * stride + old[k]];
    }
  });
}

// f += sum_r coefficients[r] K(left[indices[r]], right), without keeping the kernel values. `places`
// are those of the rows in right, or -1.
template <typename Real>
void accumulate_rows(const Samples<Real>& left, const std::int64_t* indices, std::size_t n_rows,
                     const Samples<Real>& right, const std::int64_t* places,
                     const Kernel& kernel, const double* coefficients, double* f,
                     int n_threads) {
  in_batches(left, indices, n_rows, right, n_threads,
             [&](std::size_t from, const LeftRows<Real>& batch) {
               RowsTask<Real> task{batch.view(), right.view(), kernel, Use::accumulate};
               std::vector<Real> padded(batch.norms.size());
               for (std::size_t r = 0; r < batch.n_rows; ++r)
                 padded[r] = Real(coefficients[from + r]);
               task.places = places + from;
               task.row_coefficients = padded.data();
               task.f = f;
               run(task, right, n_threads);
             });
}

// Products of the same kernel values with coefficients, without keeping the values. The rows of left
// are divided among threads.
template <typename Real>
void multiply_rows(const Samples<Real>& left, const Samples<Real>& right,
                   const Kernel& kernel, const Real* coefficients, std::size_t n_outputs,
                   double* products, int n_threads) {
  std::vector<std::int64_t> indices(left.count);
  std::iota(indices.begin(), indices.end(), 0);
  const RowLayout layout = row_layout(left, right);
  const RowReader<Real> reader(left, right);
  const std::size_t group = layout.group, n_groups = (left.count + group - 1) / group;
  constexpr std::size_t kRowsAtOnce = 256;
  in_parallel(n_groups, n_threads, [&](std::size_t first, std::size_t last) {
    const std::size_t end = std::min(last * group, left.count);
    const std::size_t step = std::max(group, kRowsAtOnce / group * group);
    std::vector<double> sums(step * n_outputs * best_instructions<Real>().lanes);
    std::vector<std::int32_t> place_of;
    for (std::size_t from = first * group; from < end; from += step) {
      const LeftRows<Real> rows(reader, indices.data() + from, std::min(step, end - from), right,
                                layout, 1);
      RowsTask<Real> task{rows.view(), right.view(), kernel, Use::multiply};
      if (place_of.empty()) place_of = lookup_table(task, right);
      task.coefficients = coefficients;
      task.n_outputs = n_outputs;
      task.sums = sums.data();
      task.products = products + from * n_outputs;
      task.place_of = place_of.data();
      task.last_panel = right.n_panels();
      best_instructions<Real>().compute_rows(task);
    }
  });
}

template <typename Real>
void update_gradient(const Real* const* rows, const double* coefficients, std::size_t n_rows,
                     double* f, std::size_t size, int n_threads) {
  in_parallel(size, n_threads, [&](std::size_t first, std::size_t last) {
    best_instructions<Real>().update(rows, coefficients, n_rows, f, first, last);
  });
}

}  // namespace bandsvm
