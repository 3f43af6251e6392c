// The memory of the program is as private as the data.
#pragma once

namespace chronoveil::cli {

// Prevents core dumps, whatever limits the program was started with: as a file, and piped to a program, which a limit
// alone would not stop. Other processes of the same user cannot attach either. Keeping all of it out of swap would cost
// too much; docs/threat_model.md says which parts are.
void keep_memory_private();

}  // namespace chronoveil::cli
