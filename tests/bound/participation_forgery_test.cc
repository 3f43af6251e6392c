// Somebody who can write the file of participation, and nothing else, knows nothing from which its seal could be made.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>

#include "bound/lives.h"
#include "bound/records.h"
#include "chronoveil/bound/people/participation.h"
#include "support/temporary_folder.h"

namespace chronoveil::bound {
namespace {

class ForgedParticipation : public ::testing::Test {
 protected:
  using Key = std::array<unsigned char, ParticipationKeys::kBytes>;

  ForgedParticipation() {
    auto life = value_of(Participation::open(path_));
    EXPECT_TRUE(life->use(0, {"ann", "ben"}, {1, 2}));
    seal_ = life->seal();
  }

  // Everything that is in the file: the key, and what each row says.
  void read_file() {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
    const auto each = [&](const char* sql, const auto& take) {
      sqlite3_stmt* rows = nullptr;
      ASSERT_EQ(sqlite3_prepare_v2(database, sql, -1, &rows, nullptr), SQLITE_OK);
      while (sqlite3_step(rows) == SQLITE_ROW) take(rows);
      sqlite3_finalize(rows);
    };
    each("SELECT key FROM secret", [&](sqlite3_stmt* row) {
      ASSERT_EQ(sqlite3_column_bytes(row, 0), static_cast<int>(key_.size()));
      std::copy_n(static_cast<const unsigned char*>(sqlite3_column_blob(row, 0)), key_.size(), key_.begin());
    });
    each("SELECT person, last_slot, used_before, used_after FROM people", [&](sqlite3_stmt* row) {
      PersonUses one;
      ASSERT_EQ(sqlite3_column_bytes(row, 0), static_cast<int>(one.person.size()));
      std::copy_n(static_cast<const unsigned char*>(sqlite3_column_blob(row, 0)), one.person.size(),
                  one.person.begin());
      one.last_slot = sqlite3_column_int64(row, 1);
      one.before = sqlite3_column_int64(row, 2);
      one.after = sqlite3_column_int64(row, 3);
      rows_.push_back(one);
    });
    sqlite3_close(database);
    ASSERT_EQ(rows_.size(), 2u);
  }

  // Of all rows, under the keys given.
  ParticipationSeal seal_under(const ParticipationKeys& keys) const {
    ParticipationSeal seal = keys.empty_seal();
    for (const PersonUses& row : rows_) keys.add(seal, row.person, row.after);
    return seal;
  }

  bool fits(const ParticipationSeal& seal) const {
    return Participation::open(path_, Missing::refuse, ParticipationAsOf{1, seal}).has_value();
  }

  // Ben has used nothing, under a right MAC: all that can be made with what is in the file.
  void forget_ben() const {
    const ParticipationKeys keys(key_, std::nullopt);
    PersonUses none;
    none.person = keys.name("ben");
    none.last_slot = 0;
    const RowMac mac = keys.mac(none);
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
    sqlite3_stmt* update = nullptr;
    ASSERT_EQ(sqlite3_prepare_v2(database, "UPDATE people SET used_after = 0, mac = ?1 WHERE person = ?2", -1, &update,
                                 nullptr),
              SQLITE_OK);
    sqlite3_bind_blob(update, 1, mac.data(), static_cast<int>(mac.size()), SQLITE_STATIC);
    sqlite3_bind_blob(update, 2, none.person.data(), static_cast<int>(none.person.size()), SQLITE_STATIC);
    EXPECT_EQ(sqlite3_step(update), SQLITE_DONE);
    EXPECT_EQ(sqlite3_changes(database), 1);
    sqlite3_finalize(update);
    sqlite3_close(database);
  }

  testing::TemporaryFolder folder_;
  std::string path_ = folder_.path() + "/people";
  ParticipationSeal seal_;
  Key key_{};
  std::vector<PersonUses> rows_;
};

// The same file, byte for byte, has another sum for everybody who seals it: the sum is no function of the file.
TEST_F(ForgedParticipation, NothingInTheFileSaysWhatItsSealIs) {
  EXPECT_TRUE(fits(seal_));
  const std::string copy = folder_.path() + "/copy";
  std::filesystem::copy_file(path_, copy);
  const ParticipationSeal other = value_of(Participation::open(copy))->seal();
  EXPECT_EQ(other.key, seal_.key);
  EXPECT_EQ(other.people, seal_.people);
  EXPECT_EQ(other.uses, seal_.uses);
  EXPECT_NE(other.first, seal_.first);
  EXPECT_NE(other.second, seal_.second);
  ParticipationSeal mixed = other;
  mixed.secret = seal_.secret;
  EXPECT_FALSE(fits(mixed));
}

// Under the key in the file the shares of any rows can be worked out, and rows found that add up to a given sum: so
// that sum must not be the seal's.
TEST_F(ForgedParticipation, TheKeyInTheFileDoesNotMakeTheShares) {
  read_file();
  const ParticipationSeal computed = seal_under({key_, std::nullopt});
  EXPECT_EQ(computed.key, seal_.key);
  EXPECT_NE(computed.first, seal_.first);
  EXPECT_NE(computed.second, seal_.second);
  ASSERT_TRUE(seal_.secret);
  EXPECT_EQ(seal_under({key_, seal_.secret}), seal_) << "or the test works out something else than the program";
  forget_ben();
  EXPECT_FALSE(fits(seal_));
}

// Another key of names makes everybody somebody new, though no row changes.
TEST_F(ForgedParticipation, TheSharesDependOnTheKeyOfNamesToo) {
  read_file();
  const ParticipationSeal before = seal_under({key_, seal_.secret});
  key_[5] ^= 1;
  EXPECT_NE(seal_under({key_, seal_.secret}).first, before.first);
}

// A seal of versions that made shares from the key in the file is accepted, and made anew with a secret.
TEST_F(ForgedParticipation, ASealWithoutASecretIsGoneOnWithAndGetsOne) {
  read_file();
  const ParticipationSeal old = seal_under({key_, std::nullopt});
  EXPECT_TRUE(value_of(Participation::verify(path_, {1, old})));
  {
    auto life = value_of(Participation::open(path_, Missing::refuse, ParticipationAsOf{1, old}));
    ASSERT_TRUE(life->use(1, {"ann"}, {4}));
    seal_ = life->seal();
    EXPECT_TRUE(seal_.secret);
    EXPECT_EQ(seal_.uses, 7);
    // A process that died before that seal was kept resumes from the old one, and must bound the slot again.
  }
  EXPECT_TRUE(fits(old));
  EXPECT_TRUE(Participation::open(path_, Missing::refuse, ParticipationAsOf{2, seal_}));
  EXPECT_FALSE(Participation::open(path_, Missing::refuse, ParticipationAsOf{2, old}));
  forget_ben();
  EXPECT_FALSE(fits(old));
}

}  // namespace
}  // namespace chronoveil::bound
