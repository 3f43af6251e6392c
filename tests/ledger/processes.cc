#include "processes.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace chronoveil::ledger::testing {

Counter::Counter()
    : shared_(static_cast<std::atomic<int>*>(
          mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
  new (shared_) std::atomic<int>(0);
}

Counter::~Counter() { munmap(shared_, sizeof(std::atomic<int>)); }

int kills_or(int usual) {
  const char* asked = std::getenv("CHRONOVEIL_TEST_KILLS");
  return asked == nullptr ? usual : std::min(usual, std::atoi(asked));
}

}  // namespace chronoveil::ledger::testing
