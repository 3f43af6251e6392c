// Puts the noise of a whole release to the test: what a mechanism measured, less what it would have measured without
// noise, must be independent draws of exactly the planned law, in whole grid steps.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "chronoveil/mechanisms/draws.h"
#include "noise/draws.h"
#include "noise/law_checker.h"
#include "setting.h"

namespace chronoveil::mechanisms::testing {

// Enough pairs of neighbours, too, for each of the 64 cells of their table.
inline constexpr std::int64_t kResiduals = kSanitized ? 200'000 : 400'000;

// Empty when the noise is as planned, else what is wrong. Rejects right noise with probability below 1e-8.
inline std::string noise_complaints(const SeriesMechanism& row, const SeriesPlan& plan, std::uint64_t seed) {
  // Zeros and a step function in turn: noise that depends on the data shows in one of them.
  std::vector<std::int64_t> zeros(cells(plan), 0), steps(cells(plan), 3);
  for (std::size_t i = 0; i < steps.size(); i += 2) steps[i / 2] = 40;
  const std::vector<double> clean[] = {without_noise(row, plan, zeros), without_noise(row, plan, steps)};
  Draws draws = Draws::seeded(seed);
  std::string off_grid;
  std::vector<std::int64_t> ready;
  std::size_t turn = 0;
  const auto release = [&] {
    const bool second = turn++ % 2 == 1;
    const Measurement measured = value_of(row.measure(plan, second ? steps : zeros, draws));
    ready.clear();
    for (std::size_t i = 0; i < measured.values.size(); ++i) {
      const std::size_t at = measured.kept ? static_cast<std::size_t>((*measured.kept)[i]) : i;
      const double in_steps = (measured.values[i] - clean[second ? 1 : 0][at]) / plan.grid;
      if (in_steps != std::floor(in_steps) || std::abs(in_steps) > 0x1p53) off_grid = "off the grid, ";
      ready.push_back(static_cast<std::int64_t>(std::floor(std::clamp(in_steps, -0x1p60, 0x1p60))));
    }
  };
  std::size_t used = 0;
  const noise::Fill fill = [&](std::span<std::int64_t> out) {
    for (std::int64_t& residual : out) {
      while (used == ready.size()) {
        used = 0;
        release();
      }
      residual = ready[used++];
    }
  };
  const noise::Law law = plan.noise == NoiseKind::laplace ? noise::Law::rounded_laplace : noise::Law::rounded_gaussian;
  noise::LawChecker checker(law, plan.scale / plan.grid);
  const std::string wrong = checker.complaints(fill, kResiduals);
  return off_grid + wrong;
}

// The same plan with so little noise that half a grid step would show, and with so small a sensitivity that it still
// fits the event.
inline SeriesPlan coarse(SeriesPlan plan) {
  const double scale = 1.25 * plan.grid;
  plan.sensitivity *= scale / plan.scale;
  plan.scale = scale;
  return plan;
}

}  // namespace chronoveil::mechanisms::testing
