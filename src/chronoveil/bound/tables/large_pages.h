// Memory for tables with random access: large ones on large pages, if the system has any, so that a look-up need not
// also look up its page.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <limits>
#include <new>

namespace chronoveil::bound {

template <class T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <class Other>
  LargePages(const LargePages<Other>&) {}  // NOLINT(google-explicit-constructor): what allocators are asked for

  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    void* const memory = ::operator new(count * sizeof(T), alignment(count));
    // Only a hint: the memory is usable if it is refused.
    if (is_large(count)) static_cast<void>(madvise(memory, count * sizeof(T), MADV_HUGEPAGE));
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) { ::operator delete(memory, alignment(count)); }

  friend bool operator==(const LargePages&, const LargePages&) { return true; }

 private:
  static constexpr std::size_t kPage = std::size_t{1} << 21;
  static bool is_large(std::size_t count) { return count * sizeof(T) >= kPage; }
  static std::align_val_t alignment(std::size_t count) {
    return std::align_val_t{is_large(count) ? kPage : alignof(T)};
  }
};

}  // namespace chronoveil::bound
