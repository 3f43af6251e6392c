// The control of what plan-time code can do: price an event.
// layer: plan
// expect-success
#include "chronoveil/accounting/accountant.h"

auto price(const chronoveil::accounting::Event& event, chronoveil::Delta delta) {
  return chronoveil::accounting::epsilon_at(event, delta);
}
