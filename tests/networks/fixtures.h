// A folder with a small panel, a job that trains on it, and a ledger.
#pragma once

#include <cmath>
#include <functional>

#include "chronoveil/networks/networks.h"
#include "chronoveil/training/train.h"
#include "engine/fixtures.h"

namespace chronoveil::networks::testing {

using training::TrainOptions;

class TrainFolder : public engine::testing::JobFolder {
 protected:
  static constexpr int kSeries = 6, kHours = 96;

  void SetUp() override {
    torch::set_num_threads(1);
    options_.ledger = at("ledger.db");
    train_.ledger = options_.ledger;
    train_.networks = &with_libtorch();
    std::string list;
    for (int series = 0; series < kSeries; ++series) list += "m" + std::to_string(series) + "\n";
    write("load.csv", rows_of(value_of));
    write("meters.txt", list);
  }

  static std::string time_of(int hour) {
    const int day = 1 + hour / 24, rest = hour % 24;
    return std::string("2026-03-0") + std::to_string(day) + "T" + (rest < 10 ? "0" : "") + std::to_string(rest) + ":00";
  }
  static double value_of(int series, int hour) {
    return 10 + series + 3 * std::sin(2 * 3.14159265 * hour / 24) + 0.1 * ((hour * 7 + series * 3) % 5);
  }

  static std::string rows_of(const std::function<double(int series, int hour)>& value) {
    std::string rows = "meter,ts,kwh\n";
    for (int series = 0; series < kSeries; ++series)
      for (int hour = 0; hour < kHours; ++hour)
        rows += "m" + std::to_string(series) + "," + time_of(hour) + "," + std::to_string(value(series, hour)) + "\n";
    return rows;
  }

  static std::string train_text(const std::string& train = "", const std::string& privacy = "") {
    return "version = 1\n[dataset]\nname = \"city\"\n"
           "[source]\npath = \"load.csv\"\ntime = \"ts\"\nseries = \"meter\"\nvalue = \"kwh\"\n"
           "[slots]\nstart = \"2026-03-01T00:00\"\nend = \"2026-03-05T00:00\"\nlength = \"1h\"\n"
           "[series]\nlist = \"meters.txt\"\n[privacy]\n" +
           (privacy.empty() ? "unit = \"event\"\nepsilon = 8\ndelta = 1e-5\n" : privacy) +
           "[train]\nmodel = \"simple_feed_forward\"\ncontext_length = 12\nforecast_length = 6\nbatch_size = 4\n"
           "steps = 40\ncheckpoint_every = 10\nhidden = 8\n" +
           train + "[output]\nmodel = \"model.cvm\"\n";
  }
  engine::Job train_job(const std::string& train = "", const std::string& privacy = "") const {
    return job(train_text(train, privacy));
  }

  void create_dataset_for_training(double epsilon = 20, double delta = 1e-4) const {
    Result<ledger::Ledger> ledger = ledger::Ledger::open(options_.ledger);
    ASSERT_TRUE(ledger) << ledger.error().text();
    ledger::DatasetRequest request;
    request.name = "city";
    request.promise.unit = Unit::event;
    request.promise.relation = Relation::replace_values;
    request.epsilon = epsilon;
    request.delta = delta;
    const auto created = ledger->create(request);
    ASSERT_TRUE(created) << created.error().text();
  }

  TrainOptions train_;
};

}  // namespace chronoveil::networks::testing
