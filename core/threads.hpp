// Work divided among waiting threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <vector>

namespace bandsvm {

// Calls part(context, t) for 0 < t < n_parts on waiting threads, and for t = 0 here; returns when
// all are done. If as many threads as there are cores help other calls, all parts run here.
void run_parts(std::size_t n_parts, void (*part)(const void* context, std::size_t t),
               const void* context);

// Calls work(first, last) on equal parts of [0, size), one per thread. Parts are independent, so
// results do not depend on the number of threads.
template <typename Work>
void in_parallel(std::size_t size, int n_threads, const Work& work) {
  const std::size_t n =
      std::max<std::size_t>(1, std::min<std::size_t>(std::size_t(n_threads), size));
  struct Call {
    const Work& work;
    std::size_t size, n;
    std::exception_ptr* errors;
  };
  std::vector<std::exception_ptr> errors(n);
  const Call call{work, size, n, errors.data()};
  const auto part = [](const void* context, std::size_t t) {
    const Call& c = *static_cast<const Call*>(context);
    try {
      c.work(t * c.size / c.n, (t + 1) * c.size / c.n);
    } catch (...) {
      c.errors[t] = std::current_exception();
    }
  };
  run_parts(n, part, &call);
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace bandsvm
