// Counts what is taken from the heap by operator new, in the whole test program.
#pragma once

#include <cstddef>

namespace chronoveil::temporal {

std::size_t allocations();  // since the program began

}  // namespace chronoveil::temporal
