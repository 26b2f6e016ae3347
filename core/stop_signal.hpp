// Whether compiled work shall end: the caller's thread asks now and then, the others look.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

namespace bandsvm {

class StopSignal {
 public:
  // `ask` is called on the thread that makes the signal, and returns whether work shall end.
  explicit StopSignal(std::function<bool()> ask) : ask_(std::move(ask)) {}

  bool is_set() {
    if (is_set_.load(std::memory_order_relaxed)) return true;
    if (std::this_thread::get_id() != owner_) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return false;
    next_ = now + kBetweenQuestions;
    try {
      if (!ask_()) return false;
    } catch (...) {
      is_set_ = true;
      throw;
    }
    is_set_ = true;
    return true;
  }

 private:
  static constexpr std::chrono::milliseconds kBetweenQuestions{20};

  const std::function<bool()> ask_;
  const std::thread::id owner_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point next_ =
      std::chrono::steady_clock::now() + kBetweenQuestions;
  std::atomic<bool> is_set_{false};
};

}  // namespace bandsvm
