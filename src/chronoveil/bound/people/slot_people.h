// The people of one slot, and what of their records can still count. Memory grows with the people and the caps, not
// with the records: a person holds at most I pairs (series, slot) under unit user, and at most c under event and
// w-event, however many records come.
//   user      the first I pairs of each person, in the order in which they first come, and at most c in each
//   event,    at most c per person, all series together, in the order in which they come
//   w-event
//   Why       what a person used in other slots is not known before the slot is closed, but it can only make fewer of
//             these count, and again the first ones
//   Edges     an amount of 0 is no pair
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <vector>

#include "chronoveil/bound/bounded_series.h"
#include "chronoveil/bound/people/siphash.h"
#include "chronoveil/bound/tables/hash_table.h"

namespace chronoveil::bound {

class SlotPeople {
 public:
  struct Pair {
    std::uint32_t person = 0;  // in names()
    std::uint32_t series = 0;
    std::int64_t amount = 0;  // from 1 to max_per_slot
  };

  // `series` is how many there are.
  SlotPeople(std::int64_t series, const Caps&);

  // One record: `person` not empty, `series` from 0, `amount` >= 0. A record that cannot be taken (a broken
  // precondition, or no memory left) is a problem, and the slot cannot be closed.
  void add(std::string_view person, std::int64_t series, std::int64_t amount);

  const std::vector<std::string_view>& names() const { return names_; }  // by first appearance
  const std::vector<Pair>& pairs() const { return pairs_; }              // in the order in which they first came
  const std::optional<Error>& problem() const { return problem_; }

 private:
  std::uint32_t number_of(std::string_view person, std::uint64_t hash);
  void add_to_pair(std::uint32_t person, std::uint64_t person_hash, std::uint32_t series, std::int64_t amount);

  std::int64_t series_;
  Caps caps_;
  SipHash hash_;
  std::pmr::monotonic_buffer_resource texts_;
  HashTable<std::string_view> people_;  // compared to the last byte (string_table.h says why)
  std::vector<std::string_view> names_;
  std::vector<std::int64_t> taken_;   // by each person: pairs, at most max_steps; or amount, at most max_per_slot
  HashTable<std::uint64_t> pair_of_;  // person and series
  std::vector<Pair> pairs_;
  std::optional<Error> problem_;
};

}  // namespace chronoveil::bound
