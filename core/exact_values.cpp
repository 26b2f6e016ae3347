// Kernel values by their definitions, several at a time; compiled once per instruction set.
#include "exact_values.hpp"

#include <cmath>

#include "vector.hpp"

namespace bandsvm {
namespace BANDSVM_LEVEL {
namespace {

using V = Vector<double>;
constexpr int kLane = kLanes<double>;
// Vectors of values side by side, in as many registers.
constexpr int kVectors = 4;
constexpr std::size_t kSideBySide = kVectors * kLane;

// e^-x for x >= 0, to the last bit or two; what float64 can only hold as a denormal number is 0.
inline V exp_of_minus(V x) {
  constexpr double kMaxExponent = 708.0, kLog2E = 1.4426950408889634;
  constexpr double kLog2High = 6.93147180369123816490e-01, kLog2Low = 1.90821492927058770002e-10;
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
  // Taylor: 1 / k!
  constexpr double kTerms[] = {1,
                               0.5,
                               0.16666666666666666,
                               0.041666666666666664,
                               0.0083333333333333332,
                               0.0013888888888888889,
                               0.00019841269841269841,
                               2.4801587301587302e-05,
                               2.7557319223985893e-06,
                               2.7557319223985888e-07,
                               2.505210838544172e-08,
                               2.08767569878681e-09,
                               1.6059043836821613e-10};
  constexpr int n_terms = int(sizeof kTerms / sizeof kTerms[0]);
  const V largest = kMaxExponent - V{}, zero{};
  const V clipped = x < largest ? x : largest;
  const V shifted = clipped * -kLog2E + kRound;
  const V n = shifted - kRound;
  const V rest = (-clipped - n * kLog2High) - n * kLog2Low;
  V sum = kTerms[n_terms - 1] - V{};
#pragma GCC unroll 16
  for (int k = n_terms - 2; k >= 0; --k) sum = sum * rest + kTerms[k];
  sum = sum * rest + 1.0;
  typename Vectors<double>::Integers exponent, bits;
  std::memcpy(&exponent, &shifted, sizeof exponent);
  std::memcpy(&bits, &sum, sizeof bits);
  bits += exponent << 52;
  std::memcpy(&sum, &bits, sizeof sum);
  return x < largest ? sum : (x >= largest ? zero : x);  // NaN stays
}

// What a feature of two samples adds to their distance or product.
template <KernelKind Kind>
inline V of_feature(V x, V z) {
  const V zero{}, difference = x - z;
  if constexpr (Kind == KernelKind::rbf) return difference * difference;
  if constexpr (Kind == KernelKind::laplacian) return difference < zero ? -difference : difference;
  if constexpr (Kind == KernelKind::chi2) {
    // Squares of small differences could be 0.
    const V total = x + z;
    const V term = difference * (difference / (total > zero ? total : 1.0 - zero));
    return total > zero ? term : zero;
  }
  return x * z;
}

template <KernelKind Kind>
inline V of_zero(V x) {
  if constexpr (Kind == KernelKind::rbf) return x * x;
  if constexpr (Kind == KernelKind::laplacian) return x < V{} ? -x : x;
  return x;
}

// The kernel value of a distance or product.
template <KernelKind Kind>
inline V value_of(V s, const Kernel& kernel) {
  // Distances may be infinite.
  if constexpr (is_distance(Kind)) return exp_of_minus(kernel.gamma == 0 ? V{} : s * kernel.gamma);
  V values = s * kernel.gamma + kernel.coef0;
  if constexpr (Kind == KernelKind::poly) {
    V power = 1.0 - V{};
    for (unsigned left = unsigned(kernel.degree); left > 0; left >>= 1U) {
      if (left & 1U) power = power * values;
      values = values * values;
    }
    return power;
  }
  for (int lane = 0; lane < kLane; ++lane) values[lane] = ::tanh(values[lane]);
  return values;
}

// Distances or products of two targets with the terms.
template <KernelKind Kind>
void sum_features(const double* x, const double* y, std::size_t n_features, const double* z,
                  V (&of_x)[kVectors], V (&of_y)[kVectors]) {
  // Separate variables, because the compiler would keep arrays of them in memory.
  V x0{}, x1{}, x2{}, x3{}, y0{}, y1{}, y2{}, y3{};
  for (std::size_t k = 0; k < n_features; ++k, z += kSideBySide) {
    const V at_x = x[k] - V{}, at_y = y[k] - V{};
    const V z0 = load(z), z1 = load(z + kLane), z2 = load(z + 2 * kLane), z3 = load(z + 3 * kLane);
    x0 += of_feature<Kind>(at_x, z0), y0 += of_feature<Kind>(at_y, z0);
    x1 += of_feature<Kind>(at_x, z1), y1 += of_feature<Kind>(at_y, z1);
    x2 += of_feature<Kind>(at_x, z2), y2 += of_feature<Kind>(at_y, z2);
    x3 += of_feature<Kind>(at_x, z3), y3 += of_feature<Kind>(at_y, z3);
  }
  of_x[0] = x0, of_x[1] = x1, of_x[2] = x2, of_x[3] = x3;
  of_y[0] = y0, of_y[1] = y1, of_y[2] = y2, of_y[3] = y3;
}

template <KernelKind Kind>
void add_dense(const Kernel& kernel, const double* targets, std::size_t n_targets,
               std::size_t n_features, const double* terms, const double* coefficients,
               std::size_t n_outputs, std::size_t n_terms, double* sums) {
  for (std::size_t t = 0; t < n_targets; t += 2) {
    const std::size_t n = smaller<std::size_t>(2, n_targets - t);
    const double* const x = targets + t * n_features;
    V values[2][kVectors];
    sum_features<Kind>(x, n == 2 ? x + n_features : x, n_features, terms, values[0], values[1]);
    for (std::size_t r = 0; r < n; ++r)
      for (int v = 0; v < kVectors; ++v) {
        V value = value_of<Kind>(values[r][v], kernel);
        // Padding may be infinite, and its coefficient is 0.
        for (int lane = 0; lane < kLane && n_terms < kSideBySide; ++lane)
          if (std::size_t(v) * kLane + std::size_t(lane) >= n_terms) value[lane] = 0;
        for (std::size_t o = 0; o < n_outputs; ++o) {
          double* const to = sums + ((t + r) * n_outputs + o) * kSideBySide + v * kLane;
          store(to, load(to) + load(coefficients + o * kSideBySide + v * kLane) * value);
        }
      }
  }
}

// Adds coefficients times kernel values of a term with all targets to their sums.
template <KernelKind Kind>
void deliver(const Kernel& kernel, const V (&distances)[kVectors], const double* coefficients,
             std::size_t n_terms, std::size_t n_outputs, double* sums) {
  for (int v = 0; v < kVectors; ++v) {
    const V value = value_of<Kind>(distances[v], kernel);
    for (std::size_t o = 0; o < n_outputs; ++o) {
      double* const to = sums + o * kSideBySide + v * kLane;
      store(to, load(to) + coefficients[o * n_terms] * value);
    }
  }
}

template <KernelKind Kind>
void add_sparse(const Kernel& kernel, const SparseTargets& targets, const SparseTerms& terms,
                std::size_t n_outputs, double* sums) {
  for (std::size_t k = 0; k < terms.number; ++k) {
    V s[kVectors] = {}, met[kVectors] = {};
    for (std::int64_t at = terms.starts[k]; at < terms.starts[k + 1]; ++at) {
      const double* const x = targets.table + std::size_t(terms.places[at]) * kSideBySide;
      const V z = terms.values[at] - V{};
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        const V own = load(x + v * kLane);
        s[v] += of_feature<Kind>(own, z);
        if constexpr (is_distance(Kind)) met[v] += of_zero<Kind>(own);
      }
    }
    if constexpr (is_distance(Kind))
      for (int v = 0; v < kVectors; ++v) {
        const V rest = load(targets.own + v * kLane) - met[v];
        s[v] += rest > V{} ? rest : V{};
      }
    deliver<Kind>(kernel, s, terms.coefficients + k, terms.number, n_outputs, sums);
  }
}

template <KernelKind Kind>
void add_sparse_carefully(const Kernel& kernel, const SparseTargets& targets,
                          const SparseTerms& terms, std::size_t n_outputs, double* sums) {
  for (std::size_t k = 0; k < terms.number; ++k) {
    V s[kVectors] = {};
    for (std::int64_t at = terms.starts[k]; at < terms.starts[k + 1]; ++at) {
      targets.is_met[terms.places[at]] = 1;
      const double* const x = targets.table + std::size_t(terms.places[at]) * kSideBySide;
      for (int v = 0; v < kVectors; ++v)
        s[v] += of_feature<Kind>(load(x + v * kLane), terms.values[at] - V{});
    }
    for (std::size_t place = 1; place < targets.n_places; ++place) {
      if (targets.is_met[place]) continue;
      for (int v = 0; v < kVectors; ++v)
        s[v] += of_zero<Kind>(load(targets.table + place * kSideBySide + v * kLane));
    }
    for (std::int64_t at = terms.starts[k]; at < terms.starts[k + 1]; ++at)
      targets.is_met[terms.places[at]] = 0;
    deliver<Kind>(kernel, s, terms.coefficients + k, terms.number, n_outputs, sums);
  }
}

struct OfKind {
  decltype(ExactInstructions::add_dense) add_dense;
  decltype(ExactInstructions::add_sparse) add_sparse, add_sparse_carefully;
};

template <KernelKind Kind>
constexpr OfKind kFunctions{add_dense<Kind>, add_sparse<Kind>, add_sparse_carefully<Kind>};

// Functions by the kernel's kind; the linear kernel has no kernel values.
constexpr OfKind kOfKinds[] = {{},
                               kFunctions<KernelKind::rbf>,
                               kFunctions<KernelKind::poly>,
                               kFunctions<KernelKind::sigmoid>,
                               kFunctions<KernelKind::laplacian>,
                               kFunctions<KernelKind::chi2>};
static_assert(int(KernelKind::linear) == 0 && int(KernelKind::rbf) == 1 &&
                  int(KernelKind::poly) == 2 && int(KernelKind::sigmoid) == 3 &&
                  int(KernelKind::laplacian) == 4 && int(KernelKind::chi2) == 5,
              "functions must lie in the order of kinds");

// Calls the function for the kernel's kind.
template <auto kFunction, typename... Others>
void of_kind(const Kernel& kernel, Others... others) {
  (kOfKinds[int(kernel.kind)].*kFunction)(kernel, others...);
}

}  // namespace

void get(ExactInstructions& offered) {
  offered = {BANDSVM_NAME(BANDSVM_LEVEL), kSideBySide, of_kind<&OfKind::add_dense>,
             of_kind<&OfKind::add_sparse>, of_kind<&OfKind::add_sparse_carefully>};
}

}  // namespace BANDSVM_LEVEL
}  // namespace bandsvm
