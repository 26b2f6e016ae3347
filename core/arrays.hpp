// Arrays of NumPy as compiled functions take them, and where their values lie.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "checks.hpp"

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

// Adds the rows of linear models to the module.
void bind_linear(nb::module_& module);
// Adds their Newton steps.
void bind_newton(nb::module_& module);
// Adds what certificates are made of.
void bind_certificate(nb::module_& module);
