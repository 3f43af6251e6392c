// Draws are the right to one release, so there is never a second one of them.
// expect-error: use of deleted function
#include "chronoveil/mechanisms/draws.h"

void keep(const chronoveil::mechanisms::Draws& draws) { chronoveil::mechanisms::Draws second = draws; }
