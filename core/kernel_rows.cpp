// Kernel rows, updates of f and searches in a block; compiled once a level of instructions.
#include "kernel_rows.hpp"

#include <cmath>

#include "block_search.hpp"
#include "vector.hpp"

namespace bandsvm {
namespace BANDSVM_LEVEL {
namespace {

template <typename Real>
constexpr int kTileWidth = kTileVectors * kLanes<Real>;
constexpr std::size_t kMostPanels = 16, kPanelBytes = 1 << 18, kBatchBytes = 1 << 22;

template <typename Real>
Vector<Real> power(Vector<Real> base, int exponent) {
  Vector<Real> result = Real(1) - Vector<Real>{};
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result *= base;
    base *= base;
  }
  return result;
}

template <typename Real>
Vector<Real> tanh_of(Vector<Real> x) {
  const Vector<Real> zero{};
  const Vector<Real> size = x < zero ? -x : x;
  const Vector<Real> e = exp_negative<Real>(size * Real(-2));
  const Vector<Real> t = (Real(1) - e) / (Real(1) + e);
  return x < zero ? -t : t;
}

// Inner products to kernel values.
template <typename Real, KernelKind Kind>
inline Vector<Real> finish(Vector<Real> product, Real left_norm, Vector<Real> right_norms,
                           const KernelFunction& kernel) {
  const Real gamma = Real(kernel.gamma), coef0 = Real(kernel.coef0);
  if constexpr (Kind == KernelKind::linear) return product;
  if constexpr (Kind == KernelKind::rbf) {
    const Vector<Real> zero{};
    Vector<Real> distance = (right_norms + left_norm) - Real(2) * product;
    distance = distance > zero ? distance : zero;
    return exp_negative<Real>(distance * -gamma);
  }
  if constexpr (Kind == KernelKind::poly)
    return power<Real>(product * gamma + coef0, kernel.degree);
  if constexpr (Kind == KernelKind::sigmoid) return tanh_of<Real>(product * gamma + coef0);
}

// Takes the inner products of a few rows with the samples of some vectors, and makes of them what
// the task asks for.
template <typename Real, KernelKind Kind, Use How>
struct Sink {
  const RowsTask<Real>& task;
  std::vector<Vector<Real>> sums;  // multiply: one for each row and output

  explicit Sink(const RowsTask<Real>& t)
      : task(t), sums(How == Use::multiply ? t.n_rows * t.n_outputs : 0, Vector<Real>{}) {}

  // Products of rows [first, first + n) with n_vectors vectors of samples from `column` on;
  // those of row r begin at products + r * n_vectors.
  template <int NVectors>
  void take(std::size_t first, std::size_t n, std::size_t column, const Vector<Real>* products,
            const Real* left_norms) {
    const Real* norms = task.right->norms.data() + column;
    Vector<Real> totals[NVectors] = {};
    for (std::size_t r = 0; r < n; ++r) {
#pragma GCC unroll 3
      for (int v = 0; v < NVectors; ++v) {
        const Vector<Real> values =
            finish<Real, Kind>(products[r * NVectors + v], left_norms[first + r],
                               load(norms + v * kLanes<Real>), task.kernel);
        if constexpr (How == Use::store)
          store(task.rows[first + r] + column + v * kLanes<Real>, values);
        if constexpr (How == Use::multiply)
          multiply(first + r, column + v * kLanes<Real>, values);
        if constexpr (How == Use::accumulate)
          totals[v] += values * Real(task.row_coefficients[first + r]);
      }
    }
    if constexpr (How == Use::accumulate)
      for (int v = 0; v < NVectors; ++v) add_to_f(column + v * kLanes<Real>, totals[v]);
  }

  void add_to_f(std::size_t column, Vector<Real> values) {
    typedef double Doubles __attribute__((vector_size(kLanes<Real> * sizeof(double))));
    if (column + kLanes<Real> <= task.right->count) {
      Doubles f;
      std::memcpy(&f, task.f + column, sizeof f);
      f += __builtin_convertvector(values, Doubles);
      std::memcpy(task.f + column, &f, sizeof f);
      return;
    }
    for (std::size_t j = column; j < task.right->count; ++j)
      task.f[j] += double(values[j - column]);
  }

  void multiply(std::size_t row, std::size_t column, Vector<Real> values) {
    for (std::size_t o = 0; o < task.n_outputs; ++o)
      sums[row * task.n_outputs + o] +=
          values * load(task.coefficients + o * task.right->stride() + column);
  }

  void deliver() {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      double total = 0;
      for (int lane = 0; lane < kLanes<Real>; ++lane) total += double(sums[i][lane]);
      task.products[i] += total;
    }
  }
};

// kTileRows rows x three vectors of samples. Accumulators have names of their own because the
// compiler keeps an array of them in memory rather than in registers.
#if defined(__AVX512F__)
#define BANDSVM_EACH_ROW(do) do(0) do(1) do(2) do(3) do(4) do(5) do(6) do(7)
#else
#define BANDSVM_EACH_ROW(do) do(0) do(1) do(2) do(3)
#endif
#define BANDSVM_CLEAR(r) Vector<Real> s##r##0{}, s##r##1{}, s##r##2{};
#define BANDSVM_ADD(r)                     \
  {                                        \
    const Real x = left[k * kTileRows + r]; \
    s##r##0 += x * column0;                \
    s##r##1 += x * column1;                \
    s##r##2 += x * column2;                \
  }
#define BANDSVM_KEEP(r) sums[r][0] = s##r##0, sums[r][1] = s##r##1, sums[r][2] = s##r##2;

// Not inlined: among the caller's constants some accumulators would not find a register either.
template <typename Real>
__attribute__((noinline)) void dense_tile(const Real* left, const Real* panel, std::size_t n_features,
                       Vector<Real> (&sums)[kTileRows][kTileVectors]) {
  BANDSVM_EACH_ROW(BANDSVM_CLEAR)
  for (std::size_t k = 0; k < n_features; ++k, panel += kPanel<Real>) {
    const Vector<Real> column0 = load(panel), column1 = load(panel + kLanes<Real>),
                       column2 = load(panel + 2 * kLanes<Real>);
    BANDSVM_EACH_ROW(BANDSVM_ADD)
  }
  BANDSVM_EACH_ROW(BANDSVM_KEEP)
}

// Left rows, kTileRows of them interleaved feature by feature, group after group.
template <typename Real, int Group>
std::vector<Real> interleave(const RowsTask<Real>& task, std::vector<Real>& norms) {
  const std::size_t d = task.right->n_features;
  const std::size_t n_groups = (task.n_rows + Group - 1) / Group;
  const bool moved = !task.right->is_sparse;
  const Real* origin = moved && task.left->is_sparse ? task.right->centre.data() : nullptr;
  std::vector<Real> left(n_groups * d * Group, Real(0)), dense(d);
  norms.assign(n_groups * Group, Real(0));
  for (std::size_t r = 0; r < task.n_rows; ++r) {
    const std::size_t i = std::size_t(task.indices[r]);
    task.left->row(i, origin, dense.data());
    Real* group = left.data() + (r / Group) * d * Group + r % Group;
    double norm = 0;
    for (std::size_t k = 0; k < d; ++k) {
      group[k * Group] = dense[k];
      norm += double(dense[k]) * double(dense[k]);
    }
    norms[r] = origin ? Real(norm) : task.left->norms[i];
  }
  return left;
}

template <typename Real, KernelKind Kind, Use How>
void dense_rows(const RowsTask<Real>& task) {
  const Samples<Real>& right = *task.right;
  const std::size_t d = right.n_features;
  std::vector<Real> left_norms;
  const std::vector<Real> left = interleave<Real, kTileRows>(task, left_norms);
  Sink<Real, Kind, How> sink(task);
  Vector<Real> sums[kTileRows][kTileVectors];
  // A few panels at a time: they stay in cache for all rows, and rows are written in long runs.
  const std::size_t panel_size = d * kPanel<Real>;
  const std::size_t n_together =
      std::min(kMostPanels, std::max<std::size_t>(1, kPanelBytes / (panel_size * sizeof(Real))));
  for (std::size_t from = task.first_panel; from < task.last_panel; from += n_together) {
    const std::size_t to = std::min(from + n_together, task.last_panel);
    for (std::size_t first = 0; first < task.n_rows; first += kTileRows) {
      const std::size_t n = std::min<std::size_t>(kTileRows, task.n_rows - first);
      for (std::size_t p = from; p < to; ++p)
        for (std::size_t part = 0; part < kPanel<Real>; part += kTileWidth<Real>) {
          dense_tile<Real>(left.data() + first * d, right.panels.data() + p * panel_size + part, d,
                           sums);
          sink.template take<kTileVectors>(first, n, p * kPanel<Real> + part, sums[0],
                                           left_norms.data());
        }
    }
  }
  sink.deliver();
}

// Sparse samples: as many left rows as a vector has lanes share every value that is read.
template <typename Real, KernelKind Kind, Use How>
void sparse_rows(const RowsTask<Real>& task) {
  constexpr int group = kLanes<Real>;
  const Samples<Real>& right = *task.right;
  std::vector<Real> left_norms;
  const std::vector<Real> left = interleave<Real, group>(task, left_norms);
  Sink<Real, Kind, How> sink(task);
  Vector<Real> products[group];
  const std::size_t first_column = task.first_panel * kPanel<Real>;
  const std::size_t last_column = task.last_panel * kPanel<Real>;
  for (std::size_t first = 0; first < task.n_rows; first += group) {
    const Real* rows = left.data() + first * right.n_features;
    const std::size_t n = std::min<std::size_t>(group, task.n_rows - first);
    for (std::size_t column = first_column; column < last_column; column += kLanes<Real>) {
      for (int lane = 0; lane < kLanes<Real>; ++lane) {
        Vector<Real> sum{};
        const std::size_t j = column + lane;
        if (j < right.count)
          for (std::int64_t at = right.starts[j]; at < right.starts[j + 1]; ++at)
            sum += right.values[at] * load(rows + std::size_t(right.columns[at]) * group);
        for (int r = 0; r < group; ++r) products[r][lane] = sum[r];
      }
      sink.template take<1>(first, n, column, products, left_norms.data());
    }
  }
  sink.deliver();
}

template <typename Real, KernelKind Kind, Use How>
void rows_of_kind(const RowsTask<Real>& task) {
  if (task.right->is_sparse)
    sparse_rows<Real, Kind, How>(task);
  else
    dense_rows<Real, Kind, How>(task);
}

template <typename Real, KernelKind Kind>
void rows_of_kind(const RowsTask<Real>& task) {
  switch (task.use) {
    case Use::store:
      return rows_of_kind<Real, Kind, Use::store>(task);
    case Use::multiply:
      return rows_of_kind<Real, Kind, Use::multiply>(task);
    case Use::accumulate:
      return rows_of_kind<Real, Kind, Use::accumulate>(task);
  }
}

template <typename Real>
void rows_of_task(const RowsTask<Real>& task) {
  switch (task.kernel.kind) {
    case KernelKind::linear:
      return rows_of_kind<Real, KernelKind::linear>(task);
    case KernelKind::rbf:
      return rows_of_kind<Real, KernelKind::rbf>(task);
    case KernelKind::poly:
      return rows_of_kind<Real, KernelKind::poly>(task);
    case KernelKind::sigmoid:
      return rows_of_kind<Real, KernelKind::sigmoid>(task);
  }
}

// Left rows are copied in batches of bounded size: sparse ones of many features become dense there.
template <typename Real>
void compute_rows(const RowsTask<Real>& task) {
  const std::size_t row_bytes = std::max<std::size_t>(1, task.right->n_features) * sizeof(Real);
  const std::size_t batch = std::max<std::size_t>(16, kBatchBytes / row_bytes / 16 * 16);
  for (std::size_t from = 0; from < task.n_rows; from += batch) {
    RowsTask<Real> part = task;
    part.n_rows = std::min(batch, task.n_rows - from);
    part.indices += from;
    if (part.rows) part.rows += from;
    if (part.products) part.products += from * task.n_outputs;
    if (part.row_coefficients) part.row_coefficients += from;
    rows_of_task(part);
  }
}

// Eight rows at a time: their sum in Real, which is no coarser than the rows, then into f.
template <typename Real>
void update(const Real* const* rows, const double* coefficients, std::size_t n_rows, double* f,
            std::size_t first, std::size_t last) {
  constexpr std::size_t kGroup = 8, kChunk = 1024;
  for (std::size_t chunk = first; chunk < last; chunk += kChunk) {
    const std::size_t end = std::min(chunk + kChunk, last);
    std::size_t k = 0;
    for (; k + kGroup <= n_rows; k += kGroup) {
      const Real *r0 = rows[k], *r1 = rows[k + 1], *r2 = rows[k + 2], *r3 = rows[k + 3];
      const Real *r4 = rows[k + 4], *r5 = rows[k + 5], *r6 = rows[k + 6], *r7 = rows[k + 7];
      Real c[kGroup];
      for (std::size_t g = 0; g < kGroup; ++g) c[g] = Real(coefficients[k + g]);
      for (std::size_t j = chunk; j < end; ++j)
        f[j] += double(c[0] * r0[j] + c[1] * r1[j] + c[2] * r2[j] + c[3] * r3[j] + c[4] * r4[j] +
                       c[5] * r5[j] + c[6] * r6[j] + c[7] * r7[j]);
    }
    for (; k < n_rows; ++k) {
      const Real* row = rows[k];
      const double c = coefficients[k];
      for (std::size_t j = chunk; j < end; ++j) f[j] += c * double(row[j]);
    }
  }
}

}  // namespace

#define BANDSVM_TEXT(name) #name
#define BANDSVM_NAME(name) BANDSVM_TEXT(name)

template <typename Real>
Instructions<Real> instructions() {
  return {BANDSVM_NAME(BANDSVM_LEVEL), move_and_find<Real>, best_partner<Real>,
          compute_rows<Real>, update<Real>};
}

template Instructions<float> instructions<float>();
template Instructions<double> instructions<double>();

}  // namespace BANDSVM_LEVEL
}  // namespace bandsvm
