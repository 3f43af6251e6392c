// How the plan of a mechanism for series stands in a document: in that of a release of counts, and in that of a look.
#pragma once

#include "chronoveil/mechanisms/series_mechanism.h"
#include "chronoveil/report/document/members.h"

namespace chronoveil::report {

void members(mechanisms::PublicShape& shape, auto& with) {
  with("series", shape.series);
  with("steps", shape.steps);
  with("unit", shape.unit);
  with("relation", shape.relation);
  with("width", shape.width);
  with("max_steps", shape.max_steps);
  with("max_per_slot", shape.max_per_slot);
  with("maximum", shape.maximum);
}

void members(mechanisms::SeriesPlan& plan, auto& with) {
  with("mechanism", plan.mechanism);
  with("parameters", plan.parameters);
  with.named("noise", kNoiseNames, plan.noise);
  with("scale", plan.scale);
  with("grid", plan.grid);
  with("sensitivity", plan.sensitivity);
  with("measured", plan.measured);
  with.numbers_if_any("weights", plan.weights);
  with("event", plan.event);
  with.named("analysis", kAnalysisNames, plan.price.analysis);
  with("level", plan.level);
  with("delta", plan.delta);
  with("price", plan.price);
  with.object("shape", plan.shape);
}

}  // namespace chronoveil::report
