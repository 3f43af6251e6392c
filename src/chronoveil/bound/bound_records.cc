// See bounded_series.h for the guarantee and kept_cells.h for why it holds in every order of rows.
#include <array>
#include <limits>
#include <new>
#include <stdexcept>

#include "chronoveil/bound/bounded_series.h"
#include "chronoveil/bound/caps.h"
#include "chronoveil/bound/cell_finder.h"
#include "chronoveil/bound/counts.h"
#include "chronoveil/bound/hash_table.h"
#include "chronoveil/bound/kept_cells.h"
#include "chronoveil/bound/siphash.h"
#include "chronoveil/bound/string_table.h"

namespace chronoveil::bound {

namespace {

Failure bad_row(std::int64_t row, std::string_view what) {
  return fail(ErrorKind::bad_data, "row " + std::to_string(row) + ": " + std::string(what));
}

// Everybody's cells. People and their priorities:
//   - A person is the exact string in the user column (string_table.h says why not its hash).
//   - The priority of a cell is a PRF of (PRF of the person, cell). Two people whose 64-bit hashes are equal have the
//     same priorities; what stays of one still depends on the own rows and the key alone, so nobody's cap suffers.
//   - For every fixed key the caps hold, so it does not matter for privacy how random the priorities are; that the
//     choice is uniform is a matter of fairness to the data.
template <class Amount>
class People {
 public:
  People(const Caps& caps, std::int64_t steps, BitSource& bits)
      : by_slot_(caps.unit != Unit::user),
        steps_(static_cast<std::uint32_t>(steps)),
        person_hash_(SipHash::with_key_from(bits)),
        cell_hash_(SipHash::with_key_from(bits)),
        kept_({by_slot_ ? Keep::amount : Keep::cells, caps.max_steps, caps.max_per_slot}, cell_hash_) {}

  // Adds the rows that count, the cells of which are not kNowhere.
  Result<void> add(const data::RecordBatch& batch, const std::vector<std::uint32_t>& cells) {
    const std::size_t rows = batch.rows();
    if (rows > 0 && batch.user.empty()) {
      return fail(ErrorKind::usage, "source.user: caps can be enforced only with the column that says who a row is of");
    }
    if (batch.user.size() != rows || (!batch.value.empty() && batch.value.size() != rows)) {
      return fail(ErrorKind::internal, "a batch with columns of unequal length");
    }
    // In small blocks, each step for the whole block before the next: so that the loads from memory that one row waits
    // for are already under way for those after it.
    for (std::size_t start = 0; start < rows; start += kBlock) {
      const std::size_t end = std::min(rows, start + kBlock);
      std::size_t count = 0;
      for (std::size_t row = start; row < end; ++row) {
        if (cells[row] == CellFinder::kNowhere) continue;
        const std::int64_t amount = batch.value.empty() ? 1 : batch.value[row];
        const std::int64_t number = batch.first_row + static_cast<std::int64_t>(row);
        if (amount < 0) return bad_row(number, "the value is negative");
        if (batch.user[row].empty()) return bad_row(number, "the user is empty; every record must say who it is of");
        if (amount == 0) continue;
        const std::uint64_t person = person_hash_(batch.user[row]);
        people_.prefetch(person);
        block_[count++] = {batch.user[row], person, amount, cells[row], 0, 0};
      }
      for (std::size_t i = 0; i < count; ++i) {
        Row& row = block_[i];
        row.owner = people_.find_or_add(row.user, row.person);
        if (by_slot_) {
          row.slot_hash = cell_hash_(row.person, ~std::uint64_t{row.cell % steps_});
          slots_.prefetch(row.slot_hash);
        } else {
          kept_.prefetch(row.owner);
        }
      }
      for (std::size_t i = 0; by_slot_ && i < count; ++i) {
        Row& row = block_[i];
        const std::uint64_t person_and_slot = std::uint64_t{row.owner} << 32 | row.cell % steps_;
        row.owner = slots_.find_or_add(person_and_slot, row.slot_hash, [](std::uint64_t key) { return key; });
        kept_.prefetch(row.owner);
      }
      for (std::size_t i = 0; i < count; ++i) {
        const Row& row = block_[i];
        kept_.offer(row.owner, row.person, row.cell, row.amount);
        offered_ = add_up_to(kUnlimited, offered_, row.amount);
      }
    }
    return {};
  }

  // What stays, added up; returns how much did not. Cells lie anywhere, so they too are asked for ahead of time.
  std::int64_t add_to(Counts& counts) {
    std::vector<KeptCell> waiting;
    const auto add_waiting = [&] {
      for (const KeptCell& kept : waiting) counts.add(kept.cell, kept.amount);
      waiting.clear();
    };
    std::int64_t stayed = 0;
    for (std::uint32_t owner = 0; owner < kept_.owners(); ++owner) {
      for (const KeptCell& kept : kept_.kept(owner)) {
        counts.prefetch(kept.cell);
        waiting.push_back(kept);
        stayed = add_up_to(kUnlimited, stayed, kept.amount);
      }
      if (waiting.size() >= kBlock) add_waiting();
    }
    add_waiting();
    return offered_ - stayed;
  }

 private:
  static constexpr std::size_t kBlock = 64;
  static constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
  struct Row {
    std::string_view user;
    std::uint64_t person = 0;  // the hash
    std::int64_t amount = 0;
    std::uint32_t cell = 0;
    std::uint32_t owner = 0;  // the number of the person, or of the person in this slot
    std::uint64_t slot_hash = 0;
  };

  bool by_slot_;
  std::uint32_t steps_;
  SipHash person_hash_, cell_hash_;
  StringTable people_;
  HashTable<std::uint64_t> slots_;  // of people, when owners are people in a slot
  KeptCells<Amount, SipHash> kept_;
  std::array<Row, kBlock> block_;
  std::int64_t offered_ = 0;
};

template <class Amount>
Result<BoundedSeries> read_and_bound(data::RecordSource& source, const SlotAxis& axis,
                                     const std::vector<std::string>& keys, const Caps& caps, BitSource& bits) {
  CV_TRY(const CellFinder finder, CellFinder::make(axis, keys, SipHash::with_key_from(bits)));
  LeftOut left_out;
  People<Amount> people(caps, finder.steps(), bits);
  data::RecordBatch batch;
  std::vector<std::uint32_t> cells;
  while (true) {
    CV_TRY(const bool more, source.next(batch));
    if (!more) break;
    CV_CHECK(finder.find(batch, cells, left_out));
    CV_CHECK(people.add(batch, cells));
  }
  Counts counts(finder.cells(), caps.maximum);
  left_out.over_caps = people.add_to(counts);
  std::vector<std::int64_t> sums = std::move(counts).take(left_out.clamped);
  return BoundedSeries(finder.series(), finder.steps(), std::move(sums), Basis::enforced, left_out);
}

}  // namespace

Result<BoundedSeries> bound_records(data::RecordSource& source, const SlotAxis& axis,
                                    const std::vector<std::string>& keys, const Caps& caps, BitSource& bits) {
  try {
    CV_CHECK(check_caps(caps));
    // Half the memory for caps of the usual size.
    return caps.max_per_slot <= std::numeric_limits<std::uint32_t>::max()
               ? read_and_bound<std::uint32_t>(source, axis, keys, caps, bits)
               : read_and_bound<std::int64_t>(source, axis, keys, caps, bits);
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::storage,
                "not enough memory for what the caps let stay; lower max_steps or shorten the span");
  } catch (const std::length_error&) {
    return fail(ErrorKind::storage, "more than 2^32 people, or pairs of people and slots; shorten the span");
  }
}

}  // namespace chronoveil::bound
