#include "output/train_output.h"

#include <fmt/format.h>

#include <iostream>

#include "chronoveil/accounting/events/subsampled/structured_subsampling.h"
#include "chronoveil/base/plain_text.h"
#include "chronoveil/ledger/filters/rounded_text.h"
#include "chronoveil/report/means/published.h"
#include "output/job_output.h"
#include "output/text_table.h"

namespace chronoveil::cli {

using nlohmann::ordered_json;

namespace {

const accounting::StructuredSubsampling& windows_of(const engine::TrainPlanned& planned) {
  return std::get<accounting::StructuredSubsampling>(planned.event.kind);
}

// K: the most windows of one series that a neighbour changes.
std::int64_t most_touched(const engine::TrainPlanned& planned) {
  const accounting::StructuredSubsampling& event = windows_of(planned);
  return accounting::touched_windows(event, event.length.back());
}

bool iterates(const engine::TrainPlanned& planned) { return planned.scheme.top == forecasting::TopLevel::iterate; }

bool is_poisson(const engine::TrainPlanned& planned) {
  return planned.scheme.bottom == forecasting::BottomLevel::poisson;
}

ordered_json number_or_null(const std::optional<double>& number) {
  return number ? ordered_json(*number) : ordered_json(nullptr);
}

std::string span_text(std::int64_t least, std::int64_t most) {
  return least == most ? std::to_string(least) : fmt::format("{} to {}", least, most);
}

std::string protects_text(const engine::Job& job) {
  switch (job.unit) {
    case Unit::event: return "the value of one step of one series";
    case Unit::w_event: return fmt::format("the values of {} steps in a row of one series", job.width);
    case Unit::user:
      return fmt::format("the values of any {} of one series, declared to be all that one person is behind",
                         counted(job.max_steps.value_or(1), "step", "steps"));
  }
  return "";
}

// "24 and 168 steps"
std::string counted_list(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i)
    text += std::to_string(numbers[i]) + (i + 2 == numbers.size() ? " and " : ", ");
  return text + counted(numbers.back(), "step", "steps");
}

std::string batches_text(const engine::TrainPlanned& planned) {
  const forecasting::SamplingScheme& scheme = planned.scheme;
  std::string text = fmt::format("batches   {}: ", counted(scheme.batch_size, "window", "windows"));
  const std::size_t series = planned.series.size();
  text += iterates(planned) ? fmt::format("{} of {} series in turn, an epoch is {}", scheme.group(), series,
                                          counted(planned.steps_per_epoch, "step", "steps"))
                            : fmt::format("{} of {} series, drawn anew each step", scheme.group(), series);
  return text + fmt::format(", {} of each{}\n", counted(scheme.windows_per_series, "window", "windows"),
                            is_poisson(planned) ? " on average" : "");
}

std::string price_text(const engine::TrainPlanned& planned) {
  return fmt::format("price     ε = {}, δ = {}\nbecause   {}\n", ledger::rounded_up(planned.price.epsilon),
                     ledger::rounded_up(planned.delta), planned.reason);
}

// Of a model that looks once.
std::string look_text(const engine::TrainPlanned& planned) {
  const engine::SignLagsPlanned& signs = *planned.signs;
  return fmt::format("compares  values {} apart; a forecast of {} reads {}\n", counted_list(signs.config.seasons),
                     counted(signs.config.forecast, "step", "steps"),
                     counted(signs.config.history(), "step", "steps")) +
         fmt::format("releases  {} once, each with noise of {}: noise multiplier {}, sensitivity {}\n",
                     counted(signs.config.released(), "integer", "integers"), figure(signs.noise),
                     figure(planned.noise_multiplier), figure(signs.sensitivity)) +
         price_text(planned);
}

ordered_json model_json(const forecasting::ModelConfig& model) {
  return {{"name", model.model},
          {"context_length", model.context_length},
          {"forecast_length", model.forecast_length},
          {"channels", model.channels},
          {"covariates", model.covariates},
          {"hidden", model.hidden},
          {"layers", model.layers},
          {"heads", model.heads},
          {"inner", model.inner},
          {"kernel", model.kernel},
          {"head_features", model.head_features},
          {"season", model.season},
          {"spread", model.spread},
          {"lags", model.lags}};
}

void add_promise(const engine::TrainPlanned& planned, ordered_json& all) {
  report::MeansPublished bare;  // every kind of release says these in the same words
  bare.release.guarantee = planned.guarantee;
  bare.plan.event = planned.event;
  bare.plan.price = planned.price;
  bare.not_protected = engine::not_protected(planned);
  const ordered_json document = ordered_json::parse(report::means_json(bare));
  all["guarantee"] = document["guarantee"];
  all["plan"] = {{"event", document["plan"]["event"]}, {"price", document["plan"]["price"]}};
}

}  // namespace

std::string train_plan_text(const engine::Job& job, const engine::TrainPlanned& planned) {
  const auto series = static_cast<std::int64_t>(planned.series.size());
  std::string text = fmt::format("trains    {} on {} of {}, {} to {} ({})\n", planned.model.model,
                                 counted(series, "series", "series"), counted(planned.axis.steps(), "slot", "slots"),
                                 visible(job.slots.start), visible(job.slots.end), visible(job.slots.zone));
  if (planned.channels.size() > 1)
    text += fmt::format("channels  {}, read together\n", visible(fmt::format("{}", fmt::join(planned.channels, ", "))));
  if (planned.bounds)
    text += fmt::format("values    clamped to [{}, {}] before training\n", shortest(planned.bounds->lower()),
                        shortest(planned.bounds->upper()));
  text += fmt::format("protects  {}, {}: {}\n", unit_text(planned.guarantee), name(planned.guarantee.relation),
                      protects_text(job));
  if (planned.signs) return text + look_text(planned);
  text += fmt::format(
      "windows   {} per series, each reads {} steps and forecasts {}; one change touches at most {} ({} %)\n",
      span_text(planned.least_windows, planned.most_windows), planned.shape.context, planned.shape.forecast,
      most_touched(planned), figure(100 * planned.touched_share));
  text += batches_text(planned);
  text += fmt::format("steps     {}{}, noise multiplier {}, clipped to {}\n", planned.steps,
                      planned.spare_steps > 0 ? fmt::format(" and {} to spare", planned.spare_steps) : std::string(),
                      figure(planned.noise_multiplier), figure(planned.clip));
  return text + price_text(planned);
}

ordered_json train_plan_json(const engine::Job& job, const engine::TrainPlanned& planned) {
  ordered_json all{{"model", model_json(planned.model)},
                   {"reason", planned.reason},
                   {"series", planned.series.size()},
                   {"slots", planned.axis.steps()},
                   {"channels", planned.channels}};
  if (planned.signs) {
    const engine::SignLagsPlanned& signs = *planned.signs;
    all["model"] = {{"name", planned.model.model},
                    {"context_length", signs.config.context},
                    {"forecast_length", signs.config.forecast},
                    {"channels", planned.model.channels},
                    {"seasons", signs.config.seasons},
                    {"day", signs.config.day}};
    all["reads"] = signs.config.history();
    all["released"] = signs.config.released();
    all["protected_values"] = signs.protected_values;
    all["sensitivity"] = signs.sensitivity;
    all["noise"] = signs.noise;
    all["noise_multiplier"] = planned.noise_multiplier;
    add_promise(planned, all);
    return all;
  }
  all["windows"] = {{"context_length", planned.shape.context}, {"forecast_length", planned.shape.forecast},
                    {"least", planned.least_windows},          {"most", planned.most_windows},
                    {"touched", most_touched(planned)},        {"touched_share", planned.touched_share}};
  all["sampling"] = {{"top_level", iterates(planned) ? "iterate" : "without_replacement"},
                     {"bottom_level", is_poisson(planned) ? "poisson" : "with_replacement"},
                     {"batch_size", planned.scheme.batch_size},
                     {"windows_per_series", planned.scheme.windows_per_series},
                     {"series_per_step", planned.scheme.group()},
                     {"series_rate", planned.series_rate},
                     {"steps_per_epoch", planned.steps_per_epoch}};
  all["steps"] = planned.steps;
  all["spare_steps"] = planned.spare_steps;
  all["noise_multiplier"] = planned.noise_multiplier;
  all["clip"] = planned.clip;
  all["lower"] = number_or_null(job.train().lower);
  all["upper"] = number_or_null(job.train().upper);
  if (engine::noises_windows(job.train())) all["noise_unit"] = job.train().noise_unit;
  add_promise(planned, all);
  return all;
}

Result<void> print_train_plan(const engine::Job& job, bool json) {
  CV_TRY(const engine::TrainPlanned planned, engine::plan_training(job));
  if (json) {
    print_json(train_plan_json(job, planned));
  } else {
    std::cout << train_plan_text(job, planned) << guarantee_text(planned.guarantee);
  }
  return {};
}

}  // namespace chronoveil::cli
