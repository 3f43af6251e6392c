#include <gtest/gtest.h>

#include <set>

#include "chronoveil/engine/job/options.h"

namespace chronoveil::engine {
namespace {

GivenKeys series_keys() {
  return {{"source.path", {"trips.csv"}},      {"source.user", {"card"}},   {"slots.start", {"2026-03-01T00:00"}},
          {"slots.end", {"2026-03-08T00:00"}}, {"slots.length", {"1h"}},    {"privacy.max_steps", {"4"}},
          {"privacy.epsilon", {"1"}},          {"privacy.delta", {"1e-6"}}, {"output.non_negative", {"false"}},
          {"mechanism.name", {"subsample"}},   {"mechanism.rate", {"0.2"}}, {"output.csv", {"-"}}};
}

std::string refusal(const GivenKeys& more, JobKind kind = SeriesSpec()) {
  GivenKeys given = series_keys();
  given.insert(given.end(), more.begin(), more.end());
  const Result<Job> job = job_of(std::move(kind), given);
  return job ? "" : job.error().text();
}

TEST(JobOptions, WordsMakeTheSameJobAsAFile) {
  const Result<Job> words = job_of(SeriesSpec(), series_keys());
  ASSERT_TRUE(words) << words.error().text();
  const Result<Job> file = parse_job(R"(
    version = 1
    dataset.name = "x"
    source = {path = "trips.csv", user = "card"}
    slots = {start = "2026-03-01T00:00", end = "2026-03-08T00:00", length = "1h"}
    privacy = {max_steps = 4, epsilon = 1, delta = 1e-6}
    mechanism = {name = "subsample", rate = 0.2}
    output = {csv = "-", non_negative = false})",
                                     "job.toml");
  ASSERT_TRUE(file) << file.error().text();
  Job named = *words;
  named.dataset = "x";
  EXPECT_EQ(facts_of(named), facts_of(*file));
  EXPECT_FALSE(words->series().non_negative);
}

TEST(JobOptions, AWordOfAnotherShapeIsRefusedByItsKey) {
  EXPECT_EQ(refusal({{"privacy.maximum", {"many"}}}), "privacy.maximum: many is not valid; it must be a whole number");
  EXPECT_EQ(refusal({{"output.level", {"high"}}}), "output.level: high is not valid; it must be a number");
  EXPECT_EQ(refusal({{"series.disjoint", {"maybe"}}}), "series.disjoint: maybe is not valid; it must be true or false");
  EXPECT_EQ(refusal({{"output.title", {"a", "b"}}}), "output.title: it is given more than once");
  EXPECT_EQ(refusal({{"privacy.epsilom", {"1"}}}), "privacy.epsilom: there is no such key");
  EXPECT_EQ(refusal({{"epsilon", {"1"}}}), "epsilon: there is no such key");
}

TEST(JobOptions, KeysOfAnotherKindAreRefused) {
  EXPECT_NE(refusal({{"source.place", {"stop"}}}).find("source.place: it belongs to a job of means"),
            std::string::npos);
  EXPECT_NE(refusal({{"means.upper", {"9"}}}, MeansSpec()).find("privacy.max_steps: it belongs to counts"),
            std::string::npos);
}

TEST(JobOptions, EveryKeyHasAMeaningAndEveryOptionOneKeyPerKind) {
  for (const KeyInfo& key : all_keys()) EXPECT_FALSE(key.meaning.empty()) << key.key;
  for (const JobKind& kind : {JobKind(SeriesSpec()), JobKind(MeansSpec()), JobKind(PerturbSpec())}) {
    std::set<std::string_view> seen;  // --grid and INPUT stand for several keys
    for (const KeyInfo& key : option_keys(kind)) {
      const bool shared = key.option == "--grid" || key.option == "INPUT";
      EXPECT_TRUE(shared || seen.insert(key.option).second) << key.key;
    }
  }
}

TEST(JobOptions, AFlagSaysFalseWhereTheKeyIsTrueByDefault) {
  std::set<std::string> negated;
  for (const KeyInfo& key : all_keys())
    if (key.negates() && !key.option.empty()) negated.insert(key.key);
  EXPECT_EQ(negated, (std::set<std::string>{"output.non_negative", "perturb.times", "source.header"}));
}

TEST(JobOptions, SectionsOfTheTableAreThoseThatAreExplained) {
  std::set<std::string> of_keys, explained;
  for (const KeyInfo& key : all_keys()) of_keys.insert(key.key.substr(0, key.key.find('.')));
  for (const auto& [section, meaning] : section_meanings()) explained.insert(std::string(section));
  EXPECT_EQ(of_keys, explained);
}

}  // namespace
}  // namespace chronoveil::engine
