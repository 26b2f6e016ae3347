// Samples packed for kernel rows: in panels of neighbouring samples or, where most values equal
// those of a common origin, by their differences from it alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "columns.hpp"
#include "kernel_rows.hpp"
#include "threads.hpp"

namespace bandsvm {

// Leaves new values as they are, so that threads that write them touch the memory first.
template <typename Value>
struct Uninitialised : std::allocator<Value> {
  template <typename Other>
  struct rebind {
    using other = Uninitialised<Other>;
  };
  template <typename Item>
  void construct(Item* at) noexcept {
    ::new (static_cast<void*>(at)) Item;
  }
  template <typename Item, typename... Given>
  void construct(Item* at, Given&&... given) {
    ::new (static_cast<void*>(at)) Item(std::forward<Given>(given)...);
  }
};

template <typename Value>
using Buffer = std::vector<Value, Uninitialised<Value>>;

template <typename Real>
struct Samples {
  std::size_t count = 0, n_features = 0;
  bool is_sparse = false;
  Buffer<Real> panels;               // dense: panel p holds n_features x kPanel values
  std::vector<std::int64_t> starts;  // sparse: CSR
  Buffer<std::int32_t> columns;      // places among the features
  Buffer<Real> values;
  // Of CSR samples and those taken from them: the columns in use, in order. Else all.
  std::shared_ptr<const std::vector<std::int64_t>> features;
  std::vector<Real> origin;  // in units of the values: what they are measured from; empty: zero
  std::vector<Real> norms;   // squared lengths, halved; zero beyond count
  double n_products = 0;     // multiplications that an inner product costs, in units of a tile's
  // Dense: the caller's X, row-major, must live as long as these samples; panels hold the same
  // values where single samples are slow to get at.
  const float* source32 = nullptr;
  const double* source64 = nullptr;
  std::vector<double> exact_origin;
  double scale = 1;

  std::size_t n_panels() const { return (count + kPanel<Real> - 1) / kPanel<Real>; }
  std::size_t stride() const { return n_panels() * kPanel<Real>; }

  std::size_t n_bytes() const {
    return (panels.size() + values.size() + norms.size()) * sizeof(Real) +
           (starts.size() + (features ? features->size() : 0)) * sizeof(std::int64_t) +
           columns.size() * sizeof(std::int32_t);
  }

  // Number of features, as far as they are in use.
  std::size_t n_places() const { return features ? features->size() : n_features; }
  // The column of X at this position among the features.
  std::int64_t column(std::size_t place) const {
    return features ? (*features)[place] : std::int64_t(place);
  }
  // The inverse; -1 for columns that are not in use.
  std::int64_t place_of_column(std::int64_t column) const {
    if (!features) return column;
    const auto found = std::lower_bound(features->begin(), features->end(), column);
    const bool is_there = found != features->end() && *found == column;
    return is_there ? found - features->begin() : -1;
  }
  Real origin_of(std::size_t k) const { return origin.empty() ? Real(0) : origin[k]; }

  SamplesView<Real> view() const {
    return {count,          n_features,     stride(),      is_sparse,   panels.data(),
            starts.data(),  columns.data(), values.data(), norms.data()};
  }

  double n_values_per_sample() const {
    return is_sparse ? double(values.size()) / double(std::max<std::size_t>(1, count))
                     : double(n_features);
  }

  // Whether single samples can be accessed.
  bool has_rows() const { return is_sparse || source32 || source64; }

  // Calls entry(column, value) for all values of sample i that may differ from zero.
  template <typename Entry>
  void each_value(std::size_t i, const Entry& entry) const {
    if (is_sparse) {
      for (std::int64_t at = starts[i]; at < starts[i + 1]; ++at)
        entry(std::size_t(column(std::size_t(columns[at]))), values[at]);
    } else if (source32) {
      for (std::size_t k = 0; k < n_features; ++k) entry(k, measured(row_of(source32, i), k));
    } else {
      for (std::size_t k = 0; k < n_features; ++k) entry(k, measured(row_of(source64, i), k));
    }
  }

  // Dense: value k of sample i.
  Real value(std::size_t i, std::size_t k) const {
    return source32 ? measured(row_of(source32, i), k) : measured(row_of(source64, i), k);
  }

  // Dense samples, row-major, as scale * (X - origin); `origin` has one value per feature. A
  // difference one by one costs `cost_of_sparse` times as much as among the differences of a tile.
  template <typename Source>
  static Samples pack(const Source* X, std::size_t count, std::size_t n_features,
                      const double* origin, double scale, double cost_of_sparse, int n_threads) {
    Samples s;
    s.count = count;
    s.n_features = n_features;
    s.scale = scale;
    s.exact_origin.assign(origin, origin + n_features);
    if (std::any_of(origin, origin + n_features, [](double value) { return value != 0; }))
      for (std::size_t k = 0; k < n_features; ++k) s.origin.push_back(Real(scale * origin[k]));
    s.set_source(X);
    s.norms.assign(s.stride(), Real(0));
    s.starts.assign(count + 1, 0);
    in_parallel(count, n_threads, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const Source* x = X + i * n_features;
        std::int64_t n = 0;
        for (std::size_t k = 0; k < n_features; ++k) n += double(x[k]) != origin[k];
        s.starts[i + 1] = n;
      }
    });
    for (std::size_t i = 0; i < count; ++i) s.starts[i + 1] += s.starts[i];
    const std::size_t n_values = std::size_t(s.starts[count]);
    const double one_by_one =
        cost_of_sparse * double(n_values) / double(std::max<std::size_t>(1, count));
    const double in_tiles = products_of_tile(X, count, n_features, origin);
    s.is_sparse = one_by_one < in_tiles &&
                  n_features <= std::size_t(std::numeric_limits<std::int32_t>::max());
    s.n_products = std::min(one_by_one, in_tiles);
    if (s.is_sparse) {
      s.columns.resize(n_values);
      s.values.resize(n_values);
    } else {
      s.make_panels();
      s.starts.clear();
    }
    in_parallel(s.n_panels(), n_threads, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first * kPanel<Real>; i < std::min(last * kPanel<Real>, count); ++i) {
        if (s.is_sparse)
          s.compress_row(i, X + i * n_features);
        else
          s.fill_column(i, s.column_of(i));
        s.norms[i] = s.halved_norm(i);
      }
    });
    return s;
  }

  // CSR samples, times `scale`. `starts` do not decrease and lie within columns and values.
  template <typename Source>
  static Samples compress(std::vector<std::int64_t> starts, const std::int64_t* columns,
                          const Source* values, std::size_t n_features, double scale,
                          double cost_of_sparse) {
    Samples s;
    s.count = starts.size() - 1;
    s.n_features = n_features;
    s.is_sparse = true;
    const std::int64_t begin = starts.front(), end = starts.back();
    s.n_products =
        cost_of_sparse * double(end - begin) / double(std::max<std::size_t>(1, s.count));
    ColumnsInUse in_use(columns + begin, std::size_t(end - begin), n_features);
    s.columns.reserve(std::size_t(end - begin));
    s.values.reserve(std::size_t(end - begin));
    for (std::int64_t at = begin; at < end; ++at) {
      s.columns.push_back(in_use.place(columns[at]));
      s.values.push_back(Real(double(values[at]) * scale));
    }
    s.features =
        std::make_shared<const std::vector<std::int64_t>>(std::move(in_use.columns));
    s.starts = std::move(starts);
    for (std::int64_t& start : s.starts) start -= begin;
    s.norms.assign(s.stride(), Real(0));
    for (std::size_t i = 0; i < s.count; ++i) s.norms[i] = s.halved_norm(i);
    return s;
  }

  Samples take(const std::int64_t* indices, std::size_t number, int n_threads) const {
    Samples s;
    s.count = number;
    s.n_features = n_features;
    s.is_sparse = is_sparse;
    s.n_products = n_products;
    s.origin = origin;
    s.features = features;
    s.norms.assign(s.stride(), Real(0));
    for (std::size_t i = 0; i < number; ++i) s.norms[i] = norms[indices[i]];
    if (is_sparse) {
      std::size_t n_values = 0;
      for (std::size_t i = 0; i < number; ++i)
        n_values += std::size_t(starts[indices[i] + 1] - starts[indices[i]]);
      s.starts.reserve(number + 1);
      s.columns.reserve(n_values);
      s.values.reserve(n_values);
      s.starts.push_back(0);
      for (std::size_t i = 0; i < number; ++i) {
        const std::int64_t from = starts[indices[i]], to = starts[indices[i] + 1];
        s.columns.insert(s.columns.end(), columns.begin() + from, columns.begin() + to);
        s.values.insert(s.values.end(), values.begin() + from, values.begin() + to);
        s.starts.push_back(std::int64_t(s.values.size()));
      }
      return s;
    }
    s.make_panels();
    in_parallel(number, n_threads, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        fill_column(std::size_t(indices[i]), s.column_of(i));
    });
    return s;
  }

 private:
  // Features in which one of kTileRows samples differs from the origin, on average.
  template <typename Source>
  static double products_of_tile(const Source* X, std::size_t count, std::size_t n_features,
                                 const double* origin) {
    constexpr std::size_t kTiles = 64, kRows = kTileRows;
    const std::size_t step = std::max<std::size_t>(1, count / (kTiles * kRows));
    std::size_t n_tiles = 0, n_different = 0;
    for (std::size_t i = 0; i + step * (kRows - 1) < count; i += step * kRows) {
      for (std::size_t k = 0; k < n_features; ++k) {
        bool any = false;
        for (std::size_t r = 0; r < kRows; ++r)
          any |= double(X[(i + r * step) * n_features + k]) != origin[k];
        n_different += any;
      }
      ++n_tiles;
    }
    return double(n_different) / double(std::max<std::size_t>(1, n_tiles));
  }

  // Samples are still to be written; what follows them in the last panel is zero.
  void make_panels() {
    const std::size_t size = n_features * kPanel<Real>;
    panels.resize(n_panels() * size);
    if (!panels.empty()) std::fill(panels.end() - std::ptrdiff_t(size), panels.end(), Real(0));
  }

  void set_source(const float* X) { source32 = X; }
  void set_source(const double* X) { source64 = X; }

  Real* column_of(std::size_t i) {
    return panels.data() + (i / kPanel<Real>)*n_features * kPanel<Real> + i % kPanel<Real>;
  }

  template <typename Source>
  Real measured(const Source* x, std::size_t k) const {
    return Real((double(x[k]) - exact_origin[k]) * scale);
  }

  template <typename Source>
  const Source* row_of(const Source* X, std::size_t i) const {
    return X + i * n_features;
  }

  // Writes sample i into a panel.
  void fill_column(std::size_t i, Real* column) const {
    each_value(i, [&](std::size_t k, Real value) { column[k * kPanel<Real>] = value; });
  }

  // X may change after its values were counted: excess values are not written, and missing ones
  // are zeros.
  template <typename Source>
  void compress_row(std::size_t i, const Source* x) {
    std::int64_t at = starts[i];
    for (std::size_t k = 0; k < n_features && at < starts[i + 1]; ++k) {
      if (double(x[k]) == exact_origin[k]) continue;
      columns[at] = std::int32_t(k);
      values[at++] = measured(x, k);
    }
    for (; at < starts[i + 1]; ++at) columns[at] = 0, values[at] = 0;
  }

  Real halved_norm(std::size_t i) {
    double norm = 0;
    if (is_sparse) {
      for (std::int64_t at = starts[i]; at < starts[i + 1]; ++at)
        norm += double(values[at]) * double(values[at]);
    } else {
      const Real* column = column_of(i);
      for (std::size_t k = 0; k < n_features; ++k)
        norm += double(column[k * kPanel<Real>]) * double(column[k * kPanel<Real>]);
    }
    return Real(norm / 2);
  }
};

}  // namespace bandsvm
