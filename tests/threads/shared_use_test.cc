// Objects that several threads may share give them the same answers as one thread alone. Run with the thread sanitizer
// this also shows that nothing behind these answers is written by two threads at once.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/accounting/moments.h"
#include "chronoveil/accounting/moves/staswitch_simulation.h"
#include "chronoveil/noise/sampler.h"

namespace chronoveil {
namespace {

constexpr std::size_t kThreads = 4;

// The answers of `ask(0)`, ..., `ask(kThreads - 1)`, all asked at once.
template <class Answer>
std::vector<Answer> at_once(const std::function<Answer(std::size_t)>& ask) {
  std::vector<Answer> answers(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) threads.emplace_back([&, i] { answers[i] = ask(i); });
  for (std::thread& thread : threads) thread.join();
  return answers;
}

template <class Answer>
std::vector<Answer> one_by_one(const std::function<Answer(std::size_t)>& ask) {
  std::vector<Answer> answers(kThreads);
  for (std::size_t i = 0; i < kThreads; ++i) answers[i] = ask(i);
  return answers;
}

TEST(SharedUse, OneSamplerServesManyThreads) {
  using noise::Law;
  for (const Law law : {Law::rounded_laplace, Law::rounded_gaussian, Law::discrete_laplace, Law::discrete_gaussian}) {
    const noise::Sampler sampler = noise::Sampler::make(law, 1000).value();
    const std::function draw = [&sampler](std::size_t seed) {
      BitSource bits = BitSource::with_seed(seed);
      std::vector<std::int64_t> draws(20000);
      sampler.fill(draws, bits);
      draws.push_back(sampler(bits));
      return draws;
    };
    const auto alone = one_by_one<std::vector<std::int64_t>>(draw);
    EXPECT_EQ(at_once<std::vector<std::int64_t>>(draw), alone);
    EXPECT_NE(alone[0], alone[1]);
  }
}

TEST(SharedUse, ManyThreadsBuildTheirFirstSamplersAtOnce) {
  const std::function build = [](std::size_t thread) {
    const double scale = 10 + static_cast<double>(thread);
    BitSource bits = BitSource::with_seed(1);
    return noise::Sampler::make(noise::Law::rounded_gaussian, scale).value()(bits);
  };
  EXPECT_EQ(at_once<std::int64_t>(build), one_by_one<std::int64_t>(build));
}

// Different events, so that threads differ in the sizes and plans of their transforms.
accounting::Event event_of(std::size_t thread) {
  const char* const texts[kThreads] = {
      R"({"event": "gaussian", "noise_multiplier": 5, "count": 100})",
      R"({"event": "laplace", "noise_multiplier": 20, "count": 50})",
      R"({"event": "compose", "events": [{"event": "gaussian", "noise_multiplier": 9, "count": 30},
                                         {"event": "laplace", "noise_multiplier": 30, "count": 20}]})",
      R"({"event": "structured_subsampling", "series": 100, "length": 744, "context_length": 48, "forecast_length": 24,
          "batch_size": 10, "noise_multiplier": 2, "count": 200})"};
  return accounting::parse_event(texts[thread]).value();
}

TEST(SharedUse, ManyThreadsPriceAtOnce) {
  const std::function price = [](std::size_t thread) {
    const Delta delta = Delta::make(1e-6).value();
    const accounting::Price found = accounting::epsilon_at(event_of(thread), delta).value();
    return std::vector<double>{found.epsilon, found.epsilon_lower};
  };
  EXPECT_EQ(at_once<std::vector<double>>(price), one_by_one<std::vector<double>>(price));
}

// Each shares its distances among threads of its own.
TEST(SharedUse, ManyThreadsMeasureAtOnce) {
  const std::function measure = [](std::size_t thread) {
    const accounting::SimulationPlan plan{1e-6, 64, {32, 64}};
    return accounting::simulate_staswitch(11 + static_cast<int>(thread), 0.5, plan).deltas;
  };
  EXPECT_EQ(at_once<std::vector<double>>(measure), one_by_one<std::vector<double>>(measure));
}

TEST(SharedUse, ManyThreadsAskForRenyiCostsAtOnce) {
  const std::function cost = [](std::size_t thread) {
    return accounting::renyi_cost(event_of(thread), accounting::renyi_orders()).value().epsilon;
  };
  EXPECT_EQ(at_once<std::vector<double>>(cost), one_by_one<std::vector<double>>(cost));
}

}  // namespace
}  // namespace chronoveil
