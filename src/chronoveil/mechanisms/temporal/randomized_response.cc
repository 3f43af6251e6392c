#include "chronoveil/mechanisms/temporal/randomized_response.h"

#include <map>

#include "chronoveil/mechanisms/temporal/common.h"
#include "chronoveil/mechanisms/temporal/value_shares.h"
#include "chronoveil/temporal/value_noise.h"

namespace chronoveil::mechanisms {
namespace {

using accounting::RandomizedResponse;
using Places = std::map<std::string, std::int64_t, std::less<>>;

Result<Places> places_of(const std::vector<std::string>& categories) {
  if (categories.size() < 2)
    return fail(
        ErrorKind::usage, "perturb.categories",
        "there are " + std::to_string(categories.size()) + "; randomized_response needs a public list of at least 2");
  Places places;
  for (const std::string& category : categories) {
    if (!places.emplace(category, static_cast<std::int64_t>(places.size())).second)
      return fail(ErrorKind::usage, "perturb.categories", "'" + category + "' is there twice");
  }
  return places;
}

Result<TemporalPlan> plan_of(const TemporalRequest& request) {
  const TemporalMechanism& row = randomized_response();
  CV_CHECK(check_changing(request, row));
  CV_TRY(const Places places, places_of(request.categories));
  if (request.lower || request.upper)
    return fail(ErrorKind::usage, "perturb.lower, perturb.upper", "randomized_response takes `perturb.categories`");
  CV_TRY(TemporalPlan plan,
         with_shares(request, row,
                     RandomizedResponse{accounting::kToCalibrate, static_cast<std::int64_t>(places.size())}));
  const auto& response = std::get<RandomizedResponse>(plan.event.kind);
  CV_CHECK(named(temporal::RandomizedResponse::make(response.epsilon, response.values)));
  return plan;
}

Result<accounting::Event> priced_event(const TemporalPlan& plan) {
  const auto* said = std::get_if<RandomizedResponse>(&plan.event.kind);
  if (said == nullptr) return disagreement();
  return accounting::Event{RandomizedResponse{said->epsilon, static_cast<std::int64_t>(plan.categories.size())},
                           answers(plan.unit, plan.length, plan.lanes)};
}

Result<std::unique_ptr<TemporalProcess>> make_process(const TemporalPlan& plan) {
  const auto* said = std::get_if<RandomizedResponse>(&plan.event.kind);
  if (said == nullptr) return disagreement();
  CV_TRY(Places places, places_of(plan.categories));
  CV_TRY(const temporal::RandomizedResponse law,
         named(temporal::RandomizedResponse::make(said->epsilon, static_cast<std::int64_t>(places.size()))));
  const auto answer = [law, places = std::move(places), names = plan.categories](
                          const std::string& value, BitSource& bits) -> Result<std::string> {
    const auto found = places.find(value);
    if (found == places.end()) return fail(ErrorKind::bad_data, "the value is not among `perturb.categories`");
    return names[static_cast<std::size_t>(law(found->second, bits))];
  };
  return value_process(plan, answer);
}

}  // namespace

const TemporalMechanism& randomized_response() {
  static const TemporalMechanism row{.name = "randomized_response",
                                     .summary = "categories answered at random now and then; a baseline",
                                     .moves = false,
                                     .prepare = plan_of,
                                     .event = priced_event,
                                     .start = make_process};
  return row;
}

}  // namespace chronoveil::mechanisms
