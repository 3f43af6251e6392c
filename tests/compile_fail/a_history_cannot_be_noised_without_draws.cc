// No draws, no private forecast.
// expect-error: (cannot convert|no known conversion|invalid initialization)
#include "chronoveil/base/bit_source.h"
#include "chronoveil/training/noised_history.h"

using namespace chronoveil;

auto noisy(const forecasting::Panel& panel, const training::PrivateHistoryPlan& plan, BitSource& bits) {
  return training::noised(panel, 1, plan, bits);
}
