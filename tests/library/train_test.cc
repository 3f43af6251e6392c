// Training and forecasting from rows in memory, as a program that links the library does it.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "chronoveil/chronoveil.h"
#include "support/made_arrow.h"
#include "support/temporary_folder.h"

namespace chronoveil {
namespace {

constexpr std::int64_t kHour = 3'600'000, kMidnight = 1'772'323'200'000;  // 2026-03-01T00:00Z
constexpr std::int64_t kSteps = 96;

class Training : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* meter : {"a", "b", "c", "d"})
      for (std::int64_t step = 0; step < kSteps; ++step) {
        meters_.emplace_back(meter);
        at_.push_back(kMidnight + step * kHour);
        load_.push_back(5 + static_cast<double>(step % 24 < 12 ? step % 24 : 24 - step % 24));
      }
    const Result<Ledger> ledger = open_ledger(ledger_);
    ASSERT_TRUE(ledger);
    DatasetWords words;
    words.name = "meters";
    words.unit = "event";
    words.relation = "replace_values";
    words.epsilon = 20;
    words.delta = 1e-4;
    const Result<ledger::Dataset> made = create_dataset(words, ledger_);
    ASSERT_TRUE(made) << made.error().text();
    options_.ledger = ledger_;
  }

  Batch rows() const { return {{"meter", meters_}, {"at", Instants{at_}}, {"load", load_}}; }

  Job job(const std::string& model = "sign_lags", const std::string& more = "") const {
    std::ostringstream text;
    text
        << "version = 1\n[dataset]\nname = \"meters\"\n[source]\nkind = \"memory\"\nseries = \"meter\"\ntime = \"at\"\n"
        << "value = \"load\"\n[series]\nkeys = [\"a\", \"b\", \"c\", \"d\"]\n[slots]\nstart = \"2026-03-01T00:00\"\n"
        << "end = \"2026-03-05T00:00\"\nlength = \"1h\"\n[privacy]\nunit = \"event\"\nepsilon = 2.0\ndelta = 1e-6\n"
        << "[train]\nmodel = \"" << model << "\"\nforecast_length = 6\n"
        << more << "[output]\nmodel = \"" << model_ << "\"\n";
    Result<Job> parsed = parse_job(text.str());
    EXPECT_TRUE(parsed) << parsed.error().text();
    Job job = std::move(parsed).value();
    read_from(job, {{rows()}});
    return job;
  }

  training::TrainOptions options() const {
    training::TrainOptions all;
    static_cast<RunOptions&>(all) = options_;
    return all;
  }

  ForecastRequest history() const {
    ForecastRequest request;
    read_from(request.source, {{rows()}});
    request.source.series = "meter";
    request.source.time = "at";
    request.run = options_;
    return request;
  }

  std::size_t debits() const { return open_ledger(ledger_)->history("meters")->size(); }

  testing::TemporaryFolder folder_;
  std::string ledger_ = folder_.path() + "/ledger.db", model_ = folder_.path() + "/model.cvm";
  std::vector<std::string> meters_;
  std::vector<std::int64_t> at_;
  std::vector<double> load_;
  RunOptions options_;
};

TEST_F(Training, FromMemoryIsDebitedOnceAndItsModelForecastsForNothing) {
  const Result<training::Training> trained = run_training(job(), options());
  ASSERT_TRUE(trained) << trained.error().text();
  ASSERT_TRUE(trained->model.debit);
  EXPECT_EQ(debits(), 1U);
  EXPECT_TRUE(std::filesystem::exists(model_));

  const Result<report::Forecasted> next = run_forecast(model_, history());
  ASSERT_TRUE(next) << next.error().text();
  ASSERT_EQ(next->series.size(), 4U);
  EXPECT_EQ(next->series[0].key, "a");
  EXPECT_EQ(next->series[0].quantiles.size(), 6U);
  EXPECT_EQ(next->model.debit->id, trained->model.debit->id);
  EXPECT_EQ(debits(), 1U);

  std::filesystem::remove(model_);
  const Result<training::Training> again = train_again(job(), trained->model.debit->id.text(), options());
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(training::to_bytes(again->model), training::to_bytes(trained->model));
  EXPECT_EQ(debits(), 1U);
}

// Of two columns, the second of which lacks a value.
TEST_F(Training, OnSeveralChannelsReadsAStreamOfArrowAsOftenAsAFile) {
  using testing::MadeStream;
  std::vector<std::string> models;
  std::ostringstream csv;
  csv << "meter,at,load,other\n";
  std::vector<double> other = load_;
  other[5] = std::nan("");
  for (std::size_t i = 0; i < load_.size(); ++i)
    csv << meters_[i] << ',' << at_[i] << ',' << load_[i] << ',' << (i == 5 ? "" : std::to_string(other[i])) << '\n';
  std::ofstream(folder_.path() + "/rows.csv") << csv.str();
  training::TrainOptions seeded = options();
  seeded.seed = 7;
  for (const bool streamed : {false, true}) {
    Job both = job();
    both.source.value.reset();
    both.train().channels = {"load", "other"};
    MadeStream made({{testing::texts("meter", meters_), testing::numbers("at", "tsm:UTC", at_),
                      testing::numbers("load", "g", load_), testing::numbers("other", "g", other)}});
    if (streamed) {
      ArrowArrayStream stream = made.stream();
      ASSERT_TRUE(read_from(both, stream));
    } else {
      both.source = {};
      both.source.path = folder_.path() + "/rows.csv";
      both.source.series = "meter";
      both.source.time = "at";
      both.source.time_format = "epoch_ms";
    }
    const Result<training::Training> trained = run_training(both, seeded);
    ASSERT_TRUE(trained) << trained.error().text();
    models.push_back(trained->model.weights);
    EXPECT_EQ(trained->model.channels.size(), 2U);
  }
  EXPECT_EQ(models[0], models[1]);
  EXPECT_FALSE(models[0].empty());
}

TEST_F(Training, OfAPrivateHistoryIsDebitedAndItsDocumentsAreForAll) {
  ASSERT_TRUE(run_training(job(), options()));
  ForecastRequest request = history();
  request.keys = {"a", "b", "c", "d"};
  request.privacy.emplace();
  request.privacy->dataset = "meters";
  request.privacy->epsilon = 1;
  request.privacy->delta = 1e-6;
  request.privacy->lower = 0;
  request.privacy->upper = 20;
  const training::ForecastPaths paths{folder_.path() + "/next.csv", "", folder_.path() + "/next.json", ""};
  const Result<training::ForecastDocuments> made = run_private_forecast(
      model_, request, "", [&](const training::ForecastDocuments& all) { return write_forecast(all, paths); },
      std::nullopt);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(debits(), 2U);
  EXPECT_EQ(made->history, training::ForecastDocuments::History::noised);
  const auto mode = [](const std::string& path) { return std::filesystem::status(path).permissions(); };
  EXPECT_NE(mode(paths.csv) & std::filesystem::perms::others_read, std::filesystem::perms::none);

  const training::ForecastPaths own{folder_.path() + "/own.csv", "", "", ""};
  const Result<report::Forecasted> next = run_forecast(model_, history());
  ASSERT_TRUE(write_forecast(training::documents_of(*next), own));
  EXPECT_EQ(mode(own.csv) & std::filesystem::perms::others_read, std::filesystem::perms::none);
  const Result<void> no_paths = write_forecast(training::documents_of(*next), {"", own.csv, "", ""});
  ASSERT_FALSE(no_paths);
  EXPECT_EQ(no_paths.error().parameter, "paths_output");
}

TEST_F(Training, OfANetworkIsRefusedBeforeAnythingIsSpent) {
  const Result<training::Training> trained = run_training(job("dlinear", "steps = 2\nbatch_size = 2\n"), options());
  ASSERT_FALSE(trained);
  EXPECT_EQ(trained.error().kind, ErrorKind::usage);
  EXPECT_EQ(trained.error().parameter, "model") << trained.error().text();
  EXPECT_EQ(debits(), 0U);
}

TEST_F(Training, IsNoRelease) {
  const Result<AnyRelease> released = run(job(), options_);
  ASSERT_FALSE(released);
  EXPECT_NE(released.error().text().find("run_training()"), std::string::npos) << released.error().text();
}

TEST_F(Training, ABacktestSpendsNothing) {
  training::BacktestRequest request;
  request.epsilons = {1};
  const Result<training::Backtest> found = run_backtest(job(), request);
  ASSERT_TRUE(found) << found.error().text();
  const report::Backtested all = training::report_of(job(), *found);
  EXPECT_EQ(all.title, "Backtest of meters");
  ASSERT_EQ(all.rows.size(), 4U);  // two baselines, without data, and the model
  EXPECT_EQ(all.rows[3].model, "sign_lags");
  EXPECT_EQ(debits(), 0U);
}

}  // namespace
}  // namespace chronoveil
