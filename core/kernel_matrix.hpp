// The kernel matrix of a small problem. Most steps take its values in single precision; exact ends
// take rows of some samples in double precision, which are computed when they are first needed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "compute_rows.hpp"
#include "face_algebra.hpp"
#include "large_memory.hpp"

namespace bandsvm {

// Row-major.
template <typename Real>
struct SquareMatrix {
  const Real* values;
  std::size_t stride;

  const Real* row(std::size_t i) const { return values + i * stride; }
};

class KernelMatrix {
 public:
  virtual ~KernelMatrix() = default;

  // The row of a sample; computes it if need be.
  virtual const double* row(std::size_t i) = 0;
  // Computes rows together, which takes less time than one by one.
  virtual void prepare(const std::vector<std::size_t>& rows) = 0;
  // All values in single precision, and the largest of their sizes, or a bound of it; infinite if
  // one is not finite.
  virtual SquareMatrix<float> single() = 0;
  virtual float largest_in_single() = 0;
};

inline float largest_of(const SquareMatrix<float>& matrix, std::size_t size) {
  float largest = 0;
  for (std::size_t i = 0; i < size; ++i)
    largest = std::max(largest,
                       best_of_levels<FaceInstructions>().largest_of_single(matrix.row(i), size));
  return largest;
}

// A matrix whose values are rounded to single precision.
inline LargeBuffer<float> rounded(const SquareMatrix<double>& matrix, std::size_t size) {
  LargeBuffer<float> single(size * size);
  for (std::size_t i = 0; i < size; ++i)
    best_of_levels<FaceInstructions>().round(matrix.row(i), size, single.data() + i * size);
  return single;
}

// A matrix that lies in the caller's memory, in single precision too if others share that.
class WholeMatrix : public KernelMatrix {
 public:
  WholeMatrix(const SquareMatrix<double>& values, std::size_t size, const float* single = nullptr)
      : values_(values), size_(size), single_(single) {}

  const double* row(std::size_t i) override { return values_.row(i); }
  void prepare(const std::vector<std::size_t>&) override {}
  SquareMatrix<float> single() override {
    if (!single_) {
      own_ = rounded(values_, size_);
      single_ = own_.data();
    }
    return {single_, size_};
  }
  float largest_in_single() override { return largest_of(single(), size_); }

 private:
  const SquareMatrix<double> values_;
  const std::size_t size_;
  const float* single_;
  LargeBuffer<float> own_;
};

// Packed samples in both precisions.
struct PackedSamples {
  const Samples<double>& samples;
  const Samples<float>& in_single;
};

// A matrix that is computed from some of the packed samples.
class ComputedMatrix : public KernelMatrix {
 public:
  ComputedMatrix(const PackedSamples& packed, const Kernel& kernel, const std::int64_t* members,
                 std::size_t size)
      : packed_(packed), kernel_(kernel), members_(members), size_(size), rows_(size) {}

  const double* row(std::size_t i) override {
    if (!rows_[i]) prepare({i});
    return rows_[i];
  }

  void prepare(const std::vector<std::size_t>& rows) override {
    std::vector<std::size_t> missing;
    for (std::size_t i : rows)
      if (!rows_[i]) missing.push_back(i);
    if (missing.empty()) return;
    const Samples<double>& right = samples_of(packed_.samples, own_);
    const std::size_t stride = right.stride();
    // Half of a whole matrix takes no longer than half of its rows.
    const bool is_whole = 2 * missing.size() > size_;
    LargeBuffer<double> values((is_whole ? size_ : missing.size()) * stride);
    if (is_whole) {
      compute_symmetric(packed_.samples, members_, size_, right, kernel_, values.data(), 1);
      for (std::size_t i = 0; i < size_; ++i) rows_[i] = values.data() + i * stride;
    } else {
      std::vector<std::int64_t> samples, places;
      std::vector<double*> to;
      for (std::size_t i : missing) {
        rows_[i] = values.data() + to.size() * stride;
        samples.push_back(members_[i]);
        places.push_back(std::int64_t(i));
        to.push_back(values.data() + to.size() * stride);
      }
      compute_rows(packed_.samples, samples.data(), samples.size(), right, places.data(), kernel_,
                   to.data(), 1);
    }
    computed_.push_back(std::move(values));
  }

  SquareMatrix<float> single() override {
    const Samples<float>& right = samples_of(packed_.in_single, own_in_single_);
    if (single_.empty()) {
      single_.resize(size_ * right.stride());
      compute_symmetric(packed_.in_single, members_, size_, right, kernel_, single_.data(), 1);
    }
    return {single_.data(), right.stride()};
  }

  float largest_in_single() override {
    if (kernel_.kind != KernelKind::rbf) return largest_of(single(), size_);
    // Values of samples whose norms are finite are at most 1.
    const std::vector<float>& norms = samples_of(packed_.in_single, own_in_single_).norms();
    return std::isfinite(std::accumulate(norms.begin(), norms.end(), 0.0f))
               ? 1
               : std::numeric_limits<float>::infinity();
  }

 private:
  // The members among some samples.
  template <typename Real>
  const Samples<Real>& samples_of(const Samples<Real>& all, std::optional<Samples<Real>>& own) {
    if (size_ == all.count()) return all;  // members are in order
    if (!own) own.emplace(all.take(members_, size_, 1));
    return *own;
  }

  const PackedSamples packed_;
  const Kernel& kernel_;
  const std::int64_t* const members_;
  const std::size_t size_;
  std::optional<Samples<double>> own_;
  std::optional<Samples<float>> own_in_single_;
  std::vector<const double*> rows_;  // null: not computed yet
  std::vector<LargeBuffer<double>> computed_;
  LargeBuffer<float> single_;
};

}  // namespace bandsvm
