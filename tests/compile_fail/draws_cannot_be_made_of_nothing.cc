// Noise comes with a receipt, or with a mark that says that the result is not private.
// expect-error: (is private within this context|no matching function)
#include "chronoveil/mechanisms/draws.h"

chronoveil::mechanisms::Draws nothing;
