// The control of what planning can do: compare mechanisms from public facts.
// layer: plan
// expect-success
#include "chronoveil/plan/comparison.h"

auto compare(const chronoveil::mechanisms::Request& request) { return chronoveil::plan::compare(request); }
