// No right to draw, no noise on windows.
// expect-error: (cannot convert|no known conversion|invalid initialization)
#include "chronoveil/neural/augmentation.h"

using namespace chronoveil;

auto noisy(const neural::Augmentation& noise, const forecasting::Panel& panel,
           std::vector<forecasting::Window>& windows, BitSource& bits) {
  return noise.apply(panel, {1, 1}, windows, bits);
}
