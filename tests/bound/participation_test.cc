#include "chronoveil/bound/people/participation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sodium.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "bound/lives.h"
#include "bound/records.h"
#include "support/temporary_folder.h"

namespace chronoveil::bound {
namespace {

using Numbers = std::vector<std::int64_t>;

class ParticipationFile : public ::testing::Test {
 protected:
  std::unique_ptr<Participation> open(Missing missing = Missing::make) const {
    return value_of(Participation::open(path_, missing));
  }
  // Why it cannot be opened.
  static std::string refusal(const std::string& path, Missing missing = Missing::make) {
    const auto opened = Participation::open(path, missing);
    if (opened) return "";
    EXPECT_EQ(opened.error().kind, ErrorKind::storage);
    return opened.error().text();
  }
  bool refused_for(std::string_view why, Missing missing = Missing::make) const {
    return refusal(path_, missing).find(why) != std::string::npos;
  }
  // Of the database and its log.
  std::string bytes() const {
    std::string all;
    for (const char* end : {"", "-wal"}) {
      std::ifstream file(path_ + end, std::ios::binary);
      all.append(std::istreambuf_iterator<char>(file), {});
    }
    return all;
  }
  void sql(const char* statement) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, statement, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
  }

  testing::TemporaryFolder folder_;
  std::string path_ = folder_.path() + "/people";
};

int mode_of(const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 ? static_cast<int>(found.st_mode & 07777) : -1;
}

TEST_F(ParticipationFile, WhoWasNeverSeenHasUsedNothing) {
  EXPECT_EQ(value_of(open()->used_before(0, {"ann", "ben"})), (Numbers{0, 0}));
  EXPECT_EQ(value_of(open()->used_before(0, {})), Numbers());
}

TEST_F(ParticipationFile, AnswersInTheOrderOfTheNames) {
  const auto participation = open();
  ASSERT_TRUE(participation->use(3, {"ann", "ben", "bea"}, {1, 2, 3}));
  EXPECT_EQ(value_of(participation->used_before(4, {"bea", "nobody yet", "ann", "ben"})), (Numbers{3, 0, 1, 2}));
}

TEST_F(ParticipationFile, UsesAddUpOverSlotsAndOutliveTheProcess) {
  ASSERT_TRUE(open()->use(0, {"ann", "ben"}, {1, 2}));
  ASSERT_TRUE(open()->use(7, {"ann"}, {3}));
  EXPECT_EQ(value_of(open(Missing::refuse)->used_before(8, {"ann", "ben"})), (Numbers{4, 2}));
}

TEST_F(ParticipationFile, ASlotThatComesAgainFindsWhatWasBeforeItAndReplacesWhatItAdded) {
  ASSERT_TRUE(open()->use(1, {"ann"}, {2}));
  for (const std::int64_t pairs : {5, 1, 0, 3}) {
    ASSERT_TRUE(open()->use(2, {"ann"}, {pairs}));
    EXPECT_EQ(value_of(open()->used_before(2, {"ann"})), Numbers{2});
    EXPECT_EQ(value_of(open()->used_before(3, {"ann"})), Numbers{2 + pairs});
  }
}

TEST_F(ParticipationFile, RefusesASlotBeforeAPersonsLastForAllOfThem) {
  const auto participation = open();
  ASSERT_TRUE(participation->use(5, {"ann"}, {1}));
  const Result<Numbers> read = participation->used_before(4, {"ann"});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::internal);
  EXPECT_EQ(read.error().text().find("ann"), std::string::npos);
  const Result<void> written = participation->use(4, {"ben", "ann", "bea"}, {1, 1, 1});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::internal);
  EXPECT_EQ(value_of(participation->used_before(6, {"ann", "ben", "bea"})), (Numbers{1, 0, 0}));
}

TEST_F(ParticipationFile, RefusesNumbersThatAreNotOnePerson) {
  const auto participation = open();
  EXPECT_FALSE(participation->use(0, {"ann", "ben"}, {1}));
  EXPECT_FALSE(participation->use(0, {"ann"}, {-1}));
}

TEST_F(ParticipationFile, PeopleAreToldApartToTheLastByte) {
  const std::string zero("a\0b", 3), other("a\0c", 3), start("a", 1);
  const auto participation = open();
  ASSERT_TRUE(participation->use(0, {zero, other, start}, {1, 2, 3}));
  EXPECT_EQ(value_of(participation->used_before(1, {start, other, zero, "a "})), (Numbers{3, 2, 1, 0}));
}

TEST_F(ParticipationFile, IsTheOwnersAloneWhateverTheUmask) {
  for (const mode_t mask : {mode_t{0}, mode_t{0277}}) {
    std::filesystem::remove(path_);
    const mode_t before = umask(mask);
    const auto participation = open();
    umask(before);
    ASSERT_TRUE(participation->use(0, {"ann"}, {1}));
    EXPECT_EQ(mode_of(path_), 0600);
    EXPECT_EQ(mode_of(path_ + "-wal"), 0600);
  }
  ASSERT_EQ(chmod(path_.c_str(), 0644), 0);
  open();
  EXPECT_EQ(mode_of(path_), 0600);
}

TEST_F(ParticipationFile, HoldsNoNames) {
  const auto participation = open();
  ASSERT_TRUE(participation->use(0, {"somebody with a name"}, {1}));
  EXPECT_NE(bytes().find("used_after"), std::string::npos);
  EXPECT_EQ(bytes().find("somebody"), std::string::npos);
}

TEST_F(ParticipationFile, HashesUnderAKeyOfItsOwn) {
  const auto only_hash = [&] {
    std::filesystem::remove(path_);
    EXPECT_TRUE(open()->use(0, {"ann"}, {1}));
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(database, "SELECT hex(person) FROM people", -1, &statement, nullptr), SQLITE_OK);
    EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW);
    const std::string hash = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return hash;
  };
  const std::string first = only_hash();
  EXPECT_EQ(first.size(), 32u);
  EXPECT_NE(first, only_hash());
}

TEST_F(ParticipationFile, NothingIsWrittenForASlotInWhichNobodyCounts) {
  SlotBounder bounder(1, user_caps(1, 1), open());
  EXPECT_EQ(value_of(bound_slot(bounder, {{"ann"}}, 0)), SlotCounts{1});
  const std::string before = bytes();
  EXPECT_EQ(value_of(bound_slot(bounder, {}, 1)), SlotCounts{0});
  EXPECT_EQ(value_of(bound_slot(bounder, {{"ann"}, {"ben", 0, 0}}, 2)), SlotCounts{0});
  EXPECT_EQ(bytes(), before);
  EXPECT_EQ(value_of(bound_slot(bounder, {{"ben"}}, 3)), SlotCounts{1});
  EXPECT_NE(bytes(), before);
}

TEST_F(ParticipationFile, WhatHasBegunIsNotBegunAgainWhenTheFileIsGone) {
  EXPECT_TRUE(refused_for("it is missing", Missing::refuse));
  EXPECT_FALSE(std::filesystem::exists(path_));
  std::ofstream(path_).close();
  EXPECT_TRUE(refused_for("it is missing", Missing::refuse));
  open();
  EXPECT_TRUE(open(Missing::refuse));
}

TEST_F(ParticipationFile, IsOpenInOnePlaceAtATime) {
  auto first = open();
  EXPECT_TRUE(refused_for("another process has it open"));
  first.reset();
  EXPECT_TRUE(open());
}

TEST_F(ParticipationFile, RefusesWhatIsNoneOfItsOwn) {
  std::ofstream(path_) << std::string(5000, 'x');
  EXPECT_TRUE(refused_for("file is not a database"));
  std::filesystem::remove(path_);
  sql("CREATE TABLE birds (name TEXT)");
  EXPECT_TRUE(refused_for("another program's database"));
  std::filesystem::remove(path_);
  open();
  sql("PRAGMA user_version = 3");
  EXPECT_TRUE(refused_for("another version"));
  sql("PRAGMA user_version = 2; UPDATE secret SET key = x'00'");
  EXPECT_TRUE(refused_for("its key is damaged"));
}

// As version 1 left it: rows without a MAC.
TEST_F(ParticipationFile, OneOfTheVersionBeforeIsGoneOnWithAndGetsItsMacs) {
  const auto person = [](std::string_view name) {
    const std::string key(32, 'k');
    std::string hash(16, '\0');
    crypto_generichash(reinterpret_cast<unsigned char*>(hash.data()), hash.size(),
                       reinterpret_cast<const unsigned char*>(name.data()), name.size(),
                       reinterpret_cast<const unsigned char*>(key.data()), key.size());
    std::string hex;
    for (const char c : hash) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return "x'" + hex + "'";
  };
  const std::string before =
      "CREATE TABLE people (\n  person BLOB PRIMARY KEY,\n  last_slot INTEGER NOT NULL,\n  used_before INTEGER NOT "
      "NULL,\n  used_after INTEGER NOT NULL\n) STRICT, WITHOUT ROWID;\n"
      "CREATE TABLE secret (key BLOB NOT NULL) STRICT;\nPRAGMA application_id = 1129730132;\n"
      "PRAGMA user_version = 1; INSERT INTO secret VALUES (CAST('" +
      std::string(32, 'k') + "' AS BLOB)); INSERT INTO people VALUES (" + person("ann") + ", 5, 2, 3), (" +
      person("ben") + ", 4, 0, 1);";
  sql(before.c_str());
  ParticipationSeal seal;
  {
    const auto opened = open(Missing::refuse);
    EXPECT_EQ(value_of(opened->used_before(5, {"ann", "ben", "bea"})), (Numbers{2, 1, 0}));
    ASSERT_TRUE(opened->use(5, {"ann"}, {4}));
    seal = opened->seal();
    EXPECT_EQ(seal.people, 2);
    EXPECT_EQ(seal.uses, 7);
  }
  EXPECT_TRUE(Participation::open(path_, Missing::refuse, ParticipationAsOf{6, seal}));
  EXPECT_EQ(value_of(open()->used_before(6, {"ann", "ben"})), (Numbers{6, 1}));
  // A seal is of a later version than that.
  std::filesystem::remove(path_);
  sql(before.c_str());
  EXPECT_FALSE(Participation::open(path_, Missing::refuse, ParticipationAsOf{6, seal}));
  // A file that only looks like it is refused.
  sql("CREATE TRIGGER forget BEFORE UPDATE ON people BEGIN SELECT RAISE(IGNORE); END");
  EXPECT_TRUE(refused_for("damaged"));
}

TEST_F(ParticipationFile, RefusesPathsThatAreNoFiles) {
  EXPECT_NE(refusal(""), "");
  EXPECT_NE(refusal(folder_.path()), "");
  EXPECT_NE(refusal(folder_.path() + "/missing/people"), "");
  EXPECT_NE(refusal(folder_.path() + "/missing/people", Missing::refuse), "");
}

TEST_F(ParticipationFile, ARelativeNameIsAFileWhateverItLooksLike) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  EXPECT_TRUE(value_of(Participation::open(":memory:"))->use(0, {"ann"}, {1}));
  EXPECT_EQ(value_of(value_of(Participation::open(":memory:"))->used_before(1, {"ann"})), Numbers{1});
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace chronoveil::bound
