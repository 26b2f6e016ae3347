// Arrays whose new values are left as they are, so that threads that write them touch the memory
// first.
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace bandsvm {

// What allocators of such arrays have in common.
struct LeavesNewValues {
  template <typename Item>
  void construct(Item* at) noexcept {
    ::new (static_cast<void*>(at)) Item;
  }
  template <typename Item, typename... Given>
  void construct(Item* at, Given&&... given) {
    ::new (static_cast<void*>(at)) Item(std::forward<Given>(given)...);
  }
};

template <typename Value>
struct Uninitialised : std::allocator<Value>, LeavesNewValues {
  template <typename Other>
  struct rebind {
    using other = Uninitialised<Other>;
  };
  using LeavesNewValues::construct;
};

template <typename Value>
using Buffer = std::vector<Value, Uninitialised<Value>>;

}  // namespace bandsvm
