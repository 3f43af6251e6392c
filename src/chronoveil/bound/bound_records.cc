// See bounded_series.h for the guarantee and kept_cells.h for why it holds in every order of rows.
#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <stdexcept>
#include <system_error>

#include "chronoveil/bound/bounded_series.h"
#include "chronoveil/bound/caps.h"
#include "chronoveil/bound/cell_finder.h"
#include "chronoveil/bound/cells/kept_cells.h"
#include "chronoveil/bound/counts.h"
#include "chronoveil/bound/people/siphash.h"
#include "chronoveil/bound/placed_rows.h"
#include "chronoveil/bound/tables/hash_table.h"
#include "chronoveil/bound/tables/read_ahead.h"
#include "chronoveil/bound/tables/string_table.h"

namespace chronoveil::bound {

namespace {

// Everybody's cells. People and their priorities:
//   - A person is the exact string in the user column (string_table.h says why not its hash).
//   - The priority of a cell is a PRF of (PRF of the person, cell). Two people whose 64-bit hashes are equal have the
//     same priorities; what stays of each still depends only on their own rows and the key, so every cap holds.
//   - For every fixed key the caps hold, so it does not matter for privacy how random the priorities are; that the
//     choice is uniform is a matter of fairness to the data.
template <class Amount>
class People {
 public:
  People(const Caps& caps, std::int64_t steps, BitSource& bits, CountPeople count)
      : by_slot_(caps.unit != Unit::user),
        counts_people_(count == CountPeople::yes),
        steps_(static_cast<std::uint32_t>(steps)),
        cell_hash_(SipHash::with_key_from(bits)),
        kept_({by_slot_ ? Keep::amount : Keep::cells, caps.max_steps, caps.max_per_slot}, cell_hash_) {}

  // In small blocks, each step for the whole block before the next step: the memory loads of later rows are under way
  // while one row waits.
  void add(const std::vector<PlacedRow>& rows) {
    for (std::size_t start = 0; start < rows.size(); start += kBlock) {
      const std::size_t count = std::min(kBlock, rows.size() - start);
      const PlacedRow* const row = &rows[start];
      for (std::size_t i = 0; i < count; ++i) people_.prefetch(row[i].person);
      for (std::size_t i = 0; i < count; ++i) {
        owner_[i] = people_.find_or_add(row[i].user, row[i].person);
        if (by_slot_) {
          slot_hash_[i] = cell_hash_(row[i].person, ~std::uint64_t{row[i].cell % steps_});
          slots_.prefetch(slot_hash_[i]);
        } else {
          kept_.prefetch(owner_[i]);
        }
      }
      person_ = owner_;
      for (std::size_t i = 0; by_slot_ && i < count; ++i) {
        const std::uint64_t person_and_slot = std::uint64_t{owner_[i]} << 32 | row[i].cell % steps_;
        owner_[i] = slots_.find_or_add(person_and_slot, slot_hash_[i], [](std::uint64_t key) { return key; });
        kept_.prefetch(owner_[i]);
      }
      for (std::size_t i = 0; i < count; ++i) {
        kept_.offer(owner_[i], row[i].person, row[i].cell, row[i].amount);
        offered_ = add_up_to(kUnlimited, offered_, row[i].amount);
        if (counts_people_) remember(owner_[i], person_[i], row[i].amount);
      }
    }
  }

  // Adds up what stays, and says what did not. Cells lie anywhere in memory, so they are prefetched, too.
  void add_to(Counts& counts, LeftOut& left_out) {
    std::vector<KeptCell> waiting;
    const auto add_waiting = [&] {
      for (const KeptCell& kept : waiting) counts.add(kept.cell, kept.amount);
      waiting.clear();
    };
    std::int64_t stayed = 0;
    std::vector<bool> over(counts_people_ ? people_.size() : 0);
    for (std::uint32_t owner = 0; owner < kept_.owners(); ++owner) {
      std::int64_t own = 0;
      for (const KeptCell& kept : kept_.kept(owner)) {
        counts.prefetch(kept.cell);
        waiting.push_back(kept);
        own = add_up_to(kUnlimited, own, kept.amount);
      }
      stayed = add_up_to(kUnlimited, stayed, own);
      if (counts_people_ && own < offers_[owner].amount) over[offers_[owner].person] = true;
      if (waiting.size() >= kBlock) add_waiting();
    }
    add_waiting();
    left_out.over_caps = offered_ - stayed;
    left_out.people = people_.size();
    left_out.people_over_caps = std::count(over.begin(), over.end(), true);
  }

 private:
  // All that was offered by one owner.
  struct Offers {
    std::uint32_t person;
    std::int64_t amount;
  };
  void remember(std::uint32_t owner, std::uint32_t person, std::int64_t amount) {
    if (owner == offers_.size()) offers_.push_back({person, 0});
    offers_[owner].amount = add_up_to(kUnlimited, offers_[owner].amount, amount);
  }

  static constexpr std::size_t kBlock = 64;
  static constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
  bool by_slot_, counts_people_;
  std::uint32_t steps_;
  SipHash cell_hash_;
  StringTable people_;
  HashTable<std::uint64_t> slots_;  // of people, when owners are people in a slot
  KeptCells<Amount, SipHash> kept_;
  std::array<std::uint32_t, kBlock> owner_;  // the number of the person, or of the person in this slot
  std::array<std::uint32_t, kBlock> person_;
  std::vector<Offers> offers_;  // by owner, where people are counted
  std::array<std::uint64_t, kBlock> slot_hash_;
  std::int64_t offered_ = 0;
};

template <class Amount>
Result<BoundedSeries> read_and_bound(data::RecordSource& source, const SlotAxis& axis,
                                     const std::vector<std::string>& keys, const Caps& caps, BitSource& bits,
                                     CountPeople count) {
  CV_TRY(const CellFinder finder, CellFinder::make(axis, keys, SipHash::with_key_from(bits)));
  RowPlacer placer(source, finder, SipHash::with_key_from(bits));
  People<Amount> people(caps, finder.steps(), bits, count);
  CV_CHECK(use_all<PlacedRows>(placer, [&](const PlacedRows& rows) { people.add(rows.rows); }));
  LeftOut left_out = placer.left_out();
  Counts counts(finder.cells(), caps.maximum);
  people.add_to(counts, left_out);
  std::vector<std::int64_t> sums = std::move(counts).take(left_out.clamped);
  return BoundedSeries(finder.series(), finder.steps(), std::move(sums), caps, Basis::enforced, left_out);
}

}  // namespace

Result<BoundedSeries> bound_records(data::RecordSource& source, const SlotAxis& axis,
                                    const std::vector<std::string>& keys, const Caps& caps, DrawRight& right,
                                    CountPeople count) {
  try {
    CV_CHECK(check_caps(caps));
    CV_TRY(BitSource* const bits, right.bits());
    // Half the memory for caps of the usual size.
    return caps.max_per_slot <= std::numeric_limits<std::uint32_t>::max()
               ? read_and_bound<std::uint32_t>(source, axis, keys, caps, *bits, count)
               : read_and_bound<std::int64_t>(source, axis, keys, caps, *bits, count);
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::storage,
                "not enough memory for what the caps let stay; lower max_steps or shorten the span");
  } catch (const std::length_error&) {
    return fail(ErrorKind::storage, "more than 2^32 people, or pairs of people and slots; shorten the span");
  } catch (const std::system_error&) {
    return fail(ErrorKind::internal, "no second thread could be started to read with");
  }
}

}  // namespace chronoveil::bound
