#include "chronoveil/engine/job/job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "engine/fixtures.h"

namespace chronoveil::engine {
namespace {

class JobFile : public testing::JobFolder {
 protected:
  ::testing::AssertionResult refuses(const std::string& text, const std::string& mention) const {
    return testing::fails(parse_job(text, at("job.toml")), ErrorKind::usage, mention);
  }
  ::testing::AssertionResult refuses_privacy(const std::string& privacy, const std::string& mention) const {
    return refuses(job_text("", privacy), mention);
  }
  ::testing::AssertionResult refuses_rest(const std::string& rest, const std::string& mention) const {
    return refuses(job_text("", "", rest), mention);
  }
  ::testing::AssertionResult refuses_source(const std::string& source, const std::string& mention) const {
    return refuses(job_text(source), mention);
  }
};

TEST_F(JobFile, EveryKeyIsRead) {
  const Job read = job(R"(
version = 1
[dataset]
name = "city"
purpose = "monthly report"
[source]
kind = "csv"
path = "sub/trips.csv"
user = "card"
time = "ts"
series = "stop"
value = "n"
time_format = "epoch"
zone = "Europe/Berlin"
delimiter = "\t"
header = true
duplicates = "sum"
[slots]
start = "2026-03-01T00:00"
end = "2026-04-01T00:00"
length = "1h"
zone = "Europe/Paris"
[series]
keys = ["a", "b"]
disjoint = true
[privacy]
unit = "w-event"
relation = "replace"
width = 24
max_steps = 20
max_per_slot = 2
maximum = 500
epsilon = 1.5
delta = 1e-6
analysis = "published"
[mechanism]
name = "gaussian"
rate = 0.25
k = 30
interpolation = "linear"
fast = true
[plan]
sample = "last.csv"
[output]
csv = "-"
json = "/abs/out.json"
report = "out.html"
title = "Trips"
level = 0.9
non_negative = false
integers = true
)");
  EXPECT_EQ(read.dataset, "city");
  EXPECT_EQ(read.purpose, "monthly report");
  EXPECT_EQ(read.source.kind, data::SourceKind::csv);
  EXPECT_EQ(read.source.path, at("sub/trips.csv"));
  EXPECT_EQ(read.source.user, "card");
  EXPECT_EQ(read.source.time, "ts");
  EXPECT_EQ(read.source.series, "stop");
  EXPECT_EQ(read.source.value, "n");
  EXPECT_EQ(read.source.time_format, "epoch");
  EXPECT_EQ(read.source.zone, "Europe/Berlin");
  EXPECT_EQ(read.source.delimiter, '\t');
  EXPECT_TRUE(read.source.header);
  EXPECT_EQ(read.series().duplicates, bound::Duplicates::sum);
  EXPECT_EQ(read.slots.start, "2026-03-01T00:00");
  EXPECT_EQ(read.slots.end, "2026-04-01T00:00");
  EXPECT_EQ(read.slots.length, "1h");
  EXPECT_EQ(read.slots.zone, "Europe/Paris");
  EXPECT_EQ(read.keys, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(read.series().disjoint);
  EXPECT_EQ(read.unit, Unit::w_event);
  EXPECT_EQ(read.relation, Relation::replace);
  EXPECT_EQ(read.width, 24);
  EXPECT_EQ(read.max_steps, 20);
  EXPECT_EQ(read.series().max_per_slot, 2);
  EXPECT_EQ(read.series().maximum, 500);
  EXPECT_EQ(read.epsilon, 1.5);
  EXPECT_EQ(read.delta, 1e-6);
  EXPECT_EQ(read.analysis, accounting::Analysis::published);
  EXPECT_EQ(read.mechanism, "gaussian");
  EXPECT_EQ(read.parameters,
            (mechanisms::Parameters{
                {"rate", 0.25}, {"k", std::int64_t{30}}, {"interpolation", std::string("linear")}, {"fast", true}}));
  EXPECT_EQ(read.series().public_sample, at("last.csv"));
  EXPECT_EQ(read.csv, "-");
  EXPECT_EQ(read.json, "/abs/out.json");
  EXPECT_EQ(read.report, at("out.html"));
  EXPECT_EQ(read.title, "Trips");
  EXPECT_EQ(read.level, 0.9);
  EXPECT_FALSE(read.series().non_negative);
  EXPECT_TRUE(read.series().integers);
}

TEST_F(JobFile, WhatIsLeftOutHasItsDefault) {
  const Job read = job();
  EXPECT_EQ(read.source.kind, data::SourceKind::csv);
  EXPECT_EQ(read.source.delimiter, std::nullopt);
  EXPECT_EQ(read.source.value, std::nullopt);
  EXPECT_EQ(read.slots.zone, "UTC");
  EXPECT_EQ(read.series().duplicates, bound::Duplicates::refuse);
  EXPECT_EQ(read.unit, Unit::user);
  EXPECT_EQ(read.relation, Relation::add_remove);
  EXPECT_EQ(read.series().max_per_slot, 1);
  EXPECT_EQ(read.series().maximum, std::nullopt);
  EXPECT_EQ(read.analysis, accounting::Analysis::certified);
  EXPECT_EQ(read.level, 0.95);
  EXPECT_TRUE(read.series().non_negative);
  EXPECT_FALSE(read.series().integers);
  EXPECT_EQ(job(job_text("", "", "[output]\ncsv = \"o\"\n")).mechanism, "auto");
}

TEST_F(JobFile, TheZoneOfTheSlotsIsThatOfTheSourceUnlessGiven) {
  EXPECT_EQ(job(job_text("path = \"a\"\nseries = \"s\"\nzone = \"Asia/Tokyo\"\n")).slots.zone, "Asia/Tokyo");
}

TEST_F(JobFile, TimesMayBeWrittenWithoutQuotes) {
  std::string text = job_text();
  text.replace(text.find("\"2026-03-01T00:00\""), 18, "2026-03-01T00:00:00");
  EXPECT_EQ(job(text).slots.start, "2026-03-01T00:00:00");
}

TEST_F(JobFile, ColumnsMayBeNumbersWithoutAHeader) {
  const Job read = job(job_text("path = \"a\"\nheader = false\nuser = 1\ntime = 2\nseries = 3\n"));
  EXPECT_EQ(read.source.user, "1");
  EXPECT_EQ(read.source.time, "2");
  EXPECT_EQ(read.source.series, "3");
}

TEST_F(JobFile, DatabasesAreRead) {
  const Job lite = job(job_text("kind = \"sqlite\"\npath = \"d.db\"\ntable = \"t\"\nseries = \"s\"\n"));
  EXPECT_EQ(lite.source.kind, data::SourceKind::sqlite);
  EXPECT_EQ(lite.source.path, at("d.db"));
  EXPECT_EQ(lite.source.table, "t");
  const Job big =
      job(job_text("kind = \"postgresql\"\nurl = \"postgresql:///x\"\nquery = \"SELECT 1\"\nseries = \"s\"\n"));
  EXPECT_EQ(big.source.kind, data::SourceKind::postgresql);
  EXPECT_EQ(big.source.url, "postgresql:///x");
  EXPECT_EQ(big.source.query, "SELECT 1");
}

TEST_F(JobFile, UnknownNamesAreRefusedWithTheNearest) {
  EXPECT_TRUE(refuses_privacy("max_step = 2\nepsilon = 1\n",
                              "privacy.max_step: there is no such key; nearest: privacy.max_steps"));
  EXPECT_TRUE(refuses(job_text() + "[outputs]\nx = 1\n", "[outputs]: there is no such section; nearest: output"));
  EXPECT_TRUE(refuses("versions = 1\n" + job_text(), "versions: there is no such key; nearest: version"));
  EXPECT_TRUE(refuses_source("path = \"a\"\nseparator = \";\"\nseries = \"s\"\n", "source.separator"));
  EXPECT_TRUE(refuses_rest("[mechanism]\nname = \"gausian\"\n", "mechanism.name: gausian is not valid"));
}

TEST_F(JobFile, WrongTypesAreRefusedByName) {
  EXPECT_TRUE(refuses_privacy("epsilon = \"1\"\n", "privacy.epsilon: it must be a number"));
  EXPECT_TRUE(refuses_privacy("epsilon = 1\nmax_steps = 2.5\n", "privacy.max_steps: it must be a whole number"));
  EXPECT_TRUE(refuses_rest("[output]\nintegers = 1\n", "output.integers: it must be true or false"));
  EXPECT_TRUE(refuses_rest("[output]\ncsv = 7\n", "output.csv: it must be a text"));
  EXPECT_TRUE(
      refuses_rest("[mechanism]\nname = \"gaussian\"\nrate = [\"a\"]\n", "mechanism.rate: it must be a single value"));
  EXPECT_TRUE(refuses_source("path = { a = 1 }\nseries = \"s\"\n", "source.path"));
  EXPECT_TRUE(refuses("version = 1\nsource = 7\n", "source: it must be a section"));
}

TEST_F(JobFile, ValuesOutOfRangeAreRefusedByName) {
  for (const char* epsilon : {"0", "-1", "inf", "nan"})
    EXPECT_TRUE(refuses_privacy("epsilon = " + std::string(epsilon) + "\n", "privacy.epsilon: ")) << epsilon;
  for (const char* delta : {"-1e-9", "1", "nan"})
    EXPECT_TRUE(refuses_privacy("epsilon = 1\ndelta = " + std::string(delta) + "\n", "privacy.delta: ")) << delta;
  EXPECT_TRUE(refuses_privacy("epsilon = 1\nmax_steps = 0\n", "privacy.max_steps: 0 is not valid"));
  EXPECT_TRUE(refuses_privacy("epsilon = 1\nmax_per_slot = 0\n", "privacy.max_per_slot: 0 is not valid"));
  EXPECT_TRUE(refuses_privacy("epsilon = 1\nmaximum = 0\n", "privacy.maximum: 0 is not valid"));
  EXPECT_TRUE(refuses_privacy("epsilon = 1\nmaximum = 9007199254740993\n", "privacy.maximum"));
  EXPECT_TRUE(refuses_privacy("epsilon = 1\nunit = \"w-event\"\nwidth = 0\n", "privacy.width: 0 is not valid"));
  EXPECT_TRUE(refuses_privacy("epsilon = 1\nunit = \"person\"\n", "privacy.unit: person is not valid"));
  EXPECT_TRUE(refuses_privacy("epsilon = 1\nrelation = \"swap\"\n", "privacy.relation: swap is not valid"));
  EXPECT_TRUE(refuses_privacy("epsilon = 1\nanalysis = \"rough\"\n", "privacy.analysis: rough is not valid"));
  for (const char* level : {"0", "1", "-0.5", "nan"})
    EXPECT_TRUE(refuses_rest("[output]\nlevel = " + std::string(level) + "\n", "output.level: ")) << level;
  EXPECT_TRUE(refuses_source("path = \"a\"\nseries = \"s\"\ndelimiter = \";;\"\n", "source.delimiter"));
  EXPECT_TRUE(refuses_source("path = \"a\"\nseries = \"s\"\nduplicates = \"drop\"\n", "source.duplicates"));
  EXPECT_TRUE(refuses_source("kind = \"excel\"\npath = \"a\"\nseries = \"s\"\n", "source.kind: excel is not valid"));
}

TEST_F(JobFile, WhatMustBeThereIsAskedFor) {
  EXPECT_TRUE(refuses("[dataset]\nname = \"c\"\n", "version: it is missing"));
  EXPECT_TRUE(refuses("version = 2\n", "version: 2 is not valid"));
  EXPECT_TRUE(refuses("version = 1\n", "dataset.name: it is missing"));
  EXPECT_TRUE(refuses("version = 1\n[dataset]\nname = \"c\"\n[source]\npath = \"a\"\n", "slots.start: it is missing"));
  EXPECT_TRUE(refuses_privacy("delta = 1e-6\n", "privacy.epsilon: it is missing"));
  EXPECT_TRUE(refuses_privacy("epsilon = 1\nunit = \"w-event\"\n", "privacy.width: it is missing"));
  EXPECT_TRUE(refuses_privacy("epsilon = 1\nwidth = 3\n", "privacy.width: it belongs to"));
  EXPECT_TRUE(refuses_source("user = \"u\"\nseries = \"s\"\n", "source.path: it is missing"));
  EXPECT_TRUE(refuses_source("kind = \"postgresql\"\ntable = \"t\"\nseries = \"s\"\n", "source.url: it is missing"));
  EXPECT_TRUE(refuses_source("kind = \"sqlite\"\npath = \"a\"\nseries = \"s\"\n", "source.table"));
  EXPECT_TRUE(refuses_source("kind = \"sqlite\"\npath = \"a\"\ntable = \"t\"\nquery = \"q\"\nseries = \"s\"\n",
                             "source.table"));
  EXPECT_TRUE(refuses_source("path = \"a\"\nquery = \"q\"\nseries = \"s\"\n", "source.query"));
  EXPECT_TRUE(refuses_source("path = \"a\"\nurl = \"q\"\nseries = \"s\"\n", "source.url"));
}

TEST_F(JobFile, KeysArePublicAndNeverDiscovered) {
  std::string text = job_text();
  text.erase(text.find("[series]"), std::string("[series]\nlist = \"stops.txt\"\n").size());
  EXPECT_TRUE(refuses(text, "never discovered from data"));
  EXPECT_TRUE(refuses_source("path = \"a\"\n", "source.series: it is missing"));
  EXPECT_EQ(job().keys, (std::vector<std::string>{"north", "south"}));
  write("stops.txt", "\xEF\xBB\xBFnorth\r\n\r\n south \r\nwest");
  EXPECT_EQ(job().keys, (std::vector<std::string>{"north", " south ", "west"}));
  write("stops.txt", "north\nsouth\nnorth\n");
  EXPECT_TRUE(refuses(job_text(), "line 3"));
  write("stops.txt", "\n\r\n");
  EXPECT_TRUE(refuses(job_text(), "holds no key"));
  std::filesystem::remove(at("stops.txt"));
  EXPECT_TRUE(testing::fails(parse_job(job_text(), at("job.toml")), ErrorKind::storage, "series.list"));
  const auto with_keys = [&](const std::string& keys) {
    std::string changed = job_text();
    return changed.replace(changed.find("list = \"stops.txt\""), 18, "keys = " + keys);
  };
  EXPECT_TRUE(refuses(with_keys("[\"a\", \"a\"]"), "key 2 is there twice"));
  EXPECT_TRUE(refuses(with_keys("[\"\"]"), "key 1 is empty"));
  EXPECT_TRUE(refuses(with_keys("[]"), "series.keys: the list is empty"));
  EXPECT_TRUE(refuses(with_keys("[1]"), "series.keys: it must be a list of texts"));
  EXPECT_TRUE(refuses(with_keys("[\"a\"]\nlist = \"stops.txt\""), "either series.keys or series.list"));
}

TEST_F(JobFile, TheSourceIsNoListOfKeys) {
  write("trips.csv", "card,ts,stop\na,2026-03-01T00:30,north\n");
  for (const std::string same : {"trips.csv", "./trips.csv", "link.csv"}) {
    std::string text = job_text();
    text.replace(text.find("stops.txt"), 9, same);
    std::filesystem::remove(at("link.csv"));
    std::filesystem::create_hard_link(at("trips.csv"), at("link.csv"));
    EXPECT_TRUE(refuses(text, "is the source; the keys must be public")) << same;
  }
  EXPECT_TRUE(
      refuses("version = 1\n[dataset]\nname = \"city\"\n[source]\npath = \"trips.csv\"\nuser = \"card\"\n"
              "time = \"ts\"\nplace = \"stop\"\nvalue = \"v\"\n[slots]\nstart = \"2026-03-01T00:00\"\n"
              "end = \"2026-03-02T00:00\"\nlength = \"1h\"\n[places]\nlist = \"trips.csv\"\n"
              "[means]\nupper = 1\ncounts = \"public\"\n[privacy]\nepsilon = 1\n",
              "places.list: "));
}

TEST_F(JobFile, TheStepsOfAPersonAreCappedOrSaidToBeAll) {
  for (const char* mention : {"privacy.max_steps: it is missing", "public knowledge", "\"all\""})
    EXPECT_TRUE(refuses_privacy("epsilon = 1\n", mention));
  EXPECT_TRUE(refuses_privacy("max_steps = \"every\"\nepsilon = 1\n", "it must be a whole number, or \"all\""));
  EXPECT_EQ(job(job_text("", "unit = \"event\"\nepsilon = 1\n")).max_steps, std::nullopt);
  const std::string counts = "path = \"a\"\ntime = \"ts\"\nseries = \"stop\"\nvalue = \"n\"\n";
  EXPECT_TRUE(refuses(job_text(counts, "epsilon = 1\n"), "privacy.max_steps: it is missing"));
  EXPECT_EQ(job(job_text(counts, "max_steps = 2\nepsilon = 1\n")).max_steps, 2);
  // Old debits, from when no cap was the default, have the digest of a job that says so.
  const Job all = job(job_text("", "max_steps = \"all\"\nepsilon = 1\n"));
  EXPECT_EQ(all.max_steps, kAllSteps);
  Job absent = all;
  absent.max_steps.reset();
  EXPECT_EQ(digest_of(all), digest_of(absent));
  const Facts facts = facts_of(job());
  EXPECT_EQ(std::count(facts.begin(), facts.end(), std::pair<std::string, std::string>("privacy.max_steps", "2")), 1);
}

TEST_F(JobFile, ParametersBelongToANamedMechanism) {
  EXPECT_TRUE(refuses_rest("[mechanism]\nname = \"auto\"\nrate = 0.5\n", "mechanism.rate"));
  EXPECT_TRUE(refuses_rest("[mechanism]\nrate = 0.5\n", "mechanism.rate"));
}

TEST_F(JobFile, AnOutputIsNeitherTheSourceNorAnother) {
  EXPECT_TRUE(refuses_rest("[output]\ncsv = \"trips.csv\"\n", "it would be overwritten"));
  EXPECT_TRUE(refuses_rest("[output]\ncsv = \"o\"\njson = \"o\"\n", "output.csv"));
  EXPECT_TRUE(refuses_rest("[output]\ncsv = \"-\"\njson = \"-\"\n", "output.csv"));
  EXPECT_TRUE(refuses_rest("[output]\ncsv = \"\"\n", "output.csv"));
}

TEST_F(JobFile, ErrorsOfSyntaxNameTheLine) {
  EXPECT_TRUE(refuses("version = 1\nname = \n", "line 2"));
  EXPECT_TRUE(refuses("version = 1\nversion = 1\n", "line 2"));
  EXPECT_TRUE(refuses(std::string("version = 1\n\0", 13), "line"));
  EXPECT_TRUE(refuses("\xff\xfe", "line 1"));
}

TEST_F(JobFile, AFileIsNamedInItsErrors) {
  write("job.toml", "version = 1\n");
  EXPECT_TRUE(testing::fails(read_job(at("job.toml")), ErrorKind::usage, at("job.toml") + ": dataset.name"));
  EXPECT_TRUE(testing::fails(read_job(at("nowhere.toml")), ErrorKind::storage, "nowhere.toml"));
}

TEST_F(JobFile, TheDigestChangesWithTheQuestionAndNotWithTheOutputs) {
  const std::string digest = digest_of(job());
  EXPECT_EQ(digest.size(), 16U);
  EXPECT_EQ(digest_of(job()), digest);
  Job same = job();
  same.csv = "other.csv";
  same.title = "other";
  same.series().integers = true;
  same.purpose = "other";
  EXPECT_EQ(digest_of(same), digest);
  const std::vector<std::function<void(Job&)>> changes = {
      [](Job& one) { one.dataset = "town"; },
      [](Job& one) { one.source.path += "2"; },
      [](Job& one) { one.source.query = "q"; },
      [](Job& one) { one.source.value = "n"; },
      [](Job& one) { one.source.value = ""; },
      [](Job& one) { one.source.user = std::nullopt; },
      [](Job& one) { one.slots.end = "2026-03-04T00:00"; },
      [](Job& one) { one.slots.length = "2h"; },
      [](Job& one) { one.keys.push_back("west"); },
      [](Job& one) { one.keys = {"northsouth"}; },
      [](Job& one) { one.max_steps = 3; },
      [](Job& one) { one.series().max_per_slot = 2; },
      [](Job& one) { one.epsilon = 0.5; },
      [](Job& one) { one.delta = 1e-7; },
      [](Job& one) { one.unit = Unit::event; },
      [](Job& one) { one.relation = Relation::replace; },
      [](Job& one) { one.mechanism = "auto"; },
      [](Job& one) { one.parameters["rate"] = 0.5; },
      [](Job& one) { one.series().disjoint = true; },
  };
  std::set<std::string> digests{digest};
  for (const auto& change : changes) {
    Job changed = job();
    change(changed);
    digests.insert(digest_of(changed));
  }
  EXPECT_EQ(digests.size(), changes.size() + 1);
}

}  // namespace
}  // namespace chronoveil::engine
