// Arrays of samples, and bands with costs, as certificates take them.
#pragma once

#include <nanobind/stl/tuple.h>

#include <array>
#include <tuple>
#include <utility>

#include "arrays.hpp"
#include "exact_products.hpp"
#include "optimality.hpp"

// Starts, columns and values of a CSR matrix.
template <typename Real, typename Index>
using CsrArrays = std::tuple<Indices, Array<Index>, Array<Real>>;

template <typename Real>
bandsvm::DenseMatrix<Real> matrix_of(const Matrix<Real>& X, std::size_t n_features,
                                     const char* name) {
  bandsvm::require(X.shape(1) == n_features, "matrices must have n_features columns.");
  return {data_of(X, name), X.shape(0), X.shape(1)};
}

template <typename Real, typename Index>
bandsvm::CsrMatrix<Real, Index> matrix_of(const CsrArrays<Real, Index>& X, std::size_t n_features,
                                          const char* name) {
  const auto& [starts, columns, values] = X;
  auto checked = bandsvm::as_starts(given(starts), values.shape(0));
  return {std::move(checked), data_of(columns, values.shape(0), name, "values"),
          data_of(values, name), n_features};
}

template <typename Real>
std::size_t rows_of(const Matrix<Real>& X) {
  return X.shape(0);
}

template <typename Real, typename Index>
std::size_t rows_of(const CsrArrays<Real, Index>& X) {
  const std::size_t n_starts = std::get<0>(X).shape(0);
  return n_starts == 0 ? 0 : n_starts - 1;
}

// Priced bands in arrays, which live as long as it does.
class PricedBandArrays {
 public:
  PricedBandArrays(const Array<double>& lo, const Array<double>& hi, const Array<double>& below,
                   const Array<double>& above, const Array<double>& most,
                   const Array<double>& least, bool is_squared, double total)
      : arrays_{lo, hi, below, above, most, least},
        bands_{data_of(lo, "lo"),
               data_of(hi, lo.shape(0), "hi"),
               data_of(below, lo.shape(0), "below"),
               data_of(above, lo.shape(0), "above"),
               data_of(most, lo.shape(0), "most"),
               data_of(least, lo.shape(0), "least"),
               lo.shape(0),
               is_squared,
               total} {}

  const bandsvm::PricedBands& view() const { return bands_; }

  bandsvm::JudgedPoint at(const Array<double>& c, const Array<double>& f) const {
    return {bands_, data_of(c, bands_.size, "c"), data_of(f, bands_.size, "f")};
  }

 private:
  std::array<Array<double>, 6> arrays_;
  bandsvm::PricedBands bands_;
};
