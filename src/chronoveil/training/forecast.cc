#include "chronoveil/training/forecast.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "chronoveil/data/record_source.h"
#include "chronoveil/engine/release/assumptions.h"
#include "chronoveil/engine/release/order.h"
#include "chronoveil/engine/release/outputs.h"
#include "chronoveil/engine/train/read.h"
#include "chronoveil/forecasting/panel.h"
#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/training/clock.h"
#include "chronoveil/training/forecast_facts.h"
#include "chronoveil/training/forecaster.h"
#include "chronoveil/training/model_file.h"
#include "chronoveil/training/noised_history.h"

namespace chronoveil::training {
namespace {

struct Forecasting {
  TrainedModel model;          // without its weights
  SlotAxis axis;               // the steps that the model read, then those that it forecasts
  std::size_t past = 0;        // of the former
  forecasting::Panel history;  // what it read; with privacy, noised and filled
  std::vector<forecasting::Forecast> forecasts;
  std::int64_t parameters = 0;  // weights of the model
  std::optional<PrivateHistoryPlan> privacy;
  std::string mark;
};

report::Forecasted report_of(const Forecasting& found, const std::string& title) {
  const TrainedModel& model = found.model;
  report::Forecasted all;
  all.title = title.empty() ? "Forecast by " + model.config.model : title;
  all.mark = found.mark;
  all.model = facts_of(model, found.parameters);
  if (found.privacy) {
    const PrivateHistoryPlan& plan = *found.privacy;
    all.input = {plan.guarantee,  plan.price,         plan.event,
                 plan.asked.rate, plan.noise,         std::nullopt,
                 std::nullopt,    plan.not_protected, plan.asked.upper - plan.asked.lower};
  }
  all.axis = found.axis;
  all.past = found.past;
  const auto channels = static_cast<std::size_t>(model.config.channels);
  const std::size_t shown = found.past;
  for (std::size_t i = 0; i < found.forecasts.size(); ++i) {
    const forecasting::Forecast& forecast = found.forecasts[i];
    const forecasting::PanelSeries& past = found.history.series[i];
    const auto length = static_cast<std::size_t>(forecast.length);
    for (std::size_t channel = 0; channel < channels; ++channel) {
      report::ForecastSeries series;
      series.key = forecast.key;
      series.measure = model.channels[channel];
      if (channels > 1) series.channel = series.measure;
      const std::size_t steps = past.values.size() / channels;
      for (std::size_t step = steps - std::min(steps, shown); step < steps; ++step)
        series.history.push_back(past.values[step * channels + channel]);
      for (std::size_t step = 0; step < length; ++step) {
        const float* quantiles = &forecast.quantiles[(step * channels + channel) * forecasting::kLevels.size()];
        series.quantiles.emplace_back(quantiles, quantiles + forecasting::kLevels.size());
      }
      for (std::size_t path = 0; path < static_cast<std::size_t>(forecast.path_count) && !forecast.paths.empty();
           ++path) {
        std::vector<double>& values = series.paths.emplace_back();
        for (std::size_t step = 0; step < length; ++step)
          values.push_back(forecast.paths[(path * length + step) * channels + channel]);
      }
      all.series.push_back(std::move(series));
    }
  }
  return all;
}

// What must be known before values are read: which series, and until when.
struct Extent {
  std::vector<std::string> keys;
  std::int64_t last = 0;  // milliseconds
};
Result<Extent> extent_of(const data::SourceSpec& spec, const std::vector<std::string>& listed) {
  CV_TRY(const std::unique_ptr<data::RecordSource> source, data::open_source(spec));
  std::set<std::string, std::less<>> keys;
  std::optional<std::int64_t> last;
  data::RecordBatch batch;
  for (;;) {
    CV_TRY(const bool more, source->next(batch));
    if (!more) break;
    for (const std::int64_t time : batch.time) last = std::max(last.value_or(time), time);
    for (const std::string_view key : batch.series)
      if (listed.empty() && !keys.contains(key)) keys.emplace(key);
  }
  if (!last)
    return fail(ErrorKind::bad_data,
                (spec.path.empty() ? "" : "'" + spec.path + "': ") + std::string("the history has no rows"));
  Extent extent{listed, *last};
  if (listed.empty()) extent.keys.assign(keys.begin(), keys.end());
  if (extent.keys.empty()) extent.keys = {""};
  return extent;
}

engine::Ask ask_of(const PrivateHistoryPlan& plan, std::int64_t channels) {
  // The steps of a person are declared: no cap leaves any out.
  const auto asked_for = [](const accounting::Event& event, double delta) {
    return engine::Ask{"forecast of a private history", "time_subsampling", event, delta, ledger::Eviction::none, {}};
  };
  engine::Ask ask = asked_for(plan.event, plan.asked.delta);
  ask.at_epsilon = [asked_for, asked = plan.asked, channels](double epsilon) mutable -> Result<engine::Ask> {
    asked.epsilon = epsilon;
    CV_TRY(const PrivateHistoryPlan smaller, plan_history(asked, channels));
    return asked_for(smaller.event, asked.delta);
  };
  return ask;
}

Result<engine::Claim> claim_of(const ForecastRequest& request, const PrivateHistoryPlan& plan, const std::string& model,
                               const std::vector<std::string>& channels) {
  engine::Claim claim;
  claim.dataset = plan.asked.dataset;
  claim.purpose = plan.asked.purpose;
  claim.facts = facts_of(request, plan, model, channels);
  claim.digest = engine::digest_of(claim.facts);
  claim.unit = plan.guarantee.unit;
  claim.relation = plan.guarantee.relation;
  claim.max_steps = plan.asked.changed_steps;
  CV_TRY(claim.epsilon, Epsilon::make(plan.asked.epsilon));
  CV_TRY(claim.delta, Delta::make(plan.asked.delta));
  claim.of = engine::Claim::Of::steps;
  return claim;
}

Result<void> forecast(const ForecastRequest& request, const Forecaster& forecaster,
                      const std::vector<std::string>& channels, mechanisms::Draws* draws, Forecasting& forecasting) {
  const forecasting::ModelConfig& config = forecasting.model.config;
  CV_TRY(const Extent extent, extent_of(request.source, request.keys));
  CV_TRY(const SlotAxis axis, axis_beyond(forecasting.model.clock, extent.last, config.forecast_length));
  const std::int64_t end = data::SlotFinder(axis)(extent.last) + 1;
  if (end < 1) return fail(ErrorKind::bad_data, "time", "the history ends before the model's clock begins");
  const std::int64_t context = forecaster.history();
  std::vector<engine::PublicSeries> series;
  for (const std::string& key : extent.keys) series.push_back({key, 0, end});
  CV_TRY(forecasting.history,
         engine::read_panel(request.source, channels, axis, series,
                            forecasting.privacy ? engine::TooLarge::nearest : engine::TooLarge::refused));
  if (forecasting.privacy) {
    CV_TRY(forecasting.history, noised(forecasting.history, context, *forecasting.privacy, *draws));
  }
  std::vector<forecasting::Window> windows;
  for (std::size_t i = 0; i < forecasting.history.series.size(); ++i)
    windows.push_back({static_cast<std::int64_t>(i), forecasting.history.series[i].length});
  CV_TRY(forecasting.forecasts, forecaster.forecast(forecasting.history, windows, request.prediction));
  const auto first = static_cast<std::ptrdiff_t>(std::max<std::int64_t>(0, end - context));
  const auto last = static_cast<std::ptrdiff_t>(end + config.forecast_length);
  forecasting.axis.zone = axis.zone;
  forecasting.axis.labels.assign(axis.labels.begin() + first, axis.labels.begin() + last);
  forecasting.axis.boundaries.assign(axis.boundaries.begin() + first, axis.boundaries.begin() + last + 1);
  forecasting.past = static_cast<std::size_t>(end - first);
  return {};
}

// What is known before a row is read.
struct Prepared {
  Forecasting forecasting;
  std::unique_ptr<Forecaster> forecaster;
  std::vector<std::string> channels;
  std::string model;  // its digest
};

Result<Prepared> prepared(const std::string& model_path, const ForecastRequest& request) {
  Prepared ready;
  Forecasting& forecasting = ready.forecasting;
  CV_TRY(forecasting.model, load_model(model_path));
  if (request.privacy) ready.model = ledger::sha256_hex(to_bytes(forecasting.model));
  CV_TRY(ready.forecaster, forecaster_of(forecasting.model, request.networks, request.device));
  forecasting.parameters = ready.forecaster->parameters();
  forecasting.model.weights.clear();
  forecasting.mark = forecasting.model.mark;
  const std::int64_t read = forecasting.model.config.channels;
  ready.channels = request.channels.empty() ? forecasting.model.channels : request.channels;
  if (static_cast<std::int64_t>(ready.channels.size()) != read)
    return fail(ErrorKind::usage, "value", "name as many columns as the model reads: " + std::to_string(read));
  if (request.privacy && request.keys.empty() && request.source.series)
    return fail(ErrorKind::usage, "keys", "a private history needs the public list of its series");
  if (!request.privacy) return ready;
  CV_TRY(forecasting.privacy, plan_history(*request.privacy, read));
  engine::add_reading(request.source, engine::Reading::whole, forecasting.privacy->guarantee.assumptions);
  return ready;
}

// Hours of the day mean to a model what they meant where it was trained.
ForecastRequest with_zone(ForecastRequest request, const TrainedModel& model) {
  if (request.source.zone.empty()) request.source.zone = model.clock.zone;
  return request;
}

// A private forecast as it is stored and released: what was worked out, or the documents that were made from it.
struct Kept {
  std::string title;  // the documents have their own
  report::Forecasted forecasted;
  std::optional<ForecastDocuments> documents;
  std::optional<ledger::DebitReference> debit;
  std::optional<report::BudgetLeft> budget;
};

ForecastDocuments documents_of(const Kept& kept) {
  if (kept.documents) return *kept.documents;
  report::Forecasted all = kept.forecasted;
  all.input->debit = kept.debit;
  all.input->budget = kept.budget;
  return training::documents_of(all);
}

std::string document_of(const Kept& kept) { return documents_of(kept).json; }

// The debit comes first, where engine/release/witnesses.cc looks for it.
std::string to_store(const Kept& kept, const std::string& document) {
  const ForecastDocuments all = documents_of(kept);
  nlohmann::ordered_json stored;
  stored["debit"] = {{"id", kept.debit->id.text()}, {"chain_head", kept.debit->chain_head}};
  stored["json"] = document;
  stored["csv"] = all.csv;
  stored["paths"] = all.paths;
  stored["html"] = all.html;
  stored["svg"] = all.svg;
  stored["promise"] = all.promise;
  return stored.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Result<Kept> from_store(std::string_view text) {
  const auto damaged = [] { return fail(ErrorKind::storage, "run.again", "the stored forecast is damaged"); };
  const nlohmann::json stored = nlohmann::json::parse(text, nullptr, false);
  // Earlier versions stored no chart, and still earlier ones four documents alone.
  const bool has_chart = stored.is_object() && stored.contains("svg");
  if (!stored.is_object() || stored.size() != 4u + (stored.contains("debit") ? 1 : 0) + (has_chart ? 2 : 0))
    return damaged();
  Kept kept;
  kept.documents.emplace().history = ForecastDocuments::History::noised;
  for (const auto& [name, document] :
       {std::pair("json", &kept.documents->json), std::pair("csv", &kept.documents->csv),
        std::pair("paths", &kept.documents->paths), std::pair("html", &kept.documents->html),
        std::pair("svg", &kept.documents->svg), std::pair("promise", &kept.documents->promise)}) {
    if (!has_chart && (document == &kept.documents->svg || document == &kept.documents->promise)) continue;
    if (!stored.contains(name) || !stored[name].is_string()) return damaged();
    *document = stored[name].get<std::string>();
  }
  const nlohmann::json release = nlohmann::json::parse(kept.documents->json, nullptr, false);
  if (!release.is_object() || !release.contains("debit") || !release["debit"].is_object()) return damaged();
  if (stored.contains("debit") && stored["debit"] != release["debit"]) return damaged();
  const auto id = release["debit"].find("id"), head = release["debit"].find("chain_head");
  const auto end = release["debit"].end();
  if (id == end || head == end || !id->is_string() || !head->is_string()) return damaged();
  CV_TRY(ledger::DebitId debit, ledger::DebitId::parse(id->get<std::string>()));
  kept.debit = ledger::DebitReference{std::move(debit), head->get<std::string>()};
  return kept;
}

Result<std::string> document_in(std::string_view text) {
  CV_TRY(const Kept kept, from_store(text));
  return kept.documents->json;
}

}  // namespace

Result<report::Forecasted> run_forecast(const std::string& model_path, const ForecastRequest& given,
                                        const std::string& title) {
  if (given.privacy) return fail(ErrorKind::internal, "forecast", "a private history needs a debit");
  CV_TRY(Prepared ready, prepared(model_path, given));
  const ForecastRequest request = with_zone(given, ready.forecasting.model);
  CV_CHECK(engine::check_train_columns(request.source, ready.channels));
  CV_CHECK(forecast(request, *ready.forecaster, ready.channels, nullptr, ready.forecasting));
  return report_of(ready.forecasting, title);
}

Result<ForecastDocuments> run_private_forecast(const std::string& model_path, const ForecastRequest& given,
                                               const std::string& title, const WriteForecast& write,
                                               const std::optional<std::string>& again) {
  if (!given.privacy) return fail(ErrorKind::internal, "forecast", "the history is not private");
  if (given.run.replay)
    return fail(ErrorKind::usage, "run.noise_from", "a forecast draws too much to replay it; `run.seed` repeats a run");
  if (given.run.rehearses()) CV_CHECK(engine::check_replaces_no_release(given.outputs));
  CV_TRY(Prepared ready, prepared(model_path, given));
  const ForecastRequest request = with_zone(given, ready.forecasting.model);
  Forecasting& forecasting = ready.forecasting;
  engine::ReleaseKind<Kept> kind;
  CV_TRY(kind.claim, claim_of(request, *forecasting.privacy, ready.model, ready.channels));
  kind.open_budget = [&]() -> Result<engine::OpenBudget> {
    CV_TRY(engine::OpenBudget budget, engine::open_budget(kind.claim, request.run.ledger));
    CV_TRY(kind.claim, engine::as_known(budget, std::move(kind.claim)));
    return budget;
  };
  kind.before_next_time =
      "the same forecast without --private reads every row at no cost; what it writes is not private, and for the "
      "owner alone";
  kind.open = [&] { return engine::check_train_columns(request.source, ready.channels); };
  kind.make = [&](mechanisms::Draws& draws) -> Result<Kept> {
    if (!draws.mark().empty()) {
      forecasting.mark = draws.mark();
      engine::disown(forecasting.privacy->guarantee, forecasting.mark);
      forecasting.privacy->not_protected = {"Nothing is protected: the random choices of this forecast are known."};
    }
    CV_CHECK(forecast(request, *ready.forecaster, ready.channels, &draws, forecasting));
    return Kept{"", report_of(forecasting, title), std::nullopt, std::nullopt, std::nullopt};
  };
  kind.document = document_of;
  kind.to_store = to_store;
  kind.from_store = from_store;
  kind.document_in = document_in;
  kind.write = [&](const Kept& kept, const std::string&) { return write(documents_of(kept)); };
  CV_TRY(const Kept kept,
         again
             ? engine::emit_again(*again, request.run, kind)
             : engine::run_debited(request.run, ask_of(*forecasting.privacy, forecasting.model.config.channels), kind));
  ForecastDocuments all = documents_of(kept);
  if (!again && kept.debit) {
    all.input = kept.forecasted.input;
    all.input->debit = kept.debit;
    all.input->budget = kept.budget;
  }
  return all;
}

}  // namespace chronoveil::training
