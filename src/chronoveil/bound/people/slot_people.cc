#include "chronoveil/bound/people/slot_people.h"

#include <algorithm>
#include <new>
#include <stdexcept>

#include "chronoveil/bound/counts.h"

namespace chronoveil::bound {

SlotPeople::SlotPeople(std::int64_t series, const Caps& caps)
    : series_(series), caps_(caps), hash_(SipHash::with_key_from(BitSource::for_this_thread())) {}

void SlotPeople::add(std::string_view person, std::int64_t series, std::int64_t amount) {
  if (problem_) return;
  if (person.empty() || series < 0 || series >= series_ || amount < 0) {
    problem_ =
        Error{.kind = ErrorKind::internal, .message = "a record of nobody, of no series or with a negative amount"};
    return;
  }
  if (amount == 0) return;
  const auto no_memory = [] {
    return Error{.kind = ErrorKind::storage, .message = "not enough memory for the people of one slot"};
  };
  try {
    const std::uint64_t hash = hash_(person);
    const std::uint32_t number = number_of(person, hash);
    if (number == taken_.size()) taken_.push_back(0);
    add_to_pair(number, hash, static_cast<std::uint32_t>(series), amount);
  } catch (const std::bad_alloc&) {
    problem_ = no_memory();
  } catch (const std::length_error&) {
    problem_ = no_memory();
  }
}

std::uint32_t SlotPeople::number_of(std::string_view person, std::uint64_t hash) {
  return people_.find_or_add(person, hash, [this](std::string_view name) {
    char* const copy = static_cast<char*>(texts_.allocate(name.size(), 1));
    std::copy(name.begin(), name.end(), copy);
    return names_.emplace_back(copy, name.size());
  });
}

void SlotPeople::add_to_pair(std::uint32_t person, std::uint64_t person_hash, std::uint32_t series,
                             std::int64_t amount) {
  const bool by_pairs = caps_.unit == Unit::user;
  std::int64_t& taken = taken_[person];
  if (!by_pairs) {
    amount = std::min(amount, caps_.max_per_slot - taken);
    if (amount <= 0) return;
  }
  const std::uint64_t key = std::uint64_t{person} << 32 | series;
  const std::uint64_t hash = hash_(person_hash, series);
  std::uint32_t number = pair_of_.find(key, hash);
  if (number == HashTable<std::uint64_t>::kNone) {
    if (by_pairs && taken == caps_.max_steps) return;
    number = pair_of_.find_or_add(key, hash, [](std::uint64_t kept) { return kept; });
    pairs_.push_back({person, series, 0});
    if (by_pairs) ++taken;
  }
  Pair& pair = pairs_[number];
  pair.amount = add_up_to(caps_.max_per_slot, pair.amount, amount);
  if (!by_pairs) taken += amount;
}

}  // namespace chronoveil::bound
