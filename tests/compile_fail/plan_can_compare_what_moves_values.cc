// The control of what planning can do for one series of its owner: compare mechanisms from public facts.
// layer: plan
// expect-success
#include "chronoveil/plan/temporal_comparison.h"

auto compare(const chronoveil::mechanisms::TemporalRequest& request) {
  return chronoveil::plan::compare_temporal(request);
}
