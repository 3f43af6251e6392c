// A folder with a job that trains: twelve meters over four weeks of hours, and the facts that a plan needs of them.
#pragma once

#include <string>

#include "chronoveil/engine/train/plan.h"
#include "engine/fixtures.h"

namespace chronoveil::engine::testing {

class TrainFolder : public JobFolder {
 protected:
  void SetUp() override {
    JobFolder::SetUp();
    std::string meters;
    for (int i = 0; i < 12; ++i) meters += "m" + std::to_string(i) + "\n";
    write("meters.txt", meters);
    write("load.csv", "meter,ts,kwh,temp\nm0,2026-03-02T00:00,1.5,7\nm1,2026-03-02T01:00,2.5,\n");
  }

  static std::string text(const std::string& train = "noise_multiplier = 4\n", const std::string& privacy = "",
                          const std::string& source = "value = \"kwh\"\n",
                          const std::string& output = "model = \"model.cvm\"\n") {
    return "version = 1\n[dataset]\nname = \"meters\"\n[source]\npath = \"load.csv\"\ntime = \"ts\"\n"
           "series = \"meter\"\n" +
           source +
           "[slots]\nstart = \"2026-03-02T00:00\"\nend = \"2026-03-30T00:00\"\nlength = \"1h\"\n"
           "[series]\nlist = \"meters.txt\"\n[privacy]\n" +
           (privacy.empty() ? "unit = \"event\"\nepsilon = 1\ndelta = 1e-6\n" : privacy) +
           "[train]\nmodel = \"simple_feed_forward\"\ncontext_length = 24\nforecast_length = 12\nbatch_size = 4\n" +
           train + "[output]\n" + output;
  }

  Result<Job> parsed(const std::string& toml) const { return parse_job(toml, at("job.toml")); }
  TrainPlanned planned(const std::string& toml) const {
    Result<TrainPlanned> plan = plan_training(job(toml));
    EXPECT_TRUE(plan) << plan.error().text();
    return plan ? *plan : TrainPlanned{};
  }
  void create_meters(Unit unit = Unit::event, Relation relation = Relation::replace_values,
                     std::int64_t width = 1) const {
    Result<ledger::Ledger> ledger = ledger::Ledger::open(options_.ledger);
    ASSERT_TRUE(ledger) << ledger.error().text();
    ledger::DatasetRequest request;
    request.name = "meters";
    request.promise = {unit, width, relation};
    request.epsilon = 2;
    request.delta = 1e-5;
    const auto created = ledger->create(request);
    ASSERT_TRUE(created) << created.error().text();
  }
};

}  // namespace chronoveil::engine::testing
