#include "chronoveil/data/time/zone.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "chronoveil/data/time/civil.h"
#include "chronoveil/data/time/zone_file.h"

namespace chronoveil::data {
namespace {

Failure no_such_zone(const std::string& name, std::string_view parameter) {
  if (!ZoneFile::find("Etc/UTC"))
    return fail(ErrorKind::storage, parameter, "this machine has no time zones but UTC; install tzdata");
  return invalid(parameter, name, "it must be a time zone of the IANA database, such as Europe/Berlin or UTC");
}

}  // namespace

Result<std::shared_ptr<const Zone>> Zone::find(const std::string& name, std::string_view parameter) {
  auto zone = std::make_shared<Zone>();
  zone->name_ = name;
  std::vector<OffsetChange> changes = {{-kForever, 0}};
  if (name != "UTC") {
    std::optional<ZoneFile> file = ZoneFile::find(name);
    if (!file) return no_such_zone(name, parameter);
    changes = std::move(file->changes);
    if (const std::optional<ZoneRule> rule = ZoneRule::parse(file->rule); rule && rule->has_daylight_saving()) {
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
