// A folder with a small job in it: forty people at two stops over two days, and a ledger with their dataset.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "chronoveil/engine/series/series.h"
#include "support/temporary_folder.h"

namespace chronoveil::engine::testing {

class JobFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    write("trips.csv", trips());
    write("stops.txt", "north\nsouth\n");
    options_.ledger = at("ledger.db");
  }

  std::string at(const std::string& name) const { return folder_.path() + "/" + name; }
  bool exists(const std::string& name) const { return std::filesystem::exists(at(name)); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(at(name), std::ios::binary) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(at(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  static std::string trips() {
    std::string text = "card,ts,stop\n";
    for (int person = 0; person < 40; ++person) {
      for (int trip = 0; trip < 3; ++trip) {
        const int hour = (person * 5 + trip * 17) % 48;
        text += "c" + std::to_string(person) + ",2026-03-0" + std::to_string(1 + hour / 24) + "T" +
                (hour % 24 < 10 ? "0" : "") + std::to_string(hour % 24) + ":30," +
                (trip == 2         ? "elsewhere"
                 : person % 2 == 0 ? "north"
                                   : "south") +
                "\n";
      }
    }
    return text;
  }

  // The keys of a section are replaced or added by `more`, which follows the rest of the section.
  static std::string job_text(const std::string& source = "", const std::string& privacy = "",
                              const std::string& rest = "") {
    return "version = 1\n[dataset]\nname = \"city\"\n[source]\n" +
           (source.empty() ? "path = \"trips.csv\"\nuser = \"card\"\ntime = \"ts\"\nseries = \"stop\"\n" : source) +
           "[slots]\nstart = \"2026-03-01T00:00\"\nend = \"2026-03-03T00:00\"\nlength = \"1h\"\n"
           "[series]\nlist = \"stops.txt\"\n[privacy]\n" +
           (privacy.empty() ? "max_steps = 2\nepsilon = 1\ndelta = 1e-6\n" : privacy) +
           (rest.empty() ? "[mechanism]\nname = \"gaussian\"\n"
                           "[output]\ncsv = \"out.csv\"\njson = \"out.json\"\nreport = \"out.html\"\n"
                         : rest);
  }

  Job job(const std::string& text) const {
    Result<Job> read = parse_job(text, at("job.toml"));
    EXPECT_TRUE(read) << read.error().text();
    return read ? *read : Job{};
  }
  Job job() const { return job(job_text()); }

  void create_dataset(double epsilon = 4, double delta = 1e-5) const {
    Result<ledger::Ledger> ledger = ledger::Ledger::open(options_.ledger);
    ASSERT_TRUE(ledger) << ledger.error().text();
    ledger::DatasetRequest request;
    request.name = "city";
    request.promise.unit = Unit::user;
    request.epsilon = epsilon;
    request.delta = delta;
    ASSERT_TRUE(ledger->create(request));
  }
  std::vector<ledger::Debit> debits() const {
    Result<ledger::Ledger> ledger = ledger::Ledger::open(options_.ledger);
    EXPECT_TRUE(ledger);
    Result<std::vector<ledger::Debit>> history = ledger->history("city");
    EXPECT_TRUE(history);
    return history ? *history : std::vector<ledger::Debit>{};
  }

  chronoveil::testing::TemporaryFolder folder_;
  RunOptions options_;
};

// The kind of the error and what its message names.
template <class T>
::testing::AssertionResult fails(const Result<T>& result, ErrorKind kind, const std::string& mention) {
  if (result) return ::testing::AssertionFailure() << "it succeeded";
  if (result.error().kind != kind)
    return ::testing::AssertionFailure() << "kind " << static_cast<int>(result.error().kind) << ": "
                                         << result.error().text();
  if (result.error().text().find(mention) == std::string::npos)
    return ::testing::AssertionFailure() << "'" << mention << "' is not in: " << result.error().text();
  return ::testing::AssertionSuccess();
}

}  // namespace chronoveil::engine::testing
