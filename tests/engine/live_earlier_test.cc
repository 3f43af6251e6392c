// A live release that an earlier version opened: its debit names the release at the end of `mechanism`.
#include <filesystem>

#include "chronoveil/engine/live/live.h"
#include "chronoveil/engine/live/state.h"
#include "chronoveil/ledger/body.h"
#include "fixtures.h"

namespace chronoveil::engine::testing {
namespace {

class LiveOfAnEarlierVersion : public JobFolder {
 protected:
  // With the counts of the first `days` in its file.
  Result<LiveStanding> publish(int days) {
    std::string rows = "day,cases\n";
    for (int day = 0; day < days; ++day) rows += "2026-03-0" + std::to_string(1 + day) + ",20\n";
    write("cases.csv", rows);
    LiveOptions options;
    options.ledger = options_.ledger;
    options.once = true;
    return run_live(job("version = 1\n[dataset]\nname = \"city\"\n[source]\npath = \"cases.csv\"\ntime = \"day\"\n"
                        "value = \"cases\"\n[slots]\nstart = \"2026-03-01\"\nend = \"2026-03-07\"\nlength = \"1d\"\n"
                        "[privacy]\nmax_steps = 3\nepsilon = 1\ndelta = 1e-6\n[output]\ncsv = \"out.csv\"\n[live]\n"
                        "name = \"cases\"\n"),
                    options);
  }

  // The ledger as an earlier version would have written it; `opening` as it was opened.
  void put_back_as_it_was(const std::string& opening) {
    const std::string now = options_.ledger;
    const ledger::Debit debit = debits().front();
    std::vector<ledger::UseBody> uses;
    {
      Result<ledger::Ledger> ledger = ledger::Ledger::open(now);
      ASSERT_TRUE(ledger);
      const std::vector<ledger::Entry> rows = ledger->entries("city").value();
      for (const ledger::Entry& row : rows)
        if (row.kind == "use") uses.push_back(ledger::use_from_body(row.body).value());
    }
    options_.ledger = at("earlier.db");
    create_dataset();
    {
      Result<ledger::Ledger> ledger = ledger::Ledger::open(options_.ledger);
      ASSERT_TRUE(ledger);
      ledger::Terms terms = debit.terms;
      const ledger::LiveTag tag = *std::exchange(terms.live, std::nullopt);
      terms.mechanism += " [live " + tag.release + " " + tag.job + "/" + std::to_string(tag.span) + " " + tag.holder +
                         " " + (opening.empty() ? tag.opening : opening) + "]";
      const auto run = ledger->reserve_run(terms, debit.event, *debit.uses);
      ASSERT_TRUE(run) << run.error().text();
      ASSERT_EQ(run->id, debit.id);
      for (const ledger::UseBody& use : uses) ASSERT_TRUE(ledger->use_run(run->id, use.first, use.count, use.token));
    }
    std::filesystem::rename(options_.ledger, now);
    options_.ledger = now;
  }
};

TEST_F(LiveOfAnEarlierVersion, GoesOnWithTheDebitThatNamesItInItsMechanism) {
  create_dataset();
  ASSERT_TRUE(publish(2));
  ASSERT_EQ(debits().front().terms.mechanism.find('['), std::string::npos) << "today it has a field of its own";
  put_back_as_it_was("");
  const auto stands = publish(4);
  ASSERT_TRUE(stands) << stands.error().text();
  EXPECT_EQ(stands->published, 4);
  ASSERT_EQ(debits().size(), 1u);
  EXPECT_EQ(debits().front().used, 4);
}

TEST_F(LiveOfAnEarlierVersion, KeepsTheTimesThatItsFileBeganWith) {
  create_dataset();
  ASSERT_TRUE(publish(2));
  const std::string folder = options_.ledger + ".live/city/cases";
  {
    Result<LiveStateFiles> files = LiveStateFiles::open(folder);
    ASSERT_TRUE(files);
    LiveState state = *files->latest();
    for (const std::string day : {"2026-03-01", "2026-03-02"}) {
      const std::size_t at = state.unsynced.find(day + ",");
      ASSERT_NE(at, std::string::npos) << "today a day is a date";
      state.unsynced.insert(at + day.size(), "T00:00:00+00:00");
    }
    write("out.csv", state.unsynced);
    ASSERT_TRUE(files->save(state));
  }
  const auto stands = publish(4);
  ASSERT_TRUE(stands) << stands.error().text();
  const std::string rows = read("out.csv");
  for (const char* time :
       {"\n2026-03-02T00:00:00+00:00,", "\n2026-03-03T00:00:00+00:00,", "\n2026-03-04T00:00:00+00:00,"})
    EXPECT_NE(rows.find(time), std::string::npos) << rows;
}

TEST_F(LiveOfAnEarlierVersion, IsNotTakenForOneThatWasOpenedOtherwise) {
  create_dataset();
  ASSERT_TRUE(publish(2));
  put_back_as_it_was("0123456789abcdef");
  const auto other = publish(4);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::storage);
  EXPECT_NE(other.error().text().find("is not what the debit city:1 was made for"), std::string::npos)
      << other.error().text();
}

}  // namespace
}  // namespace chronoveil::engine::testing
