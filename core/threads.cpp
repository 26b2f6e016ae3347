#include "threads.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#ifndef _WIN32
#include <pthread.h>
#endif

namespace bandsvm {
namespace {

// A thread that has worked looks out for more for so long before it sleeps: to wake a sleeper
// takes as long as many a piece of work. Longer would take cores from other programs.
constexpr std::chrono::microseconds kLookout{2000};

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// Waits for `holds`; spins at first.
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
    if (!has_workers(n_parts - 1)) return false;
    part_ = part;
    context_ = context;
    for (std::size_t t = 1; t < n_parts; ++t) workers_[t - 1]->ask();
    part(context, 0);
    for (std::size_t t = 1; t < n_parts; ++t) workers_[t - 1]->dismiss();
    return true;
  }

 private:
  enum class Asked { no, yes, working };

  // Threads that a call does not need keep sleeping, so those of a larger call cost nothing.
  struct Worker {
    std::mutex sleep;
    std::condition_variable wake;
    std::atomic<Asked> asked{Asked::no};

    void ask() {
      {
        std::lock_guard<std::mutex> lock(sleep);
        asked = Asked::yes;
      }
      wake.notify_one();
    }

    // Waits for it if it is working, else there is nothing left to do for it.
    void dismiss() {
      Asked state = Asked::yes;
      if (asked.compare_exchange_strong(state, Asked::no)) return;
      for (int k = 0; asked.load() == Asked::working; ++k)
        k < 10000 ? relax() : std::this_thread::yield();
    }
  };

  bool has_workers(std::size_t number) {
    workers_.reserve(number);
    while (workers_.size() < number) {
      auto worker = std::make_unique<Worker>();
      try {
        std::thread(&Pool::work, this, worker.get(), workers_.size() + 1).detach();
      } catch (const std::system_error&) {
        return false;  // the system allows no more threads
      }
      workers_.push_back(std::move(worker));
    }
    return true;
  }

  void work(Worker* self, std::size_t t) {
    const auto is_asked = [&] { return self->asked.load() == Asked::yes; };
    while (true) {
      if (!comes_true_soon(is_asked)) {
        std::unique_lock<std::mutex> lock(self->sleep);
        self->wake.wait(lock, is_asked);
      }
      Asked state = Asked::yes;
      if (!self->asked.compare_exchange_strong(state, Asked::working)) continue;  // dismissed
      part_.load()(context_.load(), t);
      self->asked = Asked::no;
    }
  }

  std::mutex in_use_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::atomic<void (*)(const void*, std::size_t)> part_{nullptr};
  std::atomic<const void*> context_{nullptr};
};

// As many calls at a time get help as there are pools; their helpers are never more than cores.
constexpr std::size_t kPools = 32;

// Never destroyed: its threads may outlive everything else.
struct Pools {
  std::atomic<std::size_t> n_helpers{0};
  Pool pools[kPools];
};

std::atomic<Pools*> current{nullptr};

// A forked child has none of its parent's threads: it makes pools of its own.
void forget_pools_in_children() {
#ifndef _WIN32
  static const int failed = pthread_atfork(nullptr, nullptr, [] { current = nullptr; });
  if (failed) throw std::bad_alloc();  // the only reason there is
#endif
}

Pools& all_pools() {
  if (Pools* const found = current.load()) return *found;
  forget_pools_in_children();
  Pools* expected = nullptr;
  Pools* const fresh = new Pools;
  if (current.compare_exchange_strong(expected, fresh)) return *fresh;
  delete fresh;
  return *expected;
}

// Reserves helpers for the time of a call. A call that is alone gets all that it asks for.
class Helpers {
 public:
  Helpers(std::atomic<std::size_t>& n_helpers, std::size_t number)
      : n_helpers_(n_helpers), number_(number) {
    const std::size_t others = n_helpers_.fetch_add(number_);
    granted = others == 0 || others + number_ <= std::thread::hardware_concurrency();
  }
  ~Helpers() { n_helpers_ -= number_; }

  bool granted;

 private:
  std::atomic<std::size_t>& n_helpers_;
  const std::size_t number_;
};

bool run_in_a_pool(std::size_t n_parts, void (*part)(const void*, std::size_t),
                   const void* context) {
  // The pool of the last call: its threads may still be looking out for work.
  static thread_local std::size_t last = 0;
  Pools& all = all_pools();
  const Helpers helpers(all.n_helpers, n_parts - 1);
  if (!helpers.granted) return false;
  if (all.pools[last].try_run(n_parts, part, context)) return true;
  for (std::size_t k = 0; k < kPools; ++k)
    if (k != last && all.pools[k].try_run(n_parts, part, context)) {
      last = k;
      return true;
    }
  return false;
}

}  // namespace

void run_parts(std::size_t n_parts, void (*part)(const void*, std::size_t), const void* context) {
  if (n_parts < 2 || !run_in_a_pool(n_parts, part, context)) part(context, 0);
}

}  // namespace bandsvm
