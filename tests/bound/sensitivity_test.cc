// What one neighbour changes, found by trying every neighbour of small random data under the same key.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <random>
#include <set>
#include <utility>

#include "bound/records.h"

namespace chronoveil::bound {
namespace {

constexpr std::int64_t kSteps = 6;
const std::vector<std::string> kKeys = {"a", "b", "c"};
const std::vector<std::string> kPeople = {"ann", "anton", "bea", "ben", "berta"};

// Few people, many rows: most are over their caps. Some rows are of no listed series, some outside the span.
std::vector<Record> random_records(std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return random() % n; };
  std::vector<Record> records(5 + below(80));
  for (Record& record : records) {
    record.user = kPeople[below(kPeople.size())];
    record.series = std::string(1, static_cast<char>('a' + below(kKeys.size() + 1)));
    record.slot = static_cast<std::int64_t>(below(kSteps + 2)) - 1;
    record.value = static_cast<std::int64_t>(below(4));
  }
  return records;
}

struct Change {
  std::int64_t cells = 0;               // that differ
  std::int64_t largest = 0;             // difference of one cell
  std::vector<std::int64_t> slots;      // that differ
  std::int64_t largest_slot_total = 0;  // differences of one slot over all series
};

Change difference(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  Change change;
  for (std::int64_t slot = 0; slot < kSteps; ++slot) {
    std::int64_t total = 0;
    for (std::size_t series = 0; series < kKeys.size(); ++series) {
      const std::size_t cell = series * kSteps + static_cast<std::size_t>(slot);
      const std::int64_t here = std::abs(a[cell] - b[cell]);
      if (here > 0) ++change.cells;
      change.largest = std::max(change.largest, here);
      total += here;
    }
    if (total > 0) change.slots.push_back(slot);
    change.largest_slot_total = std::max(change.largest_slot_total, total);
  }
  return change;
}

using Bound = std::function<std::vector<std::int64_t>(const std::vector<Record>&, const Caps&, std::uint64_t seed)>;

std::vector<std::int64_t> ours(const std::vector<Record>& records, const Caps& caps, std::uint64_t seed) {
  return counts_of(bound_with_seed(records, kSteps, kKeys, caps, seed, 1 + seed % 90));
}

std::vector<Record> without(const std::vector<Record>& records, const std::function<bool(const Record&)>& removed) {
  std::vector<Record> rest;
  for (const Record& record : records) {
    if (!removed(record)) rest.push_back(record);
  }
  return rest;
}

struct Tally {
  std::int64_t violations = 0;
  std::int64_t attained = 0;  // how often the bound was reached, so that it is neither loose nor vacuous
};

// Removing all that one person did.
Tally try_people(const Bound& bound, int cases) {
  Tally tally;
  std::mt19937_64 random(7);
  for (int i = 0; i < cases; ++i) {
    const std::vector<Record> records = random_records(random);
    const auto seed = static_cast<std::uint64_t>(i);
    for (const Caps& caps :
         {user_caps(1, 1), user_caps(2, 3), user_caps(5, 2), user_caps(40, 100), user_caps(3, 4, 5)}) {
      const std::vector<std::int64_t> all = bound(records, caps, seed);
      for (const std::string& person : kPeople) {
        const auto rest = without(records, [&](const Record& record) { return record.user == person; });
        const Change change = difference(all, bound(rest, caps, seed));
        tally.violations += change.cells > caps.max_steps || change.largest > caps.max_per_slot;
        tally.attained += change.cells == caps.max_steps && change.largest == caps.max_per_slot;
      }
    }
  }
  return tally;
}

// Removing what one person did in any `width` slots in a row.
Tally try_events(const Bound& bound, Unit unit, std::int64_t width, int cases) {
  Tally tally;
  std::mt19937_64 random(8);
  for (int i = 0; i < cases; ++i) {
    const std::vector<Record> records = random_records(random);
    const auto seed = static_cast<std::uint64_t>(i);
    for (Caps caps : {event_caps(1), event_caps(2), event_caps(5), event_caps(3, 4)}) {
      caps.unit = unit;
      const std::vector<std::int64_t> all = bound(records, caps, seed);
      for (const std::string& person : kPeople) {
        for (std::int64_t first = 0; first + width <= kSteps; ++first) {
          const auto rest = without(records, [&](const Record& record) {
            return record.user == person && record.slot >= first && record.slot < first + width;
          });
          const Change change = difference(all, bound(rest, caps, seed));
          bool violated = change.largest_slot_total > caps.max_per_slot;
          for (const std::int64_t slot : change.slots) violated |= slot < first || slot >= first + width;
          tally.violations += violated;
          tally.attained += change.largest_slot_total == caps.max_per_slot;
        }
      }
    }
  }
  return tally;
}

// Removing what one person did in any `width` slots in a row, under caps for all that the person did. Each removed pair
// that had stayed may let another in: up to 2 min(I, n) pairs change for n removed ones, which may be more than the I
// of a person.
struct Evictions {
  std::int64_t violations = 0;
  std::int64_t attained = 0;
  std::int64_t beyond_a_person = 0;  // more than I pairs changed
  std::int64_t elsewhere = 0;        // a pair changed in no slot of the window
};

Evictions try_events_under_user_caps(const Caps& caps, std::int64_t width, int cases) {
  Evictions tally;
  std::mt19937_64 random(9);
  for (int i = 0; i < cases; ++i) {
    const std::vector<Record> records = random_records(random);
    const auto seed = static_cast<std::uint64_t>(i);
    const std::vector<std::int64_t> all = ours(records, caps, seed);
    for (const std::string& person : kPeople) {
      for (std::int64_t first = 0; first + width <= kSteps; ++first) {
        const auto inside = [&](const Record& record) {
          return record.user == person && record.slot >= first && record.slot < first + width;
        };
        std::set<std::pair<std::string, std::int64_t>> pairs;
        for (const Record& record : records)
          if (inside(record) && record.value > 0 && record.series <= kKeys.back())
            pairs.emplace(record.series, record.slot);
        const Change change = difference(all, ours(without(records, inside), caps, seed));
        const std::int64_t most = 2 * std::min(caps.max_steps, static_cast<std::int64_t>(pairs.size()));
        tally.violations += change.cells > most || change.largest > caps.max_per_slot;
        tally.attained += most > 0 && change.cells == most;
        tally.beyond_a_person += change.cells > caps.max_steps;
        for (const std::int64_t slot : change.slots) tally.elsewhere += slot < first || slot >= first + width;
      }
    }
  }
  return tally;
}

TEST(Sensitivity, RemovingAnEventUnderTheCapsOfAPersonLetsOthersInAndChangesUpToTwiceAsMuch) {
  for (const Caps& caps : {user_caps(1, 1), user_caps(2, 3)})
    for (const std::int64_t width : {1, 3}) {
      const Evictions tally = try_events_under_user_caps(caps, width, 30);
      EXPECT_EQ(tally.violations, 0);
      EXPECT_GT(tally.attained, 20);
      EXPECT_GT(tally.beyond_a_person, 5) << "the price of a person does not cover it";
      EXPECT_GT(tally.elsewhere, 20);
    }
}

TEST(Sensitivity, ACapOfEverythingLetsNothingElseIn) {
  const std::int64_t everything = kSteps * static_cast<std::int64_t>(kKeys.size());
  const Evictions tally = try_events_under_user_caps(user_caps(everything, 3), 1, 30);
  EXPECT_EQ(tally.elsewhere, 0);
  EXPECT_EQ(tally.violations, 0);
  EXPECT_GT(try_events_under_user_caps(user_caps(4, 3), 1, 30).elsewhere, 0);
}

TEST(Sensitivity, RemovingAPersonChangesAtMostMaxStepsCountsByAtMostMaxPerSlot) {
  const Tally tally = try_people(ours, 60);
  EXPECT_EQ(tally.violations, 0);
  EXPECT_GT(tally.attained, 200);
}

TEST(Sensitivity, RemovingAnEventChangesOneSlotByAtMostMaxPerSlotOverAllSeries) {
  const Tally tally = try_events(ours, Unit::event, 1, 30);
  EXPECT_EQ(tally.violations, 0);
  EXPECT_GT(tally.attained, 200);
}

TEST(Sensitivity, RemovingAWindowChangesItsSlotsByAtMostMaxPerSlotEach) {
  const Tally tally = try_events(ours, Unit::w_event, 3, 30);
  EXPECT_EQ(tally.violations, 0);
  EXPECT_GT(tally.attained, 200);
}

TEST(Sensitivity, PeopleTakenForOneAreFoundOut) {
  const Bound merged = [](std::vector<Record> records, const Caps& caps, std::uint64_t seed) {
    for (Record& record : records) record.user.resize(1);
    return ours(records, caps, seed);
  };
  EXPECT_GT(try_people(merged, 60).violations, 0);
  EXPECT_GT(try_events(merged, Unit::event, 1, 30).violations, 0);
}

TEST(Sensitivity, OneTooManyIsFoundOut) {
  const Bound one_more_step = [](const std::vector<Record>& records, Caps caps, std::uint64_t seed) {
    ++caps.max_steps;
    return ours(records, caps, seed);
  };
  const Bound one_more_in_a_slot = [](const std::vector<Record>& records, Caps caps, std::uint64_t seed) {
    ++caps.max_per_slot;
    return ours(records, caps, seed);
  };
  EXPECT_GT(try_people(one_more_step, 60).violations, 0);
  EXPECT_GT(try_people(one_more_in_a_slot, 60).violations, 0);
  EXPECT_GT(try_events(one_more_in_a_slot, Unit::event, 1, 30).violations, 0);
}

TEST(Sensitivity, CapsOfAPersonInASlotOfEachSeriesAreFoundOutUnderEvent) {
  const Bound by_series = [](std::vector<Record> records, const Caps& caps, std::uint64_t seed) {
    for (Record& record : records) record.user += record.series;
    return ours(records, caps, seed);
  };
  EXPECT_GT(try_events(by_series, Unit::event, 1, 30).violations, 0);
}

}  // namespace
}  // namespace chronoveil::bound
