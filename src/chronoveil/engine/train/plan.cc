#include "chronoveil/engine/train/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "chronoveil/accounting/events/chance_of_use.h"
#include "chronoveil/accounting/events/subsampled/structured_subsampling.h"
#include "chronoveil/base/system/atomic_file.h"
#include "chronoveil/data/time/civil.h"
#include "chronoveil/data/time/reader.h"
#include "chronoveil/engine/job/named_errors.h"
#include "chronoveil/engine/release/source.h"
#include "chronoveil/engine/train/guarantee.h"
#include "chronoveil/engine/train/job.h"
#include "chronoveil/engine/train/read.h"
#include "chronoveil/engine/train/sign_lags.h"
#include "chronoveil/forecasting/slots.h"
#include "chronoveil/ledger/filters/rounded_text.h"

namespace chronoveil::engine {
namespace {

using accounting::Event;
using accounting::Price;
using accounting::StructuredSubsampling;

// Every value is kept in memory; beyond this a job is a mistake in its span or its slots.
constexpr std::int64_t kMostValues = std::int64_t{1} << 28;
constexpr std::int64_t kMostSteps = 1'000'000'000;
constexpr std::int64_t kUsualBatch = 128;

template <class T>
Result<T> named(Result<T> result) {
  // A model and an event say which of their own parameters is wrong; in a job they stand in [train].
  if (!result) {
    Error& error = result.error();
    if (error.where == "structured_subsampling") error.where.clear();
    if (constexpr std::string_view kOwner = "model."; error.parameter.starts_with(kOwner))
      error.parameter.erase(0, kOwner.size());
  }
  return by_key({"train", "privacy"}, std::move(result));
}

// The step at which a slot starts, or the number of steps for the end of the axis.
Result<std::int64_t> boundary(const SlotAxis& axis, data::TimeReader& reader, const std::string& text,
                              const std::string& what) {
  std::int64_t instant = 0;
  if (const data::TimeProblem problem = reader.read(text, instant); problem != data::TimeProblem::none)
    return fail(ErrorKind::usage, "train.spans", what + reader.explain(problem, text));
  if (reader.ambiguous())
    return fail(ErrorKind::usage, "train.spans", what + "the clocks showed this time twice; write it with its offset");
  const auto found = std::lower_bound(axis.boundaries.begin(), axis.boundaries.end(), instant);
  if (found == axis.boundaries.end() || *found != instant)
    return fail(ErrorKind::usage, "train.spans", what + "it must be where a slot of [slots] starts, or where they end");
  return found - axis.boundaries.begin();
}

Result<std::vector<PublicSeries>> series_of(const Job& job, const SlotAxis& axis) {
  std::vector<PublicSeries> all;
  std::unordered_map<std::string_view, std::size_t> place;
  for (const std::string& key : job.keys) {
    place.emplace(key, all.size());
    all.push_back({key, 0, axis.steps()});
  }
  if (all.empty()) all.push_back({"", 0, axis.steps()});
  if (job.train().spans.empty()) return all;
  CV_TRY(std::shared_ptr<const data::Zone> zone, data::Zone::find(axis.zone));
  CV_TRY(data::TimeReader reader, data::TimeReader::make("iso8601", std::move(zone)));
  for (std::size_t i = 0; i < job.train().spans.size(); ++i) {
    const TrainSpec::Span& span = job.train().spans[i];
    const std::string row = "row " + std::to_string(i + 1) + ": ";
    const auto found = place.find(span.series);
    if (found == place.end())
      return fail(ErrorKind::usage, "train.spans", row + "'" + span.series + "' is not in the list of series");
    CV_TRY(const std::int64_t start, boundary(axis, reader, span.start, row + "start: "));
    CV_TRY(const std::int64_t end, boundary(axis, reader, span.end, row + "end: "));
    if (end <= start) return fail(ErrorKind::usage, "train.spans", row + "the end must be after the start");
    all[found->second].start = start;
    all[found->second].length = end - start;
  }
  return all;
}

Result<void> check_lengths(const std::vector<PublicSeries>& all, std::int64_t forecast) {
  for (const PublicSeries& one : all) {
    if (one.length >= forecast) continue;
    return fail(ErrorKind::bad_data, (one.key.empty() ? std::string("the series") : "series '" + one.key + "'") +
                                         ": it has " + std::to_string(one.length) +
                                         " steps to learn from; `train.forecast_length = " + std::to_string(forecast) +
                                         "` needs at least as many");
  }
  return {};
}

forecasting::Calendar calendar_from(const SlotAxis& axis, double slot_seconds, const data::Zone& zone) {
  const std::int64_t local = axis.boundaries.front() + zone.offset_at(axis.boundaries.front());
  const std::int64_t days = data::floor_divide(local, data::kDay);
  const std::int64_t since_monday = (data::weekday_from_days(days) + 6) % 7;
  const std::int64_t of_week = since_monday * data::kDay + (local - days * data::kDay);
  return forecasting::calendar_of(slot_seconds, static_cast<double>(of_week) / data::kSecond);
}

// A job that leaves its context to the plan leaves its batches, too, unless it says something else of them.
std::int64_t windows_of_each(const TrainSpec& train, std::int64_t series) {
  // Noise on windows is accounted for one window of a series.
  if (train.model.context_length > 0 || train.batch_size || noises_windows(train)) return train.windows_per_series;
  return std::max(train.windows_per_series, (kUsualBatch + series - 1) / series);
}

Result<forecasting::SamplingScheme> scheme_of(const TrainSpec& train, std::int64_t series) {
  forecasting::SamplingScheme scheme;
  scheme.top = train.top;
  scheme.bottom = train.bottom;
  scheme.windows_per_series = windows_of_each(train, series);
  scheme.batch_size = train.batch_size.value_or(
      std::max(scheme.windows_per_series, std::min(kUsualBatch, series * scheme.windows_per_series)));
  if (scheme.group() > series)
    return invalid("train.batch_size", std::to_string(scheme.batch_size),
                   "it must be at most " + std::to_string((series + 1) * train.windows_per_series - 1) +
                       ": there are " + std::to_string(series) + " series to draw from, each with " +
                       std::to_string(train.windows_per_series) +
                       (train.windows_per_series == 1 ? " window" : " windows") +
                       " a batch; `train.windows_per_series` says how many");
  return scheme;
}

StructuredSubsampling event_of(const Job& job, const TrainPlanned& planned) {
  StructuredSubsampling event{};
  event.series = static_cast<std::int64_t>(planned.series.size());
  for (const PublicSeries& one : planned.series) event.length.push_back(one.length);
  std::sort(event.length.begin(), event.length.end());
  event.length.erase(std::unique(event.length.begin(), event.length.end()), event.length.end());
  event.context_length = planned.shape.context;
  event.forecast_length = planned.shape.forecast;
  event.batch_size = planned.scheme.batch_size;
  event.windows_per_series = planned.scheme.windows_per_series;
  event.noise_multiplier = job.train().noise_multiplier.value_or(accounting::kToCalibrate);
  event.top_level = job.train().top == forecasting::TopLevel::iterate ? StructuredSubsampling::Top::iterate
                                                                      : StructuredSubsampling::Top::without_replacement;
  event.bottom_level = job.train().bottom == forecasting::BottomLevel::poisson
                           ? StructuredSubsampling::Bottom::poisson
                           : StructuredSubsampling::Bottom::with_replacement;
  event.unit = job.unit == Unit::user ? Unit::user : Unit::event;
  event.width = changed_steps(job);
  event.context_noise = job.train().context_noise;
  event.label_noise = job.train().label_noise;
  return event;
}

// The number of events in so many steps in a row; a part of an epoch costs all of it.
std::int64_t events_of(const TrainPlanned& planned, std::int64_t uses) {
  return (uses + planned.steps_per_epoch - 1) / planned.steps_per_epoch;
}

std::string steps_text(const TrainPlanned& planned, std::int64_t steps) {
  std::string text = steps == 1 ? "one step" : std::to_string(steps) + " steps";
  if (planned.spare_steps > 0) text += " and " + std::to_string(planned.spare_steps) + " to spare";
  return text;
}

Failure too_dear(const Job& job, const TrainPlanned& planned, std::int64_t steps, const Price& price) {
  const std::string text = shortest(job.epsilon) + " does not pay for " + steps_text(planned, steps) +
                           " with `train.noise_multiplier = " + shortest(*job.train().noise_multiplier) +
                           "` at delta " + shortest(job.delta);
  if (!std::isfinite(price.epsilon))
    return fail(ErrorKind::over_budget, "privacy.epsilon", text + "; no epsilon would do");
  return fail(ErrorKind::over_budget, "privacy.epsilon",
              text + "; the smallest that would do is " + ledger::rounded_up(price.epsilon));
}

// δ must not pay for training without noise.
Result<void> check_use(const Job& job, const TrainPlanned& planned) {
  if (!accounting::delta_covers_use(planned.event, job.delta)) return {};
  return fail(ErrorKind::cannot_certify, "privacy.delta",
              shortest(job.delta) + " is at least " + shortest(accounting::chance_of_use(planned.event)) +
                  ", the probability that the protected values are drawn in any of " +
                  steps_text(planned, planned.steps) +
                  "; delta alone would cover training on them without noise: lower delta, or train for more steps");
}

// σ is given: as many steps as (ε, δ) pays for, or those that were asked for.
Result<void> plan_steps(const Job& job, const accounting::Options& options, TrainPlanned& planned) {
  CV_TRY(const Epsilon epsilon, named(Epsilon::make(job.epsilon)));
  CV_TRY(const Delta delta, named(Delta::make(job.delta)));
  planned.noise_multiplier = *job.train().noise_multiplier;
  const std::int64_t asked = job.train().steps.value_or(1);
  planned.event.count = events_of(planned, asked + planned.spare_steps);
  CV_TRY(planned.price, named(accounting::epsilon_at(planned.event, delta, options)));
  if (!(planned.price.epsilon <= job.epsilon)) return too_dear(job, planned, asked, planned.price);
  if (job.train().steps) {
    planned.steps = *job.train().steps;
    planned.reason = "The job names both; they are within epsilon and delta.";
    return check_use(job, planned);
  }
  CV_TRY(const std::int64_t most, named(accounting::max_count(planned.event, epsilon, delta, options)));
  planned.event.count =
      std::max(planned.event.count, std::min(most, events_of(planned, kMostSteps + planned.spare_steps)));
  planned.steps = planned.event.count * planned.steps_per_epoch - planned.spare_steps;
  planned.reason = "With this noise, this many steps are within epsilon and delta.";
  CV_CHECK(check_use(job, planned));
  CV_TRY(planned.price, named(accounting::epsilon_at(planned.event, delta, options)));
  return {};
}

// The steps are given: the least noise within (ε, δ).
Result<void> plan_noise(const Job& job, const accounting::Options& options, TrainPlanned& planned) {
  CV_TRY(const Epsilon epsilon, named(Epsilon::make(job.epsilon)));
  CV_TRY(const Delta delta, named(Delta::make(job.delta)));
  planned.steps = *job.train().steps;
  planned.event.count = events_of(planned, planned.steps + planned.spare_steps);
  CV_CHECK(check_use(job, planned));
  CV_TRY(const accounting::Calibration least, named(accounting::calibrate(planned.event, epsilon, delta, options)));
  planned.event = least.event;
  planned.price = least.price;
  planned.noise_multiplier = least.noise;
  planned.reason = "For this many steps, this is the least noise within epsilon and delta.";
  return {};
}

// One season of the slots, unless the job says how long.
Result<std::int64_t> forecast_length_of(const TrainSpec& train, double slot_seconds) {
  if (train.model.forecast_length > 0) return train.model.forecast_length;
  const std::int64_t season = forecasting::usual_season(slot_seconds);
  if (season > 1) return season;
  return fail(ErrorKind::usage, "train.forecast_length",
              "it is missing; slots of this length have no usual season that it could be, so say how many steps to "
              "forecast, for example forecast_length = 10");
}

// What a network reads where the job does not say: a day, a week where series are long; and the season that its
// forecasts are deviations from.
void choose_context(const TrainPlanned& planned, forecasting::ModelConfig& model) {
  constexpr std::int64_t kLong = 60;  // seasons
  const std::int64_t season = forecasting::usual_season(planned.slot_seconds);
  std::int64_t shortest = planned.series.front().length;
  for (const PublicSeries& one : planned.series) shortest = std::min(shortest, one.length);
  const std::int64_t seasons =
      season > 1 && planned.slot_seconds < forecasting::kDay && shortest >= kLong * season ? 7 : 1;
  model.context_length = std::max(model.forecast_length, seasons * season);
  if (model.season == 0 && season > 1 && model.model != "deepar") model.season = season;
}

std::string chosen_words(const TrainPlanned& planned) {
  return fmt::format(
      " The context is left to the plan: from the slots and the lengths of series follow a context of {} "
      "steps, {} of each series in a batch{}.",
      planned.model.context_length,
      planned.scheme.windows_per_series == 1 ? "one window"
                                             : std::to_string(planned.scheme.windows_per_series) + " windows",
      planned.model.season > 0 ? fmt::format(", and a season of {}", planned.model.season) : "");
}

// Noise averages out over a batch: one of a few windows learns hardly anything.
std::string words_of_small_batches(const TrainPlanned& planned) {
  constexpr std::int64_t kFew = 16;
  if (planned.scheme.batch_size >= kFew || planned.most_windows < 4 * kFew) return "";
  return fmt::format(
      " A step takes {} only; noise averages out over many: train.windows_per_series = 32 would take more of each "
      "series.",
      planned.scheme.batch_size == 1 ? "one window" : std::to_string(planned.scheme.batch_size) + " windows");
}

}  // namespace

Result<TrainPlanned> plan_training(const Job& job, std::int64_t held_back) {
  if (!job.is<TrainSpec>())
    return fail(ErrorKind::usage, "train", "it is missing; a job that trains has a section [train]");
  TrainPlanned planned;
  CV_TRY(planned.axis, axis_of(job));
  planned.slot_seconds = static_cast<double>(usual_length(planned.axis)) / data::kSecond;
  planned.channels = job.train().channels;
  CV_TRY(planned.bounds, bounds_of(job.train()));
  CV_TRY(planned.series, series_of(job, planned.axis));
  for (PublicSeries& one : planned.series) one.length = std::max<std::int64_t>(0, one.length - held_back);
  const auto series = static_cast<std::int64_t>(planned.series.size());
  const auto channels = static_cast<std::int64_t>(planned.channels.size());
  if (planned.axis.steps() > kMostValues / series / channels)
    return fail(ErrorKind::usage, "slots.length",
                std::to_string(series) + " series of " + std::to_string(planned.axis.steps()) +
                    " slots are more than " + std::to_string(kMostValues) + " values");
  if (job.train().calendar) {
    CV_TRY(const std::shared_ptr<const data::Zone> zone, data::Zone::find(planned.axis.zone));
    planned.calendar = calendar_from(planned.axis, planned.slot_seconds, *zone);
  }
  CV_TRY(planned.model.forecast_length, forecast_length_of(job.train(), planned.slot_seconds));
  planned.spare_steps = job.train().spare_steps;
  planned.delta = job.delta;
  if (is_sign_lags(job.train().model.model)) {
    CV_CHECK(plan_sign_lags(job, planned));
    return planned;
  }
  if (!job.train().steps && !job.train().noise_multiplier)
    return fail(ErrorKind::usage, "train.steps", "it is missing; " + job.train().model.model + " learns in steps");
  forecasting::ModelConfig model = job.train().model;
  model.forecast_length = planned.model.forecast_length;
  const bool chosen = model.context_length == 0;
  if (chosen) choose_context(planned, model);
  model.channels = channels;
  model.covariates = planned.calendar.covariates();
  if (model.model == "deepar" && !job.train().lags_given) model.lags = forecasting::usual_lags(planned.slot_seconds);
  CV_TRY(planned.model, named(forecasting::completed(std::move(model))));
  planned.shape = {forecasting::history_length(planned.model), planned.model.forecast_length};
  CV_CHECK(check_lengths(planned.series, planned.shape.forecast));
  CV_TRY(planned.scheme, scheme_of(job.train(), series));
  planned.steps_per_epoch = 1;
  if (planned.scheme.top == forecasting::TopLevel::iterate)
    planned.steps_per_epoch = (series + planned.scheme.group() - 1) / planned.scheme.group();
  planned.clip = job.train().clip;

  const StructuredSubsampling windows = event_of(job, planned);
  planned.event = {windows, 1};
  CV_CHECK(named(accounting::validate(planned.event, true)));
  planned.least_windows = accounting::windows_of(windows, windows.length.front());
  planned.most_windows = accounting::windows_of(windows, windows.length.back());
  planned.touched_share = accounting::touched_share(windows);
  planned.series_rate = accounting::series_rate(windows);
  const accounting::Options options{.analysis = job.analysis};
  CV_CHECK(job.train().noise_multiplier ? plan_steps(job, options, planned) : plan_noise(job, options, planned));
  if (chosen) planned.reason += chosen_words(planned);
  planned.reason += words_of_small_batches(planned);
  planned.guarantee = train_guarantee(job, planned);
  return planned;
}

Result<Price> price_after(const TrainPlanned& planned, std::int64_t uses) {
  Event event = planned.event;
  event.count = events_of(planned, uses);
  if (event.count < 1) {
    Price nothing = planned.price;
    nothing.epsilon = nothing.epsilon_lower = 0;
    return nothing;
  }
  CV_TRY(const Delta delta, Delta::make(planned.delta));
  return accounting::epsilon_at(event, delta, {.analysis = planned.price.analysis});
}

Ask ask_of(const Job& job, const TrainPlanned& planned) {
  if (planned.signs) return ask_of_signs(job, planned);
  // The event does not say what noise on windows covers; the ledger must.
  std::string mechanism = planned.model.model;
  if (noises_windows(job.train())) mechanism += ", for changes of at most " + shortest(job.train().noise_unit);
  if (planned.bounds)
    mechanism +=
        ", values clamped to [" + shortest(planned.bounds->lower()) + ", " + shortest(planned.bounds->upper()) + "]";
  return ask_by_plan(job, planned, [mechanism](const TrainPlanned& plan) {
    // The steps of a person are declared: no cap leaves any out.
    Ask made{"training", mechanism, plan.event, plan.delta, ledger::Eviction::none, {}};
    made.noise = fmt::format("{} steps, noise multiplier {:.4g}", plan.steps, plan.noise_multiplier);
    made.uses = plan.steps + plan.spare_steps;
    return made;
  });
}

Ask ask_by_plan(const Job& job, const TrainPlanned& planned, std::function<Ask(const TrainPlanned&)> ask) {
  Ask asked = ask(planned);
  asked.at_epsilon = [job, ask = std::move(ask)](double epsilon) -> Result<Ask> {
    Job smaller = job;
    smaller.epsilon = epsilon;
    CV_TRY(const TrainPlanned other, plan_training(smaller));
    return ask(other);
  };
  return asked;
}

Result<void> check_train_outputs(const Job& job) {
  if (job.train().output.empty())
    return fail(ErrorKind::usage, "output.model", "it is missing; say where the model goes, for example \"model.cvm\"");
  CV_CHECK(check_writable("output.model", job.train().output));
  if (!job.json.empty()) CV_CHECK(check_writable("output.json", job.json));
  if (!job.report.empty()) CV_CHECK(check_writable("output.report", job.report));
  return {};
}

Result<TrainChecked> check_training(const Job& job, const RunOptions& options, bool read_data) {
  CV_TRY(TrainPlanned planned, plan_training(job));
  CV_CHECK(check_train_outputs(job));
  CV_TRY(const Claim claim, claim_of(job));
  CV_TRY(OpenBudget budget, open_budget(job, claim, options.ledger));
  CV_CHECK(check_train_columns(job.source, planned.channels));
  CV_TRY(DebitAsked asked, ask_ledger(budget, claim, ask_of(job, planned)));
  TrainChecked checked{std::move(planned), std::move(budget.view), std::move(asked.cost), std::move(asked.earlier),
                       asked.room};
  if (read_data) {
    CV_TRY(checked.seen, see_panel(job, checked.planned));
  }
  return checked;
}

}  // namespace chronoveil::engine
