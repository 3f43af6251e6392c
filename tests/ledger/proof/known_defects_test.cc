// Debits of earlier versions that rest on a known defect are named by verify, and the page has a section for each.
#include "chronoveil/ledger/proof/known_defects.h"

#include <gmock/gmock.h>

#include <fstream>
#include <regex>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/ledger/stores/store.h"
#include "fixtures.h"
#include "support/temporary_folder.h"

namespace chronoveil::ledger::testing {
namespace {

using ::testing::HasSubstr;

struct Case {
  DatasetRequest dataset;
  DebitBody debit;
};

// A debit that an old version may have made, of a dataset that takes nearly everything.
Case old_debit(const std::string& event, std::int64_t analysis = 5) {
  Case made{dataset("city", 1e5, 0.1), {}};
  made.dataset.filter = FilterKind::sum;
  made.debit.terms = terms("city");
  made.debit.events = accounting::event_to_json(value_of(accounting::parse_event(event)));
  made.debit.analysis = analysis;
  made.debit.cost = Cost{{Amount::stated_up(1)}, Amount()};
  made.debit.terms.stated.eviction = Eviction::unsaid;
  return made;
}

std::vector<std::string> defects(const Case& made) {
  const Dataset dataset = value_of(make_dataset(made.dataset));
  std::vector<std::string> ids;
  for (const KnownDefect* defect : defects_of(dataset, made.debit, composed(value_of(made.debit.parsed_events()))))
    ids.emplace_back(defect->id);
  return ids;
}

constexpr const char* kPure = R"({"event":"pure","epsilon":1})";

std::string training(const std::string& more) {
  return R"({"event":"structured_subsampling","series":10,"length":100,"context_length":4,"forecast_length":2,)"
         R"("batch_size":4,)" +
         more + "}";
}

// One for each id, in their order: a debit that the defect may concern.
std::vector<Case> examples() {
  std::vector<Case> all;
  all.push_back(old_debit(kPure));
  all.back().debit.uses = 10;
  all.back().debit.terms.mechanism = "laplace [live stops 0123/0 4567 89ab]";
  all.push_back(old_debit(kPure));
  all.back().dataset.promise.unit = Unit::event;
  all.back().debit.terms.stated.unit = Unit::user;
  all.push_back(old_debit(
      R"({"event":"mixture","noise_multiplier":1,"p":{"means":[0],"weights":[1]},"q":{"means":[0,35],"weights":[0.99,0.01]}})"));
  all.push_back(old_debit(R"({"event":"approximate","epsilon":0,"delta":1e-17,"count":1000})"));
  all.push_back(old_debit(kPure));
  all.back().dataset.promise = {Unit::w_event, 7, Relation::add_remove};
  all.back().dataset.partition = Partition{Partition::By::day, {}, 2};
  all.back().debit.terms.part = "2026-03-01";
  all.push_back(old_debit(R"({"event":"pure","epsilon":20000})"));
  all.back().debit.cost.values[0] = Amount::stated_up(20000);
  all.push_back(old_debit(R"({"event":"time_subsampling","participation":1,"rate":1e-7,"noise_multiplier":1})"));
  all.back().debit.terms.delta = 1e-6;
  all.push_back(old_debit(kPure));
  all.back().dataset.renews = Renewal::month;
  all.back().debit.uses = 10;
  all.push_back(old_debit(
      R"({"event":"time_subsampling","participation":5,"rate":0.5,"noise_multiplier":3,"length":7,"filter":"gaussian","filter_width":2})"));
  all.back().dataset.promise.relation = Relation::replace;
  all.push_back(old_debit(training(R"("windows_per_series":2,"noise_multiplier":0.3)"), 3));
  all.push_back(old_debit(training(R"("noise_multiplier":1,"bottom_level":"poisson")"), 3));
  all.back().debit.uses = 10;
  all.push_back(old_debit(R"({"event":"noisy_sort","epsilon":1,"window":24,"law":"staircase","max_shift":30})", 2));
  all.push_back(old_debit(R"({"event":"ranswitch","stay":0.5,"window":24})"));
  all.push_back(old_debit(R"({"event":"laplace","noise_multiplier":1e-8,"count":2})"));
  all.push_back(old_debit(R"({"event":"pure","epsilon":1e-10,"count":1000000000000})"));
  all.back().dataset.filter = FilterKind::renyi;
  all.push_back(old_debit(R"({"event":"pure","epsilon":1e-8,"count":2})"));
  all.back().debit.terms.delta = 1e-20;
  all.push_back(old_debit(R"({"event":"pure","epsilon":1e-170})"));
  for (std::size_t i = 11; i < 13; ++i) all[i].dataset.promise = {Unit::event, 24, Relation::swap};
  return all;
}

TEST(KnownDefects, EachIsFoundInTheVersionsThatHadItAndInNoOther) {
  const std::vector<Case> all = examples();
  ASSERT_EQ(all.size(), known_defects().size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const KnownDefect& defect = known_defects()[i];
    Case made = all[i];
    for (std::int64_t version = 1; version <= accounting::kAnalysisVersion; ++version) {
      made.debit.analysis = version;
      const auto found = defects(made);
      EXPECT_EQ(std::count(found.begin(), found.end(), defect.id), defect.first <= version && version <= defect.last)
          << defect.id << " in version " << version;
    }
  }
}

TEST(KnownDefects, ADebitWithoutTheirMarksIsNotNamed) {
  EXPECT_TRUE(defects(old_debit(kPure)).empty());
  // Like the examples, but for what makes the defect.
  std::vector<Case> all = examples();
  all[0].debit.terms.mechanism = "deepar [train 0123]";
  all[1].debit.terms.stated.unit = Unit::event;
  all[2].debit.events["q"]["means"] = {0, 10};
  all[3].debit.events["count"] = 1;
  all[4].dataset.partition->straddle = 7;
  all[5].debit.cost.values[0] = Amount::stated_up(9000);
  all[6].debit.events["rate"] = 0.5;
  all[7].debit.uses.reset();
  all[8].debit.events["participation"] = 3;
  all[9].debit.events["noise_multiplier"] = 0.5;
  all[10].debit.uses.reset();
  all[11].debit.events["plateau"] = 3;
  all[12].debit.events = accounting::event_to_json(pure(1));
  all[13].debit.events["noise_multiplier"] = 1e-6;
  all[14].debit.events["epsilon"] = 1e-3;
  all[15].debit.events["epsilon"] = 1e-3;
  all[16].debit.events["epsilon"] = 1e-3;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto found = defects(all[i]);
    EXPECT_EQ(std::count(found.begin(), found.end(), known_defects()[i].id), 0) << known_defects()[i].id;
  }
}

// The last digits are lost in other ways than that of the example.
TEST(KnownDefects, LostDigitsAreFoundInMixturesFarFromZeroAndInWhatCostsVeryMuch) {
  const auto is_named = [](const Case& made) {
    const auto found = defects(made);
    return std::count(found.begin(), found.end(), "CV-16") == 1;
  };
  const auto mixture = [](const std::string& mean) {
    return old_debit(R"({"event":"mixture","noise_multiplier":3,"p":{"means":[0],"weights":[1]},"q":{"means":[)" +
                         mean + R"(],"weights":[1]}})",
                     6);
  };
  EXPECT_TRUE(is_named(mixture("-1e9")));
  EXPECT_FALSE(is_named(mixture("-10")));
  Case dear = old_debit(R"({"event":"dp_sgd","rate":0.5,"noise_multiplier":1e-3})", 6);
  EXPECT_FALSE(is_named(dear));
  dear.debit.cost.values[0] = Amount::stated_up(5e5);
  EXPECT_TRUE(is_named(dear));
  // Of a sample the losses may be next to nothing though its noise is not.
  Case rare = old_debit(
      R"({"event":"poisson_sampled","rate":1e-9,"inner":{"event":"laplace","noise_multiplier":1},"count":2})", 6);
  EXPECT_FALSE(is_named(rare));
  rare.debit.terms.delta = 1e-15;
  EXPECT_TRUE(is_named(rare));
}

TEST(KnownDefects, VeryManyPartsAreNamedAndFewAreNot) {
  const auto is_named = [](std::size_t parts) {
    std::string events;
    for (std::size_t i = 0; i < parts; ++i)
      events +=
          std::string(i == 0 ? "" : ",") + R"({"event":"gaussian","noise_multiplier":)" + std::to_string(10 + i) + "}";
    const auto found = defects(old_debit(R"({"event":"compose","events":[)" + events + "]}", 7));
    return std::count(found.begin(), found.end(), "CV-17") == 1;
  };
  EXPECT_TRUE(is_named(1000));
  EXPECT_FALSE(is_named(999));
}

TEST(KnownDefects, ThePageHasASectionForEachInTheirOrder) {
  std::ifstream file(CHRONOVEIL_DOCS "/known_vulnerabilities.md");
  ASSERT_TRUE(file);
  std::vector<std::string> sections;
  const std::regex heading("## (CV-[0-9]+): .+");
  bool says_version = false;
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    says_version |= line == "Today it is version " + std::to_string(accounting::kAnalysisVersion) + ".";
    if (std::regex_match(line, match, heading)) sections.push_back(match[1]);
  }
  std::vector<std::string> ids;
  for (const KnownDefect& defect : known_defects()) {
    ids.emplace_back(defect.id);
    EXPECT_LE(defect.first, defect.last);
    EXPECT_LT(defect.last, accounting::kAnalysisVersion);
  }
  EXPECT_EQ(sections, ids);
  EXPECT_TRUE(says_version);
}

class OldLedger : public ::testing::Test {
 protected:
  // Rows as an earlier version wrote them; which one made the dataset matters only where it is named.
  void write(const std::vector<Case>& all, std::int64_t made_by = accounting::kAnalysisVersion) {
    std::vector<Entry> rows;
    const auto add = [&](const std::string& kind, const std::string& body) {
      Entry entry{"city", 0, "2026-03-01T00:00:00.000Z", "somebody", kind, body, "", ""};
      const std::string previous = rows.empty() ? "" : rows.back().hash;
      rows.push_back(linked(std::move(entry), static_cast<std::int64_t>(rows.size()), previous));
    };
    std::string created = to_body(value_of(make_dataset(all.front().dataset)));
    const std::string version = "\"analysis\":" + std::to_string(accounting::kAnalysisVersion);
    created.replace(created.find(version), version.size(), "\"analysis\":" + std::to_string(made_by));
    add("create", created);
    for (const Case& made : all) add("debit", to_body(made.debit));
    put_rows(place(), rows);
  }
  std::string place() const { return folder_.path() + "/ledger.db"; }

  chronoveil::testing::TemporaryFolder folder_;
};

TEST_F(OldLedger, VerifyNamesAffectedDebitsAndTheChainHolds) {
  Case wide = examples()[1], plain = old_debit(kPure);
  plain.dataset = wide.dataset;
  write({wide, plain});
  const Verification verification = value_of(value_of(Ledger::open(place())).verify());
  EXPECT_TRUE(verification.holds()) << verification.findings.front().message;
  ASSERT_EQ(verification.affected.size(), 1u);
  EXPECT_EQ(verification.affected[0].debit.text(), "city:1");
  EXPECT_EQ(verification.affected[0].defect, "CV-2");
}

TEST_F(OldLedger, WhatCostsMoreWhenPricedAgainIsFoundAndTheRowsAfterItAreRead) {
  Case cheap = old_debit(R"({"event":"laplace","noise_multiplier":0.25})"), plain = old_debit(kPure);
  write({cheap, plain});
  const Verification verification = value_of(value_of(Ledger::open(place())).verify());
  ASSERT_EQ(verification.findings.size(), 1u);
  EXPECT_EQ(verification.findings[0].sequence, 1);
  EXPECT_THAT(verification.findings[0].message, HasSubstr("priced again: 1 instead of 4"));
  EXPECT_EQ(verification.rows, 3);
  EXPECT_EQ(verification.debits, 2);
}

Case that_took_everything(const std::string& epsilon) {
  Case whole = old_debit(R"({"event":"pure","epsilon":)" + epsilon + "}");
  whole.dataset.epsilon = 1;
  whole.dataset.delta = 0;
  whole.debit.takes_all = true;
  whole.debit.cost = value_of(make_dataset(whole.dataset)).filter.budget;
  return whole;
}

// A price may move by its last digits from one version to the next, also that of what fills a budget to its last.
TEST_F(OldLedger, WhatTookEverythingMayCostALastDigitMoreToday) {
  write({that_took_everything("1.000000000001")});
  EXPECT_TRUE(value_of(value_of(Ledger::open(place())).verify()).findings.empty());
}

TEST_F(OldLedger, WhatTookEverythingAndCostsMoreThanThatIsFound) {
  write({that_took_everything("1.000001")});
  const Verification verification = value_of(value_of(Ledger::open(place())).verify());
  ASSERT_EQ(verification.findings.size(), 1u);
  EXPECT_THAT(verification.findings[0].message, HasSubstr("charged the whole budget"));
}

// Seven days of 0.5 in a budget of 1: an early default of two parts took them for 1, and somebody's week is in all.
TEST_F(OldLedger, DaysThatNoLongerFitAreEachFoundAndTheRowsAfterThemAreRead) {
  std::vector<Case> days;
  for (int day = 1; day <= 7; ++day) {
    days.push_back(old_debit(R"({"event":"pure","epsilon":0.5})"));
    days.back().dataset.epsilon = 1;
    days.back().dataset.promise = {Unit::w_event, 7, Relation::add_remove};
    days.back().dataset.partition = Partition{Partition::By::day, {}, 2};
    days.back().debit.terms.part = "2026-03-0" + std::to_string(day);
    days.back().debit.cost.values[0] = Amount::stated_up(0.5);
  }
  days[3].debit.cost.values[0] = Amount::stated_up(0.25);  // less than it costs, and it does not fit either
  days.push_back(days[0]);
  days.back().debit.terms.part = "2026-04-01";  // nobody's week holds this day and one of those
  write(days, 5);
  const Verification verification = value_of(value_of(Ledger::open(place())).verify());
  EXPECT_EQ(verification.rows, 9);
  EXPECT_EQ(verification.debits, 8);
  std::vector<std::int64_t> found;
  for (const Finding& finding : verification.findings) {
    found.push_back(finding.sequence);
    EXPECT_THAT(finding.message, HasSubstr("over the budget"));
  }
  EXPECT_EQ(found, (std::vector<std::int64_t>{3, 4, 5, 6, 7}));
  EXPECT_THAT(verification.findings.at(1).message, HasSubstr("priced again: 0.25 instead of 0.5"));
  EXPECT_EQ(std::count_if(verification.affected.begin(), verification.affected.end(),
                          [](const Affected& each) { return each.defect == "CV-5"; }),
            8);
}

// Where nothing was widened no version admitted it: such a row is forged, and what follows it is not believed.
TEST_F(OldLedger, DaysThatNeverFittedEndTheReading) {
  std::vector<Case> days;
  for (int day = 1; day <= 4; ++day) {
    days.push_back(old_debit(R"({"event":"pure","epsilon":0.5})"));
    days.back().dataset.epsilon = 1;
    days.back().dataset.promise = {Unit::w_event, 7, Relation::add_remove};
    days.back().dataset.partition = Partition{Partition::By::day, {}, 7};
    days.back().debit.terms.part = "2026-03-0" + std::to_string(day);
    days.back().debit.cost.values[0] = Amount::stated_up(0.5);
  }
  write(days);
  const Verification verification = value_of(value_of(Ledger::open(place())).verify());
  ASSERT_EQ(verification.findings.size(), 1u);
  EXPECT_EQ(verification.findings[0].sequence, 3);
  EXPECT_EQ(verification.rows, 3);
}

TEST_F(OldLedger, WhatWouldNotBeAdmittedTodayIsShownWithoutAComposition) {
  write({examples()[8]});
  Ledger ledger = value_of(Ledger::open(place()));
  const View view = value_of(ledger.view("city"));
  ASSERT_TRUE(view.not_composed);
  EXPECT_THAT(view.not_composed->text(), HasSubstr("time_subsampling"));
  const Verification verification = value_of(ledger.verify());
  ASSERT_EQ(verification.findings.size(), 1u);
  EXPECT_THAT(verification.findings[0].message, HasSubstr("cannot be priced again"));
}

}  // namespace
}  // namespace chronoveil::ledger::testing
