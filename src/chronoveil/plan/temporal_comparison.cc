#include "chronoveil/plan/temporal_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "chronoveil/base/interrupted.h"
#include "chronoveil/mechanisms/catalogue.h"

namespace chronoveil::plan {
namespace {

using mechanisms::TemporalMechanism;
using mechanisms::TemporalRequest;

bool knows(const TemporalMechanism& mechanism, std::string_view parameter) {
  return std::any_of(mechanism.parameters.begin(), mechanism.parameters.end(),
                     [&](const mechanisms::ParameterInfo& info) { return info.name == parameter; });
}

// A name that no mechanism knows, or a value that none of those who know it accepts, is a mistake that leaving it out
// would hide.
Result<void> check_parameters(const TemporalRequest& request) {
  const auto catalogue = mechanisms::temporal_catalogue();
  for (const auto& [name, value] : request.parameters) {
    const auto has_it = [&parameter = name](const TemporalMechanism* row) { return knows(*row, parameter); };
    const auto row = std::find_if(catalogue.begin(), catalogue.end(), has_it);
    if (row == catalogue.end())
      return fail(ErrorKind::usage, "mechanism." + name, "no mechanism that moves values has such a parameter");
    const auto alone = mechanisms::resolved({{name, value}}, (*row)->name, (*row)->parameters);
    if (!alone) return Failure(alone.error());
  }
  return {};
}

// Whether pricing the mechanism would take too long for a comparison.
bool takes_long(const TemporalMechanism& mechanism, const TemporalRequest& request) {
  return mechanism.name == "staswitch" && request.analysis == accounting::Analysis::certified &&
         request.window > kLargestComparedState;
}

struct Considered {
  TemporalCandidate candidate;
  std::optional<Error> refused;  // if it was tried
};

Result<Considered> consider(const TemporalMechanism& mechanism, const TemporalRequest& request) {
  TemporalRequest asked = request;
  std::erase_if(asked.parameters, [&](const auto& parameter) { return !knows(mechanism, parameter.first); });
  Considered one;
  one.candidate.mechanism = mechanism.name;
  one.candidate.as_asked = asked.parameters.size() == request.parameters.size();
  if (takes_long(mechanism, request)) {
    one.candidate.refusal.message = fmt::format(
        "it is not compared beyond a window of {}, since finding its price takes long there; it can be asked for by "
        "name",
        kLargestComparedState);
    return one;
  }
  auto plan = mechanism.prepare(asked);
  if (!plan) {
    const Error& error = plan.error();
    if (error.kind != ErrorKind::usage && error.kind != ErrorKind::cannot_certify) return Failure(error);
    one.candidate.refusal = error;
    one.refused = error;
    return one;
  }
  CV_TRY(one.candidate.moves, mechanisms::expected_moves(*plan));
  one.candidate.plan = std::move(*plan);
  return one;
}

bool is_certified(const TemporalCandidate& candidate) {
  return candidate.plan && candidate.plan->price.certificate != Certificate::as_published;
}

// The cheapest of those for which `fits` holds; the first in a tie.
template <class Fits>
const TemporalCandidate* cheapest(const std::vector<TemporalCandidate>& all, Fits fits) {
  const TemporalCandidate* best = nullptr;
  for (const TemporalCandidate& candidate : all) {
    if (candidate.plan && fits(candidate) && (best == nullptr || candidate.moves->cost < best->moves->cost))
      best = &candidate;
  }
  return best;
}

const TemporalCandidate& choose(const std::vector<TemporalCandidate>& all) {
  if (const auto* best = cheapest(all, [](const auto& each) { return each.as_asked && is_certified(each); }))
    return *best;
  if (const auto* best = cheapest(all, [](const auto& each) { return each.as_asked; })) return *best;
  return *cheapest(all, [](const auto&) { return true; });
}

std::string reason_for(const TemporalCandidate& chosen, const std::vector<TemporalCandidate>& all) {
  std::string reason = fmt::format("{} moves a value by {:.3g} steps on average", chosen.mechanism, chosen.moves->cost);
  std::string others;
  for (const TemporalCandidate& other : all) {
    if (!other.plan || &other == &chosen) continue;
    others += fmt::format("{}{:.3g} for {}{}", others.empty() ? ", against " : ", ", other.moves->cost, other.mechanism,
                          is_certified(chosen) && !is_certified(other) ? " (as published, not certified)" : "");
  }
  reason += others;
  if (!is_certified(chosen))
    return reason + "; its price is the published one, which is for single outputs, and not certified.";
  return reason + (chosen.plan->delta == 0 ? "; it needs no delta." : ".");
}

}  // namespace

Result<TemporalComparison> compare_temporal(const TemporalRequest& request) {
  CV_CHECK(check_parameters(request));
  TemporalComparison comparison;
  std::vector<Error> refusals;
  std::string all;
  for (const TemporalMechanism* mechanism : mechanisms::temporal_catalogue()) {
    if (!mechanism->moves) continue;
    CV_TRY(Considered one, consider(*mechanism, request));
    CV_CHECK(check_interrupted());  // its refusal would not be the mechanism's
    if (one.refused) {
      all.append(all.empty() ? "" : "; ").append(mechanism->name).append(": ").append(one.refused->marked());
      refusals.push_back(*std::move(one.refused));
    }
    comparison.candidates.push_back(std::move(one.candidate));
  }
  auto& candidates = comparison.candidates;
  if (std::none_of(candidates.begin(), candidates.end(), [](const auto& each) { return each.plan.has_value(); })) {
    // A refusal that all share is about the request, not about a mechanism.
    const auto same = [&](const Error& each) { return each.text() == refusals.front().text(); };
    if (std::all_of(refusals.begin(), refusals.end(), same)) return Failure(refusals.front());
    const auto is_usage = [](const Error& each) { return each.kind == ErrorKind::usage; };
    return fail(std::any_of(refusals.begin(), refusals.end(), is_usage) ? ErrorKind::usage : ErrorKind::cannot_certify,
                "mechanism.name", "no mechanism fits this job (" + all + ")");
  }
  const TemporalCandidate& chosen = choose(candidates);
  comparison.recommended = chosen.mechanism;
  for (TemporalCandidate& candidate : candidates) {
    if (candidate.moves) candidate.moves = mechanisms::to_what_holds(*std::move(candidate.moves));
  }
  comparison.reason = reason_for(chosen, candidates);
  return comparison;
}

}  // namespace chronoveil::plan
