// Arrays of NumPy as compiled functions take them, and where their values lie.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstdint>
#include <vector>

#include "checks.hpp"
#include "pair_step.hpp"

namespace nb = nanobind;

template <typename T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using MutableArray = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using MutableMatrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Where an array's values lie, checked.
template <typename Values>
auto* data_of(const Values& values, const char* name) {
  return bandsvm::aligned(values.data(), values.size(), name);
}

template <typename Values>
auto* data_of(const Values& values, std::size_t expected, const char* name,
              const char* of_what = "samples") {
  bandsvm::check_length(values.shape(0), expected, name, of_what);
  return data_of(values, name);
}

// Indices of any stride.
using Indices = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::device::cpu>;

inline bandsvm::GivenIndices given(const Indices& indices) {
  return {indices.data(), indices.shape(0), indices.stride(0)};
}

inline std::vector<std::int64_t> indices_of(const Indices& indices, std::size_t count,
                                            const char* name) {
  return bandsvm::as_indices(given(indices), count, name);
}

// Bands in arrays, which live as long as it does.
class BandArrays {
 public:
  BandArrays(const Array<double>& lo, const Array<double>& hi, const Array<double>& below,
             const Array<double>& above, const Array<double>& ridge_below,
             const Array<double>& ridge_above)
      : arrays_{lo, hi, below, above, ridge_below, ridge_above},
        bands_{data_of(lo, "lo"),
               data_of(hi, lo.shape(0), "hi"),
               data_of(below, lo.shape(0), "below"),
               data_of(above, lo.shape(0), "above"),
               data_of(ridge_below, lo.shape(0), "ridge_below"),
               data_of(ridge_above, lo.shape(0), "ridge_above"),
               lo.shape(0)} {}

  const bandsvm::Bands& view() const { return bands_; }

 private:
  std::array<Array<double>, 6> arrays_;
  bandsvm::Bands bands_;
};

// Each adds the functions and classes of its file to the module.
void bind_rows(nb::module_& module);
void bind_bands(nb::module_& module);
void bind_linear(nb::module_& module);
void bind_newton(nb::module_& module);
void bind_certificate(nb::module_& module);
void bind_small(nb::module_& module);
