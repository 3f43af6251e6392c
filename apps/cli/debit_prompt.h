// What a terminal is told, and asked, before a debit.
#pragma once

#include "chronoveil/engine/series/series.h"

namespace chronoveil::cli {

// Says on stderr, a terminal, what the debit costs and what is left afterwards. Asks too, unless `yes`, or nobody can
// answer: standard input is no terminal, or the rows come from it. A refusal is a usage error, and nothing is spent.
Result<void> ask_before_debit(const engine::Job&, bool yes, const engine::DebitAhead&);

}  // namespace chronoveil::cli
