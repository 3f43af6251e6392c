// Who gets how much of a budget for publishing of which any w steps in a row may spend the whole, and no more
// [Kellaris14]. In whole shares, so that no rounding can overspend.
//   Distribution   2^40 shares. A step is offered half of what the w − 1 steps before it left; odd halves round down.
//   Absorption     w shares, one a step. A step is offered its own and those of the steps before it that were skipped,
//                  at most w. Once k are spent, the k − 1 steps that follow are nullified: nothing is offered, and
//                  their shares are nobody's.
//   Edges          w = 1: every step is offered half (distribution) or all (absorption); what is not spent in time is
//                  lost
#pragma once

#include <cstdint>
#include <memory>

#include "chronoveil/base/state_words.h"

namespace chronoveil::mechanisms {

class WindowShares {
 public:
  virtual ~WindowShares() = default;
  virtual std::int64_t whole() const = 0;
  // What step t may spend. Steps are offered in ascending order; one that is left out has spent nothing.
  virtual std::int64_t offer(std::int64_t t) = 0;
  // Step t, offered last, spends all that it was offered.
  virtual void spend(std::int64_t t, std::int64_t shares) = 0;
  virtual void save(StateWriter&) const = 0;
  virtual void load(StateReader&) = 0;
};

std::unique_ptr<WindowShares> distribution(std::int64_t width);
std::unique_ptr<WindowShares> absorption(std::int64_t width);

}  // namespace chronoveil::mechanisms
