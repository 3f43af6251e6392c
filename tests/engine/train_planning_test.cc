// Plans of training against the accountant called by hand, and what cannot be planned.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "chronoveil/engine/train/plan.h"
#include "engine/train_fixtures.h"

namespace chronoveil::engine {
namespace {

using accounting::StructuredSubsampling;
using testing::fails;

class TrainPlanning : public testing::TrainFolder {
 protected:
  // The windows of the fixture, written down by hand.
  static StructuredSubsampling by_hand() {
    StructuredSubsampling event{};
    event.series = 12;
    event.length = {28 * 24};
    event.context_length = 24;
    event.forecast_length = 12;
    event.batch_size = 4;
    event.windows_per_series = 1;
    event.noise_multiplier = 4;
    return event;
  }
  static double price(const StructuredSubsampling& event, std::int64_t count, double delta = 1e-6) {
    return accounting::epsilon_at({event, count}, *Delta::make(delta))->epsilon;
  }
  static std::int64_t most(const StructuredSubsampling& event, double epsilon = 1, double delta = 1e-6) {
    return *accounting::max_count({event, 1}, *Epsilon::make(epsilon), *Delta::make(delta));
  }
  static const StructuredSubsampling& windows_of(const TrainPlanned& planned) {
    return std::get<StructuredSubsampling>(planned.event.kind);
  }
  static bool says(const TrainPlanned& planned, Basis basis, const std::string& words) {
    const std::vector<Assumption>& all = planned.guarantee.assumptions;
    return std::any_of(all.begin(), all.end(), [&](const Assumption& one) {
      return one.basis == basis && one.text.find(words) != std::string::npos;
    });
  }
  static bool warns(const TrainPlanned& planned, const std::string& words) {
    const std::vector<std::string> all = not_protected(planned);
    return std::any_of(all.begin(), all.end(),
                       [&](const std::string& one) { return one.find(words) != std::string::npos; });
  }
};

TEST_F(TrainPlanning, NoiseDecidesHowManySteps) {
  const TrainPlanned plan = planned(text());
  const std::int64_t steps = most(by_hand());
  ASSERT_GT(steps, 1);
  EXPECT_EQ(plan.steps, steps);
  EXPECT_EQ(plan.event.count, steps);
  EXPECT_EQ(plan.noise_multiplier, 4);
  EXPECT_EQ(plan.price.epsilon, price(by_hand(), steps));
  EXPECT_LE(plan.guarantee.epsilon, 1);
  EXPECT_GT(price(by_hand(), steps + 1), 1);
  EXPECT_EQ(plan.least_windows, 28 * 24 - 12 + 1);
  EXPECT_EQ(plan.most_windows, plan.least_windows);
  EXPECT_DOUBLE_EQ(plan.touched_share, 36.0 / 661);
  EXPECT_DOUBLE_EQ(plan.series_rate, 4.0 / 12);
}

TEST_F(TrainPlanning, StepsDecideHowMuchNoise) {
  const TrainPlanned plan = planned(text("steps = 500\n"));
  StructuredSubsampling open = by_hand();
  open.noise_multiplier = accounting::kToCalibrate;
  const auto least = accounting::calibrate({open, 500}, *Epsilon::make(1), *Delta::make(1e-6));
  ASSERT_TRUE(least);
  EXPECT_EQ(plan.noise_multiplier, least->noise);
  EXPECT_EQ(windows_of(plan).noise_multiplier, least->noise);
  EXPECT_EQ(plan.steps, 500);
  EXPECT_LE(plan.price.epsilon, 1);
}

TEST_F(TrainPlanning, BothAreHeldToTheBudget) {
  const std::int64_t steps = most(by_hand());
  ASSERT_GT(steps, 10);
  const TrainPlanned plan = planned(text("noise_multiplier = 4\nsteps = 10\n"));
  EXPECT_EQ(plan.steps, 10);
  EXPECT_EQ(plan.guarantee.epsilon, price(by_hand(), 10));
  EXPECT_TRUE(fails(plan_training(job(text("noise_multiplier = 4\nsteps = " + std::to_string(steps + 1) + "\n"))),
                    ErrorKind::over_budget, "privacy.epsilon"));
}

TEST_F(TrainPlanning, ADeltaThatCoversTrainingWithoutNoiseIsRefused) {
  // One step draws 4 of 12 series, and one of the 36 touched of 661 windows: 0.018.
  const auto plan = [&](const std::string& train, const std::string& delta) {
    return plan_training(job(text(train, "unit = \"event\"\nepsilon = 1\ndelta = " + delta + "\n")));
  };
  for (const std::string& train : {std::string("steps = 1\n"), std::string("noise_multiplier = 0.3\nsteps = 1\n")}) {
    EXPECT_TRUE(fails(plan(train, "0.02"), ErrorKind::cannot_certify, "without noise")) << train;
    EXPECT_FALSE(fails(plan(train, "0.018"), ErrorKind::cannot_certify, "without noise")) << train;
  }
  // As many steps as are free: none of them could be paid for.
  EXPECT_TRUE(fails(plan("noise_multiplier = 0.3\n", "0.02"), ErrorKind::cannot_certify, "without noise"));
  EXPECT_TRUE(plan("steps = 2\n", "0.02"));
}

TEST_F(TrainPlanning, SpareStepsArePaidForOnTop) {
  const TrainPlanned plan = planned(text("noise_multiplier = 4\nspare_steps = 30\n"));
  EXPECT_EQ(plan.steps + 30, most(by_hand()));
  EXPECT_EQ(plan.event.count, plan.steps + 30);
  const TrainPlanned fixed = planned(text("steps = 500\nspare_steps = 30\n"));
  EXPECT_EQ(fixed.steps, 500);
  EXPECT_EQ(fixed.event.count, 530);
}

TEST_F(TrainPlanning, AnEpochIsOneEvent) {
  StructuredSubsampling event = by_hand();
  event.top_level = StructuredSubsampling::Top::iterate;
  event.batch_size = 5;  // groups of 5, 5 and 2
  const std::string iterate = "top_level = \"iterate\"\nwindows_per_series = 1\n";
  std::string toml = text("noise_multiplier = 4\n" + iterate);
  toml.replace(toml.find("batch_size = 4"), 14, "batch_size = 5");
  const TrainPlanned plan = planned(toml);
  EXPECT_EQ(plan.steps_per_epoch, 3);
  EXPECT_EQ(plan.event.count, most(event));
  EXPECT_EQ(plan.steps, 3 * most(event));
  EXPECT_EQ(plan.series_rate, 1);

  toml = text("noise_multiplier = 9\nsteps = 7\nspare_steps = 3\n" + iterate);
  toml.replace(toml.find("batch_size = 4"), 14, "batch_size = 5");
  EXPECT_EQ(planned(toml).event.count, 4) << "ten steps begin a fourth epoch";
  const TrainPlanned seven = planned(toml);
  event.noise_multiplier = 9;
  EXPECT_EQ(price_after(seven, 0)->epsilon, 0);
  EXPECT_EQ(price_after(seven, 1)->epsilon, price(event, 1));
  EXPECT_EQ(price_after(seven, 3)->epsilon, price(event, 1));
  EXPECT_EQ(price_after(seven, 4)->epsilon, price(event, 2));
}

TEST_F(TrainPlanning, UnitsSayHowManyWindowsAreTouched) {
  const std::string rest = "epsilon = 1\ndelta = 1e-6\n";
  const TrainPlanned row = planned(text("steps = 50\n", "unit = \"w-event\"\nwidth = 5\n" + rest));
  EXPECT_EQ(windows_of(row).unit, Unit::event);
  EXPECT_EQ(windows_of(row).width, 5);
  EXPECT_DOUBLE_EQ(row.touched_share, 40.0 / 661);
  EXPECT_EQ(row.guarantee.unit, Unit::w_event);
  EXPECT_EQ(row.guarantee.width, 5);
  EXPECT_EQ(row.guarantee.relation, Relation::replace_values);
  const TrainPlanned user = planned(text("steps = 50\n", "unit = \"user\"\nmax_steps = 5\n" + rest));
  EXPECT_EQ(windows_of(user).unit, Unit::user);
  EXPECT_DOUBLE_EQ(user.touched_share, 180.0 / 661);
  EXPECT_EQ(user.guarantee.unit, Unit::user);
  EXPECT_GT(user.noise_multiplier, row.noise_multiplier);
}

TEST_F(TrainPlanning, LagsReachFurtherBackAndTouchMore) {
  std::string toml = text("steps = 50\nlags = [1, 168]\n");
  toml.replace(toml.find("simple_feed_forward"), 19, "deepar");
  const TrainPlanned plan = planned(toml);
  EXPECT_EQ(plan.shape.context, forecasting::history_length(plan.model));
  EXPECT_GE(plan.shape.context, 24 + 167);
  EXPECT_EQ(windows_of(plan).context_length, plan.shape.context);
  toml = text("steps = 50\n");
  toml.replace(toml.find("simple_feed_forward"), 19, "deepar");
  EXPECT_EQ(planned(toml).model.lags, forecasting::usual_lags(3600));
}

TEST_F(TrainPlanning, TooLittleNamesTheSmallestEpsilonThatWouldDo) {
  const auto with = [&](const std::string& epsilon) {
    return plan_training(
        job(text("noise_multiplier = 0.5\n", "unit = \"event\"\nepsilon = " + epsilon + "\ndelta = 1e-6\n")));
  };
  const auto plan = with("0.01");
  ASSERT_TRUE(fails(plan, ErrorKind::over_budget, "the smallest that would do is "));
  const std::string& message = plan.error().text();
  const std::string smallest = message.substr(message.rfind(' ') + 1);
  const auto enough = with(smallest);
  ASSERT_TRUE(enough) << enough.error().text();
  EXPECT_GE(enough->steps, 1);
  EXPECT_TRUE(fails(with(shortest(0.999 * std::stod(smallest))), ErrorKind::over_budget, smallest));
}

TEST_F(TrainPlanning, ABatchOfMoreSeriesThanThereAreNamesTheLargest) {
  const auto with = [&](const std::string& batch, const std::string& more) {
    std::string toml = text("steps = 5\n" + more);
    toml.replace(toml.find("batch_size = 4"), 14, "batch_size = " + batch);
    return plan_training(job(toml));
  };
  EXPECT_TRUE(with("12", ""));
  EXPECT_TRUE(fails(with("13", ""), ErrorKind::usage, "train.batch_size: 13 is not valid; it must be at most 12"));
  EXPECT_TRUE(with("38", "windows_per_series = 3\n"));
  EXPECT_TRUE(fails(with("39", "windows_per_series = 3\n"), ErrorKind::usage, "at most 38"));
}

TEST_F(TrainPlanning, WithoutABatchSizeItIsWhatTheSeriesAllow) {
  std::string toml = text("steps = 5\n");
  toml.erase(toml.find("batch_size = 4\n"), 15);
  EXPECT_EQ(planned(toml).scheme.batch_size, 12);
}

TEST_F(TrainPlanning, SpansGiveEachSeriesItsLength) {
  const std::string spans = "steps = 5\nspans = \"spans.csv\"\n";
  write("spans.csv", "series,start,end\nm1,2026-03-03T00:00,2026-03-05T00:00\nm2,2026-03-29T00:00,2026-03-30T00:00\n");
  const TrainPlanned plan = planned(text(spans));
  ASSERT_EQ(plan.series.size(), 12u);
  EXPECT_EQ(plan.series[0].length, 28 * 24);
  EXPECT_EQ(plan.series[1].start, 24);
  EXPECT_EQ(plan.series[1].length, 48);
  EXPECT_EQ(plan.series[2].start, 27 * 24);
  EXPECT_EQ(windows_of(plan).length, (std::vector<std::int64_t>{24, 48, 28 * 24}));
  EXPECT_EQ(plan.least_windows, 13);
  EXPECT_EQ(plan.most_windows, 661);
  EXPECT_EQ(plan.touched_share, 1) << "every window of the shortest series sees the change";
}

TEST_F(TrainPlanning, SpansMustBeOnTheSlots) {
  const std::string spans = "steps = 5\nspans = \"spans.csv\"\n";
  const auto with = [&](const std::string& row) {
    write("spans.csv", "series,start,end\nm0,2026-03-02,2026-03-30\n" + row + "\n");
    return plan_training(job(text(spans)));
  };
  EXPECT_TRUE(with("m1,2026-03-02,2026-03-09"));
  EXPECT_TRUE(fails(with("m1,2026-03-02T00:30,2026-03-09"), ErrorKind::usage, "train.spans: row 2: start: "));
  EXPECT_TRUE(fails(with("m1,2026-03-02,2026-04-09"), ErrorKind::usage, "train.spans: row 2: end: "));
  EXPECT_TRUE(fails(with("m1,2026-03-09,2026-03-09"), ErrorKind::usage, "the end must be after the start"));
  EXPECT_TRUE(fails(with("m1,soon,2026-03-09"), ErrorKind::usage, "row 2: start: "));
}

TEST_F(TrainPlanning, ASeriesShorterThanAForecastIsBadDataByName) {
  write("spans.csv", "series,start,end\nm7,2026-03-02T00:00,2026-03-02T11:00\n");
  EXPECT_TRUE(fails(plan_training(job(text("steps = 5\nspans = \"spans.csv\"\n"))), ErrorKind::bad_data,
                    "series 'm7': it has 11 steps"));
  EXPECT_TRUE(fails(plan_training(job(text()), 28 * 24 - 11), ErrorKind::bad_data, "series 'm0': it has 11 steps"));
  const Result<TrainPlanned> shortened = plan_training(job(text()), 24);
  ASSERT_TRUE(shortened);
  EXPECT_EQ(windows_of(*shortened).length, std::vector<std::int64_t>{27 * 24});
}

TEST_F(TrainPlanning, ModelsNameTheirKeysAsAJobSpellsThem) {
  std::string toml = text();
  toml.replace(toml.find("simple_feed_forward"), 19, "prophet");
  EXPECT_TRUE(fails(plan_training(job(toml)), ErrorKind::usage, "train.model: "));
  EXPECT_TRUE(fails(plan_training(job(text("noise_multiplier = 4\nhidden = -1\n"))), ErrorKind::usage, "train.hidden"));
  EXPECT_TRUE(fails(plan_training(job(text("noise_multiplier = 4\nwindows_per_series = 2\nlabel_noise = 1\n"))),
                    ErrorKind::usage, "train.windows_per_series"));
}

TEST_F(TrainPlanning, NoiseOnWindowsSavesSomethingAndIsDeclared) {
  const TrainPlanned plain = planned(text("steps = 50\n"));
  const TrainPlanned noisy = planned(text("steps = 50\ncontext_noise = 2\nlabel_noise = 2\nnoise_unit = 0.25\n"));
  EXPECT_LT(noisy.noise_multiplier, plain.noise_multiplier);
  EXPECT_TRUE(says(noisy, Basis::declared, "by at most 0.25"));
  EXPECT_FALSE(says(plain, Basis::declared, "by at most 0.25"));
  // The noise says nothing of values that come and go.
  EXPECT_TRUE(says(noisy, Basis::declared, "makes a value missing"));
  EXPECT_FALSE(says(plain, Basis::declared, "makes a value missing"));
  EXPECT_TRUE(warns(noisy, "Whether a value is missing is not protected"));
  EXPECT_FALSE(warns(plain, "missing"));
}

TEST_F(TrainPlanning, BoundsEnforceWhatNoiseOnWindowsCountsOn) {
  const TrainPlanned bounded = planned(text("steps = 50\nlabel_noise = 2\nlower = 0\nupper = 0.25\n"));
  EXPECT_TRUE(says(bounded, Basis::enforced, "clamped to [0, 0.25]"));
  EXPECT_TRUE(says(bounded, Basis::enforced, "by at most 0.25"));
  EXPECT_FALSE(says(bounded, Basis::declared, "by at most"));
  EXPECT_TRUE(says(bounded, Basis::declared, "makes a value missing"));  // clamping cannot see to that
  const TrainPlanned declared = planned(text("steps = 50\nlabel_noise = 2\nnoise_unit = 0.25\n"));
  EXPECT_EQ(bounded.price.epsilon, declared.price.epsilon);  // trust has no price
  EXPECT_FALSE(says(declared, Basis::enforced, "clamped to ["));
  const TrainPlanned plain = planned(text("steps = 50\nlower = 0\nupper = 0.25\n"));
  EXPECT_TRUE(says(plain, Basis::enforced, "clamped to [0, 0.25]"));
  EXPECT_FALSE(says(plain, Basis::enforced, "by at most"));
  // A job that nobody checked does not get more than it keeps.
  Job unchecked = job(text("steps = 50\nlabel_noise = 2\nlower = 0\nupper = 0.25\n"));
  unchecked.train().noise_unit = 0.125;
  const Result<TrainPlanned> small = plan_training(unchecked);
  ASSERT_TRUE(small) << small.error().text();
  EXPECT_TRUE(says(*small, Basis::declared, "by at most 0.125"));
  EXPECT_FALSE(says(*small, Basis::enforced, "by at most"));
}

TEST_F(TrainPlanning, TheCalendarStartsWhereTheSlotsDo) {
  std::string toml = text();
  const TrainPlanned monday = planned(toml);  // 2026-03-02 is one
  ASSERT_FALSE(monday.calendar.cycles.empty());
  for (const auto& cycle : monday.calendar.cycles) EXPECT_EQ(std::fmod(cycle.phase, cycle.period), 0);
  toml.replace(toml.find("2026-03-02T00:00"), 16, "2026-03-03T05:00");
  const TrainPlanned tuesday = planned(toml);
  for (const auto& cycle : tuesday.calendar.cycles)
    EXPECT_DOUBLE_EQ(std::fmod(cycle.phase, cycle.period), std::fmod(29.0, cycle.period));
  EXPECT_EQ(monday.model.covariates, monday.calendar.covariates());
  // The same instant is another hour of the day elsewhere.
  std::string berlin = text();
  berlin.replace(berlin.find("length = \"1h\"\n"), 14, "length = \"1h\"\nzone = \"Europe/Berlin\"\n");
  berlin.replace(berlin.find("2026-03-02T00:00"), 16, "2026-03-02T00:00Z");
  for (const auto& cycle : planned(berlin).calendar.cycles) EXPECT_DOUBLE_EQ(std::fmod(cycle.phase, cycle.period), 1);
  EXPECT_EQ(planned(text("noise_multiplier = 4\ncalendar = false\n")).model.covariates, 0);
}

TEST_F(TrainPlanning, ACheckDebitsNothingAndNamesWhatIsMissing) {
  create_meters();
  const Result<TrainChecked> checked = check_training(job(text()), options_, true);
  ASSERT_TRUE(checked) << checked.error().text();
  EXPECT_FALSE(checked->earlier);
  const Result<ledger::Ledger> ledger = ledger::Ledger::open(options_.ledger);
  ASSERT_TRUE(ledger);
  EXPECT_TRUE(
      fails(check_training(job(text("steps = 1\n", "", "value = \"kwh\"\n", "json = \"a\"\n")), options_, false),
            ErrorKind::usage, "output.model: it is missing"));
  EXPECT_TRUE(fails(check_training(job(text("steps = 1\n", "", "value = \"watt\"\n")), options_, false),
                    ErrorKind::bad_data, "source.value: column watt"));
  EXPECT_TRUE(
      fails(check_training(job(text("steps = 1\n", "unit = \"event\"\nepsilon = 30\ndelta = 1e-6\n")), options_, false),
            ErrorKind::over_budget, "privacy.epsilon = "));
}

TEST_F(TrainPlanning, ADatasetThatPromisesMoreThanValuesIsRefused) {
  create_meters(Unit::event, Relation::replace);
  EXPECT_TRUE(fails(check_training(job(text()), options_, false), ErrorKind::usage, "replace_values"));
}

TEST_F(TrainPlanning, DeclaredStepsOfAUserCoverNoMoreStepsInARow) {
  create_meters(Unit::w_event, Relation::replace_values, 5);
  const std::string rest = "epsilon = 1\ndelta = 1e-6\n";
  const auto with = [&](const std::string& privacy) {
    return check_training(job(text("steps = 5\n", privacy + rest)), options_, false);
  };
  EXPECT_TRUE(fails(with("unit = \"user\"\nmax_steps = 4\n"), ErrorKind::usage, "privacy.max_steps"));
  EXPECT_TRUE(with("unit = \"user\"\nmax_steps = 5\n"));
  EXPECT_TRUE(with("unit = \"w-event\"\nwidth = 5\n"));
  EXPECT_TRUE(fails(with("unit = \"event\"\n"), ErrorKind::usage, "privacy.unit"));
}

}  // namespace
}  // namespace chronoveil::engine
