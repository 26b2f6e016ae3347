// Columns of sparse matrices, renumbered to those in use; there may be a million others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

namespace bandsvm {

// Finds the position of a column among those in use.
class ColumnsInUse {
 public:
  // Columns may change while they are read, so both `add` and `place` check the range.
  ColumnsInUse(const std::int64_t* columns, std::size_t number, std::size_t n_features)
      : n_features_(n_features) {
    if (n_features <= kMaxPerValue * number) {
      place_of_.assign(n_features, kUnused);
      for (std::size_t k = 0; k < number; ++k) place_of_[checked(columns[k])] = 0;
      for (std::size_t column = 0; column < n_features; ++column)
        if (place_of_[column] != kUnused) add(std::int64_t(column));
    } else {
      std::vector<std::int64_t> all(columns, columns + number);
      std::sort(all.begin(), all.end());
      all.erase(std::unique(all.begin(), all.end()), all.end());
      for (std::int64_t column : all) checked(column), add(column);
    }
  }

  // The columns in use, in order.
  std::vector<std::int64_t> columns;

  std::int32_t place(std::int64_t column) const {
    if (!place_of_.empty()) {
      const std::int32_t place = place_of_[checked(column)];
      if (place == kUnused) throw std::invalid_argument(kChanged);
      return place;
    }
    const auto found = std::lower_bound(columns.begin(), columns.end(), column);
    if (found == columns.end() || *found != column) throw std::invalid_argument(kChanged);
    return std::int32_t(found - columns.begin());
  }

 private:
  // A table of all columns is faster than a search, and no larger than so many times the values.
  static constexpr std::size_t kMaxPerValue = 2;
  static constexpr std::int32_t kUnused = -1;
  static constexpr const char* kChanged = "the columns of X changed while they were read.";

  std::size_t checked(std::int64_t column) const {
    if (column < 0 || std::size_t(column) >= n_features_)
      throw std::invalid_argument("a column is out of range.");
    return std::size_t(column);
  }

  void add(std::int64_t column) {
    if (columns.size() == std::size_t(std::numeric_limits<std::int32_t>::max()))
      throw std::invalid_argument(
          "X must have at most 2147483647 columns with nonzero values; drop some or hash them.");
    if (!place_of_.empty()) place_of_[std::size_t(column)] = std::int32_t(columns.size());
    columns.push_back(column);
  }

  std::size_t n_features_;
  std::vector<std::int32_t> place_of_;
};

}  // namespace bandsvm
