// A symmetric pair whose positive losses are a list of atoms: what a finite mechanism looks like.
#pragma once

#include <memory>
#include <vector>

#include "chronoveil/accounting/grid/loss_model.h"

namespace chronoveil::accounting {

struct LossAtom {
  double loss = 0;  // > 0
  long double mass = 0;
};

struct AtomicLaw {
  std::vector<LossAtom> atoms;  // losses strictly descending
  double zero = 0;              // P-mass at loss 0
  double infinite = 0;          // P-mass of an infinite loss, rounded up
  LossModel::Lattice lattice;
  bool tight = true;  // real neighbours attain it
};

// δ(ε) = infinite + Σ mass max(0, 1 - e^(ε - loss)), in O(log atoms), summed without a difference.
std::unique_ptr<const LossModel> atomic_model(AtomicLaw);

}  // namespace chronoveil::accounting
