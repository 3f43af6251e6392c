#include "chronoveil/bound/people/slot_bounder.h"

#include <algorithm>
#include <memory_resource>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

#include "chronoveil/bound/caps.h"
#include "chronoveil/bound/cell_finder.h"
#include "chronoveil/bound/counts.h"
#include "chronoveil/bound/people/siphash.h"
#include "chronoveil/bound/tables/hash_table.h"

namespace chronoveil::bound {

namespace {

// The people of a slot, numbered by first appearance. They are compared to the last byte (string_table.h says why).
class Names {
 public:
  std::uint32_t find_or_add(std::string_view person, std::uint64_t hash) {
    return table_.find_or_add(person, hash, [this](std::string_view name) {
      char* const copy = static_cast<char*>(texts_.allocate(name.size(), 1));
      std::copy(name.begin(), name.end(), copy);
      return names_.emplace_back(copy, name.size());
    });
  }
  const std::vector<std::string_view>& names() const { return names_; }

 private:
  std::pmr::monotonic_buffer_resource texts_;
  HashTable<std::string_view> table_;
  std::vector<std::string_view> names_;
};

struct Pair {
  std::uint32_t person = 0;
  std::uint32_t series = 0;
  std::int64_t amount = 0;  // from 1 to max_per_slot
};

Failure out_of_memory() { return fail(ErrorKind::storage, "not enough memory for the people of one slot"); }

}  // namespace

class SlotBounder::Inside {
 public:
  Inside(std::int64_t series, const Caps& caps, std::unique_ptr<Participation> participation)
      : series_(series),
        caps_(caps),
        participation_(std::move(participation)),
        hash_(SipHash::with_key_from(BitSource::for_this_thread())) {
    if (const Result<void> good = check_caps(caps); !good) problem_ = good.error();
    if (series < 1 || series > kMostCells) {
      problem_ = Error{.kind = ErrorKind::usage, .message = "the number of series must be from 1 to 2^28"};
    }
    if (!problem_) open_ = std::make_unique<Open>(series, caps.maximum);
  }

  void add(std::string_view person, std::int64_t series, std::int64_t amount) {
    if (problem_) return;
    if (person.empty() || series < 0 || series >= series_ || amount < 0) {
      problem_ =
          Error{.kind = ErrorKind::internal, .message = "a record of nobody, of no series or with a negative amount"};
      return;
    }
    if (amount == 0) return;
    try {
      const std::uint64_t hash = hash_(person);
      const std::uint32_t number = open_->people.find_or_add(person, hash);
      if (number == open_->taken.size()) open_->taken.push_back(0);
      if (caps_.unit == Unit::user) {
        add_to_pair(number, hash, static_cast<std::uint32_t>(series), amount);
      } else {
        std::int64_t& taken = open_->taken[number];
        const std::int64_t more = std::min(amount, caps_.max_per_slot - taken);
        open_->counts.add(static_cast<std::uint32_t>(series), more);
        taken += more;
      }
    } catch (const std::bad_alloc&) {
      problem_ = out_of_memory().value();
    } catch (const std::length_error&) {
      problem_ = out_of_memory().value();
    }
  }

  Result<std::vector<std::int64_t>> close(std::int64_t step) {
    if (problem_) return Failure(*problem_);
    if (step < 0) return fail(ErrorKind::internal, "a slot before the first");
    try {
      auto next = std::make_unique<Open>(series_, caps_.maximum);
      if (caps_.unit == Unit::user) {
        CV_TRY(open_->counts, count_first_pairs(step));
      }
      // From here on nothing can fail.
      std::int64_t clamped = 0;
      std::vector<std::int64_t> counts = std::move(open_->counts).take(clamped);
      open_ = std::move(next);
      return counts;
    } catch (const std::bad_alloc&) {
      return out_of_memory();
    }
  }

 private:
  struct Open {
    Open(std::int64_t series, std::int64_t maximum) : counts(series, maximum) {}

    Names people;
    std::vector<std::int64_t> taken;   // by each person: pairs of the slot, at most max_steps; or amount
    HashTable<std::uint64_t> pair_of;  // person and series
    std::vector<Pair> pairs;           // in the order in which they first came
    Counts counts;
  };

  // Of a person's pairs in one slot, none after the first max_steps can count.
  void add_to_pair(std::uint32_t person, std::uint64_t person_hash, std::uint32_t series, std::int64_t amount) {
    const std::uint64_t key = std::uint64_t{person} << 32 | series;
    const std::uint64_t hash = hash_(person_hash, series);
    std::uint32_t number = open_->pair_of.find(key, hash);
    if (number == HashTable<std::uint64_t>::kNone) {
      if (open_->taken[person] == caps_.max_steps) return;
      number = open_->pair_of.find_or_add(key, hash, [](std::uint64_t kept) { return kept; });
      open_->pairs.push_back({person, series, 0});
      ++open_->taken[person];
    }
    Pair& pair = open_->pairs[number];
    pair.amount = add_up_to(caps_.max_per_slot, pair.amount, amount);
  }

  // Durable before it returns.
  Result<Counts> count_first_pairs(std::int64_t step) {
    const std::vector<std::string_view>& people = open_->people.names();
    std::vector<std::int64_t> left(people.size(), caps_.max_steps);
    if (participation_ && !people.empty()) {
      CV_TRY(const std::vector<std::int64_t> used, participation_->used_before(step, people));
      for (std::size_t i = 0; i < left.size(); ++i) left[i] = std::max<std::int64_t>(0, caps_.max_steps - used[i]);
    }
    Counts counts(series_, caps_.maximum);
    std::vector<std::int64_t> uses(people.size());
    for (const Pair& pair : open_->pairs) {
      if (uses[pair.person] == left[pair.person]) continue;
      ++uses[pair.person];
      counts.add(pair.series, pair.amount);
    }
    if (participation_) CV_CHECK(remember(step, uses));
    return counts;
  }

  // People with nothing left use nothing, however often the slot is closed, and need not be written again.
  Result<void> remember(std::int64_t step, const std::vector<std::int64_t>& uses) {
    std::vector<std::string_view> people;
    std::vector<std::int64_t> pairs;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      if (uses[i] == 0) continue;
      people.push_back(open_->people.names()[i]);
      pairs.push_back(uses[i]);
    }
    return people.empty() ? Result<void>() : participation_->use(step, people, pairs);
  }

  std::int64_t series_;
  Caps caps_;
  std::unique_ptr<Participation> participation_;
  SipHash hash_;
  std::optional<Error> problem_;  // why nothing can be closed
  std::unique_ptr<Open> open_;
};

SlotBounder::SlotBounder(std::int64_t series, const Caps& caps, std::unique_ptr<Participation> participation)
    : inside_(std::make_unique<Inside>(series, caps, std::move(participation))) {}
SlotBounder::SlotBounder(SlotBounder&&) noexcept = default;
SlotBounder& SlotBounder::operator=(SlotBounder&&) noexcept = default;
SlotBounder::~SlotBounder() = default;

void SlotBounder::add(std::string_view person, std::int64_t series, std::int64_t amount) {
  inside_->add(person, series, amount);
}

Result<std::vector<std::int64_t>> SlotBounder::close(std::int64_t step) { return inside_->close(step); }

}  // namespace chronoveil::bound
