// The pool of threads: every part once, nested calls, exceptions, many callers, forks.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "threads.hpp"

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace {

// Each index of [0, size) counted by the part that got it.
std::vector<int> counts(std::size_t size, int n_threads) {
  std::vector<int> found(size);
  bandsvm::in_parallel(size, n_threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) ++found[i];
  });
  return found;
}

}  // namespace

TEST_CASE("every index is worked on once") {
  for (std::size_t size : {0, 1, 2, 5, 1000})
    for (int n_threads : {1, 2, 7, 16}) {
      CAPTURE(size);
      CAPTURE(n_threads);
      CHECK(counts(size, n_threads) == std::vector<int>(size, 1));
    }
}

TEST_CASE("more and fewer threads by turns") {
  for (int round = 0; round < 300; ++round)
    REQUIRE(counts(17, 1 + round * 7 % 9) == std::vector<int>(17, 1));
}

TEST_CASE("calls within calls") {
  std::atomic<int> total{0};
  bandsvm::in_parallel(4, 4, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::vector<int> found = counts(100, 3);
      total += std::accumulate(found.begin(), found.end(), 0);
    }
  });
  CHECK(total == 400);
}

TEST_CASE("exceptions arrive, and the pool goes on") {
  for (int part : {0, 1, 3}) {
    const auto throw_in = [&](std::size_t first, std::size_t) {
      if (int(first) == part) throw std::runtime_error("part");
    };
    CHECK_THROWS_WITH_AS(bandsvm::in_parallel(4, 4, throw_in), "part", std::runtime_error);
    CHECK(counts(50, 4) == std::vector<int>(50, 1));
  }
}

TEST_CASE("two callers at once both have help") {
  if (std::thread::hardware_concurrency() < 2) return;
  // Each of the four parts waits for the other three.
  std::atomic<int> n_here{0}, n_met{0};
  const auto meet = [&](std::size_t, std::size_t) {
    ++n_here;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (n_here < 4 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    n_met += n_here == 4;
  };
  std::thread other([&] { bandsvm::in_parallel(2, 2, meet); });
  bandsvm::in_parallel(2, 2, meet);
  other.join();
  CHECK(n_met == 4);
}

TEST_CASE("many callers at once") {
  std::atomic<int> n_wrong{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 8; ++caller)
    callers.emplace_back([&, caller] {
      for (int round = 0; round < 50; ++round)
        n_wrong += counts(33, 1 + (caller + round) % 5) != std::vector<int>(33, 1);
    });
  for (std::thread& caller : callers) caller.join();
  CHECK(n_wrong == 0);
}

#ifndef _WIN32
TEST_CASE("a forked child has a pool of its own") {
  for (int round = 0; round < 3; ++round) {
    counts(10, 4);  // the parent's threads are there
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) _exit(counts(100, 4) == std::vector<int>(100, 1) ? 0 : 1);
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(counts(100, 4) == std::vector<int>(100, 1));
  }
}
#endif
