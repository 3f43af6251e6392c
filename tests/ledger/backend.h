// The places that the conformance suite runs on: a SQLite file, and a schema in a PostgreSQL server started for real.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "support/postgres_server.h"
#include "support/temporary_folder.h"

namespace chronoveil::ledger::testing {

using chronoveil::testing::PostgresServer;
using chronoveil::testing::TemporaryFolder;

// An empty place for a ledger. The SQL goes to the database behind the ledger's back.
class Place {
 public:
  virtual ~Place() = default;
  virtual std::string where() const = 0;
  virtual std::string entries_table() const = 0;
  virtual std::string seals_table() const = 0;
  virtual std::string seal_name() const = 0;  // the column of the dataset there
  // Whether the database accepted it.
  virtual bool sql(const std::string& statement) = 0;
  // The same as root of the database: the triggers are away while it runs, and back afterwards as they were.
  virtual bool edit(const std::string& statement) = 0;
  // An empty ledger with the schema as the first release wrote it, or the second.
  virtual void create_version(int version) = 0;
};

std::unique_ptr<Place> make_sqlite_place();
// Nothing where the machine has no PostgreSQL server.
std::unique_ptr<Place> make_postgres_place();

// A suite that runs on every backend.
class OnEveryStore : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override;
  std::unique_ptr<Place> place_;
};

}  // namespace chronoveil::ledger::testing

#define CHRONOVEIL_ON_EVERY_STORE(suite)                                             \
  INSTANTIATE_TEST_SUITE_P(Stores, suite, ::testing::Values("sqlite", "postgresql"), \
                           [](const auto& parameter) { return parameter.param; })
