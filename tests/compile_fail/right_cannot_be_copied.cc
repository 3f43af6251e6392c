// A right to draw is the proof of one debit, so there is never a second one of it.
// expect-error: use of deleted function
#include "chronoveil/base/draw_right.h"

void keep(const chronoveil::DrawRight& right) { chronoveil::DrawRight second = right; }
