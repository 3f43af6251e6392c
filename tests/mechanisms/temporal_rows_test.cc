// What is particular to single rows for one series of its owner: their parameters and what they refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "temporal_setting.h"

namespace chronoveil::mechanisms::testing {
namespace {

const TemporalMechanism& row(std::string_view name) { return *value_of(find_temporal_mechanism(name)); }

Error refusal(std::string_view name, const TemporalRequest& request) {
  const auto plan = row(name).prepare(request);
  return plan ? Error{.message = "(a plan)"} : plan.error();
}

double stay_of(const TemporalPlan& plan) { return number(plan.parameters, "stay"); }

TEST(Switches, AutoTakesTheLargestProbabilityToStayWithinTheBudget) {
  TemporalRequest request = temporal_request(row("ranswitch"));
  const double stay = stay_of(value_of(row("ranswitch").prepare(request)));
  request.parameters["stay"] = stay;
  EXPECT_LE(value_of(row("ranswitch").prepare(request)).price.epsilon, request.epsilon);
  request.parameters["stay"] = stay + 1e-4;
  EXPECT_EQ(refusal("ranswitch", request).kind, ErrorKind::usage) << "a little more costs too much";
}

TEST(Switches, AGivenProbabilityThatCostsTooMuchIsRefusedWithItsPrice) {
  for (const std::string_view name : {"ranswitch", "staswitch"}) {
    TemporalRequest request = temporal_request(row(name));
    request.window = 3;
    request.parameters["stay"] = 0.9;
    const Error error = refusal(name, request);
    EXPECT_EQ(error.kind, ErrorKind::usage);
    EXPECT_TRUE(error.text().starts_with("mechanism.stay: 0.9 is not valid; it costs epsilon = ")) << error.text();
    EXPECT_NE(error.text().find("at delta = 0.6, which is more than privacy.epsilon = 2"), std::string::npos)
        << error.text();
  }
}

TEST(Switches, NothingIsCertifiedWithoutDelta) {
  TemporalRequest request = temporal_request(row("ranswitch"));
  request.delta = 0;
  const Error calibrated = refusal("ranswitch", request);
  EXPECT_EQ(calibrated.kind, ErrorKind::cannot_certify);
  EXPECT_NE(calibrated.text().find("0.26"), std::string::npos) << "the smallest delta: " << calibrated.text();
  request.parameters["stay"] = 0.7;
  const Error given = refusal("ranswitch", request);
  EXPECT_EQ(given.kind, ErrorKind::cannot_certify);
  EXPECT_TRUE(
      given.text().starts_with("mechanism.stay: with 0.7, no epsilon holds at delta = 0; epsilon = 2 takes a "
                               "delta of 0.2"))
      << given.text();
}

TEST(Switches, StayingMustBeAtLeastAsLikelyAsMoving) {
  for (const std::string_view name : {"ranswitch", "staswitch"}) {
    TemporalRequest request = temporal_request(row(name));
    for (const double stay : {0.24, 0.0, -1.0, 1.0, 2.0}) {
      request.parameters["stay"] = stay;
      const Error error = refusal(name, request);
      EXPECT_EQ(error.kind, ErrorKind::usage);
      EXPECT_TRUE(error.text().starts_with("mechanism.stay: " + shortest(stay) + " is not valid; it must be at least"))
          << error.text();
    }
  }
}

TEST(Switches, TheNominalPriceStandsBesideTheCertifiedOne) {
  TemporalRequest request = temporal_request(row("ranswitch"));
  const accounting::Price price = value_of(row("ranswitch").prepare(request)).price;
  ASSERT_TRUE(price.nominal);
  EXPECT_LT(price.nominal->delta, request.delta / 2) << "what the paper says of the same parameters";
}

TEST(Switches, ABoundThatWasMeasuredSaysHowSureItIs) {
  TemporalPlan plan = value_of(row("ranswitch").prepare(temporal_request(row("ranswitch"))));
  const auto before = temporal_guarantee(plan).assumptions.size();
  plan.price.certificate = Certificate::upper_bound_with_confidence;
  plan.price.beta = 1e-6;
  const Guarantee guarantee = temporal_guarantee(plan);
  EXPECT_EQ(guarantee.certificate, Certificate::upper_bound_with_confidence);
  ASSERT_EQ(guarantee.assumptions.size(), before + 1);
  EXPECT_NE(guarantee.assumptions.back().text.find("wrong with probability at most 1e-06"), std::string::npos);
}

TEST(Switches, ThePublishedAnalysisBringsItsOwnDelta) {
  for (const std::string_view name : {"ranswitch", "staswitch"}) {
    TemporalRequest request;
    request.window = 10;
    request.epsilon = 7;
    request.analysis = accounting::Analysis::published;
    const TemporalPlan found = value_of(row(name).prepare(request));
    EXPECT_GT(found.delta, 0);
    EXPECT_EQ(temporal_guarantee(found).delta, found.delta);
    request.parameters["stay"] = stay_of(found);
    EXPECT_EQ(value_of(row(name).prepare(request)).delta, found.delta) << name;
    request.epsilon = 6;
    EXPECT_TRUE(refusal(name, request).text().find("it costs epsilon = ") != std::string::npos)
        << refusal(name, request).text();
  }
}

TEST(Threshold, IsRefusedUnlessThePublishedAnalysisIsAskedFor) {
  TemporalRequest request = temporal_request(row("threshold"));
  request.analysis = accounting::Analysis::certified;
  EXPECT_EQ(refusal("threshold", request).kind, ErrorKind::cannot_certify);
  request.parameters["threshold"] = std::int64_t{2};
  EXPECT_EQ(refusal("threshold", request).kind, ErrorKind::cannot_certify);
}

TEST(Threshold, TakesWholeNumbersBelowTheWindow) {
  TemporalRequest request = temporal_request(row("threshold"));
  for (const double wrong : {0.0, 4.0, 1.5, -1.0}) {
    request.parameters["threshold"] = wrong;
    EXPECT_EQ(refusal("threshold", request).text(),
              "mechanism.threshold: " + shortest(wrong) + " is not valid; it must be a whole number between 1 and 3");
  }
  request.parameters["threshold"] = std::int64_t{3};
  EXPECT_NEAR(value_of(row("threshold").prepare(request)).price.epsilon, 2.197, 0.001);
  request.epsilon = 2;
  EXPECT_TRUE(refusal("threshold", request).text().starts_with("mechanism.threshold: 3 is not valid; it costs "));
}

TEST(Threshold, AutoTakesTheLargestWithinTheBudgetAndSoTheLeastCost) {
  TemporalRequest request = temporal_request(row("threshold"));
  request.window = 10;
  for (const auto& [epsilon, largest] : {std::pair{100.0, 9}, {6.0, 8}, {3.1, 5}}) {
    request.epsilon = epsilon;
    request.parameters.erase("threshold");
    const TemporalPlan found = value_of(row("threshold").prepare(request));
    EXPECT_EQ(number(found.parameters, "threshold"), largest) << epsilon;
    EXPECT_NEAR(value_of(expected_moves(found)).mean_distance, 10 - largest, 0.2) << epsilon;
    if (largest == 9) continue;
    request.parameters["threshold"] = std::int64_t{largest + 1};
    EXPECT_EQ(refusal("threshold", request).kind, ErrorKind::usage) << "one more costs too much";
  }
}

TEST(NoisySort, IsPureForWholeFiles) {
  TemporalRequest request = temporal_request(row("noisy_sort"));
  request.delta = 0;
  for (const std::int64_t lanes : {1, 3}) {
    request.lanes = lanes;
    const TemporalPlan plan = value_of(row("noisy_sort").prepare(request));
    EXPECT_EQ(plan.delta, 0);
    EXPECT_EQ(text(plan.parameters, "max_shift"), "none");
    EXPECT_NEAR(std::get<accounting::NoisySort>(plan.event.kind).epsilon, 2.0 / static_cast<double>(lanes), 1e-9);
  }
}

TEST(NoisySort, AutoTakesTheLawThatMovesLess) {
  std::set<std::string> chosen;
  for (const double epsilon : {0.5, 8.0}) {
    TemporalRequest request = temporal_request(row("noisy_sort"));
    request.delta = 0;
    request.window = 10;
    request.epsilon = epsilon;
    const TemporalPlan plan = value_of(row("noisy_sort").prepare(request));
    chosen.insert(text(plan.parameters, "law"));
    for (const char* law : {"laplace", "staircase"}) {
      request.parameters["law"] = law;
      EXPECT_LE(value_of(expected_moves(plan, 20'000)).cost,
                value_of(expected_moves(value_of(row("noisy_sort").prepare(request)), 20'000)).cost)
          << law << " at " << epsilon;
    }
  }
  EXPECT_TRUE(chosen.contains("staircase")) << "a wide plateau pays off where epsilon is large";
}

TEST(NoisySort, AStreamHasTheSmallestBoundThatFits) {
  TemporalRequest request = temporal_request(row("noisy_sort"));
  request.delta = 1e-4;
  request.streams = true;
  for (const char* law : {"laplace", "staircase"}) {
    request.parameters = {{"law", law}};
    const TemporalPlan plan = value_of(row("noisy_sort").prepare(request));
    const auto sort = std::get<accounting::NoisySort>(plan.event.kind);
    ASSERT_TRUE(sort.max_shift);
    const auto priced = [&](std::int64_t m) {
      accounting::NoisySort other = sort;
      other.max_shift = m;
      return value_of(accounting::epsilon_at({other}, value_of(Delta::make(1e-4)))).epsilon;
    };
    EXPECT_LE(priced(*sort.max_shift), 2);
    EXPECT_GT(priced(*sort.max_shift - 1), 2);
  }
}

TEST(NoisySort, AStreamNeedsDeltaAndABound) {
  TemporalRequest request = temporal_request(row("noisy_sort"));
  request.streams = true;
  request.delta = 0;
  const Error pure = refusal("noisy_sort", request);
  EXPECT_EQ(pure.kind, ErrorKind::cannot_certify);
  EXPECT_TRUE(pure.text().starts_with("privacy.delta: 0 is not possible for a stream")) << pure.text();
  request.delta = 1e-3;
  request.parameters["max_shift"] = "none";
  EXPECT_TRUE(refusal("noisy_sort", request).text().starts_with("mechanism.max_shift: none is not valid"));
  for (const double wrong : {0.0, 2.5, -1.0}) {
    request.parameters["max_shift"] = wrong;
    EXPECT_TRUE(refusal("noisy_sort", request)
                    .text()
                    .starts_with("mechanism.max_shift: " + shortest(wrong) + " is not valid; it must be a whole"));
  }
  request.parameters["max_shift"] = 5.0;
  EXPECT_EQ(refusal("noisy_sort", request).kind, ErrorKind::cannot_certify) << "too near for this delta";
}

TEST(NoisySort, AStreamWithATooSmallDeltaIsToldTheSmallest) {
  TemporalRequest request = temporal_request(row("noisy_sort"));
  request.streams = true;
  request.window = 1000;
  request.epsilon = 1e-5;
  const auto smallest = [&](const char* law) {
    request.parameters["law"] = law;
    request.delta = 1e-6;
    const Error small = refusal("noisy_sort", request);
    EXPECT_EQ(small.kind, ErrorKind::cannot_certify);
    constexpr std::string_view kNamed = "the smallest possible delta is ";
    const std::size_t at = small.text().find(kNamed);
    EXPECT_NE(at, std::string::npos) << small.text();
    return at == std::string::npos ? 1 : std::stod(small.text().substr(at + kNamed.size()));
  };
  const double laplace = smallest("laplace"), staircase = smallest("staircase");
  EXPECT_EQ(smallest("auto"), std::min(laplace, staircase));
  request.parameters["law"] = "laplace";
  request.delta = laplace;
  EXPECT_GT(number(value_of(row("noisy_sort").prepare(request)).parameters, "max_shift"), 0.999 * (1 << 24));
  request.delta = laplace * (1 - 1e-4);
  EXPECT_EQ(refusal("noisy_sort", request).kind, ErrorKind::cannot_certify) << "it is the smallest";
}

TEST(NoisySort, AStreamReleasesAValueAsSoonAsItMay) {
  TemporalRequest request = temporal_request(row("noisy_sort"));
  request.delta = 1e-3;
  request.streams = true;
  const TemporalPlan plan = value_of(row("noisy_sort").prepare(request));
  const auto shift = static_cast<std::size_t>(number(plan.parameters, "max_shift"));
  Draws draws = Draws::seeded(1);
  Perturbation run = value_of(Perturbation::start(plan, draws));
  std::vector<Released> out;
  for (std::size_t i = 0; i < 10 * shift; ++i) {
    ASSERT_TRUE(run.push(0, {std::to_string(i), static_cast<std::int64_t>(i)}, out));
    EXPECT_LE(i + 1 - out.size(), 2 * shift + 1) << "held";
  }
}

TEST(Baselines, NumbersAreLimitedToTheBoundsAndNothingElseIsTaken) {
  for (const std::string_view name : {"piecewise", "local_laplace"}) {
    TemporalRequest request = temporal_request(row(name));
    request.epsilon = 20;
    request.delta = 0;
    const TemporalPlan plan = value_of(row(name).prepare(request));
    const auto answers = texts_of(run_seeded(plan, 2, {"1e300", "-1e300", " 10 ", "1.5e1", ".5"}));
    ASSERT_EQ(answers.size(), 5u);
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_NEAR(std::stod(answers[i]), (std::vector<double>{30, -10, 10, 15, 0.5}[i]), 15) << name << " " << i;
    for (const char* wrong : {"", "  ", "abc", "1,5", "0x10", "inf", "nan", "1e999", "1 2", "secret7"}) {
      const std::string error = run_seeded(plan, 2, {"1", wrong}).error;
      EXPECT_TRUE(error.starts_with("the value is ")) << wrong << ": " << error;
      EXPECT_EQ(error.find("secret7"), std::string::npos) << "an error never quotes a value";
    }
  }
}

TEST(Baselines, NumbersNeedBounds) {
  for (const std::string_view name : {"piecewise", "local_laplace"}) {
    TemporalRequest request = temporal_request(row(name));
    request.lower.reset();
    EXPECT_TRUE(refusal(name, request).text().starts_with("perturb.lower: it is missing"));
    request.lower = 30;
    EXPECT_TRUE(refusal(name, request).text().starts_with("perturb.upper: 30 is not valid"));
    request.lower = -HUGE_VAL;
    EXPECT_TRUE(refusal(name, request).text().starts_with("perturb.lower: -infinity is not valid"));
    request = temporal_request(row(name));
    request.upper.reset();
    EXPECT_TRUE(refusal(name, request).text().starts_with("perturb.upper: it is missing"));
    request = temporal_request(row(name));
    request.categories = {"a", "b"};
    EXPECT_TRUE(refusal(name, request).text().starts_with("perturb.categories: "));
  }
}

TEST(Baselines, NumbersMayNotBeSoLargeThatNoGridHoldsThem) {
  TemporalRequest request = temporal_request(row("local_laplace"));
  request.lower = -1e300;
  EXPECT_TRUE(refusal("local_laplace", request).text().starts_with("perturb.lower: -1e+300 is not valid"))
      << refusal("local_laplace", request).text();
  request.lower = 0;
  request.upper = 1e300;
  EXPECT_TRUE(refusal("local_laplace", request).text().starts_with("perturb.upper: 1e+300 is not valid"))
      << refusal("local_laplace", request).text();
}

TEST(Baselines, ThatTextsAreNumbersOrListedIsTheOwnersWord) {
  for (const TemporalMechanism* each : temporal_catalogue()) {
    const Guarantee guarantee = temporal_guarantee(value_of(each->prepare(temporal_request(*each))));
    const auto said = std::find_if(
        guarantee.assumptions.begin(), guarantee.assumptions.end(),
        [&](const Assumption& one) { return one.text.ends_with("; any other ends the release, which can be seen"); });
    const bool numbers = each->name == "piecewise" || each->name == "local_laplace";
    ASSERT_EQ(said != guarantee.assumptions.end(), numbers || each->name == "randomized_response");
    if (said == guarantee.assumptions.end()) continue;
    EXPECT_EQ(said->basis, Basis::declared);
    EXPECT_TRUE(said->text.starts_with(numbers ? "every value is a finite number" : "every value is one of 3 cat"))
        << said->text;
  }
}

TEST(Baselines, ALengthThatIsSaidHoldsForEveryUnit) {
  for (const std::string_view name : {"randomized_response", "piecewise", "local_laplace"}) {
    TemporalRequest request = temporal_request(row(name));
    request.length = 5;
    const TemporalPlan plan = value_of(row(name).prepare(request));
    EXPECT_EQ(run_seeded(plan, 1, temporal_values(row(name), 5)).error, "");
    EXPECT_EQ(run_seeded(plan, 1, temporal_values(row(name), 6)).error,
              "perturb.length: the series has more values than that, 5");
    request.length = kLongestSeries + 1;
    EXPECT_TRUE(refusal(name, request).text().starts_with("perturb.length: 68719476737 is not valid"));
  }
}

TEST(Baselines, CategoriesAreThoseThatAreListed) {
  TemporalRequest request = temporal_request(row("randomized_response"));
  const TemporalPlan plan = value_of(row("randomized_response").prepare(request));
  const auto answers = texts_of(run_seeded(plan, 1, std::vector<std::string>(200, "down")));
  EXPECT_EQ(std::set<std::string>(answers.begin(), answers.end()), (std::set<std::string>{"down", "same", "up"}));
  EXPECT_EQ(run_seeded(plan, 1, {"down", "sideways"}).error, "the value is not among perturb.categories");
  request.categories = {"only"};
  EXPECT_TRUE(refusal("randomized_response", request).text().starts_with("perturb.categories: there are 1"));
  request.categories = {"a", "b", "a"};
  EXPECT_EQ(refusal("randomized_response", request).text(), "perturb.categories: 'a' is there twice");
  request.categories = {"a", "b"};
  request.lower = 0;
  EXPECT_TRUE(refusal("randomized_response", request).text().starts_with("perturb.lower"));
}

// ε of one value's answer, from the event.
double share(const TemporalPlan& plan) {
  if (const auto* e = std::get_if<accounting::RandomizedResponse>(&plan.event.kind)) return e->epsilon;
  if (const auto* e = std::get_if<accounting::Pure>(&plan.event.kind)) return e->epsilon;
  return 1 / std::get<accounting::Laplace>(plan.event.kind).noise_multiplier;
}

TEST(Baselines, AUserPaysForAllValuesOfTheSeries) {
  for (const std::string_view name : {"randomized_response", "piecewise", "local_laplace"}) {
    TemporalRequest request = temporal_request(row(name));
    request.delta = 0;
    EXPECT_NEAR(share(value_of(row(name).prepare(request))), 2, 1e-9) << "one value";
    request.unit = Unit::user;
    request.length = 50;
    const TemporalPlan plan = value_of(row(name).prepare(request));
    EXPECT_NEAR(share(plan), 2.0 / 50, 1e-9) << "each of 50";
    request.lanes = 4;
    EXPECT_NEAR(share(value_of(row(name).prepare(request))), 2.0 / 200, 1e-9) << "in each of 4 columns";
    request.lanes = 1;
    request.delta = 1e-6;
    request.length = 5000;
    EXPECT_GT(share(value_of(row(name).prepare(request))), 2.0 / 5000) << "composed";
    const std::vector<std::string> fifty = temporal_values(row(name), 50);
    EXPECT_EQ(run_seeded(plan, 1, fifty).error, "");
    EXPECT_EQ(run_seeded(plan, 1, temporal_values(row(name), 51)).error,
              "perturb.length: the series has more values than that, 50");
  }
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
