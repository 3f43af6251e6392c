// Files that rot: one changed bit, wherever it is, is refused, or changes nothing for anybody. A sample of all bytes;
// every byte with CHRONOVEIL_TORTURE=1.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "bound/lives.h"
#include "bound/records.h"
#include "chronoveil/bound/people/participation.h"
#include "support/temporary_folder.h"
#include "support/thoroughness.h"

namespace chronoveil::bound {
namespace {

constexpr std::int64_t kSlots = 4;
constexpr int kRiders = 90;  // more than fit on one page

std::string whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ParticipationRot : public ::testing::Test {
 protected:
  using Uses = std::vector<std::int64_t>;

  struct Files {
    std::string database, log;
  };

  ParticipationRot() {
    for (int i = 0; i < kRiders; ++i) names_.push_back("rider " + std::to_string(i));
    people_.assign(names_.begin(), names_.end());
    auto life = value_of(Participation::open(path_));
    for (std::int64_t slot = 0; slot < kSlots; ++slot) {
      Uses pairs;
      for (std::int64_t i = 0; i < kRiders; ++i) pairs.push_back((i + slot) % 3);
      EXPECT_TRUE(life->use(slot, people_, pairs));
      if (slot == 1) before_ = life->seal();
    }
    after_ = life->seal();
    used_ = value_of(life->used_before(kSlots, people_));
    killed_ = {whole_file(path_), whole_file(path_ + "-wal")};
    life.reset();
    closed_ = {whole_file(path_), ""};
    EXPECT_FALSE(killed_.log.empty());
    EXPECT_FALSE(std::filesystem::exists(path_ + "-wal"));
  }

  void put(const Files& files) const {
    std::filesystem::remove(path_ + "-wal");
    std::ofstream(path_, std::ios::binary) << files.database;
    if (!files.log.empty()) std::ofstream(path_ + "-wal", std::ios::binary) << files.log;
  }

  enum class Outcome { refused, same, changed };
  // What the next slot would find, and the one after it.
  Outcome go_on(const std::optional<ParticipationAsOf>& as_of) const {
    auto opened = Participation::open(path_, Missing::refuse, as_of);
    if (!opened) {
      EXPECT_EQ(opened.error().kind, ErrorKind::storage) << opened.error().text();
      return Outcome::refused;
    }
    const auto found = (*opened)->used_before(kSlots, people_);
    if (!found) return Outcome::refused;
    if (*found != used_) return Outcome::changed;
    const Result<void> added = (*opened)->use(kSlots, people_, Uses(people_.size(), 1));
    if (!added) return Outcome::refused;
    const auto then = (*opened)->used_before(kSlots + 1, people_);
    if (!then) return Outcome::refused;
    for (std::size_t i = 0; i < used_.size(); ++i)
      if ((*then)[i] != used_[i] + 1) return Outcome::changed;
    return Outcome::same;
  }

  struct Tally {
    int refused = 0, same = 0, changed = 0;
  };
  // One bit of each byte that is looked at, in `files` as `which` picks them.
  Tally flip_bits(const Files& files, std::string Files::*which, const std::optional<ParticipationAsOf>& as_of) const {
    const bool all = in_torture();
    std::mt19937 random(17);  // only chooses what rots
    Tally tally;
    for (std::size_t at = all ? 0 : random() % 61; at < (files.*which).size(); at += all ? 1 : 1 + random() % 120) {
      Files rotten = files;
      (rotten.*which)[at] = static_cast<char>((rotten.*which)[at] ^ (1 << random() % 8));
      put(rotten);
      const Outcome outcome = go_on(as_of);
      (outcome == Outcome::refused ? tally.refused : outcome == Outcome::same ? tally.same : tally.changed) += 1;
      EXPECT_TRUE(!as_of || outcome != Outcome::changed) << "byte " << at;
    }
    return tally;
  }

  testing::TemporaryFolder folder_;
  std::string path_ = folder_.path() + "/people";
  std::vector<std::string> names_;
  std::vector<std::string_view> people_;
  Uses used_;
  ParticipationSeal before_, after_;
  Files killed_, closed_;  // as a process leaves them that was killed, and one that ended
};

TEST_F(ParticipationRot, WhatIsWholeGoesOnAsItWas) {
  for (const Files& files : {closed_, killed_}) {
    put(files);
    EXPECT_EQ(go_on(ParticipationAsOf{kSlots, after_}), Outcome::same);
    put(files);
    EXPECT_EQ(value_of(Participation::open(path_, Missing::refuse, ParticipationAsOf{kSlots, after_}))->seal(), after_);
  }
  put(closed_);
  EXPECT_TRUE(value_of(Participation::verify(path_, {kSlots, after_})));
  EXPECT_EQ(whole_file(path_), closed_.database);
  put(killed_);
  EXPECT_FALSE(value_of(Participation::verify(path_, {kSlots, after_})));
}

TEST_F(ParticipationRot, OneBitOfADatabaseIsSeenOrDoesNothing) {
  const Tally tally = flip_bits(closed_, &Files::database, ParticipationAsOf{kSlots, after_});
  EXPECT_GT(tally.refused, 10);
  EXPECT_GT(tally.same, 10) << "no bytes of which nothing depends";
  // The log has the last word, and everything is in it.
  EXPECT_GT(flip_bits(killed_, &Files::database, ParticipationAsOf{kSlots, after_}).same, 10);
}

TEST_F(ParticipationRot, OneBitOfALogIsSeenOrDoesNothing) {
  const Tally tally = flip_bits(killed_, &Files::log, ParticipationAsOf{kSlots, after_});
  EXPECT_GT(tally.refused, 10);
  // Without a seal a log that is cut off there is a shorter log.
  EXPECT_GT(flip_bits(killed_, &Files::log, std::nullopt).changed, 10);
}

// The defect that this guards against: under another key everybody is somebody new.
TEST_F(ParticipationRot, EveryBitOfTheKeyIsSeen) {
  const std::string mark = "CREATE TABLE secret";
  ASSERT_NE(closed_.database.find(mark), std::string::npos);
  put(closed_);
  std::string key;
  {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open_v2(path_.c_str(), &database, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
    sqlite3_stmt* statement = nullptr;
    ASSERT_EQ(sqlite3_prepare_v2(database, "SELECT key FROM secret", -1, &statement, nullptr), SQLITE_OK);
    ASSERT_EQ(sqlite3_step(statement), SQLITE_ROW);
    key.assign(static_cast<const char*>(sqlite3_column_blob(statement, 0)),
               static_cast<std::size_t>(sqlite3_column_bytes(statement, 0)));
    sqlite3_finalize(statement);
    sqlite3_close(database);
  }
  const std::size_t at = closed_.database.find(key);
  ASSERT_NE(at, std::string::npos);
  for (std::size_t bit = 0; bit < 8 * key.size(); bit += in_torture() ? 1 : 5) {
    Files rotten = closed_;
    rotten.database[at + bit / 8] = static_cast<char>(rotten.database[at + bit / 8] ^ (1 << bit % 8));
    put(rotten);
    EXPECT_EQ(go_on(ParticipationAsOf{kSlots, after_}), Outcome::refused) << "bit " << bit;
    put(rotten);
    EXPECT_FALSE(Participation::verify(path_, {kSlots, after_})) << "bit " << bit;
    EXPECT_EQ(go_on(std::nullopt), Outcome::refused) << "bit " << bit;
  }
}

TEST_F(ParticipationRot, ASlotThatWasAddedBeforeItsSealIsBoundedAgain) {
  put(closed_);
  auto ahead = value_of(Participation::open(path_, Missing::refuse, ParticipationAsOf{kSlots, after_}));
  ASSERT_TRUE(ahead->use(kSlots, {people_[0], "a newcomer"}, {2, 3}));
  EXPECT_NE(ahead->seal(), after_);
  ahead.reset();
  auto again = value_of(Participation::open(path_, Missing::refuse, ParticipationAsOf{kSlots, after_}));
  ASSERT_TRUE(again);
  EXPECT_EQ(value_of(again->used_before(kSlots, {people_[0], "a newcomer"})), (Uses{used_[0], 0}));
  ASSERT_TRUE(again->use(kSlots, {people_[0]}, {1}));
  const ParticipationSeal sealed = again->seal();
  ASSERT_TRUE(again->use(kSlots + 1, {people_[0]}, {1}));
  again.reset();
  // One step ahead of its seal, and no more.
  EXPECT_TRUE(Participation::open(path_, Missing::refuse, ParticipationAsOf{kSlots + 1, sealed}));
  EXPECT_FALSE(Participation::open(path_, Missing::refuse, ParticipationAsOf{kSlots, after_}));
}

TEST_F(ParticipationRot, AnOlderFileAnotherOneAndOneWithFewerPeopleAreRefused) {
  const auto refused = [&](const ParticipationSeal& seal) {
    const auto opened = Participation::open(path_, Missing::refuse, ParticipationAsOf{kSlots, seal});
    return !opened && opened.error().kind == ErrorKind::storage;
  };
  put(closed_);
  EXPECT_FALSE(refused(after_));
  EXPECT_TRUE(refused(before_));
  ParticipationSeal other = after_;
  ++other.key;
  EXPECT_TRUE(refused(other));
  for (const char* sql : {"DELETE FROM people WHERE person = (SELECT MIN(person) FROM people)", "DELETE FROM people",
                          "UPDATE people SET used_after = 0, used_before = 0",
                          "CREATE TRIGGER forget BEFORE UPDATE ON people BEGIN SELECT RAISE(IGNORE); END",
                          "CREATE TABLE more (a)", "INSERT INTO secret VALUES (x'00')", "DELETE FROM secret"}) {
    put(closed_);
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
    sqlite3_close(database);
    EXPECT_TRUE(refused(after_)) << sql;
  }
}

}  // namespace
}  // namespace chronoveil::bound
