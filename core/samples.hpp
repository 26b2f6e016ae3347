// Samples packed for kernel rows: dense ones in panels of neighbouring samples, sparse ones in CSR.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bandsvm {

// A panel is as wide as three of the widest vectors, whatever the level of instructions.
template <typename Real>
constexpr std::size_t kPanel = 3 * 64 / sizeof(Real);

template <typename Real>
struct Samples {
  std::size_t count = 0, n_features = 0;
  bool is_sparse = false;
  std::vector<Real> panels;  // dense: panel p holds n_features x kPanel values
  std::vector<Real> centre;  // dense: what was subtracted
  std::vector<std::int64_t> starts;  // sparse: CSR
  std::vector<std::int32_t> columns;
  std::vector<Real> values;
  std::vector<Real> norms;  // squared lengths, zero beyond count

  std::size_t n_panels() const { return (count + kPanel<Real> - 1) / kPanel<Real>; }
  std::size_t stride() const { return n_panels() * kPanel<Real>; }

  // Writes sample i, measured from `origin` (or from zero), into `dense`.
  void row(std::size_t i, const Real* origin, Real* dense) const {
    if (is_sparse) {
      for (std::size_t k = 0; k < n_features; ++k) dense[k] = origin ? -origin[k] : Real(0);
      for (std::int64_t at = starts[i]; at < starts[i + 1]; ++at) dense[columns[at]] += values[at];
      return;
    }
    const Real* panel = panels.data() + (i / kPanel<Real>)*n_features * kPanel<Real>;
    for (std::size_t k = 0; k < n_features; ++k)
      dense[k] = panel[k * kPanel<Real> + i % kPanel<Real>];
  }

  // Dense samples, row-major; `origin` has one value a feature.
  template <typename Source>
  static Samples pack(const Source* X, std::size_t count, std::size_t n_features,
                      const double* origin) {
    Samples s;
    s.count = count;
    s.n_features = n_features;
    s.centre.assign(origin, origin + n_features);
    s.panels.assign(s.n_panels() * n_features * kPanel<Real>, Real(0));
    s.norms.assign(s.stride(), Real(0));
    for (std::size_t i = 0; i < count; ++i) {
      Real* panel = s.panels.data() + (i / kPanel<Real>)*n_features * kPanel<Real>;
      double norm = 0;
      for (std::size_t k = 0; k < n_features; ++k) {
        const Real value = Real(double(X[i * n_features + k]) - origin[k]);
        panel[k * kPanel<Real> + i % kPanel<Real>] = value;
        norm += double(value) * double(value);
      }
      s.norms[i] = Real(norm);
    }
    return s;
  }

  template <typename Source>
  static Samples compress(const std::int64_t* starts, const std::int32_t* columns,
                          const Source* values, std::size_t count, std::size_t n_features) {
    Samples s;
    s.count = count;
    s.n_features = n_features;
    s.is_sparse = true;
    s.starts.assign(starts, starts + count + 1);
    s.columns.assign(columns + starts[0], columns + starts[count]);
    s.values.assign(values + starts[0], values + starts[count]);
    for (std::int64_t& start : s.starts) start -= starts[0];
    s.norms.assign(s.stride(), Real(0));
    for (std::size_t i = 0; i < count; ++i) {
      double norm = 0;
      for (std::int64_t at = s.starts[i]; at < s.starts[i + 1]; ++at)
        norm += double(s.values[at]) * double(s.values[at]);
      s.norms[i] = Real(norm);
    }
    return s;
  }

  Samples take(const std::int64_t* indices, std::size_t number) const {
    Samples s;
    s.count = number;
    s.n_features = n_features;
    s.is_sparse = is_sparse;
    s.centre = centre;
    s.norms.assign(s.stride(), Real(0));
    for (std::size_t i = 0; i < number; ++i) s.norms[i] = norms[indices[i]];
    if (is_sparse) {
      s.starts.push_back(0);
      for (std::size_t i = 0; i < number; ++i) {
        const std::int64_t from = starts[indices[i]], to = starts[indices[i] + 1];
        s.columns.insert(s.columns.end(), columns.begin() + from, columns.begin() + to);
        s.values.insert(s.values.end(), values.begin() + from, values.begin() + to);
        s.starts.push_back(std::int64_t(s.values.size()));
      }
      return s;
    }
    s.panels.assign(s.n_panels() * n_features * kPanel<Real>, Real(0));
    for (std::size_t i = 0; i < number; ++i) {
      const std::size_t from = std::size_t(indices[i]);
      const Real* source = panels.data() + (from / kPanel<Real>)*n_features * kPanel<Real> +
                           from % kPanel<Real>;
      Real* target =
          s.panels.data() + (i / kPanel<Real>)*n_features * kPanel<Real> + i % kPanel<Real>;
      for (std::size_t k = 0; k < n_features; ++k)
        target[k * kPanel<Real>] = source[k * kPanel<Real>];
    }
    return s;
  }
};

}  // namespace bandsvm
