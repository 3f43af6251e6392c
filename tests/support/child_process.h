// Child processes, for tests that kill them.
#pragma once

#include <sys/types.h>

#include <functional>

namespace chronoveil::testing {

// Runs `body` in a forked child, whose exit status is what it returns. The test must hold no open database meanwhile:
// neither SQLite nor libpq survives a fork.
pid_t run_in_child(const std::function<int()>& body);

// The exit status, or -1 when the child was killed.
int wait_for(pid_t child);

}  // namespace chronoveil::testing
