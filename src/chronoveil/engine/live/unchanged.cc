// Which changes of a job an open release goes on with; folder.h says why.
#include <algorithm>
#include <array>
#include <string_view>

#include "chronoveil/engine/live/folder.h"

namespace chronoveil::engine {
namespace {

constexpr std::array<std::string_view, 10> kReading{
    "source.path", "source.time_format", "source.delimiter", "source.header",    "source.user",
    "source.time", "source.series",      "source.value",     "source.longitude", "source.latitude",
};

bool is_of_reading(std::string_view key) { return std::find(kReading.begin(), kReading.end(), key) != kReading.end(); }

// What the release is now held to, and whether the job may take its place.
struct Change {
  bool none = false;
  bool allowed = false;
  std::string what;
};

// What a job asks, as if its rows were read as those of another job.
Facts read_as(const Facts& other, Facts job) {
  for (auto& [key, value] : job) {
    const auto same = [&key = key](const auto& fact) { return fact.first == key; };
    const auto found = std::find_if(other.begin(), other.end(), same);
    if (is_of_reading(key) && found != other.end()) value = found->second;
  }
  return job;
}

Result<Change> change_of(const LiveFolder& folder, const Job& job, bool untouched) {
  CV_TRY(const Facts opened, folder.facts_opened());
  CV_TRY(const Facts held_to, folder.facts_now());
  const Facts now = live_facts_of(job);
  Change change;
  change.none = now == held_to;
  change.allowed = untouched && differ_in_reading_alone(opened, now);
  // Of several changes, the one that is in the way.
  change.what = difference(held_to, untouched ? read_as(held_to, now) : now);
  if (change.what.empty()) change.what = difference(held_to, now);
  return change;
}

Failure refused(const Job& job, const Change& change) {
  return fail(ErrorKind::usage, "live",
              "the job is not the one that the release '" + job.live().name + "' was opened with: " + change.what +
                  "; put it back, or give the changed one another `live.name` and `output.csv`");
}

}  // namespace

bool differ_in_reading_alone(const Facts& before, const Facts& now) {
  return std::equal(before.begin(), before.end(), now.begin(), now.end(), [](const auto& one, const auto& other) {
    return one.first == other.first && (one.second == other.second || is_of_reading(one.first));
  });
}

bool is_untouched(const ledger::Debit& debit, const LiveState& state) {
  return debit.state == ledger::State::reserved && debit.used == 0 && state.asked == 0 && state.step == 0;
}

Result<void> check_goes_on(const LiveFolder& folder, const Job& job, bool untouched) {
  if (!folder.has_opening()) return {};
  CV_TRY(const Change change, change_of(folder, job, untouched));
  if (change.none || change.allowed) return {};
  return refused(job, change);
}

Result<void> go_on_with(const LiveFolder& folder, const Job& job, bool untouched) {
  if (!folder.has_opening()) return {};
  CV_TRY(const Change change, change_of(folder, job, untouched));
  if (change.none) return {};
  if (change.allowed) return folder.put_facts_now(live_facts_of(job));
  return refused(job, change);
}

}  // namespace chronoveil::engine
