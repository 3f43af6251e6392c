// One suite for every mechanism: each row of the catalogue goes through the same tests.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/bound/bounded_series.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/guarantee.h"
#include "chronoveil/mechanisms/live.h"
#include "ledger_for.h"
#include "neighbours.h"
#include "noise_check.h"
#include "setting.h"

namespace chronoveil::mechanisms::testing {
namespace {

constexpr double kEpsilon = 0.8;

std::filesystem::path pages() { return CHRONOVEIL_MECHANISM_PAGES; }

class Conformance : public ::testing::TestWithParam<const SeriesMechanism*> {
 protected:
  const SeriesMechanism& row() const { return *GetParam(); }
  std::vector<double> deltas() const {
    return row().needs_delta ? std::vector<double>{1e-6} : std::vector<double>{0, 1e-6};
  }
  Request request(std::int64_t series, std::int64_t steps, double delta) const {
    Request request = request_for(steps, kEpsilon, delta);
    request.shape.series = series;
    request.shape.unit = row().units.front();
    request.shape.width = 2;
    return request;
  }
  SeriesPlan plan(const Request& request) const { return value_of(row().prepare(request)); }
  static std::string text(const SeriesPlan& plan) { return accounting::to_text(plan.event); }
};

INSTANTIATE_TEST_SUITE_P(Catalogue, Conformance,
                         ::testing::ValuesIn(series_catalogue().begin(), series_catalogue().end()),
                         [](const auto& parameter) { return std::string(parameter.param->name); });

// Those that measure the whole series at once.
class ConformanceAtOnce : public Conformance {};

INSTANTIATE_TEST_SUITE_P(Catalogue, ConformanceAtOnce, ::testing::ValuesIn([] {
                           std::vector<const SeriesMechanism*> rows;
                           for (const SeriesMechanism* row : series_catalogue())
                             if (!row->causal) rows.push_back(row);
                           return rows;
                         }()),
                         [](const auto& parameter) { return std::string(parameter.param->name); });

TEST_P(Conformance, TheRowIsComplete) {
  EXPECT_FALSE(row().name.empty());
  EXPECT_FALSE(row().summary.empty());
  EXPECT_FALSE(row().units.empty());
  ASSERT_TRUE(row().prepare && row().measure && row().reconstruct);
  EXPECT_EQ(row().causal, row().measure == measure_live && row().reconstruct == reconstruct_live);
  EXPECT_TRUE(row().go_live || !row().causal);
  for (const ParameterInfo& info : row().parameters) EXPECT_FALSE(info.name.empty() || info.meaning.empty());
  EXPECT_EQ(value_of(find_series_mechanism(row().name)), &row());
  const auto page = pages() / (std::string(row().name) + ".md");
  EXPECT_TRUE(std::filesystem::exists(page)) << page;
}

// | [`laplace`](laplace.md) | user, event, w-event | yes | | yes | ...
TEST_P(Conformance, TheTableOfTheDocsSaysTheSame) {
  const std::string name(row().name);
  std::string line = "| [`" + name + "`](" + name + ".md) | ";
  for (const Unit unit : row().units)
    line.append(unit == row().units.front() ? "" : ", ").append(chronoveil::name(unit));
  for (const bool yes : {!row().needs_delta, row().has_published, row().go_live != nullptr})
    line += yes ? " | yes" : " |";
  std::ostringstream table;
  table << std::ifstream(pages() / "README.md").rdbuf();
  EXPECT_NE(table.str().find("\n" + line + " | "), std::string::npos) << line;
}

TEST(Catalogue, HasEveryMechanismThatHasAPage) {
  for (const auto& page : std::filesystem::directory_iterator(pages())) {
    const std::string name = page.path().stem().string();
    EXPECT_TRUE(name == "README" || find_series_mechanism(name) || find_cell_mechanism(name) ||
                find_temporal_mechanism(name))
        << name << " has a page and no row in catalogue.cc";
  }
}

TEST_P(Conformance, ThePlanSaysEverythingThatWillHappen) {
  for (const double delta : deltas()) {
    const SeriesPlan plan = this->plan(request(2, 12, delta));
    EXPECT_EQ(plan.mechanism, row().name);
    EXPECT_EQ(plan.parameters.size(), row().parameters.size());
    EXPECT_EQ(plan.delta, plan.noise == NoiseKind::laplace ? 0 : delta) << "Laplace noise is pure";
    EXPECT_GT(plan.measured, 0);
    EXPECT_GT(plan.sensitivity, 0);
    EXPECT_EQ(std::frexp(plan.grid, std::make_unique<int>().get()), 0.5) << "a power of two";
    EXPECT_LE(plan.grid, std::min(1.0, plan.scale / 0x1p20));
    EXPECT_GE(plan.scale, noise_multiplier(plan.event).value() * plan.sensitivity);
  }
}

TEST_P(Conformance, TheEventIsPricedWithinTheRequest) {
  for (const double delta : deltas()) {
    const SeriesPlan plan = this->plan(request(2, 12, delta));
    ASSERT_TRUE(accounting::validate(plan.event));
    const auto again = value_of(accounting::epsilon_at(plan.event, value_of(Delta::make(plan.delta))));
    EXPECT_LE(again.epsilon, kEpsilon);
    EXPECT_GT(again.epsilon, kEpsilon * 0.99) << "no more noise than needed";
    EXPECT_DOUBLE_EQ(again.epsilon, plan.price.epsilon);
  }
}

TEST_P(Conformance, TheGuaranteeIsComplete) {
  for (const double delta : deltas()) {
    for (const Basis caps : {Basis::enforced, Basis::declared}) {
      const SeriesPlan plan = this->plan(request(3, 12, delta));
      const Guarantee guarantee = guarantee_of(plan, caps, false);
      EXPECT_EQ(guarantee.definition, "DP");
      EXPECT_EQ(guarantee.unit, plan.shape.unit);
      EXPECT_EQ(guarantee.relation, plan.shape.relation);
      EXPECT_GT(guarantee.epsilon, 0);
      EXPECT_LE(guarantee.epsilon, kEpsilon);
      EXPECT_EQ(guarantee.delta, plan.delta);
      EXPECT_NE(guarantee.certificate, Certificate::as_published);
      EXPECT_GE(guarantee.assumptions.size(), 5u);
      EXPECT_EQ(guarantee.assumptions.front().basis, caps) << "the caps come first";
      for (const Assumption& assumption : guarantee.assumptions) EXPECT_FALSE(assumption.text.empty());
    }
  }
}

TEST_P(Conformance, APublishedAnalysisSaysSo) {
  Request request = this->request(1, 40, 1e-6);
  request.analysis = accounting::Analysis::published;
  const SeriesPlan plan = this->plan(request);
  const bool published = plan.price.analysis == accounting::Analysis::published;
  EXPECT_EQ(published, row().has_published);
  EXPECT_EQ(guarantee_of(plan, Basis::enforced, false).certificate == Certificate::as_published, published);
}

// Counts under the caps of the plan.
bound::BoundedSeries bounded(const SeriesPlan& plan, std::int64_t series, std::int64_t steps, Counts counts) {
  const bound::Caps caps{plan.shape.unit, plan.shape.max_steps, plan.shape.max_per_slot, plan.shape.maximum};
  return {series, steps, std::move(counts), caps, Basis::enforced, {}};
}

TEST_P(Conformance, SeriesUnderLooserCapsThanThoseOfThePlanAreNotMeasured) {
  const SeriesPlan plan = this->plan(request(2, 12, 1e-6));
  const bound::Caps caps{plan.shape.unit, plan.shape.max_steps, plan.shape.max_per_slot, plan.shape.maximum};
  const auto accepts = [&](const bound::Caps& other) {
    const bound::BoundedSeries series(2, 12, Counts(24, 7), other, Basis::enforced, {});
    Draws draws = Draws::seeded(1);
    return measure(plan, series, draws).has_value();
  };
  EXPECT_TRUE(accepts(caps));
  bound::Caps other = caps;
  ++other.max_per_slot;
  EXPECT_FALSE(accepts(other));
  other = caps;
  ++other.maximum;
  EXPECT_FALSE(accepts(other));
  other = caps;
  ++other.max_steps;
  EXPECT_EQ(accepts(other), plan.shape.unit != Unit::user);
  other = caps;
  other.unit = caps.unit == Unit::event ? Unit::w_event : Unit::event;
  EXPECT_FALSE(accepts(other));
}

TEST_P(Conformance, OneReceiptIsOneRelease) {
  const SeriesPlan plan = this->plan(request(2, 12, 1e-6));
  const bound::BoundedSeries series = bounded(plan, 2, 12, Counts(24, 7));
  ledger::DatasetRequest dataset;
  dataset.name = "city";
  dataset.promise.unit = plan.shape.unit;
  dataset.promise.width = plan.shape.unit == Unit::w_event ? plan.shape.width : 1;
  dataset.epsilon = 10;
  dataset.delta = 1e-4;
  LedgerFor city(dataset, plan.mechanism);

  Draws draws = city.draws_for(plan.event);
  EXPECT_EQ(draws.mark(), "");
  ASSERT_TRUE(draws.debit());
  EXPECT_FALSE(row().measure(plan, series.counts(), draws)) << "nothing is drawn before the run starts";
  EXPECT_TRUE(draws.right().bits()) << "keyed choices come before the run";
  EXPECT_EQ(draws.right().mark(), "");
  const auto first = measure(plan, series, draws);
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_FALSE(measure(plan, series, draws)) << "the debit was for one release";
  EXPECT_FALSE(draws.right().bits()) << "nothing else is drawn after it, either";
  Draws moved = std::move(draws);
  EXPECT_FALSE(measure(plan, series, moved)) << "moving does not renew it";

  EXPECT_FALSE(Draws::authorised(value_of(city.ledger.reserve(city.terms, plan.event)), {accounting::Pure{0.1}}));
  Draws other = city.draws_for({accounting::Pure{0.1}});
  EXPECT_FALSE(measure(plan, series, other)) << "the debit was for another event";
  Draws from = city.draws_for(plan.event);
  Draws to = std::move(from);
  EXPECT_FALSE(measure(plan, series, from)) << "what was moved from covers nothing";
  EXPECT_FALSE(from.right().bits());
  EXPECT_TRUE(to.right().bits());
  EXPECT_TRUE(measure(plan, series, to));
}

TEST_P(Conformance, APlanWithLessNoiseThanItsEventIsNotRun) {
  SeriesPlan plan = this->plan(request(1, 12, 1e-6));
  const bound::BoundedSeries series = bounded(plan, 1, 12, Counts(12, 7));
  Draws draws = Draws::seeded(1);
  EXPECT_TRUE(measure(plan, series, draws));
  plan.scale *= 0.999;
  EXPECT_FALSE(measure(plan, series, draws));
}

TEST_P(Conformance, EveryStepOfEverySeriesGetsAValueAndAnInterval) {
  for (const double delta : deltas()) {
    for (const auto& [series, steps] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {1, 1}, {1, 2}, {2, 2}, {1, 3}, {3, 3}, {2, 7}, {5, 8}, {1, 61}, {2, 60}}) {
      SCOPED_TRACE(std::to_string(series) + " series of " + std::to_string(steps) + " steps");
      const SeriesPlan plan = this->plan(request(series, steps, delta));
      const bound::BoundedSeries data =
          bounded(plan, series, steps, Counts(static_cast<std::size_t>(series * steps), 20));
      Draws draws = Draws::seeded(static_cast<std::uint64_t>(steps));
      EXPECT_EQ(draws.mark(), "seeded: not private");
      const std::string event = text(plan);
      const Estimate estimate = value_of(reconstruct(plan, value_of(measure(plan, data, draws))));
      EXPECT_EQ(text(plan), event) << "post-processing costs nothing";
      ASSERT_EQ(estimate.value.size(), cells(plan));
      ASSERT_EQ(estimate.lower.size(), cells(plan));
      ASSERT_EQ(estimate.upper.size(), cells(plan));
      ASSERT_EQ(estimate.sampled.size(), cells(plan));
      for (std::size_t i = 0; i < cells(plan); ++i) {
        EXPECT_TRUE(std::isfinite(estimate.value[i]));
        EXPECT_LE(estimate.lower[i], estimate.value[i]);
        EXPECT_LE(estimate.value[i], estimate.upper[i]);
        EXPECT_LT(estimate.lower[i], estimate.upper[i]);
      }
      const bound::BoundedSeries wrong =
          bounded(plan, series, steps + 1, Counts(static_cast<std::size_t>(series * (steps + 1)), 20));
      EXPECT_FALSE(measure(plan, wrong, draws)) << "data of another shape than was planned";
    }
  }
}

TEST_P(Conformance, AMeasurementOfAnotherShapeIsNotReconstructed) {
  const SeriesPlan plan = this->plan(request(2, 12, 1e-6));
  EXPECT_FALSE(reconstruct(plan, {.values = {1, 2, 3}, .kept = std::nullopt}));
  EXPECT_FALSE(reconstruct(plan, {.values = {1, 2}, .kept = std::vector<std::int64_t>{0, 1, 2}}));
}

TEST_P(Conformance, TheSameTapeGivesTheSameRelease) {
  const SeriesPlan plan = this->plan(request(2, 12, 1e-6));
  const Counts counts = [&] {
    Counts all(cells(plan));
    std::iota(all.begin(), all.end(), 5);
    return all;
  }();
  std::vector<double> noise(most_draws(plan));
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = std::sin(static_cast<double>(i)) * plan.scale;
  // What is asked live may depend on the noise; the answers are then held to the tape in live_conformance_test.cc.
  const std::vector<double> clean = row().causal ? std::vector<double>() : without_noise(row(), plan, counts);
  Estimate first;
  for (int run = 0; run < 2; ++run) {
    Draws draws = taped(row(), plan, noise);
    EXPECT_EQ(draws.mark(), "not private: replayed");
    const Measurement measured = value_of(row().measure(plan, counts, draws));
    for (std::size_t i = 0; i < clean.size(); ++i)
      EXPECT_EQ(measured.values[i], clean[i] + std::floor(noise[i] / plan.grid + 0.5) * plan.grid);
    const Estimate estimate = value_of(reconstruct(plan, measured));
    if (run == 0) first = estimate;
    EXPECT_EQ(estimate.value, first.value);
    EXPECT_EQ(estimate.lower, first.lower);
    EXPECT_EQ(estimate.upper, first.upper);
  }
  Draws short_tape = taped(row(), plan, {1.0});
  EXPECT_FALSE(row().measure(plan, counts, short_tape));
}

// The questions of causal mechanisms follow from answers; live_conformance_test.cc holds each question to its law.
TEST_P(ConformanceAtOnce, TheNoiseFollowsThePlannedLaw) {
  for (const double delta : deltas()) {
    Request request = this->request(20, 50, delta);
    for (const ParameterInfo& info : row().parameters)
      if (info.name == "rate") request.parameters["rate"] = 0.5;
    const SeriesPlan plan = this->plan(request);
    EXPECT_EQ(noise_complaints(row(), plan, 1), "");
    EXPECT_EQ(noise_complaints(row(), coarse(plan), 2), "");
  }
}

TEST_P(ConformanceAtOnce, NoNeighbourMovesTheMeasurementFurtherThanPlanned) {
  const auto small = [&](std::int64_t series, std::int64_t steps, double delta) {
    Request request = this->request(series, steps, delta);
    for (const ParameterInfo& info : row().parameters) {
      if (info.name == "coefficients") request.parameters["coefficients"] = std::int64_t{2};
      if (info.name == "filter_width") request.parameters["filter_width"] = 1.0;
    }
    return request;
  };
  expect_worst_as_planned(row(), deltas(), small, [&](const Request& request) -> std::optional<double> {
    const auto plan = row().prepare(request);
    if (plan) return Neighbours(request.shape, 7).worst(row(), *plan);
    EXPECT_EQ(plan.error().kind, ErrorKind::cannot_certify) << plan.error().text();
    return std::nullopt;
  });
}

TEST_P(Conformance, ExceedingTheCapCostsMore) {
  const SeriesPlan plan = this->plan(request(2, 40, 1e-6));
  const auto growth = epsilon_if_cap_exceeded(plan);
  if (plan.shape.unit != Unit::user) {
    EXPECT_TRUE(growth.empty());
    return;
  }
  ASSERT_EQ(growth.size(), 4u);
  EXPECT_NEAR(growth[0].second, plan.price.epsilon, 1e-3 * plan.price.epsilon) << "the truth is the cap";
  for (std::size_t i = 1; i < growth.size(); ++i) {
    EXPECT_EQ(growth[i].first, static_cast<std::int64_t>(i) + 1);
    EXPECT_GT(growth[i].second, growth[i - 1].second);
    EXPECT_LT(growth[i].second, 10 * plan.price.epsilon);
  }
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
