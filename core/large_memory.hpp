// Memory for matrices: in large pages where the system has them, and used again, since fresh pages
// cost more than the values that are written into them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#include "uninitialised.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace bandsvm {

constexpr std::size_t kLargePage = std::size_t{2} * 1024 * 1024;

#ifdef __linux__
// Blocks of large pages that were given back: the system would clear fresh ones. No lock, which a
// child could inherit while another thread holds it.
class SpareMemory {
 public:
  // Null if there is none.
  static void* take(std::size_t n_pages) {
    return n_pages <= kMaxPages ? slots()[n_pages - 1].exchange(nullptr) : nullptr;
  }

  static void give(void* memory, std::size_t n_pages) {
    void* none = nullptr;
    if (n_pages > kMaxPages || !slots()[n_pages - 1].compare_exchange_strong(none, memory))
      std::free(memory);
  }

 private:
  // The kernel matrix of 1000 samples in double precision takes five pages. One block of each size
  // is kept: 30 MB in all.
  static constexpr std::size_t kMaxPages = 5;
  using Slots = std::array<std::atomic<void*>, kMaxPages>;

  static Slots& slots() {
    static Slots slots{};
    return slots;
  }
};
#endif

template <typename Value>
struct LargeMemory : LeavesNewValues {
  using value_type = Value;

  LargeMemory() = default;
  template <typename Other>
  LargeMemory(const LargeMemory<Other>&) {}  // NOLINT: allocators convert

  Value* allocate(std::size_t number) {
    const std::size_t size = number * sizeof(Value);
#ifdef __linux__
    if (size >= kLargePage) {
      if (void* const spare = SpareMemory::take(pages_of(size))) return static_cast<Value*>(spare);
      const std::size_t whole = pages_of(size) * kLargePage;
      void* const memory = std::aligned_alloc(kLargePage, whole);
      if (!memory) throw std::bad_alloc();
      madvise(memory, whole, MADV_HUGEPAGE);  // where it fails, pages are small
      return static_cast<Value*>(memory);
    }
#endif
    return static_cast<Value*>(::operator new(size));
  }

  void deallocate(Value* memory, [[maybe_unused]] std::size_t number) {
#ifdef __linux__
    const std::size_t size = number * sizeof(Value);
    if (size >= kLargePage) return SpareMemory::give(memory, pages_of(size));
#endif
    ::operator delete(memory);
  }

  static constexpr std::size_t pages_of(std::size_t size) {
    return (size + kLargePage - 1) / kLargePage;
  }

  template <typename Other>
  bool operator==(const LargeMemory<Other>&) const {
    return true;
  }
  template <typename Other>
  bool operator!=(const LargeMemory<Other>&) const {
    return false;
  }
};

// A matrix whose values are not set at first.
template <typename Value>
using LargeBuffer = std::vector<Value, LargeMemory<Value>>;

}  // namespace bandsvm
