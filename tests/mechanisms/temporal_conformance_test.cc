// One suite for every mechanism for one series of its owner: each row of the catalogue goes through the same tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "chronoveil/accounting/events/event_json.h"
#include "ledger_for.h"
#include "temporal_setting.h"

namespace chronoveil::mechanisms::testing {
namespace {

class TemporalConformance : public ::testing::TestWithParam<const TemporalMechanism*> {
 protected:
  const TemporalMechanism& row() const { return *GetParam(); }
  TemporalPlan plan(const TemporalRequest& request) const { return value_of(row().prepare(request)); }
  // Calibrated once for all tests of a row.
  const std::vector<TemporalPlan>& plans() const {
    static std::map<std::string_view, std::vector<TemporalPlan>> made;
    std::vector<TemporalPlan>& all = made[row().name];
    if (all.empty())
      for (const TemporalRequest& request : temporal_requests(row())) all.push_back(plan(request));
    return all;
  }
  std::vector<std::string> values(std::int64_t n) const { return temporal_values(row(), n); }
};

INSTANTIATE_TEST_SUITE_P(Catalogue, TemporalConformance,
                         ::testing::ValuesIn(temporal_catalogue().begin(), temporal_catalogue().end()),
                         [](const auto& parameter) { return std::string(parameter.param->name); });

TEST(TemporalCatalogue, HasTheseRowsAndNoOther) {
  std::vector<std::string_view> names;
  for (const TemporalMechanism* row : temporal_catalogue()) names.push_back(row->name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"ranswitch", "staswitch", "threshold", "noisy_sort",
                                                  "randomized_response", "piecewise", "local_laplace"}));
  const auto unknown = find_temporal_mechanism("shuffle");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().text().find("noisy_sort"), std::string::npos) << "the error lists what there is";
}

TEST_P(TemporalConformance, TheRowIsComplete) {
  EXPECT_FALSE(row().name.empty());
  EXPECT_FALSE(row().summary.empty());
  ASSERT_TRUE(row().prepare && row().event && row().start);
  EXPECT_TRUE(row().certified || row().has_published);
  for (const ParameterInfo& info : row().parameters) EXPECT_FALSE(info.name.empty() || info.meaning.empty());
  EXPECT_EQ(value_of(find_temporal_mechanism(row().name)), &row());
  EXPECT_FALSE(find_series_mechanism(row().name)) << "a name says what it is for";
  EXPECT_FALSE(find_cell_mechanism(row().name));
  const auto page = std::filesystem::path(CHRONOVEIL_MECHANISM_PAGES) / (std::string(row().name) + ".md");
  EXPECT_TRUE(std::filesystem::exists(page)) << page;
}

TEST_P(TemporalConformance, ThePlanSaysEverythingThatWillHappen) {
  for (const TemporalPlan& plan : plans()) {
    EXPECT_EQ(plan.mechanism, row().name);
    EXPECT_EQ(plan.parameters.size(), row().parameters.size());
    for (const auto& [name, value] : plan.parameters) EXPECT_NE(value, Value("auto")) << name;
    EXPECT_EQ(plan.window, row().moves ? 4 : 0);
    EXPECT_EQ(plan.relation, row().moves ? Relation::swap : Relation::replace);
    EXPECT_EQ(accounting::to_text(value_of(row().event(plan))), accounting::to_text(plan.event));
    EXPECT_EQ(plan.event.count, plan.lanes * (plan.unit == Unit::user ? *plan.length : 1)) << "costs add up";
  }
}

TEST_P(TemporalConformance, TheEventIsPricedWithinTheRequest) {
  const std::vector<TemporalRequest> requests = temporal_requests(row());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const TemporalPlan& plan = plans()[i];
    ASSERT_TRUE(accounting::validate(plan.event));
    EXPECT_LE(plan.price.epsilon, requests[i].epsilon);
    EXPECT_EQ(plan.price.analysis, requests[i].analysis);
    const auto again = value_of(
        accounting::epsilon_at(plan.event, value_of(Delta::make(plan.delta)), {.analysis = requests[i].analysis}));
    EXPECT_DOUBLE_EQ(again.epsilon, plan.price.epsilon);
    if (!row().certified) continue;
    EXPECT_EQ(plan.delta, requests[i].delta);
    EXPECT_GT(plan.price.epsilon, requests[i].epsilon * 0.99) << "no more noise than needed";
  }
}

TEST_P(TemporalConformance, TheGuaranteeIsComplete) {
  for (const TemporalPlan& plan : plans()) {
    const Guarantee guarantee = temporal_guarantee(plan);
    EXPECT_EQ(guarantee.definition, row().moves ? "TLDP" : "DP");
    EXPECT_EQ(guarantee.unit, plan.unit);
    EXPECT_EQ(guarantee.window, plan.window);
    EXPECT_EQ(guarantee.relation, plan.relation);
    EXPECT_EQ(guarantee.epsilon, plan.price.epsilon);
    EXPECT_EQ(guarantee.delta, plan.delta);
    EXPECT_EQ(guarantee.certificate == Certificate::as_published, !row().certified);
    EXPECT_GE(guarantee.assumptions.size(), 5u);
    EXPECT_EQ(guarantee.assumptions.front().text, "when rows were recorded and how many there are is public");
    EXPECT_EQ(guarantee.assumptions.front().basis, Basis::declared);
    for (const Assumption& assumption : guarantee.assumptions) EXPECT_FALSE(assumption.text.empty());
    const bool adds_up = std::any_of(guarantee.assumptions.begin(), guarantee.assumptions.end(), [](const auto& each) {
      return each.text.find("costs add up") != std::string::npos;
    });
    EXPECT_EQ(adds_up, plan.lanes > 1);
    ASSERT_GE(not_protected(plan).size(), 2u);
    EXPECT_NE(not_protected(plan).front().find("is not protected"), std::string::npos);
    const std::vector<std::string> limits = not_protected(plan);
    // Sorting by a counter undoes what moves values, and nothing that changes them.
    EXPECT_EQ(std::any_of(limits.begin(), limits.end(),
                          [](const std::string& limit) { return limit.find("a counter") != std::string::npos; }),
              row().moves);
  }
}

TEST_P(TemporalConformance, APublishedAnalysisSaysSo) {
  if (!row().certified) return;  // it has no other, see above
  TemporalRequest request = temporal_request(row());
  request.analysis = accounting::Analysis::published;
  const TemporalPlan published = plan(request);
  EXPECT_EQ(published.price.analysis == accounting::Analysis::published, row().has_published);
  EXPECT_EQ(temporal_guarantee(published).certificate == Certificate::as_published, row().has_published);
  EXPECT_LE(published.price.epsilon, request.epsilon) << "what is claimed";
  const bool same = accounting::to_text(plans().front().event) == accounting::to_text(published.event);
  EXPECT_EQ(same, !row().has_published) << "the event is what happens";
}

TEST_P(TemporalConformance, NothingIsLostOrMadeUp) {
  const std::vector<std::string> given = values(1000);
  for (const TemporalPlan& plan : plans()) {
    const TemporalRun run = run_seeded(plan, 3, given);
    ASSERT_EQ(run.error, "");
    EXPECT_EQ(run.released.size(), given.size()) << "a step for each";
    std::vector<bool> seen(given.size());
    std::int64_t released = 0;
    for (std::size_t at = 0; at < run.released.size(); ++at) {
      const Released& each = run.released[at];
      if (!each) continue;
      const auto step = static_cast<std::size_t>(each->step);
      ASSERT_LT(step, given.size());
      EXPECT_FALSE(seen[step]) << "twice";
      seen[step] = true;
      ++released;
      if (row().moves) {
        EXPECT_EQ(each->text, given[step]);
      } else {
        EXPECT_EQ(step, at);
      }
    }
    EXPECT_EQ(released + run.missing, 1000);
    if (row().certified) {
      EXPECT_EQ(run.missing, 0);
    }
  }
}

TEST_P(TemporalConformance, TheSameSeedGivesTheSameReleaseAndAnotherADifferentOne) {
  const std::vector<std::string> given = values(300);
  for (const TemporalPlan& plan : plans()) {
    const auto first = texts_of(run_seeded(plan, 7, given));
    EXPECT_EQ(texts_of(run_seeded(plan, 7, given)), first);
    EXPECT_NE(texts_of(run_seeded(plan, 8, given)), first);
    EXPECT_NE(first, given);
  }
}

TEST_P(TemporalConformance, LanesGoTheirOwnWays) {
  for (const TemporalPlan& plan : plans()) {
    if (plan.lanes < 2) continue;
    Draws draws = Draws::seeded(1);
    Perturbation run = value_of(Perturbation::start(plan, draws));
    const auto first = texts_of(run_lane(run, 0, values(300)));
    EXPECT_NE(texts_of(run_lane(run, 1, values(300))), first);
    EXPECT_NE(run_lane(run, static_cast<std::size_t>(plan.lanes), values(300)).error, "") << "there are no more";
  }
}

TEST_P(TemporalConformance, ASeriesShorterThanTheWindowIsRefused) {
  if (!row().moves) return;
  for (const TemporalPlan& plan : plans()) {
    EXPECT_EQ(run_seeded(plan, 1, values(4)).error, "");
    EXPECT_EQ(run_seeded(plan, 1, values(3)).error, "privacy.window: 4 is larger than the series, which has 3 values");
  }
}

TEST_P(TemporalConformance, APlanThatWasTamperedWithIsNotRun) {
  for (const TemporalPlan& plan : plans()) {
    const auto runs = [&](const auto& change) {
      TemporalPlan other = plan;
      change(other);
      Draws draws = Draws::seeded(1);
      return Perturbation::start(other, draws).has_value();
    };
    EXPECT_TRUE(runs([](TemporalPlan&) {}));
    EXPECT_FALSE(runs([](TemporalPlan& p) { ++p.lanes; }));
    EXPECT_FALSE(runs([](TemporalPlan& p) { ++p.event.count; }));
    EXPECT_FALSE(runs([](TemporalPlan& p) { p.event = {accounting::Approximate{0.1, 0.1}}; }));
    EXPECT_FALSE(runs([](TemporalPlan& p) { p.relation = Relation::add_remove; }));
    EXPECT_FALSE(runs([](TemporalPlan& p) { p.parameters["luck"] = 1.0; }));
    if (row().moves) {
      EXPECT_FALSE(runs([](TemporalPlan& p) { ++p.window; }));
    }
    for (const auto& [name, value] : plan.parameters) {
      EXPECT_FALSE(runs([&parameter = name](TemporalPlan& p) { p.parameters.erase(parameter); })) << name;
      EXPECT_FALSE(runs([&parameter = name](TemporalPlan& p) { p.parameters[parameter] = 1.0; })) << name;
      EXPECT_FALSE(runs([&parameter = name](TemporalPlan& p) { p.parameters[parameter] = "auto"; })) << name;
      if (std::holds_alternative<double>(value)) {
        EXPECT_FALSE(runs([&parameter = name, &old = value](TemporalPlan& p) {
          p.parameters[parameter] = std::get<double>(old) * 0.999;
        })) << name;
      }
    }
    EXPECT_FALSE(runs([](TemporalPlan& p) { p.unit = Unit::w_event; }));
    if (plan.unit == Unit::event) {
      EXPECT_FALSE(runs([](TemporalPlan& p) { p.unit = Unit::user; }));
    }
    if (plan.unit == Unit::user) {
      EXPECT_FALSE(runs([](TemporalPlan& p) { p.length = 1001; }));
      EXPECT_FALSE(runs([](TemporalPlan& p) {
        p.event.count = p.lanes;
        p.length.reset();
      }));
    }
    if (plan.unit == Unit::user) {
      EXPECT_FALSE(runs([](TemporalPlan& p) { p.unit = Unit::event; }));
    }
    if (!plan.categories.empty()) {
      EXPECT_FALSE(runs([](TemporalPlan& p) { p.categories.pop_back(); }));
    }
    if (plan.lower) {
      EXPECT_FALSE(runs([](TemporalPlan& p) { p.lower.reset(); }));
    }
  }
}

TEST_P(TemporalConformance, OneReceiptIsOneRelease) {
  const TemporalPlan& plan = plans().front();
  ledger::DatasetRequest dataset;
  dataset.name = "meter";
  dataset.promise = {.unit = Unit::event, .width = std::max<std::int64_t>(1, plan.window), .relation = plan.relation};
  dataset.epsilon = 100;
  dataset.delta = 0.99;
  dataset.filter = ledger::FilterKind::sum;
  LedgerFor meter(dataset, plan.mechanism);
  meter.terms.stated = {.unit = Unit::event, .width = dataset.promise.width, .relation = plan.relation};
  ledger::Terms at_delta = meter.terms;
  at_delta.delta = 0.6;
  auto receipt = meter.ledger.reserve(at_delta, plan.event);
  if (!row().certified) {
    ASSERT_FALSE(receipt) << "a budget pays for what is certified";
    EXPECT_EQ(receipt.error().kind, ErrorKind::cannot_certify);
    return;
  }
  Draws draws = value_of(Draws::authorised(value_of(std::move(receipt)), plan.event));
  EXPECT_EQ(draws.mark(), "");
  Perturbation run = value_of(Perturbation::start(plan, draws));
  EXPECT_FALSE(Perturbation::start(plan, draws)) << "the debit is for one release";
  EXPECT_EQ(run_lane(run, 0, values(100)).error, "");
  EXPECT_NE(run_lane(run, 0, values(100)).error, "") << "a second series is not covered";
  std::vector<Released> out;
  EXPECT_FALSE(run.finish(0, out));
  EXPECT_TRUE(out.empty());
  run.close();
  EXPECT_NE(run_lane(run, 0, values(100)).error, "") << "it is over";
  EXPECT_FALSE(Perturbation::start(plan, draws));
  Draws moved = std::move(draws);
  EXPECT_FALSE(Perturbation::start(plan, moved)) << "moving does not renew it";
  Draws other = meter.draws_for({accounting::Pure{0.001}});
  EXPECT_FALSE(Perturbation::start(plan, other)) << "the debit was for another event";
}

TEST_P(TemporalConformance, RequestsThatDoNotFitAreRefusedByName) {
  const auto message = [&](const auto& change) {
    TemporalRequest request = temporal_request(row());
    change(request);
    const auto refused = row().prepare(request);
    return refused ? std::string("(a plan)") : refused.error().text();
  };
  using R = TemporalRequest;
  EXPECT_TRUE(message([](R& r) { r.epsilon = 0; }).starts_with("privacy.epsilon: 0 is not valid"));
  EXPECT_TRUE(message([](R& r) { r.epsilon = NAN; }).starts_with("privacy.epsilon: nan is not valid"));
  EXPECT_TRUE(message([](R& r) { r.delta = 1; }).starts_with("privacy.delta: 1 is not valid"));
  EXPECT_TRUE(message([](R& r) { r.delta = -0.1; }).starts_with("privacy.delta: -0.1 is not valid"));
  EXPECT_TRUE(message([](R& r) { r.lanes = 0; }).starts_with("perturb.columns: "));
  EXPECT_TRUE(message([](R& r) { r.unit = Unit::w_event; }).starts_with("privacy.unit: w-event is not valid"));
  EXPECT_TRUE(message([](R& r) { r.parameters["luck"] = 1.0; }).starts_with("mechanism.luck: "));
  if (row().moves) {
    EXPECT_TRUE(message([](R& r) { r.window = 0; }).starts_with("privacy.window: it is missing; "));
    for (const std::int64_t window : {-1, 1, 1048577}) {
      EXPECT_EQ(message([&](R& r) { r.window = window; }),
                "privacy.window: " + std::to_string(window) +
                    " is not valid; it must be a whole number between 2 and 1048576");
    }
    EXPECT_TRUE(message([](R& r) { r.unit = Unit::user; }).starts_with("privacy.unit: user is not valid"));
    EXPECT_TRUE(message([](R& r) { r.lower = 0; }).starts_with("perturb.lower: "));
    EXPECT_TRUE(message([](R& r) { r.upper = 0; }).starts_with("perturb.upper: "));
    EXPECT_TRUE(message([](R& r) { r.categories = {"a", "b"}; }).starts_with("perturb.categories: "));
  } else {
    EXPECT_TRUE(message([](R& r) { r.window = 4; }).starts_with("privacy.window: "));
    EXPECT_TRUE(message([](R& r) { r.unit = Unit::user; }).starts_with("perturb.length: it is missing; "));
    EXPECT_TRUE(message([](R& r) { r.unit = Unit::user, r.length = 0; }).starts_with("perturb.length: 0"));
  }
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
