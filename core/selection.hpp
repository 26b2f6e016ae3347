// Selects the variables of the next block, and those that may still move.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "pair_step.hpp"
#include "threads.hpp"

namespace bandsvm {

// A point of the dual; `f` is the gradient of its quadratic part.
struct Point {
  Bands bands;
  const double *c, *f;
  bool has_intercept;

  std::size_t size() const { return bands.size; }
};

struct Selection {
  double violation;
  std::vector<std::int64_t> variables;
};

// Samples that a thread looks at together.
constexpr std::size_t kSamplesOfChunk = 2048;

inline std::size_t n_chunks_of(std::size_t size) {
  return (size + kSamplesOfChunk - 1) / kSamplesOfChunk;
}

// Calls work(chunk, first, last) for all chunks of samples.
template <typename Work>
void in_chunks(std::size_t size, int n_threads, const Work& work) {
  in_parallel(n_chunks_of(size), n_threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t chunk = begin; chunk < end; ++chunk)
      work(chunk, chunk * kSamplesOfChunk, std::min(size, (chunk + 1) * kSamplesOfChunk));
  });
}

// The slope of the dual for a rise of each variable, and minus that for a fall; -infinity where a
// bound forbids the move. The largest ones are m and -M.
struct Slopes {
  std::vector<double> rises, falls;
  double rise = 0, fall = 0;
  double not_finite = 0;  // 0, or NaN if f is infinite or NaN

  double violation(bool has_intercept) const {
    return not_finite + (has_intercept ? rise + fall : std::max({rise, fall, 0.0}));
  }
  // With b free a variable takes part in a violating pair if it can rise above M or fall below m.
  double above_rises(bool has_intercept) const { return has_intercept ? -fall : 0.0; }
  double above_falls(bool has_intercept) const { return has_intercept ? -rise : 0.0; }
};

inline void find_slopes(const Point& p, int n_threads, Slopes& slopes) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  slopes.rises.resize(p.size());
  slopes.falls.resize(p.size());
  struct Extent {
    double rise = -infinity, fall = -infinity, not_finite = 0;
  };
  std::vector<Extent> extents(n_chunks_of(p.size()));
  double *const rises = slopes.rises.data(), *const falls = slopes.falls.data();
  in_chunks(p.size(), n_threads, [&](std::size_t chunk, std::size_t first, std::size_t last) {
    // Without branches, which would be guessed wrongly.
    for (std::size_t i = first; i < last; ++i) {
      const double c = p.c[i], f = p.f[i], lo = p.bands.lo[i], hi = p.bands.hi[i];
      const double rise = (c >= 0 ? lo : hi) - f, fall = f - (c > 0 ? lo : hi);
      rises[i] = c < p.bands.below[i] ? rise : -infinity;
      falls[i] = c > -p.bands.above[i] ? fall : -infinity;
    }
    Extent extent;
    for (std::size_t i = first; i < last; ++i) {
      extent.rise = std::max(extent.rise, rises[i]);
      extent.fall = std::max(extent.fall, falls[i]);
      extent.not_finite += 0 * p.f[i];
    }
    extents[chunk] = extent;
  });
  Extent whole;
  for (const Extent& extent : extents) {
    whole.rise = std::max(whole.rise, extent.rise);
    whole.fall = std::max(whole.fall, extent.fall);
    whole.not_finite += extent.not_finite;
  }
  slopes.rise = whole.rise;
  slopes.fall = whole.fall;
  slopes.not_finite = whole.not_finite;
}

// Parts of the range of values. In more of them fewer values share a part, but counting takes
// longer.
constexpr std::size_t kBins = 256;

// Indices of some samples, in order; each chunk has its own, where its samples begin.
class Chosen {
 public:
  // Makes room for a number of samples.
  void reserve(std::size_t size) {
    indices_.resize(n_chunks_of(size) * kSamplesOfChunk);
    ends_.resize(n_chunks_of(size));
  }

  // Keeps the samples for which is_chosen(i) holds.
  template <typename Condition>
  void keep(std::size_t chunk, std::size_t first, std::size_t last, const Condition& is_chosen) {
    std::size_t end = first;
    for (std::size_t i = first; i < last; ++i) {  // without branches
      indices_[end] = std::int64_t(i);
      end += is_chosen(i);
    }
    ends_[chunk] = end;
  }

  // Keeps those of the chunk's samples for which is_chosen(i) still holds.
  template <typename Condition>
  void keep_of_chosen(std::size_t chunk, const Condition& is_chosen) {
    std::size_t end = chunk * kSamplesOfChunk;
    for_each(chunk, [&](std::size_t i) {
      indices_[end] = std::int64_t(i);
      end += is_chosen(i);
    });
    ends_[chunk] = end;
  }

  template <typename Work>
  void for_each(std::size_t chunk, const Work& work) const {
    for (std::size_t k = chunk * kSamplesOfChunk; k < ends_[chunk]; ++k)
      work(std::size_t(indices_[k]));
  }

  void append_to(std::vector<std::int64_t>& all) const {
    for (std::size_t chunk = 0; chunk < ends_.size(); ++chunk)
      all.insert(all.end(), indices_.begin() + std::ptrdiff_t(chunk * kSamplesOfChunk),
                 indices_.begin() + std::ptrdiff_t(ends_[chunk]));
  }

 private:
  std::vector<std::int64_t> indices_;
  std::vector<std::size_t> ends_;
};

// Memory for selections, overwritten by each of them: allocating it would cost more than the
// search.
struct SelectionMemory {
  Slopes slopes;
  Chosen chosen;
};

// Appends the indices, in order, of the `count` largest of the values greater than `above`; of
// equal ones the first. No value is greater than `top`. Values are counted by bins of the range;
// only those from the bin of the last one on are compared.
inline void append_largest(const std::vector<double>& values, std::size_t count, double above,
                           double top, int n_threads, Chosen& chosen,
                           std::vector<std::int64_t>& indices) {
  const double scale = double(kBins) / (top - above);
  const auto bin_of = [=](double value) {
    const double at = (value - above) * scale;
    return std::size_t(std::int32_t(at < double(kBins - 1) ? at : double(kBins - 1)));
  };
  chosen.reserve(values.size());
  const std::size_t n_chunks = n_chunks_of(values.size());
  std::vector<std::uint32_t> counts(n_chunks * kBins);
  in_chunks(values.size(), n_threads, [&](std::size_t chunk, std::size_t first, std::size_t last) {
    chosen.keep(chunk, first, last, [&](std::size_t i) { return values[i] > above; });
    std::uint32_t* const of_chunk = counts.data() + chunk * kBins;
    chosen.for_each(chunk, [&](std::size_t i) { ++of_chunk[bin_of(values[i])]; });
  });
  std::size_t last_bin = kBins, n_candidates = 0;
  while (last_bin > 0 && n_candidates < count) {
    --last_bin;
    for (std::size_t k = 0; k < n_chunks; ++k) n_candidates += counts[k * kBins + last_bin];
  }
  in_chunks(values.size(), n_threads, [&](std::size_t chunk, std::size_t, std::size_t) {
    chosen.keep_of_chosen(chunk, [&](std::size_t i) { return bin_of(values[i]) >= last_bin; });
  });
  if (n_candidates <= count) return chosen.append_to(indices);
  std::vector<std::int64_t> candidates;
  candidates.reserve(n_candidates);
  chosen.append_to(candidates);
  std::vector<double> sorted(n_candidates);
  std::transform(candidates.begin(), candidates.end(), sorted.begin(),
                 [&](std::int64_t i) { return values[std::size_t(i)]; });
  const auto nth = sorted.begin() + std::ptrdiff_t(count);
  std::nth_element(sorted.begin(), nth, sorted.end(), std::greater<double>());
  const double smallest = *nth;
  std::size_t n_equal = count - std::size_t(std::count_if(sorted.begin(), nth, [&](double value) {
                          return value > smallest;
                        }));
  for (std::int64_t i : candidates) {
    const double value = values[std::size_t(i)];
    const bool is_tie = value == smallest && n_equal > 0;
    if (is_tie) --n_equal;
    if (is_tie || value > smallest) indices.push_back(i);
  }
}

// The worst violators outside of `kept`, at most `number` of them: half can rise, half can fall.
inline Selection select_variables(const Point& p, const std::int64_t* kept, std::size_t n_kept,
                                  std::size_t number, int n_threads, SelectionMemory& memory) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Slopes& slopes = memory.slopes;
  find_slopes(p, n_threads, slopes);
  Selection found{slopes.violation(p.has_intercept), {}};
  for (std::size_t k = 0; k < n_kept; ++k)
    slopes.rises[kept[k]] = slopes.falls[kept[k]] = -infinity;
  append_largest(slopes.rises, number / 2, slopes.above_rises(p.has_intercept), slopes.rise,
                 n_threads, memory.chosen, found.variables);
  // A variable at its kink can both rise and fall: skip those already chosen.
  for (std::int64_t i : found.variables) slopes.falls[i] = -infinity;
  append_largest(slopes.falls, number / 2, slopes.above_falls(p.has_intercept), slopes.fall,
                 n_threads, memory.chosen, found.variables);
  return found;
}

// The variables that could move if the violation grew by the share `margin`.
inline Selection variables_in_play(const Point& p, double margin, int n_threads,
                                   SelectionMemory& memory) {
  const Slopes& slopes = memory.slopes;
  find_slopes(p, n_threads, memory.slopes);
  Selection found{slopes.violation(p.has_intercept), {}};
  const double room = margin * found.violation;
  const double above_rises = slopes.above_rises(p.has_intercept) - room;
  const double above_falls = slopes.above_falls(p.has_intercept) - room;
  Chosen& chosen = memory.chosen;
  chosen.reserve(p.size());
  in_chunks(p.size(), n_threads, [&](std::size_t chunk, std::size_t first, std::size_t last) {
    chosen.keep(chunk, first, last, [&](std::size_t i) {
      return (slopes.rises[i] > above_rises) | (slopes.falls[i] > above_falls);
    });
  });
  chosen.append_to(found.variables);
  return found;
}

// sum_i h_i(c_i) - c'f / 2, by sums of chunks.
inline double dual_value(const Bands& bands, const double* c, const double* f, int n_threads) {
  std::vector<double> sums(n_chunks_of(bands.size));
  in_chunks(bands.size, n_threads, [&](std::size_t chunk, std::size_t first, std::size_t last) {
    double sum = 0;
    for (std::size_t i = first; i < last; ++i) {
      const double lo = bands.lo[i], hi = bands.hi[i];
      sum += c[i] * ((c[i] > 0 ? lo : hi) - 0.5 * f[i]);
    }
    sums[chunk] = sum;
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace bandsvm
