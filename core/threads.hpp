// Work divided among waiting threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <vector>

namespace bandsvm {

// Calls part(context, t) for t = 0 here and for 0 < t < n_parts on waiting threads; returns when
// all that began are done. A thread that has not begun when part 0 is done is not waited for: part
// 0 must do what is left by others. If as many threads as there are cores help other calls, it is
// alone.
void run_parts(std::size_t n_parts, void (*part)(const void* context, std::size_t t),
               const void* context);

// Pieces of work per thread: more even out better what threads are behind, but cost calls.
constexpr std::size_t kPieces = 4;

// Calls work(first, last) on pieces of [0, size). Each thread has an equal share, the same one in
// every call, whose values may still be in its cache, and then takes pieces of threads that are
// behind. Pieces are independent, so results do not depend on the number of threads.
template <typename Work>
void in_parallel(std::size_t size, int n_threads, const Work& work) {
  const std::size_t n =
      std::max<std::size_t>(1, std::min<std::size_t>(std::size_t(n_threads), size));
  if (n == 1) return work(0, size);
  struct alignas(64) Share {
    std::atomic<std::size_t> n_taken{0};
    std::exception_ptr error;
  };
  struct Call {
    const Work& work;
    std::size_t size, n_pieces;
    Share* shares;

    std::size_t begin_of(std::size_t piece) const { return piece * size / n_pieces; }
  };
  std::vector<Share> shares(n);
  const Call call{work, size, n * kPieces, shares.data()};
  const auto part = [](const void* context, std::size_t t) {
    const Call& c = *static_cast<const Call*>(context);
    const std::size_t n_shares = c.n_pieces / kPieces;
    try {
      for (std::size_t k = 0; k < n_shares; ++k) {
        const std::size_t share = (t + k) % n_shares;
        while (true) {
          const std::size_t taken = c.shares[share].n_taken++;
          if (taken >= kPieces) break;
          const std::size_t piece = share * kPieces + taken;
          if (c.begin_of(piece) < c.begin_of(piece + 1))
            c.work(c.begin_of(piece), c.begin_of(piece + 1));
        }
      }
    } catch (...) {
      c.shares[t].error = std::current_exception();
    }
  };
  run_parts(n, part, &call);
  for (const Share& share : shares)
    if (share.error) std::rethrow_exception(share.error);
}

}  // namespace bandsvm
