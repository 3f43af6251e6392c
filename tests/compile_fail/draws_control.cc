// The control of the cases with draws: made from a receipt, moved, and passed to the one run that they cover.
// expect-success
#include <utility>

#include "chronoveil/mechanisms/draws.h"

auto run(chronoveil::ledger::Receipt receipt, const chronoveil::accounting::Event& event) {
  auto draws = chronoveil::mechanisms::Draws::authorised(std::move(receipt), event);
  chronoveil::mechanisms::Draws mine = std::move(*draws);
  return mine.start(event);
}
