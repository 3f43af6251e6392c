// One suite for every mechanism for means per cell: each row of the catalogue goes through the same tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cell_city.h"
#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/cells/parts/cell_guarantee.h"
#include "chronoveil/mechanisms/cells/parts/smoothing.h"
#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/mechanisms/parts/calibrated.h"
#include "ledger_for.h"

namespace chronoveil::mechanisms::testing {
namespace {

constexpr double kEpsilon = 0.8;
using State = CellEstimate::State;

class CellConformance : public ::testing::TestWithParam<const CellMechanism*> {
 protected:
  const CellMechanism& row() const { return *GetParam(); }
  bool has(std::string_view parameter) const {
    return std::any_of(row().parameters.begin(), row().parameters.end(),
                       [&](const ParameterInfo& info) { return info.name == parameter; });
  }
  CellRequest request(double delta = 0) const {
    CellRequest request;
    request.shape.places = 3;
    request.shape.steps = 2;
    request.shape.max_cells = 2;
    request.shape.max_records = 4;
    request.shape.upper = 65;
    request.shape.registered = 60;
    request.epsilon = kEpsilon;
    request.delta = delta;
    return request;
  }
  CellsPlan plan(const CellRequest& request) const { return value_of(row().prepare(request)); }
  // With either noise where there are two.
  std::vector<CellsPlan> plans() const {
    std::vector<CellsPlan> all = {plan(request()), plan(request(1e-6))};
    if (row().has_gaussian) {
      CellRequest gaussian = request(1e-6);
      gaussian.parameters["noise"] = "gaussian";
      all.push_back(plan(gaussian));
    }
    return all;
  }
};

INSTANTIATE_TEST_SUITE_P(Catalogue, CellConformance,
                         ::testing::ValuesIn(cell_catalogue().begin(), cell_catalogue().end()),
                         [](const auto& parameter) { return std::string(parameter.param->name); });

TEST_P(CellConformance, TheRowIsComplete) {
  EXPECT_FALSE(row().name.empty());
  EXPECT_FALSE(row().summary.empty());
  ASSERT_TRUE(row().prepare && row().look && row().measure);
  EXPECT_EQ(row().public_counts, row().relation == Relation::replace_values)
      << "what is public is not replaced, and what is replaced is not public";
  EXPECT_EQ(row().has_gaussian, has("noise"));
  EXPECT_GE(row().sums, 1);
  for (const ParameterInfo& info : row().parameters) EXPECT_FALSE(info.name.empty() || info.meaning.empty());
  EXPECT_EQ(value_of(find_cell_mechanism(row().name)), &row());
  EXPECT_FALSE(find_series_mechanism(row().name)) << "a name says what it is for";
  const auto page = std::filesystem::path(CHRONOVEIL_MECHANISM_PAGES) / (std::string(row().name) + ".md");
  EXPECT_TRUE(std::filesystem::exists(page)) << page;
}

TEST(CellCatalogue, HasTheseRowsAndNoOther) {
  std::vector<std::string_view> names;
  for (const CellMechanism* row : cell_catalogue()) names.push_back(row->name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"baseline", "clip_mean", "array_averaging", "levy", "fixed_quantile",
                                                  "epsilon_quantile", "sum_over_count", "registered_mean"}));
  const auto unknown = find_cell_mechanism("mean");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().text().find("registered_mean"), std::string::npos) << "the error lists what there is";
}

TEST_P(CellConformance, ThePlanSaysEverythingThatWillHappen) {
  for (const CellsPlan& plan : plans()) {
    EXPECT_EQ(plan.mechanism, row().name);
    EXPECT_EQ(plan.parameters.size(), row().parameters.size());
    EXPECT_EQ(plan.relation, row().relation);
    EXPECT_EQ(plan.shape.max_cells, 2);
    EXPECT_GT(plan.noise_multiplier, 0);
    EXPECT_EQ(plan.share > 0, plan.noise == NoiseKind::laplace);
    EXPECT_TRUE(check_noise(plan));
  }
}

TEST_P(CellConformance, TheEventIsPricedWithinTheRequest) {
  for (const CellsPlan& plan : plans()) {
    ASSERT_TRUE(accounting::validate(plan.event));
    EXPECT_TRUE(plan.delta == 0 || plan.delta == 1e-6);
    const auto again = value_of(accounting::epsilon_at(plan.event, value_of(Delta::make(plan.delta))));
    EXPECT_LE(again.epsilon, kEpsilon);
    EXPECT_GT(again.epsilon, kEpsilon * 0.998) << "no more noise than needed";
    EXPECT_DOUBLE_EQ(again.epsilon, plan.price.epsilon);
  }
}

TEST_P(CellConformance, MoreCellsOfAPersonNeedMoreNoise) {
  for (const double delta : {0.0, 1e-6}) {
    double last = 0;
    for (const std::int64_t max_cells : {1, 2, 3, 6}) {
      CellRequest request = this->request(delta);
      request.shape.max_cells = max_cells;
      const CellsPlan plan = this->plan(request);
      const double deviation = plan.noise_multiplier * (plan.noise == NoiseKind::laplace ? std::sqrt(2.0) : 1);
      EXPECT_GT(deviation, last);
      last = deviation;
    }
    CellRequest request = this->request(delta);
    request.shape.max_cells = 1000;
    EXPECT_EQ(plan(request).shape.max_cells, 6) << "there are no more";
  }
}

TEST_P(CellConformance, TheGuaranteeIsComplete) {
  for (const CellsPlan& plan : plans()) {
    const Guarantee guarantee = guarantee_of(plan);
    EXPECT_EQ(guarantee.definition, "DP");
    EXPECT_EQ(guarantee.unit, Unit::user);
    EXPECT_EQ(guarantee.relation, row().relation);
    EXPECT_GT(guarantee.epsilon, 0);
    EXPECT_LE(guarantee.epsilon, kEpsilon);
    EXPECT_EQ(guarantee.delta, plan.delta);
    EXPECT_NE(guarantee.certificate, Certificate::as_published);
    EXPECT_GE(guarantee.assumptions.size(), 5u);
    EXPECT_EQ(guarantee.assumptions.front().basis, Basis::enforced) << "the caps come first";
    for (const Assumption& assumption : guarantee.assumptions) EXPECT_FALSE(assumption.text.empty());
    ASSERT_FALSE(not_protected(plan).empty());
    const bool is_protected = not_protected(plan).front().find("is protected") != std::string::npos;
    EXPECT_EQ(is_protected, !row().public_counts);
  }
}

TEST_P(CellConformance, APublishedAnalysisSaysSo) {
  CellRequest request = this->request();
  if (row().name == "array_averaging") request.parameters["grouping"] = "wrap_around";  // the one that differs
  const CellsPlan certified = plan(request);
  request.analysis = accounting::Analysis::published;
  const CellsPlan published = plan(request);
  EXPECT_EQ(published.price.analysis == accounting::Analysis::published, row().has_published);
  EXPECT_EQ(guarantee_of(published).certificate == Certificate::as_published, row().has_published);
  EXPECT_LE(published.price.epsilon, kEpsilon) << "what is claimed";
  const bool same = accounting::to_text(certified.event) == accounting::to_text(published.event);
  EXPECT_EQ(same, !row().has_published) << "the event is what happens";
  EXPECT_TRUE(check_noise(published));
}

TEST_P(CellConformance, CellsOfAnotherShapeOrUnderLooserCapsAreNotMeasured) {
  const CellsPlan plan = this->plan(request());
  const auto accepts = [&](const auto& change) {
    CellShape other = plan.shape;
    change(other);
    Draws draws = Draws::seeded(1);
    return measure(plan, city_cells(other, small_city()), draws).has_value();
  };
  EXPECT_TRUE(accepts([](CellShape&) {}));
  EXPECT_TRUE(accepts([](CellShape& s) { s.max_cells = 1; })) << "tighter is fine";
  EXPECT_TRUE(accepts([](CellShape& s) { s.max_records = 2; }));
  EXPECT_FALSE(accepts([](CellShape& s) { s.max_cells = 3; }));
  EXPECT_FALSE(accepts([](CellShape& s) { s.max_records = 5; }));
  EXPECT_FALSE(accepts([](CellShape& s) { s.max_records = std::nullopt; }));
  EXPECT_FALSE(accepts([](CellShape& s) { s.places = 4; }));
  EXPECT_FALSE(accepts([](CellShape& s) { s.steps = 3; }));
  EXPECT_FALSE(accepts([](CellShape& s) { s.upper = 70; }));
  EXPECT_FALSE(accepts([](CellShape& s) { s.lower = -1; }));
}

TEST_P(CellConformance, ACapBeyondTheCellsThereAreIsNoLooser) {
  CellRequest request = this->request();
  request.shape.max_cells = 100;
  const CellsPlan plan = this->plan(request);
  Draws draws = Draws::seeded(1);
  EXPECT_TRUE(measure(plan, city_cells(request.shape, small_city()), draws));
}

TEST_P(CellConformance, APlanThatWasTamperedWithIsNotRun) {
  for (const CellsPlan& plan : plans()) {
    const bound::BoundedCells cells = city_cells(plan.shape, small_city());
    const auto runs = [&](const auto& change) {
      CellsPlan other = plan;
      change(other);
      Draws draws = Draws::seeded(1);
      return measure(other, cells, draws).has_value();
    };
    EXPECT_TRUE(runs([](CellsPlan&) {}));
    EXPECT_FALSE(runs([](CellsPlan& p) { p.noise_multiplier *= 0.999; }));
    EXPECT_FALSE(runs([](CellsPlan& p) { p.event = {accounting::Pure{0.1}}; }));
    EXPECT_FALSE(
        runs([](CellsPlan& p) { p.noise = p.noise == NoiseKind::laplace ? NoiseKind::gaussian : NoiseKind::laplace; }));
    EXPECT_FALSE(runs(
        [](CellsPlan& p) { p.relation = p.relation == Relation::replace ? Relation::add_remove : Relation::replace; }));
    // For one cell of a person less than there may be.
    EXPECT_FALSE(runs([](CellsPlan& p) {
      if (p.event.count > 1)
        --p.event.count;
      else
        p.influence *= 0.7, p.noise_multiplier *= 0.7;
    }));
  }
}

TEST_P(CellConformance, OneReceiptIsOneRelease) {
  const CellsPlan plan = this->plan(request());
  const bound::BoundedCells cells = city_cells(plan.shape, small_city());
  ledger::DatasetRequest dataset;
  dataset.name = "city";
  dataset.promise.unit = Unit::user;
  dataset.epsilon = 10;
  dataset.delta = 1e-4;
  LedgerFor city(dataset, plan.mechanism);

  Draws draws = city.draws_for(plan.event);
  EXPECT_EQ(draws.mark(), "");
  EXPECT_FALSE(row().measure(plan, cells.cell(0), draws)) << "nothing is drawn before the run starts";
  EXPECT_TRUE(measure(plan, cells, draws));
  EXPECT_FALSE(measure(plan, cells, draws)) << "the debit was for one release";
  Draws moved = std::move(draws);
  EXPECT_FALSE(measure(plan, cells, moved)) << "moving does not renew it";
  Draws other = city.draws_for({accounting::Pure{0.1}});
  EXPECT_FALSE(measure(plan, cells, other)) << "the debit was for another event";
}

TEST_P(CellConformance, EveryCellHasAMeanWithinItsIntervalAndTheBoundsOrNone) {
  for (const double epsilon : {0.05, 0.8, 50.0}) {
    CellRequest request = this->request(1e-6);
    request.epsilon = epsilon;
    request.shape.lower = 15;
    const CellsPlan plan = this->plan(request);
    const bound::BoundedCells cells = city_cells(plan.shape, small_city());
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      Draws draws = Draws::seeded(seed);
      const std::vector<CellEstimate> estimates = value_of(measure(plan, cells, draws));
      ASSERT_EQ(estimates.size(), 6u);
      for (std::size_t i = 0; i < estimates.size(); ++i) {
        const CellEstimate& each = estimates[i];
        if (row().public_counts) {
          EXPECT_EQ(each.state, i == 0 || i == 3 ? State::published : State::empty);
        } else {
          EXPECT_NE(each.state, State::empty) << "who is nowhere is protected";
        }
        if (each.state != State::published) {
          EXPECT_TRUE(std::isnan(each.mean) && std::isnan(each.lower) && std::isnan(each.upper));
          continue;
        }
        EXPECT_LE(15, each.lower);
        EXPECT_LE(each.lower, each.mean);
        EXPECT_LE(each.mean, each.upper);
        EXPECT_LE(each.upper, 65);
      }
    }
  }
}

TEST_P(CellConformance, NoiseFarBeyondTheBoundsLeavesAnIntervalThatClaimsNothing) {
  if (row().sums > 1) return;  // a ratio has no noise of its own that a tape could set
  const CellsPlan plan = this->plan(request());
  const bound::BoundedCells cells = city_cells(plan.shape, small_city());
  for (const double far : {1e6, -1e6}) {
    Draws draws = Draws::replayed({.noise = std::vector<double>(6, far), .kept = std::nullopt});
    const CellEstimate first = value_of(measure(plan, cells, draws)).front();
    EXPECT_EQ(first.mean, far > 0 ? 65 : 0);
    EXPECT_EQ(first.lower, 0);
    EXPECT_EQ(first.upper, 65);
  }
}

// 40 people are in one cell, one is in another, four are empty.
TEST_P(CellConformance, SparseCellsAreThoseThatThePublicRuleSays) {
  CellRequest request = this->request();
  request.shape.sparse_below = 2;
  const CellsPlan plan = this->plan(request);
  const bound::BoundedCells cells = city_cells(plan.shape, small_city());
  if (!row().public_counts) return;  // noisy counts decide there, see below
  // Cells that are left out draw nothing: a tape for one is enough.
  Draws draws = Draws::replayed({.noise = std::vector<double>{0}, .kept = std::nullopt});
  const std::vector<CellEstimate> estimates = value_of(measure(plan, cells, draws));
  EXPECT_EQ(estimates[0].state, State::published);
  EXPECT_EQ(estimates[3].state, State::sparse);
  EXPECT_EQ(estimates[1].state, State::empty);
}

TEST_P(CellConformance, WithLittleNoiseTheMeanIsNearTheTruth) {
  CellRequest request = this->request();
  request.epsilon = 1e6;
  const CellsPlan plan = this->plan(request);
  Draws draws = Draws::seeded(3);
  const CellEstimate one = value_of(measure(plan, city_cells(plan.shape, small_city()), draws))[0];
  ASSERT_EQ(one.state, State::published);
  double sum = 0, records = 0;
  for (const bound::ValueRecord& record : small_city())
    if (record.place == "place0") sum += record.value, ++records;
  // People count by records, by arrays or alike, and 20 of 60 as the middle of the bounds.
  const double truth = row().name == "registered_mean" ? (40 * sum / records + 20 * 32.5) / 60 : sum / records;
  EXPECT_NEAR(one.mean, truth, 3);
}

TEST_P(CellConformance, TheOrderOfTheFileChangesNothing) {
  const CellsPlan plan = this->plan(request());
  std::vector<bound::ValueRecord> records = small_city();
  const auto release = [&] {
    Draws draws = Draws::seeded(4);
    std::vector<double> means;
    for (const CellEstimate& each : value_of(measure(plan, city_cells(plan.shape, records), draws)))
      means.push_back(each.state == State::published ? each.mean : -1);
    return means;
  };
  const std::vector<double> before = release();
  // People in another order, the records of each as they were.
  std::stable_sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.user > b.user; });
  EXPECT_EQ(release(), before);
}

TEST_P(CellConformance, TheSameTapeGivesTheSameRelease) {
  const CellsPlan plan = this->plan(request());
  const bound::BoundedCells cells = city_cells(plan.shape, small_city());
  const std::size_t numbers = row().public_counts ? 2 : static_cast<std::size_t>(6 * row().sums);
  std::vector<double> first;
  for (int run = 0; run < 2; ++run) {
    Draws draws = Draws::replayed({.noise = std::vector<double>(numbers, 0.25), .kept = std::nullopt});
    EXPECT_EQ(draws.mark(), "not private: replayed");
    std::vector<double> means;
    for (const CellEstimate& each : value_of(measure(plan, cells, draws)))
      means.push_back(each.state == State::published ? each.mean : -1);
    if (run == 0) first = means;
    EXPECT_EQ(means, first);
  }
  Draws short_tape = Draws::replayed({.noise = std::vector<double>(numbers - 1, 0.25), .kept = std::nullopt});
  EXPECT_FALSE(measure(plan, cells, short_tape));
}

TEST_P(CellConformance, WhatIsPublicAboutACellSaysItsNoise) {
  for (const CellsPlan& plan : plans()) {
    for (const std::vector<std::uint32_t>& counts :
         {std::vector<std::uint32_t>{1}, std::vector<std::uint32_t>{4, 4, 3, 1, 1},
          std::vector<std::uint32_t>(40, 2)}) {
      const CellFacts facts = value_of(row().look(plan, counts));
      EXPECT_EQ(facts.users, static_cast<std::int64_t>(counts.size()));
      EXPECT_GT(facts.sensitivity, 0);
      EXPECT_NEAR(facts.scale, plan.noise_multiplier * facts.sensitivity, 1e-12 * facts.scale);
      EXPECT_GT(facts.expected_noise, 0);
      EXPECT_EQ(facts.fills.size(), static_cast<std::size_t>(facts.arrays));
    }
  }
}

// What smoothing divides by must be no secret: other values of everybody, and the deviation of the noise stays.
TEST_P(CellConformance, PublicNoiseHasTheSameDeviationWhateverTheValuesAre) {
  std::vector<bound::ValueRecord> other = small_city();
  for (std::size_t i = 0; i < other.size(); ++i)
    other[i].value = i % 3 == 0 ? 64.0 : 0.25 * static_cast<double>(i % 80);
  for (const CellsPlan& plan : plans()) {
    EXPECT_EQ(static_cast<bool>(check_smoothing(plan)), row().can_be_smoothed);
    Draws draws = Draws::seeded(1), others = Draws::seeded(1);
    const auto one = value_of(measure_uncut(plan, city_cells(plan.shape, small_city()), draws));
    const auto two = value_of(measure_uncut(plan, city_cells(plan.shape, other), others));
    bool same = true, known = true;
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (one[i].state != State::published) continue;
      same = same && one[i].deviation == two[i].deviation;
      known = known && one[i].deviation > 0;
    }
    EXPECT_TRUE(!row().can_be_smoothed || (same && known)) << "a mechanism that claims too much";
    // What would be found out if it claimed to have public noise.
    EXPECT_TRUE(row().name != "fixed_quantile" || !same);
    EXPECT_TRUE(row().public_counts || !row().can_be_smoothed) << "where nobody is must not be smoothed over";
    EXPECT_TRUE(
        !row().can_be_smoothed ||
        std::abs(one[0].deviation - (one[0].upper - one[0].lower) / 2 / noise_half_width(plan.noise, 1, plan.level) *
                                        standard_deviation(plan.noise, 1)) < 1e-9 * one[0].deviation);
  }
}

TEST_P(CellConformance, WhatIsMissingIsNamed) {
  CellRequest request = this->request();
  request.shape.max_records = std::nullopt;
  request.shape.registered = std::nullopt;
  const auto plan = row().prepare(request);
  if (row().public_counts) {
    EXPECT_TRUE(plan);
    return;
  }
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().kind, ErrorKind::usage);
  const std::string missing = row().relation == Relation::replace ? "means.registered: " : "means.max_records: ";
  EXPECT_EQ(plan.error().text().substr(0, missing.size()), missing);
}

TEST(RegisteredMean, MorePeopleThanAreRegisteredAreBadData) {
  CellRequest request;
  request.shape.places = 2;
  request.shape.steps = 2;
  request.shape.upper = 65;
  request.shape.registered = 39;
  request.epsilon = 1;
  const CellMechanism& row = *value_of(find_cell_mechanism("registered_mean"));
  const CellsPlan plan = value_of(row.prepare(request));
  Draws draws = Draws::seeded(1);
  const auto refused = measure(plan, city_cells(plan.shape, small_city()), draws);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::bad_data);
  EXPECT_EQ(refused.error().text().find_first_of("0123456789"), std::string::npos) << "no number from the data";
  request.shape.sparse_below = 40;
  EXPECT_FALSE(row.prepare(request)) << "nothing would be published";
  request.shape.sparse_below = 1;
  request.parameters["absent"] = 66.0;
  EXPECT_FALSE(row.prepare(request)) << "outside the bounds";
}

// Two cells with noisy counts that the tape makes 1.5 and 2.5, where two are asked for.
TEST(SumOverCount, CellsAreSparseByTheirNoisyCount) {
  CellRequest request;
  request.shape.places = 2;
  request.shape.upper = 64;
  request.shape.max_records = 3;
  request.shape.sparse_below = 2;
  request.epsilon = 1;
  const CellMechanism& row = *value_of(find_cell_mechanism("sum_over_count"));
  const CellsPlan plan = value_of(row.prepare(request));
  const bound::BoundedCells cells = city_cells(plan.shape, {{.user = "a", .place = "place0", .slot = 0, .value = 10},
                                                            {.user = "a", .place = "place0", .slot = 0, .value = 20}});
  Draws draws = Draws::replayed({.noise = std::vector<double>{5, -0.5, 40, 2.5}, .kept = std::nullopt});
  const std::vector<CellEstimate> estimates = value_of(measure(plan, cells, draws));
  EXPECT_EQ(estimates[0].state, State::sparse) << "two records, seen as one and a half";
  EXPECT_EQ(estimates[1].state, State::published) << "none, seen as two and a half";
  EXPECT_EQ(estimates[1].mean, 16);
  request.shape.sparse_below = 1;
  Draws again = Draws::replayed({.noise = std::vector<double>{5, -0.5, 40, 0.5}, .kept = std::nullopt});
  const std::vector<CellEstimate> others = value_of(measure(value_of(row.prepare(request)), cells, again));
  EXPECT_NEAR(others[0].mean, 35 / 1.5, 1e-6);
  EXPECT_EQ(others[1].state, State::sparse) << "less than one record has no mean";
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
