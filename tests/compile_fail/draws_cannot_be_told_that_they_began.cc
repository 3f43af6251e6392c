// Whether bits may be drawn is for the ledger to say, through the receipt: nobody else sets it.
// expect-error: is private within this context
#include "chronoveil/mechanisms/draws.h"

void pretend(chronoveil::mechanisms::Draws& draws) { draws.begun_ = chronoveil::mechanisms::Draws::Begun::yes; }
