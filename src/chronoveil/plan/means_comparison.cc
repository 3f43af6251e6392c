#include "chronoveil/plan/means_comparison.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string_view>

#include "chronoveil/base/interrupted.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/cells/parts/grouping.h"
#include "chronoveil/plan/means_recommendation.h"

namespace chronoveil::plan {
namespace {

using mechanisms::CellMechanism;
using mechanisms::CellRequest;
using mechanisms::ParameterInfo;

constexpr std::string_view kBestFit = "best_fit", kWrapAround = "wrap_around";

bool knows(const CellMechanism& mechanism, std::string_view parameter) {
  return std::any_of(mechanism.parameters.begin(), mechanism.parameters.end(),
                     [&](const ParameterInfo& info) { return info.name == parameter; });
}

// A name that no mechanism knows, or a value that none of those who know it accepts, is a mistake that leaving it out
// would hide.
Result<void> check_parameters(const CellRequest& request) {
  const auto catalogue = mechanisms::cell_catalogue();
  for (const auto& [name, value] : request.parameters) {
    const auto has_it = [&parameter = name](const CellMechanism* row) { return knows(*row, parameter); };
    const auto row = std::find_if(catalogue.begin(), catalogue.end(), has_it);
    if (row == catalogue.end())
      return fail(ErrorKind::usage, "mechanism." + name, "no mechanism for means has such a parameter");
    const auto alone = mechanisms::resolved({{name, value}}, (*row)->name, (*row)->parameters);
    if (!alone) return Failure(alone.error());
  }
  return {};
}

CellRequest asked_of(const CellMechanism& mechanism, const CellRequest& request) {
  CellRequest asked = request;
  std::erase_if(asked.parameters, [&](const auto& parameter) { return !knows(mechanism, parameter.first); });
  return asked;
}

Result<std::vector<std::uint32_t>> counts_to_look_at(const CellRequest& request, const PublicCounts& known) {
  constexpr std::int64_t widest = std::numeric_limits<std::uint32_t>::max();
  const auto cap = request.shape.max_records;
  if (cap && *cap < 1) return invalid("means.max_records", std::to_string(*cap), "at least 1");
  if (known.counts.empty()) {
    if (!known.users)
      return fail(ErrorKind::usage, "plan",
                  "it needs public counts of records, or a public number of users and the cap "
                  "max_records");
    if (*known.users < 1 || *known.users > kMostUsers)
      return invalid("plan.users", std::to_string(*known.users), "from 1 to " + std::to_string(kMostUsers));
    if (!cap)
      return fail(ErrorKind::usage, "means.max_records", "it must be given when the plan knows users but no counts");
    if (*cap > widest) return invalid("means.max_records", std::to_string(*cap), "at most " + std::to_string(widest));
    return std::vector<std::uint32_t>(static_cast<std::size_t>(*known.users), static_cast<std::uint32_t>(*cap));
  }
  if (known.counts.size() > static_cast<std::size_t>(kMostUsers))
    return invalid("plan.counts", std::to_string(known.counts.size()) + " counts",
                   "a list of at most " + std::to_string(kMostUsers));
  const auto zero = std::find(known.counts.begin(), known.counts.end(), 0u);
  if (zero != known.counts.end())
    return fail(ErrorKind::usage, "plan.counts",
                "number " + std::to_string(zero - known.counts.begin() + 1) +
                    " is 0; somebody without a record in the cell is not listed");
  std::vector<std::uint32_t> counts = known.counts;
  if (cap)
    for (std::uint32_t& count : counts) count = static_cast<std::uint32_t>(std::min<std::int64_t>(count, *cap));
  std::sort(counts.begin(), counts.end(), std::greater<>());
  return counts;
}

Result<std::int64_t> named_m_ub(const CellRequest& request, const MeansComparison& comparison) {
  constexpr std::string_view valid = "\"median\", \"optimised\" or a whole number of at least 1";
  const auto found = request.parameters.find("m_ub");
  if (found == request.parameters.end()) return comparison.m_ub_optimised;
  if (const auto* whole = std::get_if<std::int64_t>(&found->second)) {
    if (*whole >= 1) return *whole;
    return invalid("mechanism.m_ub", std::to_string(*whole), valid);
  }
  if (const auto* real = std::get_if<double>(&found->second)) {
    if (*real >= 1 && *real <= 0x1p53 && std::floor(*real) == *real) return static_cast<std::int64_t>(*real);
    return invalid("mechanism.m_ub", *real, valid);
  }
  if (const auto* word = std::get_if<std::string>(&found->second)) {
    if (*word == "median") return comparison.m_ub_median;
    if (*word == "optimised") return comparison.m_ub_optimised;
    return invalid("mechanism.m_ub", *word, valid);
  }
  return fail(ErrorKind::usage, "mechanism.m_ub", "it must be " + std::string(valid));
}

Result<void> describe_counts(MeansComparison& comparison, const CellRequest& request) {
  const mechanisms::UserCounts counts = comparison.counts;
  comparison.records = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  comparison.m_ub_median = mechanisms::median_m_ub(counts);
  comparison.m_ub_optimised = mechanisms::optimised_m_ub(counts);
  CV_TRY(comparison.m_ub, named_m_ub(request, comparison));
  comparison.arrays_wrap_around = mechanisms::full_arrays(counts, comparison.m_ub);
  comparison.fills = mechanisms::best_fit(counts, comparison.m_ub).fills;
  comparison.arrays_best_fit = static_cast<std::int64_t>(comparison.fills.size());
  return {};
}

Result<MeansCandidate> consider(const CellMechanism& mechanism, const CellRequest& request,
                                mechanisms::UserCounts counts, std::string_view variant = "") {
  const CellRequest asked = asked_of(mechanism, request);
  MeansCandidate candidate;
  candidate.mechanism = mechanism.name;
  candidate.variant = variant;
  candidate.as_asked = asked.parameters.size() == request.parameters.size();
  const auto refused = [&](const Error& error) -> Result<MeansCandidate> {
    if (error.kind != ErrorKind::usage && error.kind != ErrorKind::cannot_certify) return Failure(error);
    candidate.refusal = error;
    return candidate;
  };
  auto plan = mechanism.prepare(asked);
  if (!plan) return refused(plan.error());
  auto facts = mechanism.look(*plan, counts);
  if (!facts) return refused(facts.error());
  candidate.plan = std::move(*plan);
  candidate.facts = std::move(*facts);
  return candidate;
}

// array_averaging has two groupings to compare; the mechanisms that clamp have the one that suits them.
bool compares_groupings(const CellMechanism& mechanism) { return mechanism.name == "array_averaging"; }

Result<void> consider_groupings(MeansComparison& comparison, const CellMechanism& mechanism, CellRequest request) {
  const auto named = request.parameters.find("grouping");
  const bool wrap_first =
      named != request.parameters.end() && named->second == mechanisms::Value(std::string(kWrapAround));
  for (const bool wrap : {wrap_first, !wrap_first}) {
    request.parameters["grouping"] = std::string(wrap ? kWrapAround : kBestFit);
    CV_TRY(MeansCandidate candidate, consider(mechanism, request, comparison.counts, wrap ? kWrapAround : ""));
    comparison.candidates.push_back(std::move(candidate));
  }
  return {};
}

// A refusal that all share is about the request, not about a mechanism.
Result<void> check_that_one_fits(const std::vector<MeansCandidate>& all) {
  std::string refusals;
  bool alike = true;
  for (const MeansCandidate& candidate : all) {
    if (candidate.plan) return {};
    alike = alike && candidate.refusal.text() == all.front().refusal.text();
    refusals.append(refusals.empty() ? "" : "; ")
        .append(candidate.mechanism)
        .append(": ")
        .append(candidate.refusal.marked());
  }
  if (alike) return Failure(all.front().refusal);
  return fail(ErrorKind::usage, "mechanism.name", "no mechanism fits this job (" + refusals + ")");
}

}  // namespace

Result<MeansComparison> compare_means(const CellRequest& request, const PublicCounts& known, bool counts_public) {
  CV_CHECK(check_parameters(request));
  MeansComparison comparison;
  CV_TRY(comparison.counts, counts_to_look_at(request, known));
  comparison.from_caps = known.counts.empty();
  CV_CHECK(describe_counts(comparison, request));
  for (const CellMechanism* mechanism : mechanisms::cell_catalogue()) {
    CV_CHECK(check_interrupted());
    if (!counts_public && mechanism->public_counts) continue;
    if (compares_groupings(*mechanism)) {
      CV_CHECK(consider_groupings(comparison, *mechanism, request));
    } else {
      CV_TRY(MeansCandidate candidate, consider(*mechanism, request, comparison.counts));
      comparison.candidates.push_back(std::move(candidate));
    }
  }
  CV_CHECK(check_interrupted());
  CV_CHECK(check_that_one_fits(comparison.candidates));
  MeansRecommendation found = recommend_means(comparison, counts_public);
  comparison.recommended = std::move(found.mechanism);
  comparison.regime = std::move(found.regime);
  comparison.reason = std::move(found.reason);
  return comparison;
}

}  // namespace chronoveil::plan
