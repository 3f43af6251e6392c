// Keys, signed seals, and anchors: what somebody who can rewrite the whole ledger still cannot do.
#include "chronoveil/ledger/proof/signing.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "backend.h"
#include "chronoveil/ledger/proof/anchor.h"
#include "fixtures.h"

namespace chronoveil::ledger::testing {
namespace {

using ::testing::HasSubstr;

std::string text_in(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Keys, AreMadeOnceReadBackAndSign) {
  TemporaryFolder folder;
  const std::string name = folder.path() + "/owner";
  const PublicKey made = value_of(create_key(name));
  refusal(create_key(name), ErrorKind::storage);
  EXPECT_EQ(text_in(name + ".pub"), "chronoveil-public-key-1\n" + made.text() + "\n");
  const SecretKey secret = value_of(SecretKey::read(name + ".key"));
  EXPECT_EQ(secret.public_key(), made);
  EXPECT_EQ(value_of(PublicKey::read(name + ".pub")), made);
  const std::string signature = secret.sign("text");
  EXPECT_TRUE(made.has_signed("text", signature));
  EXPECT_FALSE(made.has_signed("texts", signature));
  EXPECT_FALSE(made.has_signed("text", signature.substr(1) + "0"));
  EXPECT_FALSE(made.has_signed("text", ""));
  EXPECT_FALSE(value_of(create_key(folder.path() + "/other")).has_signed("text", signature));
}

TEST(Keys, ThatOthersCanReachAreRefused) {
  TemporaryFolder folder;
  const std::string name = folder.path() + "/owner";
  ASSERT_TRUE(create_key(name));
  struct stat status {};
  ASSERT_EQ(::stat((name + ".key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  for (const mode_t mode : {0640, 0604, 0620, 0601}) {
    ASSERT_EQ(::chmod((name + ".key").c_str(), mode), 0);
    EXPECT_THAT(refusal(SecretKey::read(name + ".key"), ErrorKind::storage), HasSubstr("mode 0600")) << mode;
  }
}

TEST(Keys, ThatAreNoneAreRefused) {
  TemporaryFolder folder;
  const std::string path = folder.path() + "/key";
  for (const std::string& text :
       {std::string(), std::string("chronoveil-secret-key-1\nabc\n"), std::string("chronoveil-public-key-1\n"),
        "chronoveil-secret-key-1\n" + std::string(63, 'a') + "G\n",
        "chronoveil-secret-key-1\n" + std::string(64, 'a')}) {
    std::filesystem::remove(path);
    std::ofstream(path) << text;
    ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
    EXPECT_THAT(refusal(SecretKey::read(path), ErrorKind::storage), HasSubstr("no secret key")) << text;
    EXPECT_THAT(refusal(PublicKey::read(path), ErrorKind::storage), HasSubstr("no public key")) << text;
  }
  refusal(SecretKey::read(folder.path() + "/nowhere"), ErrorKind::storage);
}

class SignedLedger : public OnEveryStore {
 protected:
  void SetUp() override {
    OnEveryStore::SetUp();
    for (const char* name : {"/owner", "/other"}) ASSERT_TRUE(create_key(folder_.path() + name));
    owner_ = value_of(PublicKey::read(folder_.path() + "/owner.pub"));
  }

  Ledger open(const std::string& key) {
    Options options;
    options.key = key.empty() ? "" : folder_.path() + "/" + key + ".key";
    options.anchor = "";
    return value_of(Ledger::open(place_->where(), options));
  }

  std::string finding() {
    const Verification verification = value_of(open("").verify({}, owner_));
    return verification.findings.empty() ? "" : verification.findings.front().message;
  }

  void set_seal(const Seal& seal) {
    ASSERT_TRUE(place_->edit("UPDATE " + place_->seals_table() + " SET length = " + std::to_string(seal.length) +
                             ", head = '" + seal.head + "', sums = '" + seal.sums + "', signature = '" +
                             seal.signature + "'"));
  }

  TemporaryFolder folder_;
  std::optional<PublicKey> owner_;
};
CHRONOVEIL_ON_EVERY_STORE(SignedLedger);

TEST_P(SignedLedger, IsSignedWithEveryRowAndVerifiesAgainstItsKey) {
  {
    Ledger ledger = open("owner");
    ASSERT_TRUE(ledger.create(dataset("city", 1)));
    EXPECT_EQ(finding(), "");
    const DebitId debit = value_of(ledger.reserve(terms("city"), pure(0.5))).reference().id;
    EXPECT_EQ(finding(), "");
    ok(ledger.settle(debit, State::released));
  }
  EXPECT_EQ(finding(), "");
  EXPECT_TRUE(value_of(open("").verify()).holds());
  EXPECT_TRUE(open("").view("city"));  // looking needs no key
  const PublicKey other = value_of(PublicKey::read(folder_.path() + "/other.pub"));
  EXPECT_THAT(value_of(open("").verify({}, other)).findings.front().message, HasSubstr("another key"));
}

TEST_P(SignedLedger, IsWrittenToWithItsOwnKeyOnly) {
  ASSERT_TRUE(open("owner").create(dataset("city", 1)));
  EXPECT_THAT(refusal(open("").reserve(terms("city"), pure(0.5)), ErrorKind::usage), HasSubstr("is signed"));
  EXPECT_THAT(refusal(open("other").reserve(terms("city"), pure(0.5)), ErrorKind::usage),
              HasSubstr("budget sign city"));
  EXPECT_EQ(value_of(open("").history("city")).size(), 0u);
  ok(open("other").sign());
  EXPECT_TRUE(open("other").reserve(terms("city"), pure(0.5)));
  refusal(open("owner").reserve(terms("city"), pure(0.5)), ErrorKind::usage);
}

TEST_P(SignedLedger, WasUnsignedOnceAndIsSignedWhenItsOwnerSaysSo) {
  ASSERT_TRUE(open("").create(dataset("city", 1)));
  ASSERT_TRUE(open("").reserve(terms("city"), pure(0.25)));
  EXPECT_THAT(finding(), HasSubstr("not signed"));
  EXPECT_THAT(refusal(open("owner").reserve(terms("city"), pure(0.25)), ErrorKind::usage), HasSubstr("budget sign"));
  refusal(open("").sign(), ErrorKind::usage);
  ok(open("owner").sign({"city"}));
  EXPECT_EQ(finding(), "");
  EXPECT_TRUE(open("owner").reserve(terms("city"), pure(0.25)));
}

// Somebody who may write seals can spoil one; its owner looks at the rows and signs them again, by name.
TEST_P(SignedLedger, WithASpoiltSignatureIsSignedAgainByItsOwnerWhoNamesIt) {
  ASSERT_TRUE(open("owner").create(dataset("city", 1)));
  ASSERT_TRUE(place_->sql("UPDATE " + place_->seals_table() + " SET signature = 'x'"));
  refusal(open("owner").reserve(terms("city"), pure(0.5)), ErrorKind::storage);
  EXPECT_THAT(refusal(open("owner").sign(), ErrorKind::storage), HasSubstr("not one of its seal"));
  ok(open("owner").sign({"city"}));
  EXPECT_EQ(finding(), "");
  EXPECT_TRUE(open("owner").reserve(terms("city"), pure(0.5)));
}

// Whoever can write the database makes chain and seal anew, of fewer rows.
TEST_P(SignedLedger, CannotBeForgedByWhoeverHoldsTheDatabase) {
  {
    Ledger ledger = open("owner");
    ASSERT_TRUE(ledger.create(dataset("city", 1)));
    ASSERT_TRUE(ledger.reserve(terms("city"), pure(0.5)));
  }
  const Stored honest = value_of(value_of(open_store(place_->where(), seal_of))->read("city", 0));
  Seal shorter = value_of(seal_of({honest.rows.front()}));
  ASSERT_TRUE(place_->edit("DELETE FROM " + place_->entries_table() + " WHERE sequence = 1"));
  // The old signature is not of this seal.
  shorter.signature = honest.seal->signature;
  set_seal(shorter);
  EXPECT_THAT(refusal(open("").view("city"), ErrorKind::storage), HasSubstr("not one of its seal"));
  EXPECT_THAT(finding(), HasSubstr("not one of its seal"));
  // A missing signature, or one by another key, is found by the key, and the owner does not sign it by mistake.
  shorter.signature = "";
  set_seal(shorter);
  EXPECT_THAT(finding(), HasSubstr("not signed"));
  refusal(open("owner").reserve(terms("city"), pure(0.5)), ErrorKind::usage);
  shorter.signature = sign_seal(value_of(SecretKey::read(folder_.path() + "/other.key")), "city", shorter);
  set_seal(shorter);
  EXPECT_THAT(finding(), HasSubstr("another key"));
  refusal(open("owner").reserve(terms("city"), pure(0.5)), ErrorKind::usage);
  // Nor is a seal of one dataset one of another.
  shorter.signature = sign_seal(value_of(SecretKey::read(folder_.path() + "/owner.key")), "town", shorter);
  set_seal(shorter);
  EXPECT_THAT(finding(), HasSubstr("not one of its seal"));
}

TEST_P(SignedLedger, IsBackedUpRestoredAndMovedWithItsSignature) {
  const std::string backup = folder_.path() + "/backup.db";
  {
    Ledger ledger = open("owner");
    ASSERT_TRUE(ledger.create(dataset("city", 1)));
    ok(ledger.back_up(backup));
  }
  Options without, with;
  without.key = without.anchor = with.anchor = "";
  with.key = folder_.path() + "/owner.key";
  EXPECT_TRUE(value_of(value_of(Ledger::open(backup, without)).verify({}, owner_)).holds());
  const std::string fresh = folder_.path() + "/fresh.db", there = folder_.path() + "/there.db";
  refusal(value_of(Ledger::open(fresh, without)).restore(backup), ErrorKind::usage);
  ok(value_of(Ledger::open(fresh, with)).restore(backup));
  EXPECT_TRUE(value_of(value_of(Ledger::open(fresh, without)).verify({}, owner_)).holds());
  ok(open("owner").move(there));
  EXPECT_TRUE(value_of(value_of(Ledger::open(there, without)).verify({}, owner_)).holds());
  EXPECT_EQ(finding(), "");
  EXPECT_TRUE(value_of(Ledger::open(there, with)).reserve(terms("city"), pure(0.5)));
}

class Anchored : public OnEveryStore {
 protected:
  // An anchor of the same kind as the ledger: a file, or a table in another schema.
  void SetUp() override {
    OnEveryStore::SetUp();
    if (!place_) return;
    elsewhere_ = GetParam() == "sqlite" ? nullptr : make_postgres_place();
    anchor_ = elsewhere_ ? elsewhere_->where() : folder_.path() + "/anchor";
  }

  Result<Ledger> open(const std::string& where) {
    Options options;
    options.key = "";
    options.anchor = anchor_;
    return Ledger::open(where, options);
  }

  // A copy of the ledger as it is now, in another place.
  std::unique_ptr<Place> copy() {
    std::unique_ptr<Place> other = GetParam() == "sqlite" ? make_sqlite_place() : make_postgres_place();
    Options plain;
    plain.key = plain.anchor = "";
    ok(value_of(Ledger::open(place_->where(), plain)).back_up(other->where()));
    return other;
  }

  TemporaryFolder folder_;
  std::unique_ptr<Place> elsewhere_;
  std::string anchor_;
};
CHRONOVEIL_ON_EVERY_STORE(Anchored);

TEST_P(Anchored, EveryHeadIsKept) {
  Ledger ledger = value_of(open(place_->where()));
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  ASSERT_TRUE(ledger.reserve(terms("city"), pure(0.5)));
  const std::vector<Entry> rows = value_of(ledger.entries("city"));
  const AnchoredHeads expected{{"city", {{1, rows[0].hash}, {2, rows[1].hash}}}};
  EXPECT_EQ(value_of(value_of(open_anchor(anchor_))->heads()), expected);
  if (!elsewhere_) {
    EXPECT_EQ(text_in(anchor_), "city 1 " + rows[0].hash + "\ncity 2 " + rows[1].hash + "\n");
  }
}

TEST_P(Anchored, ALedgerOfBeforeIsRefusedWhateverElseFits) {
  ASSERT_TRUE(value_of(open(place_->where())).create(dataset("city", 1)));
  const std::unique_ptr<Place> before = copy();
  ASSERT_TRUE(value_of(open(place_->where())).reserve(terms("city"), pure(0.5)));
  Ledger old = value_of(open(before->where()));
  for (const std::string& said :
       {refusal(old.reserve(terms("city"), pure(0.5)), ErrorKind::storage),
        refusal(old.view("city"), ErrorKind::storage), value_of(old.verify()).findings.at(0).message})
    EXPECT_THAT(said, HasSubstr("older than its anchor"));
  EXPECT_TRUE(value_of(value_of(open(place_->where())).verify()).holds());
  // With another debit in the place of the one that was anchored.
  ASSERT_TRUE(value_of(Ledger::open(before->where())).reserve(terms("city"), pure(0.25)));
  EXPECT_THAT(refusal(value_of(open(before->where())).view("city"), ErrorKind::storage), HasSubstr("older than its"));
}

TEST_P(Anchored, ANewLedgerInThePlaceOfTheOldOneIsRefused) {
  ASSERT_TRUE(value_of(open(place_->where())).create(dataset("city", 1)));
  const std::unique_ptr<Place> backup = copy();
  ASSERT_TRUE(value_of(open(place_->where())).reserve(terms("city"), pure(0.5)));
  const std::unique_ptr<Place> latest = copy();
  place_ = GetParam() == "sqlite" ? make_sqlite_place() : make_postgres_place();
  Ledger fresh = value_of(open(place_->where()));
  refusal(fresh.datasets(), ErrorKind::storage);
  refusal(fresh.verify(), ErrorKind::storage);
  refusal(fresh.create(dataset("city", 1)), ErrorKind::storage);
  // Nothing but the latest backup can be put in its place.
  EXPECT_THAT(refusal(fresh.restore(backup->where()), ErrorKind::storage), HasSubstr("older than its anchor"));
  ok(fresh.restore(latest->where()));
  EXPECT_TRUE(value_of(fresh.verify()).holds());
  EXPECT_TRUE(fresh.reserve(terms("city"), pure(0.5)));
  EXPECT_TRUE(value_of(value_of(open(place_->where())).verify()).holds());
}

TEST_P(Anchored, WhatWasMovedAwayIsReadThereAndHere) {
  ASSERT_TRUE(value_of(open(place_->where())).create(dataset("city", 1)));
  const std::unique_ptr<Place> there = GetParam() == "sqlite" ? make_sqlite_place() : make_postgres_place();
  ok(value_of(open(place_->where())).move(there->where()));
  ASSERT_TRUE(value_of(open(there->where())).reserve(terms("city"), pure(0.5)));
  EXPECT_TRUE(value_of(value_of(open(there->where())).verify()).holds());
  EXPECT_TRUE(value_of(value_of(open(place_->where())).verify()).holds());
}

TEST_P(Anchored, ATableNeedsARoleThatInsertsAndSelectsAndNoMore) {
  if (!elsewhere_) GTEST_SKIP() << "a file has no roles";
  ASSERT_TRUE(value_of(open(place_->where())).create(dataset("city", 1)));
  std::string role = anchor_.substr(anchor_.rfind("%3D") + 3), as_role = anchor_;
  ASSERT_TRUE(elsewhere_->sql("CREATE ROLE anchors_of_" + role + " LOGIN; GRANT USAGE ON SCHEMA " + role +
                              " TO anchors_of_" + role + "; GRANT SELECT, INSERT ON chronoveil_anchor TO anchors_of_" +
                              role));
  anchor_ = as_role.replace(as_role.find("user=chronoveil"), 15, "user=anchors_of_" + role);
  ASSERT_TRUE(value_of(open(place_->where())).reserve(terms("city"), pure(0.5)));
  EXPECT_EQ(value_of(value_of(open_anchor(anchor_))->heads()).at("city").size(), 2u);
}

TEST(AnchorFile, ThatCannotBeWrittenIsFoundBeforeOrLeavesTheDebitStanding) {
  TemporaryFolder folder;
  const std::unique_ptr<Place> place = make_sqlite_place();
  Options options;
  options.key = "";
  options.anchor = folder.path() + "/nowhere/anchor";
  refusal(Ledger::open(place->where(), options), ErrorKind::storage);
  options.anchor = "mysql://x";
  refusal(Ledger::open(place->where(), options), ErrorKind::usage);
  options.anchor = "/dev/full";
  refusal(Ledger::open(place->where(), options), ErrorKind::storage);
  // No file may grow beyond this, which the anchor would and the ledger does not.
  constexpr rlim_t kMost = 1 << 20;
  options.anchor = folder.path() + "/anchor";
  std::ofstream(*options.anchor) << std::string(kMost, '\n');
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto quiet = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit limit { kMost, before.rlim_max };
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  {
    Ledger ledger = value_of(Ledger::open(place->where(), options));
    EXPECT_THAT(refusal(ledger.create(dataset("city", 1)), ErrorKind::storage), HasSubstr("what was written stands"));
    EXPECT_THAT(refusal(ledger.reserve(terms("city"), pure(0.5)), ErrorKind::storage), HasSubstr("history city"));
    EXPECT_EQ(value_of(ledger.history("city")).size(), 1u);
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, quiet);
}

TEST(AnchorFile, WithALineThatACrashLeftHalfGoesOnBehindIt) {
  TemporaryFolder folder;
  const std::string path = folder.path() + "/anchor", head(64, 'a'), later(64, 'b');
  std::ofstream(path) << "city 1 " << head << "\ncity 2 bbb";
  const auto anchor = value_of(open_anchor(path));
  EXPECT_EQ(value_of(anchor->heads()), (AnchoredHeads{{"city", {{1, head}}}}));
  ok(anchor->append("city", 3, later));
  EXPECT_EQ(value_of(value_of(open_anchor(path))->heads()), (AnchoredHeads{{"city", {{1, head}, {3, later}}}}));
}

}  // namespace
}  // namespace chronoveil::ledger::testing
