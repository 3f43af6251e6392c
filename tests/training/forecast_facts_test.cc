// The digest of a forecast from a private history is the one that debits of earlier versions have.
#include "chronoveil/training/forecast_facts.h"

#include <gtest/gtest.h>

namespace chronoveil::training {
namespace {

std::string digest(const ForecastRequest& request, const PrivateHistory& history, std::int64_t channels,
                   const std::string& model, const std::vector<std::string>& columns) {
  const Result<PrivateHistoryPlan> plan = plan_history(history, channels);
  EXPECT_TRUE(plan) << plan.error().text();
  return engine::digest_of(facts_of(request, *plan, model, columns));
}

PrivateHistory city() {
  PrivateHistory history;
  history.dataset = "city";
  history.epsilon = 1;
  history.delta = 1e-5;
  history.lower = 0;
  history.upper = 1;
  return history;
}

TEST(ForecastFacts, OfACsvHaveTheDigestThatTheyHad) {
  ForecastRequest request;
  request.source.path = "/data/load.csv";
  request.source.series = "meter";
  request.source.time = "at";
  request.source.zone = "Europe/Zurich";
  request.source.time_format = "epoch";
  request.source.header = false;
  request.source.delimiter = ';';
  request.keys = {"a", "b"};
  request.prediction.keep_paths = true;
  request.prediction.seed = 7;
  request.prediction.paths = 50;
  PrivateHistory history;
  history.dataset = "meters";
  history.epsilon = 1.5;
  history.delta = 1e-6;
  history.rate = 0.25;
  history.changed_steps = 3;
  history.lower = -2;
  history.upper = 10.5;
  history.fill = GapFill::mean;
  EXPECT_EQ(digest(request, history, 2, "0123abcd", {"load", "heat"}), "dc3be9253446a0a4");
}

TEST(ForecastFacts, OfADatabaseHaveTheDigestThatTheyHad) {
  ForecastRequest request;
  request.source.kind = data::SourceKind::postgresql;
  request.source.url = "postgresql://u:p@h/db";
  request.source.query = "SELECT 1";
  request.source.user = "who";
  request.source.longitude = "x";
  request.source.latitude = "y";
  request.source.value = "v";
  request.source.measure = "m";
  request.source.zone = "";
  EXPECT_EQ(digest(request, city(), 1, "m", {"load"}), "54e3871f0222fedf");
}

TEST(ForecastFacts, OfRowsInMemoryHaveTheDigestThatTheyHad) {
  ForecastRequest request;
  request.source.kind = data::SourceKind::memory;
  request.source.time = "at";
  request.source.table = "t";
  EXPECT_EQ(digest(request, city(), 1, "m", {"load"}), "237cca71d37cae2f");
}

}  // namespace
}  // namespace chronoveil::training
