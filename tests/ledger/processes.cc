#include "processes.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace chronoveil::ledger::testing {

pid_t run_in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

int kills_or(int usual) {
  const char* asked = std::getenv("CHRONOVEIL_TEST_KILLS");
  return asked == nullptr ? usual : std::min(usual, std::atoi(asked));
}

}  // namespace chronoveil::ledger::testing
