// Jobs with [perturb] from end to end, on real files and a real ledger: which columns leave and in which order things
// happen.
#include "chronoveil/engine/perturb/perturb.h"

#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <tuple>
#include <utility>

#include "chronoveil/engine/perturb/internal.h"
#include "chronoveil/engine/perturb/job.h"
#include "chronoveil/engine/release/assumptions.h"
#include "engine/fixtures.h"

namespace chronoveil::engine {
namespace {

using testing::fails;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string field(const std::string& line, int column) {
  std::istringstream in(line);
  std::string text;
  for (int i = 0; i <= column; ++i) std::getline(in, text, ',');
  return text;
}

std::vector<std::string> column_of(const std::string& csv, int column) {
  std::vector<std::string> all;
  for (const std::string& line : lines_of(csv)) all.push_back(field(line, column));
  all.erase(all.begin());
  return all;
}

std::vector<std::string> sorted(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  return texts;
}

// Forty hours of one meter: a load, a room, a tariff that everybody knows.
class PerturbRun : public testing::JobFolder {
 protected:
  void SetUp() override {
    JobFolder::SetUp();
    perturb_.ledger = options_.ledger;
    perturb_.leave = [this](std::string_view text) -> Result<void> {
      left_ += text;
      return {};
    };
    std::string text = "ts,kwh,room,tariff,secret\n";
    for (int i = 0; i < 40; ++i)
      text += "h" + std::to_string(i) + "," + std::to_string(i) + ".5,r" + std::to_string(i) + ",t" +
              std::to_string(i) + ",s" + std::to_string(i) + "\n";
    write("load.csv", text);
  }

  static std::string text(const std::string& perturb = "", const std::string& mechanism = "name = \"noisy_sort\"\n",
                          const std::string& privacy = "window = 4\nepsilon = 2\n") {
    return "version = 1\n[dataset]\nname = \"meter\"\n[source]\npath = \"load.csv\"\ntime = \"ts\"\n[perturb]\n" +
           perturb + "[privacy]\n" + privacy + "[mechanism]\n" + mechanism +
           "[output]\ncsv = \"out.csv\"\njson = \"out.json\"\nreport = \"out.html\"\n";
  }

  void create(double epsilon = 9, double delta = 0, std::int64_t window = 4, Relation relation = Relation::swap) const {
    Result<ledger::Ledger> ledger = ledger::Ledger::open(options_.ledger);
    ASSERT_TRUE(ledger) << ledger.error().text();
    ledger::DatasetRequest request;
    request.name = "meter";
    request.promise.unit = Unit::event;
    request.promise.relation = relation;
    if (relation == Relation::swap) {
      request.promise.width = window;
      request.filter = ledger::FilterKind::sum;  // as the program does: switches cost mostly δ
    }
    request.epsilon = epsilon;
    request.delta = delta;
    const auto created = ledger->create(request);
    ASSERT_TRUE(created) << created.error().text();
  }

  std::vector<ledger::Debit> meter_debits() const {
    Result<ledger::Ledger> ledger = ledger::Ledger::open(options_.ledger);
    return *ledger->history("meter");
  }
  bool wrote_nothing() const { return !exists("out.csv") && !exists("out.json") && !exists("out.html"); }

  PerturbOptions perturb_;
  std::string left_;
};

TEST_F(PerturbRun, AReleaseIsAPermutationWithItsGuaranteeAndItsDebit) {
  create();
  const Result<PerturbedRelease> done = run_perturbation(job(text("columns = [\"kwh\", \"room\"]\n")), perturb_);
  ASSERT_TRUE(done) << done.error().text();
  const std::string before = read("load.csv"), after = read("out.csv");
  EXPECT_EQ(lines_of(after)[0], "ts,kwh,room");
  EXPECT_EQ(column_of(after, 0), column_of(before, 0));
  EXPECT_EQ(sorted(column_of(after, 1)), sorted(column_of(before, 1)));
  // The columns of a row stay together.
  const std::vector<std::string> load = column_of(after, 1), room = column_of(after, 2);
  for (std::size_t i = 0; i < load.size(); ++i) EXPECT_EQ("r" + load[i], room[i] + ".5");
  EXPECT_EQ(read("out.json"), report::perturbed_json(*done));
  EXPECT_EQ(read("out.html"), report::perturbed_html(*done, "out.csv"));
  EXPECT_EQ(done->guarantee.definition, "TLDP");
  EXPECT_EQ(done->guarantee.relation, Relation::swap);
  EXPECT_EQ(done->guarantee.window, 4);
  EXPECT_LE(done->guarantee.epsilon, 2);
  EXPECT_EQ(done->mark, "");
  ASSERT_EQ(meter_debits().size(), 1U);
  EXPECT_EQ(meter_debits()[0].state, ledger::State::released);
  EXPECT_EQ(meter_debits()[0].chain_head, done->debit->chain_head);
  EXPECT_EQ(meter_debits()[0].terms.purpose, "perturbed series");
}

TEST_F(PerturbRun, WhatIsNamedNowhereDoesNotLeaveAndWhatIsKeptStaysInPlace) {
  create();
  ASSERT_TRUE(run_perturbation(job(text("columns = [\"kwh\"]\nkeep = [\"tariff\"]\n")), perturb_));
  const std::string after = read("out.csv");
  EXPECT_EQ(lines_of(after)[0], "ts,tariff,kwh");
  EXPECT_EQ(column_of(after, 1), column_of(read("load.csv"), 3));
  for (const std::string& file : {after, read("out.json"), read("out.html")})
    EXPECT_EQ(file.find("s17"), std::string::npos);
}

TEST_F(PerturbRun, ColumnsOnTheirOwnPayEachAndPartCompany) {
  create(20, 0.9);
  const std::string independent = "columns = [\"kwh\", \"room\"]\nchannels = \"independent\"\n";
  const Result<PerturbedRelease> done = run_perturbation(job(text(independent)), perturb_);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(done->plan.lanes, 2);
  EXPECT_EQ(done->plan.event.count, 2);
  EXPECT_LE(done->guarantee.epsilon, 2);
  const std::string after = read("out.csv");
  for (const int column : {1, 2})
    EXPECT_EQ(sorted(column_of(after, column)), sorted(column_of(read("load.csv"), column)));
  const std::vector<std::string> load = column_of(after, 1), room = column_of(after, 2);
  int apart = 0;
  for (std::size_t i = 0; i < load.size(); ++i) apart += "r" + load[i] != room[i] + ".5";
  EXPECT_GT(apart, 10);
  EXPECT_TRUE(fails(run_perturbation(job(text("channels = \"independent\"\n")), perturb_), ErrorKind::usage,
                    "perturb.columns"));
}

TEST_F(PerturbRun, RowsThatGetNewTimesComeInTheOrderOfTheirNewTimes) {
  create();
  ASSERT_TRUE(run_perturbation(job(text("move = \"times\"\n")), perturb_));
  const std::string after = read("out.csv");
  EXPECT_EQ(column_of(after, 0), column_of(read("load.csv"), 0));
  EXPECT_EQ(sorted(column_of(after, 4)), sorted(column_of(read("load.csv"), 4)));
}

TEST_F(PerturbRun, TheDebitIsDurableBeforeARowIsReadAndABadRowWritesNothing) {
  create();
  write("load.csv", "ts,kwh\nh0,1\nh1,much,more\n");
  std::string noted;
  perturb_.note_debit = [&](const std::string& debit) {
    noted = debit;
    EXPECT_EQ(meter_debits().size(), 1U);
  };
  const Result<PerturbedRelease> done = run_perturbation(job(text()), perturb_);
  EXPECT_TRUE(fails(done, ErrorKind::bad_data,
                    "the budget is reserved, not lost: run the same job again to use the debit meter:1"));
  EXPECT_EQ(done.error().text().find("much"), std::string::npos) << done.error().text();
  EXPECT_EQ(noted, "meter:1");
  EXPECT_TRUE(wrote_nothing());
}

// Standard input from a text, and how much of it nobody has read yet.
class Input {
 public:
  explicit Input(const std::string& text) : own_(dup(STDIN_FILENO)) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    EXPECT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
  }
  ~Input() {
    dup2(own_, STDIN_FILENO);
    close(own_);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  std::size_t unread() const {
    int bytes = -1;
    EXPECT_EQ(ioctl(STDIN_FILENO, FIONREAD, &bytes), 0);
    return static_cast<std::size_t>(bytes);
  }

 private:
  int own_;
};

TEST_F(PerturbRun, WithoutAHeaderNoByteIsReadBeforeTheDebit) {
  create(20);
  const std::string all = read("load.csv"), rows = all.substr(all.find('\n') + 1);
  perturb_.confirmed = true;
  for (const bool header : {false, true}) {
    Job once = job(text());
    once.source.path = "-";
    once.source.header = header;
    if (!header) once.source.time = "1";
    const std::string& given = header ? all : rows;
    const Input input(given);
    std::optional<std::size_t> unread;
    perturb_.note_debit = [&](const std::string&) { unread = input.unread(); };
    const Result<PerturbedRelease> done = run_perturbation(once, perturb_);
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(done->rows, 40);
    ASSERT_TRUE(unread);
    if (header)
      EXPECT_LT(*unread, given.size()) << "the names of columns are public, and so is that they are there";
    else
      EXPECT_EQ(*unread, given.size());
  }
}

TEST_F(PerturbRun, WithoutAHeaderAFileThatIsNotThereIsStillRefusedBeforeTheDebit) {
  create();
  Job once = job(text());
  once.source.path = at("nowhere.csv");
  once.source.header = false;
  once.source.time = "1";
  EXPECT_TRUE(fails(run_perturbation(once, perturb_), ErrorKind::storage, "nowhere.csv"));
  EXPECT_TRUE(meter_debits().empty());
}

TEST_F(PerturbRun, ACheckLooksAtNoRowThatIsFirstInsteadOfAHeader) {
  create();
  std::string text_without = text("columns = [\"2\"]\n");
  text_without.replace(text_without.find("time = \"ts\""), 11, "time = \"1\"\nheader = false");
  const Job without = job(text_without);
  for (const char* rows : {"1,2\n", "1;2\n", "\"", ""}) {
    write("load.csv", rows);
    const Result<PerturbChecked> checked = check_perturbation(without, perturb_, false);
    EXPECT_TRUE(checked) << rows << ": " << checked.error().text();
    EXPECT_EQ(bool(check_perturbation(without, perturb_, true)), false) << rows << " is no series for a window of 4";
  }
}

TEST_F(PerturbRun, ThatKeptColumnsArePublicIsSaidInThePlanAlready) {
  create();
  const auto times_said = [](const Guarantee& guarantee) {
    return std::count_if(guarantee.assumptions.begin(), guarantee.assumptions.end(), [](const Assumption& each) {
      return each.text == "the columns that are kept in place are public" && each.basis == Basis::declared;
    });
  };
  const Job kept = job(text("columns = [\"kwh\"]\nkeep = [\"tariff\"]\n"));
  EXPECT_EQ(times_said(plan_perturbation(kept)->guarantee), 1);
  EXPECT_EQ(times_said(check_perturbation(kept, perturb_, false)->planned.guarantee), 1);
  EXPECT_EQ(times_said(run_perturbation(kept, perturb_)->guarantee), 1);
  EXPECT_EQ(times_said(plan_perturbation(job(text("columns = [\"kwh\"]\n")))->guarantee), 0);
}

// How often the guarantee declares what reading takes for granted about rows. Never as enforced: a row can make it
// untrue.
struct Granted {
  int no_row_ends_it = 0, no_row_fixes_the_fields = 0;
  bool operator==(const Granted&) const = default;
};

Granted granted(const Guarantee& guarantee) {
  Granted found;
  for (const Assumption& each : guarantee.assumptions) {
    if (each.basis != Basis::declared) continue;
    found.no_row_ends_it +=
        each.text ==
        "every row can be read and is one that the job takes; any other ends the release, which can be seen";
    found.no_row_fixes_the_fields +=
        each.text.starts_with("there is no header, so the first row says how many fields all have");
  }
  return found;
}

TEST_F(PerturbRun, WhatOneRowCanDecideIsDeclaredInPlanAndRelease) {
  create(100, 0, 0, Relation::replace);
  perturb_.confirmed = true;
  for (const bool header : {true, false}) {
    Job once = job(text("columns = [\"kwh\"]\nlower = 0\nupper = 50\n", "name = \"local_laplace\"\n",
                        "unit = \"event\"\nepsilon = 2\n"));
    once.source.header = header;
    const std::string all = read("load.csv"), names = all.substr(0, all.find('\n') + 1),
                      rows = all.substr(names.size());
    if (!header) {
      write("rows.csv", rows);
      once.source.path = at("rows.csv");
      once.source.time = "1";
      once.perturb().columns = {"2"};
    }
    const Granted expected{1, header ? 0 : 1};
    EXPECT_EQ(granted(plan_perturbation(once)->guarantee), expected);
    EXPECT_EQ(granted(check_perturbation(once, perturb_, false)->planned.guarantee), expected);
    const auto done = run_perturbation(once, perturb_);
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(granted(done->guarantee), expected);
    for (const std::string& file : {read("out.json"), read("out.html")}) {
      EXPECT_NE(file.find("very row can be read"), std::string::npos);
      EXPECT_EQ(file.find("here is no header") != std::string::npos, !header);
    }
    // Indeed, a row with one more field ends the release wherever it is; as the first row of a file without a header,
    // it makes all others not fit.
    const std::size_t end = rows.find('\n');
    write("broken.csv", (header ? names : "") + rows.substr(0, end) + ",more" + rows.substr(end));
    once.source.path = at("broken.csv");
    const auto broken = run_perturbation(once, perturb_);
    EXPECT_TRUE(fails(broken, ErrorKind::bad_data, header ? "row 1" : "row 2")) << broken.error().text();
  }
}

TEST_F(PerturbRun, WhatOneRowCanDecideIsDeclaredWhateverIsDoneToValues) {
  const std::string moving = "window = 4\nepsilon = 2\n", changing = "unit = \"event\"\nepsilon = 2\n";
  const std::string numbers = "columns = [\"kwh\"]\nlower = 0\nupper = 50\n";
  for (const auto& [name, privacy, perturb] :
       {std::tuple<std::string, std::string, std::string>{"noisy_sort", moving, ""},
        {"piecewise", changing, numbers},
        {"local_laplace", changing, numbers},
        {"randomized_response", changing, "columns = [\"room\"]\ncategories = [\"r1\", \"r2\"]\n"}}) {
    const auto planned = plan_perturbation(job(text(perturb, "name = \"" + name + "\"\n", privacy)));
    ASSERT_TRUE(planned) << name << ": " << planned.error().text();
    EXPECT_EQ(granted(planned->guarantee), (Granted{1, 0})) << name;
  }
}

// Rows that are read as they come leave out the bad ones, so there is nothing to declare about them.
TEST(ReadingAssumptions, FollowFromHowRowsAreRead) {
  for (const Reading reading : {Reading::whole, Reading::live})
    for (const data::SourceKind kind : {data::SourceKind::csv, data::SourceKind::sqlite})
      for (const bool header : {true, false}) {
        data::SourceSpec source;
        source.kind = kind;
        source.header = header;
        Guarantee guarantee;
        add_reading(source, reading, guarantee.assumptions);
        const int ends = reading == Reading::whole ? 1 : 0, fixes = kind == data::SourceKind::csv && !header ? 1 : 0;
        EXPECT_EQ(granted(guarantee), (Granted{ends, fixes}));
        EXPECT_EQ(guarantee.assumptions.size(), static_cast<std::size_t>(ends + fixes));
      }
}

TEST_F(PerturbRun, ASeriesShorterThanTheWindowIsRefused) {
  create();
  write("load.csv", "ts,kwh\nh0,1\nh1,2\nh2,3\n");
  EXPECT_TRUE(fails(run_perturbation(job(text()), perturb_), ErrorKind::bad_data,
                    "privacy.window: 4 is larger than the series, which has 3 values"));
  EXPECT_TRUE(wrote_nothing());
}

TEST_F(PerturbRun, AStoredReleaseIsEmittedAnewByteForByte) {
  create();
  const Job once = job(text());
  ASSERT_TRUE(run_perturbation(once, perturb_));
  const std::string csv = read("out.csv"), json = read("out.json");
  write("out.csv", "gone");
  write("load.csv", "gone");
  const Result<PerturbedRelease> again = run_perturbation_again(once, "meter:1", perturb_);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(read("out.csv"), csv);
  EXPECT_EQ(read("out.json"), json);
}

TEST_F(PerturbRun, WhatOnlyTheOwnerMaySeeIsNotEmittedAnew) {
  create();
  Job once = job(text());
  ASSERT_TRUE(run_perturbation(once, perturb_));
  write("out.csv", "gone");
  once.perturb().internal = at("internal.html");
  EXPECT_TRUE(fails(run_perturbation_again(once, "meter:1", perturb_), ErrorKind::usage, "output.internal: "));
  EXPECT_FALSE(exists("internal.html"));
  EXPECT_EQ(read("out.csv"), "gone");
}

TEST_F(PerturbRun, ASecondDebitOfTheSameJobIsAskedFor) {
  create();
  ASSERT_TRUE(run_perturbation(job(text()), perturb_));
  EXPECT_TRUE(fails(run_perturbation(job(text()), perturb_), ErrorKind::usage, "run.yes"));
  perturb_.confirmed = true;
  EXPECT_TRUE(run_perturbation(job(text()), perturb_));
}

TEST_F(PerturbRun, ABudgetSaysWithWhichConfidenceItHoldsOnceAPriceWasMeasured) {
  create(20, 0.99, 11);
  const auto beta = [this] { return ledger::Ledger::open(options_.ledger)->view("meter")->beta; };
  const auto by = [&](const std::string& mechanism, const std::string& delta) {
    return run_perturbation(job(text("", mechanism, "window = 11\nepsilon = 3\n" + delta)), perturb_);
  };
  ASSERT_TRUE(by("name = \"noisy_sort\"\n", ""));
  EXPECT_EQ(beta(), 0);
  perturb_.confirmed = true;
  const Result<PerturbedRelease> measured = by("name = \"staswitch\"\nstay = 0.5\n", "delta = 0.7\n");
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_GT(measured->plan.price.beta, 0);
  EXPECT_GE(beta(), measured->plan.price.beta);
  EXPECT_LT(beta(), 1e-4);
}

TEST_F(PerturbRun, WhereASwitchIsTooDearTheEpsilonThatIsLeftIsAdvisedAndFits) {
  create(3, 0.9, 12);
  const auto switched = [](const std::string& epsilon) {
    return text("", "name = \"ranswitch\"\n", "window = 12\nepsilon = " + epsilon + "\ndelta = 0.5\n");
  };
  EXPECT_TRUE(fails(run_perturbation(job(switched("5")), perturb_), ErrorKind::over_budget,
                    "ranswitch with privacy.epsilon = 3 would fit"));
  EXPECT_TRUE(run_perturbation(job(switched("3")), perturb_));
}

TEST_F(PerturbRun, WhatLeavesAsAStreamLeavesInPiecesAndIsNotStored) {
  create(20, 0.99);
  Job stream = job(text("stream = true\n", "name = \"ranswitch\"\n", "window = 4\nepsilon = 2\ndelta = 0.5\n"));
  stream.csv = "-";
  ASSERT_TRUE(leaves_at_once(stream));
  const Result<PerturbedRelease> done = run_perturbation(stream, perturb_);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(done->csv, "");
  EXPECT_EQ(sorted(column_of(left_, 1)), sorted(column_of(read("load.csv"), 1)));
  EXPECT_TRUE(fails(run_perturbation_again(stream, "meter:1", perturb_), ErrorKind::usage, "not stored"));
}

TEST_F(PerturbRun, AStreamThatNobodyTakesIsRefusedBeforeTheDebit) {
  create(20, 0.99);
  Job stream = job(text("stream = true\n", "name = \"ranswitch\"\n", "window = 4\nepsilon = 2\ndelta = 0.5\n"));
  stream.csv = "-";
  perturb_.leave = nullptr;
  EXPECT_TRUE(fails(run_perturbation(stream, perturb_), ErrorKind::internal, "no function was given to take them"));
  EXPECT_TRUE(meter_debits().empty());
  stream.csv = at("out.csv");
  EXPECT_TRUE(run_perturbation(stream, perturb_)) << "a file needs nobody";
}

TEST_F(PerturbRun, TheLongestSeriesThatAJobMayNameIsTheLongestThatIsPriced) {
  Job once = job(text("columns = [\"kwh\"]\nlower = 0\nupper = 50\n", "name = \"local_laplace\"\n", "epsilon = 200\n"));
  once.unit = Unit::user;
  once.perturb().length = mechanisms::kLongestSeries;
  EXPECT_TRUE(check_perturb(once));
  const Result<PerturbPlanned> planned = plan_perturbation(once);
  EXPECT_TRUE(planned) << planned.error().text();
  ++*once.perturb().length;
  EXPECT_TRUE(fails(check_perturb(once), ErrorKind::usage, "perturb.length: 68719476737 is not valid"));
}

TEST_F(PerturbRun, ARowMoreThanTheLengthEndsTheSeries) {
  create(9, 0, 4, Relation::replace);
  Job once = job(
      text("columns = [\"kwh\"]\nlower = 0\nupper = 50\nlength = 39\n", "name = \"local_laplace\"\n", "epsilon = 2\n"));
  EXPECT_TRUE(fails(run_perturbation(once, perturb_), ErrorKind::bad_data,
                    "perturb.length: the series has more values than that, 39"));
  EXPECT_TRUE(wrote_nothing());
}

TEST_F(PerturbRun, RowsBeforeABrokenOneOfAStreamAreReleasedAndTheErrorSaysSo) {
  create(20, 0.99);
  write("load.csv", "ts,kwh\nh0,1\nh1,2\nh2,3\nh3,4\nh4,5\nh5,6,7\nh6,8\n");
  Job stream = job(text("stream = true\n", "name = \"ranswitch\"\n", "window = 4\nepsilon = 2\ndelta = 0.5\n"));
  stream.csv = "-";
  stream.json.clear();
  stream.report.clear();
  EXPECT_TRUE(fails(run_perturbation(stream, perturb_), ErrorKind::bad_data, "every row before it was released"));
  EXPECT_EQ(sorted(column_of(left_, 1)), (std::vector<std::string>{"1", "2", "3", "4", "5"}));
  EXPECT_EQ(meter_debits().at(0).state, ledger::State::released);
}

TEST_F(PerturbRun, ABrokenRowIsNamedAlsoWhereTooFewCameBeforeIt) {
  create(20, 0.99);
  write("load.csv", "ts,kwh\nh0,1\nh1,2,7\nh2,3\n");
  Job stream = job(text("stream = true\n", "name = \"ranswitch\"\n", "window = 4\nepsilon = 2\ndelta = 0.5\n"));
  stream.csv = "-";
  stream.json.clear();
  stream.report.clear();
  EXPECT_TRUE(fails(run_perturbation(stream, perturb_), ErrorKind::bad_data, "row 2 (line 3)"));
  EXPECT_EQ(left_, "");
  EXPECT_EQ(meter_debits().at(0).state, ledger::State::abandoned);
}

TEST_F(PerturbRun, ASeedMarksEveryRowAndTouchesNoLedger) {
  perturb_.seed = 7;
  const Job once = job(text("columns = [\"kwh\"]\n"));
  const Result<PerturbedRelease> done = run_perturbation(once, perturb_);
  ASSERT_TRUE(done) << done.error().text();
  const std::vector<std::string> lines = lines_of(read("out.csv"));
  EXPECT_EQ(lines[0], "ts,kwh,mark");
  for (std::size_t i = 1; i < lines.size(); ++i) EXPECT_EQ(field(lines[i], 2), "seeded: not private");
  EXPECT_TRUE(std::isinf(done->guarantee.epsilon));
  EXPECT_FALSE(exists("ledger.db"));
  const std::string first = read("out.csv");
  ASSERT_TRUE(run_perturbation(once, perturb_));
  EXPECT_EQ(read("out.csv"), first);
}

TEST_F(PerturbRun, TheMarkOfASeedHasANameOfItsOwn) {
  perturb_.seed = 7;
  for (const auto& [given, marked] :
       {std::pair{"ts,mark", "ts,mark,chronoveil_mark"},
        {"ts,mark,chronoveil_mark", "ts,mark,chronoveil_mark,chronoveil_chronoveil_mark"}}) {
    std::string rows = std::string(given) + "\n";
    const std::string row = std::string(static_cast<std::size_t>(std::count(rows.begin(), rows.end(), ',')), ',');
    for (int i = 0; i < 5; ++i) rows += row + "\n";
    write("load.csv", rows);
    ASSERT_TRUE(run_perturbation(job(text()), perturb_));
    EXPECT_EQ(lines_of(read("out.csv"))[0], marked);
  }
}

TEST_F(PerturbRun, WhatIsExpectedToGetLostIsOfASeriesOfThisLength) {
  perturb_.seed = 7;
  const std::string threshold =
      text("", "name = \"threshold\"\nthreshold = 2\n", "window = 4\nepsilon = 2.2\nanalysis = \"published\"\n");
  const Result<PerturbedRelease> done = run_perturbation(job(threshold), perturb_);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_NEAR(done->expected.missing, 2.0 / 40, 0.002);
}

TEST_F(PerturbRun, TheOwnersReportIsTheOwnersAloneAndThePublicOneSaysNothingOfThisRun) {
  create();
  Job once = job(text("columns = [\"kwh\"]\n"));
  once.perturb().internal = at("internal.html");
  const Result<PerturbedRelease> done = run_perturbation(once, perturb_);
  ASSERT_TRUE(done) << done.error().text();
  ASSERT_TRUE(done->internal);
  EXPECT_EQ(read("internal.html"), report::perturbed_internal_html(*done, *done->internal));
  double shares = 0;
  for (const double share : done->internal->realised.shares) shares += share;
  EXPECT_NEAR(shares, 1, 1e-12);
  // The same public documents whatever happened: those of the law.
  const Result<mechanisms::Moves> law = mechanisms::expected_moves(done->plan);
  ASSERT_TRUE(law);
  EXPECT_EQ(done->expected.shares, law->shares);
}

TEST_F(PerturbRun, TheOwnersReportDoesNotGoToStandardOutput) {
  create();
  Job once = job(text());
  once.perturb().internal = "-";
  EXPECT_TRUE(fails(run_perturbation(once, perturb_), ErrorKind::usage, "output.internal"));
  EXPECT_TRUE(wrote_nothing());
  EXPECT_TRUE(meter_debits().empty());
}

TEST_F(PerturbRun, ADatasetThatPromisesMoreThanWhenRefuses) {
  create(9, 0, 4, Relation::replace);
  EXPECT_TRUE(fails(run_perturbation(job(text()), perturb_), ErrorKind::usage, "hides only when"));
  EXPECT_TRUE(meter_debits().empty());
}

TEST_F(PerturbRun, AWindowBelowTheDatasetsIsRefused) {
  create(9, 0, 24);
  EXPECT_TRUE(fails(run_perturbation(job(text()), perturb_), ErrorKind::usage, "privacy.window: 4 is not valid"));
}

TEST_F(PerturbRun, TimesThatNobodyNamedDoNotMoveWithTheirValues) {
  create();
  write("load.csv", "when,kwh\n1,2\n3,4\n5,6\n7,8\n9,10\n");
  EXPECT_TRUE(
      fails(run_perturbation(job(text()), perturb_), ErrorKind::bad_data, "or say that there is none (perturb.times)"));
  EXPECT_TRUE(meter_debits().empty());
}

TEST_F(PerturbRun, WhatNobodyCanPriceIsNotPaidFromABudgetButRunsForComparison) {
  create(9, 0.5);
  const std::string threshold =
      text("", "name = \"threshold\"\n", "window = 4\nepsilon = 2.2\nanalysis = \"published\"\n");
  EXPECT_TRUE(fails(run_perturbation(job(threshold), perturb_), ErrorKind::cannot_certify, "no budget can pay"));
  EXPECT_TRUE(meter_debits().empty());
  perturb_.seed = 1;
  const Result<PerturbedRelease> done = run_perturbation(job(threshold), perturb_);
  ASSERT_TRUE(done) << done.error().text();
  const std::vector<std::string> after = column_of(read("out.csv"), 1);
  const auto empty = std::count(after.begin(), after.end(), "");
  EXPECT_EQ(done->empty, empty);
  EXPECT_GT(empty, 0);
  EXPECT_EQ(after.size(), 40U);
}

TEST_F(PerturbRun, ABudgetIsChargedTheCertifiedPriceOfWhatAPaperPricesLower) {
  create(20, 0.9);
  const auto published = [](const std::string& delta) {
    return text("", "name = \"ranswitch\"\n", "window = 4\nepsilon = 3\nanalysis = \"published\"\n" + delta);
  };
  EXPECT_TRUE(fails(run_perturbation(job(published("")), perturb_), ErrorKind::cannot_certify,
                    "a budget is charged the certified price"));
  EXPECT_TRUE(fails(check_perturbation(job(published("")), perturb_, false), ErrorKind::cannot_certify,
                    "a budget is charged the certified price"));
  EXPECT_TRUE(meter_debits().empty());
  const Result<PerturbedRelease> done = run_perturbation(job(published("delta = 0.5\n")), perturb_);
  EXPECT_TRUE(done) << done.error().text();
}

TEST_F(PerturbRun, KeysThatBelongToCountsAreRefused) {
  for (const auto& [given, key] :
       {std::pair{text("", "name = \"noisy_sort\"\n", "window = 4\nepsilon = 2\nmax_steps = 3\n"), "privacy.max_steps"},
        {text() + "[slots]\nstart = \"2026-01-01\"\n", "[slots]"},
        {text("columns = [\"kwh\"]\nkeep = [\"kwh\"]\n"), "perturb.keep"},
        {text("columns = [\"ts\"]\n"), "perturb.columns"},
        {text("move = \"times\"\nkeep = [\"tariff\"]\n"), "perturb.keep"},
        {text("", "name = \"gaussian\"\n"), "mechanism"},
        {text("", "name = \"noisy_sort\"\n", "window = 1\nepsilon = 2\n"), "privacy.window: 1"},
        {text("", "name = \"noisy_sort\"\n", "window = 0\nepsilon = 2\n"), "privacy.window: 0"}})
    EXPECT_TRUE(fails(parse_job(given, at("job.toml")), ErrorKind::usage, key)) << given;
}

TEST(PerturbInternal, AveragesAndCountsAreOfBothSeries) {
  const auto column = compared({"kwh", {"1", "2", "3", "4"}, {"2", "1", "4", ""}}, 2);
  EXPECT_TRUE(column.numeric);
  ASSERT_EQ(column.averages.size(), 3U);
  EXPECT_DOUBLE_EQ(column.averages[1].before, 2.5);
  EXPECT_DOUBLE_EQ(column.averages[1].after, 2.5);
  EXPECT_DOUBLE_EQ(column.averages[2].after, 4);
  EXPECT_DOUBLE_EQ(column.average_error, std::sqrt((0.0 + 0.0 + 0.25) / 3));
  ASSERT_EQ(column.counts.size(), 5U);
  EXPECT_EQ(column.counts[0].value, "");
  EXPECT_EQ(column.counts[0].after, 1);
  const auto words = compared({"room", {"a", "b", "a"}, {"b", "a", "a"}}, 2);
  EXPECT_FALSE(words.numeric);
  EXPECT_EQ(words.counts[0].before, 2);
}

}  // namespace
}  // namespace chronoveil::engine
