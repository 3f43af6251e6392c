// How many people have which number: against a plain count, and what one neighbour changes, found by trying every
// neighbour of small random data.
#include "chronoveil/bound/people/people_counted.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "bound/records.h"

namespace chronoveil::bound {
namespace {

constexpr std::int64_t kSteps = 6;
const std::vector<std::string> kKeys = {"a", "b"};
const std::vector<std::string> kPeople = {"ann", "anton", "bea", "somebody with a long name", "somebody with a long n"};

using Histograms = std::vector<std::vector<std::int64_t>>;
using Count = std::function<Histograms(const std::vector<Record>&, std::uint64_t seed)>;

std::vector<PeopleQuestion> questions() {
  using Of = PeopleQuestion::Of;
  return {{Of::slots, {0, 1, 2, 3, 4, 5}, {1, 2, 3, 4, 6, 9}},
          {Of::slots, {0, 0, 0, 1, 1, 2}, {1, 2, 3, 4, 6}},
          {Of::records, {}, {1, 2, 3, 4, 6, 9, 13}}};
}

std::vector<Record> random_records(std::mt19937_64& random) {
  std::vector<Record> records(1 + random() % 50);
  for (Record& record : records) {
    record.user = kPeople[random() % kPeople.size()];
    record.series = std::string(1, static_cast<char>('a' + random() % (kKeys.size() + 1)));
    record.slot = static_cast<std::int64_t>(random() % (kSteps + 2)) - 1;
    record.value = static_cast<std::int64_t>(random() % 4);
  }
  return records;
}

Histograms ours(const std::vector<Record>& records, std::uint64_t seed) {
  MemorySource source(records, 1 + seed % 90);
  DrawRight right = DrawRight::seeded(seed);
  const Result<PeopleCounted> counted = count_people(source, hourly_axis(kSteps), kKeys, questions(), right);
  EXPECT_TRUE(counted);
  return counted ? counted->people : Histograms();
}

// By maps and sets. `adds`: what a person with so many records adds to a bin.
Histograms by_hand(const std::vector<Record>& records, const std::function<std::int64_t(std::int64_t)>& adds) {
  struct Own {
    std::array<std::set<std::pair<std::string, std::uint32_t>>, 2> slots;
    std::map<std::pair<std::string, std::int64_t>, std::int64_t> amounts;
    std::int64_t records = 0;
  };
  std::map<std::string, Own> people;
  for (const Record& record : records) {
    const bool listed = std::find(kKeys.begin(), kKeys.end(), record.series) != kKeys.end();
    if (!listed || record.slot < 0 || record.slot >= kSteps || record.value == 0) continue;
    Own& own = people[record.user];
    for (std::size_t i = 0; i < 2; ++i)
      own.slots[i].insert({record.series, questions()[i].longer[static_cast<std::size_t>(record.slot)]});
    own.amounts[{record.series, record.slot}] += record.value;
    ++own.records;
  }
  Histograms all;
  for (const PeopleQuestion& each : questions()) all.emplace_back(each.first.size());
  for (const auto& [name, own] : people) {
    std::int64_t most = 0;
    for (const auto& [cell, amount] : own.amounts) most = std::max(most, amount);
    const std::int64_t numbers[] = {std::ssize(own.slots[0]), std::ssize(own.slots[1]), most};
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::size_t bin = 0;
      while (bin + 1 < all[i].size() && questions()[i].first[bin + 1] <= numbers[i]) ++bin;
      all[i][bin] += adds(own.records);
    }
  }
  return all;
}

struct Change {
  std::int64_t l1 = 0, l2_squared = 0;  // of all questions together
  bool operator>(const Change& other) const { return l1 > other.l1 || l2_squared > other.l2_squared; }
};

Change difference(const Histograms& a, const Histograms& b) {
  Change change;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t bin = 0; bin < a[i].size(); ++bin) {
      const std::int64_t apart = std::abs(a[i][bin] - b[i][bin]);
      change.l1 += apart;
      change.l2_squared += apart * apart;
    }
  }
  return change;
}

// The most that a person more, or another person in the same place, changes.
struct Most {
  Change added, replaced;
};
Most try_neighbours(const Count& count, int cases) {
  Most most;
  std::mt19937_64 random(11);
  const auto grow = [](Change& largest, const Change& seen) {
    largest = {std::max(largest.l1, seen.l1), std::max(largest.l2_squared, seen.l2_squared)};
  };
  for (int i = 0; i < cases; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    const std::vector<Record> records = random_records(random);
    const Histograms all = count(records, seed);
    for (const std::string& person : kPeople) {
      std::vector<Record> rest;
      for (const Record& record : records)
        if (record.user != person) rest.push_back(record);
      grow(most.added, difference(all, count(rest, seed)));
      for (Record record : random_records(random)) {
        record.user = person;
        rest.push_back(record);
      }
      grow(most.replaced, difference(all, count(rest, seed)));
    }
  }
  return most;
}

TEST(PeopleCounted, IsWhatAPlainCountSays) {
  std::mt19937_64 random(5);
  for (std::uint64_t i = 0; i < 300; ++i) {
    const std::vector<Record> records = random_records(random);
    EXPECT_EQ(ours(records, i), by_hand(records, [](std::int64_t) { return 1; })) << i;
  }
}

TEST(PeopleCounted, ManyRowsOfOnePersonAreOnePerson) {
  std::vector<Record> records;
  for (int i = 0; i < 200'000; ++i) records.push_back({"ann", i % 2 == 0 ? "a" : "b", i % kSteps, 1});
  records.push_back({"bea", "a", 2, 1});
  EXPECT_EQ(ours(records, 1), (Histograms{{1, 0, 0, 0, 1, 0}, {1, 0, 0, 1, 0}, {1, 0, 0, 0, 0, 0, 1}}));
}

// q questions: L1 q and L2² q for a person more or less, 2 q each for another person. Both are reached.
TEST(PeopleCounted, OneNeighbourChangesOneBinOfEachQuestion) {
  const Most most = try_neighbours(ours, 300);
  EXPECT_EQ(most.added.l1, 3);
  EXPECT_EQ(most.added.l2_squared, 3);
  EXPECT_EQ(most.replaced.l1, 6);
  EXPECT_EQ(most.replaced.l2_squared, 6);
}

TEST(PeopleCounted, ATwinThatCountsAPersonOncePerRecordIsFound) {
  const Count twin = [](const std::vector<Record>& records, std::uint64_t) {
    return by_hand(records, [](std::int64_t own) { return own; });
  };
  EXPECT_GT(try_neighbours(twin, 300).added.l1, 3);
}

// Values come with a measure of their own: a source of records whose values are real.
class MeasuredSource : public data::RecordSource {
 public:
  explicit MeasuredSource(std::vector<Record> records) : inner_(std::move(records)) {}
  Result<bool> next(data::RecordBatch& out) override {
    CV_TRY(const bool more, inner_.next(out));
    for (const std::int64_t value : out.value) out.measure.push_back(static_cast<double>(value));
    out.value.clear();
    return more;
  }

 private:
  MemorySource inner_;
};

Histograms values_of(const std::vector<Record>& records, std::uint64_t seed) {
  MeasuredSource source(records);
  DrawRight right = DrawRight::seeded(seed);
  const ValueGrid grid = *ValueGrid::make(0, 4);
  const auto at = [&](double value) { return static_cast<std::int64_t>(value / grid.step()); };
  std::vector<PeopleQuestion> asked = questions();
  asked[2] = {PeopleQuestion::Of::value, {}, {0, at(0.5), at(1.5), at(2.5)}};
  const auto counted = count_people(source, hourly_axis(kSteps), Places{kKeys, {}}, grid, asked, right);
  EXPECT_TRUE(counted);
  return counted ? counted->people : Histograms();
}

TEST(PeopleCounted, OneNeighbourChangesOneBinOfEachQuestionAboutMeansToo) {
  const Most most = try_neighbours(values_of, 300);
  EXPECT_EQ(most.added.l1, 3);
  EXPECT_EQ(most.added.l2_squared, 3);
  EXPECT_EQ(most.replaced.l1, 6);
  EXPECT_EQ(most.replaced.l2_squared, 6);
}

// Of a person with the values 0, 1, 2 and 3 each is drawn about as often: more than 5.5 σ off is rarer than 1e-7.
TEST(PeopleCounted, EachValueOfAPersonIsAsLikely) {
  constexpr int kTimes = 4000;
  std::vector<Record> records;
  for (int value = 0; value < 4; ++value) records.push_back({"ann", "a", 1, value});
  std::vector<std::int64_t> drawn(4);
  for (std::uint64_t seed = 0; seed < kTimes; ++seed) {
    const std::vector<std::int64_t> own = values_of(records, seed)[2];
    for (std::size_t bin = 0; bin < 4; ++bin) drawn[bin] += own[bin];
  }
  for (const std::int64_t times : drawn)
    EXPECT_NEAR(static_cast<double>(times), kTimes / 4.0, 5.5 * std::sqrt(kTimes * 3 / 16.0));
}

TEST(PeopleCounted, BadRowsAreErrorsThatTellNoValue) {
  for (const Record& bad : {Record{"", "a", 1, 1}, Record{"ann", "a", 1, -7}}) {
    MemorySource source({{"ann", "a", 1, 1}, bad});
    DrawRight right = DrawRight::seeded(1);
    const auto counted = count_people(source, hourly_axis(kSteps), kKeys, questions(), right);
    ASSERT_FALSE(counted);
    EXPECT_EQ(counted.error().kind, ErrorKind::bad_data);
    EXPECT_NE(counted.error().text().find("row 2"), std::string::npos);
    EXPECT_EQ(counted.error().text().find('7'), std::string::npos);
  }
}

TEST(PeopleCounted, AQuestionThatDoesNotFitIsRefused) {
  MemorySource source({{"ann", "a", 1, 1}});
  DrawRight right = DrawRight::seeded(1);
  std::vector<PeopleQuestion> wrong = questions();
  wrong[1].longer.pop_back();
  EXPECT_FALSE(count_people(source, hourly_axis(kSteps), kKeys, wrong, right));
}

}  // namespace
}  // namespace chronoveil::bound
