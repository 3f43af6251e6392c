#include "chronoveil/mechanisms/guarantee.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "chronoveil/mechanisms/catalogue.h"

namespace chronoveil::mechanisms {
namespace {

std::string counted(std::int64_t n, const std::string& one, const std::string& many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

void add_caps(const SeriesPlan& plan, Basis caps, bool disjoint, std::vector<Assumption>& all) {
  const PublicShape& shape = plan.shape;
  if (shape.unit == Unit::user) {
    all.push_back({"one person counts in at most " + counted(shape.max_steps, "slot", "slots") +
                       (shape.series > 1 ? " of all series taken together" : ""),
                   caps});
    all.push_back({"one person adds at most " + std::to_string(shape.max_per_slot) + " to the count of one slot" +
                       (shape.series > 1 ? " of one series" : ""),
                   caps});
  } else {
    all.push_back({"one person adds at most " + std::to_string(shape.max_per_slot) + " to the counts of one slot" +
                       (shape.series > 1 ? ", all series taken together" : ""),
                   caps});
  }
  if (const auto apart = plan.parameters.find("separation");
      apart != plan.parameters.end() && std::get<std::int64_t>(apart->second) > 1)
    all.push_back({"the slots of one series in which one person counts are at least " +
                       std::to_string(std::get<std::int64_t>(apart->second)) + " steps apart",
                   Basis::declared});
  if (disjoint)
    all.push_back({"everybody is in one series only (declared), so the series compose in parallel", Basis::declared});
  else if (shape.unit == Unit::user && shape.series > 1)
    all.push_back(
        {"the cap covers the whole job: somebody in several series is protected in all of them at once", caps});
}

// The questions of a causal mechanism may depend on earlier answers; this says within which limits.
void add_questions(const SeriesPlan& plan, std::vector<Assumption>& all) {
  const Result<const SeriesMechanism*> mechanism = find_series_mechanism(plan.mechanism);
  if (!mechanism || !(*mechanism)->causal) return;
  if (std::holds_alternative<accounting::Pure>(plan.event.kind)) {
    const std::int64_t width = std::min(plan.shape.width, plan.shape.steps);
    all.push_back({"the questions of any " + (width == 1 ? "step" : std::to_string(width) + " steps in a row") +
                       " spend at most the whole epsilon, whatever the data",
                   Basis::enforced});
  } else {
    all.push_back({"at most " + counted(plan.measured, "question is", "questions are") + " asked, whatever the data",
                   Basis::enforced});
  }
}

// The event that runs when the truth is `factor` times I, with the noise of the plan.
Result<double> epsilon_when_exceeded(const SeriesPlan& plan, std::int64_t factor) {
  CV_TRY(const SeriesMechanism* mechanism, find_series_mechanism(plan.mechanism));
  Request request;
  request.shape = plan.shape;
  request.shape.max_steps = factor * std::min(plan.shape.max_steps, plan.shape.series * plan.shape.steps);
  request.epsilon = plan.price.epsilon;
  request.delta = plan.delta;
  request.analysis = plan.price.analysis;
  request.parameters = plan.parameters;
  // A plan for that many steps shows their sensitivity; then the noise is set back to that of the plan.
  CV_TRY(const SeriesPlan wider, mechanism->prepare(request));
  const double multiplier = plan.scale / wider.sensitivity * (1 - 4 * std::numeric_limits<double>::epsilon());
  CV_TRY(const Delta delta, Delta::make(plan.delta));
  CV_TRY(const accounting::Price price,
         accounting::epsilon_at(accounting::with_noise(accounting::opened(wider.event), multiplier), delta,
                                {.analysis = plan.price.analysis}));
  return price.epsilon;
}

}  // namespace

Guarantee guarantee_of(const SeriesPlan& plan, Basis caps, bool disjoint, EmptySlot empty) {
  Guarantee guarantee;
  guarantee.definition = "DP";
  guarantee.unit = plan.shape.unit;
  if (plan.shape.unit == Unit::w_event) guarantee.width = plan.shape.width;
  guarantee.relation = plan.shape.relation;
  guarantee.epsilon = plan.price.epsilon;
  guarantee.delta = plan.delta;
  guarantee.certificate = plan.price.certificate;
  std::vector<Assumption>& all = guarantee.assumptions;
  add_caps(plan, caps, disjoint, all);
  // A declared cap is about people; an enforced one is about identifiers.
  if (caps == Basis::enforced) all.push_back({"one person has one identifier", Basis::declared});
  all.push_back({"a count above " + std::to_string(plan.shape.maximum) + " is taken as " +
                     std::to_string(plan.shape.maximum) + ", a maximum that is public",
                 Basis::enforced});
  all.push_back(
      {"the list of series, the span of time and the slots come from the job, never from the data, and an empty slot " +
           std::string(empty == EmptySlot::counts_zero ? "counts 0" : "is not asked"),
       Basis::enforced});
  all.push_back({std::string(kJobIsPublic), Basis::declared});
  all.push_back({"the noise is exact: whole steps of a grid, drawn from a cryptographic generator", Basis::enforced});
  add_questions(plan, all);
  if (plan.price.analysis == accounting::Analysis::published) {
    guarantee.certificate = Certificate::as_published;
    all.push_back({"the formula of the paper holds: as published, not certified", Basis::declared});
  }
  return guarantee;
}

std::vector<std::pair<std::int64_t, double>> epsilon_if_cap_exceeded(const SeriesPlan& plan) {
  std::vector<std::pair<std::int64_t, double>> growth;
  if (plan.shape.unit != Unit::user) return growth;
  for (std::int64_t factor = 1; factor <= 4; ++factor) {
    const Result<double> epsilon = epsilon_when_exceeded(plan, factor);
    growth.emplace_back(factor, epsilon ? *epsilon : std::numeric_limits<double>::infinity());
  }
  return growth;
}

}  // namespace chronoveil::mechanisms
