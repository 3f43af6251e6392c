#include "chronoveil/forecasting/calendar.h"

#include <cmath>
#include <numbers>

#include "chronoveil/forecasting/slots.h"

namespace chronoveil::forecasting {
namespace {

constexpr double kLongestTable = 8192;  // steps of a period; four weeks of slots of five minutes

bool has_table(const Calendar::Cycle& cycle) {
  return cycle.period >= 1 && cycle.period <= kLongestTable && cycle.period == std::floor(cycle.period);
}

// 0 <= place < period for an integer period: steps a whole number of periods apart get the same floats.
std::int64_t place_in(const Calendar::Cycle& cycle, std::int64_t step) {
  const auto period = static_cast<std::int64_t>(cycle.period);
  const std::int64_t rest = step % period;
  return rest < 0 ? rest + period : rest;
}

void sine_and_cosine(const Calendar::Cycle& cycle, double place, float* out) {
  const double angle = 2 * std::numbers::pi * std::fmod(place + cycle.phase, cycle.period) / cycle.period;
  out[0] = static_cast<float>(std::sin(angle));
  out[1] = static_cast<float>(std::cos(angle));
}

void covariates_of(const Calendar::Cycle& cycle, std::int64_t step, float* out) {
  sine_and_cosine(cycle, static_cast<double>(has_table(cycle) ? place_in(cycle, step) : step), out);
}

}  // namespace

void Calendar::at(std::int64_t step, float* out) const {
  for (const Cycle& cycle : cycles) {
    covariates_of(cycle, step, out);
    out += 2;
  }
}

CalendarRows::CalendarRows(const Calendar& calendar, std::int64_t first, std::int64_t count)
    : first_(first),
      covariates_(calendar.covariates()),
      rows_(static_cast<std::size_t>(count) * static_cast<std::size_t>(calendar.covariates())) {
  std::vector<float> table;
  float* column = rows_.data();
  for (const Calendar::Cycle& cycle : calendar.cycles) {
    float* out = column;
    column += 2;
    if (!has_table(cycle) || cycle.period > static_cast<double>(count)) {
      for (std::int64_t i = 0; i < count; ++i, out += covariates_) covariates_of(cycle, first + i, out);
      continue;
    }
    const auto period = static_cast<std::int64_t>(cycle.period);
    table.resize(static_cast<std::size_t>(2 * period));
    for (std::int64_t place = 0; place < period; ++place)
      sine_and_cosine(cycle, static_cast<double>(place), table.data() + 2 * place);
    std::int64_t place = place_in(cycle, first);
    for (std::int64_t i = 0; i < count; ++i, out += covariates_) {
      out[0] = table[static_cast<std::size_t>(2 * place)];
      out[1] = table[static_cast<std::size_t>(2 * place + 1)];
      if (++place == period) place = 0;
    }
  }
}

Calendar calendar_of(double slot_seconds, double first_second_of_week) {
  Calendar calendar;
  if (!(slot_seconds > 0) || std::isinf(slot_seconds)) return calendar;
  const double phase = first_second_of_week / slot_seconds;
  if (slot_seconds < kDay) calendar.cycles.push_back({kDay / slot_seconds, phase});
  if (slot_seconds <= kDay) calendar.cycles.push_back({kWeek / slot_seconds, phase});
  if (slot_seconds >= kDay && slot_seconds <= kYear / 2) calendar.cycles.push_back({kYear / slot_seconds, 0});
  return calendar;
}

std::int64_t usual_season(double slot_seconds) {
  if (slot_seconds > 0 && slot_seconds <= 6 * kHour && std::fmod(kDay, slot_seconds) == 0)
    return static_cast<std::int64_t>(kDay / slot_seconds);
  if (slot_seconds == kDay) return 7;
  if (slot_seconds == kWeek) return 52;
  if (slot_seconds >= 28 * kDay && slot_seconds <= 31 * kDay) return 12;
  return 1;
}

}  // namespace chronoveil::forecasting
