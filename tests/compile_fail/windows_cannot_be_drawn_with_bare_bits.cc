// No right to draw, no windows to train on.
// expect-error: (cannot convert|no known conversion|invalid initialization)
#include "chronoveil/forecasting/sampling.h"

auto draw(const chronoveil::forecasting::WindowSampler& sampler, chronoveil::BitSource& bits) {
  return sampler.draw(0, bits);
}
