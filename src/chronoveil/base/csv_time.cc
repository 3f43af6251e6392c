#include "chronoveil/base/csv_time.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string_view>

namespace chronoveil {
namespace {

constexpr std::size_t kDate = 10, kWallTime = 19;  // how long "2026-03-01" and "2026-03-01T06:00:00" are

std::string_view offset_of(const std::string& label) {
  return std::string_view(label).substr(std::min(label.size(), kWallTime));
}

// "2026-03-29T01:00:00+00:00"
std::string utc_label(std::int64_t instant) {
  using namespace std::chrono;
  const auto time = floor<seconds>(sys_time<milliseconds>(milliseconds(instant)));
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  std::array<char, 48> text{};
  const int size = std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d+00:00",
                                 static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                                 static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                                 static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()));
  return std::string(text.data(), static_cast<std::size_t>(size));
}

}  // namespace

bool has_whole_days(const SlotAxis& axis) {
  // Half a day is the longest part of one. A clock change makes slots a little longer or shorter.
  constexpr std::int64_t kBetween = 18 * std::int64_t{3'600'000};
  return axis.steps() > 0 && axis.boundaries[1] - axis.boundaries[0] > kBetween;
}

TimeForm time_form_of(const SlotAxis& axis) {
  if (axis.labels.empty()) return TimeForm::local;
  if (has_whole_days(axis)) return TimeForm::date;
  const std::string_view first = offset_of(axis.labels.front());
  const bool one = std::all_of(axis.labels.begin(), axis.labels.end(),
                               [&](const std::string& label) { return offset_of(label) == first; });
  return one ? TimeForm::local : TimeForm::utc;
}

std::string csv_time(TimeForm form, const std::string& label, std::int64_t instant) {
  switch (form) {
    case TimeForm::date: return label.substr(0, kDate);
    case TimeForm::local: return label;
    case TimeForm::utc: break;
  }
  return utc_label(instant);
}

std::vector<std::string> csv_times(const SlotAxis& axis) {
  const TimeForm form = time_form_of(axis);
  std::vector<std::string> all;
  all.reserve(axis.labels.size());
  for (std::size_t i = 0; i < axis.labels.size(); ++i)
    all.push_back(csv_time(form, axis.labels[i], axis.boundaries[i]));
  return all;
}

}  // namespace chronoveil
