#include "temporal/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::size_t> count{0};
std::atomic<std::size_t> refused{0};  // its number, counted as `count` does; none is number 0
}  // namespace

void* operator new(std::size_t size) {
  if (count.fetch_add(1, std::memory_order_relaxed) + 1 == refused.load(std::memory_order_relaxed))
    throw std::bad_alloc();
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
// The others must go with it: sanitizers have their own, and would not know this memory.
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size == 0 ? 1 : size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size == 0 ? 1 : size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace chronoveil::temporal {

std::size_t allocations() { return count.load(std::memory_order_relaxed); }

void refuse_allocation(std::size_t number) { refused = number == 0 ? 0 : count + number; }

}  // namespace chronoveil::temporal
