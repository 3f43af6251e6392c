#include "chronoveil/bound/cells/cells_builder.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <utility>

#include "chronoveil/base/system/workers.h"

namespace chronoveil::bound {

namespace {

RecordsRule rule_of(const CellCaps& caps, std::int64_t cells) {
  constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
  RecordsRule rule;
  rule.max_cells = std::min(caps.max_cells, cells);
  rule.max_records = caps.max_records.value_or(kUnlimited);
  // n records are in at most n cells. If nobody can be in too many cells, only max_records cuts.
  rule.certain = std::min(caps.max_cells >= cells ? kUnlimited : caps.max_cells, rule.max_records);
  return rule;
}

constexpr std::uint32_t kNoCell = std::numeric_limits<std::uint32_t>::max();

// Sorts the people of one cell by number of records, most first, and moves their values along. Ties keep their order.
class Arranger {
 public:
  void operator()(std::span<std::uint32_t> counts, std::span<std::uint32_t> values) {
    if (std::is_sorted(counts.begin(), counts.end(), std::greater<>())) return;
    people_.clear();
    std::uint64_t first = 0;
    for (const std::uint32_t count : counts) {
      people_.push_back({count, first});
      first += count;
    }
    std::stable_sort(people_.begin(), people_.end(),
                     [](const Person& a, const Person& b) { return a.count > b.count; });
    values_.assign(values.begin(), values.end());
    auto value = values.begin();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      counts[i] = people_[i].count;
      value = std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(people_[i].first), people_[i].count, value);
    }
  }

 private:
  struct Person {
    std::uint32_t count;
    std::uint64_t first;  // value
  };
  std::vector<Person> people_;
  std::vector<std::uint32_t> values_;
};

}  // namespace

CellsBuilder::CellsBuilder(std::int64_t places, std::int64_t steps, const ValueGrid& grid, const CellCaps& caps,
                           BitSource& bits, std::uint32_t first_cut)
    : cells_(places, steps, grid, caps),
      person_hash_(SipHash::with_key_from(bits)),
      records_(rule_of(caps, places * steps), SipHash::with_key_from(bits), first_cut) {}

// In small blocks, each step for the whole block before the next step: the memory loads of later rows are under way
// while one row waits.
void CellsBuilder::add(const std::vector<PlacedValue>& rows) {
  for (std::size_t start = 0; start < rows.size(); start += kBlock) {
    const std::size_t count = std::min(kBlock, rows.size() - start);
    const PlacedValue* const row = &rows[start];
    for (std::size_t i = 0; i < count; ++i) {
      hash_[i] = person_hash_(row[i].user.view());
      people_.prefetch(hash_[i]);
    }
    for (std::size_t i = 0; i < count; ++i) {
      person_[i] = people_.find_or_add(row[i].user, hash_[i]);
      records_.prefetch(person_[i]);
    }
    for (std::size_t i = 0; i < count; ++i) records_.prefetch_end(person_[i]);
    for (std::size_t i = 0; i < count; ++i) records_.offer(person_[i], hash_[i], row[i].cell, row[i].value);
  }
}

BoundedCells CellsBuilder::finish(const CellsLeftOut& left_out, unsigned workers) && {
  cells_.left_out_ = left_out;
  cells_.left_out_.people = people_.size();
  Split split{people_.by_text(), std::vector<std::vector<Share>>(workers)};
  settle(split);
  make_room(split);
  distribute(split);
  arrange(workers);
  return std::move(cells_);
}

std::span<const std::uint32_t> CellsBuilder::Split::of(unsigned worker) const {
  const std::size_t first = people.size() * worker / workers();
  const std::size_t end = people.size() * (worker + 1) / workers();
  return std::span(people).subspan(first, end - first);
}

void CellsBuilder::settle(Split& split) {
  std::vector<RecordsDropped> dropped(split.workers());
  on_workers(split.workers(), [&](unsigned worker) {
    std::vector<Share> shares(static_cast<std::size_t>(cells_.cells()));
    RecordsDropped own;
    Records::Scratch scratch;
    for (const std::uint32_t person : split.of(worker)) {
      std::uint32_t last = kNoCell;
      for (const CellRecord& record : records_.settle(person, scratch, own)) {
        Share& here = shares[record.cell];
        if (record.cell != std::exchange(last, record.cell)) ++here.people;
        ++here.records;
      }
    }
    split.shares[worker] = std::move(shares);
    dropped[worker] = own;
  });
  dropped.push_back(records_.dropped());
  for (const RecordsDropped& some : dropped) {
    cells_.left_out_.over_cells += some.over_cells;
    cells_.left_out_.over_records += some.over_records;
    cells_.left_out_.people_over_caps += some.people;
  }
}

void CellsBuilder::make_room(Split& split) {
  const auto cells = static_cast<std::size_t>(cells_.cells());
  cells_.first_count_.reserve(cells + 1);
  cells_.first_value_.reserve(cells + 1);
  Share before;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    cells_.first_count_.push_back(before.people);
    cells_.first_value_.push_back(before.records);
    for (std::vector<Share>& shares : split.shares) {
      const Share here = std::exchange(shares[cell], before);
      before.people += here.people;
      before.records += here.records;
    }
  }
  cells_.first_count_.push_back(before.people);
  cells_.first_value_.push_back(before.records);
  cells_.counts_.resize(before.people);
  cells_.values_.resize(before.records);
}

void CellsBuilder::distribute(Split& split) {
  on_workers(split.workers(), [&](unsigned worker) {
    std::vector<Share>& next = split.shares[worker];
    for (const std::uint32_t person : split.of(worker)) {
      std::uint32_t last = kNoCell;
      records_.for_each(person, [&](const CellRecord& record) {
        Share& here = next[record.cell];
        if (record.cell != std::exchange(last, record.cell)) ++here.people;
        ++cells_.counts_[here.people - 1];
        cells_.values_[here.records++] = record.value;
      });
    }
  });
}

void CellsBuilder::arrange(unsigned workers) {
  std::atomic<std::int64_t> next = 0;
  on_workers(workers, [&](unsigned) {
    constexpr std::int64_t kAtOnce = 64;
    Arranger arranger;
    for (std::int64_t first; (first = next.fetch_add(kAtOnce)) < cells_.cells();) {
      const std::int64_t end = std::min(first + kAtOnce, cells_.cells());
      for (std::int64_t number = first; number < end; ++number) {
        const auto cell = static_cast<std::size_t>(number);
        arranger(
            {cells_.counts_.data() + cells_.first_count_[cell], cells_.counts_.data() + cells_.first_count_[cell + 1]},
            {cells_.values_.data() + cells_.first_value_[cell], cells_.values_.data() + cells_.first_value_[cell + 1]});
      }
    }
  });
}

}  // namespace chronoveil::bound
