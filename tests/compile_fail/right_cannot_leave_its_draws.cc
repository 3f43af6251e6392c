// A right that left its draws would outlive the one run that the debit covers.
// expect-error: is private within this context
#include <utility>

#include "chronoveil/mechanisms/draws.h"

void keep(chronoveil::mechanisms::Draws& draws) { chronoveil::DrawRight mine = std::move(draws.right()); }
