#include "chronoveil/postgres/libpq.h"

#include <dlfcn.h>

namespace chronoveil {
namespace {

struct Loaded {
  Libpq functions;
  bool whole = false;
};

Loaded load() {
  Loaded loaded;
  // Never closed: libpq and what it brings along have threads and handlers of their own.
  void* const library = ::dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return loaded;
  loaded.whole = true;
#define CHRONOVEIL_FIND(name)                                                                         \
  loaded.functions.name = reinterpret_cast<decltype(loaded.functions.name)>(::dlsym(library, #name)); \
  loaded.whole = loaded.whole && loaded.functions.name != nullptr;
  CHRONOVEIL_LIBPQ(CHRONOVEIL_FIND)
#undef CHRONOVEIL_FIND
  return loaded;
}

const Loaded& loaded_once() {
  static const Loaded loaded = load();
  return loaded;
}

}  // namespace

Result<void> load_libpq() {
  if (loaded_once().whole) return {};
  return fail(ErrorKind::storage, "PostgreSQL needs libpq: install libpq5 (libpq.so.5 cannot be loaded)");
}

const Libpq& pq() { return loaded_once().functions; }

}  // namespace chronoveil
