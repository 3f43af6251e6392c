// [train] of a job file: what is read, what is refused by name, and what makes two jobs the same.
#include <gtest/gtest.h>

#include "chronoveil/engine/train/job.h"
#include "engine/train_fixtures.h"

namespace chronoveil::engine {
namespace {

using testing::fails;

class TrainJob : public testing::TrainFolder {};

TEST_F(TrainJob, EveryKeyIsRead) {
  const Job read = job(
      text("hidden = 16\nlayers = 3\nhead_features = 8\nwindows_per_series = 2\ntop_level = \"iterate\"\n"
           "bottom_level = \"poisson\"\nsteps = 70\nclip = 0.5\nlearning_rate = 0.01\nweight_decay = 0\naverage = 0.9\n"
           "optimiser = \"sgd\"\nfill = \"last\"\ncalendar = false\nspare_steps = 5\ncheckpoint_every = 9\n"
           "initial_seed = 3\nnoise_unit = 2\nlower = -1.5\nupper = 8\n"));
  const TrainSpec& train = read.train();
  EXPECT_TRUE(read.is<TrainSpec>());
  EXPECT_EQ(train.model.model, "simple_feed_forward");
  EXPECT_EQ(train.model.context_length, 24);
  EXPECT_EQ(train.model.forecast_length, 12);
  EXPECT_EQ(train.model.hidden, 16);
  EXPECT_EQ(train.model.layers, 3);
  EXPECT_EQ(train.model.head_features, 8);
  EXPECT_EQ(train.batch_size, 4);
  EXPECT_EQ(train.windows_per_series, 2);
  EXPECT_EQ(train.top, forecasting::TopLevel::iterate);
  EXPECT_EQ(train.bottom, forecasting::BottomLevel::poisson);
  EXPECT_EQ(train.steps, 70);
  EXPECT_FALSE(train.noise_multiplier);
  EXPECT_EQ(train.clip, 0.5);
  EXPECT_EQ(train.learning_rate, 0.01);
  EXPECT_EQ(train.weight_decay, 0);
  EXPECT_EQ(train.average, 0.9);
  EXPECT_EQ(train.optimiser, TrainSpec::Optimiser::sgd);
  EXPECT_EQ(train.fill, forecasting::Fill::last);
  EXPECT_FALSE(train.calendar);
  EXPECT_EQ(train.spare_steps, 5);
  EXPECT_EQ(train.checkpoint_every, 9);
  EXPECT_EQ(train.initial_seed, 3);
  EXPECT_EQ(train.noise_unit, 2);
  EXPECT_EQ(train.lower, -1.5);
  EXPECT_EQ(train.upper, 8);
  EXPECT_EQ(train.output, at("model.cvm"));
  EXPECT_EQ(train.channels, std::vector<std::string>{"kwh"});
  EXPECT_EQ(read.relation, Relation::replace_values);
}

TEST_F(TrainJob, ListsOfNumbersAreLags) {
  const std::string lags = "noise_multiplier = 4\nlags = [1, 24, 168]\n";
  EXPECT_EQ(job(text(lags)).train().model.lags, (std::vector<std::int64_t>{1, 24, 168}));
  EXPECT_TRUE(job(text("noise_multiplier = 4\nlags = []\n")).train().lags_given);
  EXPECT_FALSE(job(text()).train().lags_given);
  EXPECT_TRUE(fails(parsed(text("noise_multiplier = 4\nlags = [\"a\"]\n")), ErrorKind::usage, "train.lags"));
  EXPECT_TRUE(fails(parsed(text("noise_multiplier = 4\nchannels = [1, 2]\n")), ErrorKind::usage, "train.channels"));
  EXPECT_TRUE(fails(parsed(text("noise_multiplier = 4\nlags = [1, \"a\"]\n")), ErrorKind::usage, "train.lags"));
}

TEST_F(TrainJob, WhatIsOutOfRangeIsRefusedByName) {
  const std::pair<const char*, const char*> bad[] = {
      {"clip = 0\n", "train.clip"},
      {"clip = inf\n", "train.clip"},
      {"learning_rate = -1\n", "train.learning_rate"},
      {"weight_decay = -1e-9\n", "train.weight_decay"},
      {"average = 1\n", "train.average"},
      {"noise_unit = 0\n", "train.noise_unit"},
      {"label_noise = -1\n", "train.label_noise"},
      {"context_noise = nan\n", "train.context_noise"},
      {"windows_per_series = 0\n", "train.windows_per_series"},
      {"windows_per_series = 5\n", "train.batch_size"},
      {"steps = 0\n", "train.steps"},
      {"spare_steps = -1\n", "train.spare_steps"},
      {"checkpoint_every = 0\n", "train.checkpoint_every"},
      {"initial_seed = -1\n", "train.initial_seed"},
      {"top_level = \"all\"\n", "train.top_level"},
      {"bottom_level = \"all\"\n", "train.bottom_level"},
      {"optimiser = \"lion\"\n", "train.optimiser"},
      {"fill = \"global\"\n", "train.fill"},
      {"clipp = 1\n", "nearest: train.clip"},
      {"lower = 0\n", "train.upper: it is missing"},
      {"upper = 0\n", "train.lower: it is missing"},
      {"lower = 1\nupper = 1\n", "train.upper: 1 is not valid; it must be greater than lower"},
      {"lower = -inf\nupper = 1\n", "train.lower"},
      {"lower = 0\nupper = 1e39\n", "train.upper"},
  };
  for (const auto& [key, mention] : bad)
    EXPECT_TRUE(fails(parsed(text("noise_multiplier = 4\n" + std::string(key))), ErrorKind::usage, mention)) << key;
  EXPECT_TRUE(fails(parsed(text("noise_multiplier = 0\n")), ErrorKind::usage, "train.noise_multiplier"));
}

TEST_F(TrainJob, NoiseOnWindowsMustCoverWhatTheBoundsAllow) {
  const std::string bounds = "steps = 5\nlower = -1\nupper = 2\nlabel_noise = 2\n";
  EXPECT_TRUE(fails(parsed(text(bounds + "noise_unit = 2.9\n")), ErrorKind::usage,
                    "train.noise_unit: 2.9 is not valid; it must be at least 3: "));
  EXPECT_EQ(job(text(bounds + "noise_unit = 3\n")).train().noise_unit, 3);
  EXPECT_EQ(job(text(bounds + "noise_unit = 7\n")).train().noise_unit, 7);
  EXPECT_EQ(job(text(bounds)).train().noise_unit, 3);  // the least that would do, where none is written
  EXPECT_EQ(digest_of(job(text(bounds))), digest_of(job(text(bounds + "noise_unit = 3\n"))));
  // Several channels of a step move together; what is named as the least is enough.
  const std::string channels = bounds + "channels = [\"kwh\", \"temp\"]\n";
  const Result<Job> refused = parsed(text(channels + "noise_unit = 4.242\n", "", ""));
  ASSERT_TRUE(fails(refused, ErrorKind::usage, "it must be at least 4.2426"));
  const std::string& message = refused.error().text();
  const std::size_t at = message.find("at least ") + 9;
  const std::string least = message.substr(at, message.find(':', at) - at);
  EXPECT_TRUE(parsed(text(channels + "noise_unit = " + least + "\n", "", "")));
  EXPECT_EQ(shortest(job(text(channels, "", "")).train().noise_unit), least);
  // Without noise on windows a unit means nothing, and without bounds it is the caller's word.
  EXPECT_EQ(job(text("steps = 5\nlower = -1\nupper = 2\nnoise_unit = 1\n")).train().noise_unit, 1);
  EXPECT_EQ(job(text("steps = 5\nlabel_noise = 2\n")).train().noise_unit, 1);
}

TEST_F(TrainJob, NoiseOrStepsMustBeThere) {
  EXPECT_TRUE(fails(parsed(text("clip = 1\n")), ErrorKind::usage, "train.noise_multiplier: it is missing"));
}

TEST_F(TrainJob, GaussianNoiseNeedsDelta) {
  EXPECT_TRUE(fails(parsed(text("steps = 1\n", "unit = \"event\"\nepsilon = 1\n")), ErrorKind::usage, "privacy.delta"));
}

TEST_F(TrainJob, UnitsHaveTheirNumberOfSteps) {
  const std::string rest = "epsilon = 1\ndelta = 1e-6\n";
  const auto with = [&](const std::string& privacy) { return parsed(text("steps = 1\n", privacy + rest)); };
  EXPECT_EQ(changed_steps(*with("unit = \"event\"\n")), 1);
  EXPECT_EQ(changed_steps(*with("unit = \"w-event\"\nwidth = 24\n")), 24);
  EXPECT_EQ(changed_steps(*with("unit = \"user\"\nmax_steps = 8\n")), 8);
  EXPECT_TRUE(fails(with("unit = \"user\"\n"), ErrorKind::usage, "privacy.max_steps: it is missing"));
  EXPECT_TRUE(
      fails(with("unit = \"user\"\nmax_steps = \"all\"\n"), ErrorKind::usage, "of training it must be a whole"));
  EXPECT_TRUE(fails(with("unit = \"event\"\nmax_steps = 8\n"), ErrorKind::usage, "privacy.max_steps"));
  EXPECT_TRUE(fails(with("unit = \"w-event\"\n"), ErrorKind::usage, "privacy.width"));
}

TEST_F(TrainJob, WhatTrainingHasNoUseForIsRefused) {
  const std::string privacy = "unit = \"event\"\nepsilon = 1\ndelta = 1e-6\n";
  for (const char* key : {"relation = \"replace\"\n", "max_per_slot = 2\n", "maximum = 2\n", "window = 4\n"})
    EXPECT_TRUE(fails(parsed(text("steps = 1\n", privacy + key)), ErrorKind::usage, "privacy.")) << key;
  for (const char* section : {"[mechanism]\nname = \"gaussian\"\n", "[plan]\nsample = \"x\"\n", "[means]\nupper = 1\n",
                              "[live]\nname = \"x\"\n", "[perturb]\nmove = \"times\"\n", "[places]\nsize = 1\n"})
    EXPECT_TRUE(fails(parsed(text() + section), ErrorKind::usage, "a job with [train] has no such section")) << section;
  EXPECT_TRUE(
      fails(parsed(text("steps = 1\n", "", "value = \"kwh\"\nuser = \"meter\"\n")), ErrorKind::usage, "source.user"));
  EXPECT_TRUE(fails(parsed(text("steps = 1\n", "", "value = \"kwh\"\nduplicates = \"sum\"\n")), ErrorKind::usage,
                    "source.duplicates"));
  EXPECT_TRUE(fails(parsed(text("steps = 1\n", "", "value = \"kwh\"\n", "csv = \"out.csv\"\n")), ErrorKind::usage,
                    "output.csv"));
  EXPECT_TRUE(
      fails(parsed(text("steps = 1\n", "", "value = \"kwh\"\n", "model = \"-\"\n")), ErrorKind::usage, "output.model"));
  EXPECT_TRUE(fails(parsed(job_text("", "", "[output]\nmodel = \"model.cvm\"\n")), ErrorKind::usage, "output.model"));
}

TEST_F(TrainJob, OutputsSpareWhatTheJobReads) {
  const auto with = [&](const std::string& output) {
    return parsed(text("steps = 1\n", "", "value = \"kwh\"\n", output));
  };
  EXPECT_TRUE(fails(with("model = \"load.csv\"\n"), ErrorKind::usage, "output.model: '" + at("load.csv")));
  EXPECT_TRUE(fails(with("model = \"a\"\njson = \"a\"\n"), ErrorKind::usage, "too"));
}

TEST_F(TrainJob, ChannelsAreColumnsOfTheirOwn) {
  const auto with = [&](const std::string& channels, const std::string& source) {
    return parsed(text("steps = 1\n" + channels, "", source));
  };
  const Result<Job> two = with("channels = [\"kwh\", \"temp\"]\n", "");
  ASSERT_TRUE(two) << two.error().text();
  EXPECT_EQ(two->train().channels, (std::vector<std::string>{"kwh", "temp"}));
  EXPECT_TRUE(fails(with("", ""), ErrorKind::usage, "source.value: it is missing"));
  EXPECT_TRUE(fails(with("channels = [\"kwh\"]\n", "value = \"temp\"\n"), ErrorKind::usage, "train.channels"));
  EXPECT_TRUE(fails(with("channels = [\"kwh\", \"kwh\"]\n", ""), ErrorKind::usage, "twice"));
  EXPECT_TRUE(fails(with("channels = [\"kwh\", \"ts\"]\n", ""), ErrorKind::usage, "column of times"));
  EXPECT_TRUE(fails(with("channels = []\n", ""), ErrorKind::usage, "train.channels"));
}

TEST_F(TrainJob, SpansAreOfListedSeriesOnce) {
  const std::string spans = "steps = 1\nspans = \"spans.csv\"\n";
  write("spans.csv", "series,start,end\nm0,2026-03-02,2026-03-09\nm3,2026-03-09,2026-03-30\n");
  const Job read = job(text(spans));
  ASSERT_EQ(read.train().spans.size(), 2u);
  EXPECT_EQ(read.train().spans[1].series, "m3");
  write("spans.csv", "series,start,end\nm0,2026-03-02,2026-03-09\nm0,2026-03-09,2026-03-30\n");
  EXPECT_TRUE(fails(parsed(text(spans)), ErrorKind::usage, "row 2: 'm0' is there for the second time"));
  write("spans.csv", "series,start,end\nm77,2026-03-02,2026-03-09\n");
  EXPECT_TRUE(fails(parsed(text(spans)), ErrorKind::usage, "not in the list"));
  write("spans.csv", "series,start\nm0,2026-03-02\n");
  EXPECT_TRUE(fails(parsed(text(spans)), ErrorKind::usage, "no column end"));
  EXPECT_TRUE(fails(parsed(text("steps = 1\nspans = \"nowhere.csv\"\n")), ErrorKind::storage, "train.spans"));
  EXPECT_TRUE(fails(parsed(text("steps = 1\nspans = \"load.csv\"\n")), ErrorKind::usage, "train.spans"));
}

TEST_F(TrainJob, WhatIsAskedMakesAJobAnotherOne) {
  write("spans.csv", "series,start,end\nm0,2026-03-02,2026-03-09\n");
  const std::string same = digest_of(job(text()));
  for (const auto& [key, value] : facts_of(job(text()))) {
    EXPECT_NE(key, "train.seasons") << "what older jobs do not say is not told: their digests stay";
    if (key == "train.context_length") {
      EXPECT_EQ(value, "24");
    } else if (key == "train.windows_per_series") {
      EXPECT_EQ(value, "1");
    }
  }
  EXPECT_EQ(digest_of(job(text("noise_multiplier = 4.0\n"))), same);
  // Where the model goes and how often it is kept on the way is not asked of the data.
  EXPECT_EQ(digest_of(job(text("noise_multiplier = 4\ncheckpoint_every = 7\n", "", "value = \"kwh\"\n",
                               "model = \"other.cvm\"\n"))),
            same);
  for (const char* key : {"steps = 7\n",
                          "clip = 1\n",
                          "hidden = 8\n",
                          "layers = 3\n",
                          "heads = 2\n",
                          "inner = 64\n",
                          "kernel = 9\n",
                          "head_features = 4\n",
                          "lags = [1]\n",
                          "lags = []\n",
                          "windows_per_series = 2\n",
                          "top_level = \"iterate\"\n",
                          "bottom_level = \"poisson\"\n",
                          "learning_rate = 1\n",
                          "weight_decay = 1\n",
                          "average = 0.5\n",
                          "optimiser = \"sgd\"\n",
                          "context_noise = 1\n",
                          "label_noise = 1\n",
                          "noise_unit = 2\n",
                          "lower = 0\nupper = 1\n",
                          "fill = \"zero\"\n",
                          "calendar = false\n",
                          "spare_steps = 1\n",
                          "initial_seed = 2\n",
                          "spans = \"spans.csv\"\n"})
    EXPECT_NE(digest_of(job(text("noise_multiplier = 4\n" + std::string(key)))), same) << key;
  const std::string bounds = "noise_multiplier = 4\nlower = 0\nupper = ";
  EXPECT_NE(digest_of(job(text(bounds + "1\n"))), digest_of(job(text(bounds + "2\n"))));
  const std::string spanned = "noise_multiplier = 4\nspans = \"spans.csv\"\n";
  const std::string before = digest_of(job(text(spanned)));
  write("spans.csv", "series,start,end\nm0,2026-03-02,2026-03-16\n");
  EXPECT_NE(digest_of(job(text(spanned))), before);
}

}  // namespace
}  // namespace chronoveil::engine
