// The origin from which dense samples are measured: each feature's most common value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bandsvm {

// For each feature of every step-th sample: the median, unless the least value or zero is more
// frequent.
template <typename Source>
void find_origin(const Source* X, std::size_t n_rows, std::size_t n_columns, std::size_t step,
                 double* origin) {
  const std::size_t number = (n_rows + step - 1) / step;
  std::vector<Source> values(number);
  for (std::size_t k = 0; k < n_columns; ++k) {
    for (std::size_t i = 0; i < number; ++i) {
      const Source value = X[i * step * n_columns + k];
      values[i] = value == value ? value : 0;  // NaN has no place in an order
    }
    const Source least = *std::min_element(values.begin(), values.end());
    std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(number / 2), values.end());
    Source best = values[number / 2];
    const auto frequency = [&](Source value) {
      return std::count(values.begin(), values.end(), value);
    };
    auto highest = frequency(best);
    for (Source other : {least, Source(0)})
      if (const auto found = frequency(other); found > highest) highest = found, best = other;
    origin[k] = double(best);
  }
}

}  // namespace bandsvm
