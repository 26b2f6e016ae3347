// Vectors of the width of the instruction set for which this file is compiled, and exp on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

// The same code is compiled for each instruction set, in its own namespace and, within it, in an
// unnamed one.
#ifndef BANDSVM_LEVEL
#define BANDSVM_LEVEL baseline
#endif
#define BANDSVM_TEXT(name) #name
#define BANDSVM_NAME(name) BANDSVM_TEXT(name)

namespace bandsvm {
namespace BANDSVM_LEVEL {
namespace {

// The linker could take std::min and std::max from the version for another instruction set.
template <typename Value>
constexpr Value smaller(Value a, Value b) {
  return b < a ? b : a;
}
template <typename Value>
constexpr Value larger(Value a, Value b) {
  return a < b ? b : a;
}

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
constexpr int kTileVectors = 6;  // 4 x 6 accumulators of 32 registers
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
constexpr int kTileVectors = 3;  // 4 x 3 accumulators of 16 registers
#else
constexpr int kVectorBytes = 16;
constexpr int kTileVectors = 3;
#endif

template <typename Real>
struct Vectors;
template <>
struct Vectors<float> {
  typedef float Vector __attribute__((vector_size(kVectorBytes)));
  typedef std::uint32_t Integers __attribute__((vector_size(kVectorBytes)));
  static constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  static constexpr float kMinExponent = -126.0f;
  static constexpr std::uint32_t kMantissa = 23;
  // 2^r = 1 + r (k0 + r (k1 + ...)) on [-1/2, 1/2], fitted for the smallest relative error, 2e-9.
  static constexpr float kPowerOfTwo[] = {6.9314718246e-1f, 2.4022647738e-1f, 5.5503323674e-2f,
                                          9.6184369177e-3f, 1.3398873853e-3f, 1.5353361960e-4f};
};
template <>
struct Vectors<double> {
  typedef double Vector __attribute__((vector_size(kVectorBytes)));
  typedef std::uint64_t Integers __attribute__((vector_size(kVectorBytes)));
  static constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr double kMinExponent = -1022.0;
  static constexpr std::uint64_t kMantissa = 52;
  // Taylor: log(2)^k / k!
  static constexpr double kPowerOfTwo[] = {
      6.93147180559945286227e-01, 2.40226506959100694072e-01, 5.55041086648215761801e-02,
      9.61812910762847687873e-03, 1.33335581464284411157e-03, 1.54035303933816060656e-04,
      1.52527338040598376946e-05, 1.32154867901443052734e-06, 1.01780860092396959520e-07,
      7.05491162080112087744e-09, 4.44553827187081007394e-10, 2.56784359934881958182e-11,
      1.36914888539041240648e-12};
};

template <typename Real>
using Vector = typename Vectors<Real>::Vector;
template <typename Real>
constexpr int kLanes = kVectorBytes / int(sizeof(Real));

template <typename Real>
inline Vector<Real> load(const Real* from) {
  Vector<Real> v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

template <typename Real>
inline void store(Real* to, Vector<Real> v) {
  std::memcpy(to, &v, sizeof v);
}

// Adds each lane to its own sum in double precision.
inline void add_lanes(double* sums, Vector<double> v) { store(sums, load(sums) + v); }
inline void add_lanes(double* sums, Vector<float> v) {
  typedef float Half __attribute__((vector_size(kVectorBytes / 2)));
  Half halves[2];
  std::memcpy(halves, &v, sizeof v);
  for (int half = 0; half < 2; ++half)
    add_lanes(sums + half * kLanes<double>, __builtin_convertvector(halves[half], Vector<double>));
}

template <typename Real>
inline double sum_of_lanes(Vector<Real> v) {
  double total = 0;
  for (int lane = 0; lane < kLanes<Real>; ++lane) total += double(v[lane]);
  return total;
}

// Lanes of two vectors by their positions, those of the second after those of the first.
template <typename Real, std::size_t... positions>
inline Vector<Real> lanes_of(Vector<Real> a, Vector<Real> b, std::index_sequence<positions...>) {
#ifdef __clang__
  return __builtin_shufflevector(a, b, int(positions)...);
#else
  return __builtin_shuffle(a, b, typename Vectors<Real>::Integers{positions...});
#endif
}

// The lanes of a vector, each swapped with the one `width` lanes away.
template <std::size_t width, typename Real, std::size_t... lanes>
inline Vector<Real> swapped(Vector<Real> v, std::index_sequence<lanes...>) {
  return lanes_of<Real>(v, v, std::index_sequence<(lanes ^ width)...>());
}
template <std::size_t width, typename Real>
inline Vector<Real> swapped(Vector<Real> v) {
  return swapped<width, Real>(v, std::make_index_sequence<kLanes<Real>>());
}

// Swaps blocks of `width` lanes of a pair of rows that lie `width` rows apart.
template <typename Real, std::size_t width, std::size_t... lanes>
inline void swap_blocks(Vector<Real>& upper, Vector<Real>& lower, std::index_sequence<lanes...>) {
  constexpr std::size_t n = sizeof...(lanes);
  const Vector<Real> a = upper, b = lower;
  upper = lanes_of<Real>(
      a, b, std::index_sequence<((lanes & width) == 0 ? lanes : n + (lanes - width))...>());
  lower = lanes_of<Real>(
      a, b, std::index_sequence<((lanes & width) == 0 ? lanes + width : n + lanes)...>());
}

// Transposes as many rows as a vector has lanes (Eklundh 1972).
template <typename Real, std::size_t width = kLanes<Real> / 2>
inline void transpose(Vector<Real>* rows) {
  if constexpr (width > 0) {
    for (std::size_t k = 0; k < kLanes<Real>; ++k)
      if ((k & width) == 0)
        swap_blocks<Real, width>(rows[k], rows[k + width],
                                 std::make_index_sequence<kLanes<Real>>());
    transpose<Real, width / 2>(rows);
  }
}

// 2^x for x <= 0 (larger x count as 0), to the last bit or two: 2^n times a polynomial of the rest.
template <typename Real>
inline Vector<Real> exp2_negative(Vector<Real> x) {
  using Lane = Vectors<Real>;
  constexpr int n_terms = int(sizeof Lane::kPowerOfTwo / sizeof(Real));
  const Vector<Real> smallest = Lane::kMinExponent - Vector<Real>{}, zero{};
  x = x > smallest ? x : smallest;  // NaN too
  x = x < zero ? x : zero;
  const Vector<Real> shifted = x + Lane::kRound;
  const Vector<Real> rest = x - (shifted - Lane::kRound);
  Vector<Real> p = Lane::kPowerOfTwo[n_terms - 1] - Vector<Real>{};
#pragma GCC unroll 16
  for (int k = n_terms - 2; k >= 0; --k) p = p * rest + Lane::kPowerOfTwo[k];
  p = p * rest + Real(1);
  // The integer n sits in the low bits of `shifted`: add it to the exponent.
  typename Lane::Integers exponent, bits;
  std::memcpy(&exponent, &shifted, sizeof exponent);
  std::memcpy(&bits, &p, sizeof bits);
  bits += exponent << Lane::kMantissa;
  std::memcpy(&p, &bits, sizeof p);
  return p;
}

}  // namespace
}  // namespace BANDSVM_LEVEL
}  // namespace bandsvm
