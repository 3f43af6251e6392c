// Counts what is taken from the heap by operator new, in the whole test program, and refuses it on demand.
#pragma once

#include <cstddef>

namespace chronoveil::temporal {

std::size_t allocations();  // since the program began

// The allocation number `number` from now on, from 1, fails once; 0 takes it back.
void refuse_allocation(std::size_t number);

}  // namespace chronoveil::temporal
