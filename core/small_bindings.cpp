// Small problems, solved and certified many at a time, for Python.
#include <nanobind/stl/optional.h>

#include <optional>
#include <vector>

#include "checks.hpp"
#include "judged_arrays.hpp"
#include "small_certificate.hpp"
#include "small_problems.hpp"

using namespace nb::literals;
using bandsvm::require;

namespace {

// Where each problem's samples begin and which they are, checked and copied.
struct Members {
  std::vector<std::int64_t> starts, members;

  Members(const Indices& starts_given, const Indices& members_given, std::size_t n_samples)
      : starts(bandsvm::as_starts(given(starts_given), members_given.shape(0))),
        members(indices_of(members_given, n_samples, "members")) {
    require(starts.front() == 0 && std::size_t(starts.back()) == members.size(),
            "starts must begin at 0 and end at the number of members.");
    for (std::size_t k = 0; k < number(); ++k)
      require(starts[k] < starts[k + 1], "problems must have samples.");
  }

  std::size_t number() const { return starts.size() - 1; }
};

// Asks Python, with its lock, whether to stop: handlers of signals run, and `find_reason` returns
// something else than None.
class Question {
 public:
  explicit Question(nb::object find_reason) : find_reason_(std::move(find_reason)) {}

  bool operator()() const {
    nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    return !find_reason_.is_none() && !find_reason_().is_none();
  }

 private:
  nb::object find_reason_;
};

template <typename Matrices>
void solve_from(const Matrices& matrices, const Members& members, const BandArrays& bands,
                bool has_intercept, double total, bool share_members, double tol,
                std::int64_t max_iter, const MutableArray<double>& c, const MutableArray<double>& f,
                const MutableMatrix<std::int64_t>& counts, const MutableMatrix<double>& measures,
                int n_threads, nb::object find_reason) {
  const std::size_t size = members.members.size(), number = members.number();
  bandsvm::check_length(bands.view().size, size, "bands", "members");
  double* const c_of = data_of(c, size, "c", "members");
  double* const f_of = data_of(f, size, "f", "members");
  require(counts.shape(0) == number && counts.shape(1) == 3,
          "counts must have three columns, and one row for each problem.");
  require(measures.shape(0) == number && measures.shape(1) == 2,
          "measures must have two columns, and one row for each problem.");
  std::int64_t* const counts_of = data_of(counts, "counts");
  double* const measures_of = data_of(measures, "measures");
  if (share_members)
    for (std::size_t k = 1; k < number; ++k)
      require(std::equal(members.members.begin() + members.starts[k],
                         members.members.begin() + members.starts[k + 1], members.members.begin(),
                         members.members.begin() + members.starts[1]),
              "members must be the same for all problems that share them.");
  const bandsvm::SmallProblems problems{
      members.starts.data(), number,        members.members.data(),
      bands.view(),          has_intercept, total,
      share_members,         tol,           max_iter};
  std::vector<bandsvm::SmallReport> reports(number);
  n_threads = bandsvm::as_threads(n_threads);
  bandsvm::StopSignal stop{Question(std::move(find_reason))};
  {
    nb::gil_scoped_release release;
    bandsvm::solve_small_problems(matrices, problems, c_of, f_of, reports.data(), n_threads, stop);
  }
  for (std::size_t k = 0; k < number; ++k) {
    counts_of[3 * k] = reports[k].is_solved;
    counts_of[3 * k + 1] = reports[k].n_iter;
    counts_of[3 * k + 2] = reports[k].n_pair_steps;
    measures_of[2 * k] = reports[k].violation;
    measures_of[2 * k + 1] = reports[k].seconds;
  }
}

// Samples, and the kernel by which to compute their kernel matrices.
void solve_packed(const bandsvm::Samples<double>& samples, const bandsvm::Kernel& kernel,
                  const Indices& starts, const Indices& members, const BandArrays& bands,
                  bool has_intercept, double total, bool share_members, double tol,
                  std::int64_t max_iter, const MutableArray<double>& c,
                  const MutableArray<double>& f, const MutableMatrix<std::int64_t>& counts,
                  const MutableMatrix<double>& measures, int n_threads, nb::object find_reason) {
  bandsvm::check_rows(samples);
  bandsvm::check_has_rows(kernel);
  const bandsvm::Samples<float> in_single = samples.rounded<float>();
  solve_from(bandsvm::PackedKernelMatrix{{samples, in_single}, kernel},
             {starts, members, samples.count()}, bands, has_intercept, total, share_members, tol,
             max_iter, c, f, counts, measures, n_threads, std::move(find_reason));
}

bandsvm::GivenKernelMatrix square(const Matrix<double>& matrix) {
  require(matrix.shape(0) == matrix.shape(1), "a kernel matrix must be square.");
  return {{data_of(matrix, "matrix"), matrix.shape(0)}, matrix.shape(0)};
}

// The same with the kernel matrix of all samples.
void solve_given(const Matrix<double>& matrix, const Indices& starts, const Indices& members,
                 const BandArrays& bands, bool has_intercept, double total, bool share_members,
                 double tol, std::int64_t max_iter, const MutableArray<double>& c,
                 const MutableArray<double>& f, const MutableMatrix<std::int64_t>& counts,
                 const MutableMatrix<double>& measures, int n_threads, nb::object find_reason) {
  solve_from(square(matrix), {starts, members, matrix.shape(0)}, bands, has_intercept, total,
             share_members, tol, max_iter, c, f, counts, measures, n_threads,
             std::move(find_reason));
}

// What `ErrorEstimates` holds, in arrays that live as long as it does.
class ErrorArrays {
 public:
  ErrorArrays(Array<double> sizes, Array<double> of_solver, double of_recomputed, double negligible,
              double share_in_sums)
      : sizes_(std::move(sizes)),
        of_solver_(std::move(of_solver)),
        view_{data_of(sizes_, "sizes"), data_of(of_solver_, sizes_.shape(0), "of_solver", "sizes"),
              of_recomputed, negligible, share_in_sums} {}

  std::size_t size() const { return sizes_.shape(0); }
  const bandsvm::ErrorEstimates& view() const { return view_; }

 private:
  const Array<double> sizes_, of_solver_;
  const bandsvm::ErrorEstimates view_;
};

bandsvm::SpotCheckRules rules_of(double tol, std::size_t n_checks, std::size_t samples_per_check,
                                 double times_mean, double times_largest, double min_factor,
                                 double far_from_tol, int max_rounds, const Array<double>& draws) {
  require(n_checks >= 8, "n_checks must be at least 8.");
  require(samples_per_check >= 1, "samples_per_check must be at least 1.");
  require(draws.shape(0) >= 1, "draws must not be empty.");
  const double* const numbers = data_of(draws, "draws");
  std::vector<double> copied(numbers, numbers + draws.shape(0));
  for (double number : copied)
    require(number >= 0 && number <= 1, "draws must lie between 0 and 1.");
  return {tol,        n_checks,     samples_per_check, times_mean,       times_largest,
          min_factor, far_from_tol, max_rounds,        std::move(copied)};
}

// Columns of measures: intercept, drift and number of recomputed samples, then `Optimality`.
constexpr std::size_t kMeasures = 17;

template <typename Values>
void certify_from(const Values& values, const Members& members, const PricedBandArrays& bands,
                  bool has_intercept, const Array<double>& c, const MutableArray<double>& f,
                  const ErrorArrays& errors, std::size_t n_samples,
                  const bandsvm::SpotCheckRules& rules, const Array<bool>& is_wanted,
                  const Array<bool>& checks_all, const MutableMatrix<double>& measures,
                  int n_threads) {
  const std::size_t size = members.members.size(), number = members.number();
  bandsvm::check_length(bands.view().size, size, "bands", "members");
  bandsvm::check_length(errors.size(), n_samples, "errors", "samples");
  const bandsvm::JudgedProblems problems{members.starts.data(),  number,
                                         members.members.data(), bands.view(),
                                         has_intercept,          data_of(c, size, "c", "members")};
  double* const f_of = data_of(f, size, "f", "members");
  const bool* const wanted = data_of(is_wanted, number, "is_wanted", "problems");
  const bool* const all = data_of(checks_all, number, "checks_all", "problems");
  require(measures.shape(0) == number && measures.shape(1) == kMeasures,
          "measures must have seventeen columns, and one row for each problem.");
  double* const to = data_of(measures, "measures");
  n_threads = bandsvm::as_threads(n_threads);
  nb::gil_scoped_release release;
  std::vector<bandsvm::SmallCertificate> found(number);
  const bandsvm::SmallCertifier<Values> certifier(values, problems, errors.view(), rules);
  bandsvm::certify_small_problems(certifier, number, wanted, all, f_of, found.data(), n_threads);
  for (std::size_t k = 0; k < number; ++k) {
    const bandsvm::Optimality& m = found[k].measured;
    const std::array<double, kMeasures> row{found[k].intercept,
                                            found[k].drift,
                                            double(found[k].n_checked),
                                            m.primal,
                                            m.dual,
                                            m.gap,
                                            m.gap_with_errors,
                                            m.product_error,
                                            m.excess,
                                            m.total_size,
                                            m.outside,
                                            m.interval.lower,
                                            m.interval.upper,
                                            m.with_errors.lower,
                                            m.with_errors.upper,
                                            m.values.lower,
                                            m.values.upper};
    std::copy(row.begin(), row.end(), to + k * kMeasures);
  }
}

template <typename Real>
std::size_t n_values_of(const Matrix<Real>& X) {
  return X.size();
}

template <typename Real, typename Index>
std::size_t n_values_of(const CsrArrays<Real, Index>& X) {
  return std::get<2>(X).shape(0);
}

template <typename Source>
void certify_defined(const Source& X, std::size_t n_features, const bandsvm::Kernel& kernel,
                     const Indices& starts, const Indices& members, const PricedBandArrays& bands,
                     bool has_intercept, const Array<double>& c, const MutableArray<double>& f,
                     const ErrorArrays& errors, const bandsvm::SpotCheckRules& rules,
                     const Array<bool>& is_wanted, const Array<bool>& checks_all,
                     const MutableMatrix<double>& measures, int n_threads) {
  const auto matrix = matrix_of(X, n_features, "X");
  // Weights take memory for all features.
  require(kernel.kind != bandsvm::KernelKind::linear || n_features <= n_values_of(X),
          "with a linear kernel n_features must not exceed the number of values.");
  certify_from(bandsvm::DefinedValues<std::decay_t<decltype(matrix)>>{matrix, kernel},
               {starts, members, rows_of(X)}, bands, has_intercept, c, f, errors, rows_of(X), rules,
               is_wanted, checks_all, measures, n_threads);
}

void certify_given(const Matrix<double>& matrix, const Indices& starts, const Indices& members,
                   const PricedBandArrays& bands, bool has_intercept, const Array<double>& c,
                   const MutableArray<double>& f, const ErrorArrays& errors,
                   const bandsvm::SpotCheckRules& rules, const Array<bool>& is_wanted,
                   const Array<bool>& checks_all, const MutableMatrix<double>& measures,
                   int n_threads) {
  const bandsvm::GivenKernelMatrix given_values = square(matrix);
  certify_from(bandsvm::GivenValues{given_values.matrix.values, given_values.n_samples},
               {starts, members, matrix.shape(0)}, bands, has_intercept, c, f, errors,
               matrix.shape(0), rules, is_wanted, checks_all, measures, n_threads);
}

template <typename Source>
void bind_certify(nb::module_& module) {
  module.def("certify_small", &certify_defined<Source>, "X"_a.noconvert(), "n_features"_a,
             "kernel"_a, "starts"_a.noconvert(), "members"_a.noconvert(), "bands"_a,
             "has_intercept"_a, "c"_a, "f"_a.noconvert(), "errors"_a, "rules"_a, "is_wanted"_a,
             "checks_all"_a, "measures"_a.noconvert(), "n_threads"_a);
}

// Numbers that the solvers and certificates in Python share.
void bind_constants(nb::module_& module) {
  module.attr("MAX_SHARED") = bandsvm::kMaxShared;
  module.attr("N_MEASURES") = kMeasures;
  module.attr("REFINEMENTS") = bandsvm::kRefinements;
  module.attr("MAX_STEPS_ON_FACE") = bandsvm::kMaxStepsOnFace;
  module.attr("MAX_WORK_OF_CLIMB") = bandsvm::kMaxWorkOfClimb;
  module.attr("DAMPING_GROWTH") = bandsvm::kDampingGrowth;
  module.attr("SUFFICIENT_SHARE") = bandsvm::kSufficientShare;
  module.attr("MAX_STEP") = bandsvm::kMaxStep;
  module.attr("TRIED_SHARES") = bandsvm::kTriedShares;
  module.attr("MAX_POLISHING_ROUNDS") = bandsvm::kMaxPolishingRounds;
  module.attr("ROUNDS_WITHOUT_GAIN") = bandsvm::kRoundsWithoutGain;
  module.attr("POLISHING_STEPS_PER_VARIABLE") = bandsvm::kPolishingStepsPerVariable;
  module.attr("MAX_WORK_OF_POLISHING") = bandsvm::kMaxWorkOfPolishing;
  module.attr("SNAP_SHARE") = bandsvm::kSnapShare;
  module.attr("SMALL_SHARE_OF_TOL") = bandsvm::kSmallShareOfTol;
  module.attr("STEPS_PER_VARIABLE") = bandsvm::kStepsPerVariable;
  module.attr("MIN_STEP_BUDGET") = bandsvm::kMinStepBudget;
  module.attr("NEWTON_STEPS") = bandsvm::kNewtonSteps;
  module.attr("ROUNDING_OF_LIMITS") = bandsvm::kRoundingOfLimits;
}

}  // namespace

void bind_small(nb::module_& module) {
  bind_constants(module);
  module.def("solve_small", &solve_packed, "samples"_a, "kernel"_a, "starts"_a.noconvert(),
             "members"_a.noconvert(), "bands"_a, "has_intercept"_a, "total"_a, "share_members"_a,
             "tol"_a, "max_iter"_a, "c"_a.noconvert(), "f"_a.noconvert(), "counts"_a.noconvert(),
             "measures"_a.noconvert(), "n_threads"_a, "find_reason"_a.none());
  module.def("solve_small_given", &solve_given, "matrix"_a.noconvert(), "starts"_a.noconvert(),
             "members"_a.noconvert(), "bands"_a, "has_intercept"_a, "total"_a, "share_members"_a,
             "tol"_a, "max_iter"_a, "c"_a.noconvert(), "f"_a.noconvert(), "counts"_a.noconvert(),
             "measures"_a.noconvert(), "n_threads"_a, "find_reason"_a.none());
  nb::class_<ErrorArrays>(module, "ErrorEstimates")
      .def(nb::init<Array<double>, Array<double>, double, double, double>(), "sizes"_a,
           "of_solver"_a, "of_recomputed"_a, "negligible"_a, "share_in_sums"_a);
  nb::class_<bandsvm::SpotCheckRules>(module, "SpotCheckRules")
      .def(nb::new_(&rules_of), nb::kw_only(), "tol"_a, "n_checks"_a, "samples_per_check"_a,
           "times_mean"_a, "times_largest"_a, "min_factor"_a, "far_from_tol"_a, "max_rounds"_a,
           "draws"_a);
  bind_certify<Matrix<float>>(module);
  bind_certify<Matrix<double>>(module);
  bind_certify<CsrArrays<float, std::int32_t>>(module);
  bind_certify<CsrArrays<double, std::int32_t>>(module);
  bind_certify<CsrArrays<float, std::int64_t>>(module);
  bind_certify<CsrArrays<double, std::int64_t>>(module);
  module.def("certify_small_given", &certify_given, "matrix"_a.noconvert(), "starts"_a.noconvert(),
             "members"_a.noconvert(), "bands"_a, "has_intercept"_a, "c"_a, "f"_a.noconvert(),
             "errors"_a, "rules"_a, "is_wanted"_a, "checks_all"_a, "measures"_a.noconvert(),
             "n_threads"_a);
}
