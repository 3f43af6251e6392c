// A ledger of its own for one mechanism, in a folder that goes away with it.
#pragma once

#include <string>
#include <string_view>

#include "chronoveil/ledger/ledger.h"
#include "chronoveil/mechanisms/draws.h"
#include "setting.h"
#include "support/temporary_folder.h"

namespace chronoveil::mechanisms::testing {

class LedgerFor {
 private:
  chronoveil::testing::TemporaryFolder folder_;

 public:
  LedgerFor(const ledger::DatasetRequest& dataset, std::string_view mechanism)
      : ledger(value_of(ledger::Ledger::open(folder_.path() + "/ledger.db"))) {
    EXPECT_TRUE(ledger.create(dataset));
    terms.dataset = dataset.name;
    terms.purpose = "a test";
    terms.mechanism = mechanism;
  }

  // What a debit for that event allows.
  Draws draws_for(const accounting::Event& event) {
    return value_of(Draws::authorised(value_of(ledger.reserve(terms, event)), event));
  }

  ledger::Ledger ledger;
  ledger::Terms terms;
};

}  // namespace chronoveil::mechanisms::testing
