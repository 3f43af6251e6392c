// fast and fixed_rate against the formulas, written out in long double over long series with every branch taken.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/mechanisms/series/fast.h"
#include "chronoveil/mechanisms/series/fixed_rate.h"
#include "watched.h"

namespace chronoveil::mechanisms::testing {
namespace {

using Real = long double;

struct Answer {
  std::int64_t step;
  Real value;
};

// Which of q = 0 and R 4^k, k = −12..12, makes the answers likeliest, from all of them again: log densities of each
// answer given those before.
Real likeliest_step(const std::vector<Answer>& answers, Real r) {
  Real best = 0, highest = -INFINITY;
  for (int k = -13; k <= 12; ++k) {
    const Real q = k == -13 ? 0 : r * std::pow(Real{4}, k);
    Real mean = answers[0].value, variance = r, sum = 0;
    for (std::size_t i = 1; i < answers.size(); ++i) {
      variance += q * static_cast<Real>(answers[i].step - answers[i - 1].step);
      const Real off = answers[i].value - mean;
      sum -= (std::log(variance + r) + off * off / (variance + r)) / 2;
      mean += variance / (variance + r) * off;
      variance = variance * r / (variance + r);
    }
    if (sum > highest) {
      highest = sum;
      best = q;
    }
  }
  return answers.size() < 2 ? 0 : best;
}

// x, P and Q of the spec.
struct Filter {
  Real r;
  std::optional<Real> fixed_q;
  std::vector<Answer> answers = {};
  Real x = 0, p = 0, q = 0;

  void predict() {
    if (!answers.empty()) p += fixed_q.value_or(q);
  }
  void correct(std::int64_t step, Real z) {
    if (answers.empty()) {
      x = z;
      p = r;
    } else {
      const Real k = p / (p + r);
      x += k * (z - x);
      p = (1 - k) * p;
    }
    answers.push_back({step, z});
    if (!fixed_q) q = likeliest_step(answers, r);
  }
};

struct Branches {
  int warm_up = 0, shorter = 0, longer = 0, at_least = 0, exhausted = 0, postponed = 0, between = 0;
};

struct Expected {
  std::vector<Real> value;
  std::vector<std::uint8_t> sampled;
  Branches branches;
};

struct Case {
  double delta = 0;
  double cp = 0.9, ci = 0.1, cd = 0;
  std::int64_t time = 20;
  double theta = 5, xi = 0.4, least = 1, sanity = 1;
  std::optional<double> q = std::nullopt, r = std::nullopt;
  double missing = 0;
  std::int64_t queries = 0;
};

Filter filter_for(const Case& c, const SeriesPlan& plan) {
  const Real scale = plan.scale, true_r = plan.noise == NoiseKind::laplace ? 2 * scale * scale : scale * scale;
  return {c.r ? Real{*c.r} : true_r, c.q ? std::optional<Real>(*c.q) : std::nullopt};
}

// The spec, step by step. `sign` −1: as the report prints it.
Expected fast_directly(const Case& c, const SeriesPlan& plan, const std::vector<std::int64_t>& counts,
                       const std::vector<double>& tape, int sign = 1) {
  Filter filter = filter_for(c, plan);
  const std::int64_t steps = plan.shape.steps, most = c.queries == 0 ? steps / 4 : c.queries;
  Expected expected;
  std::vector<Real> errors;
  Real s = c.least;
  std::int64_t next = 0, asked = 0, last_query = 0;
  std::size_t drawn = 0;
  for (std::int64_t k = 0; k < steps; ++k) {
    filter.predict();
    const std::int64_t count = counts[static_cast<std::size_t>(k)];
    const bool due = k >= next, ask = due && asked < most && count != kMissing;
    expected.branches.exhausted += due && asked >= most;
    expected.branches.postponed += due && asked < most && count == kMissing;
    expected.branches.between += !due;
    if (ask) {
      const Real prior = filter.x;
      filter.correct(k, static_cast<Real>(count) + std::floor(tape[drawn++] / plan.grid + 0.5) * plan.grid);
      next = k + 1;
      if (asked > 0) {
        errors.push_back(std::abs(filter.x - prior) / std::max(filter.x, Real{c.sanity}));
        if (k >= c.time - 1) {
          const std::size_t n = std::min(errors.size(), static_cast<std::size_t>(c.time));
          Real mean = 0;
          for (std::size_t i = errors.size() - n; i < errors.size(); ++i) mean += errors[i] / static_cast<Real>(n);
          Real delta = c.cp * errors.back() + c.ci * mean;
          if (errors.size() > 1)
            delta += c.cd * (errors.back() - errors[errors.size() - 2]) / static_cast<Real>(k - last_query);
          const Real before = s;
          s = std::max<Real>(c.least, s + c.theta * (1 - std::exp(sign * (delta - c.xi) / c.xi)));
          expected.branches.longer += s > before;
          expected.branches.shorter += s < before;
          expected.branches.at_least += s == c.least;
        }
      }
      if (k < c.time - 1)
        ++expected.branches.warm_up;
      else
        next = k + static_cast<std::int64_t>(std::floor(s + Real{0.5}));
      last_query = k;
      ++asked;
    }
    expected.value.push_back(filter.x);
    expected.sampled.push_back(ask ? 1 : 0);
  }
  return expected;
}

Expected fixed_rate_directly(const Case& c, const SeriesPlan& plan, const std::vector<std::int64_t>& counts,
                             const std::vector<double>& tape, std::int64_t interval) {
  Filter filter = filter_for(c, plan);
  Expected expected;
  std::size_t drawn = 0;
  for (std::int64_t k = 0; k < plan.shape.steps; ++k) {
    filter.predict();
    const std::int64_t count = counts[static_cast<std::size_t>(k)];
    const bool ask = k % interval == 0 && count != kMissing;
    expected.branches.between += k % interval != 0;
    expected.branches.postponed += k % interval == 0 && count == kMissing;  // skipped, here
    if (ask) filter.correct(k, static_cast<Real>(count) + std::floor(tape[drawn++] / plan.grid + 0.5) * plan.grid);
    expected.value.push_back(filter.x);
    expected.sampled.push_back(ask ? 1 : 0);
  }
  return expected;
}

// Calm at one level for a long time, then bursts, then calm at another.
std::vector<std::int64_t> calm_and_bursts(std::int64_t steps, double size, double missing) {
  std::mt19937_64 random(77);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::vector<std::int64_t> counts;
  double level = size;
  for (std::int64_t k = 0; k < steps; ++k) {
    const bool burst = k / 40 % 5 == 3;
    level = std::max(size / 100, level * std::exp(normal(random) * (burst ? 0.5 : 0.001)));
    if (k / 40 % 5 == 4) level += (size - level) / 8;
    counts.push_back(uniform(random) < missing ? kMissing : static_cast<std::int64_t>(std::min(level, 1e8)));
  }
  return counts;
}

std::vector<double> laplace_tape(std::size_t length, double scale) {
  std::mt19937_64 random(78);
  std::exponential_distribution<double> exponential;
  std::vector<double> tape(length);
  for (double& noise : tape) noise = scale * (exponential(random) - exponential(random));
  return tape;
}

Request request_of(const Case& c, std::int64_t steps) {
  Request request = request_for(steps, 1, c.delta);
  request.shape.max_steps = 30;
  if (c.q) request.parameters["process_variance"] = *c.q;
  if (c.r) request.parameters["measurement_variance"] = *c.r;
  return request;
}

Request fast_request(const Case& c, std::int64_t steps) {
  Request request = request_of(c, steps);
  request.parameters.insert({{"queries", c.queries},
                             {"proportional", c.cp},
                             {"integral", c.ci},
                             {"derivative", c.cd},
                             {"integration_time", c.time},
                             {"theta", c.theta},
                             {"xi", c.xi},
                             {"min_interval", c.least},
                             {"sanity_bound", c.sanity}});
  return request;
}

void expect_equal(const Watched& ours, const Expected& expected) {
  ASSERT_EQ(ours.error, "");
  ASSERT_EQ(ours.estimate.sampled, expected.sampled);
  Real size = 1;
  for (const Real value : expected.value) size = std::max(size, std::abs(value));
  for (std::size_t k = 0; k < expected.value.size(); ++k)
    ASSERT_NEAR(ours.estimate.value[k], static_cast<double>(expected.value[k]), 1e-9 * static_cast<double>(size)) << k;
}

constexpr std::int64_t kSteps = 2000;

TEST(Fast, EqualsTheFormulasOnLongSeriesWithEveryBranchTaken) {
  const Case cases[] = {
      {},
      {.delta = 1e-6},
      {.delta = 1e-6, .q = 1e5},
      {.cp = 0.8, .ci = 0.1, .cd = 0.1, .q = 1e5, .missing = 0.1},
      {.time = 1, .q = 1e5, .r = 10.0},
      {.q = 1e6, .queries = 100},
      {.delta = 1e-6,
       .cd = 0.3,
       .time = 7,
       .theta = 2,
       .xi = 0.2,
       .least = 2.5,
       .sanity = 50,
       .missing = 0.2,
       .queries = 700},
  };
  Branches all;
  for (const Case& c : cases) {
    const SeriesPlan plan = value_of(fast().prepare(fast_request(c, kSteps)));
    const std::vector<std::int64_t> counts = calm_and_bursts(kSteps, 40 * plan.scale, c.missing);
    const std::vector<double> tape = laplace_tape(kSteps, plan.scale / 2);
    const Expected expected = fast_directly(c, plan, counts, tape);
    Draws draws = Draws::replayed({.noise = tape, .kept = std::nullopt});
    expect_equal(watch(plan, counts, draws), expected);
    EXPECT_LE(draws.used(), plan.measured);
    const Branches& b = expected.branches;
    EXPECT_GT(b.between, 100);
    all.warm_up += b.warm_up;
    all.shorter += b.shorter;
    all.longer += b.longer;
    all.at_least += b.at_least;
    all.exhausted += b.exhausted;
    all.postponed += b.postponed;
    // The printed sign would have been noticed.
    EXPECT_NE(fast_directly(c, plan, counts, tape, -1).sampled, expected.sampled);
  }
  EXPECT_GT(all.warm_up, 30);
  EXPECT_GT(all.shorter, 30);
  EXPECT_GT(all.longer, 30);
  EXPECT_GT(all.at_least, 30);
  EXPECT_GT(all.exhausted, 30);
  EXPECT_GT(all.postponed, 30);
}

TEST(FixedRate, EqualsTheFormulasOnLongSeries) {
  for (const Case& c :
       {Case{}, Case{.delta = 1e-6, .q = 1e4, .missing = 0.1}, Case{.r = 10.0}, Case{.delta = 1e-6, .missing = 0.1}}) {
    for (const std::int64_t interval : {1, 7, 37}) {
      if (interval == 1 && !c.q) continue;  // the direct computation of an automatic Q takes the square of the answers
      Request request = request_of(c, kSteps);
      request.parameters["interval"] = interval;
      const SeriesPlan plan = value_of(fixed_rate().prepare(request));
      const std::vector<std::int64_t> counts = calm_and_bursts(kSteps, 40 * plan.scale, c.missing);
      const std::vector<double> tape = laplace_tape(kSteps, plan.scale);
      const Expected expected = fixed_rate_directly(c, plan, counts, tape, interval);
      Draws draws = Draws::replayed({.noise = tape, .kept = std::nullopt});
      expect_equal(watch(plan, counts, draws), expected);
      EXPECT_EQ(draws.used(), plan.measured - expected.branches.postponed) << "what was missing is not made up for";
    }
  }
}

TEST(Fast, TheNoiseIsThatOfItsQuestions) {
  Request request = request_for(200, 0.5, 0);
  request.shape.max_steps = 200;
  request.shape.max_per_slot = 2;
  const SeriesPlan quarter = value_of(fast().prepare(request));
  EXPECT_EQ(quarter.measured, 50);
  EXPECT_EQ(integer(quarter.parameters, "queries"), 50) << "the plan says how many";
  EXPECT_NEAR(quarter.scale, 2 * 50 / 0.5, 1e-9);
  request.parameters["queries"] = std::int64_t{10};
  EXPECT_NEAR(value_of(fast().prepare(request)).scale, 2 * 10 / 0.5, 1e-9);
  request.shape.series = 3;
  EXPECT_NEAR(value_of(fast().prepare(request)).scale, 2 * 30 / 0.5, 1e-9) << "a person may be in all series";
  EXPECT_EQ(value_of(fast().prepare(request)).measured, 30);
  request.shape.max_steps = 4;
  EXPECT_NEAR(value_of(fast().prepare(request)).scale, 2 * 4 / 0.5, 1e-9) << "or in few steps";
  request.delta = 1e-6;
  const SeriesPlan gaussian = value_of(fast().prepare(request));
  EXPECT_EQ(gaussian.noise, NoiseKind::gaussian);
  EXPECT_EQ(gaussian.sensitivity, 4);
  request.shape.steps = 3;
  request.parameters.clear();
  EXPECT_EQ(value_of(fast().prepare(request)).measured, 3) << "at least one for each series";
}

TEST(FixedRate, TheNoiseIsThatOfItsQuestions) {
  Request request = request_for(202, 0.5, 0);
  request.shape.max_steps = 202;
  request.parameters["interval"] = std::int64_t{4};
  EXPECT_EQ(value_of(fixed_rate().prepare(request)).measured, 51);
  EXPECT_NEAR(value_of(fixed_rate().prepare(request)).scale, 51 / 0.5, 1e-9);
  request.shape.unit = Unit::w_event;
  request.shape.width = 9;
  EXPECT_NEAR(value_of(fixed_rate().prepare(request)).scale, 3 / 0.5, 1e-9) << "of nine slots in a row, three at most";
  request.shape.relation = Relation::replace;
  EXPECT_NEAR(value_of(fixed_rate().prepare(request)).scale, 6 / 0.5, 1e-9);
  request.shape.unit = Unit::event;
  EXPECT_NEAR(value_of(fixed_rate().prepare(request)).scale, 2 / 0.5, 1e-9);
  request.parameters["interval"] = std::int64_t{1000};
  EXPECT_EQ(value_of(fixed_rate().prepare(request)).measured, 1);
}

TEST(Fast, RefusesParametersThatMeanNothing) {
  const auto refusal = [](const std::string& name, const Value& value) {
    Request request = request_for(50, 1, 0);
    request.parameters[name] = value;
    const auto plan = fast().prepare(request);
    return plan ? "" : plan.error().text();
  };
  EXPECT_EQ(refusal("queries", std::int64_t{51}),
            "mechanism.queries: 51 is not valid; it must be 0 (a quarter of the steps) or between 1 and the number of "
            "steps, 50");
  EXPECT_EQ(refusal("xi", 0.0), "mechanism.xi: 0 is not valid; it must be a finite number greater than 0");
  EXPECT_EQ(refusal("min_interval", 0.5),
            "mechanism.min_interval: 0.5 is not valid; it must be a finite number of at "
            "least 1");
  EXPECT_EQ(refusal("measurement_variance", 0.0),
            "mechanism.measurement_variance: 0 is not valid; it must be true or a finite number greater than 0");
  EXPECT_EQ(refusal("measurement_variance", std::string("auto")),
            "mechanism.measurement_variance: it must be a number or \"true\"");
  EXPECT_NE(refusal("proportional", -0.1), "");
  EXPECT_NE(refusal("theta", std::nan("")), "");
  EXPECT_NE(refusal("integration_time", std::int64_t{0}), "");
  EXPECT_NE(refusal("process_variance", -1.0), "");
  EXPECT_EQ(refusal("process_variance", std::int64_t{3}), "") << "a whole number is a number";
  EXPECT_EQ(refusal("process_variance", std::string("auto")), "");
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
