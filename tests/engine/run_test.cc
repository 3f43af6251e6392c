// Jobs from end to end, on real files and a real ledger.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "chronoveil/engine/release/budget.h"
#include "chronoveil/report/document/digest.h"
#include "engine/fixtures.h"

namespace chronoveil::engine {
namespace {

using testing::fails;

class Run : public testing::JobFolder {};

TEST_F(Run, AReleaseHasItsFilesItsGuaranteeAndItsDebit) {
  create_dataset();
  const Result<report::Published> done = run_job(job(), options_);
  ASSERT_TRUE(done) << done.error().text();
  for (const char* name : {"out.csv", "out.json", "out.html"}) EXPECT_TRUE(exists(name)) << name;
  EXPECT_EQ(read("out.csv"), report::to_csv(*done));
  const nlohmann::json release = nlohmann::json::parse(read("out.json"));
  EXPECT_EQ(release["series"].size(), 2U);
  EXPECT_EQ(release["debit"]["id"], "city:1");
  EXPECT_EQ(release["guarantee"]["unit"], "user");
  EXPECT_LE(release["guarantee"]["epsilon"].get<double>(), 1);
  EXPECT_EQ(release["guarantee"]["caps"], "enforced");
  EXPECT_EQ(done->release.mark, "");
  ASSERT_TRUE(done->budget);
  EXPECT_GT(done->budget->fraction_left, 0);
  EXPECT_LT(done->budget->fraction_left, 1);

  const std::vector<ledger::Debit> history = debits();
  ASSERT_EQ(history.size(), 1U);
  EXPECT_EQ(history[0].state, ledger::State::released);
  EXPECT_EQ(history[0].chain_head, done->debit->chain_head);
  EXPECT_EQ(history[0].terms.purpose, "series release 2026-03-01T00:00..2026-03-03T00:00");
  EXPECT_EQ(history[0].terms.mechanism, "gaussian");
  EXPECT_EQ(history[0].terms.job, digest_of(job()));
  EXPECT_EQ(history[0].digest, report::release_digest(read("out.json")).value());
}

TEST_F(Run, TheDebitIsDurableBeforeDataIsRead) {
  create_dataset();
  write("trips.csv", "card,ts,stop\nc1,2026-03-01T00:30,north\nc1,yesterday,north\n");
  std::string noted;
  options_.note_debit = [&](const std::string& debit) {
    noted = debit;
    EXPECT_EQ(debits().size(), 1U);
  };
  const Result<report::Published> done = run_job(job(), options_);
  EXPECT_TRUE(fails(done, ErrorKind::bad_data,
                    "the budget is reserved, not lost: run the same job again to use the debit city:1"));
  EXPECT_NE(done.error().text().find("row 2"), std::string::npos) << done.error().text();
  EXPECT_EQ(done.error().text().find("yesterday"), std::string::npos) << done.error().text();
  EXPECT_EQ(noted, "city:1");
  const std::vector<ledger::Debit> history = debits();
  ASSERT_EQ(history.size(), 1U);
  EXPECT_EQ(history[0].state, ledger::State::reserved);
  for (const char* name : {"out.csv", "out.json", "out.html"}) EXPECT_FALSE(exists(name)) << name;
}

TEST_F(Run, WhatCanBeKnownBeforeCostsNothing) {
  create_dataset();
  const auto refused = [&](const Job& wrong, ErrorKind kind, const std::string& mention) {
    EXPECT_TRUE(fails(run_job(wrong, options_), kind, mention));
    EXPECT_TRUE(debits().empty()) << mention;
  };
  Job wrong = job();
  wrong.csv = at("nowhere/out.csv");
  refused(wrong, ErrorKind::storage, "output.csv");
  wrong = job();
  wrong.csv = wrong.json = wrong.report = wrong.series().totals = "";
  refused(wrong, ErrorKind::usage, "output: ");
  wrong = job();
  wrong.source.user = "person";
  refused(wrong, ErrorKind::bad_data, "source.user");
  wrong = job();
  wrong.source.path = at("nowhere.csv");
  refused(wrong, ErrorKind::storage, "nowhere.csv");
  wrong = job();
  wrong.slots.length = "7h";
  refused(wrong, ErrorKind::usage, "slots.length");
  wrong = job();
  wrong.slots.end = wrong.slots.start;
  refused(wrong, ErrorKind::usage, "slots.end");
  wrong = job();
  wrong.delta = 0;
  refused(wrong, ErrorKind::usage, "privacy.delta");
  wrong = job();
  wrong.epsilon = 100;
  refused(wrong, ErrorKind::over_budget, "budget");
  wrong = job();
  wrong.relation = Relation::replace;
  refused(wrong, ErrorKind::usage, "privacy.relation");
  wrong = job();
  wrong.unit = Unit::event;
  refused(wrong, ErrorKind::usage, "privacy.unit");
  for (const char* name : {"out.csv", "out.json", "out.html"}) EXPECT_FALSE(exists(name)) << name;
}

TEST_F(Run, AMissingDatasetShowsHowToCreateIt) {
  const Result<report::Published> done = run_job(job(), options_);
  EXPECT_TRUE(
      fails(done, ErrorKind::usage,
            "chronoveil budget create city --epsilon 2 --delta 2e-06 --unit user --ledger '" + at("ledger.db") + "'"));
}

TEST_F(Run, ASecondDebitForTheSameJobIsAskedFor) {
  create_dataset(8);
  ASSERT_TRUE(run_job(job(), options_));
  Job same = job();
  same.csv = at("elsewhere.csv");
  const Result<report::Published> second = run_job(same, options_);
  EXPECT_TRUE(fails(second, ErrorKind::usage, "city:1 (released)"));
  EXPECT_TRUE(fails(second, ErrorKind::usage, "run.yes"));
  EXPECT_TRUE(fails(second, ErrorKind::usage, "run.again = city:1"));
  EXPECT_EQ(debits().size(), 1U);
  Job other = job();
  other.slots.end = "2026-03-02T00:00";
  EXPECT_TRUE(fails(run_job(other, options_), ErrorKind::usage, "of another job, which would be replaced"));
  other.csv = at("other.csv"), other.json = at("other.json"), other.report = at("other.html");
  EXPECT_TRUE(run_job(other, options_));
  options_.confirmed = true;
  EXPECT_TRUE(run_job(same, options_));
  EXPECT_EQ(debits().size(), 3U);
}

TEST_F(Run, AStoredReleaseIsEmittedAnewAtNoCost) {
  create_dataset();
  ASSERT_TRUE(run_job(job(), options_));
  const std::string csv = read("out.csv"), json = read("out.json");
  struct stat found {};
  ASSERT_EQ(::stat(at("ledger.db.releases").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700U);
  ASSERT_EQ(::stat(at("ledger.db.releases/city-1.json").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600U);
  std::filesystem::remove(at("trips.csv"));  // no data is needed
  Job elsewhere = job();
  elsewhere.csv = at("again.csv");
  elsewhere.json = at("again.json");
  ASSERT_TRUE(run_again(elsewhere, "city:1", options_));
  EXPECT_EQ(read("again.csv"), csv);
  EXPECT_EQ(read("again.json"), json);
  EXPECT_EQ(debits().size(), 1U);
}

TEST_F(Run, AgainIsForThisJobAndForADebitOfThisLedger) {
  create_dataset();
  EXPECT_TRUE(fails(run_again(job(), "city:1", options_), ErrorKind::usage, "in the ledger"));
  ASSERT_TRUE(run_job(job(), options_));
  EXPECT_TRUE(fails(run_again(job(), "town:1", options_), ErrorKind::usage, "dataset"));
  EXPECT_TRUE(fails(run_again(job(), "city", options_), ErrorKind::usage, "city"));
  Job other = job();
  other.epsilon = 0.5;
  EXPECT_TRUE(fails(run_again(other, "city:1", options_), ErrorKind::usage, "this very job"));
  // A release of another ledger, put in this one's place.
  std::string text = read("ledger.db.releases/city-1.json");
  const std::string head = debits()[0].chain_head;
  text.replace(text.find(head), head.size(), std::string(head.size(), '0'));
  write("ledger.db.releases/city-1.json", text);
  EXPECT_TRUE(fails(run_again(job(), "city:1", options_), ErrorKind::storage, "or another one"));
  std::filesystem::remove(at("ledger.db.releases/city-1.json"));
  EXPECT_TRUE(fails(run_again(job(), "city:1", options_), ErrorKind::usage, "stored"));
}

TEST_F(Run, AnOutputThatFailsAfterTheDebitIsNotLost) {
  create_dataset();
  // Writable when looked at, gone when written: the folder is removed once the debit is there.
  std::filesystem::create_directory(at("sub"));
  Job gone = job();
  gone.csv = at("sub/out.csv");
  options_.note_debit = [&](const std::string&) { std::filesystem::remove(at("sub")); };
  EXPECT_TRUE(fails(run_job(gone, options_), ErrorKind::storage, "run.again = city:1"));
  EXPECT_FALSE(exists("out.json"));
  std::filesystem::create_directory(at("sub"));
  EXPECT_TRUE(run_again(gone, "city:1", options_));
  EXPECT_TRUE(exists("sub/out.csv"));
}

TEST_F(Run, SeedsAndReplaysTouchNoLedgerAndSaySo) {
  options_.seed = 7;
  const Result<report::Published> seeded = run_job(job(), options_);
  ASSERT_TRUE(seeded) << seeded.error().text();
  EXPECT_EQ(seeded->release.mark, "seeded: not private");
  EXPECT_EQ(seeded->release.guarantee.definition, "seeded: not private");
  EXPECT_TRUE(std::isinf(seeded->release.guarantee.epsilon));
  EXPECT_FALSE(seeded->debit);
  EXPECT_NE(read("out.json").find("\"mark\":\"seeded: not private\""), std::string::npos);
  EXPECT_NE(read("out.html").find("not private"), std::string::npos);
  const std::string first = read("out.csv");
  ASSERT_TRUE(run_job(job(), options_));
  EXPECT_EQ(read("out.csv"), first);
  options_.seed = 8;
  ASSERT_TRUE(run_job(job(), options_));
  EXPECT_NE(read("out.csv"), first);

  options_.replay.emplace();
  EXPECT_TRUE(fails(run_job(job(), options_), ErrorKind::usage, "seed"));
  options_.seed.reset();
  options_.replay->noise = std::vector<double>(2 * 48, 0.0);
  Job raw = job();
  raw.dataset = "";  // none is needed
  const Result<report::Published> replayed = run_job(raw, options_);
  ASSERT_TRUE(replayed) << replayed.error().text();
  EXPECT_EQ(replayed->release.mark, "not private: replayed");
  EXPECT_FALSE(exists("ledger.db"));
  // Without noise the bounded counts come out: everybody's two trips to listed stops.
  double sum = 0;
  for (const double value : replayed->release.estimate.value) sum += value;
  EXPECT_EQ(sum, 80);
  options_.replay->noise = std::vector<double>(5, 0.0);
  EXPECT_TRUE(fails(run_job(raw, options_), ErrorKind::usage, "noise_from"));
}

TEST_F(Run, OnlyListedSeriesInsideTheSpanAndTheCapsCount) {
  options_.replay.emplace();
  options_.replay->noise = std::vector<double>(2 * 48, 0.0);
  Job capped = job();
  capped.max_steps = 1;
  const Result<report::Published> done = run_job(capped, options_);
  ASSERT_TRUE(done);
  double sum = 0;
  for (const double value : done->release.estimate.value) sum += value;
  EXPECT_EQ(sum, 40);
}

TEST_F(Run, PostProcessingIsAsTheJobSays) {
  options_.replay.emplace();
  std::vector<double> noise(2 * 48, 0.3);
  noise[0] = -1000;
  options_.replay->noise = noise;
  Job raw = job();
  raw.series().non_negative = false;
  Result<report::Published> done = run_job(raw, options_);
  ASSERT_TRUE(done);
  EXPECT_LT(done->release.estimate.value[0], -900);
  EXPECT_NE(done->release.estimate.value[1], std::round(done->release.estimate.value[1]));
  raw.series().non_negative = true;
  raw.series().integers = true;
  done = run_job(raw, options_);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->release.estimate.value[0], 0);
  for (const double value : done->release.estimate.value) EXPECT_EQ(value, std::round(value));
}

TEST_F(Run, CountsHaveDeclaredCapsAndSayWhatExceedingThemCosts) {
  create_dataset();
  std::string counts = "time,value\n";
  for (int hour = 0; hour < 24; ++hour)
    counts += "2026-03-01T" + std::string(hour < 10 ? "0" : "") + std::to_string(hour) + ":00," +
              std::to_string(hour * 10) + "\n";
  write("counts.csv", counts);
  const std::string text =
      "version = 1\n[dataset]\nname = \"city\"\n[source]\npath = \"counts.csv\"\nvalue = \"value\"\n"
      "[slots]\nstart = \"2026-03-01T00:00\"\nend = \"2026-03-02T00:00\"\nlength = \"1h\"\n"
      "[privacy]\nmax_steps = 3\nepsilon = 1\ndelta = 1e-6\n[mechanism]\nname = \"gaussian\"\n"
      "[output]\njson = \"out.json\"\n";
  const Result<report::Published> done = run_job(job(text), options_);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(done->caps, Basis::declared);
  ASSERT_EQ(done->cap_growth.size(), 4U);
  EXPECT_LE(done->cap_growth[0].epsilon, 1.01);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_GT(done->cap_growth[i].epsilon, done->cap_growth[i - 1].epsilon);
  EXPECT_TRUE(done->release.keys.empty());
}

TEST_F(Run, ABudgetThatAddsUpChargesAtTheDeltaOfTheJob) {
  Result<ledger::Ledger> ledger = ledger::Ledger::open(options_.ledger);
  ASSERT_TRUE(ledger);
  ledger::DatasetRequest request;
  request.name = "city";
  request.promise.unit = Unit::user;
  request.epsilon = 2;
  request.delta = 2e-6;
  request.filter = ledger::FilterKind::sum;
  ASSERT_TRUE(ledger->create(request));
  ASSERT_TRUE(run_job(job(), options_));
  options_.confirmed = true;
  ASSERT_TRUE(run_job(job(), options_));
  EXPECT_TRUE(fails(run_job(job(), options_), ErrorKind::over_budget, "budget"));
  EXPECT_EQ(debits().size(), 2U);
}

TEST_F(Run, EveryMechanismOfTheUnitRunsUnderADebit) {
  create_dataset(100, 1e-4);
  Result<Planned> planned =
      plan_job(job(job_text("", "max_steps = 2\nepsilon = 1\ndelta = 1e-6\n", "[output]\ncsv = \"out.csv\"\n")));
  ASSERT_TRUE(planned) << planned.error().text();
  ASSERT_TRUE(planned->comparison);
  int ran = 0;
  for (const plan::Candidate& candidate : planned->comparison->candidates) {
    if (!candidate.plan) continue;
    SCOPED_TRACE(candidate.mechanism);
    Job named = job();
    named.mechanism = candidate.mechanism;
    options_.confirmed = true;  // replaces the release before
    const Result<report::Published> done = run_job(named, options_);
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(done->plan.mechanism, candidate.mechanism);
    ++ran;
  }
  EXPECT_GE(ran, 5);
  EXPECT_EQ(debits().size(), static_cast<std::size_t>(ran));
}

TEST_F(Run, AJobForWindowsOrEventsNeedsADatasetThatPromisesNoMore) {
  Result<ledger::Ledger> ledger = ledger::Ledger::open(options_.ledger);
  ASSERT_TRUE(ledger);
  ledger::DatasetRequest request;
  request.name = "city";
  request.promise.unit = Unit::w_event;
  request.promise.width = 6;
  request.epsilon = 100;
  request.delta = 1e-4;
  ASSERT_TRUE(ledger->create(request));
  Job windows = job();
  windows.max_steps.reset();
  windows.unit = Unit::w_event;
  windows.width = 3;
  EXPECT_TRUE(fails(run_job(windows, options_), ErrorKind::usage, "privacy.unit"));
  windows.width = 6;
  const Result<report::Published> done = run_job(windows, options_);
  EXPECT_TRUE(done) << done.error().text();
  windows.unit = Unit::event;
  windows.width = 1;
  EXPECT_TRUE(fails(run_job(windows, options_), ErrorKind::usage, "privacy.unit"));
}

TEST_F(Run, ACapThatCanEvictIsChargedTwiceInADatasetOfEventsAndOnlyThere) {
  Result<ledger::Ledger> ledger = ledger::Ledger::open(options_.ledger);
  ASSERT_TRUE(ledger);
  ledger::DatasetRequest request;
  request.name = "city";
  request.promise.unit = Unit::event;
  request.epsilon = 100;
  ASSERT_TRUE(ledger->create(request));
  Job capped = job(job_text("", "max_steps = \"all\"\nepsilon = 1\n",
                            "[mechanism]\nname = \"laplace\"\n[output]\ncsv = \"out.csv\"\n"));
  const auto charged = [&](const Job& asked) {
    const Result<Checked> checked = check_job(asked, options_);
    EXPECT_TRUE(checked) << checked.error().text();
    return checked ? checked->cost.values[0].value() : 0;
  };
  const std::int64_t everything = 2 * 48;
  for (const std::int64_t max_steps : {std::int64_t{1}, everything - 1}) {
    capped.max_steps = max_steps;
    EXPECT_NEAR(charged(capped), 2, 1e-6);
  }
  capped.max_steps = everything;
  EXPECT_NEAR(charged(capped), 1, 1e-6);
  capped.max_steps = kAllSteps;
  EXPECT_NEAR(charged(capped), 1, 1e-6);
  // In one series, a person has at most its steps.
  capped.series().disjoint = true;
  capped.max_steps = 48;
  EXPECT_NEAR(charged(capped), 1, 1e-6);
  capped.max_steps = 47;
  EXPECT_NEAR(charged(capped), 2, 1e-6);
  capped.max_steps.reset();
  capped.unit = Unit::w_event;  // each slot is bounded by itself
  capped.width = 6;
  EXPECT_NEAR(charged(capped), 1, 1e-6);
  ASSERT_TRUE(run_job(capped, options_));
  EXPECT_EQ(debits()[0].terms.stated.eviction, ledger::Eviction::none);
  EXPECT_TRUE(ledger->verify()->holds());
}

TEST_F(Run, CheckingCostsNothingAndSaysWhatARunWouldCost) {
  EXPECT_TRUE(fails(check_job(job(), options_), ErrorKind::usage, "budget create city"));
  create_dataset();
  const Result<Checked> checked = check_job(job(), options_);
  ASSERT_TRUE(checked) << checked.error().text();
  EXPECT_FALSE(checked->earlier);
  EXPECT_TRUE(debits().empty());
  EXPECT_FALSE(exists("out.csv"));
  Job dear = job();
  dear.epsilon = 50;
  EXPECT_TRUE(fails(check_job(dear, options_), ErrorKind::over_budget, "city"));
  Job wrong = job();
  wrong.source.time = "when";
  EXPECT_TRUE(fails(check_job(wrong, options_), ErrorKind::bad_data, "source.time"));
  ASSERT_TRUE(run_job(job(), options_));
  const Result<Checked> after = check_job(job(), options_);
  ASSERT_TRUE(after);
  ASSERT_TRUE(after->earlier);
  EXPECT_EQ(after->earlier->id.text(), "city:1");
  EXPECT_TRUE(after->earlier->stored);
  EXPECT_EQ(after->cost, debits()[0].cost);
}

TEST_F(Run, WhatDoesNotFitSaysWhichEpsilonWould) {
  create_dataset(0.5, 1e-5);
  options_.confirmed = true;
  for (const std::string mechanism : {"gaussian", "laplace", "subsample"}) {
    SCOPED_TRACE(mechanism);
    Job dear = job();
    dear.mechanism = mechanism;
    dear.epsilon = 3;
    const Result<Checked> checked = check_job(dear, options_);
    ASSERT_TRUE(fails(checked, ErrorKind::over_budget, mechanism + " with privacy.epsilon = "));
    const std::string& message = checked.error().text();
    const std::string key = "privacy.epsilon = ";
    const double advised = std::stod(message.substr(message.find(key) + key.size()));
    dear.epsilon = advised;
    EXPECT_TRUE(check_job(dear, options_)) << advised;
    dear.epsilon = 1.2 * advised;
    EXPECT_TRUE(fails(check_job(dear, options_), ErrorKind::over_budget, "would fit")) << advised;
  }
  Job all = job();
  all.epsilon = 0.5;
  all.delta = 1e-5;
  ASSERT_TRUE(run_job(all, options_));  // the first request may take everything
  EXPECT_TRUE(fails(run_job(all, options_), ErrorKind::over_budget, "no smaller privacy.epsilon"));
}

TEST_F(Run, CheckingReadsTheDataOnlyWhenAsked) {
  create_dataset();
  write("trips.csv", "card,ts,stop\nc1,yesterday,north\n");
  EXPECT_TRUE(check_job(job(), options_));
  EXPECT_TRUE(fails(check_job(job(), options_, true), ErrorKind::bad_data, "row 1"));
  write("trips.csv", trips());
  EXPECT_TRUE(check_job(job(), options_, true));
  EXPECT_TRUE(debits().empty());
}

TEST_F(Run, APlanNeedsNeitherDataNorALedger) {
  std::filesystem::remove(at("trips.csv"));
  Job automatic = job();
  automatic.mechanism = "auto";
  const Result<Planned> planned = plan_job(automatic);
  ASSERT_TRUE(planned) << planned.error().text();
  EXPECT_EQ(planned->chosen.mechanism, planned->comparison->recommended);
  EXPECT_FALSE(planned->reason.empty());
  EXPECT_EQ(planned->request.shape.max_steps, 2);
  EXPECT_FALSE(exists("ledger.db"));
  const Result<Planned> named = plan_job(job(), Compare::when_needed);
  ASSERT_TRUE(named);
  EXPECT_FALSE(named->comparison);
}

TEST_F(Run, ShrinkIsToldTheDayOrTheWeekUnlessTheJobSaysOtherwise) {
  const auto season = [&](const std::string& slots, const std::string& mechanism) {
    const std::string text =
        "version = 1\n[dataset]\nname = \"city\"\n[source]\npath = \"trips.csv\"\ntime = \"ts\"\n" + slots +
        "[privacy]\nmax_steps = 200\nepsilon = 1\ndelta = 1e-6\n[mechanism]\n" + mechanism +
        "[output]\ncsv = \"out.csv\"\n";
    const Result<Planned> planned = plan_job(job(text), Compare::when_needed);
    EXPECT_TRUE(planned) << planned.error().text();
    if (!planned || planned->chosen.mechanism != "shrink") return std::int64_t{-1};
    return std::get<std::int64_t>(planned->chosen.parameters.at("season"));
  };
  const std::string spring = "[slots]\nzone = \"Europe/Berlin\"\nstart = \"2026-03-01\"\nend = \"2026-05-03\"\n";
  const std::string shrink = "name = \"shrink\"\n", choose = "name = \"auto\"\n";
  EXPECT_EQ(season(spring + "length = \"1h\"\n", shrink), 24);
  EXPECT_EQ(season(spring + "length = \"1h\"\n", choose), 24);
  EXPECT_EQ(season(spring + "length = \"6h\"\n", shrink), 28);
  EXPECT_EQ(season(spring + "length = \"1d\"\n", shrink), 7);
  EXPECT_EQ(season(spring + "length = \"1w\"\n", shrink), 0) << "no rhythm shorter than two slots";
  EXPECT_EQ(season(spring + "length = \"1h\"\n", shrink + "season = 12\n"), 12);
  EXPECT_EQ(season(spring + "length = \"1h\"\n", shrink + "season = 0\n"), 0);
  const std::string one_day = "[slots]\nstart = \"2026-03-01\"\nend = \"2026-03-02\"\nlength = \"1h\"\n";
  EXPECT_EQ(season(one_day, shrink), 0) << "one day has no rhythm of days";
}

TEST_F(Run, WithoutACapAPersonMayBeEverywhere) {
  Job uncapped = job();
  uncapped.max_steps = kAllSteps;
  Result<Planned> planned = plan_job(uncapped, Compare::when_needed);
  ASSERT_TRUE(planned);
  EXPECT_EQ(planned->chosen.shape.max_steps, 2 * 48);
  uncapped.series().disjoint = true;
  planned = plan_job(uncapped, Compare::when_needed);
  ASSERT_TRUE(planned);
  EXPECT_EQ(planned->chosen.shape.max_steps, 48);
  uncapped.max_steps = 1000;
  planned = plan_job(uncapped, Compare::when_needed);
  ASSERT_TRUE(planned);
  EXPECT_EQ(planned->chosen.shape.max_steps, 48);
  uncapped.max_steps = 5;
  planned = plan_job(uncapped, Compare::when_needed);
  ASSERT_TRUE(planned);
  EXPECT_EQ(planned->chosen.shape.max_steps, 5);
}

TEST_F(Run, APublicSampleGivesExpectedErrors) {
  std::string sample = "series,time,value\n";
  for (const char* key : {"\"a,b\"", "c"})
    for (int step = 0; step < 48; ++step) sample += std::string(key) + ",t," + std::to_string(step % 24 * 5) + ".4\n";
  write("sample.csv", sample);
  Job sampled = job();
  sampled.series().public_sample = at("sample.csv");
  const Result<Planned> planned = plan_job(sampled);
  ASSERT_TRUE(planned) << planned.error().text();
  int with_error = 0;
  for (const plan::Candidate& candidate : planned->comparison->candidates)
    with_error += candidate.expected_error.has_value();
  EXPECT_GE(with_error, 4);
  write("sample.csv", "series,value\na,1\na,2\nb,1\n");
  EXPECT_TRUE(fails(plan_job(sampled), ErrorKind::bad_data, "same number of rows"));
  write("sample.csv", "series,value\na,one\n");
  EXPECT_TRUE(fails(plan_job(sampled), ErrorKind::bad_data, "row 1"));
  write("sample.csv", "series,n\na,1\n");
  EXPECT_TRUE(fails(plan_job(sampled), ErrorKind::bad_data, "no column 'value'"));
  write("sample.csv", "value\n");
  EXPECT_TRUE(fails(plan_job(sampled), ErrorKind::bad_data, "no rows"));
  std::filesystem::remove(at("sample.csv"));
  EXPECT_TRUE(fails(plan_job(sampled), ErrorKind::storage, "plan.sample"));
}

TEST_F(Run, AnEvaluationKnowsTheTruthAndWhatTheMechanismSaw) {
  options_.replay.emplace();
  options_.replay->noise = std::vector<double>(2 * 48, 0.0);
  Job capped = job();
  capped.max_steps = 1;
  ASSERT_TRUE(run_job(capped, options_));
  const Result<report::Evaluation> evaluation = evaluate_job(capped, read("out.json"));
  ASSERT_TRUE(evaluation) << evaluation.error().text();
  double truth = 0, bounded = 0;
  for (const double value : evaluation->truth) truth += value;
  for (const double value : evaluation->bounded) bounded += value;
  EXPECT_EQ(truth, 80);
  EXPECT_EQ(bounded, 40);
  EXPECT_EQ(evaluation->rows, 120);
  EXPECT_EQ(evaluation->unlisted_series, 40);
  EXPECT_EQ(evaluation->over_caps, 40);
  EXPECT_GT(report::errors_of(*evaluation).mean_absolute, 0);

  EXPECT_TRUE(fails(evaluate_job(capped, "{}"), ErrorKind::bad_data, "release"));
  Job other = capped;
  other.keys = {"south", "north"};
  EXPECT_TRUE(fails(evaluate_job(other, read("out.json")), ErrorKind::usage, "series"));
  other = capped;
  other.source.path = "-";
  EXPECT_TRUE(fails(evaluate_job(other, read("out.json")), ErrorKind::usage, "source.path"));
}

TEST_F(Run, AnEmptyFileAndAHeaderAloneAreAnswered) {
  create_dataset();
  write("trips.csv", "");
  EXPECT_TRUE(fails(run_job(job(), options_), ErrorKind::bad_data, "empty"));
  EXPECT_TRUE(debits().empty());
  write("trips.csv", "card,ts,stop\n");
  EXPECT_TRUE(fails(run_job(job(), options_), ErrorKind::bad_data, "no row of the data counts"));
  options_.allow_empty = true;
  EXPECT_TRUE(run_job(job(), options_));  // an empty slot is a zero
}

}  // namespace
}  // namespace chronoveil::engine
