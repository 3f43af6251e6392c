#include "chronoveil/ledger/filters/parts.h"

#include <algorithm>
#include <chrono>
#include <set>

namespace chronoveil::ledger {
namespace {

constexpr std::int64_t kLongestWindow = 1000;

Result<std::int64_t> day_number(std::string_view text) {
  const auto refuse = [&] { return invalid("part", text, "a day as 2026-03-01"); };
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return refuse();
  int fields[3] = {0, 0, 0};
  int field = 0;
  for (const char c : text) {
    if (c == '-') {
      ++field;
    } else if (c < '0' || c > '9' || field > 2) {
      return refuse();
    } else {
      fields[field] = fields[field] * 10 + (c - '0');
    }
  }
  const std::chrono::year_month_day date{std::chrono::year(fields[0]),
                                         std::chrono::month(static_cast<unsigned>(fields[1])),
                                         std::chrono::day(static_cast<unsigned>(fields[2]))};
  if (!date.ok()) return refuse();
  return std::chrono::sys_days(date).time_since_epoch().count();
}

struct Choice {
  Amount amount;
  std::vector<std::int64_t> starts;
};

// The one or two dearest runs of `span` places. Two runs need not overlap: shifting them apart never holds less.
Choice dearest_runs(const std::map<std::int64_t, Amount>& amounts, std::int64_t span, bool two) {
  struct Run {
    std::int64_t start;
    Amount amount;
  };
  std::vector<Run> runs;
  for (auto it = amounts.begin(); it != amounts.end(); ++it) {
    Run run{it->first, Amount()};
    for (auto at = it; at != amounts.end() && at->first - it->first < span; ++at) run.amount = run.amount + at->second;
    runs.push_back(run);
  }
  Choice best;
  std::size_t later = runs.size();  // the dearest run that starts at least `span` after the current one
  std::size_t next = runs.size();
  for (std::size_t i = runs.size(); i-- > 0;) {
    while (next > 0 && runs[next - 1].start >= runs[i].start + span) {
      --next;
      if (later == runs.size() || runs[next].amount > runs[later].amount) later = next;
    }
    const bool pair = two && later < runs.size();
    const Amount amount = pair ? runs[i].amount + runs[later].amount : runs[i].amount;
    if (!best.starts.empty() && amount <= best.amount) continue;
    best.amount = amount;
    best.starts = {runs[i].start};
    if (pair) best.starts.push_back(runs[later].start);
  }
  return best;
}

template <class Coordinate>
std::map<std::int64_t, Amount> column(const PartCosts& parts, const Coordinate& coordinate) {
  std::map<std::int64_t, Amount> result;
  for (const auto& [place, cost] : parts) result.emplace(place, coordinate(cost));
  return result;
}

}  // namespace

std::int64_t safe_straddle(const Protected& dataset) {
  return dataset.unit == Unit::w_event ? std::max<std::int64_t>(2, dataset.width) : 1;
}

Result<Partition> make_partition(Partition partition, const Protected& dataset) {
  if (dataset.relation == Relation::swap) {
    return fail(ErrorKind::usage, "parts",
                "two values that are swapped may lie in two parts, and hiding when does not hide what, so parts "
                "do not compose in parallel for relation swap");
  }
  if (partition.by == Partition::By::day) {
    if (!partition.names.empty()) return fail(ErrorKind::usage, "parts", "days need no list of parts");
    if (dataset.unit == Unit::user) {
      return fail(ErrorKind::usage, "parts",
                  "a user lies in many days, so days do not compose in parallel for unit user");
    }
  } else {
    std::set<std::string_view> seen;
    for (const std::string& part : partition.names) {
      const bool plain =
          std::all_of(part.begin(), part.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x20; });
      if (part.empty() || part.size() > 200 || !plain)
        return invalid("parts", part, "names of 1 to 200 plain characters");
      if (!seen.insert(part).second) return invalid("parts", part, "named once each");
    }
    if (partition.names.empty()) return fail(ErrorKind::usage, "parts", "the list of parts is empty");
  }
  const bool windows = dataset.unit == Unit::w_event;
  if (windows && !partition.widened && (partition.straddle < 2 || partition.straddle > kLongestWindow)) {
    return invalid("straddle", std::to_string(partition.straddle),
                   "2 to 1000: how many neighbouring parts a window can touch, as many as it has events unless parts "
                   "are longer");
  }
  if (!windows && partition.straddle != 1) {
    return invalid("straddle", std::to_string(partition.straddle), "left out: only windows of w-event straddle parts");
  }
  return partition;
}

Result<std::int64_t> place_of(const Partition& partition, std::string_view part) {
  if (partition.by == Partition::By::day) return day_number(part);
  const auto it = std::find(partition.names.begin(), partition.names.end(), part);
  if (it == partition.names.end()) return invalid("part", part, "one of the parts fixed when the dataset was created");
  return it - partition.names.begin();
}

std::string rule_of(const Partition& partition, const Protected& dataset) {
  const std::string runs = std::to_string(partition.straddle) + " neighbouring parts";
  if (dataset.unit == Unit::w_event) {
    return dataset.relation == Relation::replace
               ? "replaced windows lie in two places: the two dearest runs of " + runs + " add"
               : "a window straddles parts: the dearest run of " + runs + " adds";
  }
  return dataset.relation == Relation::replace ? "a replacement touches two parts: the two dearest add"
                                               : "one neighbour lies in one part: the dearest counts";
}

Cost dearest(const PartCosts& parts, const Partition& partition, const Protected& dataset, const Cost& nothing) {
  Cost result = nothing;
  const bool two = dataset.relation == Relation::replace;
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    result.values[i] =
        dearest_runs(column(parts, [&](const Cost& cost) { return cost.values[i]; }), partition.straddle, two).amount;
  }
  result.delta =
      dearest_runs(column(parts, [](const Cost& cost) { return cost.delta; }), partition.straddle, two).amount;
  return result;
}

void for_each_neighbour(const PartCosts& parts, const Partition& partition, const Protected& dataset,
                        const Cost& nothing, std::optional<std::int64_t> place,
                        const std::function<bool(const Cost&)>& look) {
  struct Stretch {
    std::int64_t start;
    Cost cost;
  };
  PartCosts touched = parts;
  if (place) touched.try_emplace(*place, nothing);
  std::vector<Stretch> runs;
  for (auto it = touched.begin(); it != touched.end(); ++it) {
    Stretch run{it->first, nothing};
    for (auto at = it; at != touched.end() && at->first - it->first < partition.straddle; ++at) run.cost += at->second;
    runs.push_back(std::move(run));
  }
  const auto lies_there = [&](const Stretch& run) {
    return !place || (run.start <= *place && *place - run.start < partition.straddle);
  };
  if (runs.empty()) look(nothing);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    // Also a run alone: every other run may be too near to be the second one.
    if (lies_there(runs[i]) && !look(runs[i].cost)) return;
    if (dataset.relation != Relation::replace) continue;
    for (std::size_t j = i + 1; j < runs.size(); ++j) {
      if (runs[j].start - runs[i].start < partition.straddle) continue;
      if (!lies_there(runs[i]) && !lies_there(runs[j])) continue;
      Cost both = runs[i].cost;
      both += runs[j].cost;
      if (!look(both)) return;
    }
  }
}

std::vector<std::int64_t> dearest_places(const PartCosts& parts, const Partition& partition, const Protected& dataset,
                                         std::size_t coordinate) {
  const Choice choice = dearest_runs(column(parts, [&](const Cost& cost) { return cost.values[coordinate]; }),
                                     partition.straddle, dataset.relation == Relation::replace);
  std::vector<std::int64_t> places;
  for (const std::int64_t start : choice.starts) {
    for (auto it = parts.lower_bound(start); it != parts.end() && it->first - start < partition.straddle; ++it) {
      places.push_back(it->first);
    }
  }
  return places;
}

}  // namespace chronoveil::ledger
