#include "chronoveil/training/forecast.h"

#include <algorithm>
#include <set>

#include "chronoveil/data/record_source.h"
#include "chronoveil/engine/budget.h"
#include "chronoveil/engine/publishing.h"
#include "chronoveil/engine/reading_assumptions.h"
#include "chronoveil/engine/train_reading.h"
#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/training/clock.h"
#include "chronoveil/training/train.h"

namespace chronoveil::training {
namespace {

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
  if (!last) return fail(ErrorKind::bad_data, "'" + spec.path + "': the history has no rows");
  Extent extent{listed, *last};
  if (listed.empty()) extent.keys.assign(keys.begin(), keys.end());
  if (extent.keys.empty()) extent.keys = {""};
  return extent;
}

engine::Job job_of(const ForecastRequest& request, const PrivateHistoryPlan& plan) {
  engine::Job job;
  job.dataset = plan.asked.dataset;
  job.purpose = plan.asked.purpose;
  job.source = request.source;
  job.keys = request.keys;
  job.unit = plan.guarantee.unit;
  job.max_steps = plan.asked.changed_steps;
  job.relation = plan.guarantee.relation;
  job.epsilon = plan.asked.epsilon;
  job.delta = plan.asked.delta;
  return job;
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

// Debits before a row is read. A seed makes it a rehearsal.
Result<mechanisms::Draws> pay(const ForecastRequest& request, Forecasting& forecasting) {
  PrivateHistoryPlan& plan = *forecasting.privacy;
  if (request.run.seed) {
    mechanisms::Draws seeded = mechanisms::Draws::seeded(*request.run.seed);
    forecasting.mark = seeded.mark();
    engine::disown(plan.guarantee, forecasting.mark);
    plan.not_protected = {"Nothing is: the random choices of this forecast are known."};
    return seeded;
  }
  const engine::Job job = job_of(request, plan);
  CV_TRY(engine::OpenBudget budget, engine::open_budget(job, request.run.ledger));
  CV_TRY(ledger::Receipt receipt, engine::reserve(budget, job, ask_of(plan, forecasting.model.config.channels)));
  if (request.run.note_debit) request.run.note_debit(receipt.reference().id.text());
  CV_TRY(mechanisms::Draws draws, mechanisms::Draws::authorised(std::move(receipt), plan.event));
  forecasting.debit = draws.debit();
  CV_TRY(const ledger::View after, budget.ledger.view(job.dataset));
  forecasting.budget = engine::budget_left(after);
  return draws;
}

// What became of the debit; it is spent whether or not this can be written.
Result<void> settle(const ForecastRequest& request, const Forecasting& forecasting, ledger::State state) {
  if (!forecasting.debit) return {};
  CV_TRY(const std::string place, engine::ledger_place(request.run.ledger));
  CV_TRY(ledger::Ledger ledger, ledger::Ledger::open(place));
  return ledger.settle(forecasting.debit->id, state);
}

Result<void> forecast(const ForecastRequest& request, const LoadedNetwork& network,
                      const std::vector<std::string>& channels, const torch::Device& device,
                      std::optional<mechanisms::Draws>& draws, Forecasting& forecasting) {
  const forecasting::ModelConfig& config = forecasting.model.config;
  CV_TRY(const Extent extent, extent_of(request.source, request.keys));
  CV_TRY(const SlotAxis axis, axis_beyond(forecasting.model.clock, extent.last, config.forecast_length));
  const std::int64_t end = data::SlotFinder(axis)(extent.last) + 1;
  if (end < 1) return fail(ErrorKind::bad_data, "time: the history ends before the model's clock begins");
  const std::int64_t context = forecasting::history_length(config);
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
  CV_TRY(forecasting.forecasts,
         neural::predict(*network.model, network.parameters, forecasting.history, forecasting.model.calendar,
                         forecasting.model.fill, windows, request.prediction, device));
  const auto first = static_cast<std::ptrdiff_t>(std::max<std::int64_t>(0, end - context));
  const auto last = static_cast<std::ptrdiff_t>(end + config.forecast_length);
  forecasting.axis.zone = axis.zone;
  forecasting.axis.labels.assign(axis.labels.begin() + first, axis.labels.begin() + last);
  forecasting.axis.boundaries.assign(axis.boundaries.begin() + first, axis.boundaries.begin() + last + 1);
  forecasting.past = static_cast<std::size_t>(end - first);
  return {};
}

}  // namespace

Result<Forecasting> run_forecast(const std::string& model_path, const ForecastRequest& request) {
  Forecasting forecasting;
  CV_TRY(forecasting.model, load_model(model_path));
  CV_TRY(const LoadedNetwork network, network_of(forecasting.model));
  forecasting.parameters = network.parameters.size();
  forecasting.model.weights.clear();
  CV_TRY(const torch::Device device, device_of(request.device));
  forecasting.mark = forecasting.model.mark;
  const std::int64_t read = forecasting.model.config.channels;
  const std::vector<std::string>& channels = request.channels.empty() ? forecasting.model.channels : request.channels;
  if (static_cast<std::int64_t>(channels.size()) != read)
    return fail(ErrorKind::usage, "value: name as many columns as the model reads: " + std::to_string(read));
  if (request.privacy && request.keys.empty() && request.source.series)
    return fail(ErrorKind::usage, "keys: a private history needs the public list of its series");
  CV_CHECK(engine::check_train_columns(request.source, channels));
  std::optional<mechanisms::Draws> draws;
  if (request.privacy) {
    CV_TRY(forecasting.privacy, plan_history(*request.privacy, read));
    engine::add_reading(request.source, engine::Reading::whole, forecasting.privacy->guarantee.assumptions);
    CV_TRY(draws, pay(request, forecasting));
  }
  if (Result<void> done = forecast(request, network, channels, device, draws, forecasting); !done) {
    if (forecasting.debit) {
      done.error().message += "; the debit " + forecasting.debit->id.text() + " stays spent";
      if (!settle(request, forecasting, ledger::State::abandoned)) done.error().message += " and reserved";
    }
    return tl::unexpected(std::move(done.error()));
  }
  CV_CHECK(settle(request, forecasting, ledger::State::released));
  return forecasting;
}

}  // namespace chronoveil::training
