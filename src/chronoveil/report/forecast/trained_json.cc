#include <nlohmann/json.hpp>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/report/document/json_names.h"
#include "chronoveil/report/document/json_parts.h"
#include "chronoveil/report/forecast/forecasted_parts.h"
#include "chronoveil/report/forecast/trained.h"

namespace chronoveil::report {

namespace {

nlohmann::ordered_json steps_plan(const Trained& trained) {
  const ModelFacts& model = trained.model;
  return {{"series", trained.series},
          {"windows", {trained.least_windows, trained.most_windows}},
          {"batch_size", trained.batch_size},
          {"windows_per_series", trained.windows_per_series},
          {"top_level", trained.top_level},
          {"bottom_level", trained.bottom_level},
          {"touched_share", trained.touched_share},
          {"series_rate", trained.series_rate},
          {"noise_multiplier", trained.noise_multiplier},
          {"clip", trained.clip},
          {"lower", or_null(trained.lower)},
          {"upper", or_null(trained.upper)},
          {"steps", trained.planned_steps},
          {"spare_steps", trained.spare_steps},
          {"reason", trained.reason},
          {"event", accounting::event_to_json(trained.event)},
          {"analysis", name_in(kAnalysisNames, model.price.analysis)},
          {"price", price_json(model.price)}};
}

}  // namespace

std::string to_json(const Trained& trained) {
  using json = nlohmann::ordered_json;
  const ModelFacts& model = trained.model;
  json spent = json::array();
  for (const Trained::Spent& point : trained.spent)
    spent.push_back({{"steps", point.steps}, {"epsilon", finite_or_null(point.epsilon)}});
  json all = head_json("train", model.mark, trained.title);
  all["guarantee"] = guarantee_json(model.guarantee, model.price, model.mark, model.not_protected);
  all["model"] = model_json(model);
  if (trained.signs) {
    const OneLook& look = *trained.signs;
    all["plan"] = {{"series", trained.series},
                   {"seasons", look.seasons},
                   {"reads", look.reads},
                   {"released", look.released},
                   {"protected_values", look.protected_values},
                   {"sensitivity", look.sensitivity},
                   {"noise", look.noise},
                   {"noise_multiplier", trained.noise_multiplier},
                   {"reason", trained.reason},
                   {"event", accounting::event_to_json(trained.event)},
                   {"analysis", name_in(kAnalysisNames, model.price.analysis)},
                   {"price", price_json(model.price)}};
  } else {
    all["plan"] = steps_plan(trained);
    all["steps"] = model.steps;
    all["uses"] = trained.uses;
    all["resumed"] = trained.resumed;
    all["spent"] = std::move(spent);
  }
  all["debit"] = debit_json(model.debit);
  if (trained.budget) all["budget"] = budget_json(*trained.budget);
  all["file"] = trained.model_path;
  all["model_sha256"] = trained.model_digest;
  all["software"] = software_json();
  return text_of(all) + "\n";
}

}  // namespace chronoveil::report
