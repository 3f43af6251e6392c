// What a release rests on and what it may not touch, from end to end.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "chronoveil/engine/release/budget.h"
#include "chronoveil/engine/series/ask.h"
#include "engine/fixtures.h"

namespace chronoveil::engine {
namespace {

using testing::fails;

class Promises : public testing::JobFolder {
 protected:
  static const Assumption* find(const Guarantee& guarantee, const std::string& part) {
    const auto found =
        std::find_if(guarantee.assumptions.begin(), guarantee.assumptions.end(),
                     [&](const Assumption& assumption) { return assumption.text.find(part) != std::string::npos; });
    return found == guarantee.assumptions.end() ? nullptr : &*found;
  }
};

// Mean, variance and correlation of n residuals as independent draws of N(0, σ²) have them, each within 6 standard
// errors: right noise is rejected with a probability below 10^-7.
bool is_independent_noise(const std::vector<double>& a, const std::vector<double>& b, double sigma) {
  const auto n = static_cast<double>(a.size());
  double sum = 0, squares = 0, neighbours = 0, across = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i] / sigma, y = b[i] / sigma;
    sum += x;
    squares += x * x;
    across += x * y;
    if (i > 0) neighbours += x * a[i - 1] / sigma;
  }
  const double root = std::sqrt(n);
  return std::abs(sum) < 6 * root && std::abs(squares - n) < 6 * std::sqrt(2 * n) && std::abs(across) < 6 * root &&
         std::abs(neighbours) < 6 * root;
}

TEST_F(Promises, EveryDebitBuysItsOwnNoiseOfThePlannedScale) {
  create_dataset(40, 1e-2);
  write("trips.csv", "card,ts,stop\n");  // nobody: what is published is the noise
  Job minutes = job();
  minutes.slots.length = "1min";
  minutes.series().non_negative = false;
  options_.confirmed = options_.allow_empty = true;
  const auto values = [&](const RunOptions& options) {
    const Result<report::Published> done = run_job(minutes, options);
    EXPECT_TRUE(done) << done.error().text();
    return done ? *done : report::Published{};
  };
  const report::Published first = values(options_), second = values(options_);
  const std::vector<double>&a = first.release.estimate.value, &b = second.release.estimate.value;
  ASSERT_EQ(a.size(), 2U * 2880);
  const double sigma = first.plan.scale;
  EXPECT_TRUE(is_independent_noise(a, b, sigma));
  EXPECT_TRUE(is_independent_noise(b, a, sigma));

  // What the check must not let pass.
  EXPECT_FALSE(is_independent_noise(a, a, sigma));
  EXPECT_FALSE(is_independent_noise(a, b, 1.1 * sigma));
  std::vector<double> once = a;
  for (std::size_t i = 1; i < once.size(); i += 2) once[i] = once[i - 1];
  EXPECT_FALSE(is_independent_noise(once, b, sigma));
  RunOptions quiet = options_;
  quiet.replay.emplace();
  quiet.replay->noise = std::vector<double>(a.size(), 0.0);
  minutes.csv = at("quiet.csv");
  minutes.json = minutes.report = minutes.series().totals = "";
  EXPECT_FALSE(is_independent_noise(values(quiet).release.estimate.value, b, sigma));
}

TEST_F(Promises, AnEvaluationOfRunningTotalsAddsTheTruthUp) {
  Job totals = job(job_text("", "unit = \"event\"\nepsilon = 1\ndelta = 1e-6\n"));
  totals.mechanism = "running_total";
  options_.replay.emplace();
  options_.replay->noise = std::vector<double>(2 * 48, 0.0);
  const Result<report::Published> done = run_job(totals, options_);
  ASSERT_TRUE(done) << done.error().text();
  const Result<report::Evaluation> evaluation = evaluate_job(totals, read("out.json"));
  ASSERT_TRUE(evaluation) << evaluation.error().text();
  EXPECT_EQ(evaluation->truth[47], 40);  // each series by itself: forty trips from the north, forty from the south
  EXPECT_EQ(evaluation->truth[95], 40);
  EXPECT_EQ(evaluation->bounded, evaluation->truth);
  EXPECT_TRUE(std::is_sorted(evaluation->truth.begin(), evaluation->truth.begin() + 48));
  // Without noise only the rounding to the grid is left.
  EXPECT_LT(report::errors_of(*evaluation).mean_absolute, 1e-6);
}

TEST_F(Promises, ASampleThatHelpsToChooseIsSomethingTheGuaranteeRestsOn) {
  std::string sample = "time,value\n";
  for (int step = 0; step < 48; ++step) sample += "t," + std::to_string(step % 24) + "\n";
  write("sample.csv", sample);
  Job chosen = job();
  chosen.mechanism = "auto";
  Result<Planned> planned = plan_job(chosen);
  ASSERT_TRUE(planned) << planned.error().text();
  EXPECT_FALSE(find(planned->guarantee, "the sample"));
  chosen.series().public_sample = at("sample.csv");
  planned = plan_job(chosen);
  ASSERT_TRUE(planned) << planned.error().text();
  ASSERT_TRUE(find(planned->guarantee, "the sample"));
  EXPECT_EQ(find(planned->guarantee, "the sample")->basis, Basis::declared);
}

TEST_F(Promises, TheDataAreNoPublicSampleOfThemselves) {
  std::filesystem::create_symlink(at("trips.csv"), at("sample.csv"));
  for (const char* name : {"trips.csv", "sample.csv"}) {
    Job wrong = job();
    wrong.series().public_sample = at(name);
    EXPECT_TRUE(fails(check_values(wrong), ErrorKind::usage, "plan.sample: ")) << name;
  }
}

TEST_F(Promises, AChosenMechanismThatDoesNotFitIsAdvisedToo) {
  create_dataset(0.5, 1e-5);
  for (const double delta : {0.0, 1e-6}) {
    Job dear = job();
    dear.mechanism = "auto";
    dear.epsilon = 3;
    dear.delta = delta;
    EXPECT_TRUE(fails(check_job(dear, options_), ErrorKind::over_budget, " with privacy.epsilon = ")) << delta;
  }
}

TEST_F(Promises, NoOutputReplacesTheLedger) {
  create_dataset();
  Job wrong = job();
  wrong.csv = at("ledger.db");
  EXPECT_TRUE(fails(run_job(wrong, options_), ErrorKind::storage, "perhaps a ledger"));
  RunOptions seeded = options_;
  seeded.seed = 1;
  EXPECT_TRUE(fails(run_job(wrong, seeded), ErrorKind::storage, "perhaps a ledger"));
  EXPECT_TRUE(debits().empty());
  ASSERT_TRUE(run_job(job(), options_));
  EXPECT_TRUE(fails(run_again(wrong, "city:1", options_), ErrorKind::storage, "perhaps a ledger"));
  EXPECT_EQ(debits().size(), 1U);
}

TEST_F(Promises, WhatAKilledRunHadStoredIsReleasedOnceItIsEmitted) {
  create_dataset();
  Result<report::Published> stored = run_job(job(), options_);
  ASSERT_TRUE(stored) << stored.error().text();
  {  // a second run, up to where it was killed: the release is stored, the debit not settled
    Result<OpenBudget> budget = open_budget(claim_of(job()).value(), options_.ledger);
    ASSERT_TRUE(budget) << budget.error().text();
    const Result<Planned> planned = plan_job(job());
    ASSERT_TRUE(planned) << planned.error().text();
    Result<ledger::Receipt> receipt = reserve(*budget, claim_of(job()).value(), ask_of(*planned), {});
    ASSERT_TRUE(receipt) << receipt.error().text();
    stored->debit = receipt->reference();
    ASSERT_TRUE(ledger::redeem(*std::move(receipt), planned->chosen.event));
    ASSERT_TRUE(budget->store.put(stored->debit->id, report::to_json(*stored)));
    EXPECT_FALSE(budget->store.put(stored->debit->id, "another")) << "what is stored is not replaced";
  }
  ASSERT_EQ(debits().back().state, ledger::State::drawing);
  const std::string id = stored->debit->id.text();
  for (int time = 0; time < 2; ++time) {
    const Result<report::Published> again = run_again(job(), id, options_);
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(read("out.json"), report::to_json(*stored));
    ASSERT_EQ(debits().size(), 2U);
    EXPECT_EQ(debits().back().state, ledger::State::released);
  }
}

TEST_F(Promises, WhatIsNotPrivateSaysSoInEveryFile) {
  options_.seed = 1;
  ASSERT_TRUE(run_job(job(), options_));
  for (const char* name : {"out.csv", "out.json", "out.html"})
    EXPECT_NE(read(name).find("seeded: not private"), std::string::npos) << name;
}

TEST_F(Promises, AWindowSaysHowWideItIs) {
  options_.seed = 1;
  ASSERT_TRUE(run_job(job(job_text("", "unit = \"w-event\"\nwidth = 5\nepsilon = 1\ndelta = 1e-6\n")), options_));
  EXPECT_EQ(nlohmann::json::parse(read("out.json"))["guarantee"]["width"], 5);
}

TEST_F(Promises, NobodyAsksALedgerForAnEpsilonOrADeltaThatIsNone) {
  create_dataset();
  Job wrong = job();
  wrong.epsilon = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(fails(claim_of(wrong), ErrorKind::usage, "privacy.epsilon"));
  wrong.epsilon = 1;
  wrong.delta = 1;
  EXPECT_TRUE(fails(claim_of(wrong), ErrorKind::usage, "privacy.delta"));
}

}  // namespace
}  // namespace chronoveil::engine
