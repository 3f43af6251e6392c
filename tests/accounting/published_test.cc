// The papers' own formulas, recomputed by brute force, and what certainty saves.
#include "chronoveil/accounting/published.h"

#include <algorithm>
#include <cmath>

#include "accounting/bracketing.h"
#include "accounting/moves/switch_enumeration.h"
#include "chronoveil/accounting/events/subsampled/filter_kernel.h"

namespace chronoveil::accounting {
namespace {

constexpr double kEpsilon = 0.5, kDelta = 1e-4, kRate = 0.1;

double classical(double epsilon, double delta) { return std::sqrt(2 * std::log(1.25 / delta)) / epsilon; }

// [Koga22, Thm 2, Cor. 3]: every number of kept steps I' is tried, from its binomial tail.
double without_filter(std::int64_t participation, double epsilon, double delta) {
  for (std::int64_t kept = 1; kept < participation; ++kept) {
    Real failure = 0;
    for (std::int64_t k = kept + 1; k <= participation; ++k)
      failure += oracle::binomial_weight(participation, k, Real(kRate));
    const Real excess = exp(Real(epsilon) * sqrt(Real(participation) / kept)) - exp(Real(epsilon));
    if (failure * excess <= Real(delta) / 2)
      return std::sqrt(static_cast<double>(kept)) * classical(epsilon, delta / 2);
  }
  return std::sqrt(static_cast<double>(participation)) * classical(epsilon, delta / 2);
}

// [Koga22, Thm 4, Cor. 2]: every α on a fine grid, α² >= p + L.
double with_filter(const TimeSubsampling& e, double epsilon, double delta) {
  double energy = 0;
  for (std::int64_t k : filter_kernel(*e.length, *e.filter_width)) {
    const double h = std::ldexp(static_cast<double>(k), -kFilterBits);
    energy += h * h;
  }
  const double rank = energy * static_cast<double>(*e.length);
  for (double square = kRate + energy; square < 1; square += 1e-5) {
    const double ratio = square / kRate;
    const double failure = 2 * rank * std::pow(std::exp(ratio - 1) / std::pow(ratio, ratio), kRate / energy);
    if (failure * (std::exp(epsilon / std::sqrt(square)) - std::exp(epsilon)) <= delta / 2)
      return std::sqrt(square * static_cast<double>(e.participation)) * classical(epsilon, delta / 2);
  }
  return std::sqrt(static_cast<double>(e.participation)) * classical(epsilon, delta / 2);
}

struct Dataset {
  std::int64_t participation, length;
};
constexpr Dataset kDatasets[] = {{180, 1800}, {73, 725}, {213, 2126}};

// The noise at which the published analysis says (ε, δ), and its price just there.
void expect_published(TimeSubsampling e, double noise) {
  Options published;
  published.analysis = Analysis::published;
  e.noise_multiplier = noise * (1 + 1e-4);
  const auto enough = epsilon_at({e, 1}, *Delta::make(kDelta), published);
  ASSERT_TRUE(enough) << enough.error().text();
  EXPECT_LE(enough->epsilon, kEpsilon * (1 + 1e-9));
  EXPECT_EQ(enough->certificate, Certificate::as_published);
  EXPECT_EQ(enough->analysis, Analysis::published);
  e.noise_multiplier = noise * (1 - 1e-4);
  EXPECT_GT(epsilon_at({e, 1}, *Delta::make(kDelta), published)->epsilon, kEpsilon);
  const auto delta = delta_at({e, 1}, *Epsilon::make(kEpsilon), published);
  ASSERT_TRUE(delta);
  EXPECT_GT(delta->delta, kDelta);
  EXPECT_LT(delta->delta, kDelta * 1.1);
}

TEST(Published, TheoremTwoIsTheBestNumberOfKeptSteps) {
  for (const Dataset& d : kDatasets) {
    const TimeSubsampling e{d.participation, kRate, 1, d.length, {}};
    expect_published(e, without_filter(d.participation, kEpsilon, kDelta));
  }
}

TEST(Published, TheoremFourIsTheBestAlpha) {
  for (const Dataset& d : kDatasets) {
    const TimeSubsampling e{d.participation, kRate, 1, d.length, 10.0};
    expect_published(e, with_filter(e, kEpsilon, kDelta));
  }
}

TEST(Published, CertaintyHalvesTheNoiseWithoutAFilterAndLeavesLessThanAThirdWithOne) {
  for (const Dataset& d : kDatasets) {
    for (const bool filtered : {false, true}) {
      TimeSubsampling e{d.participation, kRate, kToCalibrate, d.length, {}};
      if (filtered) e.filter_width = 10.0;
      const auto certified = calibrate({e, 1}, *Epsilon::make(kEpsilon), *Delta::make(kDelta));
      ASSERT_TRUE(certified) << certified.error().text();
      const double published =
          filtered ? with_filter(e, kEpsilon, kDelta) : without_filter(d.participation, kEpsilon, kDelta);
      const double share = certified->noise / published;
      EXPECT_LT(share, filtered ? 1.0 / 3 : 0.6) << d.participation;
      EXPECT_GT(share, filtered ? 0.1 : 0.4) << d.participation;
    }
  }
}

TEST(Published, TheClassicalGaussianIsTheTextbooks) {
  Options published;
  published.analysis = Analysis::published;
  const auto price = epsilon_at({Gaussian{8}, 1}, *Delta::make(1e-5), published);
  ASSERT_TRUE(price);
  EXPECT_NEAR(price->epsilon, std::sqrt(2 * std::log(1.25e5)) / 8, 1e-9);
}

TEST(Published, SingleOutputsOfIndependentChannelsCostTheSum) {
  // What a single output of one channel can have beyond e^ε times the neighbour's, and of two and three channels.
  for (const bool stateful : {false, true}) {
    const auto outputs = enumerate({3, 0.6, stateful}, 5, 1, 3);
    for (double epsilon : {0.2, 0.5, 1.0, 2.0}) {
      const double grows = std::exp(epsilon);
      double one = 0, two = 0, three = 0;
      for (const OutputPair& a : outputs) {
        one = std::max(one, a.p - grows * a.q);
        for (const OutputPair& b : outputs) {
          two = std::max(two, a.p * b.p - grows * grows * a.q * b.q);
          for (const OutputPair& c : outputs)
            three = std::max(three, a.p * b.p * c.p - grows * grows * grows * a.q * b.q * c.q);
        }
      }
      EXPECT_GT(one, 0);
      EXPECT_LE(two, 2 * one);
      EXPECT_LE(three, 3 * one);
    }
  }
  Options published;
  published.analysis = Analysis::published;
  for (const Event& event : {Event{RanSwitch{10, 0.5}, 1}, {StaSwitch{10, 0.9}, 1}, {Threshold{4, 2}, 1}}) {
    const Nominal once = *nominal_of(event);
    Event thrice = event;
    thrice.count = 3;
    const auto price = epsilon_at(thrice, *Delta::make(0.5), published);
    ASSERT_TRUE(price) << price.error().text();
    EXPECT_EQ(price->epsilon, 3 * once.epsilon);
    EXPECT_EQ(delta_at(thrice, *Epsilon::make(3 * once.epsilon), published)->delta, 3 * once.delta);
    EXPECT_EQ(delta_at(thrice, *Epsilon::make(2.9 * once.epsilon), published)->delta, 1);
    EXPECT_EQ(*max_count(event, *Epsilon::make(3.5 * once.epsilon), *Delta::make(0.5), published), 3);
    thrice.count = 1000;
    EXPECT_LE(nominal_of(thrice)->delta, 1);
  }
}

TEST(Published, EventsWithoutAPublishedAnalysisSaySo) {
  Options published;
  published.analysis = Analysis::published;
  for (const Event& event : {Event{Laplace{1}, 1}, Event{Gaussian{1}, 2}, Event{TimeSubsampling{5, 0.1, 1, {}, {}}, 2},
                             Event{Compose{{{Gaussian{1}, 1}}}, 1}}) {
    const auto price = epsilon_at(event, *Delta::make(1e-5), published);
    ASSERT_FALSE(price) << to_text(event);
    EXPECT_EQ(price.error().kind, ErrorKind::usage);
    EXPECT_EQ(price.error().text().find("with a count of 2 has none") != std::string::npos, event.count == 2)
        << price.error().text();
  }
}

}  // namespace
}  // namespace chronoveil::accounting
