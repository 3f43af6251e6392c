// The same of cells that stay.
// layer: public
// expect-success
#include "chronoveil/chronoveil.h"

using namespace chronoveil;

Column column(const std::vector<double>& measured) { return {"speed", measured}; }
