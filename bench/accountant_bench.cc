// Questions a second to the accountant, in process and warm, on one core, at a certified gap of 1e-3.
#include <cstring>
#include <string>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/running_price.h"
#include "timing.h"

namespace {

using namespace chronoveil;
using namespace chronoveil::accounting;

const Delta kDelta = *Delta::make_positive(1e-7);

// The step of the traffic setting: one window of one of 256 among 862 series.
Event training(std::int64_t steps, double noise) {
  StructuredSubsampling e{};
  e.series = 862;
  e.length = {17256};
  e.context_length = 96;
  e.forecast_length = 24;
  e.batch_size = 256;
  e.noise_multiplier = noise;
  return {e, steps};
}

// An answer that is an error, or whose bounds are further apart than promised, makes the whole run worthless.
void demand(const Result<Price>& price) {
  if (!price || !(price->epsilon - price->epsilon_lower <= std::max(1e-3 * price->epsilon, 1e-6))) {
    std::fprintf(stderr, "accountant_bench: %s\n", price ? "the gap is too wide" : price.error().message.c_str());
    std::exit(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool toy = argc > 1 && std::strcmp(argv[1], "--toy") == 0;
  const int repetitions = toy ? 1 : 30;
  using bench::items_per_second;
  using bench::report;

  // What peers compute, to hold them to the same accuracy: real neighbours, one direction.
  Options with_attained;
  with_attained.attained = true;
  const auto reference = epsilon_at(training(100'000, 4), kDelta, with_attained);
  demand(reference);
  std::printf("{\"name\": \"reference\", \"epsilon_attained\": %.6g}\n", *reference->epsilon_attained);

  for (const auto& [name, steps] :
       {std::pair{"subsampled gaussian, 10^5 steps", 100'000}, {"subsampled gaussian, 10^3 steps", 1000}})
    report(name, items_per_second(1, repetitions, [&] { demand(epsilon_at(training(steps, 4), kDelta)); }));

  Compose mixed;
  for (int i = 0; i < 50; ++i) {
    mixed.events.push_back(training(1, 4));
    mixed.events.push_back({Laplace{50}, 1});
  }
  const Event fifty_and_fifty{mixed, 1};
  report("50 + 50 mixed steps", items_per_second(1, repetitions, [&] { demand(epsilon_at(fifty_and_fifty, kDelta)); }));

  const int composes = toy ? 5 : 200;
  report("200 composes, epsilon after each", items_per_second(toy ? 5.0 / 200 : 1, toy ? 1 : 5, [&] {
           RunningPrice run;
           for (int n = 1; n <= composes; ++n) {
             if (!run.add(training(1, 4))) std::exit(1);
             demand(run.epsilon_at(kDelta));
           }
         }));

  const Event open = training(10'000, kToCalibrate);
  report("calibration, 10^4 steps", items_per_second(1, repetitions, [&] {
           const auto found = calibrate(open, *Epsilon::make(1), kDelta);
           if (!found) std::exit(1);
         }));
}
