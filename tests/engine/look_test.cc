// A look: what its noisy numbers tell of one person, what is made of them, and what it changes in a job file.
#include "chronoveil/engine/look/look.h"

#include <gtest/gtest.h>

#include <cmath>

#include "chronoveil/engine/job/job_text.h"
#include "chronoveil/engine/look/measure.h"
#include "chronoveil/engine/look/predict.h"
#include "chronoveil/engine/release/source.h"
#include "engine/fixtures.h"

namespace chronoveil::engine {
namespace {

class Looks : public testing::JobFolder {
 protected:
  // Of these rows, by a plan that is made once.
  bound::PeopleCounted counted(const LookPlanned& planned, const std::string& rows) const {
    write("trips.csv", "card,ts,stop\n" + rows);
    const Job job = this->job();
    const auto source = open_job_source(job.source);
    DrawRight right = DrawRight::seeded(3);
    const auto all = count_people(job, planned, **source, right);
    EXPECT_TRUE(all);
    return all ? *all : bound::PeopleCounted();
  }
};

std::string rows_of(const std::string& person, int hours) {
  std::string text;
  for (int hour = 0; hour < hours; ++hour) text += person + ",2026-03-01T1" + std::to_string(hour) + ":30,north\n";
  return text;
}

// How often the noisy numbers are at least those without noise of `with` in every bin where the two differ.
double frequency(const LookPlanned& planned, const bound::PeopleCounted& of, const bound::PeopleCounted& without,
                 const bound::PeopleCounted& with, int times, std::uint64_t seed) {
  mechanisms::Draws draws = mechanisms::Draws::seeded(seed);
  int hits = 0;
  for (int i = 0; i < times; ++i) {
    const auto noisy = measure_people(planned, of, draws);
    if (!noisy) return std::nan("");
    bool all = true;
    std::size_t at = 0;
    for (std::size_t question = 0; question < with.people.size(); ++question)
      for (std::size_t bin = 0; bin < with.people[question].size(); ++bin, ++at)
        if (with.people[question][bin] != without.people[question][bin])
          all = all && (*noisy)[at] >= static_cast<double>(with.people[question][bin]);
    hits += all;
  }
  return hits / static_cast<double>(times);
}

// The least and the most that P(S | with) / P(S | without) can be. Each bound is wrong with probability 1e-8 at most
// (Hoeffding).
struct Ratio {
  double least, most;
};
Ratio ratio(const LookPlanned& planned, const bound::PeopleCounted& without, const bound::PeopleCounted& with) {
  constexpr int kTimes = 40'000;
  const double off = std::sqrt(std::log(2e8) / (2.0 * kTimes));
  const double p = frequency(planned, with, without, with, kTimes, 1);
  const double q = frequency(planned, without, without, with, kTimes, 2);
  return {(p - off) / (q + off), q > off ? (p + off) / (q - off) : HUGE_VAL};
}

TEST_F(Looks, OnePersonIsHiddenWithinEpsilonAndAPersonCountedOncePerRecordIsNot) {
  LookOptions options;
  options.epsilon = 1;
  options.lengths = {"1h", "1d"};
  const auto planned = plan_look(job(), options);
  ASSERT_TRUE(planned) << planned.error().text();
  const std::string others = rows_of("ann", 2) + rows_of("bea", 1) + rows_of("cid", 7);
  const bound::PeopleCounted without = counted(*planned, others);
  const bound::PeopleCounted with = counted(*planned, others + rows_of("dan", 8));
  const Ratio real = ratio(*planned, without, with);
  EXPECT_LE(real.least, std::exp(1.0));
  EXPECT_GE(real.most, std::exp(0.9)) << "far too much noise";

  bound::PeopleCounted twin = with;  // 8 for dan, who has 8 records
  for (std::size_t question = 0; question < twin.people.size(); ++question)
    for (std::size_t bin = 0; bin < twin.people[question].size(); ++bin)
      twin.people[question][bin] += 7 * (with.people[question][bin] - without.people[question][bin]);
  EXPECT_GT(ratio(*planned, without, twin).least, std::exp(1.0));
}

TEST_F(Looks, NoiseIsPlannedForOneChangeOfEachQuestionOrTwo) {
  LookOptions options;
  options.epsilon = 0.5;
  const auto planned = plan_look(job(), options);
  ASSERT_TRUE(planned);
  ASSERT_EQ(planned->questions.size(), 2U);  // 1h and 1d fit the span, 1w does not
  EXPECT_EQ(planned->chosen.mechanism, "laplace");
  EXPECT_EQ(planned->chosen.sensitivity, 2);
  EXPECT_GE(planned->chosen.scale, 4);
  Job replaced = job();
  replaced.relation = Relation::replace;
  EXPECT_EQ(plan_look(replaced, options)->chosen.sensitivity, 4);
}

mechanisms::SeriesPlan laplace_of(double scale) {
  mechanisms::SeriesPlan plan;
  plan.noise = NoiseKind::laplace;
  plan.scale = scale;
  return plan;
}

TEST(PeopleInBins, AreNotNegativeAndAddUp) {
  report::LookQuestion question{.of = "slots"};
  question.first = {1, 2, 3, 4, 6};
  question.last = {1, 2, 3, 5, 8};
  question.people = {900, -40, 130, 20, -10};
  const std::vector<double> people = people_in_bins(question, laplace_of(10), 1000);
  EXPECT_EQ(people, (std::vector<double>{885, 0, 115, 0, 0}));
  EXPECT_NEAR(least_seen(question, laplace_of(10)), 10 * std::log(5 / 0.002), 1e-9);
}

TEST(PeopleInBins, AreNoneWhereNothingStandsOut) {
  report::LookQuestion question{.of = "slots"};
  question.first = question.last = {1, 2, 3};
  question.people = {60, 70, 71};
  EXPECT_TRUE(people_in_bins(question, laplace_of(10), 200).empty());
  question.people[1] = 80;
  EXPECT_FALSE(people_in_bins(question, laplace_of(10), 200).empty());
  EXPECT_TRUE(people_in_bins(question, laplace_of(10), -1).empty());
}

const std::string kText =
    "version = 1 # one\r\n[dataset]\r\nname = \"city\"\r\n[privacy] # \xC3\xA9\r\n  max_steps=\"all\"   # for now\r\n"
    "# later\r\n\r\n[output]\r\ncsv = \"a.csv\"";

TEST(JobText, ChangesValuesAndNothingElse) {
  std::string expected = kText;
  expected.replace(expected.find("\"all\""), 5, "12");
  EXPECT_EQ(with_values(kText, {{"privacy.max_steps", "12"}}), expected);
}

TEST(JobText, AddsALineAtTheEndOfItsSectionOrTheSection) {
  std::string expected = kText;
  expected.insert(expected.find("# later"), "caps_from = \"city:1\"\r\n");
  EXPECT_EQ(with_values(kText, {{"privacy.caps_from", "\"city:1\""}}), expected);
  EXPECT_EQ(with_values(kText, {{"output.json", "\"b\""}}), kText + "\r\njson = \"b\"\r\n");
  EXPECT_EQ(with_values("a = 1\n", {{"slots.length", "\"1h\""}, {"slots.end", "2"}}),
            "a = 1\n\n[slots]\nlength = \"1h\"\nend = 2\n");
}

TEST_F(Looks, AJobIsRewrittenOnlyWhereNothingElseChanges) {
  const Job job = this->job();
  const auto changed = rewritten(job, job_text(), {{"privacy.max_steps", "7"}, {"privacy.caps_from", "\"city:1\""}});
  ASSERT_TRUE(changed) << changed.error().text();
  EXPECT_EQ(this->job(*changed).max_steps, 7);
  EXPECT_EQ(this->job(*changed).caps_from, "city:1");
  // Written as one table on one line, which only a person can change; and a file that has become another job.
  std::string inline_table = job_text();
  const std::size_t at = inline_table.find("[privacy]");
  inline_table.replace(at, inline_table.find("[mechanism]") - at, "");
  inline_table.insert(inline_table.find("[dataset]"), "privacy = {max_steps = 2, epsilon = 1, delta = 1e-6}\n");
  for (const std::string& text : {inline_table, job_text("", "max_steps = 2\nepsilon = 2\ndelta = 1e-6\n")}) {
    const auto refused = rewritten(job, text, {{"privacy.max_steps", "7"}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  }
}

}  // namespace
}  // namespace chronoveil::engine
