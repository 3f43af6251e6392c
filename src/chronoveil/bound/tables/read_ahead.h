// All rows of a source, placed on one thread and used on another: while some are used, the next are read.
#pragma once

#include <cstdint>
#include <exception>
#include <thread>

#include "chronoveil/base/interrupted.h"
#include "chronoveil/base/result.h"
#include "chronoveil/bound/tables/handover.h"

namespace chronoveil::bound {

// Few rows are not worth a thread.
inline constexpr std::int64_t kFewRows = 20'000;

// Places rows on a thread of its own, and uses them on this one.
template <class Rows, class Placer, class Use>
Result<void> use_while_placing(Placer& placer, Use use) {
  Handover<Rows> handover;
  Result<void> outcome;
  std::exception_ptr thrown;
  std::thread reader([&, heeded = heeded_interrupt()] {
    const Interruptible as_its_starter(heeded);
    try {
      while (Rows* rows = handover.to_fill()) {
        const Result<bool> more = placer.next(*rows);
        if (!more) outcome = Failure(more.error());
        if (!more || !*more) break;
        handover.filled();
      }
    } catch (...) {
      thrown = std::current_exception();
    }
    handover.finish();
  });
  try {
    while (const Rows* rows = handover.to_use()) {
      use(*rows);
      handover.used();
    }
  } catch (...) {
    handover.stop();
    reader.join();
    throw;
  }
  reader.join();
  if (thrown) std::rethrow_exception(thrown);
  return outcome;
}

// A Placer has `Result<bool> next(Rows&)`, false at the end, and says in left_out().rows how many rows it has read.
// Rethrows what `next` and `use` throw, and throws std::system_error if no thread can be started.
template <class Rows, class Placer, class Use>
Result<void> use_all(Placer& placer, Use use) {
  bool more = true;
  for (Rows rows; more && placer.left_out().rows < kFewRows;) {
    CV_TRY(more, placer.next(rows));
    if (more) use(rows);
  }
  return more ? use_while_placing<Rows>(placer, use) : Result<void>();
}

}  // namespace chronoveil::bound
