// What whoever runs a job of any kind decides, and is told while it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "chronoveil/ledger/ledger.h"
#include "chronoveil/mechanisms/replay.h"

namespace chronoveil::engine {

// What a debit takes from a budget, told before it is made.
struct DebitAhead {
  ledger::Dataset dataset;
  ledger::Cost cost, left;  // left: afterwards
};

struct RunOptions {
  std::string ledger;                        // a path or URL; the user's own when empty
  bool confirmed = false;                    // --yes: a second debit, and what it replaces, is meant
  bool allow_empty = false;                  // a release although no row of the data counts
  bool allow_uninformative = false;          // a release although its plan says that it tells nothing
  std::optional<std::uint64_t> seed;         // not private; touches no ledger
  std::optional<mechanisms::Replay> replay;  // not private; touches no ledger
  std::function<Result<void>(const DebitAhead&)>
      before_debit;                                        // an error: none is made; not called where one is taken up
  std::function<void(const std::string&)> note_debit;      // called once the debit is durable, before data is read
  std::function<void(const std::string&)> note_taken_up;   // an unused debit of the same job was taken up
  std::function<void(const std::string&)> note_programme;  // a sentence: which slot pays, or that none does
  std::function<void(const std::string&)> note_drawing;    // before the first bit is drawn: from now on it stays spent
  std::function<void(const std::string&, bool stored)> note_released;  // settled; the outputs come next
  std::function<void(std::string_view stage)> progress;

  bool rehearses() const { return seed || replay; }
};

}  // namespace chronoveil::engine
