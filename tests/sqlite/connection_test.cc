#include "chronoveil/sqlite/connection.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/temporary_folder.h"

namespace chronoveil::sqlite::testing {
namespace {

using chronoveil::testing::TemporaryFolder;

class SqliteConnection : public ::testing::Test {
 protected:
  static Failure told(std::string_view doing, int code) {
    return fail(ErrorKind::storage, "cannot " + std::string(doing) + ": " + sqlite3_errstr(code));
  }
  void SetUp() override {
    ASSERT_TRUE(database_.open(path(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
    ASSERT_TRUE(database_.execute("CREATE TABLE rows (text TEXT, number INTEGER UNIQUE, bytes BLOB)"));
  }
  // A name with every character that an URI would take for something else.
  std::string path() const { return folder_.path() + "/a b%41?c#d.db"; }
  Result<void> insert(const std::string& text, std::int64_t number) {
    CV_TRY(const Statement statement, database_.prepare("INSERT INTO rows VALUES (?1, ?2, ?3)"));
    const unsigned char bytes[] = {0, 255};
    Use use(statement);
    use.bind(1, text);
    use.bind(2, number);
    use.bind(3, std::span<const unsigned char>(bytes));
    if (use.step() != SQLITE_DONE) return database_.failure("write");
    return {};
  }
  std::int64_t count() { return database_.number("SELECT COUNT(*) FROM rows").value_or(-1); }

  TemporaryFolder folder_;
  Connection database_{told};
};

TEST_F(SqliteConnection, WhatIsBoundIsWhatIsRead) {
  const std::string text("a\0b", 3);
  ASSERT_TRUE(insert(text, std::numeric_limits<std::int64_t>::min()));
  const Result<Statement> statement = database_.prepare("SELECT text, number, bytes, NULL FROM rows");
  ASSERT_TRUE(statement);
  for (int times = 0; times < 2; ++times) {  // each use begins anew
    Use use(*statement);
    ASSERT_EQ(use.step(), SQLITE_ROW);
    EXPECT_EQ(use.text(0), text);
    EXPECT_EQ(use.integer(1), std::numeric_limits<std::int64_t>::min());
    ASSERT_EQ(use.blob(2).size(), 2u);
    EXPECT_EQ(use.blob(2)[1], 255);
    EXPECT_EQ(use.text(3), "");
    EXPECT_TRUE(use.has(2, SQLITE_BLOB));
    EXPECT_FALSE(use.has(2, SQLITE_INTEGER));
  }
}

TEST_F(SqliteConnection, ErrorsAreInTheWordsOfWhoeverOpenedItAndQuoteNothing) {
  ASSERT_TRUE(insert("secret", 1));
  const Result<void> twice = insert("secret", 1);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().text(), "cannot write: constraint failed");
  EXPECT_EQ(database_.execute("SELECT * FROM nowhere", "open").error().text(), "cannot open: SQL logic error");
  EXPECT_EQ(database_.prepare("SELECT * FROM nowhere").error().text(), "cannot read: SQL logic error");
  Connection none(told);
  EXPECT_EQ(none.open(folder_.path() + "/none", SQLITE_OPEN_READONLY).error().text(),
            "cannot open: unable to open database file");
  EXPECT_EQ(count(), 1);
}

TEST_F(SqliteConnection, RollsBackWhatIsOpenAndNothingElse) {
  ASSERT_TRUE(insert("kept", 1));
  database_.roll_back_if_open();
  ASSERT_TRUE(database_.execute("BEGIN"));
  ASSERT_TRUE(insert("lost", 2));
  EXPECT_EQ(count(), 2);
  database_.roll_back_if_open();
  EXPECT_EQ(count(), 1);
}

TEST_F(SqliteConnection, AnImmutableFileIsReadByItsNameWithoutItsLog) {
  ASSERT_EQ(database_.enter_write_ahead_log(std::chrono::milliseconds(0)), true);
  ASSERT_TRUE(insert("in the log", 1));
  Connection alone(told);
  ASSERT_TRUE(alone.open(immutable_uri(path()), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI));
  EXPECT_EQ(alone.number("SELECT COUNT(*) FROM rows"), 0);
  EXPECT_EQ(count(), 1);
  Connection memory(told);
  ASSERT_TRUE(memory.open(":memory:", SQLITE_OPEN_READWRITE));
  EXPECT_EQ(memory.enter_write_ahead_log(std::chrono::milliseconds(0)), false);
}

}  // namespace
}  // namespace chronoveil::sqlite::testing
