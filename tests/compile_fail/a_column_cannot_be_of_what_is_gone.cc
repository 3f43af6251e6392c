// A column looks at cells that somebody keeps.
// layer: public
// expect-error: use of deleted function
#include "chronoveil/chronoveil.h"

using namespace chronoveil;

std::vector<double> measured();

Column column() { return {"speed", measured()}; }
