// Only draws that took a receipt or a run have a right without a mark.
// expect-error: is private within this context
#include "chronoveil/base/draw_right.h"

chronoveil::DrawRight nothing;
