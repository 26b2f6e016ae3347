// Samples packed for kernel rows: in panels of neighbouring samples or, where most values equal
// those of a common origin, by their differences from it alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "coordinates.hpp"
#include "kernel_rows.hpp"
#include "threads.hpp"
#include "uninitialised.hpp"

namespace bandsvm {

// Panels that hold a number of samples.
template <typename Real>
constexpr std::size_t n_panels_of(std::size_t count) {
  return (count + kPanel<Real> - 1) / kPanel<Real>;
}

// Dense samples where the caller has them: X, row-major, must live as long as samples that know it.
template <typename Real, typename Source>
class CallersRows {
 public:
  CallersRows(const Source* X, std::size_t n_features, const double* origin, double scale)
      : X_(X), n_features_(n_features), origin_(origin, origin + n_features), scale_(scale) {}

  // The same samples in another precision.
  template <typename Other>
  CallersRows<Other, Source> rounded() const {
    return {X_, n_features_, origin_.data(), scale_};
  }

  Real value(std::size_t i, std::size_t k) const {
    return Real((double(X_[i * n_features_ + k]) - origin_[k]) * scale_);
  }
  bool is_at_origin(std::size_t i, std::size_t k) const {
    return double(X_[i * n_features_ + k]) == origin_[k];
  }
  std::size_t n_features() const { return n_features_; }

 private:
  const Source* X_;
  std::size_t n_features_;
  std::vector<double> origin_;
  double scale_;
};

// Samples in panels: value k of sample i lies at column_of(i)[k * kPanel].
template <typename Real>
class Panels {
 public:
  // Samples are still to be written; what follows them in the last panel is zero.
  Panels(std::size_t count, std::size_t n_features) : n_features_(n_features) {
    const std::size_t size = n_features * kPanel<Real>;
    values_.resize(n_panels_of<Real>(count) * size);
    if (!values_.empty()) std::fill(values_.end() - std::ptrdiff_t(size), values_.end(), Real(0));
  }

  Real* column_of(std::size_t i) {
    return values_.data() + (i / kPanel<Real>)*n_features_ * kPanel<Real> + i % kPanel<Real>;
  }
  const Buffer<Real>& values() const { return values_; }

 private:
  std::size_t n_features_;
  Buffer<Real> values_;
};

// Samples as rows of a CSR matrix; `columns` are places among the features.
template <typename Real>
struct CsrStorage {
  std::vector<std::int64_t> starts;
  Buffer<std::int32_t> columns;
  Buffer<Real> values;

  double squared_length(std::size_t i) const {
    double sum = 0;
    for (std::int64_t at = starts[i]; at < starts[i + 1]; ++at)
      sum += double(values[at]) * double(values[at]);
    return sum;
  }
};

template <typename Real>
class Samples {
 public:
  // Dense samples, row-major, as scale * (X - origin); `origin` has one value per feature. A
  // difference one by one costs `cost_of_sparse` times as much as among the differences of a tile.
  template <typename Source>
  static Samples pack(const Source* X, std::size_t count, std::size_t n_features,
                      const double* origin, double scale, double cost_of_sparse, int n_threads) {
    CallersRows<Real, Source> rows(X, n_features, origin, scale);
    std::vector<std::int64_t> starts = starts_of_differences(rows, count, n_threads);
    const double one_by_one =
        cost_of_sparse * double(starts[count]) / double(std::max<std::size_t>(1, count));
    const double in_tiles = products_of_tile(rows, count);
    const bool is_sparse = one_by_one < in_tiles &&
                           n_features <= std::size_t(std::numeric_limits<std::int32_t>::max());
    std::vector<Real> norms = zero_norms(count);
    Storage storage = is_sparse
                          ? Storage(differences(rows, count, std::move(starts), norms, n_threads))
                          : Storage(in_panels(std::move(rows), count, norms, n_threads));
    return {count, Coordinates<Real>(n_features, origin, scale), std::move(storage),
            std::move(norms), std::min(one_by_one, in_tiles)};
  }

  // CSR samples, times `scale`. `starts` do not decrease and lie within columns and values.
  template <typename Source>
  static Samples compress(std::vector<std::int64_t> starts, const std::int64_t* columns,
                          const Source* values, std::size_t n_features, double scale,
                          double cost_of_sparse) {
    const std::size_t count = starts.size() - 1;
    const std::int64_t begin = starts.front(), end = starts.back();
    ColumnsInUse in_use(columns + begin, std::size_t(end - begin), n_features);
    CsrStorage<Real> csr;
    csr.columns.reserve(std::size_t(end - begin));
    csr.values.reserve(std::size_t(end - begin));
    for (std::int64_t at = begin; at < end; ++at) {
      csr.columns.push_back(in_use.place(columns[at]));
      csr.values.push_back(Real(double(values[at]) * scale));
    }
    csr.starts = std::move(starts);
    for (std::int64_t& start : csr.starts) start -= begin;
    std::vector<Real> norms = zero_norms(count);
    for (std::size_t i = 0; i < count; ++i) norms[i] = Real(csr.squared_length(i) / 2);
    return {count, Coordinates<Real>(n_features, std::move(in_use.columns)), std::move(csr),
            std::move(norms),
            cost_of_sparse * double(end - begin) / double(std::max<std::size_t>(1, count))};
  }

  // Some samples, for `right` alone if they are in panels.
  Samples take(const std::int64_t* indices, std::size_t number, int n_threads) const {
    std::vector<Real> norms = zero_norms(number);
    for (std::size_t i = 0; i < number; ++i) norms[i] = norms_[indices[i]];
    Storage storage = is_sparse() ? Storage(some_of(csr(), indices, number))
                                  : Storage(some_in_panels(indices, number, n_threads));
    return {number, coordinates_, std::move(storage), std::move(norms), n_products_};
  }

  // The same samples in another precision; in panels, only samples that have rows.
  template <typename Other>
  Samples<Other> rounded() const {
    std::vector<Other> norms = Samples<Other>::zero_norms(count_);
    const Coordinates<Other> coordinates = coordinates_.template rounded<Other>();
    if (is_sparse()) {
      CsrStorage<Other> csr_of_other{
          csr().starts, csr().columns, {csr().values.begin(), csr().values.end()}};
      for (std::size_t i = 0; i < count_; ++i) norms[i] = Other(csr_of_other.squared_length(i) / 2);
      return {count_, coordinates, std::move(csr_of_other), std::move(norms), n_products_};
    }
    return std::visit(
        [&](const auto& rows) -> Samples<Other> {
          if constexpr (std::is_same_v<std::decay_t<decltype(rows)>, std::monostate>)
            throw std::logic_error("samples that were taken from panels have no rows.");
          else
            return {count_, coordinates,
                    Samples<Other>::in_panels(rows.template rounded<Other>(), count_, norms, 1),
                    std::move(norms), n_products_};
        },
        dense().rows);
  }

  std::size_t count() const { return count_; }
  std::size_t n_features() const { return coordinates_.n_features(); }
  std::size_t n_panels() const { return n_panels_of<Real>(count_); }
  std::size_t stride() const { return n_panels() * kPanel<Real>; }
  const Coordinates<Real>& coordinates() const { return coordinates_; }
  // Squared lengths, halved; zero beyond count.
  const std::vector<Real>& norms() const { return norms_; }
  // Multiplications that an inner product costs, in units of a tile's.
  double n_products() const { return n_products_; }
  bool is_sparse() const { return std::holds_alternative<CsrStorage<Real>>(storage_); }
  const CsrStorage<Real>& csr() const { return std::get<CsrStorage<Real>>(storage_); }

  std::size_t n_bytes() const {
    const std::size_t n_reals = is_sparse() ? csr().values.size() : dense().panels.values().size();
    const std::size_t n_starts = is_sparse() ? csr().starts.size() : 0;
    const std::size_t n_columns = is_sparse() ? csr().columns.size() : 0;
    return (n_reals + norms_.size()) * sizeof(Real) +
           (n_starts + coordinates_.n_listed()) * sizeof(std::int64_t) +
           n_columns * sizeof(std::int32_t);
  }

  double n_values_per_sample() const {
    return is_sparse() ? double(csr().values.size()) / double(std::max<std::size_t>(1, count_))
                       : double(n_features());
  }

  // Calls work with the samples as the compiled functions take them: a PanelView or a CsrView.
  template <typename Work>
  void visit(const Work& work) const {
    if (is_sparse())
      work(CsrView<Real>{count_, stride(), norms_.data(), csr().starts.data(), csr().columns.data(),
                         csr().values.data()});
    else
      work(PanelView<Real>{count_, stride(), norms_.data(), n_features(),
                           dense().panels.values().data()});
  }

  // Whether single samples can be accessed.
  bool has_rows() const {
    return is_sparse() || !std::holds_alternative<std::monostate>(dense().rows);
  }

  // In panels: calls work(value), where value(k) is value k of sample i.
  template <typename Work>
  void with_dense_row(std::size_t i, const Work& work) const {
    std::visit(
        [&](const auto& rows) {
          if constexpr (std::is_same_v<std::decay_t<decltype(rows)>, std::monostate>)
            throw std::logic_error("samples that were taken from panels have no rows.");
          else
            work([&](std::size_t k) { return rows.value(i, k); });
        },
        dense().rows);
  }

  // Calls entry(column, value) for all values of sample i that may differ from zero.
  template <typename Entry>
  void each_value(std::size_t i, const Entry& entry) const {
    if (is_sparse()) {
      const CsrStorage<Real>& rows = csr();
      for (std::int64_t at = rows.starts[i]; at < rows.starts[i + 1]; ++at)
        entry(std::size_t(coordinates_.column(std::size_t(rows.columns[at]))), rows.values[at]);
    } else {
      with_dense_row(i, [&](const auto& value) {
        for (std::size_t k = 0; k < n_features(); ++k) entry(k, value(k));
      });
    }
  }

 private:
  template <typename Other>
  friend class Samples;

  // Single samples are slow to get at in panels; the caller's rows hold the same values. Samples
  // that were taken from others have none.
  struct Dense {
    Panels<Real> panels;
    std::variant<std::monostate, CallersRows<Real, float>, CallersRows<Real, double>> rows;
  };
  using Storage = std::variant<Dense, CsrStorage<Real>>;

  Samples(std::size_t count, Coordinates<Real> coordinates, Storage storage,
          std::vector<Real> norms, double n_products)
      : count_(count),
        coordinates_(std::move(coordinates)),
        storage_(std::move(storage)),
        norms_(std::move(norms)),
        n_products_(n_products) {}

  const Dense& dense() const { return std::get<Dense>(storage_); }

  static std::vector<Real> zero_norms(std::size_t count) {
    return std::vector<Real>(n_panels_of<Real>(count) * kPanel<Real>);
  }

  // Calls work(i) for samples in whole panels.
  template <typename Work>
  static void in_whole_panels(std::size_t count, int n_threads, const Work& work) {
    in_parallel(n_panels_of<Real>(count), n_threads, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first * kPanel<Real>; i < std::min(last * kPanel<Real>, count); ++i)
        work(i);
    });
  }

  // Where the differences of each sample from the origin begin, one after the other.
  template <typename Rows>
  static std::vector<std::int64_t> starts_of_differences(const Rows& rows, std::size_t count,
                                                         int n_threads) {
    std::vector<std::int64_t> starts(count + 1);
    in_parallel(count, n_threads, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        std::int64_t n = 0;
        for (std::size_t k = 0; k < rows.n_features(); ++k) n += !rows.is_at_origin(i, k);
        starts[i + 1] = n;
      }
    });
    for (std::size_t i = 0; i < count; ++i) starts[i + 1] += starts[i];
    return starts;
  }

  // Features in which one of kTileRows samples differs from the origin, on average.
  template <typename Rows>
  static double products_of_tile(const Rows& rows, std::size_t count) {
    constexpr std::size_t kTiles = 64, kRows = kTileRows;
    const std::size_t step = std::max<std::size_t>(1, count / (kTiles * kRows));
    std::size_t n_tiles = 0, n_different = 0;
    for (std::size_t i = 0; i + step * (kRows - 1) < count; i += step * kRows) {
      for (std::size_t k = 0; k < rows.n_features(); ++k) {
        bool any = false;
        for (std::size_t r = 0; r < kRows; ++r) any |= !rows.is_at_origin(i + r * step, k);
        n_different += any;
      }
      ++n_tiles;
    }
    return double(n_different) / double(std::max<std::size_t>(1, n_tiles));
  }

  // X may change after its values were counted: excess values are not written, and missing ones
  // are zeros.
  template <typename Rows>
  static CsrStorage<Real> differences(const Rows& rows, std::size_t count,
                                      std::vector<std::int64_t> starts, std::vector<Real>& norms,
                                      int n_threads) {
    CsrStorage<Real> csr;
    csr.columns.resize(std::size_t(starts[count]));
    csr.values.resize(std::size_t(starts[count]));
    csr.starts = std::move(starts);
    in_whole_panels(count, n_threads, [&](std::size_t i) {
      std::int64_t at = csr.starts[i];
      const std::int64_t end = csr.starts[i + 1];
      for (std::size_t k = 0; k < rows.n_features() && at < end; ++k) {
        if (rows.is_at_origin(i, k)) continue;
        csr.columns[at] = std::int32_t(k);
        csr.values[at++] = rows.value(i, k);
      }
      for (; at < end; ++at) csr.columns[at] = 0, csr.values[at] = 0;
      norms[i] = Real(csr.squared_length(i) / 2);
    });
    return csr;
  }

  template <typename Rows>
  static Dense in_panels(Rows rows, std::size_t count, std::vector<Real>& norms, int n_threads) {
    Panels<Real> panels(count, rows.n_features());
    in_whole_panels(count, n_threads, [&](std::size_t i) {
      Real* const column = panels.column_of(i);
      for (std::size_t k = 0; k < rows.n_features(); ++k)
        column[k * kPanel<Real>] = rows.value(i, k);
      double squares = 0;
      for (std::size_t k = 0; k < rows.n_features(); ++k)
        squares += double(column[k * kPanel<Real>]) * double(column[k * kPanel<Real>]);
      norms[i] = Real(squares / 2);
    });
    return {std::move(panels), std::move(rows)};
  }

  Dense some_in_panels(const std::int64_t* indices, std::size_t number, int n_threads) const {
    Panels<Real> panels(number, n_features());
    in_parallel(number, n_threads, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        Real* const column = panels.column_of(i);
        each_value(std::size_t(indices[i]),
                   [&](std::size_t k, Real value) { column[k * kPanel<Real>] = value; });
      }
    });
    return {std::move(panels), std::monostate{}};
  }

  static CsrStorage<Real> some_of(const CsrStorage<Real>& csr, const std::int64_t* indices,
                                  std::size_t number) {
    std::size_t n_values = 0;
    for (std::size_t i = 0; i < number; ++i)
      n_values += std::size_t(csr.starts[indices[i] + 1] - csr.starts[indices[i]]);
    CsrStorage<Real> some;
    some.starts.reserve(number + 1);
    some.columns.reserve(n_values);
    some.values.reserve(n_values);
    some.starts.push_back(0);
    for (std::size_t i = 0; i < number; ++i) {
      const std::int64_t from = csr.starts[indices[i]], to = csr.starts[indices[i] + 1];
      some.columns.insert(some.columns.end(), csr.columns.begin() + from, csr.columns.begin() + to);
      some.values.insert(some.values.end(), csr.values.begin() + from, csr.values.begin() + to);
      some.starts.push_back(std::int64_t(some.values.size()));
    }
    return some;
  }

  std::size_t count_;
  Coordinates<Real> coordinates_;
  Storage storage_;
  std::vector<Real> norms_;
  double n_products_;
};

}  // namespace bandsvm
