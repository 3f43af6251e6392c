// The control of what planning can do for means: compare mechanisms from public counts.
// layer: plan
// expect-success
#include "chronoveil/plan/means_comparison.h"

auto compare(const chronoveil::mechanisms::CellRequest& request) {
  return chronoveil::plan::compare_means(request, {.counts = {3, 2, 1}, .users = {}}, true);
}
