#include "threads.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#ifndef _WIN32
#include <unistd.h>
#endif

namespace bandsvm {
namespace {

// A thread that has worked looks out for more for so long before it sleeps: to wake a sleeper
// takes as long as many a piece of work.
constexpr std::chrono::microseconds kLookout{2000};

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// Waits for `holds`, awake at first.
template <typename Condition>
bool comes_true_soon(const Condition& holds) {
  const auto until = std::chrono::steady_clock::now() + kLookout;
  while (std::chrono::steady_clock::now() < until)
    for (int k = 0; k < 64; ++k) {
      if (holds()) return true;
      relax();
    }
  return holds();
}

class Pool {
 public:
  bool try_run(std::size_t n_parts, void (*part)(const void*, std::size_t), const void* context) {
    std::unique_lock<std::mutex> only(in_use_, std::try_to_lock);
    if (!only) return false;
    while (n_threads_ + 1 < n_parts) {
      try {
        std::thread(&Pool::work, this, n_threads_ + 1, round_.load()).detach();
      } catch (const std::system_error&) {
        return false;  // no more threads to be had
      }
      ++n_threads_;
    }
    part_ = part;
    context_ = context;
    n_unfinished_ = n_parts - 1;
    {
      std::lock_guard<std::mutex> lock(sleep_);
      round_ = (round_ / kMostParts + 1) * kMostParts + n_parts;
    }
    wake_.notify_all();
    part(context, 0);
    for (int k = 0; n_unfinished_.load() > 0; ++k) k < 10000 ? relax() : std::this_thread::yield();
    return true;
  }

  static constexpr std::uint64_t kMostParts = 1 << 16;

 private:
  void work(std::size_t t, std::uint64_t last_round) {
    const auto there_is_more = [&] { return round_.load() != last_round; };
    while (true) {
      if (!comes_true_soon(there_is_more)) {
        std::unique_lock<std::mutex> lock(sleep_);
        wake_.wait(lock, there_is_more);
      }
      last_round = round_.load();
      // Who takes no part may miss a round and the next; who does is waited for.
      if (t >= last_round % kMostParts) continue;
      part_.load()(context_.load(), t);
      --n_unfinished_;
    }
  }

  std::mutex in_use_, sleep_;
  std::condition_variable wake_;
  std::size_t n_threads_ = 0;
  std::atomic<std::uint64_t> round_{0};  // a number that counts up, and the number of its parts
  std::atomic<std::size_t> n_unfinished_{0};
  std::atomic<void (*)(const void*, std::size_t)> part_{nullptr};
  std::atomic<const void*> context_{nullptr};
};

#ifdef _WIN32
int process() { return 0; }
#else
int process() { return int(getpid()); }
#endif

// Never destroyed: its threads may outlive everything else. A forked child has none of them and
// gets a pool of its own.
Pool& pool() {
  struct Owned {
    int owner;
    Pool pool;
  };
  static std::atomic<Owned*> current{nullptr};
  while (true) {
    Owned* found = current.load();
    if (found && found->owner == process()) return found->pool;
    Owned* const fresh = new Owned{process(), {}};
    if (!current.compare_exchange_strong(found, fresh)) delete fresh;
  }
}

}  // namespace

void run_parts(std::size_t n_parts, void (*part)(const void*, std::size_t), const void* context) {
  if (n_parts > 1 && n_parts < Pool::kMostParts && pool().try_run(n_parts, part, context)) return;
  for (std::size_t t = 0; t < n_parts; ++t) part(context, t);
}

}  // namespace bandsvm
