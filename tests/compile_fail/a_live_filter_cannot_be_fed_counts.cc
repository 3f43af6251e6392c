// What filters a live release takes noisy answers. Post-processing has no type that holds counts of people.
// layer: post
// expect-error: No such file
#include "chronoveil/bound/bounded_series.h"
#include "chronoveil/post/causal/joint_filter.h"

void look(chronoveil::post::JointFilter& filter, const chronoveil::bound::BoundedSeries& series) {
  filter.step(series.counts(), {});
}
