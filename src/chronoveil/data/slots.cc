#include "chronoveil/data/slots.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "chronoveil/data/civil.h"
#include "chronoveil/data/time_reader.h"
#include "chronoveil/data/zone.h"

namespace chronoveil::data {
namespace {

constexpr std::string_view kLengths =
    "it must be a whole number of s, min, h, d or w that divides a day or is whole days, such as 15min, 1h, 1d or 1w";

Result<std::int64_t> parse_length(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [unit_at, error] = std::from_chars(text.data(), end, number);
  const std::string_view unit(unit_at, static_cast<std::size_t>(end - unit_at));
  constexpr std::pair<std::string_view, std::int64_t> kUnits[] = {
      {"s", kSecond}, {"min", kMinute}, {"h", kHour}, {"d", kDay}, {"w", 7 * kDay}};
  for (const auto& [name, size] : kUnits) {
    if (error != std::errc() || unit != name || number < 1 || number > 1'000'000) continue;
    const std::int64_t length = number * size;
    if (length % kDay != 0 && kDay % length != 0) break;
    return length;
  }
  return invalid("length", text, kLengths);
}

Result<std::int64_t> parse_instant(std::string_view parameter, const std::string& text, TimeReader& reader,
                                   const std::string& zone) {
  std::int64_t instant = 0;
  const TimeProblem problem = reader.read(text, instant);
  if (problem == TimeProblem::skipped) {
    return invalid(parameter, text, "it must be a time that exists: the clocks of " + zone + " skipped it");
  }
  if (problem != TimeProblem::none) {
    return invalid(parameter, text,
                   "it must be a time such as 2026-03-01T00:00, local in " + zone +
                       ", or with an offset such as 2026-03-01T00:00+01:00");
  }
  if (reader.ambiguous()) {
    return invalid(parameter, text,
                   "it must have an offset such as +01:00: the clocks of " + zone + " showed it twice");
  }
  return instant;
}

void append_two(std::string& out, std::int64_t value) {
  out += static_cast<char>('0' + value / 10);
  out += static_cast<char>('0' + value % 10);
}

// "2026-03-01T00:00:00+01:00"; the seconds of an offset only where there are any (before zones were standard).
std::string label_of(std::int64_t instant, std::int64_t offset) {
  const std::int64_t local = instant + offset;
  const std::int64_t days = floor_divide(local, kDay);
  const std::int64_t of_day = local - days * kDay;
  const Date date = civil_from_days(days);
  std::string label;
  label.reserve(32);
  append_two(label, date.year / 100);
  append_two(label, date.year % 100);
  label += '-';
  append_two(label, date.month);
  label += '-';
  append_two(label, date.day);
  label += 'T';
  append_two(label, of_day / kHour);
  label += ':';
  append_two(label, of_day / kMinute % 60);
  label += ':';
  append_two(label, of_day / kSecond % 60);
  const std::int64_t size = offset < 0 ? -offset : offset;
  label += offset < 0 ? '-' : '+';
  append_two(label, size / kHour);
  label += ':';
  append_two(label, size / kMinute % 60);
  if (size % kMinute != 0) {
    label += ':';
    append_two(label, size / kSecond % 60);
  }
  return label;
}

// Boundaries of slots whose length divides a day.
class DayParts {
 public:
  DayParts(const Zone& zone, std::int64_t length) : zone_(zone), length_(length) {}

  bool is_boundary(std::int64_t instant) const { return next(instant) == instant; }

  // The first boundary at or after an instant.
  std::int64_t next(std::int64_t instant) const {
    const std::span<const Stretch> stretches = zone_.stretches();
    for (std::size_t i = zone_.stretch_at(instant);; ++i) {
      const Stretch& stretch = stretches[i];
      const std::int64_t from = std::max(instant, stretch.begin);
      if (from == stretch.begin && i > 0 && change_is_boundary(stretches[i - 1], stretch)) return from;
      // The beginning of a stretch is for the rule above alone; after it, every multiple on the clock is a boundary.
      const std::int64_t after = from == stretch.begin ? from + 1 : from;
      const std::int64_t local = -floor_divide(-(after + stretch.offset), length_) * length_;
      if (local - stretch.offset < stretch.end) return local - stretch.offset;
    }
  }

 private:
  bool change_is_boundary(const Stretch& before, const Stretch& after) const {
    const std::int64_t old_slot = floor_divide(after.begin + before.offset - 1, length_);
    const std::int64_t new_slot = floor_divide(after.begin + after.offset, length_);
    const std::int64_t back = before.offset - after.offset;
    return new_slot != old_slot || (back > 0 && back % length_ == 0);
  }

  const Zone& zone_;
  std::int64_t length_;
};

// The first instant of a local date, or of the next one that the zone has.
std::int64_t first_instant_of(const Zone& zone, std::int64_t day) {
  const std::int64_t midnight = day * kDay;
  std::size_t guess = 0;
  const LocalMeaning meaning = zone.meaning_of(midnight, guess);
  if (meaning.kind != LocalMeaning::missing) return meaning.instant;
  // Skipped: the clocks jumped over it, and the instant of the jump is the first of what came after.
  std::size_t i = zone.stretch_at(midnight - 2 * kDay);
  while (zone.stretches()[i].begin + zone.stretches()[i].offset <= midnight) ++i;
  return zone.stretches()[i].begin;
}

struct Span {
  std::int64_t start, end;
};

Result<std::vector<std::int64_t>> boundaries_within_days(const Zone& zone, const SlotSpec& spec, std::int64_t length,
                                                         Span span) {
  const DayParts parts(zone, length);
  for (const auto& [name, text, instant] :
       {std::tuple("start", &spec.start, span.start), std::tuple("end", &spec.end, span.end)}) {
    if (!parts.is_boundary(instant)) {
      return invalid(name, *text,
                     "it must be a boundary of slots of " + spec.length + " counted from midnight in " + spec.zone);
    }
  }
  std::vector<std::int64_t> boundaries;
  boundaries.reserve(static_cast<std::size_t>((span.end - span.start) / length) + 2);
  for (std::int64_t at = span.start; at < span.end; at = parts.next(at + 1)) boundaries.push_back(at);
  boundaries.push_back(span.end);
  return boundaries;
}

Result<std::vector<std::int64_t>> boundaries_of_days(const Zone& zone, const SlotSpec& spec, std::int64_t length,
                                                     Span span) {
  const auto date_of = [&](std::int64_t instant) { return floor_divide(instant + zone.offset_at(instant), kDay); };
  for (const auto& [name, text, instant] :
       {std::tuple("start", &spec.start, span.start), std::tuple("end", &spec.end, span.end)}) {
    if (first_instant_of(zone, date_of(instant)) != instant) {
      return invalid(name, *text, "slots of " + spec.length + " begin at midnight in " + spec.zone);
    }
  }
  const std::int64_t first = date_of(span.start);
  const std::int64_t last = date_of(span.end);
  if ((last - first) % (length / kDay) != 0) {
    return invalid("end", spec.end,
                   "the span must be a whole number of slots of " + spec.length + ", it is " +
                       std::to_string(last - first) + " days");
  }
  std::vector<std::int64_t> boundaries;
  for (std::int64_t day = first; day <= last; day += length / kDay) {
    const std::int64_t instant = first_instant_of(zone, day);
    if (boundaries.empty() || instant > boundaries.back()) boundaries.push_back(instant);
  }
  return boundaries;
}

}  // namespace

Result<SlotAxis> make_axis(const SlotSpec& spec) {
  CV_TRY(const std::shared_ptr<const Zone> zone, Zone::find(spec.zone));
  CV_TRY(const std::int64_t length, parse_length(spec.length));
  CV_TRY(TimeReader reader, TimeReader::make("iso8601", zone));
  Span span{};
  CV_TRY(span.start, parse_instant("start", spec.start, reader, spec.zone));
  CV_TRY(span.end, parse_instant("end", spec.end, reader, spec.zone));
  if (span.end <= span.start) return invalid("end", spec.end, "it must be after the start, " + spec.start);
  if ((span.end - span.start) / length > kMostSlots) {
    return invalid(
        "length", spec.length,
        "it must make at most " + std::to_string(kMostSlots) + " slots; take a shorter span or longer slots");
  }
  SlotAxis axis;
  axis.zone = spec.zone;
  CV_TRY(axis.boundaries, length < kDay ? boundaries_within_days(*zone, spec, length, span)
                                        : boundaries_of_days(*zone, spec, length, span));
  axis.labels.reserve(axis.boundaries.size() - 1);
  std::size_t stretch = zone->stretch_at(span.start);
  for (std::size_t i = 0; i + 1 < axis.boundaries.size(); ++i) {
    while (axis.boundaries[i] >= zone->stretches()[stretch].end) ++stretch;
    axis.labels.push_back(label_of(axis.boundaries[i], zone->stretches()[stretch].offset));
  }
  return axis;
}

SlotFinder::SlotFinder(const SlotAxis& axis) : axis_(&axis) {
  const std::vector<std::int64_t>& at = axis.boundaries;
  if (axis.steps() == 0) return;
  start_ = at.front();
  end_ = at.back();
  slots_per_millisecond_ = static_cast<double>(axis.steps()) / static_cast<double>(end_ - start_);
  const std::int64_t first = at[1] - at[0];
  const auto other =
      std::adjacent_find(at.begin(), at.end(), [&](std::int64_t a, std::int64_t b) { return b - a != first; });
  if (other == at.end()) length_ = first;
}

std::int64_t SlotFinder::search(std::int64_t milliseconds, std::int64_t guess) const {
  const std::vector<std::int64_t>& at = axis_->boundaries;
  guess = std::min(guess, axis_->steps() - 1);
  // Steps that double until they enclose the instant: a change of the clocks puts the guess off by few slots.
  std::int64_t low = guess;       // at[low] <= instant, once found
  std::int64_t high = guess + 1;  // at[high] > instant, once found
  for (std::int64_t step = 1; at[static_cast<std::size_t>(low)] > milliseconds; step *= 2) {
    high = low;
    low = std::max<std::int64_t>(low - step, 0);
  }
  for (std::int64_t step = 1; at[static_cast<std::size_t>(high)] <= milliseconds; step *= 2) {
    low = high;
    high = std::min(high + step, axis_->steps());
  }
  const auto after = std::upper_bound(at.begin() + low, at.begin() + high, milliseconds);
  return after - at.begin() - 1;
}

}  // namespace chronoveil::data
