// What a terminal is told, and asked, before a debit.
#pragma once

#include <functional>

#include "chronoveil/engine/series/series.h"
#include "output/progress_line.h"

namespace chronoveil::cli {

struct DebitQuestion {
  double epsilon = 0, delta = 0;  // of the release
  bool rows_on_stdin = false;
  bool yes = false;  // --yes: do not ask
};
DebitQuestion question_of(const engine::Job&, bool yes);

// For `before_debit` of a run: says on stderr what the debit costs and what is left afterwards. Asks too, unless `yes`,
// or nobody can answer: standard input is no terminal, or the rows come from it. A refusal is a usage error, and
// nothing is spent. Empty where stderr is no terminal. A line of progress is cleared first; it must outlive the run.
std::function<Result<void>(const engine::DebitAhead&)> ask_before_debit(const DebitQuestion&,
                                                                        const ProgressLine* progress = nullptr);

}  // namespace chronoveil::cli
