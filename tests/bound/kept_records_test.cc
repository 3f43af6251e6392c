// What stays of many records, whatever the moments at which they are cut.
#include "chronoveil/bound/kept_records.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace chronoveil::bound {
namespace {

// Few different priorities, so that ties happen.
struct Coarse {
  std::uint64_t operator()(std::uint64_t hash, std::uint64_t cell) const { return (hash + 7 * cell) % 5; }
};

struct Offer {
  std::uint32_t person, cell, value;
};

std::vector<Offer> many_offers(std::mt19937_64& random, std::size_t count) {
  std::vector<Offer> offers(count);
  for (Offer& offer : offers) {
    offer.person = static_cast<std::uint32_t>(random() % 6);
    offer.cell = static_cast<std::uint32_t>(random() % (1 + offer.person * 5));
    offer.value = static_cast<std::uint32_t>(random() % 1000);
  }
  return offers;
}

using Lists = std::map<std::uint32_t, std::map<std::uint32_t, std::vector<std::uint32_t>>>;  // person, cell, values

// By the definition, with everything in memory.
Lists reference(const std::vector<Offer>& offers, const RecordsRule& rule, RecordsDropped& dropped) {
  Lists all, kept;
  for (const Offer& offer : offers) all[offer.person][offer.cell].push_back(offer.value);
  for (const auto& [person, cells] : all) {
    std::set<std::pair<std::uint64_t, std::uint32_t>> order;
    for (const auto& [cell, values] : cells) order.emplace(Coarse()(person, cell), cell);
    std::int64_t place = 0;
    for (const auto& [priority, cell] : order) {
      std::vector<std::uint32_t> values = cells.at(cell);
      if (place++ >= rule.max_cells) {
        dropped.over_cells += std::ssize(values);
        continue;
      }
      const std::int64_t stay = std::min<std::int64_t>(std::ssize(values), rule.max_records);
      dropped.over_records += std::ssize(values) - stay;
      values.resize(static_cast<std::size_t>(stay));
      kept[person][cell] = values;
    }
  }
  return kept;
}

template <std::uint32_t kMostCarried>
Lists cut_along_the_way(const std::vector<Offer>& offers, const RecordsRule& rule, std::uint32_t first_cut,
                        RecordsDropped& dropped) {
  KeptRecords<Coarse, kMostCarried> records(rule, {}, first_cut);
  std::map<std::uint32_t, std::uint32_t> numbers;  // people by first appearance
  for (const Offer& offer : offers) {
    const std::uint32_t number = numbers.emplace(offer.person, numbers.size()).first->second;
    records.offer(number, offer.person, offer.cell, offer.value);
  }
  dropped = records.dropped();
  EXPECT_EQ(records.people(), numbers.size());
  typename KeptRecords<Coarse, kMostCarried>::Scratch scratch;
  Lists kept;
  for (const auto& [person, number] : numbers) {
    records.settle(number, scratch, dropped);
    std::uint32_t last = 0;
    records.for_each(number, [&, of = person](const CellRecord& record) {
      EXPECT_GE(record.cell, last);
      last = record.cell;
      kept[of][record.cell].push_back(record.value);
    });
  }
  return kept;
}

TEST(KeptRecords, AreThoseOfTheDefinitionWheneverTheyAreCut) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100; ++i) {
    const std::vector<Offer> offers = many_offers(random, random() % 600);
    for (const RecordsRule& rule :
         {RecordsRule{1, 1, 1}, RecordsRule{1, 1'000'000, 1}, RecordsRule{3, 2, 2}, RecordsRule{4, 11, 4},
          RecordsRule{100, 3, 3}, RecordsRule{100, 1'000'000, 1'000'000}}) {
      RecordsDropped expected, dropped;
      const Lists kept = reference(offers, rule, expected);
      for (const std::uint32_t first_cut : {1u, 2u, 7u, 8u, 100u}) {
        EXPECT_EQ(cut_along_the_way<0x7fff'ffff>(offers, rule, first_cut, dropped), kept);
        EXPECT_EQ(dropped.over_cells, expected.over_cells);
        EXPECT_EQ(dropped.over_records, expected.over_records);
        // Entries that can stand for 3 lost records only.
        EXPECT_EQ(cut_along_the_way<3>(offers, rule, first_cut, dropped), kept);
        EXPECT_EQ(dropped.over_cells, expected.over_cells);
        EXPECT_EQ(dropped.over_records, expected.over_records);
      }
    }
  }
}

TEST(KeptRecords, OfOneBusyPersonTakeNoMoreMemoryThanTheCapsAllow) {
  KeptRecords<Coarse> records({1, 10, 1}, {});
  for (std::uint32_t i = 0; i < 1'000'000; ++i) records.offer(0, 0, 0, i);
  EXPECT_LE(records.held(0), 2u * (10 + 1));
  EXPECT_EQ(records.lines(), 1u + 2);
  KeptRecords<Coarse>::Scratch scratch;
  RecordsDropped dropped = records.dropped();
  records.settle(0, scratch, dropped);
  EXPECT_EQ(records.held(0), 10u);
  EXPECT_EQ(dropped.over_records, 999'990);
  EXPECT_EQ(dropped.over_cells, 0);
}

TEST(KeptRecords, InCellsThatDoNotStayTakeNoMemory) {
  // A million records in ten thousand cells of which two may stay: 2 × (10 + 1) of them, and twice that.
  KeptRecords<Coarse> records({2, 10, 2}, {});
  for (std::uint32_t i = 0; i < 1'000'000; ++i) records.offer(0, 0, i % 10'000, i);
  EXPECT_LE(records.lines(), 1u + 2 + 4);
}

TEST(KeptRecords, LeaveTheirMemoryToOthers) {
  // Everybody has 700 records before the next person comes, and all but one of them go: 1 + 2 + 22 × 4 lines for all
  // together, and one for each.
  KeptRecords<Coarse> records({1, 1, 1}, {}, 700);
  constexpr std::uint32_t kPeople = 1000;
  for (std::uint32_t person = 0; person < kPeople; ++person) {
    for (std::uint32_t i = 0; i < 700; ++i) records.offer(person, 0, 0, i);
  }
  EXPECT_LE(records.lines(), 1u + 2 + 22 * 4 + kPeople);
}

TEST(KeptRecords, ThatNoCapCanTouchTakeTheirOwnMemoryAndNoMore) {
  KeptRecords<Coarse> records({1, 7'000, 7'000}, {});
  for (std::uint32_t i = 0; i < 7'000; ++i) records.offer(0, 0, 0, i);
  EXPECT_EQ(records.held(0), 7'000u);
  EXPECT_LE(records.lines(), 7'000u / 8 + 7'000u / 31 / 8 + 2 + 4);
}

}  // namespace
}  // namespace chronoveil::bound
