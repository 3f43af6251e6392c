// Preloaded into the program: just before the n-th call that could change anything on a disk or tell anybody anything,
// it is killed (n = KILL_AT), or that call fails (n = FAIL_AT) with the error FAIL_ERRNO, and every later one like it
// too where FAIL_ON is set, as on a disk that stays full. Running through all n tries every crash and every error there
// is. With NO_PROC a file without a name cannot be given one through /proc. COUNT_FILE is where to write how many such
// calls there were; the file must be there.
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>

// The headers that declare the calls are left out: a definition here would have to repeat all their attributes.
extern "C" pid_t getpid();
extern "C" long syscall(long number, ...);

namespace {

long calls = 0;

__attribute__((destructor)) void tell_how_many() {
  const char* const path = getenv("COUNT_FILE");
  if (path == nullptr) return;
  char digits[24] = {};
  char* first = digits + sizeof digits;
  for (long left = calls; left > 0; left /= 10) *--first = static_cast<char>('0' + left % 10);
  const long file = syscall(SYS_openat, -100, path, 1 /* O_WRONLY */);
  syscall(SYS_write, file, first, digits + sizeof digits - first);
}

long number(const char* name) { return getenv(name) != nullptr ? atol(getenv(name)) : 0; }

// Whether the call about to be made fails.
bool one_call() {
  static const long kill_at = number("KILL_AT"), fail_at = number("FAIL_AT");
  static const int error = static_cast<int>(number("FAIL_ERRNO"));
  static const bool on = getenv("FAIL_ON") != nullptr;
  ++calls;
  if (calls == kill_at) kill(getpid(), SIGKILL);
  if (fail_at == 0 || (calls != fail_at && !(on && calls > fail_at))) return false;
  errno = error;
  return true;
}

// These tests read what the program prints: such a write is counted, but never fails.
bool one_write(int file) {
  const bool fails = one_call();
  return fails && file != 2;
}

bool leads_through_proc(const char* path) {
  static const bool without = getenv("NO_PROC") != nullptr;
  return without && strncmp(path, "/proc/", 6) == 0;
}

}  // namespace

#define COUNTED_IF(fails, result, name, parameters, arguments)                \
  extern "C" __attribute__((visibility("default"))) result name parameters {  \
    using Call = result(*) parameters;                                        \
    static const Call real = reinterpret_cast<Call>(dlsym(RTLD_NEXT, #name)); \
    if (fails) return -1;                                                     \
    return real arguments;                                                    \
  }
#define COUNTED(result, name, parameters, arguments) COUNTED_IF(one_call(), result, name, parameters, arguments)

COUNTED_IF(one_write(file), ssize_t, write, (int file, const void* bytes, size_t size), (file, bytes, size))
COUNTED(ssize_t, pwrite, (int file, const void* bytes, size_t size, off_t at), (file, bytes, size, at))
COUNTED(ssize_t, pwrite64, (int file, const void* bytes, size_t size, off64_t at), (file, bytes, size, at))
COUNTED(int, fsync, (int file), (file))
COUNTED(int, fdatasync, (int file), (file))
COUNTED(int, ftruncate, (int file, off_t size), (file, size))
COUNTED(int, ftruncate64, (int file, off64_t size), (file, size))
COUNTED(int, unlink, (const char* path), (path))
COUNTED(int, rename, (const char* from, const char* to), (from, to))
COUNTED(int, renameat2, (int a, const char* from, int b, const char* to, unsigned flags), (a, from, b, to, flags))
COUNTED(int, link, (const char* from, const char* to), (from, to))
COUNTED(int, mkdir, (const char* path, mode_t mode), (path, mode))
COUNTED_IF(one_call() || (leads_through_proc(from) && (errno = ENOENT) != 0), int, linkat,
           (int a, const char* from, int b, const char* to, int flags), (a, from, b, to, flags))
