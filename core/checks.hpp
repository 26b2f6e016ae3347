// Checks of the arguments of compiled functions; the bindings call them before any work begins.
//
// Shapes, addresses and numbers cost nothing to check. Indices are copied and then checked, so that
// no other thread can change them in between. Values of samples, coefficients and bounds are not
// checked: they may be anything, and other threads may change them. That spoils results, but no
// address depends on them. If one pass counts values for the next (Samples::pack, ColumnsInUse),
// the next one is bounded by the count.
//
// Sizes are 64 bits wide. These are narrower, with the check that prevents an overflow:
//   places of sparse columns   int32  ColumnsInUse::add refuses more than 2^31 - 1 columns in use;
//                                     Samples::pack packs more features as dense ones
//   places in a block          Real   check_block_size: float counts exactly up to 2^24
//   degree, n_threads          int    as_kernel and as_threads
// Products of sizes count values that lie in memory, below 2^48, or the values of panels and groups
// of rows, at most kPanel = 96 times as many. in_parallel multiplies numbers of rows, panels or
// groups, below 2^48, by at most kPieces kMaxThreads = 2^12.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "samples.hpp"

namespace bandsvm {

static_assert(sizeof(std::size_t) == 8, "sizes need 64 bits");

// More are never started: nobody has that many cores, and wrong numbers are often huge.
constexpr int kMaxThreads = 1024;

inline void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

// The message is only built if it is needed.
inline void require(bool holds, const char* name, const char* rule, long long got) {
  if (!holds)
    throw std::invalid_argument(std::string(name) + " " + rule + ", got " + std::to_string(got) +
                                ".");
}

// Misaligned access is undefined behaviour, and fatal on some processors.
template <typename T>
T* aligned(T* data, std::size_t size, const char* name) {
  if (size > 0 && reinterpret_cast<std::uintptr_t>(data) % alignof(T) != 0)
    throw std::invalid_argument(std::string(name) +
                                " must be aligned in memory; copy it with numpy.copy.");
  return data;
}

inline void check_length(std::size_t length, std::size_t expected, const char* name,
                         const char* of_what) {
  if (length != expected)
    throw std::invalid_argument(std::string(name) + " must have one value for each of the " +
                                std::to_string(expected) + " " + of_what + ", got " +
                                std::to_string(length) + ".");
}

// Indices in the caller's memory.
struct GivenIndices {
  const std::int64_t* first;
  std::size_t number;
  std::int64_t stride;
};

// A copy of indices, checked to lie in [least, count); other threads cannot change it.
inline std::vector<std::int64_t> as_indices(const GivenIndices& given, std::size_t count,
                                            const char* name, std::int64_t least = 0) {
  aligned(given.first, given.number, name);
  // An array of stride 0 takes no memory, but its copy could take all of it.
  require(given.number <= 1 || given.stride != 0, name, "must not be one value repeated by stride",
          given.stride);
  std::vector<std::int64_t> checked(given.number);
  for (std::size_t k = 0; k < given.number; ++k)
    checked[k] = given.first[std::int64_t(k) * given.stride];
  for (std::int64_t index : checked)
    if (index < least || (index >= 0 && std::size_t(index) >= count))
      throw std::invalid_argument(std::string(name) + " must lie in [" + std::to_string(least) +
                                  ", " + std::to_string(count) + "), got " + std::to_string(index) +
                                  ".");
  return checked;
}

// A copy of the CSR row pointers into n_values values.
inline std::vector<std::int64_t> as_starts(const GivenIndices& starts, std::size_t n_values) {
  require(starts.number > 0, "starts must not be empty.");
  std::vector<std::int64_t> checked = as_indices(starts, n_values + 1, "starts");
  require(std::is_sorted(checked.begin(), checked.end()), "starts must not fall.");
  return checked;
}

inline int as_threads(int n_threads) {
  require(n_threads >= 1, "n_threads", "must be at least 1", n_threads);
  return std::min(n_threads, kMaxThreads);
}

inline double as_finite(double value, const char* name) {
  if (!std::isfinite(value))
    throw std::invalid_argument(std::string(name) + " must be finite, got " +
                                std::to_string(value) + ".");
  return value;
}

inline const char* name_of(KernelKind kind) {
  return std::find_if(std::begin(kKernelNames), std::end(kKernelNames),
                      [=](const KernelName& known) { return known.kind == kind; })
      ->name;
}

// Refuses a kernel that is not among those that `is_among` holds for.
inline void refuse_kernel(const std::string& name, bool (*is_among)(KernelKind)) {
  std::string names;
  for (const KernelName& known : kKernelNames)
    if (is_among(known.kind))
      names += (names.empty() ? "'" : ", '") + std::string(known.name) + "'";
  names.replace(names.rfind(", "), 2, " or ");
  throw std::invalid_argument("kernel must be " + names + ", got '" + name + "'.");
}

inline Kernel as_kernel(const std::string& name, double gamma, double coef0, int degree) {
  require(degree >= 0, "degree", "must be at least 0", degree);
  const auto* const known =
      std::find_if(std::begin(kKernelNames), std::end(kKernelNames),
                   [&](const KernelName& given) { return given.name == name; });
  if (known == std::end(kKernelNames)) refuse_kernel(name, [](KernelKind) { return true; });
  return {known->kind, as_finite(gamma, "gamma"), as_finite(coef0, "coef0"), degree};
}

inline void check_has_rows(const Kernel& kernel) {
  if (!has_rows(kernel.kind)) refuse_kernel(name_of(kernel.kind), has_rows);
}

inline void check_has_definition(const Kernel& kernel) {
  if (!has_definition(kernel.kind)) refuse_kernel(name_of(kernel.kind), has_definition);
}

template <typename Real>
void check_rows(const Samples<Real>& samples) {
  require(samples.has_rows(),
          "samples that were taken from dense ones have no rows; use those they were taken from.");
}

// For kernel values of rows of left with all of right.
template <typename Real>
void check_pair(const Samples<Real>& left, const Samples<Real>& right) {
  check_rows(left);
  if (left.n_features() != right.n_features())
    throw std::invalid_argument("left and right must have the same features, got " +
                                std::to_string(left.n_features()) + " and " +
                                std::to_string(right.n_features()) + ".");
}

// Searches in a block store positions as Real.
template <typename Real>
void check_block_size(std::size_t size) {
  constexpr unsigned kDigits = std::numeric_limits<Real>::digits;
  require(size <= std::size_t(1) << kDigits,
          "a block has more samples than its type of number can count; use float64.");
}

}  // namespace bandsvm
