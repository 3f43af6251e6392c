// The switches once more, as the paper words them: on the whole series, by going through all choices, and by drawing
// one after the other. With mistakes to choose from, for twins that the checker must reject.
#pragma once

#include "chronoveil/base/bit_source.h"
#include "chronoveil/temporal/switching.h"
#include "temporal/outcomes.h"

namespace chronoveil::temporal {

enum class SwitchMistake {
  none,
  state_stays_behind,  // b[i] += l, as printed: the state is lost with the release of step i
  state_is_not_added,  // b[i + l] = l
  end_mass_stays,      // offsets beyond the end stay, instead of p : q renormalised
  end_comes_before,    // at the end StaSwitch renormalises over what its limit leaves
};

OutcomeLaw switch_law(int length, const SwitchLaw&, SwitchMistake = SwitchMistake::none);
Outcome switch_slowly(int length, const SwitchLaw&, SwitchMistake, BitSource&);

}  // namespace chronoveil::temporal
