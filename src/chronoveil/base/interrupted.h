// For loops that may take long: whether somebody asked this thread's call to stop (base/interrupt.h). Cheap enough for
// every few thousand steps; a loop between two questions should take less than a tenth of a second.
#pragma once

#include "chronoveil/base/interrupt.h"
#include "chronoveil/base/result.h"

namespace chronoveil {

bool interrupted();
// ErrorKind::interrupted, if so.
Result<void> check_interrupted();

// What this thread heeds, null if nothing: for threads that it starts, which then hold an Interruptible of it.
const Interrupt* heeded_interrupt();

}  // namespace chronoveil
