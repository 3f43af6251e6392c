#include "chronoveil/engine/train/sign_lags.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "chronoveil/engine/job/named_errors.h"
#include "chronoveil/engine/train/guarantee.h"
#include "chronoveil/engine/train/job.h"
#include "chronoveil/forecasting/sign_lags/release.h"
#include "chronoveil/forecasting/sign_lags/sensitivity.h"

namespace chronoveil::engine {
namespace {

using forecasting::SignLagsConfig;

std::string listed(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    text += (i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ") + std::to_string(numbers[i]);
  return text;
}

std::int64_t shortest_length(const TrainPlanned& planned) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const PublicSeries& one : planned.series) least = std::min(least, one.length);
  return least;
}

std::string reason_of(const Job& job, const TrainPlanned& planned) {
  const SignLagsConfig& config = planned.signs->config;
  std::string text;
  if (job.train().model.model == kAutoModel)
    text = "Left to the plan (auto), the model is sign_lags: it looks at the data once, without steps or batches. ";
  text += job.train().seasons.empty() ? "The slots and the shortest series, of " : "With these seasons, and ";
  text += std::to_string(shortest_length(planned)) + " steps";
  text +=
      job.train().seasons.empty() ? ", decide: it compares values " : " of the shortest series, it compares values ";
  return text + listed(config.seasons) + (config.seasons.back() == 1 ? " step" : " steps") + " apart, and weighs " +
         std::to_string(config.context) + " of them. The noise is the least within epsilon and delta.";
}

forecasting::SignLagsWishes public_facts(const TrainPlanned& planned) {
  forecasting::SignLagsWishes wishes;
  wishes.forecast = planned.model.forecast_length;
  wishes.slot_seconds = planned.slot_seconds;
  wishes.shortest = shortest_length(planned);
  return wishes;
}

Result<SignLagsConfig> config_of(const Job& job, const TrainPlanned& planned) {
  const TrainSpec& train = job.train();
  forecasting::SignLagsWishes wishes = public_facts(planned);
  wishes.seasons = train.seasons;
  if (train.model.context_length > 0) wishes.context = train.model.context_length;
  Result<SignLagsConfig> config = forecasting::choose_sign_lags(wishes);
  if (config) return config;
  // As a job spells them.
  std::string& parameter = config.error().parameter;
  if (parameter == "train.context" || parameter == "train.forecast") parameter += "_length";
  if (parameter == "train.day") parameter = "train.seasons";
  return config;
}

}  // namespace

Result<SignLagsConfig> model_without_data(const TrainPlanned& planned) {
  if (planned.signs) return planned.signs->config;
  return forecasting::choose_sign_lags(public_facts(planned));
}

bool is_sign_lags(std::string_view model) { return model == kSignLags || model == kAutoModel; }

Result<void> plan_sign_lags(const Job& job, TrainPlanned& planned) {
  SignLagsPlanned signs;
  CV_TRY(signs.config, config_of(job, planned));
  const auto channels = static_cast<std::int64_t>(planned.channels.size());
  if (__builtin_mul_overflow(changed_steps(job), channels, &signs.protected_values))
    return invalid(job.unit == Unit::user ? "privacy.max_steps" : "privacy.width", std::to_string(changed_steps(job)),
                   "less: noise for so many values would hide everything");
  CV_TRY(signs.sensitivity, forecasting::sensitivity(signs.config, signs.protected_values));
  planned.calendar = {};  // it knows no hours, only what came a season before
  planned.model = {};
  planned.model.model = kSignLags;
  planned.model.context_length = signs.config.context;
  planned.model.forecast_length = signs.config.forecast;
  planned.model.channels = channels;
  CV_TRY(planned.model, by_key({"train"}, forecasting::completed(planned.model)));
  planned.shape = {signs.config.history(), signs.config.forecast};
  planned.steps = planned.steps_per_epoch = 1;
  CV_TRY(const Epsilon epsilon, by_key({"privacy"}, Epsilon::make(job.epsilon)));
  CV_TRY(const Delta delta, by_key({"privacy"}, Delta::make(job.delta)));
  const accounting::Event open{accounting::Gaussian{accounting::kToCalibrate}, 1};
  CV_TRY(const accounting::Calibration least,
         by_key({"privacy"}, accounting::calibrate(open, epsilon, delta, {.analysis = job.analysis})));
  planned.event = least.event;
  planned.price = least.price;
  planned.noise_multiplier = least.noise;
  CV_TRY(signs.noise, forecasting::sign_noise(signs.config, least.noise, signs.protected_values));
  planned.signs = std::move(signs);
  planned.reason = reason_of(job, planned);
  planned.guarantee = train_guarantee(job, planned);
  return {};
}

Ask ask_of_signs(const Job& job, const TrainPlanned& planned) {
  return ask_by_plan(job, planned, [](const TrainPlanned& plan) {
    // The steps of a person are declared: no cap leaves any out.
    Ask made{"training", std::string(kSignLags), plan.event, plan.delta, ledger::Eviction::none, {}};
    made.noise = fmt::format("{} integers, noise of scale {:.4g}", plan.signs->config.released(), plan.signs->noise);
    return made;
  });
}

}  // namespace chronoveil::engine
