#include "chronoveil/data/time/zone.h"

#include <date/tz.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <fstream>
#include <limits>

#include "chronoveil/data/time/civil.h"
#include "chronoveil/data/time/zone_rule.h"

namespace chronoveil::data {
namespace {

// Far beyond every accepted time, near enough that adding an offset or a margin cannot overflow.
constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max() / 4;

std::int64_t milliseconds(date::sys_seconds instant) {
  const std::int64_t seconds = instant.time_since_epoch().count();
  return std::clamp(seconds, -kForever / kSecond, kForever / kSecond) * kSecond;
}

// The changes that the database lists, the first at the beginning of time.
std::vector<OffsetChange> listed_changes(const date::time_zone& zone) {
  std::vector<OffsetChange> changes;
  date::sys_seconds from = date::sys_days(date::year(kFirstYear - 1) / 1 / 1);
  const date::sys_seconds until = date::sys_days(date::year(kLastYear + 1) / 1 / 1);
  while (from < until) {
    const date::sys_info info = zone.get_info(from);
    const std::int64_t begin = changes.empty() ? -kForever : milliseconds(info.begin);
    changes.push_back({begin, std::chrono::milliseconds(info.offset).count()});
    if (info.end <= from) break;
    from = info.end;
  }
  return changes;
}

// The library reads only the listed changes; the rule for later times is the file's last line.
std::optional<ZoneRule> rule_of(const std::string& name) {
  std::ifstream file("/usr/share/zoneinfo/" + name, std::ios::binary);
  std::string line, last;
  while (std::getline(file, line)) last = line;
  return ZoneRule::parse(last);
}

}  // namespace

Result<std::shared_ptr<const Zone>> Zone::find(const std::string& name, std::string_view parameter) {
  auto zone = std::make_shared<Zone>();
  zone->name_ = name;
  std::vector<OffsetChange> changes = {{-kForever, 0}};
  if (name != "UTC") {
    try {
      const date::time_zone* found = date::locate_zone(name);
      changes = listed_changes(*found);
    } catch (const std::bad_alloc&) {
      throw;  // says nothing of the zone
    } catch (const std::exception&) {
      return invalid(parameter, name, "it must be a time zone of the IANA database, such as Europe/Berlin or UTC");
    }
    if (const std::optional<ZoneRule> rule = rule_of(name); rule && rule->has_daylight_saving()) {
      const std::int64_t listed_until = changes.back().instant;
      const std::int64_t first_day = floor_divide(std::max(listed_until, kFirstInstant), kDay);
      for (int year = civil_from_days(first_day).year; year <= kLastYear; ++year) {
        for (const OffsetChange& change : rule->changes(year)) {
          if (change.instant > listed_until) changes.push_back(change);
        }
      }
    }
  }
  for (const OffsetChange& change : changes) {
    if (!zone->stretches_.empty()) {
      if (zone->stretches_.back().offset == change.offset) continue;
      zone->stretches_.back().end = change.instant;
    }
    zone->stretches_.push_back({change.instant, kForever, change.offset});
  }
  return std::shared_ptr<const Zone>(std::move(zone));
}

std::size_t Zone::stretch_at(std::int64_t instant) const {
  const auto after = std::upper_bound(stretches_.begin(), stretches_.end(), instant,
                                      [](std::int64_t t, const Stretch& stretch) { return t < stretch.begin; });
  return after == stretches_.begin() ? 0 : static_cast<std::size_t>(after - stretches_.begin()) - 1;
}

LocalMeaning Zone::search(std::int64_t local, std::size_t& guess) const {
  // Local times are not sorted, but an instant that shows one lies within a day or so of the same number.
  const std::size_t from = stretch_at(local - kMargin);
  const std::size_t to = stretch_at(local + kMargin);
  LocalMeaning meaning{LocalMeaning::missing, 0};
  for (std::size_t i = from; i <= to; ++i) {
    const std::int64_t instant = local - stretches_[i].offset;
    if (instant < stretches_[i].begin || instant >= stretches_[i].end) continue;
    if (meaning.kind == LocalMeaning::unique) return {LocalMeaning::ambiguous, meaning.instant};
    meaning = {LocalMeaning::unique, instant};
    guess = i;
  }
  return meaning;
}

}  // namespace chronoveil::data
