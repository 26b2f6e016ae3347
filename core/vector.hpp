// Vectors as wide as the level of instructions this file is compiled for, and exp on them.
#pragma once

#include <cstdint>
#include <cstring>

// Each level of instructions gets the same code in a namespace of its own.
#ifndef BANDSVM_LEVEL
#define BANDSVM_LEVEL baseline
#endif

namespace bandsvm {
namespace BANDSVM_LEVEL {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
constexpr int kTileRows = 8;  // 8 x 3 accumulators of 32 registers
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
constexpr int kTileRows = 4;  // 4 x 3 accumulators of 16 registers
#else
constexpr int kVectorBytes = 16;
constexpr int kTileRows = 4;
#endif
constexpr int kTileVectors = 3;

template <typename Real>
struct Vectors;
template <>
struct Vectors<float> {
  typedef float Vector __attribute__((vector_size(kVectorBytes)));
  typedef std::uint32_t Integers __attribute__((vector_size(kVectorBytes)));
  static constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  static constexpr float kLog2High = 0.693359375f, kLog2Low = -2.12194440e-4f;
  static constexpr float kSmallest = -87.0f;
  static constexpr std::uint32_t kMantissa = 23, kBias = 127;
  static constexpr int kTerms = 7;
};
template <>
struct Vectors<double> {
  typedef double Vector __attribute__((vector_size(kVectorBytes)));
  typedef std::uint64_t Integers __attribute__((vector_size(kVectorBytes)));
  static constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr double kLog2High = 6.93147180369123816490e-01, kLog2Low = 1.90821492927058770002e-10;
  static constexpr double kSmallest = -708.0;
  static constexpr std::uint64_t kMantissa = 52, kBias = 1023;
  static constexpr int kTerms = 13;
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

constexpr double kInverseFactorials[] = {1.0,
                                         1.0,
                                         1.0 / 2,
                                         1.0 / 6,
                                         1.0 / 24,
                                         1.0 / 120,
                                         1.0 / 720,
                                         1.0 / 5040,
                                         1.0 / 40320,
                                         1.0 / 362880,
                                         1.0 / 3628800,
                                         1.0 / 39916800,
                                         1.0 / 479001600,
                                         1.0 / 6227020800};

// exp(x) for x <= 0: 2^n times the Taylor polynomial of the rest, to the last bit or two.
template <typename Real>
inline Vector<Real> exp_negative(Vector<Real> x) {
  using Lane = Vectors<Real>;
  const Vector<Real> smallest = Lane::kSmallest - Vector<Real>{};
  x = x > smallest ? x : smallest;
  const Vector<Real> shifted = x * Real(1.4426950408889634074) + Lane::kRound;
  const Vector<Real> n = shifted - Lane::kRound;
  const Vector<Real> rest = (x - n * Lane::kLog2High) - n * Lane::kLog2Low;
  Vector<Real> p = Real(kInverseFactorials[Lane::kTerms]) - Vector<Real>{};
#pragma GCC unroll 16
  for (int k = Lane::kTerms - 1; k >= 0; --k) p = p * rest + Real(kInverseFactorials[k]);
  // The integer n sits in the low bits of `shifted`: move it into the exponent.
  typename Lane::Integers bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  bits = (bits + Lane::kBias) << Lane::kMantissa;
  Vector<Real> power;
  std::memcpy(&power, &bits, sizeof power);
  return p * power;
}

}  // namespace BANDSVM_LEVEL
}  // namespace bandsvm
