#include "support/child_process.h"

#include <sys/wait.h>
#include <unistd.h>

namespace chronoveil::testing {

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

}  // namespace chronoveil::testing
