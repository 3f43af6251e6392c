// Preloaded into the program: it is killed just before the n-th call that could change anything on a disk or tell
// anybody anything, n = KILL_AT. Running through all n tries every crash there is.
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/types.h>

// The headers that declare the calls are left out: a definition here would have to repeat all their attributes.
extern "C" pid_t getpid();

namespace {

void one_call() {
  static const long at = getenv("KILL_AT") != nullptr ? atol(getenv("KILL_AT")) : 0;
  static long calls = 0;
  if (++calls == at) kill(getpid(), SIGKILL);
}

}  // namespace

#define COUNTED(result, name, parameters, arguments)                          \
  extern "C" __attribute__((visibility("default"))) result name parameters {  \
    using Call = result(*) parameters;                                        \
    static const Call real = reinterpret_cast<Call>(dlsym(RTLD_NEXT, #name)); \
    one_call();                                                               \
    return real arguments;                                                    \
  }

COUNTED(ssize_t, write, (int file, const void* bytes, size_t size), (file, bytes, size))
COUNTED(ssize_t, pwrite, (int file, const void* bytes, size_t size, off_t at), (file, bytes, size, at))
COUNTED(ssize_t, pwrite64, (int file, const void* bytes, size_t size, off64_t at), (file, bytes, size, at))
COUNTED(int, fsync, (int file), (file))
COUNTED(int, fdatasync, (int file), (file))
COUNTED(int, ftruncate, (int file, off_t size), (file, size))
COUNTED(int, ftruncate64, (int file, off64_t size), (file, size))
COUNTED(int, unlink, (const char* path), (path))
COUNTED(int, rename, (const char* from, const char* to), (from, to))
COUNTED(int, mkdir, (const char* path, mode_t mode), (path, mode))
COUNTED(int, linkat, (int a, const char* from, int b, const char* to, int flags), (a, from, b, to, flags))
