// Packed samples: columns renumbered to those in use, sizes, variance.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "checks.hpp"
#include "left_rows.hpp"
#include "matrices.hpp"
#include "variance.hpp"

using bandsvm::ColumnsInUse;
using bandsvm_tests::Matrix;
using bandsvm_tests::random_matrix;

TEST_CASE("columns are renumbered in order, by a table or by a search") {
  const std::vector<std::int64_t> columns{7, 3, 7, 0, 9};
  for (std::size_t n_features : {std::size_t(10), std::size_t(1) << 40}) {
    const ColumnsInUse in_use(columns.data(), columns.size(), n_features);
    CHECK(in_use.columns == std::vector<std::int64_t>{0, 3, 7, 9});
    CHECK(in_use.place(0) == 0);
    CHECK(in_use.place(9) == 3);
    // Columns that were not there when the others were counted.
    for (std::int64_t column : {std::int64_t(8), std::int64_t(-1), std::int64_t(1) << 41})
      CHECK_THROWS_AS(in_use.place(column), std::invalid_argument);
  }
  CHECK_THROWS_AS(ColumnsInUse(columns.data(), columns.size(), 9), std::invalid_argument);
}

TEST_CASE_TEMPLATE("memory follows the values, not the columns", Real, float, double) {
  const std::vector<std::int64_t> starts{0, 2, 2, 3}, columns{5, std::int64_t(1) << 50, 5};
  const std::vector<float> values{1, 2, 3};
  const auto samples = bandsvm::Samples<Real>::compress(starts, columns.data(), values.data(),
                                                        std::size_t(1) << 60, 1.0, 3.0);
  CHECK(samples.coordinates().n_places() == 2);
  CHECK(samples.n_bytes() < 2000);
  CHECK(samples.norms()[0] == Real(2.5));
  CHECK(samples.coordinates().place_of_column(5) == 0);
  CHECK(samples.coordinates().place_of_column(6) == -1);
  const std::vector<std::int64_t> last{2, 0};
  const auto taken = samples.take(last.data(), 2, 1);
  CHECK(taken.coordinates().numbers_like(samples.coordinates()));
  CHECK(taken.csr().values == bandsvm::Buffer<Real>{3, 1, 2});
}

TEST_CASE("variance of all entries, whatever the number of threads") {
  const Matrix X = random_matrix(1000, 19, 0.7, 5);
  std::vector<double> weights(1000);
  double total = 0, sum = 0, squares = 0;
  for (std::size_t i = 0; i < 1000; ++i) weights[i] = double(i % 4);
  for (std::size_t i = 0; i < 1000; ++i)
    for (std::size_t k = 0; k < 19; ++k) {
      total += weights[i];
      sum += weights[i] * X.row(i)[k];
    }
  for (std::size_t i = 0; i < 1000; ++i)
    for (std::size_t k = 0; k < 19; ++k)
      squares += weights[i] * std::pow(X.row(i)[k] - sum / total, 2);
  const double one = bandsvm::variance(X.values.data(), 1000, 19, weights.data(), 1);
  CHECK(one == doctest::Approx(squares / total).epsilon(1e-13));
  CHECK(one == bandsvm::variance(X.values.data(), 1000, 19, weights.data(), 5));
}

TEST_CASE("offsets into a panel of very many features do not wrap") {
  // Such a panel takes 17 GB; to prepare a row for it takes 540 MB.
  constexpr std::size_t kFeatures = 44739244, kLast = (kFeatures - 1) * bandsvm::kPanel<float>;
  static_assert(kLast > std::numeric_limits<std::uint32_t>::max());
  const std::vector<std::int64_t> columns{1, std::int64_t(kFeatures - 1)};
  const std::vector<float> values{3, 5};
  const auto left =
      bandsvm::Samples<float>::compress({0, 2}, columns.data(), values.data(), kFeatures, 1.0, 3.0);
  const std::vector<double> origin(kFeatures);
  const bandsvm::Coordinates<float> all(kFeatures, origin.data(), 1.0);
  const bandsvm::RowReader<float> reader(left, all);
  const std::int64_t first = 0;
  bandsvm::LeftOfPanels<float>::Lookup none;
  const bandsvm::LeftOfPanels<float> rows(reader, &first, 1, {1, 0}, 1);
  const auto& group = rows.view(none).groups[0];
  REQUIRE(group.n_offsets == 2);
  CHECK(group.offsets[0] == bandsvm::kPanel<float>);
  CHECK(group.offsets[1] == kLast);
  CHECK(group.values[1] == 5.0f);
}

TEST_CASE("sizes that a type cannot count are refused") {
  CHECK_NOTHROW(bandsvm::check_block_size<float>(std::size_t(1) << 24));
  CHECK_THROWS_AS(bandsvm::check_block_size<float>((std::size_t(1) << 24) + 1),
                  std::invalid_argument);
  CHECK_NOTHROW(bandsvm::check_block_size<double>(std::size_t(1) << 53));
}
