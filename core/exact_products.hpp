// Sums of kernel values straight from their definitions, in double precision. Certificates are made
// of them, so they share no arithmetic with kernel rows: differences are squared, not expanded.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "exact_values.hpp"
#include "levels.hpp"
#include "threads.hpp"

namespace bandsvm {

// Rows of a dense matrix, row-major.
template <typename Real>
struct DenseMatrix {
  const Real* values;
  std::size_t n_rows, n_columns;
};

// Rows of a CSR matrix. `starts` do not decrease and lie within columns and values.
template <typename Real, typename Index>
struct CsrMatrix {
  std::vector<std::int64_t> starts;
  const Index* columns;
  const Real* values;
  std::size_t n_columns;
};

// Which rows of a matrix to take.
struct Selected {
  const std::int64_t* rows;
  std::size_t number;
};

// Targets that a thread works on at a time: terms are converted once for all of them.
constexpr std::size_t kMinAtOnce = 16, kMaxAtOnce = 128;
// Terms of sparse samples that are looked up at a time.
constexpr std::size_t kSparseTerms = 256;
// A distance of sparse samples is the sum over the term's values, and the size of the target less
// what these account for. Where rounding errors of that difference would exceed this share of a
// kernel value, features that only the target has are summed up instead.
constexpr double kMaxCancelled = 1e-12;

// products[t][o] = sum_k coefficients[o][k] K(targets[t], terms[k]); both matrices are row-major.
template <typename Left, typename Right>
void exact_products(const Kernel& kernel, const DenseMatrix<Left>& A, const Selected& targets,
                    const DenseMatrix<Right>& B, const Selected& terms, const double* coefficients,
                    std::size_t n_outputs, double* products, int n_threads) {
  const ExactInstructions& level = best_of_levels<ExactInstructions>();
  const std::size_t width = level.width, n_features = A.n_columns;
  const std::size_t share = (targets.number + std::size_t(n_threads) - 1) / std::size_t(n_threads);
  const std::size_t at_once = std::clamp(share, kMinAtOnce, kMaxAtOnce);
  const std::size_t n_groups = (targets.number + at_once - 1) / at_once;
  in_parallel(n_groups, n_threads, [&](std::size_t first, std::size_t last) {
    std::vector<double> rows(at_once * n_features), columns(width * n_features);
    std::vector<double> factors(n_outputs * width), sums(at_once * n_outputs * width);
    for (std::size_t g = first; g < last; ++g) {
      const std::size_t begin = g * at_once;
      const std::size_t number = std::min(at_once, targets.number - begin);
      for (std::size_t t = 0; t < number; ++t) {
        const Left* const x = A.values + std::size_t(targets.rows[begin + t]) * n_features;
        std::copy(x, x + n_features, rows.begin() + std::ptrdiff_t(t * n_features));
      }
      std::fill(sums.begin(), sums.end(), 0.0);
      for (std::size_t from = 0; from < terms.number; from += width) {
        const std::size_t n = std::min(width, terms.number - from);
        std::fill(columns.begin(), columns.end(), 0.0);
        std::fill(factors.begin(), factors.end(), 0.0);
        for (std::size_t j = 0; j < n; ++j) {
          const Right* const z = B.values + std::size_t(terms.rows[from + j]) * n_features;
          for (std::size_t k = 0; k < n_features; ++k) columns[k * width + j] = double(z[k]);
          for (std::size_t o = 0; o < n_outputs; ++o)
            factors[o * width + j] = coefficients[o * terms.number + from + j];
        }
        level.add_dense(kernel, rows.data(), number, n_features, columns.data(), factors.data(),
                        n_outputs, n, sums.data());
      }
      for (std::size_t t = 0; t < number; ++t)
        for (std::size_t o = 0; o < n_outputs; ++o) {
          double total = 0;
          for (std::size_t j = 0; j < width; ++j) total += sums[(t * n_outputs + o) * width + j];
          products[(begin + t) * n_outputs + o] = total;
        }
    }
  });
}

// Finds the place of a column among those of a group of targets; place 0 is for all others.
class PlacesOfColumns {
 public:
  // A table of all columns is faster than a map, unless most columns are empty.
  PlacesOfColumns(std::size_t n_columns, std::size_t n_values) {
    if (n_columns <= kMaxPerValue * n_values) table_.assign(n_columns, 0);
  }

  std::int32_t find(std::size_t column) const {
    if (!table_.empty()) return table_[column];
    const auto found = map_.find(column);
    return found == map_.end() ? 0 : found->second;
  }

  std::int32_t add(std::size_t column) {
    std::int32_t& place = table_.empty() ? map_[column] : table_[column];
    if (place == 0) {
      columns_.push_back(column);
      place = std::int32_t(columns_.size());
    }
    return place;
  }

  std::size_t n_places() const { return columns_.size() + 1; }

  void clear() {
    if (!table_.empty())
      for (std::size_t column : columns_) table_[column] = 0;
    map_.clear();
    columns_.clear();
  }

 private:
  static constexpr std::size_t kMaxPerValue = 4;

  std::vector<std::int32_t> table_;
  std::unordered_map<std::size_t, std::int32_t> map_;
  std::vector<std::size_t> columns_;
};

template <typename Real, typename Index>
class SparseProducts {
 public:
  SparseProducts(const Kernel& kernel, const CsrMatrix<Real, Index>& A, const Selected& targets,
                 const CsrMatrix<Real, Index>& B, const Selected& terms, const double* coefficients,
                 std::size_t n_outputs)
      : kernel_(kernel),
        A_(A),
        B_(B),
        targets_(targets),
        terms_(terms),
        coefficients_(coefficients),
        n_outputs_(n_outputs),
        level_(best_of_levels<ExactInstructions>()) {
    for (std::size_t k = 0; k < terms.number; ++k)
      n_values_ += std::size_t(B.starts[terms.rows[k] + 1] - B.starts[terms.rows[k]]);
  }

  void run(double* products, int n_threads) const {
    const std::size_t n_groups = (targets_.number + level_.width - 1) / level_.width;
    in_parallel(n_groups, n_threads, [&](std::size_t first, std::size_t last) {
      PlacesOfColumns places(A_.n_columns, n_values_);
      for (std::size_t g = first; g < last; ++g) take_group(g, places, products);
    });
  }

 private:
  // The values of some terms, by their places among the columns of a group of targets.
  struct Piece {
    std::vector<std::int64_t> starts;
    std::vector<std::int32_t> places;
    std::vector<double> values, factors;
  };

  // Columns may change while they are read, so that every use checks the range.
  std::size_t checked(Index column) const {
    if (column < 0 || std::size_t(column) >= A_.n_columns)
      throw std::invalid_argument("a column is out of range.");
    return std::size_t(column);
  }

  void take_group(std::size_t g, PlacesOfColumns& places, double* products) const {
    const std::size_t width = level_.width, begin = g * width;
    const std::size_t number = std::min(width, targets_.number - begin);
    for (std::size_t t = 0; t < number; ++t) {
      const std::size_t row = std::size_t(targets_.rows[begin + t]);
      for (std::int64_t at = A_.starts[row]; at < A_.starts[row + 1]; ++at)
        places.add(checked(A_.columns[at]));
    }
    std::vector<double> table(places.n_places() * width), own(width);
    for (std::size_t t = 0; t < number; ++t) {
      const std::size_t row = std::size_t(targets_.rows[begin + t]);
      for (std::int64_t at = A_.starts[row]; at < A_.starts[row + 1]; ++at) {
        const std::size_t place = std::size_t(places.find(checked(A_.columns[at])));
        table[place * width + t] = double(A_.values[at]);
      }
      for (std::size_t place = 1; place < places.n_places(); ++place)
        own[t] += distance_from_zero(kernel_.kind, table[place * width + t]);
    }
    std::vector<double> sums(n_outputs_ * width);
    std::vector<unsigned char> is_met(places.n_places());
    Piece piece;
    const bool is_risky = cancels(own);
    for (std::size_t from = 0; from < terms_.number; from += kSparseTerms) {
      const std::size_t n = std::min(kSparseTerms, terms_.number - from);
      look_up(from, n, places, piece);
      const SparseTerms view{piece.starts.data(), piece.places.data(), piece.values.data(),
                             piece.factors.data(), n};
      (is_risky ? level_.add_sparse_carefully : level_.add_sparse)(
          kernel_, {table.data(), own.data(), is_met.data(), places.n_places()}, view, n_outputs_,
          sums.data());
    }
    for (std::size_t t = 0; t < number; ++t)
      for (std::size_t o = 0; o < n_outputs_; ++o)
        products[(begin + t) * n_outputs_ + o] = sums[o * width + t];
    places.clear();
  }

  bool cancels(const std::vector<double>& own) const {
    if (!is_distance(kernel_.kind)) return false;
    const double largest = *std::max_element(own.begin(), own.end());
    return !(std::abs(kernel_.gamma) * largest * std::numeric_limits<double>::epsilon() <=
             kMaxCancelled);
  }

  void look_up(std::size_t from, std::size_t n, const PlacesOfColumns& places, Piece& piece) const {
    piece.starts.assign(1, 0);
    piece.places.clear();
    piece.values.clear();
    piece.factors.resize(n_outputs_ * n);
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t row = std::size_t(terms_.rows[from + k]);
      for (std::int64_t at = B_.starts[row]; at < B_.starts[row + 1]; ++at) {
        piece.places.push_back(places.find(checked(B_.columns[at])));
        piece.values.push_back(double(B_.values[at]));
      }
      piece.starts.push_back(std::int64_t(piece.values.size()));
      for (std::size_t o = 0; o < n_outputs_; ++o)
        piece.factors[o * n + k] = coefficients_[o * terms_.number + from + k];
    }
  }

  const Kernel kernel_;
  const CsrMatrix<Real, Index>& A_;
  const CsrMatrix<Real, Index>& B_;
  const Selected targets_, terms_;
  const double* coefficients_;
  std::size_t n_outputs_, n_values_ = 0;
  const ExactInstructions& level_;
};

template <typename Real, typename Index>
void exact_products(const Kernel& kernel, const CsrMatrix<Real, Index>& A, const Selected& targets,
                    const CsrMatrix<Real, Index>& B, const Selected& terms,
                    const double* coefficients, std::size_t n_outputs, double* products,
                    int n_threads) {
  SparseProducts(kernel, A, targets, B, terms, coefficients, n_outputs).run(products, n_threads);
}

}  // namespace bandsvm
