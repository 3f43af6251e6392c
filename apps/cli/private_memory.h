// What is in the memory of the program is as private as the data.
#pragma once

namespace chronoveil::cli {

// No core dump is left of it, whatever limits it was started with: neither a file nor one that is piped to a program,
// which the limit alone would not stop. Other processes of the same user cannot attach to it either. It cannot be kept
// out of swap as a whole for nothing; docs/threat_model.md says what is.
void keep_memory_private();

}  // namespace chronoveil::cli
