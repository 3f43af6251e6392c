#include "private_memory.h"

#include <sys/prctl.h>
#include <sys/resource.h>

namespace chronoveil::cli {

void keep_memory_private() {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

}  // namespace chronoveil::cli
