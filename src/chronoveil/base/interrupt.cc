#include "chronoveil/base/interrupt.h"

#include "chronoveil/base/interrupted.h"

namespace chronoveil {
namespace {

thread_local const Interrupt* heeded = nullptr;

}  // namespace

Interruptible::Interruptible(const Interrupt& interrupt) : Interruptible(&interrupt) {}
Interruptible::Interruptible(const Interrupt* interrupt) : before_(heeded) { heeded = interrupt; }
Interruptible::~Interruptible() { heeded = before_; }

const Interrupt* heeded_interrupt() { return heeded; }

bool interrupted() { return heeded != nullptr && heeded->asked(); }

Result<void> check_interrupted() {
  if (interrupted()) return fail(ErrorKind::interrupted, "interrupted");
  return {};
}

}  // namespace chronoveil
