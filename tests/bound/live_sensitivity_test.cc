// What one neighbour changes over the whole life of a live release, found by trying every neighbour of small random
// lives, with a stop at every slot.
#include <gtest/gtest.h>

#include <cstdlib>

#include "bound/lives.h"
#include "bound/records.h"
#include "support/temporary_folder.h"

namespace chronoveil::bound {
namespace {

constexpr std::int64_t kSeries = 3;
constexpr std::size_t kSlots = 6;
constexpr int kCases = 20;

using Bound = std::function<LifeCounts(const Life&, const Caps&)>;

struct Tally {
  std::int64_t violations = 0;
  std::int64_t attained = 0;  // how often the bound was reached, so that it is neither loose nor vacuous
};

Life without(Life life, const std::string& person, std::size_t first, std::size_t end) {
  for (std::size_t t = first; t < end; ++t) {
    std::erase_if(life[t], [&](const LiveRecord& record) { return record.person == person; });
  }
  return life;
}

// Removing all that one person did.
Tally try_people(const Bound& bound) {
  Tally tally;
  std::mt19937_64 random(3);
  for (int i = 0; i < kCases; ++i) {
    const Life life = random_life(random, kSlots, kSeries, 30);
    for (const Caps& caps : {user_caps(1, 1), user_caps(3, 2), user_caps(5, 4), user_caps(2, 3, 4)}) {
      const LifeCounts all = bound(life, caps);
      for (const std::string& person : kLivePeople) {
        const LifeCounts rest = bound(without(life, person, 0, kSlots), caps);
        std::int64_t pairs = 0, largest = 0;
        for (std::size_t t = 0; t < kSlots; ++t) {
          for (std::size_t s = 0; s < kSeries; ++s) {
            const std::int64_t change = std::abs(all[t][s] - rest[t][s]);
            pairs += change > 0;
            largest = std::max(largest, change);
          }
        }
        tally.violations += pairs > caps.max_steps || largest > caps.max_per_slot;
        tally.attained += pairs == caps.max_steps && largest == caps.max_per_slot;
      }
    }
  }
  return tally;
}

// Removing what one person did in any `width` slots in a row.
Tally try_events(const Bound& bound, Unit unit, std::size_t width) {
  Tally tally;
  std::mt19937_64 random(4);
  for (int i = 0; i < kCases; ++i) {
    const Life life = random_life(random, kSlots, kSeries, 30);
    for (Caps caps : {event_caps(1), event_caps(2), event_caps(5), event_caps(3, 4)}) {
      caps.unit = unit;
      const LifeCounts all = bound(life, caps);
      for (const std::string& person : kLivePeople) {
        for (std::size_t first = 0; first + width <= kSlots; ++first) {
          const LifeCounts rest = bound(without(life, person, first, first + width), caps);
          for (std::size_t t = 0; t < kSlots; ++t) {
            std::int64_t total = 0;
            for (std::size_t s = 0; s < kSeries; ++s) total += std::abs(all[t][s] - rest[t][s]);
            const bool inside = first <= t && t < first + width;
            tally.violations += total > (inside ? caps.max_per_slot : 0);
            tally.attained += inside && total == caps.max_per_slot;
          }
        }
      }
    }
  }
  return tally;
}

LifeCounts with_stops(const Life& life, const Caps& caps, Stops stops) {
  testing::TemporaryFolder folder;
  const std::string path = folder.path() + "/people";
  return bound_life(
      life, caps, kSeries, [&] { return value_of(Participation::open(path)); }, stops);
}

LifeCounts ours(const Life& life, const Caps& caps) {
  if (caps.unit == Unit::user) return with_stops(life, caps, Stops::before_counts_are_used);
  return bound_life(
      life, caps, kSeries, [] { return nullptr; }, Stops::before_counts_are_used);
}

TEST(LiveSensitivity, RemovingAPersonChangesAtMostMaxStepsPairsByAtMostMaxPerSlotOverTheWholeLife) {
  const Tally tally = try_people(ours);
  EXPECT_EQ(tally.violations, 0);
  EXPECT_GT(tally.attained, 100);
}

TEST(LiveSensitivity, RemovingAnEventChangesOneSlotByAtMostMaxPerSlotOverAllSeries) {
  const Tally tally = try_events(ours, Unit::event, 1);
  EXPECT_EQ(tally.violations, 0);
  EXPECT_GT(tally.attained, 200);
}

TEST(LiveSensitivity, RemovingAWindowChangesItsSlotsByAtMostMaxPerSlotEach) {
  const Tally tally = try_events(ours, Unit::w_event, 3);
  EXPECT_EQ(tally.violations, 0);
  EXPECT_GT(tally.attained, 200);
}

TEST(LiveSensitivity, RemovingAnEventUnderTheCapsOfAPersonLetsALaterOneInUnlessTheCapIsEverything) {
  const auto changed_elsewhere = [](std::int64_t max_steps) {
    std::int64_t elsewhere = 0;
    std::mt19937_64 random(5);
    for (int i = 0; i < 2; ++i) {
      const Life life = random_life(random, kSlots, kSeries, 30);
      const Caps caps = user_caps(max_steps, 2);
      const LifeCounts all = ours(life, caps);
      for (const std::string& person : kLivePeople)
        for (std::size_t first = 0; first < kSlots; ++first) {
          const LifeCounts rest = ours(without(life, person, first, first + 1), caps);
          std::int64_t pairs = 0;
          for (std::size_t t = 0; t < kSlots; ++t)
            for (std::size_t s = 0; s < kSeries; ++s) {
              pairs += all[t][s] != rest[t][s];
              elsewhere += t != first && all[t][s] != rest[t][s];
            }
          EXPECT_LE(pairs, 2 * std::min<std::int64_t>(max_steps, kSeries));
        }
    }
    return elsewhere;
  };
  EXPECT_GT(changed_elsewhere(1), 0);
  EXPECT_EQ(changed_elsewhere(kSeries * static_cast<std::int64_t>(kSlots)), 0);
}

TEST(LiveSensitivity, OneThatForgetsToPersistIsFoundOut) {
  const Bound forgets = [](const Life& life, const Caps& caps) {
    return bound_life(life, caps, kSeries, forgets_to_persist(), Stops::after_every_slot);
  };
  EXPECT_GT(try_people(forgets).violations, 0);
}

TEST(LiveSensitivity, OneTooManyIsFoundOut) {
  const auto one_more = [](std::int64_t Caps::*cap) {
    return [cap](const Life& life, Caps caps) {
      ++(caps.*cap);
      return naive_life(life, caps, kSeries);
    };
  };
  EXPECT_GT(try_people(one_more(&Caps::max_steps)).violations, 0);
  EXPECT_GT(try_people(one_more(&Caps::max_per_slot)).violations, 0);
  EXPECT_GT(try_events(one_more(&Caps::max_per_slot), Unit::event, 1).violations, 0);
}

TEST(LiveSensitivity, PeopleTakenForOneAreFoundOut) {
  const Bound merged = [](Life life, const Caps& caps) {
    for (Slot& slot : life) {
      for (LiveRecord& record : slot) record.person.resize(1);
    }
    return naive_life(life, caps, kSeries);
  };
  EXPECT_GT(try_people(merged).violations, 0);
  EXPECT_GT(try_events(merged, Unit::event, 1).violations, 0);
}

}  // namespace
}  // namespace chronoveil::bound
