#include "ye2023/releases.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace chronoveil::ye2023 {
namespace {

Result<Moved> moved_by(const temporal::SwitchLaw& law, std::size_t steps, BitSource& bits) {
  CV_TRY(auto switching, temporal::Switching<std::int64_t>::make(law));
  Moved moved;
  moved.from.reserve(steps);
  const auto sink = [&](std::int64_t step) { moved.from.push_back(step); };
  for (std::size_t step = 0; step < steps; ++step) switching.push(static_cast<std::int64_t>(step), bits, sink);
  switching.finish(bits, sink);
  return moved;
}

Result<Moved> moved_by(const temporal::NoisySortLaw& law, std::size_t steps, BitSource& bits) {
  CV_TRY(const std::vector<std::uint32_t> order, temporal::noisy_order(static_cast<std::int64_t>(steps), law, bits));
  return Moved{.from = {order.begin(), order.end()}};
}

Result<Moved> moved_by(const temporal::ThresholdLaw& law, std::size_t steps, BitSource& bits) {
  CV_TRY(auto dispatch, temporal::ThresholdDispatch<std::int64_t>::make(law));
  Moved moved;
  moved.from.reserve(steps);
  const auto sink = [&](std::optional<std::int64_t> step) { moved.from.push_back(step.value_or(kEmpty)); };
  for (std::size_t step = 0; step < steps; ++step) dispatch.push(static_cast<std::int64_t>(step), bits, sink);
  moved.missing = dispatch.finish();
  return moved;
}

}  // namespace

std::int64_t window_of(const MovingLaw& law) {
  return std::visit([](const auto& each) { return each.window; }, law);
}

Result<Moved> moved(const MovingLaw& law, std::size_t steps, BitSource& bits) {
  return std::visit([&](const auto& each) { return moved_by(each, steps, bits); }, law);
}

Cost cost_of(const Moved& moved, std::int64_t window) {
  constexpr std::size_t kBlocks = 100;
  const std::size_t steps = moved.from.size();
  std::array<double, kBlocks> block{};
  for (std::size_t b = 0; b < kBlocks; ++b) {
    const std::size_t begin = b * steps / kBlocks, end = (b + 1) * steps / kBlocks;
    std::int64_t sum = 0;
    for (std::size_t i = begin; i < end; ++i)
      sum += moved.from[i] == kEmpty ? window : std::abs(moved.from[i] - static_cast<std::int64_t>(i));
    block[b] = static_cast<double>(sum) / static_cast<double>(end - begin);
  }
  const double lost = static_cast<double>(window * moved.missing) / static_cast<double>(steps);
  double mean = 0, squares = 0;
  for (const double each : block) mean += each;
  mean /= kBlocks;
  for (const double each : block) squares += (each - mean) * (each - mean);
  return {mean + lost, std::sqrt(squares / (kBlocks - 1) / kBlocks)};
}

}  // namespace chronoveil::ye2023
