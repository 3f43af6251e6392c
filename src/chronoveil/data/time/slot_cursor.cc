#include "chronoveil/data/time/slot_cursor.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "chronoveil/data/time/civil.h"
#include "chronoveil/data/time/duration.h"
#include "chronoveil/data/time/reader.h"
#include "chronoveil/data/time/zone.h"

namespace chronoveil::data {
namespace {

constexpr std::string_view kLengths =
    "it must be a whole number of s, min, h, d or w that divides a day or is whole days, such as 15min, 1h, 1d or 1w; "
    "or of months, such as 1mo, 3mo or 12mo";

struct Length {
  std::int64_t milliseconds;  // of 30 days per month where it is months
  int months = 0;             // 0: it is not months
};

Result<Length> parse_length(const std::string& text) {
  constexpr int kMostMonths = 1200;
  if (text.ends_with("mo")) {
    int months = 0;
    const char* const end = text.data() + text.size() - 2;
    const auto [stop, error] = std::from_chars(text.data(), end, months);
    if (error != std::errc() || stop != end || months < 1 || months > kMostMonths)
      return invalid("length", text, kLengths);
    return Length{months * 30 * kDay, months};
  }
  const std::optional<std::int64_t> length = parse_duration(text);
  if (!length || *length < 1 || (*length % kDay != 0 && kDay % *length != 0)) return invalid("length", text, kLengths);
  return Length{*length};
}

// Months since the year 0.
int month_of(std::int64_t day) {
  const Date date = civil_from_days(day);
  return 12 * date.year + date.month - 1;
}

std::int64_t first_of(int month) { return days_from_civil(month / 12, month % 12 + 1, 1); }

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

// The first instant at which the clocks show this local time or a later one: if they skip it, the instant of the jump.
std::int64_t first_showing(const Zone& zone, std::int64_t local, std::size_t& guess) {
  const LocalMeaning meaning = zone.meaning_of(local, guess);
  if (meaning.kind != LocalMeaning::missing) return meaning.instant;
  std::size_t i = zone.stretch_at(local - 2 * kDay);
  while (zone.stretches()[i].begin + zone.stretches()[i].offset <= local) ++i;
  return zone.stretches()[i].begin;
}

// Goes from boundary to boundary, forwards only: it keeps the stretch of the zone that it is in.
class Boundaries {
 public:
  Boundaries(std::shared_ptr<const Zone> zone, const Length& length, std::int64_t start)
      : zone_(std::move(zone)),
        length_(length.milliseconds),
        months_(length.months),
        stretch_(zone_->stretch_at(start)),
        at_(start) {}

  const Zone& zone() const { return *zone_; }
  std::int64_t length() const { return length_; }
  bool by_months() const { return months_ > 0; }
  std::int64_t at() const { return at_; }
  std::int64_t offset() const { return zone_->stretches()[stretch_].offset; }
  std::int64_t date() const { return floor_divide(at_ + offset(), kDay); }

  // Whether slots may begin here: where dates begin, or where the clock enters a multiple of the length.
  bool is_boundary() const {
    if (months_ > 0) return begins_a_date() && civil_from_days(date()).day == 1;
    if (length_ >= kDay) return begins_a_date();
    std::size_t stretch = stretch_;
    return next_part(at_, stretch) == at_;
  }
  bool begins_a_date() const {
    std::size_t guess = stretch_;
    return first_showing(*zone_, date() * kDay, guess) == at_;
  }

  void advance() {
    if (length_ < kDay) {
      at_ = next_part(at_ + 1, stretch_);
      return;
    }
    // A date that the zone skipped begins together with the next one, so its slot would have no length.
    const std::int64_t before = at_;
    if (!day_) day_ = date();
    while (at_ <= before) {
      *day_ = months_ > 0 ? first_of(month_of(*day_) + months_) : *day_ + length_ / kDay;
      std::size_t guess = stretch_;
      at_ = first_showing(*zone_, *day_ * kDay, guess);
    }
    while (at_ >= zone_->stretches()[stretch_].end) ++stretch_;
  }

 private:
  // The first boundary at or after an instant, for lengths that divide a day; `i` becomes the number of its stretch.
  std::int64_t next_part(std::int64_t instant, std::size_t& i) const {
    const std::span<const Stretch> stretches = zone_->stretches();
    while (instant >= stretches[i].end) ++i;
    for (;; ++i) {
      const Stretch& stretch = stretches[i];
      const std::int64_t from = std::max(instant, stretch.begin);
      if (from == stretch.begin && i > 0 && change_is_boundary(stretches[i - 1], stretch)) return from;
      // The rule above decides about the beginning of a stretch; after it, every multiple on the clock is a boundary.
      const std::int64_t after = from == stretch.begin ? from + 1 : from;
      const std::int64_t local = -floor_divide(-(after + stretch.offset), length_) * length_;
      if (local - stretch.offset < stretch.end) return local - stretch.offset;
    }
  }

  bool change_is_boundary(const Stretch& before, const Stretch& after) const {
    const std::int64_t old_slot = floor_divide(after.begin + before.offset - 1, length_);
    const std::int64_t new_slot = floor_divide(after.begin + after.offset, length_);
    const std::int64_t back = before.offset - after.offset;
    return new_slot != old_slot || (back > 0 && back % length_ == 0);
  }

  std::shared_ptr<const Zone> zone_;
  std::int64_t length_;
  int months_;
  std::size_t stretch_;  // that holds at_
  std::int64_t at_;
  std::optional<std::int64_t> day_;  // for slots of whole days: the date counted to, once it is needed
};

struct Span {
  Boundaries start, end;
};

// Everything that can be wrong with a span.
Result<Span> parse_span(const SlotSpec& spec) {
  CV_TRY(const std::shared_ptr<const Zone> zone, Zone::find(spec.zone));
  CV_TRY(const Length length, parse_length(spec.length));
  CV_TRY(TimeReader reader, TimeReader::make("iso8601", zone));
  CV_TRY(const std::int64_t start, parse_instant("start", spec.start, reader, spec.zone));
  CV_TRY(const std::int64_t end, parse_instant("end", spec.end, reader, spec.zone));
  if (end <= start) return invalid("end", spec.end, "it must be after the start, " + spec.start);
  if ((end - start) / length.milliseconds > kMostSlots) {
    return invalid(
        "length", spec.length,
        "it must make at most " + std::to_string(kMostSlots) + " slots; take a shorter span or longer slots");
  }
  Span span{Boundaries(zone, length, start), Boundaries(zone, length, end)};
  for (const auto& [name, text, place] :
       {std::tuple("start", &spec.start, &span.start), std::tuple("end", &spec.end, &span.end)}) {
    if (place->is_boundary()) continue;
    if (length.milliseconds >= kDay)
      return invalid(name, *text,
                     "slots of " + spec.length + " begin " + (length.months > 0 ? "on the first of a month, " : "") +
                         "at midnight in " + spec.zone);
    return invalid(name, *text,
                   "it must be a boundary of slots of " + spec.length + " counted from midnight in " + spec.zone);
  }
  const auto check_whole = [&](std::int64_t in_all, std::int64_t of_a_slot, std::string_view unit) -> Result<void> {
    if (in_all % of_a_slot == 0) return {};
    return invalid("end", spec.end,
                   "the span must be a whole number of slots of " + spec.length + ", it is " + std::to_string(in_all) +
                       std::string(unit));
  };
  if (length.months > 0) {
    CV_CHECK(check_whole(month_of(span.end.date()) - month_of(span.start.date()), length.months, " months"));
  } else if (length.milliseconds >= kDay) {
    CV_CHECK(check_whole(span.end.date() - span.start.date(), length.milliseconds / kDay, " days"));
  }
  return span;
}

}  // namespace

struct SlotCursor::Inside {
  Boundaries next;  // the end of the current slot
  std::int64_t begin;
  std::int64_t offset;  // of the clocks at the beginning
  std::int64_t last;    // the end of the span
  std::int64_t step;
  std::int64_t steps;
  std::int64_t usual_length;
  bool one_offset;

  void advance() {
    begin = next.at();
    offset = next.offset();
    if (begin < last) next.advance();
    ++step;
  }
};

SlotCursor::SlotCursor(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
SlotCursor::SlotCursor(SlotCursor&&) noexcept = default;
SlotCursor& SlotCursor::operator=(SlotCursor&&) noexcept = default;
SlotCursor::~SlotCursor() = default;

Result<SlotCursor> SlotCursor::make(const SlotSpec& spec) {
  CV_TRY(const Span span, parse_span(spec));
  const std::int64_t last = span.end.at();
  // Only clock changes make unusual lengths, so there are few.
  std::map<std::int64_t, std::int64_t> other_lengths;
  std::int64_t steps = 0, regular = 0;
  bool one_offset = true;
  for (Boundaries walk = span.start; walk.at() < last; ++steps) {
    one_offset = one_offset && walk.offset() == span.start.offset();
    const std::int64_t begin = walk.at();
    walk.advance();
    const std::int64_t length = walk.at() - begin;
    if (length == walk.length()) {
      ++regular;
    } else {
      ++other_lengths[length];
    }
  }
  std::int64_t usual = span.start.length(), times = regular;
  for (const auto& [length, count] : other_lengths) {
    if (count > times) std::tie(usual, times) = std::pair(length, count);
  }
  auto inside = std::make_unique<Inside>(Inside{span.start, 0, 0, last, -1, steps, usual, one_offset});
  inside->advance();
  return SlotCursor(std::move(inside));
}

std::int64_t SlotCursor::steps() const { return inside_->steps; }
std::int64_t SlotCursor::step() const { return inside_->step; }
std::int64_t SlotCursor::begin() const { return inside_->begin; }
std::int64_t SlotCursor::end() const { return inside_->next.at(); }
std::string SlotCursor::label() const { return label_of(inside_->begin, inside_->offset); }
void SlotCursor::advance() { inside_->advance(); }
std::int64_t SlotCursor::span_end() const { return inside_->last; }
std::int64_t SlotCursor::usual_length() const { return inside_->usual_length; }
bool SlotCursor::whole_days() const { return inside_->next.length() >= kDay; }
bool SlotCursor::one_offset() const { return inside_->one_offset; }

Result<std::string> label_at(std::int64_t instant, const std::string& zone) {
  CV_TRY(const std::shared_ptr<const Zone> found, Zone::find(zone));
  return label_of(instant, found->offset_at(instant));
}

Result<SlotSpec> span_after(const SlotSpec& spec) {
  CV_TRY(const Span span, parse_span(spec));
  const Zone& zone = span.start.zone();
  // What the wall clock says; a date may begin after midnight if midnight was skipped.
  const auto local_of = [](const Boundaries& place) {
    return place.begins_a_date() ? place.date() * kDay : place.at() + place.offset();
  };
  const std::int64_t from = local_of(span.start), to = local_of(span.end);
  const Date first = civil_from_days(span.start.date()), last = civil_from_days(span.end.date());
  const bool midnights = from % kDay == 0 && to % kDay == 0;
  std::int64_t local = 0;
  const bool whole_months = first.day == 1 && last.day == 1 && (span.start.length() <= kDay || span.start.by_months());
  if (midnights && whole_months) {
    local = first_of(2 * month_of(span.end.date()) - month_of(span.start.date())) * kDay;
  } else if (to > from) {
    local = to + (to - from);
  } else {  // the span lies in an hour that the clocks showed twice
    local = to + (span.end.at() - span.start.at());
  }
  if (local >= kLastInstant) {
    return fail(ErrorKind::usage, "end",
                "the span after this one would end after the year " + std::to_string(kLastYear));
  }
  std::size_t guess = 0;
  std::int64_t end = first_showing(zone, local, guess);
  // Shown twice, and the first of the two is over.
  if (end <= span.end.at()) end = local - span.end.offset();
  // An offset with seconds, from before standard zones, has no written form that can be read back.
  const std::int64_t offset = zone.offset_at(end);
  SlotSpec after = spec;
  after.start = spec.end;
  after.end = label_of(end, offset % kMinute == 0 ? offset : 0);
  CV_CHECK(parse_span(after));
  return after;
}

}  // namespace chronoveil::data
