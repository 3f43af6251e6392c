// A live release whose ledger is on a PostgreSQL server: its folder is the user's own, and only its holder can resume.
#include <cstdlib>
#include <filesystem>

#include "chronoveil/engine/live/live.h"
#include "fixtures.h"
#include "support/postgres_server.h"

namespace chronoveil::engine::testing {
namespace {

using chronoveil::testing::PostgresServer;

class LivePostgres : public JobFolder {
 protected:
  void SetUp() override {
    server_ = PostgresServer::shared();
    if (server_ == nullptr) GTEST_SKIP() << "no PostgreSQL server is installed";
    ASSERT_EQ(::setenv("XDG_DATA_HOME", at("data").c_str(), 1), 0);
    auto ledger = ledger::Ledger::open(server_->url());
    ASSERT_TRUE(ledger);
    ledger::DatasetRequest request;
    request.name = "live_clinic";
    request.promise.unit = Unit::user;
    request.epsilon = 10;
    request.delta = 1e-3;
    ASSERT_TRUE(ledger->create(request));
    live_.ledger = server_->url();
    live_.once = true;
  }
  void TearDown() override { ::unsetenv("XDG_DATA_HOME"); }

  // With the counts of the first `days` in its file.
  Result<LiveStanding> publish(int days) {
    std::string rows = "day,cases\n";
    for (int day = 0; day < days; ++day) rows += "2026-03-0" + std::to_string(1 + day) + ",20\n";
    write("cases.csv", rows);
    const auto job = parse_job(
        "version = 1\n[dataset]\nname = \"live_clinic\"\n[source]\npath = \"cases.csv\"\ntime = \"day\"\n"
        "value = \"cases\"\n[slots]\nstart = \"2026-03-01\"\nend = \"2026-03-07\"\nlength = \"1d\"\n[privacy]\n"
        "max_steps = 3\nepsilon = 1\ndelta = 1e-6\n[output]\ncsv = \"out.csv\"\n[live]\nname = \"cases\"\n",
        at("job.toml"));
    if (!job) return Failure(job.error());
    return run_live(*job, live_);
  }

  PostgresServer* server_ = nullptr;
  LiveOptions live_;
};

TEST_F(LivePostgres, GoesOnWithItsFolderAndNotWithoutIt) {
  auto stands = publish(2);
  ASSERT_TRUE(stands) << stands.error().text();
  EXPECT_EQ(stands->asked, 2);
  stands = publish(4);
  ASSERT_TRUE(stands) << stands.error().text();
  EXPECT_EQ(stands->published, 4);
  EXPECT_EQ(stands->asked, 4);

  // Somebody else, on another machine: the debit is in use, and no other may answer for its steps.
  ASSERT_EQ(::setenv("XDG_DATA_HOME", at("elsewhere").c_str(), 1), 0);
  const auto other = publish(5);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::storage);

  ASSERT_EQ(::setenv("XDG_DATA_HOME", at("data").c_str(), 1), 0);
  stands = publish(6);
  ASSERT_TRUE(stands) << stands.error().text();
  EXPECT_EQ(stands->stage, LiveStage::finished);
  EXPECT_EQ(stands->asked, 6);
  auto ledger = ledger::Ledger::open(server_->url());
  ASSERT_TRUE(ledger);
  const auto debits = ledger->history("live_clinic");
  ASSERT_TRUE(debits);
  ASSERT_EQ(debits->size(), 1u);
  EXPECT_EQ(debits->front().used, 6);
  EXPECT_EQ(debits->front().state, ledger::State::released);
}

}  // namespace
}  // namespace chronoveil::engine::testing
