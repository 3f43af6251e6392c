// Preloaded into the program: the n-th request for memory (n = FAIL_ALLOCATION) is refused, and every later one too
// where FAIL_ON is set. COUNT_FILE is where to write how many requests there were; the file must be there.
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include <atomic>

extern "C" long syscall(long number, ...);
// The allocator itself, by the names that glibc has for whoever puts something before it.
extern "C" void* __libc_malloc(size_t size);
extern "C" void* __libc_calloc(size_t count, size_t size);
extern "C" void* __libc_realloc(void* old, size_t size);

namespace {

std::atomic<long> requests{0};
long fail_at = 0;
bool on = false;

__attribute__((constructor)) void begin() {
  fail_at = getenv("FAIL_ALLOCATION") != nullptr ? atol(getenv("FAIL_ALLOCATION")) : 0;
  on = getenv("FAIL_ON") != nullptr;
}

__attribute__((destructor)) void tell_how_many() {
  const char* const path = getenv("COUNT_FILE");
  if (path == nullptr) return;
  char digits[24] = {};
  char* first = digits + sizeof digits;
  for (long left = requests; left > 0; left /= 10) *--first = static_cast<char>('0' + left % 10);
  const long file = syscall(SYS_openat, -100, path, 1 /* O_WRONLY */);
  syscall(SYS_write, file, first, digits + sizeof digits - first);
}

bool refused() {
  const long request = ++requests;
  if (fail_at == 0 || (request != fail_at && !(on && request > fail_at))) return false;
  errno = ENOMEM;
  return true;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void* malloc(size_t size) {
  return refused() ? nullptr : __libc_malloc(size);
}
extern "C" __attribute__((visibility("default"))) void* calloc(size_t count, size_t size) {
  return refused() ? nullptr : __libc_calloc(count, size);
}
extern "C" __attribute__((visibility("default"))) void* realloc(void* old, size_t size) {
  return refused() ? nullptr : __libc_realloc(old, size);
}
