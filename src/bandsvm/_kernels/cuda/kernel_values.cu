// Kernel values of packed samples on a CUDA device, compiled at run time for one type of number and
// one kernel: REAL is float or double, FUNCTION one of the numbers below.
//
// Samples are rows of `width` numbers, a multiple of VECTOR; rows and columns of kernel values are
// samples of two matrices, or those whose places `row_ids` and `column_ids` list. rbf values are
// 2^(x'z - n(x) - n(z)) with norms n(x) = x'x / 2 that `norms` sums in the order of the products, so
// that equal samples have the value 1.

#define LINEAR 0
#define RBF 1
#define POLY 2
#define SIGMOID 3

typedef REAL Real;

constexpr int kVector = 16 / sizeof(Real);       // numbers that are loaded at a time
constexpr int kPerThread = sizeof(Real) == 4 ? 8 : 4;  // rows, and columns, of a thread
constexpr int kSide = 16;                        // threads of a tile's side
constexpr int kTile = kSide * kPerThread;        // rows, and columns, of a tile
constexpr int kDepth = 8;                        // features that are in shared memory at a time
constexpr int kThreads = kSide * kSide;
constexpr int kStride = kTile + kVector;         // keeps vectors aligned and banks apart

struct alignas(16) Vector {
  Real at[kVector];
};

// The row, or column, of a tile that is number i of thread number k of the tile's side.
__device__ inline int in_tile(int k, int i) {
  return i / kVector * (kSide * kVector) + k * kVector + i % kVector;
}

__device__ inline Real power(Real base, int exponent) {
  Real result = 1;
  for (; exponent > 0; exponent >>= 1, base *= base)
    if (exponent & 1) result *= base;
  return result;
}

__device__ inline Real kernel_value(Real product, Real row_norm, Real column_norm, Real gamma,
                                    Real coef0, int degree, bool is_itself) {
#if FUNCTION == RBF
  return is_itself ? Real(1) : exp2(min(product - row_norm - column_norm, Real(0)));
#elif FUNCTION == POLY
  return power(gamma * product + coef0, degree);
#elif FUNCTION == SIGMOID
  return tanh(gamma * product + coef0);
#else
  return product;
#endif
}

// Loads the part of a tile's samples that one thread brings to shared memory.
struct Loader {
  const Real* sample;  // null beyond the last one
  int row, feature;    // of the tile

  __device__ Loader(const Real* samples, const int* ids, int count, int first, int width) {
    constexpr int per_row = kDepth / kVector;
    row = int(threadIdx.x) / per_row;
    feature = int(threadIdx.x) % per_row * kVector;
    const int k = first + row;
    sample = k < count ? samples + (long long)(ids ? ids[k] : k) * width : nullptr;
  }

  __device__ Vector load(int from, int width) const {
    Vector loaded;
    if (sample && from + feature < width) {
      loaded = *reinterpret_cast<const Vector*>(sample + from + feature);
    } else {
#pragma unroll
      for (int k = 0; k < kVector; ++k) loaded.at[k] = 0;
    }
    return loaded;
  }

  __device__ void keep(const Vector& loaded, Real (*tile)[kStride]) const {
#pragma unroll
    for (int k = 0; k < kVector; ++k) tile[feature + k][row] = loaded.at[k];
  }
};

typedef Real Products[kPerThread][kPerThread];  // [row][column]

// Inner products of a tile's samples; sums go over the features in their order.
__device__ inline void multiply_tile(const Loader& rows, const Loader& columns, int width,
                                     Products products) {
  __shared__ alignas(16) Real left[2][kDepth][kStride], right[2][kDepth][kStride];
  const int x = threadIdx.x % kSide, y = threadIdx.x / kSide;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i)
#pragma unroll
    for (int j = 0; j < kPerThread; ++j) products[i][j] = 0;
  __syncthreads();  // the last tile's values may still be read
  rows.keep(rows.load(0, width), left[0]);
  columns.keep(columns.load(0, width), right[0]);
  __syncthreads();
  for (int from = 0, now = 0; from < width; from += kDepth, now ^= 1) {
    const bool has_next = from + kDepth < width;
    Vector next_row, next_column;
    if (has_next) {
      next_row = rows.load(from + kDepth, width);
      next_column = columns.load(from + kDepth, width);
    }
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      Real of_rows[kPerThread], of_columns[kPerThread];
#pragma unroll
      for (int i = 0; i < kPerThread; i += kVector) {
        const Vector row = *reinterpret_cast<const Vector*>(&left[now][k][in_tile(x, i)]);
        const Vector column = *reinterpret_cast<const Vector*>(&right[now][k][in_tile(y, i)]);
#pragma unroll
        for (int v = 0; v < kVector; ++v) {
          of_rows[i + v] = row.at[v];
          of_columns[i + v] = column.at[v];
        }
      }
#pragma unroll
      for (int i = 0; i < kPerThread; ++i)
#pragma unroll
        for (int j = 0; j < kPerThread; ++j)
          products[i][j] = fma(of_rows[i], of_columns[j], products[i][j]);
    }
    if (has_next) {
      rows.keep(next_row, left[now ^ 1]);
      columns.keep(next_column, right[now ^ 1]);
    }
    __syncthreads();
  }
}

#define SAMPLES_AND_KERNEL                                                                       \
  const Real *rows, const Real *row_norms, const int *row_ids, const int n_rows,                 \
      const Real *columns, const Real *column_norms, const int *column_ids, const int n_columns, \
      const int width, const double gamma, const double coef0, const int degree,                 \
      const bool is_one_matrix

// parts[blockIdx.y][row] = sum over some columns of K[row, column] weights[column].
extern "C" __global__ void __launch_bounds__(kThreads, 2)
    accumulate(SAMPLES_AND_KERNEL, const Real* weights, const int columns_of_part, double* parts) {
  const int x = threadIdx.x % kSide, y = threadIdx.x / kSide;
  const int first_row = blockIdx.x * kTile;
  const int begin = blockIdx.y * columns_of_part, end = min(begin + columns_of_part, n_columns);
  const Loader left(rows, row_ids, n_rows, first_row, width);
  // In shared memory, which leaves registers for two blocks per multiprocessor.
  __shared__ int ids[kTile];
  __shared__ Real norms[kTile];
  if (int(threadIdx.x) < kTile) {
    const int row = min(first_row + int(threadIdx.x), n_rows - 1);
    ids[threadIdx.x] = row_ids ? row_ids[row] : row;
    norms[threadIdx.x] = row_norms[ids[threadIdx.x]];
  }
  double sums[kPerThread];
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) sums[i] = 0;
  for (int first = begin; first < end; first += kTile) {
    Products products;
    multiply_tile(left, Loader(columns, column_ids, end, first, width), width, products);
    Real of_tile[kPerThread];
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) of_tile[i] = 0;
#pragma unroll
    for (int j = 0; j < kPerThread; ++j) {
      const int column = first + in_tile(y, j), known = min(column, end - 1);
      const int id = column_ids ? column_ids[known] : known;
      const Real norm = column_norms[id], weight = column < end ? weights[known] : Real(0);
#pragma unroll
      for (int i = 0; i < kPerThread; ++i) {
        const int row = in_tile(x, i);
        of_tile[i] = fma(kernel_value(products[i][j], norms[row], norm, gamma, coef0, degree,
                                      is_one_matrix && ids[row] == id),
                         weight, of_tile[i]);
      }
    }
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) sums[i] += of_tile[i];
  }
  __shared__ double shared[kSide][kTile];
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) shared[y][in_tile(x, i)] = sums[i];
  __syncthreads();
  const int row = first_row + int(threadIdx.x);
  if (int(threadIdx.x) < kTile && row < n_rows) {
    double sum = 0;
    for (int k = 0; k < kSide; ++k) sum += shared[k][threadIdx.x];
    parts[(long long)blockIdx.y * n_rows + row] = sum;
  }
}

// stored[column][row] = K[row, column], where `stored` has the address of each column's values.
extern "C" __global__ void __launch_bounds__(kThreads, 2)
    store(SAMPLES_AND_KERNEL, Real* const* stored) {
  const int x = threadIdx.x % kSide, y = threadIdx.x / kSide;
  const int first_row = blockIdx.x * kTile, first_column = blockIdx.y * kTile;
  Products products;
  multiply_tile(Loader(rows, row_ids, n_rows, first_row, width),
                Loader(columns, column_ids, n_columns, first_column, width), width, products);
#pragma unroll
  for (int j = 0; j < kPerThread; ++j) {
    const int column = first_column + in_tile(y, j);
    if (column >= n_columns) continue;
    const int id = column_ids ? column_ids[column] : column;
    const Real norm = column_norms[id];
    Real* const values = stored[column];
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
      const int row = first_row + in_tile(x, i);
      if (row >= n_rows) continue;
      const int row_id = row_ids ? row_ids[row] : row;
      values[row] = kernel_value(products[i][j], row_norms[row_id], norm, gamma, coef0, degree,
                                 is_one_matrix && row_id == id);
    }
  }
}

// parts[blockIdx.y][row] = sum over some stored columns of their values times weights.
extern "C" __global__ void __launch_bounds__(kThreads)
    add_stored(const Real* const* stored, const double* weights, const int n_columns,
               const int n_rows, const int columns_of_part, double* parts) {
  const int row = blockIdx.x * kThreads + threadIdx.x;
  if (row >= n_rows) return;
  const int begin = blockIdx.y * columns_of_part, end = min(begin + columns_of_part, n_columns);
  double sum = 0;
#pragma unroll 8
  for (int k = begin; k < end; ++k) sum = fma(double(stored[k][row]), weights[k], sum);
  parts[(long long)blockIdx.y * n_rows + row] = sum;
}

// sums[row] = the sum of its parts, in their order.
extern "C" __global__ void __launch_bounds__(kThreads)
    add_parts(const double* parts, const int n_parts, const int n_rows, double* sums) {
  const int row = blockIdx.x * kThreads + threadIdx.x;
  if (row >= n_rows) return;
  double sum = 0;
  for (int k = 0; k < n_parts; ++k) sum += parts[(long long)k * n_rows + row];
  sums[row] = sum;
}

extern "C" __global__ void __launch_bounds__(kThreads)
    norms(const Real* samples, const int count, const int width, Real* halves) {
  const int k = blockIdx.x * kThreads + threadIdx.x;
  if (k >= count) return;
  const Real* sample = samples + (long long)k * width;
  Real sum = 0;
  for (int i = 0; i < width; ++i) sum = fma(sample[i], sample[i], sum);
  halves[k] = Real(0.5) * sum;
}

// packed[k][i] = (samples[k][i] - origin[i]) * scale, for samples in float or double.
#define PACK(NAME, GIVEN)                                                                       \
  extern "C" __global__ void __launch_bounds__(kThreads)                                        \
      NAME(const GIVEN* samples, const long long n_values, const int n_features,                \
           const double* origin, const double scale, const int width, Real* packed) {           \
    const long long k = (long long)blockIdx.x * kThreads + threadIdx.x;                         \
    if (k >= n_values) return;                                                                  \
    const int feature = int(k % n_features);                                                    \
    packed[k / n_features * width + feature] = Real((double(samples[k]) - origin[feature]) * scale); \
  }
PACK(pack_float, float)
PACK(pack_double, double)

// The same for CSR samples, which are not shifted; `packed` is zero before.
#define PACK_CSR(NAME, GIVEN)                                                                     \
  extern "C" __global__ void __launch_bounds__(kThreads)                                          \
      NAME(const long long* starts, const int* features, const GIVEN* values, const int count,    \
           const double scale, const int width, Real* packed) {                                   \
    const int k = blockIdx.x;                                                                     \
    if (k >= count) return;                                                                       \
    for (long long at = starts[k] - starts[0] + threadIdx.x; at < starts[k + 1] - starts[0];      \
         at += kThreads)                                                                          \
      packed[(long long)k * width + features[at]] = Real(double(values[at]) * scale);             \
  }
PACK_CSR(pack_csr_float, float)
PACK_CSR(pack_csr_double, double)
