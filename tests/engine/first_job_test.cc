// A first job out of a header and answers.
#include "chronoveil/engine/job/first_job.h"

#include <cstdlib>

#include "engine/fixtures.h"

namespace chronoveil::engine {
namespace {

class FirstJobs : public testing::JobFolder {
 protected:
  CsvHeader header(const std::string& text) const {
    write("in.csv", text);
    Result<CsvHeader> read = read_csv_header(at("in.csv"), {});
    EXPECT_TRUE(read) << read.error().text();
    return read ? *read : CsvHeader{};
  }
};

const GivenKeys kSpan = {{"slots.start", {"2026-03-01"}}, {"slots.end", {"2026-03-08"}}, {"source.zone", {"UTC"}}};
const GivenKeys kOnePerson = {{"source.user", {"user"}}, {"privacy.max_steps", {"20"}}};

GivenKeys with(GivenKeys given, const GivenKeys& more) {
  given.insert(given.end(), more.begin(), more.end());
  return given;
}

TEST_F(FirstJobs, TheHeaderAloneIsRead) {
  const CsvHeader read = header("card;ts\n\"never closed");
  EXPECT_EQ(read.delimiter, ';');
  EXPECT_EQ(read.columns, (std::vector<std::string>{"card", "ts"}));
  const Result<CsvHeader> given = read_csv_header(at("in.csv"), {{"source.delimiter", {"|"}}});
  ASSERT_TRUE(given) << given.error().text();
  EXPECT_EQ(given->columns, std::vector<std::string>{"card;ts"});
  const Result<CsvHeader> none = read_csv_header(at("in.csv"), {{"source.header", {"false"}}});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().parameter, "source.header");
  EXPECT_EQ(read_csv_header("-", {}).error().kind, ErrorKind::usage);
  EXPECT_EQ(read_csv_header(at("absent.csv"), {}).error().kind, ErrorKind::storage);
}

TEST_F(FirstJobs, QuestionsFollowTheAnswers) {
  const CsvHeader file = header("card,week,stop,n\n");
  GivenKeys given;
  std::vector<std::string> asked;
  const auto answer = [&](const std::string& key) -> std::string {
    if (key == "source.user") return std::string(kWithout);
    if (key == "source.value") return "n";
    if (key == "source.series") return "stop";
    if (key == "series.list") return "north, south";
    if (key == "privacy.max_steps") return "2";
    return key == "slots.start" ? "2026-03-02" : "2026-03-30";
  };
  while (const auto question = next_question(file, given)) {
    asked.push_back(question->key);
    EXPECT_FALSE(question->meaning.empty()) << question->key;
    const bool ours = question->guess.empty() || question->key == "source.series";
    given.push_back({question->key, {ours ? answer(question->key) : question->guess}});
  }
  EXPECT_EQ(asked, (std::vector<std::string>{
                       "dataset.name", "source.time", "source.user", "source.wide", "source.series", "source.value",
                       "series.list", "source.time_format", "source.zone", "slots.start", "slots.end", "slots.length",
                       "privacy.max_steps", "privacy.max_per_slot", "privacy.epsilon", "privacy.delta", "output.csv"}));
  const Result<FirstJob> made = first_job(file, given, at("job.toml"));
  ASSERT_TRUE(made) << made.error().text();
  const Job read = job(made->text);
  EXPECT_EQ(read.keys, (std::vector<std::string>{"north", "south"}));
  EXPECT_EQ(read.source.time_format, "%G-W%V");
  EXPECT_EQ(read.slots.length, "1w");
  EXPECT_FALSE(rows_are_people(read));
  EXPECT_EQ(made->create_budget, "chronoveil budget create in --epsilon 2 --delta 2e-06 --unit user");
}

TEST_F(FirstJobs, WhoseARowIsAndTheSpanAreNeverGuessed) {
  const CsvHeader file = header("user,time\n");
  const Result<GivenKeys> nothing = with_guesses(file, {});
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().text().find("source.user, slots.start, slots.end, privacy.max_steps ("), std::string::npos)
      << nothing.error().text();
  const Result<GivenKeys> uncapped = with_guesses(file, with(kSpan, {{"source.user", {"user"}}}));
  ASSERT_FALSE(uncapped);
  EXPECT_NE(uncapped.error().text().find("guessed: privacy.max_steps; of"), std::string::npos)
      << uncapped.error().text();
  const Result<GivenKeys> all = with_guesses(file, with(kSpan, kOnePerson));
  EXPECT_TRUE(all) << all.error().text();
}

TEST_F(FirstJobs, APathIsSeenFromTheFolderOfTheJob) {
  const CsvHeader file = header("user,\"time \"\"x\"\"\"\n");
  CsvHeader here = file;
  here.path = "data/in.csv";
  const Result<GivenKeys> answers = with_guesses(here, with(kSpan, kOnePerson));
  ASSERT_TRUE(answers) << answers.error().text();
  const Result<FirstJob> made = first_job(here, *answers, "jobs/first.toml");
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_NE(made->text.find("path = \"../data/in.csv\"\n"), std::string::npos) << made->text;
  EXPECT_NE(made->text.find("time = \"time \\\"x\\\"\"\n"), std::string::npos) << made->text;
  const Result<FirstJob> wrong = first_job(here, with(*answers, {{"source.value", {"n"}}}), "jobs/first.toml");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().parameter, "source.value");
}

TEST_F(FirstJobs, TheZoneIsThatOfTheMachineWhereItHasAName) {
  const CsvHeader file = header("user,time\n");
  const auto guess = [&] {
    const auto zone = next_question(file, {{"dataset.name", {"d"}},
                                           {"source.time", {"time"}},
                                           {"source.user", {"user"}},
                                           {"source.series", {"-"}},
                                           {"source.time_format", {"iso8601"}}});
    return zone ? zone->key + " " + zone->guess : "nothing";
  };
  const char* const before = std::getenv("TZ");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TZ", "Asia/Kolkata", 1);
  EXPECT_EQ(guess(), "source.zone Asia/Kolkata");
  setenv("TZ", "CET-1CEST", 1);
  EXPECT_EQ(guess(), "source.zone UTC");
  before == nullptr ? unsetenv("TZ") : setenv("TZ", kept.c_str(), 1);
}

}  // namespace
}  // namespace chronoveil::engine
