// Questions per second to the accountant, in process and warm, on one core, at a certified gap of 1e-3.
#include <cstring>
#include <string>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/grid/running_price.h"
#include "timing.h"

namespace {

using namespace chronoveil;
using namespace chronoveil::accounting;

const Delta kDelta = *Delta::make_positive(1e-7);

// The step of the traffic setting: one window of each of 256 among 862 series.
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

// An error, or bounds further apart than promised, make the whole run worthless.
Price demanded(const Result<Price>& price) {
  if (!price || !(price->epsilon - price->epsilon_lower <= std::max(1e-3 * price->epsilon, 1e-6))) {
    std::fprintf(stderr, "accountant_bench: %s\n", price ? "the gap is too wide" : price.error().text().c_str());
    std::exit(1);
  }
  return *price;
}

// One question: how many per second, and its answer. `attained` is what real neighbours show in one direction, which is
// what peers compute.
void ask(const char* name, const Event& event, Delta delta, int repetitions) {
  Options options;
  options.attained = true;
  const Price price = demanded(epsilon_at(event, delta, options));
  const double rate = bench::items_per_second(1, repetitions, [&] { demanded(epsilon_at(event, delta)); });
  std::printf(
      "{\"name\": \"%s\", \"per_second\": %.6g, \"epsilon\": %.7g, \"epsilon_lower\": %.7g, \"attained\": %.7g}\n",
      name, rate, price.epsilon, price.epsilon_lower, price.epsilon_attained.value_or(price.epsilon_lower));
}

}  // namespace

int main(int argc, char** argv) {
  const bool toy = argc > 1 && std::strcmp(argv[1], "--toy") == 0;
  const int repetitions = toy ? 1 : 30;
  using bench::items_per_second;
  using bench::report;

  ask("dp_sgd, noise 1, rate 0.01, 10^4 steps", {DpSgd{0.01, 1}, 10'000}, *Delta::make_positive(1e-5), repetitions);
  ask("dp_sgd, noise 0.8, rate 0.004, 3000 steps", {DpSgd{0.004, 0.8}, 3000}, *Delta::make_positive(1e-6), repetitions);
  Compose mixed;
  for (int i = 0; i < 50; ++i) {
    mixed.events.push_back({DpSgd{0.01, 1}, 1});
    mixed.events.push_back({Laplace{50}, 1});
  }
  ask("50 + 50 mixed: dp_sgd and laplace", {mixed, 1}, kDelta, repetitions);
  ask("time subsampling, 180 steps, 100 times", {TimeSubsampling{180, 0.1, 26, {}, {}}, 100}, kDelta, repetitions);
  ask("time subsampling, filtered, 10 times", {TimeSubsampling{180, 0.1, 20, 1800, 10.0}, 10}, kDelta, repetitions);
  ask("structured subsampling, 10^5 steps", training(100'000, 4), kDelta, repetitions);
  ask("structured subsampling, 10^3 steps", training(1000, 4), kDelta, repetitions);

  const int composes = toy ? 5 : 200;
  report("200 composes, epsilon after each", items_per_second(toy ? 5.0 / 200 : 1, toy ? 1 : 5, [&] {
           RunningPrice run;
           for (int n = 1; n <= composes; ++n) {
             if (!run.add(training(1, 4))) std::exit(1);
             demanded(run.epsilon_at(kDelta));
           }
         }));

  for (const auto& [name, open] : {std::pair{"calibration, structured, 10^4 steps", training(10'000, kToCalibrate)},
                                   {"calibration, dp_sgd, 10^4 steps", Event{DpSgd{0.01, kToCalibrate}, 10'000}}})
    report(name, items_per_second(1, repetitions, [&, &event = open] {
             const auto found = calibrate(event, *Epsilon::make(1), kDelta);
             if (!found) std::exit(1);
           }));
}
