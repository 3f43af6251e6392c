#include "chronoveil/mechanisms/guarantee.h"

#include <gtest/gtest.h>

#include <cmath>

#include "chronoveil/mechanisms/series/dft.h"
#include "chronoveil/mechanisms/series/event.h"
#include "chronoveil/mechanisms/series/fast.h"
#include "chronoveil/mechanisms/series/gaussian.h"
#include "chronoveil/mechanisms/series/laplace.h"
#include "chronoveil/mechanisms/series/subsample.h"
#include "chronoveil/mechanisms/series/w_event.h"
#include "setting.h"

namespace chronoveil::mechanisms::testing {
namespace {

const Assumption* find(const Guarantee& guarantee, const std::string& part) {
  for (const Assumption& assumption : guarantee.assumptions)
    if (assumption.text.find(part) != std::string::npos) return &assumption;
  return nullptr;
}

SeriesPlan city(std::int64_t series) {
  Request request = request_for(100, 1, 1e-6);
  request.shape.series = series;
  request.shape.max_steps = 20;
  request.shape.max_per_slot = 2;
  request.shape.maximum = 5000;
  return value_of(gaussian().prepare(request));
}

TEST(GuaranteeOf, SaysEachCapAndWhoVouchesForIt) {
  for (const Basis caps : {Basis::enforced, Basis::declared}) {
    const Guarantee guarantee = guarantee_of(city(3), caps, false);
    for (const std::string part : {"at most 20 slots of all series taken together", "adds at most 2 to the count",
                                   "the cap covers the whole job"}) {
      ASSERT_TRUE(find(guarantee, part)) << part;
      EXPECT_EQ(find(guarantee, part)->basis, caps) << part;
    }
    for (const std::string part :
         {"a count above 5000 is taken as 5000", "never from the data", "the noise is exact"}) {
      ASSERT_TRUE(find(guarantee, part)) << part;
      EXPECT_EQ(find(guarantee, part)->basis, Basis::enforced) << part;
    }
    ASSERT_TRUE(find(guarantee, "written without looking at the data"));
    EXPECT_EQ(find(guarantee, "written without looking at the data")->basis, Basis::declared);
    // Counts know no identifiers: their caps are declared of people.
    const Assumption* identifier = find(guarantee, "one person has one identifier");
    ASSERT_EQ(identifier != nullptr, caps == Basis::enforced);
    if (identifier) {
      EXPECT_EQ(identifier->basis, Basis::declared);
    }
  }
}

TEST(GuaranteeOf, AWindowSaysHowWideItIs) {
  Request request = request_for(100, 1, 1e-6);
  request.shape.unit = Unit::w_event;
  request.shape.width = 12;
  EXPECT_EQ(guarantee_of(value_of(gaussian().prepare(request)), Basis::enforced, false).width, 12);
}

TEST(GuaranteeOf, WhatIsAskedLiveHasAnEnd) {
  Request request = request_for(208, 1, 0);
  const Guarantee guarantee = guarantee_of(value_of(fast().prepare(request)), Basis::declared, false);
  const Assumption* questions = find(guarantee, "at most 52 questions are asked");
  ASSERT_TRUE(questions);
  EXPECT_EQ(questions->text, "at most 52 questions are asked, whatever the data");
  EXPECT_EQ(questions->basis, Basis::enforced);
  request.parameters["queries"] = std::int64_t{1};
  EXPECT_TRUE(find(guarantee_of(value_of(fast().prepare(request)), Basis::declared, false), "at most 1 question is"));
  request.parameters.clear();
  request.shape.unit = Unit::w_event;
  request.shape.width = 12;
  const Guarantee window = guarantee_of(value_of(w_event().prepare(request)), Basis::declared, false);
  EXPECT_TRUE(find(window, "the questions of any 12 steps in a row spend at most the whole epsilon"));
  EXPECT_EQ(window.width, 12);
  EXPECT_FALSE(find(guarantee_of(city(1), Basis::declared, false), "whatever the data"));
}

TEST(GuaranteeOf, DisjointPopulationsAreTheCallersWord) {
  const Guarantee guarantee = guarantee_of(city(3), Basis::enforced, true);
  const Assumption* disjoint = find(guarantee, "everybody is in one series only");
  ASSERT_TRUE(disjoint);
  EXPECT_EQ(disjoint->basis, Basis::declared);
  EXPECT_FALSE(find(guarantee, "the cap covers the whole job"));
  EXPECT_FALSE(find(guarantee_of(city(3), Basis::enforced, false), "everybody is in one series only"));
}

TEST(GuaranteeOf, OneSeriesNeedsNoWordAboutSeveral) {
  const Guarantee guarantee = guarantee_of(city(1), Basis::enforced, false);
  EXPECT_FALSE(find(guarantee, "the cap covers the whole job"));
  EXPECT_FALSE(find(guarantee, "taken together"));
}

TEST(GuaranteeOf, AnEventHasNoCapOnSlots) {
  Request request = request_for(100, 1, 0);
  request.shape.unit = Unit::event;
  request.shape.series = 4;
  const Guarantee guarantee = guarantee_of(value_of(event().prepare(request)), Basis::enforced, false);
  EXPECT_EQ(guarantee.unit, Unit::event);
  EXPECT_TRUE(find(guarantee, "adds at most 1 to the counts of one slot, all series taken together"));
  EXPECT_FALSE(find(guarantee, "counts in at most"));
}

TEST(CapGrowth, LaplaceGrowsWithTheFactorAndGaussianWithItsRoot) {
  const Request request = request_for(100, 0.5, 0);
  for (const auto& [factor, epsilon] : epsilon_if_cap_exceeded(value_of(laplace().prepare(request))))
    EXPECT_NEAR(epsilon, 0.5 * static_cast<double>(factor), 1e-9);

  Request with_delta = request;
  with_delta.delta = 1e-6;
  const SeriesPlan plan = value_of(gaussian().prepare(with_delta));
  const double multiplier = noise_multiplier(plan.event).value();
  for (const auto& [factor, epsilon] : epsilon_if_cap_exceeded(plan)) {
    const accounting::Event exceeded{accounting::Gaussian{multiplier / std::sqrt(static_cast<double>(factor))}};
    const double expected = value_of(accounting::epsilon_at(exceeded, value_of(Delta::make(1e-6)))).epsilon;
    EXPECT_NEAR(epsilon, expected, 1e-9);
  }
}

TEST(CapGrowth, SubsamplingIsPricedWithTheTrueParticipation) {
  Request request = request_for(400, 0.5, 1e-4);
  request.shape.max_steps = 40;
  const SeriesPlan plan = value_of(subsample().prepare(request));
  for (const auto& [factor, epsilon] : epsilon_if_cap_exceeded(plan)) {
    accounting::Event exceeded = plan.event;
    std::get<accounting::TimeSubsampling>(exceeded.kind).participation = 40 * factor;
    const double expected = value_of(accounting::epsilon_at(exceeded, value_of(Delta::make(1e-4)))).epsilon;
    EXPECT_NEAR(epsilon, expected, 1e-6);
  }
}

// The sensitivity of dft stops growing with I once √I is the smaller bound.
TEST(CapGrowth, DftFollowsItsOwnSensitivity) {
  Request request = request_for(1000, 0.5, 1e-6);
  request.shape.max_steps = 2;
  request.parameters["coefficients"] = std::int64_t{5};
  const SeriesPlan plan = value_of(dft().prepare(request));
  for (const auto& [factor, epsilon] : epsilon_if_cap_exceeded(plan)) {
    request.shape.max_steps = 2 * factor;
    const double ratio = value_of(dft().prepare(request)).sensitivity / plan.sensitivity;
    EXPECT_NEAR(ratio, static_cast<double>(factor), 1e-6) << "n √(m/T) is far below √n";
    const accounting::Event exceeded{accounting::Gaussian{noise_multiplier(plan.event).value() / ratio}};
    EXPECT_NEAR(epsilon, value_of(accounting::epsilon_at(exceeded, value_of(Delta::make(1e-6)))).epsilon, 1e-6);
  }
}

TEST(CapGrowth, NobodyIsInMoreSlotsThanThereAre) {
  Request request = request_for(10, 0.5, 0);
  request.shape.max_steps = 8;
  const auto growth = epsilon_if_cap_exceeded(value_of(laplace().prepare(request)));
  for (std::size_t i = 1; i < growth.size(); ++i) EXPECT_NEAR(growth[i].second, 0.5 * 10 / 8, 1e-9);
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
