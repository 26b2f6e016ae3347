// Kernel rows, blocks and products, with threads and the best instruction set.
#pragma once

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <vector>

#include "left_rows.hpp"
#include "levels.hpp"

namespace bandsvm {

template <typename Real>
const Instructions<Real>& best_instructions() {
  return best_of_levels<Instructions<Real>>();
}

template <typename Real, typename Output>
const RowsFunctions<Real, Output>& functions_for() {
  if constexpr (Output::kUse == Use::store) return best_instructions<Real>().store;
  if constexpr (Output::kUse == Use::multiply) return best_instructions<Real>().multiply;
  if constexpr (Output::kUse == Use::accumulate) return best_instructions<Real>().accumulate;
}

// Bytes that a group of rows may take. Spread out over all features, three vectors of rows should
// stay in the first level of cache and two in the second; where not even those do, or not with the
// features of the rows alone, fewer are worked on at a time.
constexpr std::size_t kBytesOfThree = 40 * 1024, kBytesOfTwo = 256 * 1024;
constexpr std::size_t kBytesOfCompact = 512 * 1024;

// The layout of rows of left for products with right: as many at once as the cache allows.
template <typename Real>
typename LeftOfPanels<Real>::Layout row_layout(const Samples<Real>&, const Samples<Real>& right,
                                               const PanelView<Real>&) {
  const std::size_t group = best_instructions<Real>().tile_rows;
  return {group, group * std::max<std::size_t>(1, right.coordinates().n_places()) * sizeof(Real)};
}

template <typename Real>
typename LeftOfCsr<Real>::Layout row_layout(const Samples<Real>& left, const Samples<Real>& right,
                                            const CsrView<Real>&) {
  const std::size_t lanes = best_instructions<Real>().lanes;
  const std::size_t n_places = std::max<std::size_t>(1, right.coordinates().n_places());
  const auto bytes = [&](std::size_t n_vectors, double n_features) {
    return std::size_t(n_features * double(n_vectors * lanes * sizeof(Real)));
  };
  const std::size_t n_spread = bytes(3, double(n_places)) <= kBytesOfThree ? 3
                               : bytes(2, double(n_places)) <= kBytesOfTwo ? 2
                                                                           : 1;
  if (n_spread > 1 || !left.is_sparse())
    return {n_spread * lanes, bytes(n_spread, double(n_places)), false};
  const auto compact_bytes = [&](std::size_t n_vectors) {
    const double of_rows = left.n_values_per_sample() * double(n_vectors * lanes);
    return bytes(n_vectors, 1 + std::min(of_rows, double(n_places)));
  };
  const std::size_t n_compact = compact_bytes(3) <= kBytesOfCompact ? 3 : 2;
  return {n_compact * lanes, compact_bytes(n_compact), true};
}

template <typename Left, typename View, typename Output>
RowsTask<Left, View, Output> task_of(const Left& left, const View& right, const Kernel& kernel,
                                     const Output& output, std::size_t first_panel,
                                     std::size_t last_panel) {
  return {left, right, kernel, output, first_panel, last_panel};
}

// Calls the compiled function for rows, samples and output of a task.
template <typename Real, typename Output>
void compute(const PanelTask<Real, Output>& task) {
  functions_for<Real, Output>().of_panels(task);
}
template <typename Real, typename Output>
void compute(const CsrTask<Real, Output>& task) {
  functions_for<Real, Output>().of_csr(task);
}

// Rows are laid out in batches of bounded size: larger ones pass over the samples less often, but
// leave the cache.
constexpr std::size_t kBatchBytes = 4 * 1024 * 1024;

// Prepares batch after batch of rows of left and delivers output(first row, rows) of each. The
// samples of right are divided among threads. Where they fill few panels, rows that are stored are
// divided as well.
template <typename Real>
class BatchedRows {
 public:
  BatchedRows(const Samples<Real>& left, const std::int64_t* indices, std::size_t n_rows,
              const Samples<Real>& right, const Kernel& kernel, int n_threads)
      : left_(left),
        right_(right),
        indices_(indices),
        n_rows_(n_rows),
        kernel_(kernel),
        n_threads_(n_threads) {}

  template <typename MakeOutput>
  void run(const MakeOutput& output) const {
    const RowReader<Real> reader(left_, right_.coordinates());
    right_.visit([&](const auto& view) {
      using Left = LeftOf<std::decay_t<decltype(view)>>;
      const auto layout = row_layout(left_, right_, view);
      const std::size_t batch =
          layout.group * std::max<std::size_t>(1, kBatchBytes / layout.group_bytes);
      for (std::size_t from = 0; from < n_rows_; from += batch) {
        const Left rows(reader, indices_ + from, std::min(batch, n_rows_ - from), layout,
                        n_threads_);
        divide(rows, layout, view, output(from, rows.rows()));
      }
    });
  }

 private:
  template <typename Left, typename View, typename Output>
  void divide(const Left& left, const typename Left::Layout& layout, const View& view,
              const Output& output) const {
    const std::size_t n_panels = right_.n_panels(), n_groups = left.rows().n_groups();
    const std::size_t n_wanted = n_threads_ > 1 ? kPieces * std::size_t(n_threads_) : 1;
    if (n_panels == 0 || n_groups == 0) return;
    const bool is_divided = Output::kUse == Use::store && n_panels < n_wanted;
    const std::size_t n_shares =
        is_divided ? std::min(n_groups, (n_wanted + n_panels - 1) / n_panels) : 1;
    if (n_shares == 1) {
      in_parallel(n_panels, n_threads_, [&](std::size_t first, std::size_t last) {
        auto lookup = Left::lookup(layout, left.rows().n_places());
        compute<Real>(task_of(left.view(lookup), view, kernel_, output, first, last));
      });
      return;
    }
    if constexpr (Output::kUse == Use::store)
      in_parallel(n_panels * n_shares, n_threads_, [&](std::size_t first, std::size_t last) {
        auto lookup = Left::lookup(layout, left.rows().n_places());
        for (std::size_t k = first; k < last; ++k) {
          const std::size_t panel = k / n_shares, share = k % n_shares;
          compute<Real>(some_groups(
              task_of(left.view(lookup), view, kernel_, output, panel, panel + 1), layout.group,
              share * n_groups / n_shares, (share + 1) * n_groups / n_shares));
        }
      });
  }

  // One share of the rows of a task: of their groups, [begin, end).
  template <typename Task>
  static Task some_groups(Task task, std::size_t group, std::size_t begin, std::size_t end) {
    task.left.groups += begin;
    task.left.norms += begin * group;
    task.left.n_rows = std::min(task.left.n_rows, end * group) - begin * group;
    task.output.places += begin * group;
    task.output.rows += begin * group;
    return task;
  }

  const Samples<Real>&left_, &right_;
  const std::int64_t* indices_;
  std::size_t n_rows_;
  const Kernel& kernel_;
  int n_threads_;
};

// Kernel values of some samples of left with all of right; row r is written to rows[r]. `places`
// are those of the rows in right, or -1.
template <typename Real>
void compute_rows(const Samples<Real>& left, const std::int64_t* indices, std::size_t n_rows,
                  const Samples<Real>& right, const std::int64_t* places, const Kernel& kernel,
                  Real* const* rows, int n_threads) {
  BatchedRows<Real>(left, indices, n_rows, right, kernel, n_threads)
      .run([&](std::size_t from, const GroupedRows<Real>&) {
        return Stored<Real>{places + from, rows + from};
      });
}

// All kernel values among some samples, which `right` holds: about half of them are computed. Rows
// are as wide as whole panels.
template <typename Real>
void compute_symmetric(const Samples<Real>& samples, const std::int64_t* indices,
                       std::size_t number, const Samples<Real>& right, const Kernel& kernel,
                       Real* values, int n_threads) {
  const std::size_t stride = right.stride(), n_panels = right.n_panels();
  std::vector<std::int64_t> places(number);
  std::iota(places.begin(), places.end(), 0);
  std::vector<Real*> rows(number);
  for (std::size_t k = 0; k < number; ++k) rows[k] = values + k * stride;
  const RowReader<Real> reader(samples, right.coordinates());
  right.visit([&](const auto& view) {
    using Left = LeftOf<std::decay_t<decltype(view)>>;
    const auto layout = row_layout(samples, right, view);
    in_parallel(n_panels, n_threads, [&](std::size_t first, std::size_t last) {
      auto lookup = Left::lookup(layout, reader.n_places());
      for (std::size_t panel = first; panel < last; ++panel) {
        const std::size_t from = panel * kPanel<Real>;
        const Left left(reader, indices + from, std::min(kPanel<Real>, number - from), layout, 1);
        const Stored<Real> output{places.data() + from, rows.data() + from};
        compute<Real>(task_of(left.view(lookup), view, kernel, output, panel, n_panels));
      }
    });
  });
  in_parallel(n_panels, n_threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t from = first * kPanel<Real>; from < std::min(last * kPanel<Real>, number);
         from += kPanel<Real>)
      best_instructions<Real>().mirror(values, stride, from, std::min(from + kPanel<Real>, number),
                                       number);
  });
}

// Kernel values among some samples, in rows of whole panels. Values among samples with a place in
// an earlier block, `known`, are copied from it; for other samples whose rows are stored, values
// are copied from these rows.
template <typename Real>
void compute_block(const Samples<Real>& samples, const std::int64_t* indices, std::size_t number,
                   const Kernel& kernel, Real* values, const Real* known, std::size_t known_stride,
                   const std::int64_t* places, const Real* const* stored, int n_threads) {
  constexpr std::size_t kTile = 16;
  const std::size_t stride = n_panels_of<Real>(number) * kPanel<Real>;
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
  in_parallel((old.size() + kTile - 1) / kTile, n_threads,
              [&](std::size_t first, std::size_t last) {
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

// f += sum_r coefficients[r] K(left[indices[r]], right), without keeping the kernel values.
// `places` are those of the rows in right, or -1.
template <typename Real>
void accumulate_rows(const Samples<Real>& left, const std::int64_t* indices, std::size_t n_rows,
                     const Samples<Real>& right, const std::int64_t* places, const Kernel& kernel,
                     const double* coefficients, double* f, int n_threads) {
  std::vector<Real> padded;
  BatchedRows<Real>(left, indices, n_rows, right, kernel, n_threads)
      .run([&](std::size_t from, const GroupedRows<Real>& batch) {
        padded.assign(batch.norms().size(), Real(0));
        for (std::size_t r = 0; r < batch.n_rows(); ++r) padded[r] = Real(coefficients[from + r]);
        return Accumulated<Real>{places + from, padded.data(), f};
      });
}

// Products of the same kernel values with coefficients, without keeping the values. The rows of
// left are divided among threads.
template <typename Real>
void multiply_rows(const Samples<Real>& left, const Samples<Real>& right, const Kernel& kernel,
                   const Real* coefficients, std::size_t n_outputs, double* products,
                   int n_threads) {
  std::vector<std::int64_t> indices(left.count());
  std::iota(indices.begin(), indices.end(), 0);
  const RowReader<Real> reader(left, right.coordinates());
  constexpr std::size_t kRowsAtOnce = 256;
  right.visit([&](const auto& view) {
    using Left = LeftOf<std::decay_t<decltype(view)>>;
    const auto layout = row_layout(left, right, view);
    const std::size_t group = layout.group, n_groups = (left.count() + group - 1) / group;
    in_parallel(n_groups, n_threads, [&](std::size_t first, std::size_t last) {
      const std::size_t end = std::min(last * group, left.count());
      const std::size_t step = std::max(group, kRowsAtOnce / group * group);
      std::vector<double> sums(step * n_outputs * best_instructions<Real>().lanes);
      auto lookup = Left::lookup(layout, reader.n_places());
      for (std::size_t from = first * group; from < end; from += step) {
        const Left rows(reader, indices.data() + from, std::min(step, end - from), layout, 1);
        const Multiplied<Real> output{coefficients, n_outputs, products + from * n_outputs,
                                      sums.data()};
        compute<Real>(task_of(rows.view(lookup), view, kernel, output, 0, right.n_panels()));
      }
    });
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
