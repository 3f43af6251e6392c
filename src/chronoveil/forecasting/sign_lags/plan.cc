#include "chronoveil/forecasting/sign_lags/plan.h"

#include <algorithm>
#include <string>

#include "chronoveil/forecasting/calendar.h"
#include "chronoveil/forecasting/slots.h"

namespace chronoveil::forecasting {
namespace {

constexpr std::int64_t kDaysForFortnight = 60;
constexpr std::int64_t kUsualSteps = 60;  // P without a rhythm
constexpr std::int64_t kUsualMost = 4096;

std::int64_t limited(std::int64_t context, std::int64_t day) {
  return std::min(context, std::max(day, kUsualMost / day * day));
}

// What a shortest series of `shortest` steps has room for: a forecast reads P + max m of them.
SignLagsConfig fitting(const SignLagsWishes& wishes, std::int64_t day, std::int64_t shortest) {
  SignLagsConfig config{.forecast = wishes.forecast, .context = 0, .day = day, .seasons = {}};
  const bool weekly = wishes.weekly && wishes.slot_seconds < kDay;
  if (day > 1 && day >= wishes.forecast) {
    if (weekly && shortest >= kDaysForFortnight * day) {
      config.seasons = {day, 7 * day, 14 * day};
      config.context = 14 * day;
    } else if (weekly && shortest >= 15 * day) {
      config.seasons = {day, 7 * day};
      config.context = 8 * day;
    } else if (shortest >= 6 * day) {
      config.seasons = {day, 2 * day};
      config.context = 4 * day;
    } else if (shortest >= 2 * day) {
      config.seasons = {day};
      config.context = day;
    }
  } else if (day > 1 && weekly && 7 * day >= wishes.forecast && shortest >= 15 * day) {
    config.seasons = {7 * day};  // a day is over before the forecast ends
    config.context = 8 * day;
  }
  if (config.seasons.empty()) {
    config.day = 1;
    config.seasons = {1};
    config.context = std::min(kUsualSteps, shortest - 1);
  }
  config.context = limited(config.context, config.day);
  return config;
}

// P for seasons that were asked for: the longest of them, or four days if that is more, as far as there is room.
std::int64_t context_for(const SignLagsConfig& config, std::int64_t shortest) {
  if (config.seasons == std::vector<std::int64_t>{1})
    return std::max<std::int64_t>(1, std::min(kUsualSteps, shortest - 1));
  const std::int64_t longest = (config.seasons.back() + config.day - 1) / config.day * config.day;
  const std::int64_t wanted = limited(std::max(longest, 4 * config.day), config.day);
  const std::int64_t room = (shortest - config.seasons.back()) / config.day * config.day;
  return std::max(config.day, std::min(wanted, room));
}

std::string listed(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text.empty() ? "none" : text;
}

Result<void> within(std::string_view key, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) return {};
  return invalid(key, std::to_string(value), "between " + std::to_string(least) + " and " + std::to_string(most));
}

}  // namespace

Result<void> check_sign_lags(const SignLagsConfig& config) {
  const std::vector<std::int64_t>& seasons = config.seasons;
  if (seasons.empty() || std::ssize(seasons) > kMostSeasons)
    return invalid("train.seasons", listed(seasons), "1 to " + std::to_string(kMostSeasons) + " numbers of steps");
  CV_CHECK(within("train.day", config.day, 1, kLongestLags));
  std::int64_t before = 0;
  for (const std::int64_t season : seasons) {
    CV_CHECK(within("train.seasons", season, 1, kLongestLags));
    if (season <= before) return invalid("train.seasons", listed(seasons), "each greater than the one before it");
    if (season % config.day != 0)
      return invalid("train.seasons", listed(seasons),
                     "multiples of the " + std::to_string(config.day) + " slots of a day");
    before = season;
  }
  CV_CHECK(within("train.context", config.context, 1, kLongestLags));
  if (config.context % config.day != 0)
    return invalid("train.context", std::to_string(config.context),
                   "a multiple of the " + std::to_string(config.day) + " slots of a day");
  const bool steps = seasons.front() == 1;  // a season of one step is continued from step to step
  CV_CHECK(within("train.forecast", config.forecast, 1, steps ? kLongestLags : seasons.front()));
  if (steps && seasons.size() > 1 && config.forecast > 1)
    return invalid("train.seasons", listed(seasons), "1 alone, or each at least the forecast's length");
  CV_CHECK(within("train.context", config.lags(), 1, kLongestLags));
  const std::int64_t weights = config.forecast * config.context;  // each at most 2^16
  if (weights > kMostWeights || weights > kMostWork / config.context)
    return invalid("train.context", std::to_string(config.context),
                   "less: " + std::to_string(config.forecast) + " forecast steps from so many take too long");
  return {};
}

Result<SignLagsConfig> choose_sign_lags(const SignLagsWishes& wishes) {
  if (wishes.shortest < 3)
    return fail(ErrorKind::bad_data, "the shortest series has " + std::to_string(wishes.shortest) +
                                         " steps; signs that go together take at least 3");
  const std::int64_t day = usual_season(wishes.slot_seconds);
  SignLagsConfig config;
  if (wishes.seasons.empty()) {
    config = fitting(wishes, day, wishes.shortest);
  } else {
    for (const std::int64_t season : wishes.seasons) CV_CHECK(within("train.seasons", season, 1, kLongestLags));
    config = {.forecast = wishes.forecast, .context = 0, .day = day, .seasons = wishes.seasons};
    // Spreads go by the slots of a day where the seasons are whole days, else by those of the first season.
    if (std::any_of(config.seasons.begin(), config.seasons.end(), [&](std::int64_t m) { return m % day != 0; }))
      config.day = std::all_of(config.seasons.begin(), config.seasons.end(),
                               [&](std::int64_t m) { return m % config.seasons.front() == 0; })
                       ? config.seasons.front()
                       : 1;
    if (config.seasons.front() == 1) config.day = 1;
    config.context = context_for(config, wishes.shortest);
  }
  if (wishes.context) config.context = *wishes.context;
  CV_CHECK(check_sign_lags(config));
  if (config.history() > wishes.shortest)
    return invalid("train.context", std::to_string(config.context),
                   "at most " + std::to_string(wishes.shortest - config.seasons.back()) +
                       ": a forecast reads the context and the longest season (" +
                       std::to_string(config.seasons.back()) + "), and the shortest series has " +
                       std::to_string(wishes.shortest) + " steps");
  return config;
}

}  // namespace chronoveil::forecasting
