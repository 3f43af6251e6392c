#include "chronoveil/training/forecast_facts.h"

#include <algorithm>

#include "chronoveil/engine/job/key_readers.h"

namespace chronoveil::training {
namespace {

namespace keys = engine::key_fields;
using engine::Facts;

std::string word_of(data::SourceKind kind) {
  const auto found = std::find_if(keys::kSourceKinds.begin(), keys::kSourceKinds.end(),
                                  [&](const auto& word) { return word.second == kind; });
  return std::string(found->first);
}

void tell_source(const data::SourceSpec& source, Facts& facts) {
  facts.emplace_back("source.kind", word_of(source.kind));
  keys::tell_path(source.path, "source.path", facts);
  keys::tell_url(source.url, "source.url", facts);
  keys::tell(source.query, "source.query", facts);
  keys::tell(source.table, "source.table", facts);
  keys::tell(source.user, "source.user", facts);
  keys::tell(source.time, "source.time", facts);
  keys::tell(source.series, "source.series", facts);
  keys::tell(source.value, "source.value", facts);
  keys::tell(source.measure, "source.value", facts);
  keys::tell(source.longitude, "source.longitude", facts);
  keys::tell(source.latitude, "source.latitude", facts);
  keys::tell(source.time_format, "source.time_format", facts);
  keys::tell(source.zone, "source.zone", facts);
  keys::tell(source.delimiter.value_or(','), "source.delimiter", facts);
  keys::tell(source.header, "source.header", facts);
  facts.emplace_back("source.duplicates", "refuse");
}

}  // namespace

Facts facts_of(const ForecastRequest& request, const PrivateHistoryPlan& plan, const std::string& model,
               const std::vector<std::string>& channels) {
  const PrivateHistory& asked = plan.asked;
  Facts facts{{"dataset.name", asked.dataset}};
  tell_source(request.source, facts);
  for (const char* key : {"slots.start", "slots.end", "slots.length"}) facts.emplace_back(key, "");
  facts.emplace_back("slots.zone", "UTC");
  keys::tell(request.keys, "series.keys", facts);
  facts.emplace_back("series.disjoint", "false");
  facts.emplace_back("privacy.unit", asked.changed_steps == 1 ? "event" : "user");
  facts.emplace_back("privacy.relation", std::string(name(plan.guarantee.relation)));
  facts.emplace_back("privacy.width", "1");
  keys::tell(asked.changed_steps, "privacy.max_steps", facts);
  facts.emplace_back("privacy.max_per_slot", "1");
  facts.emplace_back("privacy.maximum", "0");
  facts.emplace_back("privacy.analysis", "certified");
  keys::tell(asked.epsilon, "privacy.epsilon", facts);
  keys::tell(asked.delta, "privacy.delta", facts);
  facts.emplace_back("mechanism.name", "auto");
  facts.emplace_back("forecast.model", model);
  keys::tell(channels, "forecast.value", facts);
  keys::tell(asked.rate, "forecast.rate", facts);
  keys::tell(asked.lower, "forecast.lower", facts);
  keys::tell(asked.upper, "forecast.upper", facts);
  facts.emplace_back("forecast.fill", asked.fill == GapFill::mean ? "mean" : "linear");
  keys::tell(request.prediction.paths, "forecast.paths", facts);
  facts.emplace_back("forecast.path_seed", std::to_string(request.prediction.seed));
  keys::tell(request.prediction.keep_paths, "forecast.keeps_paths", facts);
  return facts;
}

}  // namespace chronoveil::training
