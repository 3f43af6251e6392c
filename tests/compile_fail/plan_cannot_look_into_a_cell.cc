// The values of a cell have a name at plan time, since mechanisms declare what they measure, but no members.
// layer: plan
// expect-error: incomplete type
#include "chronoveil/plan/means_comparison.h"

auto look(const chronoveil::bound::CellView& cell) { return cell.values; }
