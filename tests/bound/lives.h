// Lives of small live releases, and what must come of them, worked out in the plainest way.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "chronoveil/bound/people/slot_bounder.h"

namespace chronoveil::bound {

struct LiveRecord {
  std::string person;
  std::int64_t series = 0;
  std::int64_t amount = 1;
};

using Slot = std::vector<LiveRecord>;
using Life = std::vector<Slot>;
using SlotCounts = std::vector<std::int64_t>;  // one per series
using LifeCounts = std::vector<SlotCounts>;    // one per slot
using People = std::vector<std::string_view>;

inline const std::vector<std::string> kLivePeople = {"ann", "anton", "bea", "ben", "berta with a rather long name"};

// Few people, many records: most are over their caps. Some slots are empty, some amounts are 0.
inline Life random_life(std::mt19937_64& random, std::size_t slots, std::int64_t series, std::size_t most = 16) {
  Life life(slots);
  for (Slot& slot : life) {
    slot.resize(random() % 5 == 0 ? 0 : random() % most);
    for (LiveRecord& record : slot) {
      record.person = kLivePeople[random() % kLivePeople.size()];
      record.series = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(series));
      record.amount = static_cast<std::int64_t>(random() % 4);
    }
  }
  return life;
}

// The definition: lists that are searched from the front. `used` is what each person used in the slots before.
inline SlotCounts naive_slot(const Slot& slot, const Caps& caps, std::int64_t series,
                             std::map<std::string, std::int64_t>& used) {
  SlotCounts counts(static_cast<std::size_t>(series));
  std::vector<LiveRecord> pairs;
  std::map<std::string, std::int64_t> taken;
  for (const LiveRecord& record : slot) {
    if (record.amount == 0) continue;
    if (caps.unit != Unit::user) {
      const std::int64_t more = std::min(record.amount, caps.max_per_slot - taken[record.person]);
      taken[record.person] += more;
      counts[static_cast<std::size_t>(record.series)] += more;
      continue;
    }
    const auto same = std::find_if(pairs.begin(), pairs.end(), [&](const LiveRecord& pair) {
      return pair.person == record.person && pair.series == record.series;
    });
    if (same == pairs.end()) {
      pairs.push_back(record);
    } else {
      same->amount += record.amount;
    }
  }
  for (const LiveRecord& pair : pairs) {
    if (used[pair.person] == caps.max_steps) continue;
    ++used[pair.person];
    counts[static_cast<std::size_t>(pair.series)] += std::min(pair.amount, caps.max_per_slot);
  }
  for (std::int64_t& count : counts) count = std::min(count, caps.maximum);
  return counts;
}

inline LifeCounts naive_life(const Life& life, const Caps& caps, std::int64_t series) {
  LifeCounts counts;
  std::map<std::string, std::int64_t> used;
  for (const Slot& slot : life) counts.push_back(naive_slot(slot, caps, series, used));
  return counts;
}

inline Result<SlotCounts> bound_slot(SlotBounder& bounder, const Slot& slot, std::int64_t step) {
  const std::unique_ptr<SlotPeople> people = bounder.new_slot();
  for (const LiveRecord& record : slot) people->add(record.person, record.series, record.amount);
  return bounder.close(step, *people);
}

template <class T>
T value_of(Result<T> result) {
  if (!result) ADD_FAILURE() << result.error().text();
  return result ? std::move(*result) : T();
}

// How a release begins anew after a stop.
using OpenParticipation = std::function<std::unique_ptr<Participation>()>;

enum class Stops {
  none,
  after_every_slot,
  before_counts_are_used,  // every slot is closed twice: its first counts are lost with the process
};

inline LifeCounts bound_life(const Life& life, const Caps& caps, std::int64_t series, const OpenParticipation& open,
                             Stops stops) {
  LifeCounts counts;
  auto bounder = std::make_unique<SlotBounder>(series, caps, open());
  const auto stop = [&] {
    bounder.reset();  // first, since one process at a time has the file
    bounder = std::make_unique<SlotBounder>(series, caps, open());
  };
  for (const Slot& slot : life) {
    const auto step = static_cast<std::int64_t>(counts.size());
    if (stops == Stops::before_counts_are_used) {
      value_of(bound_slot(*bounder, slot, step));
      stop();
    }
    counts.push_back(value_of(bound_slot(*bounder, slot, step)));
    if (stops == Stops::after_every_slot) stop();
  }
  return counts;
}

// What a person used, in memory; the twins below break one rule each.
class InMemory : public Participation {
 public:
  struct Row {
    std::int64_t last = -1, before = 0, after = 0;
  };
  using Rows = std::map<std::string, Row, std::less<>>;
  explicit InMemory(std::shared_ptr<Rows> rows) : rows_(std::move(rows)) {}

  std::int64_t last_slot() const override {
    std::int64_t last = -1;
    for (const auto& [person, row] : *rows_) last = std::max(last, row.last);
    return last;
  }
  ParticipationSeal seal() const override { return {}; }
  Result<std::vector<std::int64_t>> used_before(std::int64_t step, const People& people) override {
    std::vector<std::int64_t> used;
    for (const std::string_view person : people) {
      const Row& row = (*rows_)[std::string(person)];
      used.push_back(row.last == step ? row.before : row.after);
    }
    return used;
  }
  Result<void> use(std::int64_t step, const People& people, const std::vector<std::int64_t>& pairs) override {
    for (std::size_t i = 0; i < people.size(); ++i) {
      Row& row = (*rows_)[std::string(people[i])];
      if (row.last != step) row = {step, row.after, row.after};
      row.after = row.before + pairs[i];
    }
    return {};
  }

 protected:
  std::shared_ptr<Rows> rows_;
};

// Every stop makes it forget: nothing was written down.
inline OpenParticipation forgets_to_persist() {
  return [] { return std::make_unique<InMemory>(std::make_shared<InMemory::Rows>()); };
}

// Remembers, but a slot that is bounded again counts again.
class CountsTwice final : public InMemory {
 public:
  using InMemory::InMemory;
  Result<std::vector<std::int64_t>> used_before(std::int64_t, const People& people) override {
    std::vector<std::int64_t> used;
    for (const std::string_view person : people) used.push_back((*rows_)[std::string(person)].after);
    return used;
  }
  Result<void> use(std::int64_t, const People& people, const std::vector<std::int64_t>& pairs) override {
    for (std::size_t i = 0; i < people.size(); ++i) (*rows_)[std::string(people[i])].after += pairs[i];
    return {};
  }
};

}  // namespace chronoveil::bound
