// Divides a budget for publishing among steps, so that any w steps in a row spend at most all of it [Kellaris14]. In
// whole shares, so that no rounding can overspend.
//   Distribution   2^40 shares. A step is offered half of what the w − 1 steps before it left; odd halves round down.
//   Absorption     w shares, one per step. A step is offered its own share and those of the skipped steps before it, at
//                  most w. Once k are spent, the next k − 1 steps are nullified: nothing is offered, and their shares
//                  are lost.
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
  // What step t may spend. Steps come in ascending order; one that is left out has spent nothing.
  virtual std::int64_t offer(std::int64_t t) = 0;
  // Step t, offered last, spends all that it was offered.
  virtual void spend(std::int64_t t, std::int64_t shares) = 0;
  virtual void save(StateWriter&) const = 0;
  virtual void load(StateReader&) = 0;
};

std::unique_ptr<WindowShares> distribution(std::int64_t width);
std::unique_ptr<WindowShares> absorption(std::int64_t width);

}  // namespace chronoveil::mechanisms
