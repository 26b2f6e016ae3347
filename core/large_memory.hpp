// Memory for matrices: as it comes, and in large pages where the system has them, since fresh pages
// cost more than the values that are written into them.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace bandsvm {

template <typename Value>
struct LargeMemory {
  using value_type = Value;
  static constexpr std::size_t kPage = std::size_t{2} * 1024 * 1024;

  LargeMemory() = default;
  template <typename Other>
  LargeMemory(const LargeMemory<Other>&) {}  // NOLINT: allocators convert

  Value* allocate(std::size_t number) {
    const std::size_t size = number * sizeof(Value);
#ifdef __linux__
    if (size >= kPage) {
      const std::size_t whole = (size + kPage - 1) / kPage * kPage;
      void* const memory = std::aligned_alloc(kPage, whole);
      if (!memory) throw std::bad_alloc();
      madvise(memory, whole, MADV_HUGEPAGE);  // where it fails, pages are small
      return static_cast<Value*>(memory);
    }
#endif
    return static_cast<Value*>(::operator new(size));
  }

  void deallocate(Value* memory, [[maybe_unused]] std::size_t number) {
#ifdef __linux__
    if (number * sizeof(Value) >= kPage) return std::free(memory);
#endif
    ::operator delete(memory);
  }

  // Leaves new values as they are.
  template <typename Item>
  void construct(Item* at) noexcept {
    ::new (static_cast<void*>(at)) Item;
  }
  template <typename Item, typename... Given>
  void construct(Item* at, Given&&... given) {
    ::new (static_cast<void*>(at)) Item(std::forward<Given>(given)...);
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
