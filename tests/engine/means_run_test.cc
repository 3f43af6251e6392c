// Jobs of means from end to end, on real files and a real ledger: what is promised to whom, and in which order things
// happen.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>

#include "chronoveil/engine/means/means.h"
#include "chronoveil/engine/release/budget.h"
#include "engine/fixtures.h"

namespace chronoveil::engine {
namespace {

using testing::fails;

// Thirty buses at two places over two days, and one place that nobody ever is in.
class MeansRun : public testing::JobFolder {
 protected:
  void SetUp() override {
    JobFolder::SetUp();
    write("places.txt", "north\nsouth\nharbour\n");
    write("speeds.csv", speeds());
  }

  static std::string speeds() {
    std::string text = "bus,ts,where,speed\n";
    for (int bus = 0; bus < 30; ++bus)
      for (int record = 0; record < 4; ++record)
        text += "b" + std::to_string(bus) + ",2026-03-0" + std::to_string(1 + record / 2) + "T08:0" +
                std::to_string(record) + (bus % 2 == 0 ? ",north," : ",south,") +
                std::to_string(20 + bus % 7 + record) + ".5\n";
    return text;
  }

  static std::string text(const std::string& means = "max_cells = 2\n", const std::string& mechanism = "clip_mean") {
    return "version = 1\n[dataset]\nname = \"city\"\n[source]\npath = \"speeds.csv\"\nuser = \"bus\"\ntime = \"ts\"\n"
           "place = \"where\"\nvalue = \"speed\"\n[slots]\nstart = \"2026-03-01T00:00\"\nend = \"2026-03-03T00:00\"\n"
           "length = \"1h\"\n[places]\nlist = \"places.txt\"\n[means]\nupper = 65.0\n" +
           std::string(means.find("counts = \"private\"") == std::string::npos ? "counts = \"public\"\n" : "") + means +
           "[privacy]\nepsilon = 1\n[mechanism]\nname = \"" + mechanism +
           "\"\n[output]\ncsv = \"out.csv\"\njson = \"out.json\"\nreport = \"out.html\"\n";
  }
  Job means_job(const std::string& means = "max_cells = 2\n", const std::string& mechanism = "clip_mean") const {
    return job(text(means, mechanism));
  }

  void create(Relation relation, double epsilon = 9) const {
    Result<ledger::Ledger> ledger = ledger::Ledger::open(options_.ledger);
    ASSERT_TRUE(ledger) << ledger.error().text();
    ledger::DatasetRequest request;
    request.name = "city";
    request.promise.unit = Unit::user;
    request.promise.relation = relation;
    request.epsilon = epsilon;
    ASSERT_TRUE(ledger->create(request));
  }

  bool wrote_nothing() const { return !exists("out.csv") && !exists("out.json") && !exists("out.html"); }
};

TEST_F(MeansRun, AJobOfCountsIsNotHeldAgainstMeans) {
  create(Relation::replace_values);
  ASSERT_TRUE(run_means(means_job(), options_));
  Job counts = means_job();
  counts.kind = SeriesSpec();
  counts.source.measure.reset();
  EXPECT_TRUE(fails(evaluate_job(counts, read("out.json")), ErrorKind::usage, "release: it is one of means"));
}

TEST_F(MeansRun, AReleaseHasItsFilesItsGuaranteeAndItsDebit) {
  create(Relation::replace_values);
  const Result<report::MeansPublished> done = run_means(means_job(), options_);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(read("out.csv"), report::means_csv(*done));
  EXPECT_EQ(read("out.json"), report::means_json(*done));
  EXPECT_EQ(read("out.html"), report::means_html(*done, "out.csv"));
  EXPECT_EQ(done->release.guarantee.unit, Unit::user);
  EXPECT_EQ(done->release.guarantee.relation, Relation::replace_values);
  EXPECT_LE(done->release.guarantee.epsilon, 1);
  EXPECT_EQ(done->release.mark, "");
  ASSERT_EQ(done->release.cells.size(), 3U * 48);
  EXPECT_EQ(std::count_if(done->release.cells.begin(), done->release.cells.end(),
                          [](const CellEstimate& cell) { return cell.state == CellEstimate::State::published; }),
            4);

  const std::vector<ledger::Debit> history = debits();
  ASSERT_EQ(history.size(), 1U);
  EXPECT_EQ(history[0].state, ledger::State::released);
  EXPECT_EQ(history[0].chain_head, done->debit->chain_head);
  EXPECT_EQ(history[0].terms.purpose, "means per place and slot 2026-03-01T00:00..2026-03-03T00:00");
  EXPECT_EQ(history[0].terms.stated.relation, Relation::replace_values);
  EXPECT_EQ(history[0].terms.mechanism, "clip_mean");
}

TEST_F(MeansRun, CapsThatCanEvictAreChargedTwiceInADatasetOfEvents) {
  Result<ledger::Ledger> ledger = ledger::Ledger::open(options_.ledger);
  ASSERT_TRUE(ledger) << ledger.error().text();
  ledger::DatasetRequest request;
  request.name = "city";
  request.promise.unit = Unit::event;
  request.epsilon = 1000;
  ASSERT_TRUE(ledger->create(request));
  const auto charged = [&](const std::string& caps) {
    const Result<MeansChecked> checked =
        check_means_job(means_job("counts = \"private\"\n" + caps, "sum_over_count"), options_, false);
    EXPECT_TRUE(checked) << checked.error().text();
    return checked ? checked->cost.values[0].value() : 0;
  };
  EXPECT_NEAR(charged("max_cells = 2\nmax_records = 3\n"), 2, 1e-6);
  EXPECT_NEAR(charged("max_cells = 143\nmax_records = 3\n"), 2, 1e-6);
  EXPECT_NEAR(charged("max_cells = 144\nmax_records = 3\n"), 2, 1e-6) << "records of a cell push each other out, too";
}

TEST_F(MeansRun, TheDebitIsDurableBeforeDataIsRead) {
  create(Relation::replace_values);
  write("speeds.csv", "bus,ts,where,speed\nb1,2026-03-01T00:30,north,20\nb1,2026-03-01T00:30,north,swift\n");
  std::string noted;
  options_.note_debit = [&](const std::string& debit) {
    noted = debit;
    EXPECT_EQ(debits().size(), 1U);
    EXPECT_EQ(debits()[0].state, ledger::State::reserved);
  };
  const Result<report::MeansPublished> done = run_means(means_job(), options_);
  EXPECT_TRUE(fails(done, ErrorKind::bad_data,
                    "the budget is reserved, not lost: run the same job again to use the debit city:1"));
  EXPECT_NE(done.error().text().find("row 2"), std::string::npos) << done.error().text();
  EXPECT_EQ(done.error().text().find("swift"), std::string::npos) << done.error().text();
  EXPECT_EQ(noted, "city:1");
  ASSERT_EQ(debits().size(), 1U);
  EXPECT_EQ(debits()[0].state, ledger::State::reserved);
  EXPECT_TRUE(wrote_nothing());
}

TEST_F(MeansRun, PlanningNeedsNeitherDataNorALedger) {
  std::filesystem::remove(at("speeds.csv"));
  const Result<MeansPlanned> planned = plan_means(means_job());
  ASSERT_TRUE(planned) << planned.error().text();
  EXPECT_EQ(planned->chosen.shape.max_cells, 2);
  EXPECT_EQ(planned->chosen.event.count, 2);
  EXPECT_FALSE(planned->comparison);
  EXPECT_FALSE(exists("ledger.db"));
}

TEST_F(MeansRun, WhatCanBeKnownBeforeCostsNothing) {
  create(Relation::replace_values);
  const auto refused = [&](const Job& wrong, ErrorKind kind, const std::string& mention) {
    EXPECT_TRUE(fails(run_means(wrong, options_), kind, mention));
    EXPECT_TRUE(debits().empty()) << mention;
    EXPECT_TRUE(wrote_nothing()) << mention;
  };
  Job wrong = means_job();
  wrong.csv = at("nowhere/out.csv");
  refused(wrong, ErrorKind::storage, "output.csv");
  wrong = means_job();
  wrong.source.measure = "haste";
  refused(wrong, ErrorKind::bad_data, "source.value");
  wrong = means_job();
  wrong.source.series = "whither";
  refused(wrong, ErrorKind::bad_data, "source.place");
  wrong = means_job();
  wrong.epsilon = 100;
  refused(wrong, ErrorKind::over_budget, "budget");
  wrong = means_job();
  wrong.means().counts_public = false;
  refused(wrong, ErrorKind::usage, "mechanism.name: clip_mean");
  wrong = means_job("max_cells = 2\n", "levy");
  wrong.parameters["grouping"] = std::string("wrap_around");
  refused(wrong, ErrorKind::usage, "mechanism.grouping: wrap_around");
  wrong = means_job();
  wrong.parameters["m_ub"] = std::int64_t{0};
  refused(wrong, ErrorKind::usage, "mechanism.m_ub: 0");
  RunOptions kept = options_;
  kept.replay.emplace();
  kept.replay->kept.emplace();
  EXPECT_TRUE(fails(run_means(means_job(), kept), ErrorKind::usage, "keep_from"));
}

TEST_F(MeansRun, HidingValuesIsLessThanADatasetThatHidesPeoplePromises) {
  for (const Relation promise : {Relation::add_remove, Relation::replace}) {
    std::filesystem::remove(at("ledger.db"));
    create(promise);
    EXPECT_TRUE(fails(run_means(means_job(), options_), ErrorKind::usage, "dataset.name: "));
    EXPECT_TRUE(fails(check_means_job(means_job(), options_, false), ErrorKind::usage, "where and when"));
    EXPECT_TRUE(debits().empty());
    EXPECT_TRUE(wrote_nothing());
  }
}

TEST_F(MeansRun, HidingPeopleIsEnoughForEveryDataset) {
  const Job hides_all = means_job("max_cells = 2\nmax_records = 2\ncounts = \"private\"\n", "sum_over_count");
  for (const auto& [promise, times] : {std::pair{Relation::add_remove, 1.0}, std::pair{Relation::replace, 2.0},
                                       std::pair{Relation::replace_values, 2.0}}) {
    std::filesystem::remove(at("ledger.db"));
    std::filesystem::remove_all(at("ledger.db.releases"));
    std::filesystem::remove(at("out.json"));
    create(promise);
    const Result<report::MeansPublished> done = run_means(hides_all, options_);
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(done->release.guarantee.relation, Relation::add_remove);
    EXPECT_NE(done->not_protected[0].find("is protected"), std::string::npos);
    // A replacement takes one person away and adds another.
    EXPECT_NEAR(done->budget->fraction_left, 1 - times / 9, 1e-9) << name(promise);
  }
}

TEST_F(MeansRun, ARegisteredMeanDoesNotHideThatSomebodyIsRegistered) {
  const Job registered = means_job("max_cells = 2\nregistered = 40\ncounts = \"private\"\n", "registered_mean");
  create(Relation::add_remove);
  EXPECT_TRUE(fails(run_means(registered, options_), ErrorKind::usage, "dataset.name: "));
  std::filesystem::remove(at("ledger.db"));
  create(Relation::replace);
  const Result<report::MeansPublished> done = run_means(registered, options_);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(done->release.guarantee.relation, Relation::replace);
  EXPECT_NEAR(done->budget->fraction_left, 8.0 / 9, 1e-9);
}

TEST_F(MeansRun, AStoredReleaseIsEmittedAnewAtNoCostAndWithoutData) {
  create(Relation::replace_values);
  ASSERT_TRUE(run_means(means_job(), options_));
  const std::string csv = read("out.csv"), json = read("out.json"), html = read("out.html");
  std::filesystem::remove(at("speeds.csv"));
  for (const char* name : {"out.csv", "out.json", "out.html"}) std::filesystem::remove(at(name));
  ASSERT_TRUE(run_means_again(means_job(), "city:1", options_));
  EXPECT_EQ(read("out.csv"), csv);
  EXPECT_EQ(read("out.json"), json);
  EXPECT_EQ(read("out.html"), html);
  EXPECT_EQ(debits().size(), 1U);
  EXPECT_TRUE(
      fails(run_means_again(means_job("max_cells = 1\n"), "city:1", options_), ErrorKind::usage, "this very job"));
  EXPECT_TRUE(fails(run_means_again(means_job(), "city:2", options_), ErrorKind::usage, "in the ledger"));
}

TEST_F(MeansRun, ASecondDebitForTheSameJobIsAskedFor) {
  create(Relation::replace_values);
  ASSERT_TRUE(run_means(means_job(), options_));
  EXPECT_TRUE(fails(run_means(means_job(), options_), ErrorKind::usage, "run.again = city:1"));
  const Job other = means_job("max_cells = 1\n");
  EXPECT_TRUE(fails(run_means(other, options_), ErrorKind::usage, "of another job, which would be replaced"));
  options_.confirmed = true;
  EXPECT_TRUE(run_means(other, options_));
  EXPECT_TRUE(run_means(means_job(), options_));
  EXPECT_EQ(debits().size(), 3U);
}

TEST_F(MeansRun, AnOutputThatFailsAfterTheDebitIsNotLost) {
  create(Relation::replace_values);
  std::filesystem::create_directory(at("sub"));
  Job gone = means_job();
  gone.csv = at("sub/out.csv");
  options_.note_debit = [&](const std::string&) { std::filesystem::remove(at("sub")); };
  EXPECT_TRUE(fails(run_means(gone, options_), ErrorKind::storage, "run.again = city:1"));
  EXPECT_TRUE(wrote_nothing());
  std::filesystem::create_directory(at("sub"));
  EXPECT_TRUE(run_means_again(gone, "city:1", options_));
  EXPECT_TRUE(exists("sub/out.csv"));
}

TEST_F(MeansRun, TheDigestIsOfEverythingThatIsAsked) {
  write("counts.txt", "4 3");
  std::vector<std::string> digests{digest_of(means_job()), digest_of(means_job("max_cells = 2\n", "auto"))};
  for (const char* means :
       {"max_cells = 3\n", "max_cells = 2\nmax_records = 3\n", "max_cells = 2\nsparse_below = 3\n",
        "max_cells = 2\nlower = -1.0\n", "max_cells = 2\nregistered = 9\n", "max_cells = 2\n[plan]\ncounts = \"4,3\"\n",
        "max_cells = 2\n[plan]\ncounts = \"4,2\"\n", "max_cells = 2\n[plan]\nusers = 9\n",
        "max_cells = 2\nmax_records = 3\ncounts = \"private\"\n"})
    digests.push_back(digest_of(means_job(means, "auto")));
  digests.push_back(digest_of(means_job("max_cells = 2\n", "baseline")));
  Job other = means_job();
  other.source.measure = "delay";
  digests.push_back(digest_of(other));
  other = means_job();
  other.means().upper = 66;
  digests.push_back(digest_of(other));
  std::sort(digests.begin(), digests.end());
  EXPECT_EQ(std::adjacent_find(digests.begin(), digests.end()), digests.end());

  Job same = means_job();
  same.title = "Speeds";
  same.csv = at("elsewhere.csv");
  same.report = "";
  EXPECT_EQ(digest_of(same), digest_of(means_job()));
  // A file of counts asks the same as the list in it.
  EXPECT_EQ(digest_of(means_job("[plan]\ncounts = \"counts.txt\"\n")),
            digest_of(means_job("[plan]\ncounts = \"4,3\"\n")));
}

TEST_F(MeansRun, ThePlacesOfAGridArePartOfWhatIsAsked) {
  std::string grid = text();
  grid.replace(grid.find("place = \"where\""), 15, "longitude = \"x\"\nlatitude = \"y\"");
  const std::string list = "list = \"places.txt\"";
  const auto with = [&](const std::string& places) {
    std::string changed = grid;
    return job(changed.replace(changed.find(list), list.size(), places));
  };
  const Job squares = with("west = 0\nsouth = 0\neast = 1\nnorth = 1\nsize = 9000\nshape = \"square\"");
  EXPECT_NE(digest_of(squares), digest_of(with("west = 0\nsouth = 0\neast = 1\nnorth = 1\nsize = 9000")));
  EXPECT_NE(digest_of(squares),
            digest_of(with("west = 0\nsouth = 0\neast = 1\nnorth = 1\nsize = 8000\nshape = \"square\"")));
  EXPECT_NE(digest_of(squares),
            digest_of(with("west = 0\nsouth = 0\neast = 1\nnorth = 0.9\nsize = 9000\nshape = \"square\"")));
  const Result<MeansPlanned> planned = plan_means(squares);
  ASSERT_TRUE(planned) << planned.error().text();
  EXPECT_EQ(planned->chosen.shape.places, 13 * 13);  // a degree is 111.2 km
}

TEST_F(MeansRun, CountsThatHelpToChooseAreSomethingTheGuaranteeRestsOn) {
  const auto declared = [](const Guarantee& guarantee) {
    return std::any_of(guarantee.assumptions.begin(), guarantee.assumptions.end(), [](const Assumption& one) {
      return one.text.find("the counts that helped to choose") != std::string::npos && one.basis == Basis::declared;
    });
  };
  const std::string counts = "max_cells = 2\n[plan]\ncounts = \"4,4,4,2\"\n";
  Result<MeansPlanned> planned = plan_means(means_job(counts, "auto"));
  ASSERT_TRUE(planned) << planned.error().text();
  EXPECT_EQ(planned->chosen.mechanism, planned->comparison->recommended);
  EXPECT_TRUE(declared(planned->guarantee));
  planned = plan_means(means_job(counts, "clip_mean"));
  ASSERT_TRUE(planned) << planned.error().text();
  EXPECT_TRUE(planned->comparison);  // shown, but the job had chosen
  EXPECT_FALSE(declared(planned->guarantee));
  EXPECT_FALSE(plan_means(means_job(counts, "clip_mean"), Compare::when_needed)->comparison);
}

TEST_F(MeansRun, TheDataAreNoPublicCountsOfThemselves) {
  write("speeds.csv", "4 4 2");
  std::filesystem::create_symlink(at("speeds.csv"), at("counts.txt"));
  for (const char* name : {"speeds.csv", "counts.txt"})
    EXPECT_TRUE(fails(parse_job(text("[plan]\ncounts = \"" + std::string(name) + "\"\n"), at("job.toml")),
                      ErrorKind::usage, "plan.counts: "))
        << name;
}

TEST_F(MeansRun, WhatIsDoneToCountsIsRefusedNotPassedOver) {
  for (const auto& [before, key, value] :
       {std::tuple{"[privacy]\n", "privacy.max_steps", "2"},
        std::tuple{"[privacy]\n", "privacy.relation", "\"replace\""},
        std::tuple{"[output]\n", "output.integers", "true"}, std::tuple{"[output]\n", "output.non_negative", "false"},
        std::tuple{"[source]\n", "source.duplicates", "\"sum\""}}) {
    const std::string name = std::string(key).substr(std::string_view(key).find('.') + 1);
    std::string changed = text();
    changed.insert(changed.find(before) + std::string_view(before).size(), name + " = " + value + "\n");
    EXPECT_TRUE(
        fails(parse_job(changed, at("job.toml")), ErrorKind::usage, std::string(key) + ": it belongs to counts"))
        << key;
  }
}

TEST_F(MeansRun, SeedsAndReplaysTouchNoLedgerAndSaySo) {
  options_.seed = 7;
  const Result<report::MeansPublished> seeded = run_means(means_job(), options_);
  ASSERT_TRUE(seeded) << seeded.error().text();
  EXPECT_EQ(seeded->release.mark, "seeded: not private");
  EXPECT_TRUE(std::isinf(seeded->release.guarantee.epsilon));
  EXPECT_FALSE(seeded->debit);
  EXPECT_FALSE(exists("ledger.db"));
  for (const char* name : {"out.csv", "out.json", "out.html"})
    EXPECT_NE(read(name).find("seeded: not private"), std::string::npos) << name;
  EXPECT_TRUE(fails(run_means_again(means_job(), "city:1", options_), ErrorKind::usage, "again"));
}

TEST_F(MeansRun, SmoothedMeansKeepTheDebitTheGuaranteeAndWhatWasMeasured) {
  create(Relation::replace_values);
  options_.seed = 7;
  const Job plain = means_job();
  Job smooth = means_job();
  smooth.means().smooth = true;
  EXPECT_EQ(digest_of(plain), digest_of(smooth)) << "post-processing is no part of what a job asks";
  const Result<report::MeansPublished> before = run_means(plain, options_), after = run_means(smooth, options_);
  ASSERT_TRUE(before && after);
  EXPECT_EQ(after->release.smoothed, Smoothed::by_place);
  bool moved = false;
  for (std::size_t i = 0; i < after->release.cells.size(); ++i) {
    const CellEstimate &was = before->release.cells[i], &is = after->release.cells[i];
    ASSERT_EQ(was.state, is.state);
    if (is.state != CellEstimate::State::published) continue;
    EXPECT_EQ(std::clamp(is.measured, 0.0, 65.0), was.mean);
    EXPECT_GT(is.deviation, 0);
    EXPECT_GE(is.lower, 0);
    EXPECT_LE(is.upper, 65);
    moved = moved || is.mean != was.mean;
  }
  EXPECT_TRUE(moved);
  const Result<report::MeansPublished> again = run_means(smooth, options_);
  ASSERT_TRUE(again);
  EXPECT_EQ(report::means_csv(*again), report::means_csv(*after));

  options_.seed.reset();
  const Result<report::MeansPublished> released = run_means(smooth, options_);
  ASSERT_TRUE(released) << released.error().text();
  const std::string csv = read("out.csv"), document = read("out.json");
  EXPECT_NE(csv.find("measured,deviation"), std::string::npos);
  const Result<report::MeansPublished> emitted = run_means_again(smooth, "city:1", options_);
  ASSERT_TRUE(emitted) << emitted.error().text();
  EXPECT_EQ(read("out.csv"), csv);
  EXPECT_EQ(read("out.json"), document);
  EXPECT_EQ(debits().size(), 1U);
}

TEST_F(MeansRun, WhatCannotBeSmoothedIsRefusedBeforeTheDebit) {
  create(Relation::replace_values);
  Job levy = means_job("max_cells = 2\n", "levy");
  levy.means().smooth = true;
  EXPECT_TRUE(fails(run_means(levy, options_), ErrorKind::usage, "output.smooth: levy cannot be smoothed"));
  EXPECT_TRUE(fails(check_means_job(levy, options_, false), ErrorKind::usage, "output.smooth: "));
  EXPECT_TRUE(debits().empty());
  EXPECT_TRUE(wrote_nothing());
  Job many = means_job();
  many.means().smooth = true;
  many.slots = {.start = "2026-03-01T00:00", .end = "2026-06-01T00:00", .length = "5s", .zone = "UTC"};
  EXPECT_TRUE(fails(plan_means(many), ErrorKind::usage, "output.smooth: there are 4769280 cells"));
}

TEST_F(MeansRun, AnEvaluationHasTheTruthBeforeCapsAndBounds) {
  write(
      "speeds.csv",
      "bus,ts,where,speed\nb1,2026-03-01T00:00,north,10\nb1,2026-03-01T00:10,north,100\nb2,2026-03-01T00:20,north,-8\n"
      "b2,2026-03-02T00:20,south,30\nb2,2026-03-04T00:20,south,30\nb2,2026-03-02T00:20,lake,30\n");
  options_.replay.emplace();
  options_.replay->noise = std::vector<double>(9, 0.0);
  const Job capped = means_job("max_cells = 48\nmax_records = 1\n", "baseline");
  ASSERT_TRUE(run_means(capped, options_));
  const Result<report::MeansEvaluation> found = evaluate_means(capped, read("out.json"));
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_NEAR(found->truth[0], 34, 1e-5);  // (10 + 100 − 8) / 3
  EXPECT_NEAR(found->truth[48 + 24], 30, 1e-5);
  EXPECT_EQ(found->users[0], 2);
  EXPECT_EQ(std::count_if(found->truth.begin(), found->truth.end(), [](double x) { return !std::isnan(x); }), 2);
  EXPECT_NEAR(found->published.release.cells[0].mean, 5, 1e-5);  // of 10 and 0
  EXPECT_EQ(found->rows, 6);
  EXPECT_EQ(found->outside_span, 1);
  EXPECT_EQ(found->unlisted_places, 1);
  EXPECT_EQ(found->over_records, 1);
  EXPECT_EQ(found->clamped, 2);
}

// Sum, size and correlations of n residuals as independent draws of Laplace(b) have them, each within 7 standard
// errors: right noise is rejected with a probability below 10^-7.
bool is_independent_laplace(const std::vector<double>& a, const std::vector<double>& b, double scale) {
  const auto n = static_cast<double>(a.size());
  double sum = 0, size = 0, neighbours = 0, across = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i] / scale, y = b[i] / scale;
    sum += x;
    size += std::abs(x);
    across += x * y;
    if (i > 0) neighbours += x * a[i - 1] / scale;
  }
  const double root = std::sqrt(n);
  return std::abs(sum) < 7 * std::sqrt(2.0) * root && std::abs(size - n) < 7 * root && std::abs(across) < 14 * root &&
         std::abs(neighbours) < 14 * root;
}

TEST_F(MeansRun, EveryDebitBuysItsOwnNoiseOfThePlannedScale) {
  create(Relation::replace);
  write("speeds.csv", "bus,ts,where,speed\n");  // nobody: what is published is the middle and its noise
  Job minutes = means_job("max_cells = 1\nregistered = 1000\ncounts = \"private\"\n", "registered_mean");
  minutes.slots.length = "1min";
  minutes.json = minutes.report = "";
  options_.confirmed = options_.allow_empty = true;
  const auto residuals = [&](const RunOptions& options) {
    const Result<report::MeansPublished> done = run_means(minutes, options);
    EXPECT_TRUE(done) << done.error().text();
    std::vector<double> all;
    if (done)
      for (const CellEstimate& cell : done->release.cells) all.push_back(cell.mean - 32.5);
    return all;
  };
  const std::vector<double> a = residuals(options_), b = residuals(options_);
  ASSERT_EQ(a.size(), 3U * 2880);
  const double scale = 65.0 / 1000;  // U / (L ε)
  EXPECT_TRUE(is_independent_laplace(a, b, scale));
  EXPECT_TRUE(is_independent_laplace(b, a, scale));

  // What the check must not let pass.
  EXPECT_FALSE(is_independent_laplace(a, a, scale));
  EXPECT_FALSE(is_independent_laplace(a, b, 1.25 * scale));  // beyond the band by 14 standard errors
  std::vector<double> once = a;
  for (std::size_t i = 1; i < once.size(); i += 2) once[i] = once[i - 1];
  EXPECT_FALSE(is_independent_laplace(once, b, scale));
  RunOptions quiet = options_;
  quiet.replay.emplace();
  quiet.replay->noise = std::vector<double>(a.size(), 0.0);
  minutes.csv = at("quiet.csv");
  EXPECT_FALSE(is_independent_laplace(residuals(quiet), b, scale));
}

}  // namespace
}  // namespace chronoveil::engine
