// For each of many people, which of the offered records stay: those of at most `max_cells` cells, always the first by
// priority, and in each of them the first `max_records` records in the order of offers.
//
// What stays is the same whenever records are cut, and however often:
//   - A cell that is dropped has `max_cells` cells before it. Those only ever give way to cells that come before them,
//     so the dropped cell could never return; it is dropped for good. (Priorities may tie; then its number decides.)
//   - A cell that stays at the end always had fewer before it, so none of its records was lost with it.
//   - A record that is dropped in its cell has `max_records` before it, and later records never go before it.
// Which cells stay, and with how many records, is a function of the set of offers alone, not of their order.
//
// Counts of what was dropped are exact: a cell that has lost records carries their number along, in an entry of its
// own, until it is known whether they were too many in a cell that stays or in one that does not.
//
// Memory: a person's records lie in a chain of chunks, the first of one cache line, the next of two, all others of
// four: most people have few records, and where there are many, few steps lead through them. Chunks that become free
// are used again, for anybody. Records are cut when there are twice as many as the last cut left (and at least
// `first_cut`, and more than the caps let stay in any case): so an offer costs O(log) on average, and nobody holds more
// than twice what the caps let stay of the offers so far, besides one entry per cell.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "chronoveil/bound/tables/large_pages.h"

namespace chronoveil::bound {

struct CellRecord {
  std::uint32_t cell;
  std::uint32_t value;
};

struct RecordsRule {
  std::int64_t max_cells = 1;
  std::int64_t max_records = 1;  // per person and cell
  std::int64_t certain = 1;      // any so many records of a person are within all caps
};

// How many records the caps left out.
struct RecordsDropped {
  std::int64_t over_cells = 0;    // in cells that do not stay
  std::int64_t over_records = 0;  // in cells that do
  std::int64_t people = 0;        // who lost any, as far as they are settled
};

// Priority is a function of (person, cell): it is called only when something has to be dropped. kMostCarried is how
// many lost records one entry can stand for.
template <class Priority, std::uint32_t kMostCarried = 0x7fff'ffff>
class KeptRecords {
 public:
  static constexpr std::uint32_t kMostValue = 0x7fff'ffff;  // a larger one would be taken for a number of lost records
  static constexpr std::uint32_t kFirstCut = 22;            // two chunks

  // What one thread needs to cut with.
  class Scratch {
    friend class KeptRecords;
    struct Run {  // of keys that are of one cell
      std::uint64_t priority;
      std::uint32_t first, end;
    };
    std::vector<std::uint64_t> keys;    // the cell, then the position: sorts by cell, in the order of offers
    std::vector<std::uint32_t> values;  // by position
    std::vector<Run> runs;
    std::vector<CellRecord> kept;
  };

  KeptRecords(const RecordsRule& rule, Priority priority, std::uint32_t first_cut = kFirstCut)
      : rule_(rule), priority_(std::move(priority)) {
    constexpr std::int64_t kNever = std::numeric_limits<std::uint32_t>::max();
    first_cut_ = static_cast<std::uint32_t>(
        std::min(kNever, std::max<std::int64_t>(first_cut, std::min(kNever - 1, rule.certain) + 1)));
  }
  KeptRecords(const KeptRecords&) = delete;
  KeptRecords& operator=(const KeptRecords&) = delete;

  void prefetch(std::uint32_t person) const {
    if (person < people_.size()) __builtin_prefetch(&people_[person], 1);
  }
  void prefetch_end(std::uint32_t person) const {
    if (person < people_.size()) __builtin_prefetch(people_[person].next, 1);
  }

  // People are numbered as they first appear, and `hash` is always the same for one of them. std::length_error when one
  // person has 2^31 records that stay.
  void offer(std::uint32_t person, std::uint64_t hash, std::uint32_t cell, std::uint32_t value) {
    if (person == people_.size()) people_.push_back({.hash = hash, .next_cut = first_cut_});
    Person& of = people_[person];
    if (of.last_priority != kEverything && priority_(hash, cell) > of.last_priority) {
      ++dropped_.over_cells;
      return;
    }
    append(of, {cell, value});
    if (of.size == of.next_cut) cut(of);
  }

  std::uint32_t people() const { return static_cast<std::uint32_t>(people_.size()); }
  std::uint32_t held(std::uint32_t person) const { return people_[person].size; }  // entries
  std::size_t lines() const { return lines_; }                // of 64 bytes, in all chunks, free ones included
  const RecordsDropped& dropped() const { return dropped_; }  // so far, without settled people

  // Cuts a last time, after all offers: what stays remains, by cell, and `dropped` grows by the rest. Returns what
  // stays, valid until the scratch is used again. Several threads may settle different people at once.
  std::span<const CellRecord> settle(std::uint32_t person, Scratch& scratch, RecordsDropped& dropped) {
    Person& of = people_[person];
    gather(of, scratch, dropped);
    bool over = of.last_priority != kEverything;
    std::size_t kept = 0;
    for (const CellRecord& record : scratch.kept) {
      if (record.value > kMostValue) {
        dropped.over_records += lost(record);
        over = true;
      } else {
        scratch.kept[kept++] = record;
      }
    }
    dropped.people += over;
    scratch.kept.resize(kept);
    put_back(of, scratch.kept);
    return scratch.kept;
  }

  // Calls use(record) for all records of a person: by cell, once settled.
  template <class Use>
  void for_each(std::uint32_t person, Use use) const {
    for_each(people_[person], use);
  }

 private:
  static constexpr std::uint64_t kEverything = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint32_t kInLine = 64 / sizeof(CellRecord);
  static_assert(kMostCarried > 0 && kMostCarried <= kMostValue);

  // A chunk begins with where the next one of the chain is, in the space of one record.
  using Chunk = CellRecord*;
  static Chunk next_of(const CellRecord* chunk) { return std::bit_cast<Chunk>(chunk[0]); }
  static void set_next(Chunk chunk, Chunk next) { chunk[0] = std::bit_cast<CellRecord>(next); }

  // Chunks are of three kinds, by their place in the chain.
  static constexpr std::size_t kKinds = 3;
  static std::uint32_t kind_of(std::uint32_t place) { return std::min<std::uint32_t>(place, kKinds - 1); }
  static std::uint32_t room_of(std::uint32_t place) { return (kInLine << kind_of(place)) - 1; }

  struct alignas(64) Person {
    std::uint64_t hash = 0;
    std::uint64_t last_priority = kEverything;  // offers beyond it are dropped
    Chunk first = nullptr;
    Chunk last = nullptr;
    CellRecord* next = nullptr;  // where the next record goes
    std::uint32_t room = 0;      // for how many more records
    std::uint32_t chunks = 0;
    std::uint32_t size = 0;
    std::uint32_t next_cut = 0;
  };
  static_assert(sizeof(Person) == 64);

  struct alignas(64) Line {
    std::array<CellRecord, kInLine> records;
  };

  static std::int64_t lost(const CellRecord& record) { return record.value - kMostValue; }

  // Blocks grow up to 16 MiB, and never move.
  Chunk new_chunk(std::uint32_t kind) {
    if (free_[kind] != nullptr) return std::exchange(free_[kind], next_of(free_[kind]));
    constexpr std::size_t kSmallest = 64, kLargest = std::size_t{1} << 18;
    const std::size_t lines = std::size_t{1} << kind;
    if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < lines) {
      const std::size_t room = blocks_.empty() ? kSmallest : std::min(kLargest, 2 * blocks_.back().capacity());
      blocks_.emplace_back().reserve(room);
    }
    auto& block = blocks_.back();
    const std::size_t at = block.size();
    block.resize(at + lines);
    lines_ += lines;
    return block[at].records.data();
  }

  void append(Person& of, const CellRecord& record) {
    if (of.room == 0) {
      const Chunk chunk = new_chunk(kind_of(of.chunks));
      set_next(chunk, nullptr);
      if (of.chunks == 0) {
        of.first = chunk;
      } else {
        set_next(of.last, chunk);
      }
      of.last = chunk;
      of.next = chunk + 1;
      of.room = room_of(of.chunks++);
    }
    *of.next++ = record;
    --of.room;
    ++of.size;
  }

  template <class Use>
  static void for_each(const Person& of, Use use) {
    const CellRecord* chunk = of.first;
    for (std::uint32_t place = 0, left = of.size; left > 0; ++place, chunk = next_of(chunk)) {
      const std::uint32_t here = std::min(left, room_of(place));
      for (std::uint32_t i = 1; i <= here; ++i) use(chunk[i]);
      left -= here;
    }
  }

  // Puts what stays of the person's records into scratch.kept, by cell: first the cell's records, then how many it has
  // lost.
  void gather(Person& of, Scratch& scratch, RecordsDropped& dropped) {
    sort_by_cell(of, scratch);
    std::vector<typename Scratch::Run>& runs = scratch.runs;
    const auto cell_of = [&](const typename Scratch::Run& run) {
      return static_cast<std::uint32_t>(scratch.keys[run.first] >> 32);
    };
    const auto value_at = [&](std::uint32_t i) { return scratch.values[static_cast<std::uint32_t>(scratch.keys[i])]; };
    if (std::cmp_greater(runs.size(), rule_.max_cells)) {
      for (auto& run : runs) run.priority = priority_(of.hash, cell_of(run));
      const auto last = runs.begin() + rule_.max_cells - 1;
      std::nth_element(runs.begin(), last, runs.end(), [&](const auto& a, const auto& b) {
        return a.priority != b.priority ? a.priority < b.priority : cell_of(a) < cell_of(b);
      });
      of.last_priority = last->priority;
      for (auto run = last + 1; run != runs.end(); ++run) {
        for (std::uint32_t i = run->first; i < run->end; ++i) {
          const CellRecord record = {0, value_at(i)};
          dropped.over_cells += record.value > kMostValue ? lost(record) : 1;
        }
      }
      runs.erase(last + 1, runs.end());
      std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    }
    scratch.kept.clear();
    for (const auto& run : runs) {
      std::int64_t stay = 0, gone = 0;
      for (std::uint32_t i = run.first; i < run.end; ++i) {
        const CellRecord record = {cell_of(run), value_at(i)};
        if (record.value > kMostValue) {
          gone += lost(record);
        } else if (stay < rule_.max_records) {
          scratch.kept.push_back(record);
          ++stay;
        } else {
          ++gone;
        }
      }
      while (gone > 0) {
        const auto part = static_cast<std::uint32_t>(std::min<std::int64_t>(gone, kMostCarried));
        scratch.kept.push_back({cell_of(run), kMostValue + part});
        gone -= part;
      }
    }
  }

  void sort_by_cell(const Person& of, Scratch& scratch) const {
    scratch.keys.clear();
    scratch.values.clear();
    scratch.runs.clear();
    for_each(of, [&](const CellRecord& record) {
      scratch.keys.push_back(std::uint64_t{record.cell} << 32 | scratch.values.size());
      scratch.values.push_back(record.value);
    });
    std::sort(scratch.keys.begin(), scratch.keys.end());
    for (std::uint32_t i = 0; i < of.size; ++i) {
      if (i == 0 || scratch.keys[i] >> 32 != scratch.keys[i - 1] >> 32) scratch.runs.push_back({0, i, i});
      scratch.runs.back().end = i + 1;
    }
  }

  // Into the first chunks of the chain; the other chunks stay in it.
  static void put_back(Person& of, const std::vector<CellRecord>& records) {
    of.size = static_cast<std::uint32_t>(records.size());
    of.chunks = 0;
    auto record = records.begin();
    for (Chunk chunk = of.first; record != records.end(); chunk = next_of(chunk)) {
      const std::uint32_t room = room_of(of.chunks++);
      const auto here = static_cast<std::uint32_t>(std::min<std::ptrdiff_t>(room, records.end() - record));
      of.last = chunk;
      of.next = std::copy_n(record, here, chunk + 1);
      of.room = room - here;
      record += here;
    }
  }

  void cut(Person& of) {
    gather(of, scratch_, dropped_);
    put_back(of, scratch_.kept);
    std::uint32_t place = of.chunks;
    for (Chunk chunk = next_of(of.last); chunk != nullptr; ++place) {
      const Chunk next = next_of(chunk);
      set_next(chunk, std::exchange(free_[kind_of(place)], chunk));
      chunk = next;
    }
    set_next(of.last, nullptr);
    if (of.size > std::numeric_limits<std::uint32_t>::max() / 2) throw std::length_error("2^31 records of one person");
    of.next_cut = std::max(first_cut_, 2 * of.size);
  }

  RecordsRule rule_;
  Priority priority_;
  std::uint32_t first_cut_;
  std::vector<Person, LargePages<Person>> people_;
  std::vector<std::vector<Line, LargePages<Line>>> blocks_;
  std::array<Chunk, kKinds> free_ = {};
  std::size_t lines_ = 0;
  Scratch scratch_;
  RecordsDropped dropped_;
};

}  // namespace chronoveil::bound
