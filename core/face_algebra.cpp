// Cholesky factors by tiles of inner products, and other passes over matrices; compiled once per
// instruction set.
#include "face_algebra.hpp"

#include "vector.hpp"

namespace bandsvm {
namespace BANDSVM_LEVEL {
namespace {

using V = Vector<double>;
constexpr std::size_t kVectorWidth = kLanes<double>;
// Columns that are factorised together: whole vectors at any level of instructions.
constexpr std::size_t kTileColumns = 8;
constexpr std::size_t kTileSide = 4;
static_assert(kTileColumns % kVectorWidth == 0 && kTileColumns == 2 * kTileSide,
              "tiles must fill columns");

inline double root_of(double x) { return __builtin_sqrt(x); }

inline double dot(const double* a, const double* b, std::size_t size) {
  const std::size_t whole = size / kVectorWidth * kVectorWidth;
  V sum{};
  for (std::size_t k = 0; k < whole; k += kVectorWidth) sum += load(a + k) * load(b + k);
  double total = sum_of_lanes<double>(sum);
  for (std::size_t k = whole; k < size; ++k) total += a[k] * b[k];
  return total;
}

// to[r][q] -= <row r of a, row q of b> for tiles of kTileSide rows; `length` is a multiple of
// kTileColumns.
inline void subtract_products(const double* a, const double* b, std::size_t stride,
                              std::size_t length, double* to) {
  const double *a0 = a, *a1 = a + stride, *a2 = a + 2 * stride, *a3 = a + 3 * stride;
  const double *b0 = b, *b1 = b + stride, *b2 = b + 2 * stride, *b3 = b + 3 * stride;
  // Separate variables, because the compiler would keep arrays of them in memory.
  V s00{}, s01{}, s02{}, s03{}, s10{}, s11{}, s12{}, s13{};
  V s20{}, s21{}, s22{}, s23{}, s30{}, s31{}, s32{}, s33{};
  for (std::size_t k = 0; k < length; k += kVectorWidth) {
    const V y0 = load(b0 + k), y1 = load(b1 + k), y2 = load(b2 + k), y3 = load(b3 + k);
    const V x0 = load(a0 + k), x1 = load(a1 + k), x2 = load(a2 + k), x3 = load(a3 + k);
    s00 += x0 * y0, s01 += x0 * y1, s02 += x0 * y2, s03 += x0 * y3;
    s10 += x1 * y0, s11 += x1 * y1, s12 += x1 * y2, s13 += x1 * y3;
    s20 += x2 * y0, s21 += x2 * y1, s22 += x2 * y2, s23 += x2 * y3;
    s30 += x3 * y0, s31 += x3 * y1, s32 += x3 * y2, s33 += x3 * y3;
  }
  const V sums[kTileSide][kTileSide] = {
      {s00, s01, s02, s03}, {s10, s11, s12, s13}, {s20, s21, s22, s23}, {s30, s31, s32, s33}};
  for (std::size_t r = 0; r < kTileSide; ++r)
    for (std::size_t q = 0; q < kTileSide; ++q)
      to[r * stride + q] -= sum_of_lanes<double>(sums[r][q]);
}

// Subtracts from columns [first, first + n) of rows [begin, end) what earlier columns explain.
void subtract_earlier(double* matrix, std::size_t stride, std::size_t first, std::size_t n,
                      std::size_t begin, std::size_t end) {
  const double* const columns = matrix + first * stride;
  std::size_t i = begin;
  if (n == kTileColumns)
    for (; i + kTileSide <= end; i += kTileSide)
      for (std::size_t q = 0; q < kTileColumns; q += kTileSide)
        subtract_products(matrix + i * stride, columns + q * stride, stride, first,
                          matrix + i * stride + first + q);
  for (; i < end; ++i)
    for (std::size_t q = 0; q < n; ++q)
      matrix[i * stride + first + q] -= dot(matrix + i * stride, columns + q * stride, first);
}

bool factorise(double* matrix, std::size_t size) {
  for (std::size_t first = 0; first < size; first += kTileColumns) {
    const std::size_t n = smaller(kTileColumns, size - first);
    // Above the diagonal nothing may change.
    double above[kTileColumns][kTileColumns];
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t q = r + 1; q < n; ++q) above[r][q] = matrix[(first + r) * size + first + q];
    subtract_earlier(matrix, size, first, n, first, size);
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t q = r + 1; q < n; ++q) matrix[(first + r) * size + first + q] = above[r][q];
    for (std::size_t i = first; i < size; ++i) {
      double* const row = matrix + i * size + first;
      const std::size_t n_before = smaller(n, i - first);
      for (std::size_t q = 0; q < n_before; ++q) {
        const double* const other = matrix + (first + q) * size + first;
        double value = row[q];
        for (std::size_t k = 0; k < q; ++k) value -= row[k] * other[k];
        row[q] = value / other[q];
      }
      if (n_before == n) continue;
      double square = row[n_before];
      for (std::size_t k = 0; k < n_before; ++k) square -= row[k] * row[k];
      if (!(square > 0) || square > 1.7e308) return false;
      row[n_before] = root_of(square);
    }
  }
  return true;
}

void solve(const double* factor, std::size_t size, double* x) {
  for (std::size_t i = 0; i < size; ++i)
    x[i] = (x[i] - dot(factor + i * size, x, i)) / factor[i * size + i];
  for (std::size_t i = size; i-- > 0;) {
    const double* const row = factor + i * size;
    x[i] /= row[i];
    const double value = x[i];
    for (std::size_t k = 0; k < i; ++k) x[k] -= value * row[k];
  }
}

template <typename Real>
Real largest(const Real* values, std::size_t size) {
  constexpr std::size_t lanes = kLanes<Real>;
  const std::size_t whole = size / lanes * lanes;
  Vector<Real> most{}, product{};
  for (std::size_t k = 0; k < whole; k += lanes) {
    const Vector<Real> value = load(values + k);
    const Vector<Real> size_of = value < Vector<Real>{} ? -value : value;
    most = size_of > most ? size_of : most;
    product += value * Real(0);  // NaN if one is not finite
  }
  Real found = 0, check = Real(sum_of_lanes<Real>(product));
  for (std::size_t lane = 0; lane < lanes; ++lane) found = larger(found, Real(most[lane]));
  for (std::size_t k = whole; k < size; ++k) {
    found = larger(found, values[k] < 0 ? -values[k] : values[k]);
    check += values[k] * Real(0);
  }
  return check == 0 ? found : Real(__builtin_inf());
}

void round(const double* values, std::size_t size, float* rounded) {
  for (std::size_t k = 0; k < size; ++k) rounded[k] = float(values[k]);
}

}  // namespace

void get(FaceInstructions& offered) {
  offered = {BANDSVM_NAME(BANDSVM_LEVEL), factorise, solve, largest<double>, largest<float>, round};
}

}  // namespace BANDSVM_LEVEL
}  // namespace bandsvm
