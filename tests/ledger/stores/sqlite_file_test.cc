// What the file of a ledger may be to the operating system, and what may lie beside it.
#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "backend.h"
#include "fixtures.h"

namespace chronoveil::ledger::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class FileOfALedger : public ::testing::Test {
 protected:
  std::string at(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string where() const { return at("ledger.db"); }

  static Result<Receipt> debit(const std::string& place) {
    CV_TRY(Ledger ledger, Ledger::open(place));
    return ledger.reserve(terms("city"), pure(0.01));
  }

  static std::int64_t debits(const std::string& place) {
    return value_of(value_of(Ledger::open(place)).view("city")).debits;
  }

  void SetUp() override {
    ASSERT_TRUE(value_of(Ledger::open(where())).create(dataset("city", 1)));
    ASSERT_TRUE(debit(where()));
  }

  TemporaryFolder folder_;
};

TEST_F(FileOfALedger, WithASecondNameIsRefusedByBoth) {
  fs::create_hard_link(where(), at("other.db"));
  EXPECT_THAT(refusal(Ledger::open(at("other.db")), ErrorKind::storage), HasSubstr("has a second name"));
  EXPECT_THAT(refusal(Ledger::open(where()), ErrorKind::storage), HasSubstr("has a second name"));
  fs::remove(at("other.db"));
  EXPECT_TRUE(debit(where()));
}

TEST_F(FileOfALedger, ThatGetsASecondNameWhileItIsOpenIsNotWritten) {
  Ledger ledger = value_of(Ledger::open(where()));
  fs::create_hard_link(where(), at("other.db"));
  EXPECT_THAT(refusal(ledger.reserve(terms("city"), pure(0.01)), ErrorKind::storage), HasSubstr("has a second name"));
  fs::remove(at("other.db"));
  EXPECT_TRUE(ledger.reserve(terms("city"), pure(0.01)));
}

TEST_F(FileOfALedger, ThatIsRenamedOrReplacedWhileItIsOpenIsNotWritten) {
  Ledger ledger = value_of(Ledger::open(where()));
  fs::rename(where(), at("moved.db"));
  EXPECT_THAT(refusal(ledger.reserve(terms("city"), pure(0.01)), ErrorKind::storage), HasSubstr("cannot be found"));
  fs::copy_file(at("moved.db"), where());
  EXPECT_THAT(refusal(ledger.reserve(terms("city"), pure(0.01)), ErrorKind::storage), HasSubstr("was replaced"));
}

TEST_F(FileOfALedger, IsReachedThroughASymbolicLink) {
  fs::create_symlink(where(), at("link.db"));
  EXPECT_TRUE(debit(at("link.db")));
  EXPECT_EQ(debits(where()), 2);
}

TEST_F(FileOfALedger, ThatIsAMountOfItsOwnIsRefused) {
  std::ofstream(at("mounted.db")).close();
  if (::mount(where().c_str(), at("mounted.db").c_str(), nullptr, MS_BIND, nullptr) != 0)
    GTEST_SKIP() << "whoever runs this may not mount";
  const Result<Ledger> opened = Ledger::open(at("mounted.db"));
  ::umount(at("mounted.db").c_str());
  EXPECT_THAT(refusal(opened, ErrorKind::storage), HasSubstr("is mounted as a single file"));
}

TEST_F(FileOfALedger, ThatEverybodyMayWriteIsRefused) {
  ASSERT_EQ(::chmod(where().c_str(), 0666), 0);
  EXPECT_THAT(refusal(Ledger::open(where()), ErrorKind::storage), HasSubstr("may be written by everybody"));
  ASSERT_EQ(::chmod(where().c_str(), 0640), 0);
  EXPECT_TRUE(debit(where()));
}

// A reader who stands in the way keeps the log from being emptied; that log, kept for later, is whole.
void keep_log(const std::string& where, const std::string& kept) {
  sqlite3* reader = nullptr;
  ASSERT_EQ(sqlite3_open(where.c_str(), &reader), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(reader, "BEGIN; SELECT COUNT(*) FROM entries", nullptr, nullptr, nullptr), SQLITE_OK);
  ASSERT_TRUE(value_of(Ledger::open(where)).reserve(terms("city"), pure(0.01)));
  fs::copy_file(where + "-wal", kept);
  ASSERT_GT(fs::file_size(kept), 0U);
  sqlite3_close(reader);
}

TEST_F(FileOfALedger, DoesNotTakeALogThatIsOlderThanItself) {
  keep_log(where(), at("kept"));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(debit(where()));
  ASSERT_EQ(debits(where()), 5);
  ASSERT_FALSE(fs::exists(where() + "-wal"));
  fs::copy_file(at("kept"), where() + "-wal");
  for (int i = 0; i < 2; ++i)  // what was refused has not been carried over
    EXPECT_THAT(refusal(Ledger::open(where()), ErrorKind::storage), HasSubstr("is older than the file"));
  fs::remove(where() + "-wal");
  fs::remove(where() + "-shm");
  EXPECT_EQ(debits(where()), 5);
}

TEST_F(FileOfALedger, TakesALogThatIsItsOwn) {
  sqlite3* reader = nullptr;
  ASSERT_EQ(sqlite3_open(where().c_str(), &reader), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(reader, "BEGIN; SELECT COUNT(*) FROM entries", nullptr, nullptr, nullptr), SQLITE_OK);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(debit(where()));
  ASSERT_GT(fs::file_size(where() + "-wal"), 0U);
  fs::create_directory(at("copy"));
  fs::copy_file(where(), at("copy/ledger.db"));
  fs::copy_file(where() + "-wal", at("copy/ledger.db-wal"));
  sqlite3_close(reader);
  EXPECT_EQ(debits(at("copy/ledger.db")), 4);
}

TEST_F(FileOfALedger, GoneBesideItsLogIsNotMadeAnew) {
  keep_log(where(), at("kept"));
  for (const bool empty : {false, true}) {
    fs::remove(where());
    if (empty) std::ofstream(where()).close();
    fs::copy_file(at("kept"), where() + "-wal", fs::copy_options::overwrite_existing);
    EXPECT_THAT(refusal(Ledger::open(where()), ErrorKind::storage), HasSubstr("is gone, but its log"));
    EXPECT_TRUE(fs::exists(where() + "-wal"));
  }
}

class NoLedgerYet : public OnEveryStore {};
CHRONOVEIL_ON_EVERY_STORE(NoLedgerYet);

TEST_P(NoLedgerYet, IsNotMadeForWhoeverOnlyReads) {
  Options reader;
  reader.must_exist = true;
  EXPECT_THAT(refusal(Ledger::open(place_->where(), reader), ErrorKind::usage), HasSubstr("budget create makes one"));
  EXPECT_THAT(refusal(Ledger::open(place_->where(), reader), ErrorKind::usage), HasSubstr("budget create makes one"));
  ASSERT_TRUE(value_of(Ledger::open(place_->where())).create(dataset("city", 1)));
  EXPECT_TRUE(Ledger::open(place_->where(), reader));
}

}  // namespace
}  // namespace chronoveil::ledger::testing
