// One byte of a ledger's file changes, whichever: the ledger is refused, or says exactly what it said before.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "backend.h"
#include "fixtures.h"
#include "support/thoroughness.h"

namespace chronoveil::ledger::testing {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// What a ledger says of one dataset.
struct Said {
  std::vector<Entry> rows;
  std::vector<std::string> amounts;

  bool operator==(const Said&) const = default;
};

Result<Said> said_of(Ledger& ledger, const std::string& name) {
  Said said;
  CV_TRY(said.rows, ledger.entries(name));
  CV_TRY(const View view, ledger.view(name));
  for (const Cost* cost : {&view.admitted, &view.left}) {
    for (const Amount amount : cost->values) said.amounts.push_back(amount.text());
    said.amounts.push_back(cost->delta.text());
  }
  for (const auto& debit : value_of(ledger.history(name)))
    said.amounts.push_back(debit.id.text() + " " + std::string(ledger::name(debit.state)) + " " +
                           std::to_string(debit.used));
  return said;
}

class Rot : public ::testing::Test {
 protected:
  // Every kind of row, over several pages, with parts, periods, slots and a run.
  void SetUp() override {
    const std::string path = place_->where();
    {
      Ledger ledger = value_of(open(path));
      ASSERT_TRUE(ledger.create(dataset("city", 1)));
      const DebitId first = value_of(ledger.reserve(terms("city"), pure(0.25))).reference().id;
      ok(ledger.settle(first, State::released));
      DebitId slot = value_of(ledger.reserve_slots(terms("city"), {pure(0.125), pure(0.125)})).id;
      slot.slot = 1;
      ASSERT_TRUE(ledger.open_slot(slot, pure(0.0625)));
      const DebitId run = value_of(ledger.reserve_run(terms("city"), pure(0.0625), 52)).id;
      ok(ledger.use_run(run, 0, 17, "a token"));
      DatasetRequest parts = dataset("town", 1);
      parts.partition = Partition{Partition::By::list, {"north", "south"}, 1};
      parts.renews = Renewal::month;
      ASSERT_TRUE(ledger.create(parts));
      Terms south = terms("town");
      south.part = "south";
      ASSERT_TRUE(ledger.reserve(south, pure(0.5)));
      ASSERT_TRUE(ledger.create(dataset("wide", 2, 1e-6)));
      for (int i = 0; i < 4; ++i) ASSERT_TRUE(ledger.reserve(terms("wide"), gaussian(40)));
      for (const std::string& name : value_of(ledger.datasets())) before_[name] = value_of(said_of(ledger, name));
    }
    sound_ = bytes_of(path);
    ASSERT_FALSE(std::filesystem::exists(path + "-wal"));
    ASSERT_GT(sound_.size(), 4u * 4096);
  }

  // At a time of its own: what is left of a budget that renews depends on it.
  static Result<Ledger> open(const std::string& path) {
    Options options;
    options.clock = [] { return Instant(std::chrono::sys_days(std::chrono::year{2026} / 3 / 5)); };
    return Ledger::open(path, options);
  }

  // "" where all is well, else what is not.
  std::string wrong_with(const std::string& bytes) {
    TemporaryFolder folder;
    const std::string path = folder.path() + "/ledger.db";
    std::ofstream(path, std::ios::binary) << bytes;
    Result<Ledger> ledger = open(path);
    if (!ledger) return refusal_of(ledger.error());
    const Result<std::vector<std::string>> names = ledger->datasets();
    if (!names) return refusal_of(names.error());
    bool whole = names->size() == before_.size();
    for (const auto& [name, before] : before_) {
      if (std::find(names->begin(), names->end(), name) == names->end()) return "the dataset " + name + " vanished";
      const Result<Said> now = said_of(*ledger, name);
      if (!now && !refusal_of(now.error()).empty()) return refusal_of(now.error());
      if (now && !(*now == before)) return "the dataset " + name + " says something else";
      whole = whole && now.has_value();
    }
    for (const std::string& name : *names)
      if (!before_.contains(name) && said_of(*ledger, name)) return "there is a new dataset";
    const Result<Verification> verification = ledger->verify();
    if (!verification) return refusal_of(verification.error());
    if (verification->holds() != whole) return whole ? "verify finds what nobody refuses" : "verify says that it holds";
    return whole ? goes_on(*ledger, path) : "";
  }

  // What is as before can be written to, or refuses it; a debit that was made is there.
  std::string goes_on(Ledger& ledger, const std::string& path) {
    const Result<Receipt> receipt = ledger.reserve(terms("city"), pure(0.25));
    if (!receipt) return refusal_of(receipt.error());
    if (ledger.reserve(terms("city"), pure(0.5))) return "more was admitted than was left";
    Result<Ledger> again = open(path);
    if (!again) return "it was written to, and cannot be opened any more: " + again.error().text();
    const Result<Verification> covered = again->verify_against(receipt->reference());
    return covered && covered->holds() ? "" : "a debit is not there";
  }

  std::string refusal_of(const Error& error) {
    ++refused_;
    return error.kind == ErrorKind::storage ? "" : "refused in another way than as damaged: " + error.text();
  }

  std::unique_ptr<Place> place_ = make_sqlite_place();
  std::map<std::string, Said> before_;
  std::string sound_;
  int refused_ = 0;
};

TEST_F(Rot, ALedgerWhereAByteChangedIsRefusedOrSaysTheSame) {
  ASSERT_EQ(wrong_with(sound_), "");
  ASSERT_EQ(refused_, 0);
  const bool every = in_torture();
  int tried = 0;
  for (std::size_t at = 0; at < sound_.size(); at += every || at < 100 ? 1 : 31) {
    const char was = sound_[at];
    // The bit that is due at this byte; what a torn write leaves; and what an erased cell has.
    for (const int value : {was ^ (1 << (at % 8)), 0, 0xff}) {
      if (static_cast<char>(value) == was || (!every && at >= 100 && value == 0xff)) continue;
      std::string bytes = sound_;
      bytes[at] = static_cast<char>(value);
      EXPECT_EQ(wrong_with(bytes), "") << "byte " << at << " of " << sound_.size() << " became " << value;
      ++tried;
    }
  }
  EXPECT_GT(refused_, tried / 4) << "the changes did not reach what is written";
  EXPECT_LT(refused_, tried) << "what nothing is written in need not be refused";
}

TEST_F(Rot, ALedgerWithoutAPageOrWithOneOfAnotherIsRefused) {
  for (std::size_t page = 0; page < sound_.size(); page += 4096) {
    std::string bytes = sound_;
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(page), 4096, '\0');
    EXPECT_EQ(wrong_with(bytes), "") << page;
    bytes = sound_;
    std::copy_n(sound_.begin() + static_cast<std::ptrdiff_t>((page + 4096) % sound_.size()), 4096,
                bytes.begin() + static_cast<std::ptrdiff_t>(page));
    EXPECT_EQ(wrong_with(bytes), "") << page;
    EXPECT_EQ(wrong_with(sound_.substr(0, page + 2048)), "") << page;
    if (page == 0) continue;  // an empty file is a new ledger
    EXPECT_EQ(wrong_with(sound_.substr(0, page)), "") << page;
  }
}

}  // namespace
}  // namespace chronoveil::ledger::testing
